//! The network: one row of each table and the weighted values are added, and two small layers say how
//! promising the match is.
//!
//! rank = w₃ · relu(W₂ relu(Σ table[pick] + Σ set[operator] + W₁ᵀ values + b₁) + b₂) + b₃
//!
//! [`Layers`] computes it. A file of JSON holds it, small enough to be shipped with a rewrite system, and sealed: nothing else would
//! tell of seeds that it has seen no more.

use crate::any::{self, AnyRanker};
use crate::layers::{Layers, TOGETHER};
use crate::numbers::{numbers, table_rows};
use crate::weights::Weights;
use anyhow::{Context, Result, anyhow, ensure};
use egraph::{MatchOrder, MatchView, System};
use serde::{Deserialize, Serialize};
use support::hash::sha256;
use support::{seal_json, unseal_json};
use terms::SeenSeeds;

/// What is written,
const FORMAT: &str = "cairn ranker 4";
/// and what is read, too: its seen seeds are starts and targets, which are not told apart.
const OLD_FORMAT: &str = "cairn ranker 3";

/// A ranker for one rewrite system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ranker {
    pub(crate) format: String,
    /// Hash of the rewrite system.
    pub system_hash: String,
    /// How it came about, for people.
    pub origin: String,
    /// The seeds of the tasks that it was trained and chosen on.
    pub seen: SeenSeeds,
    pub(crate) weights: Weights,
}

#[derive(Deserialize)]
struct Format {
    format: String,
}

impl Ranker {
    /// A ranker with given weights.
    pub fn new(system: &System, weights: Weights, origin: String, seen: SeenSeeds) -> Ranker {
        let format = FORMAT.to_owned();
        Ranker { format, system_hash: system.hash.clone(), origin, seen, weights }
    }

    /// What a ranker for any system is for this one.
    pub fn of_any(any: &AnyRanker, system: &System) -> Ranker {
        let seen = any.seen.get(&system.hash).cloned().unwrap_or_default();
        Ranker::new(system, any.weights(system), any.origin.clone(), seen)
    }

    /// Reads a ranker for a system, or for any; `name` is that of the file, for messages.
    ///
    /// # Errors
    /// It is no ranker, of another version, not as it was written, for another system, or its weights don't
    /// fit.
    pub fn read(name: &str, text: &str, system: &System) -> Result<Ranker> {
        let none = |e: serde_json::Error| anyhow!("{name} holds no ranker: {e}");
        // First alone: other formats have other weights.
        let Format { format } = serde_json::from_str(text).map_err(none)?;
        if format == any::FORMAT {
            return Ok(Ranker::of_any(&AnyRanker::read(name, text)?, system));
        }
        ensure!(
            [FORMAT, OLD_FORMAT].contains(&&*format),
            "{name} has the format {format:?}: expected {FORMAT:?}"
        );
        let ranker: Ranker = serde_json::from_str(&unseal_json(name, text)?).map_err(none)?;
        ensure!(
            ranker.system_hash == system.hash,
            "{name} was learned for another rewrite system: its hash is {}, but that of the system \
             in use is {}",
            ranker.system_hash,
            system.hash
        );
        ranker.weights.check(table_rows(system)).with_context(|| name.to_owned())?;
        Ok(ranker)
    }

    /// The text of its file.
    ///
    /// # Errors
    /// None that are known of.
    pub fn text(&self) -> Result<String> {
        Ok(seal_json(&serde_json::to_string(self)?))
    }

    /// SHA-256 of that text.
    ///
    /// # Errors
    /// None that are known of.
    pub fn hash(&self) -> Result<String> {
        Ok(sha256(self.text()?.as_bytes()))
    }
}

impl MatchOrder for Ranker {
    fn rank(&self, matches: &[MatchView], ranks: &mut Vec<f32>) {
        let mut layers = Layers::default();
        for part in matches.chunks(TOGETHER) {
            part.iter().for_each(|seen| layers.push(&self.weights, &numbers(seen)));
            layers.rank(&self.weights, ranks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_ranker_for_any_system_is_read_as_one_for_this() {
        let text =
            "(sort I) (literal i64 I) (variable I) (op + (I I) I) (rewrite (+ ?a ?b) (+ ?b ?a))";
        let system = System::parse(text).unwrap();
        let seen = SeenSeeds { literals: true, ..SeenSeeds::default() };
        let known = BTreeMap::from([(system.hash.clone(), seen.clone())]);
        let any = AnyRanker::new(AnyRanker::random(3), "a test".into(), known);
        let ranker = Ranker::read("any.json", &any.text().unwrap(), &system).unwrap();
        assert_eq!(ranker, Ranker::of_any(&any, &system));
        assert_eq!(ranker.seen, seen);
        assert_eq!(Ranker::read("r.json", &ranker.text().unwrap(), &system).unwrap(), ranker);
        // Of another system no seed was seen.
        let other = System::parse(&text.replace('+', "-")).unwrap();
        assert_eq!(Ranker::of_any(&any, &other).seen, SeenSeeds::default());
    }
}
