//! Reading a rewrite system from a `.rules` file.

pub(crate) mod costs;
pub(crate) mod expressions;
mod for_each;
mod given;
mod language;
mod more_rules;
pub(crate) mod patterns;
mod pools;
mod rewrites;
mod schedules;

use crate::rules::analysis::{read_merge, read_name, read_transfer};
use crate::rules::costs::declared::{DEFAULT, DeclaredCost};
use crate::rules::options::expect_atom;
use crate::rules::pattern::Pattern;
use crate::rules::read::schedules::Words;
use crate::rules::rule::{Rule, RulesetId};
use crate::rules::system::System;
use crate::term::language::{Language, SortId};
use crate::text::sexpr::{ParseError, Place, Sexpr, parse_all, parse_parts, utf8};
use crate::text::similar::did_you_mean;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A rule file that can't be read or understood; displays as `file:line:column: message`.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// The file can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why. It is part of the message, and so not called `source`: whoever prints an error
        /// with its sources would print it twice.
        reason: std::io::Error,
    },
    /// The file's text is wrong.
    #[error("{path}:{mistake}")]
    Parse {
        /// The file.
        path: String,
        /// Where and why; part of the message, too.
        mistake: ParseError,
    },
}

impl System {
    /// Reads a `.rules` file.
    ///
    /// # Errors
    /// The file can't be read, or its text is wrong.
    pub fn load(path: &std::path::Path) -> Result<System, SystemError> {
        System::load_with_bytes(path).map(|(system, _)| system)
    }

    /// As [`System::load`]; also gives what the file holds, which is read once.
    ///
    /// # Errors
    /// As [`System::load`].
    pub fn load_with_bytes(path: &std::path::Path) -> Result<(System, Vec<u8>), SystemError> {
        let name = || path.display().to_string();
        let bytes =
            std::fs::read(path).map_err(|reason| SystemError::Read { path: name(), reason })?;
        Ok((System::from_bytes(&name(), bytes.clone())?, bytes))
    }

    /// Reads what a `.rules` file holds; `name` is what mistakes call it.
    ///
    /// # Errors
    /// The text is wrong.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<System, SystemError> {
        utf8(bytes)
            .and_then(|text| System::parse(&text))
            .map_err(|mistake| SystemError::Parse { path: name.to_owned(), mistake })
    }

    /// Reads the text of a `.rules` file.
    ///
    /// # Errors
    /// The first mistake, with its place and what was expected.
    pub fn parse(text: &str) -> Result<System, ParseError> {
        match read_all(text, 1) {
            Ok((system, _)) => Ok(system),
            Err(mut mistakes) => Err(mistakes.swap_remove(0)),
        }
    }
}

/// Where in the text the parts of a system are declared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// By rule.
    pub rules: Vec<Place>,
    /// By operator.
    pub operators: Vec<Place>,
}

/// Reads a text and goes on after a mistake, until there are `most`; those are in the order of the text.
/// Declarations that speak of what was to be declared by a mistaken one are left out.
pub(crate) fn read_all(text: &str, most: usize) -> Result<(System, Places), Vec<ParseError>> {
    let (declarations, mut mistakes) = match parse_all(text) {
        Ok(declarations) => (declarations, Vec::new()),
        Err(mistake) if most <= 1 => return Err(vec![mistake]),
        Err(_) => parse_parts(text),
    };
    let declarations = match for_each::expanded(declarations) {
        Ok(declarations) => declarations,
        Err(mistake) => {
            mistakes.push(mistake);
            return Err(mistakes);
        }
    };
    let mut reader = Reader::default();
    reader.system.costs.push(DeclaredCost::new(DEFAULT, 1));
    // Names whose declarations are mistaken, or are not there because a parenthesis is missing.
    let mut missing: FxHashSet<&str> = FxHashSet::default();
    let may_miss_some = !mistakes.is_empty();
    // Operators may be declared after the rules that use them, and so on: by kind, not by place.
    for phase in [Phase::Sorts, Phase::Language, Phase::Terms, Phase::Rules, Phase::Schedules] {
        for declaration in &declarations {
            if mistakes.len() >= most {
                break;
            }
            if !missing.is_empty() && mentions(declaration, &missing) {
                missing.extend(declared(declaration));
                continue;
            }
            if let Err(mistake) = reader.declare(declaration, phase) {
                if !(may_miss_some && mistake.message.starts_with("unknown ")) {
                    mistakes.push(mistake);
                }
                missing.extend(declared(declaration));
            }
        }
        if phase == Phase::Sorts && mistakes.is_empty() && reader.system.language.sorts.is_empty() {
            let place = declarations.first().map_or(Place { line: 1, column: 1 }, Sexpr::place);
            mistakes.push(ParseError::new(place, "expected at least one (sort Name)"));
        }
        if phase == Phase::Language {
            reader.find_builtins();
        }
    }
    if !mistakes.is_empty() {
        mistakes.sort_by_key(|mistake| (mistake.place.line, mistake.place.column));
        return Err(mistakes);
    }
    reader.system.hash = hex(&Sha256::digest(text.as_bytes()));
    Ok((reader.system, reader.places))
}

/// The name that a declaration other than a rule declares.
fn declared(declaration: &Sexpr) -> Option<&str> {
    let [keyword, name, ..] = declaration.list()? else { return None };
    let row = KEYWORDS.iter().find(|row| Some(row.name) == keyword.atom())?;
    if row.declares_name { name.atom() } else { None }
}

fn mentions(sexpr: &Sexpr, names: &FxHashSet<&str>) -> bool {
    match sexpr {
        Sexpr::Atom(atom, _) => names.contains(atom.as_str()),
        Sexpr::List(items, _) => items.iter().any(|item| mentions(item, names)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// When a declaration is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Sorts,
    Language,
    Terms,
    Rules,
    Schedules,
}

/// A keyword of rules files, in a phase in which its declarations are read.
struct Keyword {
    name: &'static str,
    phase: Phase,
    /// Whether what comes first is the name of what is declared, which others may speak of.
    declares_name: bool,
    read: Read,
}

/// What reads the arguments of a declaration at a place.
type Read = fn(&mut Reader, &[Sexpr], Place) -> Result<(), ParseError>;

const fn keyword(name: &'static str, phase: Phase, read: Read) -> Keyword {
    Keyword { name, phase, declares_name: false, read }
}

const fn named(name: &'static str, phase: Phase, read: Read) -> Keyword {
    Keyword { declares_name: true, ..keyword(name, phase, read) }
}

/// In the order in which messages list them.
const KEYWORDS: &[Keyword] = &[
    named("sort", Phase::Sorts, Reader::sort),
    named("op", Phase::Language, Reader::op),
    keyword("literal", Phase::Language, Reader::literal),
    keyword("variable", Phase::Language, Reader::variable),
    named("analysis", Phase::Language, Reader::analysis),
    named("analysis", Phase::Rules, Reader::merge),
    keyword("transfer", Phase::Rules, Reader::transfer),
    named("ruleset", Phase::Sorts, Reader::ruleset),
    keyword("normal-form", Phase::Language, Reader::normal_form),
    keyword("pool", Phase::Terms, Reader::pool),
    keyword("rewrite", Phase::Rules, |reader, args, place| reader.rewrite(args, place, false)),
    keyword("birewrite", Phase::Rules, |reader, args, place| reader.rewrite(args, place, true)),
    keyword("given", Phase::Rules, Reader::given),
    keyword("cost", Phase::Rules, Reader::cost),
    keyword("schedule", Phase::Schedules, Reader::schedule),
    named("strategy", Phase::Schedules, Reader::strategy),
    keyword("mlir", Phase::Rules, Reader::mlir),
];

/// All of them, each once, as a message lists them; `for` was replaced by what it stands for before.
fn expected() -> String {
    let mut names: Vec<&str> = KEYWORDS.iter().map(|row| row.name).collect();
    names.dedup();
    names.push("for");
    let last = names.pop().unwrap_or_default();
    format!("{} or {last}", names.join(", "))
}

/// The system as far as it has been read.
#[derive(Default)]
struct Reader {
    system: System,
    /// Those of the rules.
    rule_names: FxHashSet<String>,
    /// The rulesets, by their names.
    ruleset_ids: FxHashMap<String, RulesetId>,
    /// By sort: the terms that rules may introduce.
    pools: FxHashMap<SortId, Vec<Pattern>>,
    places: Places,
}

impl Reader {
    fn declare(&mut self, declaration: &Sexpr, phase: Phase) -> Result<(), ParseError> {
        let place = declaration.place();
        // Said once.
        let refuse = |place, message: String| match phase {
            Phase::Sorts => Err(ParseError::new(place, message)),
            _ => Ok(()),
        };
        let Some(items) = declaration.list() else {
            return refuse(place, format!("expected a declaration in parentheses: {}", expected()));
        };
        let name = items.first().and_then(Sexpr::atom).unwrap_or("");
        let args = items.get(1..).unwrap_or(&[]);
        let mut rows = KEYWORDS.iter().filter(|row| row.name == name).peekable();
        if rows.peek().is_none() {
            let meant = did_you_mean(name, KEYWORDS.iter().map(|row| row.name));
            let place = items.first().map_or(place, Sexpr::place);
            let expected = expected();
            return refuse(
                place,
                format!("unknown declaration '{name}': expected {expected}{meant}"),
            );
        }
        rows.filter(|row| row.phase == phase).try_for_each(|row| (row.read)(self, args, place))
    }

    /// The language, to be added to.
    fn language(&mut self) -> &mut Language {
        Arc::make_mut(&mut self.system.language)
    }

    /// Adds a rule.
    fn add(&mut self, rule: Rule, place: Place) -> Result<(), ParseError> {
        let name = rule.name.clone();
        let added = match self.rule_names.contains(&name) {
            true => Err(format!("a second rule is called '{name}'")),
            false => self.system.add_rule(rule),
        };
        added.map_err(|mistake| ParseError::new(place, mistake))?;
        self.rule_names.insert(name);
        self.places.rules.push(place);
        Ok(())
    }

    /// `(analysis constant)`, or what the rest of the language is to know of another analysis.
    fn analysis(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        match args {
            [name] if name.atom() == Some("constant") => self.language().constant_folding = true,
            _ => {
                let language = &self.system.language;
                let name = read_name(language, args, place, |sort| self.known_sort(sort))?;
                self.language().analyses.push(name);
            }
        }
        Ok(())
    }

    /// The rest of an analysis.
    fn merge(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        if args.len() <= 1 {
            return Ok(());
        }
        let System { language, analyses, .. } = &mut self.system;
        read_merge(language, Arc::make_mut(analyses), args, place)
    }

    fn transfer(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let System { language, analyses, .. } = &mut self.system;
        read_transfer(language, Arc::make_mut(analyses), args, place)
    }

    /// `(mlir …)`.
    fn mlir(&mut self, args: &[Sexpr], _: Place) -> Result<(), ParseError> {
        self.system.mlir.extend_from_slice(args);
        Ok(())
    }

    fn words(&self) -> Words<'_> {
        let System { language, rules, rulesets, normal_form, costs, strategies, .. } = &self.system;
        Words { language, rules, rulesets, normal_form: *normal_form, costs, strategies }
    }

    /// `(schedule S …)`.
    fn schedule(&mut self, body: &[Sexpr], place: Place) -> Result<(), ParseError> {
        if body.is_empty() {
            return Err(ParseError::new(place, "expected (schedule S …)"));
        }
        if self.system.schedule.is_some() {
            return Err(ParseError::new(place, "a second schedule: only one is allowed"));
        }
        self.system.schedule = Some(self.words().read(body, false)?);
        Ok(())
    }

    /// `(strategy name S …)`.
    fn strategy(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [name, body @ ..] = args else {
            return Err(ParseError::new(place, "expected (strategy name S …)"));
        };
        let at = |message: String| ParseError::new(name.place(), message);
        let text = expect_atom(name, "a name")?;
        if self.system.strategies.iter().any(|(before, _)| before == text) {
            return Err(at(format!("strategy '{text}' is declared twice")));
        }
        if self.ruleset_ids.contains_key(text) || self.system.rules.iter().any(|r| r.name == text) {
            return Err(at(format!(
                "'{text}' is a ruleset or a rule: a strategy needs another name"
            )));
        }
        if body.is_empty() {
            return Err(at(format!("expected (strategy {text} S …)")));
        }
        self.words().read(body, true)?;
        self.system.strategies.push((text.to_owned(), body.to_vec()));
        Ok(())
    }
}
