//! Files of verdicts: what is known of the rules of a rewrite system, beside its file.
//!
//! A verdict belongs to what a rule says, by the hash of its statement, so it stays where rules are named anew, put into
//! another order or commented.

use crate::inputs::shipped::{SYSTEMS, VERDICTS};
use anyhow::{Context, Result, ensure};
use dataset_gen::SYSTEM_FILE;
use egraph::{Rule, System};
use interop::{Statement, assumption};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{
    FileKind, InputFile, OutputFile, first_bytes, hash, note, read_text, seal_json, unseal_json,
};

/// How a rule is proved whose assignments are few.
const THROUGH: &str = "going through all assignments";

const KIND: &str = "cairn-verdicts";
const FORMAT: u32 = 1;

const FILE: FileKind = FileKind {
    name: "a file of verdicts",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.contains(KIND)),
};

/// What a file says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Verdicts {
    kind: String,
    format: u32,
    /// In the order of the system's rules.
    pub rules: Vec<Known>,
}

/// What is known of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Its name.
    pub rule: String,
    /// SHA-256 of what it says; none where that can't be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    pub verdict: Word,
    /// Who or what proved or refuted it; of what is unknown, who was asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Why it is not proved.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The same rule at other widths of words, by verdict; what is in no list can't be said at that width.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub widths: BTreeMap<Word, Vec<u32>>,
}

/// A verdict in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    Proved,
    Refuted,
    Unknown,
    NotExpressible,
}

impl Word {
    /// As it is shown.
    pub fn text(self) -> &'static str {
        match self {
            Word::Proved => "proved",
            Word::Refuted => "refuted",
            Word::Unknown => "unknown",
            Word::NotExpressible => "not expressible",
        }
    }
}

/// The hash by which a verdict is found.
pub fn says(statement: &Statement) -> String {
    hash::sha256(statement.normal_text().as_bytes())
}

/// Where the verdicts of a rules file are kept.
pub fn beside(rules: &Path) -> PathBuf {
    if rules.extension().is_some_and(|ending| ending == "rules") {
        return rules.with_extension("proved.json");
    }
    let mut name = rules.as_os_str().to_owned();
    name.push(".proved.json");
    name.into()
}

impl Known {
    /// Who or what proved it, without the number of assignments.
    pub fn prover(&self) -> &str {
        if self.by.starts_with("all ") { THROUGH } else { &self.by }
    }
}

impl Verdicts {
    pub fn of(rules: Vec<Known>) -> Verdicts {
        Verdicts { kind: KIND.to_owned(), format: FORMAT, rules }
    }

    /// What a file says; nothing where there is none.
    ///
    /// # Errors
    /// It can't be read, or is not as it was written.
    pub fn read(path: &Path) -> Result<Option<Verdicts>> {
        if !path.exists() {
            return Ok(None);
        }
        let name = path.display().to_string();
        Verdicts::parse(&name, &read_text(path, "the verdicts")?).map(Some)
    }

    fn parse(name: &str, text: &str) -> Result<Verdicts> {
        let object = unseal_json(name, text)?;
        let read: Verdicts =
            serde_json::from_str(&object).with_context(|| format!("{name}: no verdicts"))?;
        ensure!(
            read.kind == KIND && read.format == FORMAT,
            "{name} is no file of verdicts that this version reads: expected kind {KIND}, format {FORMAT}"
        );
        Ok(read)
    }

    /// Looks whether they can be written to a file.
    ///
    /// # Errors
    /// It holds something else.
    pub fn output(path: &Path) -> Result<OutputFile> {
        OutputFile::new(path, FILE)
    }

    /// Writes them.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(&self, file: &OutputFile) -> Result<()> {
        let sealed = seal_json(&serde_json::to_string_pretty(self)?);
        file.write(|file| Ok(file.write_all(sealed.as_bytes())?))
    }

    /// What is known of a system's rules: of its own file, or carried in the program.
    ///
    /// # Errors
    /// As [`Verdicts::read`].
    pub fn of_system(file: &InputFile) -> Result<Option<Verdicts>> {
        match file {
            InputFile::Carried(system) => match VERDICTS.named(system.name) {
                Ok(carried) => Verdicts::parse(carried.file, carried.text).map(Some),
                Err(_) => Ok(None),
            },
            InputFile::Path(path) => Verdicts::read(&beside(path)),
        }
    }

    /// What is known of the rules that a directory of results has a copy of: by its own file, or by those in the program, if these
    /// know of a system with the same file.
    ///
    /// # Errors
    /// As [`Verdicts::read`].
    pub fn of_results(directory: &Path) -> Result<Option<Verdicts>> {
        let rules = directory.join(SYSTEM_FILE);
        if let Some(own) = Verdicts::read(&beside(&rules))? {
            return Ok(Some(own));
        }
        let text = read_text(&rules, "the rewrite system")?;
        match SYSTEMS.files().iter().find(|carried| carried.text == text) {
            Some(carried) => Verdicts::of_system(&InputFile::Carried(*carried)),
            None => Ok(None),
        }
    }

    /// Leaves what is known of a system's rules in a directory of results, beside the copy of its file. That it can't is said, and
    /// no reason to lose results.
    pub fn keep_with_results(system: &InputFile, directory: &Path) {
        let InputFile::Path(path) = system else { return };
        let keep = || match Verdicts::read(&beside(path))? {
            Some(known) => known.write(&Verdicts::output(&beside(&directory.join(SYSTEM_FILE)))?),
            None => Ok(()),
        };
        keep().unwrap_or_else(|error| note(&format!("verdicts are not kept: {error:#}")));
    }

    /// Who proved a rule, if it is proved.
    pub fn proved(&self, system: &System, rule: &Rule) -> Option<&str> {
        let says = says(&Statement::of(system, rule).ok()?);
        let known = self.rules.iter().find(|known| known.says.as_ref() == Some(&says))?;
        (known.verdict == Word::Proved).then(|| known.prover())
    }

    /// Whether rules are proved, by whom, and which are not: in the order of their names.
    pub fn about<'r>(&self, system: &System, rules: impl Iterator<Item = &'r Rule>) -> Proved {
        let mut about = Proved::default();
        for rule in rules {
            match self.proved(system, rule) {
                Some(by) => {
                    about.by.insert(by.to_owned());
                    about.assuming.extend(assumption(system, rule));
                    about.proved += 1;
                }
                None => _ = about.not_proved.insert(rule.name.clone()),
            }
        }
        about
    }
}

/// How far rules are proved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// How many are.
    pub proved: u64,
    /// By whom.
    pub by: BTreeSet<String>,
    /// On which assumptions.
    pub assuming: BTreeSet<String>,
    /// The names of those that are not.
    pub not_proved: BTreeSet<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::shipped::SYSTEMS;

    #[test]
    fn shipped_verdicts_are_about_the_rules_that_are_shipped_and_none_is_refuted() {
        for name in VERDICTS.names() {
            let file = InputFile::Carried(SYSTEMS.named(name).unwrap());
            let text = String::from_utf8(file.read("rules").unwrap()).unwrap();
            let system = System::parse(&text).unwrap();
            let verdicts = Verdicts::of_system(&file).unwrap().unwrap();
            assert_eq!(verdicts.rules.len(), system.rules.len(), "{name}");
            for (rule, known) in system.rules.iter().zip(&verdicts.rules) {
                let said = Statement::of(&system, rule).ok().map(|statement| says(&statement));
                assert_eq!((&known.rule, &known.says), (&rule.name, &said), "{name}");
                assert_ne!(known.verdict, Word::Refuted, "{name}: {}", rule.name);
                let proved = known.verdict == Word::Proved;
                assert_eq!(
                    verdicts.proved(&system, rule).is_some(),
                    proved,
                    "{name}: {}",
                    rule.name
                );
                assert!(
                    proved != known.by.is_empty() || known.verdict == Word::Unknown,
                    "{name}: {}",
                    rule.name
                );
            }
        }
    }

    #[test]
    fn verdicts_stand_beside_the_rules() {
        let beside = |path: &str| beside(Path::new(path));
        assert_eq!(beside("a/my.rules"), Path::new("a/my.proved.json"));
        assert_eq!(beside("a/rules.txt"), Path::new("a/rules.txt.proved.json"));
    }
}
