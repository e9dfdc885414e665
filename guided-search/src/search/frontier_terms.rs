//! Frontier terms: those that the last iteration of an e-graph brought into a class.

use crate::search::stage::{Side, Stage};
use egraph::{Id, TermBank, TermId};
use rand_chacha::ChaCha8Rng;
use terms::{Frontier, Room, Terms, fitting};

/// Draws per term that is wanted before giving up: padded terms and those found already are
/// drawn again.
const DRAWS: u64 = 100;

/// Products of limbs that may be made to count, for each e-node that was built: a search pays for
/// the e-graph, and counting should not take much longer than growing it did.
const PRODUCTS_PER_NODE: u64 = 1_024;
/// And in the smallest e-graph.
const LEAST_PRODUCTS: u64 = 1 << 26;
/// Counts may take as much memory as the e-graph, and this much at least.
const LEAST_BYTES: usize = 16 << 20;

/// At most `wanted` distinct frontier terms of a side, drawn uniformly from those with at most
/// `max_size` nodes that are plain: not padded (no subterm equals one of its own proper subterms),
/// and no constant is written otherwise than as a literal. If the side is several classes still,
/// each has the same share, as far as it has terms. The size is lowered where counting would take
/// more time or memory than it may, and, for the terms that are still missing then, where draws give
/// padded terms only.
///
/// Needs a stage that kept the e-graph of the iteration before; without one there is no frontier.
pub fn sample(
    stage: &Stage,
    bank: &mut TermBank,
    side: Side,
    max_size: u64,
    wanted: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    let Some(before) = &stage.before else { return found };
    let limit = u32::try_from(max_size).unwrap_or(u32::MAX);
    let roots =
        stage.terms(side).iter().filter_map(|&term| before.lookup(&stage.egraph, bank, term));
    let roots: Vec<(Id, u32)> = roots.map(|class| (class, limit)).collect();
    let built = stage.egraph.built();
    let room = Room {
        bytes: stage.egraph.heap_bytes().max(LEAST_BYTES),
        products: built.saturating_mul(PRODUCTS_PER_NODE).max(LEAST_PRODUCTS),
    };
    let mut roots = roots;
    let mut frontier = fitting(&mut roots, |roots| {
        Frontier::within(&stage.egraph, before, roots, Terms::PLAIN, room)
    });
    let limit = roots.iter().map(|&(_, limit)| limit).max().unwrap_or(0);
    let mut classes = stage.classes(bank, side);
    // What one class lacks goes to those that have more.
    classes.sort_by_cached_key(|&class| frontier.up_to(class, limit));
    for (i, &class) in classes.iter().enumerate() {
        let share = (wanted - found.len()).div_ceil(classes.len() - i);
        found.extend(sample_class(&mut frontier, bank, (class, limit), share, rng));
    }
    found
}

/// As [`sample`], with the first of the limits of size that gives any term: what is new may be larger
/// than is wished for. Each try counts anew, so that there are few.
pub fn sample_first(
    stage: &Stage,
    bank: &mut TermBank,
    side: Side,
    limits: [u64; 3],
    wanted: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<TermId> {
    let mut tried = 0;
    for limit in limits {
        if limit > tried {
            let terms = sample(stage, bank, side, limit, wanted, rng);
            if !terms.is_empty() {
                return terms;
            }
            tried = limit;
        }
    }
    Vec::new()
}

/// At most `wanted` distinct frontier terms of a class, with lower and lower limits of size until there
/// are enough: large terms are padded more often than small ones.
fn sample_class(
    frontier: &mut Frontier<'_>,
    bank: &mut TermBank,
    (class, mut limit): (Id, u32),
    wanted: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    let least = frontier.counts().least_size(class).unwrap_or(limit);
    loop {
        let missing = wanted - found.len();
        let draws = DRAWS * missing as u64;
        let sample = frontier.sample(bank, class, limit, missing, draws, rng);
        // Where it is not padding that makes draws fail, there are hardly any other terms.
        let padded = 2 * sample.padded > sample.drawn;
        for term in sample.terms {
            if !found.contains(&term) {
                found.push(term);
            }
        }
        if found.len() >= wanted || limit <= least || !padded {
            return found;
        }
        limit -= (limit - least).div_ceil(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::randomness::stream;
    use crate::search::stage::Ends;
    use egraph::{Limits, SaturationConfig, System};
    use std::sync::Arc;

    const RULES: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (analysis constant)
        (rewrite (+ ?a ?b) (+ ?b ?a))
        (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
        (birewrite (+ ?a 0) ?a)";

    #[test]
    fn what_is_drawn_was_not_there_an_iteration_before() {
        let system = Arc::new(System::parse(RULES).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let starts = ["(+ a (+ b (+ c (+ d 1))))", "(+ (+ a b) (+ (+ d 1) c))", "(+ e f)"]
            .map(|text| bank.parse(text, None).unwrap());
        let limits = Limits { iterations: Some(2), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        let ends = Ends { starts: &starts, targets: &[], until: None };
        let stage = Stage::grow(&system, &mut bank, ends, &config, true);
        let terms = sample(&stage, &mut bank, Side::Start, 9, 20, &mut stream(1, 0, 0, 0));
        assert_eq!(terms.len(), 20);
        for term in terms {
            assert!(stage.is_frontier(&bank, Side::Start, term), "{}", bank.text(term));
            assert!(stage.equal_to(&bank, Side::Start, term).is_some());
            assert!(bank.size(term) <= 9);
        }
        assert_eq!(sample(&stage, &mut bank, Side::Target, 9, 20, &mut stream(1, 0, 0, 0)), []);
    }
}
