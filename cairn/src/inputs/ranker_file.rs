//! The file of a ranker: where an argument says that it is, and a look at it without the rewrite system
//! that it is for.

use crate::inputs::shipped::RANKERS;
use anyhow::{Context, Result, bail};
use clap::builder::{OsStringValueParser, TypedValueParser};
use egraph::PROOF_FORMAT;
use guided_search::RANKER_FILE;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use support::{InputFile, counted, read_text, thousands, unseal_json};
use terms::SeenSeeds;

/// The ranker in a directory that `cairn learn` made, if it is one.
pub fn learned(directory: &Path) -> Option<PathBuf> {
    // What is joined to an empty path would be a file of the working directory.
    let is_named = !directory.as_os_str().is_empty();
    Some(directory.join(RANKER_FILE)).filter(|file| is_named && file.is_file())
}

/// The file that an argument names: a directory that `cairn learn` made, a file, or the name of a shipped ranker.
///
/// # Errors
/// No shipped ranker has this name.
pub fn named_ranker(argument: OsString) -> Result<InputFile> {
    match learned(Path::new(&argument)) {
        Some(file) => Ok(InputFile::Path(file)),
        None => {
            let named = RANKERS.resolve(argument.clone());
            match Path::new(&argument).is_dir() {
                true => named.with_context(|| format!("a directory without {RANKER_FILE}")),
                false => named,
            }
        }
    }
}

/// Reads an argument so.
pub fn parser() -> impl TypedValueParser<Value = InputFile> {
    OsStringValueParser::new().try_map(named_ranker)
}

/// What is read of the file.
#[derive(Deserialize)]
struct File {
    format: String,
    /// One for any system has none.
    system_hash: Option<String>,
    origin: String,
    seen: Seen,
    weights: Value,
}

/// The seeds that a ranker has seen: of its system, or by the hash of each of several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seen {
    One(SeenSeeds),
    Several(BTreeMap<String, SeenSeeds>),
}

/// What a ranker's file says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inspection {
    /// The format, with its version.
    pub format: String,
    /// SHA-256 of the rewrite system; nothing where it is for any.
    pub system_hash: Option<String>,
    /// How it came about.
    pub origin: String,
    /// Numbers in the network.
    pub parameters: usize,
    /// Seeds of the tasks that it was trained and chosen on.
    pub seen_seeds: usize,
}

/// Whether a text says of itself that it is a proof.
fn is_proof(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Kind {
        format: String,
    }
    serde_json::from_str::<Kind>(text).is_ok_and(|kind| kind.format == PROOF_FORMAT)
}

/// Looks at a ranker.
///
/// # Errors
/// The file can't be read, holds no ranker, or is not as it was written.
pub fn inspect(path: &Path) -> Result<Inspection> {
    let text = read_text(path, "the ranker")?;
    let read = serde_json::from_str(&text);
    if read.is_err() && is_proof(&text) {
        bail!("{} is a proof, which `cairn check` looks at", path.display());
    }
    let File { format, system_hash, origin, seen, weights } =
        read.with_context(|| format!("{} holds no ranker", path.display()))?;
    unseal_json(&path.display().to_string(), &text)?;
    let seen_seeds = match &seen {
        Seen::One(seen) => seen.digests.len(),
        Seen::Several(seen) => seen.values().map(|seen| seen.digests.len()).sum(),
    };
    let parameters = numbers(&weights);
    Ok(Inspection { format, system_hash, origin, parameters, seen_seeds })
}

/// How many numbers there are in it.
fn numbers(value: &Value) -> usize {
    match value {
        Value::Number(_) => 1,
        Value::Array(values) => values.iter().map(numbers).sum(),
        Value::Object(fields) => fields.values().map(numbers).sum(),
        Value::Null | Value::Bool(_) | Value::String(_) => 0,
    }
}

impl Inspection {
    /// For a terminal.
    pub fn text(&self) -> String {
        let Inspection { format, system_hash, origin, parameters, seen_seeds } = self;
        let system = system_hash.as_deref().unwrap_or("any");
        format!(
            "a ranker of {} parameters ({format})\n{origin}\nrewrite system: {system}\n\
             seeds that it has seen: {}\n",
            thousands(*parameters as u64),
            counted(*seen_seeds as u64, "seed")
        )
    }
}
