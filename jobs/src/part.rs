//! The description of a part, and whether parts belong together.

use crate::shard::Shard;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{seal_json, unseal_json, write_atomic};

/// The file that marks a directory as a finished part.
pub const PART_FILE: &str = "part.json";

/// The content of `part.json`, sealed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What all parts together become, as "a dataset".
    pub kind: String,
    /// Which part.
    pub shard: Shard,
    /// Items of all parts together.
    pub items: u64,
    /// All that the work depends on; the same in all parts.
    pub settings: Value,
    /// What else the result says, and may be another in each part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// SHA-256 of the finished items, if they are in one file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items_hash: Option<String>,
}

impl Part {
    /// A part that is to be made.
    ///
    /// # Errors
    /// The settings are nothing that JSON can say.
    pub fn new(kind: &str, shard: Shard, items: u64, settings: &impl Serialize) -> Result<Part> {
        let settings = serde_json::to_value(settings)?;
        Ok(Part { kind: kind.to_owned(), shard, items, settings, told: None, items_hash: None })
    }

    /// All that makes it the part that it is.
    pub(crate) fn key(&self) -> Part {
        Part { told: None, items_hash: None, ..self.clone() }
    }

    /// Reads `part.json` of a directory.
    ///
    /// # Errors
    /// There is none, it is not one of ours, or not as it was written; the file is named.
    pub fn load(directory: &Path) -> Result<Part> {
        let path = directory.join(PART_FILE);
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} is not a finished part: cannot read {name}", directory.display())
        })?;
        let text = unseal_json(&name, &text)?;
        let part: Part = serde_json::from_str(&text)
            .with_context(|| format!("{name} does not describe a part"))?;
        let Shard { index, count } = part.shard;
        ensure!(index < count, "{name}: there is no shard {index}/{count}");
        Ok(part)
    }

    /// Writes `part.json`.
    ///
    /// # Errors
    /// What the file system says.
    pub fn save(&self, path: &Path) -> Result<()> {
        write_atomic(path, seal_json(&serde_json::to_string_pretty(self)?).as_bytes())
    }

    /// Whether the finished part in `out` is the one that is asked for; false if there is no finished one.
    ///
    /// # Errors
    /// It is another one.
    pub fn is_there(&self, out: &Path) -> Result<bool> {
        if !out.join(PART_FILE).exists() {
            return Ok(false);
        }
        if let Some(difference) = self.difference(&Part::load(out)?) {
            bail!(
                "{} already holds a part that was made with other arguments ({difference}): choose another \
                 directory",
                out.display()
            );
        }
        Ok(true)
    }

    /// How another part differs from this one: where, what it has there, and what is expected.
    fn difference(&self, other: &Part) -> Option<String> {
        let of = |part: &Part| serde_json::to_value(part.key()).ok();
        let (expected, found) = (of(self)?, of(other)?);
        difference("", &expected, &found)
    }
}

/// The parts in directories, by number: all that there are, none twice, made with the same settings.
///
/// # Errors
/// What is missing, given twice, damaged or made otherwise than the first, with what was expected.
pub fn load_parts(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Part)>> {
    let mut parts: Vec<(PathBuf, Part)> = Vec::new();
    for path in paths {
        let part = Part::load(path)?;
        if let Some((first, expected)) = parts.first() {
            let same_shard = Part { shard: expected.shard, ..part.clone() };
            let whole = expected.shard.count == part.shard.count;
            if let Some(difference) = expected.difference(if whole { &same_shard } else { &part }) {
                bail!(
                    "{} was not made with the same files and settings as {}: {difference}",
                    path.join(PART_FILE).display(),
                    first.display()
                );
            }
        }
        if let Some((other, _)) = parts.iter().find(|(_, other)| other.shard == part.shard) {
            let (shard, other) = (part.shard, other.display());
            bail!("part {shard} is given more than once: {other}, {}", path.display());
        }
        parts.push((path.clone(), part));
    }
    parts.sort_by_key(|(_, part)| part.shard.index);
    let count = parts.first().context("no part to merge")?.1.shard.count;
    for index in 0..count {
        let shard = Shard { index, count };
        let there = parts.get(index as usize).is_some_and(|(_, part)| part.shard == shard);
        ensure!(there, "part {shard} is missing: expected all {count} parts");
    }
    Ok(parts)
}

/// The first place where two values differ, in words.
pub fn difference(place: &str, expected: &Value, found: &Value) -> Option<String> {
    if let (Value::Object(ours), Value::Object(theirs)) = (expected, found) {
        let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
        let of = |object: &serde_json::Map<String, Value>, key| object.get(key).cloned();
        return keys.into_iter().find_map(|key| {
            let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            let [ours, theirs] = [ours, theirs].map(|object| of(object, key).unwrap_or_default());
            difference(&place, &ours, &theirs)
        });
    }
    (expected != found).then(|| format!("{place} is {found}, expected {expected}"))
}
