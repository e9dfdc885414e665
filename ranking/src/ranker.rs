//! The network: one row of each table and the weighted values are added, and two small layers say how
//! promising the match is.
//!
//! rank = w₃ · relu(W₂ relu(Σ table[pick] + Σ set[operator] + W₁ᵀ values + b₁) + b₂) + b₃
//!
//! [`Layers`] computes it. A file of JSON holds it, small enough to be shipped with a rewrite system, and sealed: nothing else would
//! tell of seeds that it has seen no more.

use crate::any::{self, AnyRanker};
use crate::content::{Content, Unknown};
use crate::layers::{Layers, TOGETHER};
use crate::numbers::{numbers, table_rows};
use crate::weights::Weights;
use anyhow::{Context, Result, anyhow, bail, ensure};
use egraph::{MatchOrder, MatchView, System};
use serde::{Deserialize, Serialize};
use support::hash::sha256;
use support::{seal_json, unseal_json};
use terms::SeenSeeds;

/// What is written,
const FORMAT: &str = "cairn ranker 5";
/// and what is read, too, for the very rules file alone: the rows of tables have no names; in the first of them starts and
/// targets of seen seeds are not told apart.
const OLD_FORMATS: [&str; 2] = ["cairn ranker 3", "cairn ranker 4"];
/// A ranker that knows less of the rules and operators of a system is not for it.
const LEAST_SHARE: f64 = 0.5;

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
    /// What the rows of the tables are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Content>,
    /// The ranker for any system that it began as: it knows what this one does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) general: Option<Weights>,
    pub(crate) weights: Weights,
    /// What it does not know of its system.
    #[serde(skip)]
    pub unknown: Unknown,
}

#[derive(Deserialize)]
struct Format {
    format: String,
}

/// What of a ranker's file says for which systems it is.
#[derive(Deserialize)]
pub struct LearnedOn {
    /// Hash of the rewrite system.
    pub system_hash: String,
    content: Option<Content>,
}

impl LearnedOn {
    /// Reads no more than this of the text of a file; nothing of one that is for any system.
    pub fn read(text: &str) -> Option<LearnedOn> {
        serde_json::from_str(text).ok()
    }

    /// How much a system with this content is the one that the ranker was learned on: the share of rules and operators that
    /// one has of the other, whichever is less.
    pub fn likeness(&self, of_system: &Content) -> f64 {
        self.content
            .as_ref()
            .map_or(0.0, |content| content.share_of(of_system).min(of_system.share_of(content)))
    }
}

impl Ranker {
    /// A ranker with given weights.
    pub fn new(system: &System, weights: Weights, origin: String, seen: SeenSeeds) -> Ranker {
        let (format, content) = (FORMAT.to_owned(), Some(Content::of(system)));
        let (general, unknown) = (None, Unknown::default());
        let system_hash = system.hash.clone();
        Ranker { format, system_hash, origin, seen, content, general, weights, unknown }
    }

    /// The same, which knows of other rules what `from` does that it was learned from.
    pub fn after(mut self, from: Option<&Ranker>) -> Ranker {
        self.general = from.and_then(|from| from.general.clone());
        self
    }

    /// What a ranker for any system is for this one. It has seen what that has, of whatever system.
    pub fn of_any(any: &AnyRanker, system: &System) -> Ranker {
        let mut seen = SeenSeeds { literals: true, ..SeenSeeds::default() };
        any.seen.values().for_each(|of_system| seen.extend(of_system));
        let mut ranker = Ranker::new(system, any.weights(system), any.origin.clone(), seen);
        ranker.general = Some(any.weights.clone());
        ranker
    }

    /// Reads a ranker for a system, or for any; `name` is that of the file, for messages. If the rules file has changed
    /// since, rules and operators are found by their content, and [`unknown`](Ranker::unknown) has what is not.
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
            format == FORMAT || OLD_FORMATS.contains(&&*format),
            "{name} has the format {format:?}: expected {FORMAT:?}"
        );
        let mut ranker: Ranker = serde_json::from_str(&unseal_json(name, text)?).map_err(none)?;
        if ranker.system_hash == system.hash {
            ranker.weights.check(table_rows(system)).with_context(|| name.to_owned())?;
            return Ok(ranker);
        }
        let Some(content) = ranker.content.take() else {
            bail!(
                "{name} was learned for another rewrite system: its hash is {}, but that of the system in use is {}, and its \
                 format {format:?} does not say which rules it knows",
                ranker.system_hash,
                system.hash
            );
        };
        let of_system = Content::of(system);
        let share = content.share_of(&of_system);
        ensure!(
            share >= LEAST_SHARE,
            "{name} was learned for another rewrite system: it knows {:.0} % of the rules and operators of the system in use, \
             expected at least half",
            100.0 * share
        );
        ranker.weights.check(content.rows()).with_context(|| name.to_owned())?;
        if let Some(general) = &ranker.general {
            general.check(any::ROWS).with_context(|| name.to_owned())?;
        }
        let general = ranker.general.as_ref();
        (ranker.weights, ranker.unknown) =
            content.weights(&ranker.weights, general, system, &of_system);
        ranker.content = Some(of_system);
        ranker.system_hash.clone_from(&system.hash);
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

    fn ranks_may_be_old(&self) -> bool {
        true
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
        // What it has seen does not depend on a comment in the rules file.
        let other = System::parse(&format!("; the same\n{text}")).unwrap();
        assert_eq!(Ranker::of_any(&any, &other).seen, seen);
    }

    const RULES: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op - (I) I)
        (rewrite (+ ?a ?b) (+ ?b ?a) :name commute)
        (rewrite (+ ?a 0) ?a :name zero)
        (rewrite (- (- ?a)) ?a :name twice :when ((!= ?a 0)))";

    /// Weights all of whose rows differ.
    fn ranker(system: &System) -> Ranker {
        let weights = Weights::random(table_rows(system), 5);
        Ranker::new(system, weights, "a test".into(), SeenSeeds::default())
    }

    #[test]
    fn a_ranker_lives_through_edits_of_its_rules_file() {
        let system = System::parse(RULES).unwrap();
        let (ranker, row) =
            (ranker(&system), |table: &[f32], row: usize| table[row * 64..][..64].to_vec());
        let text = ranker.text().unwrap();
        let read = |rules: &str| Ranker::read("r.json", &text, &System::parse(rules).unwrap());
        // A comment, other names of variables and of rules, a cost: nothing changes.
        let same = RULES.replace("?a", "?other").replace("commute", "swap");
        let same = read(&format!("; a comment\n{same} (cost (+ ?a ?b) 3)")).unwrap();
        assert_eq!((&same.weights, &same.unknown), (&ranker.weights, &Unknown::default()));
        // Another order, a rule and an operator more, a rule less.
        let edited =
            "(sort I) (literal i64 I) (variable I) (op * (I I) I) (op - (I) I) (op + (I I) I)
            (rewrite (* ?a ?b) (* ?b ?a) :name new)
            (rewrite (- (- ?a)) ?a :name twice :when ((!= ?a 0)))
            (rewrite (+ ?x ?y) (+ ?y ?x) :name commute)";
        let edited = read(edited).unwrap();
        assert_eq!(edited.unknown.rules, ["new"]);
        assert_eq!(edited.unknown.operators, ["*"]);
        assert_eq!(edited.unknown.left_out, 1);
        assert_eq!(
            edited.unknown.text().unwrap(),
            "it does not know 1 rule (new) and 1 operator (*)"
        );
        let (new, old) = (&edited.weights, &ranker.weights);
        assert_eq!(row(&new.tables[0], 1), row(&old.tables[0], 2));
        assert_eq!(row(&new.tables[0], 2), row(&old.tables[0], 0));
        let mean =
            |place: usize| (0..3).map(|rule| old.tables[0][rule * 64 + place]).sum::<f32>() / 3.0;
        assert!((new.tables[0][7] - mean(7)).abs() < 1e-6);
        for (table, others) in [(1, 1), (3, 6)] {
            assert_eq!(row(&new.tables[table], 0), row(&old.tables[table], 0));
            assert_eq!(row(&new.tables[table], others + 2), row(&old.tables[table], others));
            assert_eq!(row(&new.tables[table], others + 1), row(&old.tables[table], others + 1));
        }
        assert_eq!(row(&new.sets[1], 2), row(&old.sets[1], 0));
        // Written, it is a ranker of the edited system.
        let again =
            System::parse("(sort J) (variable J) (op ~ (J) J) (rewrite (~ (~ ?a)) ?a)").unwrap();
        let refused = Ranker::read("r.json", &text, &again).unwrap_err().to_string();
        assert!(refused.contains("it knows 0 % of the rules and operators"), "{refused}");
    }

    #[test]
    fn a_rule_more_gets_what_the_ranker_for_any_system_says_of_its_shape() {
        let any = AnyRanker::new(AnyRanker::random(3), "a test".into(), BTreeMap::new());
        let system = System::parse(RULES).unwrap();
        let began = Ranker::of_any(&any, &system);
        let learned = ranker(&system).after(Some(&began));
        let text = learned.text().unwrap();
        let more =
            System::parse(&format!("{RULES} (rewrite (- (+ ?a ?b)) (+ (- ?a) (- ?b)) :name new)"))
                .unwrap();
        let read = Ranker::read("r.json", &text, &more).unwrap();
        assert_eq!(read.unknown.rules, ["new"]);
        let row = |weights: &Weights| weights.tables[0][3 * 64..].to_vec();
        assert_eq!(row(&read.weights), row(&any.weights(&more)));
        assert_eq!(read.weights.tables[0][..3 * 64], learned.weights.tables[0][..]);
    }

    #[test]
    fn a_ranker_of_an_earlier_format_is_of_one_rules_file() {
        let system = System::parse(RULES).unwrap();
        let old = Ranker { format: "cairn ranker 4".into(), content: None, ..ranker(&system) };
        let text = old.text().unwrap();
        assert_eq!(Ranker::read("r.json", &text, &system).unwrap(), old);
        let edited = System::parse(&format!("; a comment\n{RULES}")).unwrap();
        let refused = Ranker::read("r.json", &text, &edited).unwrap_err().to_string();
        assert!(refused.contains("does not say which rules it knows"), "{refused}");
    }
}
