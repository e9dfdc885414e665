//! Far chains: tasks whose target no single e-graph under the cap can reach from the start.
//!
//! A chain of n links starts at a seed. Each waypoint is a frontier term of an e-graph of L
//! e-nodes grown from the one before, has at most twice the seed's size, is not padded, and has no
//! constant part such as 20 − 4 that is not a literal. The last one, the target, is not provable
//! from the seed at the cap.
//!
//! The chains of a data set (`dataset_gen`) are others: their e-graphs have limits of memory, their terms
//! other sizes, and each link is proved at once, so that one maker of both would change either's bytes.

use crate::options::budget::Cap;
use crate::options::tasks::ChainSettings;
use crate::search::frontier_terms;
use crate::search::randomness::stream;
use crate::search::stage::{Ends, Side, Stage};
use crate::tasks::family::LINKS_PER_SEED;
use crate::tasks::task::Task;
use egraph::{Limits, SaturationConfig, StopReason, System, TermBank, TermId};
use std::sync::Arc;
use terms::Seed;

/// Why a chain came to nothing: a saturated e-graph has no frontier to go on from.
pub const SATURATED: &str = "an e-graph saturated within a link";
/// Two literals became equal: the rules contradict each other.
pub const CONFLICT: &str = "two literals became equal";
/// No new term of at most twice the seed's size that is not padded.
pub const NO_FRONTIER: &str = "a link has no frontier term";
/// The target is not far.
pub const NEAR: &str = "one e-graph at the cap proves it";

/// An e-graph had all the memory that it may have before it had the e-nodes.
pub const MEMORY: &str = "an e-graph needs more memory than it may have";

impl ChainSettings {
    /// The limits of an e-graph of so many e-nodes.
    fn limits(&self, nodes: usize) -> Limits {
        let own = Cap::Nodes(nodes).limits(u64::MAX);
        Limits { memory: own.memory.map(|bytes| bytes.min(self.memory)), ..own }
    }

    /// Whether an e-graph of so many e-nodes ended for want of memory that it may have otherwise.
    fn lacks_memory(&self, stage: &Stage, nodes: usize) -> bool {
        stage.stop == StopReason::Memory && self.limits(nodes) != Cap::Nodes(nodes).limits(u64::MAX)
    }

    /// The limits of the e-graph that tells the family of a seed.
    pub fn family_limits(&self) -> Limits {
        self.limits(self.link_nodes.saturating_mul(LINKS_PER_SEED))
    }
}

/// One chain, or the reason why there is none.
pub fn chain(
    system: &Arc<System>,
    seeds: &TermBank,
    seed: &Seed,
    number: usize,
    round: u32,
    settings: &ChainSettings,
) -> Result<Task, &'static str> {
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.import(seeds, seed.term);
    let max_size = bank.size(start).saturating_mul(2);
    let mut rng = stream(settings.seed, number as u64, u64::from(round), u64::MAX);
    let mut terms = vec![start];
    for _ in 0..settings.links {
        let ends = Ends::alone(&terms[terms.len() - 1], None);
        let stage = grow(system, &mut bank, ends, settings.limits(settings.link_nodes));
        if settings.lacks_memory(&stage, settings.link_nodes) {
            return Err(MEMORY);
        }
        match stage.stop {
            StopReason::Saturated => return Err(SATURATED),
            StopReason::Conflict => return Err(CONFLICT),
            _ => {}
        }
        let found = frontier_terms::sample(&stage, &mut bank, Side::Start, max_size, 4, &mut rng);
        let next = found.into_iter().find(|term| !terms.contains(term));
        terms.push(next.ok_or(NO_FRONTIER)?);
    }
    let target = terms[terms.len() - 1];
    let stage =
        grow(system, &mut bank, Ends::of(&[start, target]), settings.limits(settings.beyond));
    if stage.met.is_some() {
        return Err(NEAR);
    }
    if settings.lacks_memory(&stage, settings.beyond) {
        return Err(MEMORY);
    }
    let text = |terms: &[TermId]| terms.iter().map(|&t| bank.text(t)).collect();
    Ok(Task {
        id: format!("seed-{number}-{round}"),
        seed_id: seed.id.clone(),
        start: bank.text(start),
        target: bank.text(target),
        waypoints: text(&terms[1..terms.len() - 1]),
        links: settings.links,
        family: None,
    })
}

fn grow(system: &Arc<System>, bank: &mut TermBank, ends: Ends<'_>, limits: Limits) -> Stage {
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    Stage::grow(system, bank, ends, &config, true)
}
