//! What several of these tests begin with.

use egraph::{System, TermBank};
use guided_search::{Budget, Cap, ChainSettings, Schedulers, SearchSettings, TaskSet, far_chains};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// E-nodes of a link of [`halide_tasks`].
const LINK: usize = 100;

/// A file that the repository ships.
pub fn shipped(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs").join(path)
}

/// Far chains of a part of the shipped seeds of Halide.
pub fn halide_tasks(count: usize, second_half: bool) -> (Arc<System>, TaskSet) {
    let system = Arc::new(System::load(&shipped("systems/halide.rules")).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let file = shipped("seeds/halide.txt").into();
    let seeds = terms::load_seeds(&file, &system, &mut bank, None).unwrap();
    let (first, second) = seeds.split_at(seeds.len() / 2);
    let settings = ChainSettings {
        links: 3,
        link_nodes: LINK,
        beyond: 4 * LINK,
        memory: 64 << 20,
        count,
        rounds: 4,
        family: None,
        seed: 1,
    };
    let seeds = if second_half { second } else { first };
    let set = far_chains(&system, &bank, seeds, &settings, true);
    assert_eq!(set.tasks.len(), count);
    (system, set)
}

/// How to search for what [`halide_tasks`] asks.
pub fn settings() -> SearchSettings {
    let (cap, work) = (Cap::Nodes(4 * LINK), 30 * LINK as u64);
    SearchSettings::within(Budget { cap, work, scheduler: Schedulers::Simple }, 0)
}
