//! A ranker for every system: the rows of a ranker's tables are sums of what each [number](crate::features) of the rule
//! or operator says, so that there are rows for rules and operators that were never seen.
//!
//! table[row] = features(row) · U
//!
//! The weights of one system are made of it once; matches are ranked by these as by any ranker's. What a system's own
//! examples say beside that is learned on top.

use crate::features::{Features, OPERATOR, RULE};
use crate::numbers::{PICKS, SET, SETS};
use crate::weights::{FIRST, Weights};
use anyhow::{Context, Result, anyhow, ensure};
use egraph::System;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use support::{seal_json, unseal_json};
use terms::SeenSeeds;

pub(crate) const FORMAT: &str = "cairn any-ranker 1";
/// Rows of the tables: of the numbers of a rule; of no operator, and an operator's; of the kinds that are no operator, and an
/// operator's.
const ABOVE: usize = 1;
const KINDS: usize = 6;
pub(crate) const ROWS: [usize; PICKS] = [
    RULE,
    ABOVE + OPERATOR,
    ABOVE + OPERATOR,
    KINDS + OPERATOR,
    KINDS + OPERATOR,
    KINDS + OPERATOR,
    KINDS + OPERATOR,
];
const _: () = assert!(OPERATOR <= SET);

/// A ranker for every system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnyRanker {
    format: String,
    /// How it came about, for people.
    pub origin: String,
    /// By the hash of a system, the seeds of its tasks that it was trained on.
    pub seen: BTreeMap<String, SeenSeeds>,
    /// By number of a rule or an operator what a system's tables have by rule or operator.
    pub(crate) weights: Weights,
}

impl AnyRanker {
    /// With weights that [`fit_any`](crate::fit_any) made.
    pub fn new(weights: Weights, origin: String, seen: BTreeMap<String, SeenSeeds>) -> AnyRanker {
        AnyRanker { format: FORMAT.to_owned(), origin, seen, weights }
    }

    /// Weights to begin with: small at random.
    pub(crate) fn random(seed: u64) -> Weights {
        Weights::random(ROWS, seed)
    }

    /// Reads it from the text of its file; `name` is the file's, for messages.
    ///
    /// # Errors
    /// It is none, of another version, not as it was written, or its weights don't fit.
    pub fn read(name: &str, text: &str) -> Result<AnyRanker> {
        let none = |e: serde_json::Error| anyhow!("{name} holds no ranker for any system: {e}");
        let any: AnyRanker = serde_json::from_str(&unseal_json(name, text)?).map_err(none)?;
        ensure!(
            any.format == FORMAT,
            "{name} has the format {:?}: expected {FORMAT:?}",
            any.format
        );
        any.weights.check(ROWS).with_context(|| name.to_owned())?;
        Ok(any)
    }

    /// The text of its file.
    ///
    /// # Errors
    /// None that are known of.
    pub fn text(&self) -> Result<String> {
        Ok(seal_json(&serde_json::to_string(self)?))
    }

    /// The weights of a ranker for a system.
    pub fn weights(&self, system: &System) -> Weights {
        Rows::of(system).weights(&self.weights)
    }
}

/// The rows of a system's tables as sums of rows of those of an [`AnyRanker`].
pub(crate) struct Rows {
    /// By table and row, what is added how often.
    tables: [Vec<Vec<(usize, f32)>>; PICKS],
    /// By operator; of all sets the same.
    sets: Vec<Vec<(usize, f32)>>,
}

impl Rows {
    pub(crate) fn of(system: &System) -> Rows {
        let features = Features::of(system);
        let sum = |numbers: &[f32], from: usize| -> Vec<(usize, f32)> {
            let some = numbers.iter().enumerate().filter(|(_, x)| **x != 0.0);
            some.map(|(i, x)| (from + i, *x)).collect()
        };
        let operators = |from: usize| features.operators.iter().map(move |op| sum(op, from));
        let table = |others: usize| -> Vec<Vec<(usize, f32)>> {
            (0..others).map(|i| vec![(i, 1.0)]).chain(operators(others)).collect()
        };
        let rules = features.rules.iter().map(|rule| sum(rule, 0)).collect();
        let [above, kinds] = [ABOVE, KINDS].map(table);
        let tables =
            [rules, above.clone(), above, kinds.clone(), kinds.clone(), kinds.clone(), kinds];
        Rows { tables, sets: operators(0).take(SET).collect() }
    }

    /// The weights of the system.
    pub(crate) fn weights(&self, any: &Weights) -> Weights {
        let mut weights = any.clone();
        for (of, (table, from)) in
            self.tables.iter().zip(weights.tables.iter_mut().zip(&any.tables))
        {
            *table = vec![0.0; of.len() * FIRST];
            mix(of, from, table);
        }
        for (table, from) in weights.sets.iter_mut().zip(&any.sets) {
            table.fill(0.0);
            mix(&self.sets, from, table);
        }
        weights
    }

    /// Turns a gradient by the weights of the system into one by those of the [`AnyRanker`].
    pub(crate) fn back(&self, of_system: Weights) -> Weights {
        let mut gradient = Weights::zeros(ROWS);
        for (i, of) in self.tables.iter().enumerate() {
            unmix(of, &of_system.tables[i], &mut gradient.tables[i]);
        }
        for i in 0..SETS {
            unmix(&self.sets, &of_system.sets[i], &mut gradient.sets[i]);
        }
        Weights { tables: gradient.tables, sets: gradient.sets, ..of_system }
    }
}

/// Each row of `to` becomes a sum of rows of `from`.
fn mix(rows: &[Vec<(usize, f32)>], from: &[f32], to: &mut [f32]) {
    for (sum, to) in rows.iter().zip(to.chunks_exact_mut(FIRST)) {
        for (row, by) in sum {
            to.iter_mut().zip(&from[row * FIRST..]).for_each(|(to, from)| *to += by * from);
        }
    }
}

/// The transposed of [`mix`].
fn unmix(rows: &[Vec<(usize, f32)>], from: &[f32], to: &mut [f32]) {
    for (sum, from) in rows.iter().zip(from.chunks_exact(FIRST)) {
        for (row, by) in sum {
            let to = &mut to[row * FIRST..][..FIRST];
            to.iter_mut().zip(from).for_each(|(to, from)| *to += by * from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Example;
    use crate::fitting::fit::{Passes, Study, fit_any};
    use crate::layers::Layers;
    use crate::numbers::{Numbers, VALUES};

    const RULES: &str =
        "(sort I) (literal i64 I) (variable I) (op f (I I) I) (op g (I I) I) (op h (I) I)
        (rewrite (f ?a ?b) (f ?b ?a))
        (rewrite (f ?a (g ?b ?c)) (g (f ?a ?b) (f ?a ?c)))
        (rewrite (h (h ?a)) ?a)
        (rewrite (f ?a 0) 0)";
    /// The same in other names and another order.
    const RENAMED: &str =
        "(sort N) (literal i64 N) (variable N) (op not (N) N) (op plus (N N) N) (op times (N N) N)
        (rewrite (times ?x 0) 0)
        (rewrite (not (not ?x)) ?x)
        (rewrite (times ?x (plus ?y ?z)) (plus (times ?x ?y) (times ?x ?z)))
        (rewrite (times ?p ?q) (times ?q ?p))";
    /// By rule of the first, which of the second it is, and by operator.
    const SAME: ([u16; 4], [u16; 3]) = ([3, 2, 1, 0], [2, 1, 0]);

    fn example(i: u32) -> Example {
        let kind = |n: u32| (n % 9) as u16;
        let rule = (i % 4) as u16;
        let picks = [rule, kind(i) % 4, kind(i / 3) % 4, kind(i / 5), kind(i / 7), kind(i / 2), 0];
        let mut seen = Numbers {
            picks,
            values: [0.0; VALUES],
            sets: [u64::from(i % 8), u64::from(i / 8 % 8)],
        };
        seen.values[0] = (i % 7) as f32 / 3.0 - 1.0;
        Example { e_graph: i % 5, used: rule >= 2 || seen.sets[0] & 4 != 0, seen }
    }

    /// What the example is in the second system.
    fn renamed(mut seen: Numbers) -> Numbers {
        let (rules, operators) = SAME;
        let renamed = |pick: u16, others: u16| match pick.checked_sub(others) {
            Some(op) => others + operators[usize::from(op)],
            None => pick,
        };
        let [rule, above, next, kinds @ ..] = seen.picks;
        let [sibling, a, b, c] = kinds.map(|pick| renamed(pick, 6));
        seen.picks =
            [rules[usize::from(rule)], renamed(above, 1), renamed(next, 1), sibling, a, b, c];
        let set =
            |set: u64| (0..3).filter(|op| set >> op & 1 == 1).map(|op| 1 << operators[op]).sum();
        seen.sets = seen.sets.map(set);
        seen
    }

    fn ranks(weights: &Weights, seen: impl Iterator<Item = Numbers>) -> Vec<f32> {
        let (mut layers, mut ranks) = (Layers::default(), Vec::new());
        seen.for_each(|seen| layers.push(weights, &seen));
        layers.rank(weights, &mut ranks);
        ranks
    }

    #[test]
    fn what_was_learned_on_a_system_is_known_of_the_same_in_other_names() {
        let [system, other] = [RULES, RENAMED].map(|rules| System::parse(rules).unwrap());
        let examples: Vec<Example> = (0..1_000).map(example).collect();
        let studies = [Study { system: &system, examples: &examples[..] }];
        let passes = Passes { epochs: 150, seed: 1, quiet: true };
        let any =
            AnyRanker::new(fit_any(&studies, &passes).unwrap(), "a test".into(), BTreeMap::new());
        let seen = || examples.iter().take(60).map(|example| example.seen);
        let of_first = ranks(&any.weights(&system), seen());
        let right = of_first.iter().zip(&examples).filter(|(rank, e)| (**rank > 0.0) == e.used);
        assert!(right.count() > 57);
        let of_second = ranks(&any.weights(&other), seen().map(renamed));
        for (a, b) in of_first.iter().zip(&of_second) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
        // It is read as it was written.
        let read = AnyRanker::read("any.json", &any.text().unwrap()).unwrap();
        assert_eq!(read, any);
        let damaged = any.text().unwrap().replace("a test", "b test");
        assert!(AnyRanker::read("any.json", &damaged).is_err());
    }

    /// The weights of numbers that no rule of the systems has go towards zero: on other systems they would be noise. The
    /// layers behind keep their width.
    #[test]
    fn what_no_system_tells_fades_and_layers_do_not() {
        let system = System::parse(RULES).unwrap();
        let examples: Vec<Example> = (0..100).map(example).collect();
        let studies = [Study { system: &system, examples: &examples[..] }];
        let fitted = fit_any(&studies, &Passes { epochs: 800, seed: 1, quiet: true }).unwrap();
        let rules = Features::of(&system).rules;
        let untold: Vec<usize> = (0..RULE).filter(|n| rules.iter().all(|r| r[*n] == 0.0)).collect();
        assert!(untold.len() > 5);
        let sizes = |weights: &Weights| -> [f32; 2] {
            let row = |n: &usize| &weights.tables[0][n * FIRST..][..FIRST];
            let untold = untold.iter().flat_map(row).map(|weight| weight.abs()).sum();
            [untold, weights.second.iter().map(|weight| weight.abs()).sum()]
        };
        let [untold, layer] = sizes(&fitted);
        let [untold_before, layer_before] = sizes(&AnyRanker::random(1));
        assert!(untold < 0.5 * untold_before, "{untold} {untold_before}");
        assert!(layer > 0.8 * layer_before, "{layer} {layer_before}");
    }

    /// Gradients go back by the transposed of the way forwards: ⟨g, A·u⟩ = ⟨Aᵀ·g, u⟩.
    #[test]
    fn back_is_the_transposed_of_forwards() {
        let rows = Rows::of(&System::parse(RULES).unwrap());
        let any = AnyRanker::random(5);
        let weights = rows.weights(&any);
        let gradient = Weights::random(weights.rows(), 6);
        let back = rows.back(gradient.clone());
        let product = |a: &Weights, b: &Weights| -> f64 {
            let pairs = a.parameters().zip(b.parameters());
            let pairs = pairs.flat_map(|((a, _), (b, _))| a.iter().zip(b));
            pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let (forwards, backwards) = (product(&gradient, &weights), product(&back, &any));
        assert!(
            (forwards - backwards).abs() < 1e-3 * forwards.abs().max(1.0),
            "{forwards} {backwards}"
        );
    }
}
