//! Sketches of guides: the most abstract one that still says something.
//!
//! A sketch of a guide is the guide with subterms replaced by `?`: a *prefix* of its tree. A term
//! satisfies it unless it has, at one of the kept positions, another operator or leaf while it
//! agrees above. So each term is refused by any of a few positions, and what is looked for is the
//! smallest set of positions, closed under parents, that has one for the start and one for enough
//! of the others.
//!
//! An exact search finds it. Where that would take more than 20,000 states, or there are more than
//! 127 distinct others, the sketch is made greedily instead: then none of its subterms can be
//! replaced by `?`, but there may be another sketch with fewer nodes.

mod differences;
mod exact;

use crate::triples::sketch::differences::Differences;
use egraph::{Node, Sketch, TermBank, TermId};
use exact::{Answer, MOST_STATES};
use rustc_hash::FxHashMap;

/// The sketch of `guide` with the fewest nodes besides `?` that `start` does not satisfy and at
/// most a `share` (0 to 1) of `others` satisfies, a term that is there twice counting twice. Of
/// several one is chosen that depends on the terms only. `None` if there is none: `start` is the
/// guide, or too many of the others are.
///
/// The sketch is the smallest wherever the search is exact, see the module's page.
pub fn most_abstract(
    bank: &TermBank,
    guide: TermId,
    start: TermId,
    others: &[TermId],
    share: f64,
) -> Option<Sketch> {
    let task = Task::new(bank, guide, start, others, share)?;
    let kept = match task.exact(MOST_STATES) {
        Answer::Found(kept) => kept,
        Answer::None => return None,
        Answer::GaveUp => task.greedy()?,
    };
    task.sketch(bank, &kept)
}

/// How many of `count` terms are at most a `share` of them.
fn allowed(share: f64, count: usize) -> usize {
    // 0.29 · 100 is a little less than 29; 29 / 100 is 0.29.
    let within = |k: usize| k <= count && k as f64 / count as f64 <= share;
    // A float-to-integer cast saturates.
    let k = ((share * count as f64) as usize).min(count);
    if within(k + 1) { k + 1 } else { k }
}

/// Term 0 is the start, the others follow.
struct Task {
    differences: Differences,
    /// How often each term is among the others; 0 for the start.
    weights: Vec<usize>,
    /// How many of the others may satisfy the sketch, those that equal the guide aside.
    spare: usize,
}

impl Task {
    /// `None` if there is no such sketch.
    fn new(
        bank: &TermBank,
        guide: TermId,
        start: TermId,
        others: &[TermId],
        share: f64,
    ) -> Option<Task> {
        if start == guide {
            return None;
        }
        let mut terms = vec![start];
        let mut weights = vec![0];
        let mut known: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut equal = 0;
        for &other in others {
            if other == guide {
                equal += 1;
                continue;
            }
            let place = *known.entry(other).or_insert(terms.len());
            if place == terms.len() {
                terms.push(other);
                weights.push(0);
            }
            weights[place] += 1;
        }
        let spare = allowed(share, others.len()).checked_sub(equal)?;
        Some(Task { differences: Differences::new(bank, guide, &terms), weights, spare })
    }

    /// A set of positions none of which can be left out.
    fn greedy(&self) -> Option<Vec<bool>> {
        let positions = &self.differences.positions;
        let mut kept = vec![false; positions.len()];
        let mut refused = vec![0usize; self.weights.len()];
        let keep = |path: &[usize], kept: &mut [bool], refused: &mut [usize]| {
            for &place in path {
                kept[place] = true;
                positions[place].differing.iter().for_each(|&term| refused[term] += 1);
            }
        };
        // First the start, by the shortest way; then whatever refuses most for its length.
        let for_start = (0..positions.len()).filter(|&p| positions[p].differing.contains(&0));
        let path = for_start.map(|place| self.differences.path(place, &kept));
        keep(&path.min_by_key(Vec::len)?, &mut kept, &mut refused);
        while !self.enough(&refused) {
            let ways = (0..positions.len()).filter(|&place| !kept[place]).map(|place| {
                let path = self.differences.path(place, &kept);
                let mut new: Vec<usize> = path
                    .iter()
                    .flat_map(|&p| &positions[p].differing)
                    .copied()
                    .filter(|&term| refused[term] == 0)
                    .collect();
                new.sort_unstable();
                new.dedup();
                (new.iter().map(|&term| self.weights[term]).sum::<usize>(), path)
            });
            // The first of the best; a / b > c / d without division.
            let best = ways.reduce(|best, way| {
                let better = way.0 * best.1.len() > best.0 * way.1.len();
                if better { way } else { best }
            });
            keep(&best.filter(|(new, _)| *new > 0)?.1, &mut kept, &mut refused);
        }
        // Leaves of the sketch first: children come after their parents.
        for place in (0..positions.len()).rev() {
            if !kept[place] || self.differences.below(place).skip(1).any(|below| kept[below]) {
                continue;
            }
            let differing = &positions[place].differing;
            differing.iter().for_each(|&term| refused[term] -= 1);
            kept[place] = !self.enough(&refused);
            if kept[place] {
                differing.iter().for_each(|&term| refused[term] += 1);
            }
        }
        Some(kept)
    }

    /// Whether this many positions that refuse each term are enough.
    fn enough(&self, refused: &[usize]) -> bool {
        let satisfying = refused.iter().zip(&self.weights).filter(|(n, _)| **n == 0);
        refused[0] > 0 && satisfying.map(|(_, weight)| weight).sum::<usize>() <= self.spare
    }

    fn sketch(&self, bank: &TermBank, kept: &[bool]) -> Option<Sketch> {
        let mut sketches: Vec<Option<Sketch>> = vec![None; kept.len()];
        for (place, position) in self.differences.positions.iter().enumerate().rev() {
            if !kept[place] {
                continue;
            }
            // The children are there, and have put themselves into this place.
            let here = sketches[place].take().unwrap_or_else(|| open(bank, position.term));
            if place == 0 {
                return Some(here);
            }
            let parent = self.differences.positions[position.parent].term;
            let above = sketches[position.parent].get_or_insert_with(|| open(bank, parent));
            if let Sketch::Op(_, arguments) = above {
                arguments[position.rank] = here;
            }
        }
        None
    }
}

/// The root of a term, and `?` for its children.
fn open(bank: &TermBank, term: TermId) -> Sketch {
    match bank.node(term) {
        Node::Leaf(leaf) => Sketch::Leaf(leaf.clone()),
        Node::Op(op) => Sketch::Op(op, vec![Sketch::Any; bank.children(term).len()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    /// The exact and the greedy sketch as text.
    fn both(guide: &str, start: &str, others: &[&str], share: f64) -> [Option<String>; 2] {
        let rules = "(sort I) (variable I) (op + (I I) I) (op f (I) I)";
        let language = System::parse(rules).unwrap().language;
        let mut bank = TermBank::new(language.clone());
        let [guide, start] = [guide, start].map(|text| bank.parse(text, None).unwrap());
        let others: Vec<_> = others.iter().map(|text| bank.parse(text, None).unwrap()).collect();
        let Some(task) = Task::new(&bank, guide, start, &others, share) else {
            return [None, None];
        };
        assert_eq!(task.exact(0), Answer::GaveUp);
        let exact = match task.exact(MOST_STATES) {
            Answer::Found(kept) => Some(kept),
            Answer::None => None,
            Answer::GaveUp => panic!("too many states"),
        };
        [exact, task.greedy()].map(|kept| {
            let sketch = task.sketch(&bank, &kept?)?;
            Some(sketch.display(&language).to_string())
        })
    }

    #[test]
    fn positions_are_kept_where_terms_differ() {
        let alike = |guide: &str, start: &str, others: &[&str], share: f64, expected: &str| {
            let expected = Some(expected.to_owned());
            assert_eq!(both(guide, start, others, share), [expected.clone(), expected]);
        };
        alike("(+ (f a) b)", "(f a)", &[], 0.0, "(+ ? ?)");
        alike("(+ (f a) b)", "(+ a b)", &["(f a)", "b"], 0.0, "(+ (f ?) ?)");
        alike("(+ (f a) b)", "(+ (f b) b)", &["(+ (f a) a)"], 1.0, "(+ (f a) ?)");
        alike("(+ (f a) b)", "(+ (f b) b)", &["(+ (f a) a)"; 3], 0.9, "(+ (f a) b)");
        alike("(+ (f a) b)", "(+ (f b) b)", &["(+ (f a) a)", "b"], 0.5, "(+ (f a) ?)");
        alike("a", "b", &["b"], 0.0, "a");
    }

    #[test]
    fn there_may_be_none() {
        assert_eq!(both("(f a)", "(f a)", &[], 1.0), [None, None]);
        assert_eq!(both("(f a)", "a", &["(f a)", "a", "b"], 0.3), [None, None]);
        assert_ne!(both("(f a)", "a", &["(f a)", "a", "b"], 0.34), [None, None]);
    }

    #[test]
    fn one_position_for_many_is_better_than_the_nearest_for_each() {
        // (f (f a)) refuses both; the leaves b and c refuse one each, and are nearer.
        let guide = "(+ (+ b c) (f (f a)))";
        let others = ["(+ (+ a c) (f (f b)))", "(+ (+ b a) (f (f b)))"];
        let [exact, _] = both(guide, others[0], &others, 0.0);
        assert_eq!(exact.as_deref(), Some("(+ (+ b c) ?)"));
        let others = ["(+ (+ a c) (f (f b)))", "(+ (+ b a) (f (f b)))", "(+ (+ b c) (f (f b)))"];
        let [exact, _] = both(guide, others[0], &others, 0.0);
        assert_eq!(exact.as_deref(), Some("(+ ? (f (f a)))"));
    }

    #[test]
    fn shares_of_counts_are_exact() {
        for (share, count, expected) in [
            (0.29, 100, 29),
            (0.0, 7, 0),
            (1.0, 7, 7),
            (2.0, 7, 7),
            (0.1, 0, 0),
            (0.1, 12, 1),
            (-1.0, 12, 0),
            (f64::NAN, 12, 0),
        ] {
            assert_eq!(allowed(share, count), expected, "{share} of {count}");
        }
    }
}
