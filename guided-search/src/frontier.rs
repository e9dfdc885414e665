//! Frontier terms: those that the last iteration of an e-graph brought into a class.

use crate::stage::{Side, Stage};
use dataset_gen::counting::{Counts, Terms};
use dataset_gen::sampling::Sampler;
use egraph::{Id, TermBank, TermId};
use rand_chacha::ChaCha8Rng;

/// Draws per term that is wanted before giving up.
const DRAWS: usize = 50;

/// At most `wanted` distinct frontier terms of a side, drawn uniformly from those with at most
/// `max_size` nodes that are plain: not padded (no subterm equals one of its own proper subterms),
/// and no constant is written otherwise than as a literal. If the side is several classes still,
/// they take turns.
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
    let classes = stage.classes(bank, side);
    let limit = u32::try_from(max_size).unwrap_or(u32::MAX);
    let mut found: Vec<TermId> = Vec::new();
    if stage.before.is_none() || classes.is_empty() || wanted == 0 {
        return found;
    }
    let roots: Vec<(Id, u32)> = classes.iter().map(|&class| (class, limit)).collect();
    let counts = Counts::new(&stage.egraph, &roots, Terms::PLAIN);
    let mut sampler = Sampler::new(&stage.egraph, &counts);
    // In rounds: most draws of a round may be no frontier terms.
    for _ in 0..DRAWS {
        for &class in &classes {
            let share = (wanted - found.len()).div_ceil(classes.len());
            let drawn = sampler.sample(bank, class, limit, share, 2 * share as u64, rng);
            for term in drawn.terms {
                if found.len() < wanted
                    && !found.contains(&term)
                    && !stage.terms(side).contains(&term)
                    && stage.is_frontier(bank, side, term)
                {
                    found.push(term);
                }
            }
        }
        if found.len() >= wanted {
            break;
        }
    }
    found
}
