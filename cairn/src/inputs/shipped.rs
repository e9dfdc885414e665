//! The files of configs/, which the program carries, so that it needs no repository beside it: an
//! argument may name one of them instead of a file.

use anyhow::{Result, anyhow};
use clap::builder::{OsStringValueParser, TypedValueParser};
use egraph::System;
use ranking::{Content, LearnedOn};
use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;
use support::{CarriedFile, InputFile};

/// Files of one kind.
pub struct Shipped {
    /// What they are.
    what: &'static str,
    files: &'static [CarriedFile],
}

macro_rules! shipped {
    ($what:literal, $folder:literal, $ending:literal, [$($name:literal),*]) => {
        Shipped {
            what: $what,
            files: &[$(CarriedFile {
                name: $name,
                file: concat!($name, $ending),
                text: include_str!(concat!("../../configs/", $folder, "/", $name, $ending)),
            }),*],
        }
    };
}

/// Rewrite systems.
pub static SYSTEMS: Shipped = shipped!(
    "rewrite system",
    "systems",
    ".rules",
    [
        "arith",
        "bitvectors",
        "bounds",
        "gelu",
        "halide",
        "horner",
        "idioms",
        "lambda",
        "math",
        "math-test",
        "matrix-chain",
        "mba",
        "polynomials",
        "prop",
        "prop-test",
        "ring",
        "rise",
        "sums",
        "tensor",
        "tiling",
        "words"
    ]
);
/// Seeds.
pub static SEEDS: Shipped = shipped!(
    "seed file",
    "seeds",
    ".txt",
    [
        "bitvectors",
        "bounds",
        "gelu",
        "halide",
        "idioms",
        "lambda",
        "math",
        "prop",
        "ring",
        "rise",
        "tensor",
        "tiling"
    ]
);
/// Rankers.
pub static RANKERS: Shipped = shipped!("ranker", "rankers", ".json", ["any", "halide", "ring"]);
/// Verdicts on the rules of systems, by the names of these.
pub static VERDICTS: Shipped = shipped!(
    "file of verdicts",
    "verdicts",
    ".json",
    ["arith", "bounds", "gelu", "halide", "mba", "polynomials", "ring", "words"]
);
/// Presets of `cairn generate`.
pub static DATASETS: Shipped = shipped!("preset", "dataset", ".toml", ["default", "quickstart"]);
/// Presets of `cairn train`.
pub static MODELS: Shipped =
    shipped!("preset", "model", ".toml", ["tiny", "planner", "guesser", "12m", "92m", "312m"]);
/// Presets of `cairn tasks` and `cairn evaluate`.
pub static SEARCHES: Shipped = shipped!("preset", "search", ".toml", ["default", "quickstart"]);

impl Shipped {
    /// All of them.
    pub fn files(&self) -> &'static [CarriedFile] {
        self.files
    }

    /// What can be named.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.files.iter().map(|file| file.name)
    }

    /// A shipped file.
    ///
    /// # Errors
    /// There is none of this name; those that are there are listed.
    pub fn named(&self, name: &str) -> Result<CarriedFile> {
        self.files.iter().find(|file| file.name == name).copied().ok_or_else(|| {
            let names: Vec<&str> = self.files.iter().map(|file| file.name).collect();
            let (what, names) = (self.what, names.join(", "));
            anyhow!(
                "no file of this name, and no shipped {what}: expected a file, or one of {names}"
            )
        })
    }

    /// What an argument means: a name without a directory and an ending is a shipped file, if
    /// there is no such file on disk.
    ///
    /// # Errors
    /// As [`Shipped::named`].
    pub fn resolve(&self, argument: OsString) -> Result<InputFile> {
        let path = Path::new(&argument);
        let plain = path.file_name() == Some(&argument) && path.extension().is_none();
        // An empty text is no path, and what there is to choose from is said.
        if !argument.is_empty() && (!plain || (path.exists() && !path.is_dir())) {
            return Ok(InputFile::Path(argument.into()));
        }
        self.named(&path.to_string_lossy()).map(InputFile::Carried)
    }

    /// Reads an argument so.
    pub fn parser(&'static self) -> impl TypedValueParser<Value = InputFile> {
        OsStringValueParser::new().try_map(|argument| self.resolve(argument))
    }
}

/// A shipped ranker is taken unasked for a system that is so much like its own: an edited copy.
const LIKENESS: f64 = 0.75;

/// The shipped rankers for one system each, read once.
static LEARNED_ON: LazyLock<Vec<(LearnedOn, CarriedFile)>> = LazyLock::new(|| {
    RANKERS.files.iter().filter_map(|file| Some((LearnedOn::read(file.text)?, *file))).collect()
});

/// The ranker that is shipped for a system, or for one that is much like it.
pub fn own_ranker_of(system: &System) -> Option<InputFile> {
    let very = LEARNED_ON.iter().find(|(on, _)| on.system_hash == system.hash);
    let alike = || {
        let content = Content::of(system);
        let all = LEARNED_ON.iter().map(|ranker| (ranker.0.likeness(&content), ranker));
        let best = all.max_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|(likeness, _)| *likeness >= LIKENESS).map(|(_, ranker)| ranker)
    };
    very.or_else(alike).map(|(_, file)| InputFile::Carried(*file))
}

/// The ranker for any system.
pub fn any_ranker() -> InputFile {
    InputFile::Carried(RANKERS.named("any").expect("it is in the table"))
}

/// The ranker that is shipped for a system, or else the one for any.
pub fn ranker_of(system: &System) -> InputFile {
    own_ranker_of(system).unwrap_or_else(any_ranker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn everything_in_configs_is_carried_byte_by_byte() {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
        for (folder, shipped) in [
            ("systems", &SYSTEMS),
            ("seeds", &SEEDS),
            ("dataset", &DATASETS),
            ("model", &MODELS),
            ("rankers", &RANKERS),
            ("verdicts", &VERDICTS),
            ("search", &SEARCHES),
        ] {
            let on_disk: BTreeSet<_> = std::fs::read_dir(configs.join(folder))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            let carried: BTreeSet<_> = shipped.files.iter().map(|f| f.file.to_owned()).collect();
            assert_eq!(on_disk, carried, "configs/{folder} and the table in shipped.rs");
            for file in shipped.files {
                let bytes = std::fs::read(configs.join(folder).join(file.file)).unwrap();
                assert_eq!(bytes, file.text.as_bytes(), "{}", file.file);
            }
        }
    }

    #[test]
    fn a_plain_name_is_a_shipped_file_and_a_path_is_none() {
        let name = |text: &str| SYSTEMS.resolve(text.into());
        assert!(matches!(name("halide"), Ok(InputFile::Carried(file)) if file.name == "halide"));
        assert_eq!(name("halide.rules").unwrap(), InputFile::Path("halide.rules".into()));
        assert_eq!(name("./halide").unwrap(), InputFile::Path("./halide".into()));
        for wrong in ["halid", ""] {
            let unknown = name(wrong).unwrap_err().to_string();
            assert!(
                unknown.contains("one of arith, bitvectors, bounds, gelu, halide, horner, idioms"),
                "{unknown}"
            );
        }
    }
}
