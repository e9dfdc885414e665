//! Learns from proofs which matches lead to proofs: a ranker for best-first saturation.

use egraph::{System, TermBank};
use guided_search::{Cap, ChainSettings, Course, Learning, TaskPractice, far_chains, learn};
use std::path::Path;
use std::sync::Arc;
use terms::load_seeds;

/// Learns, and says what each round proved.
///
/// # Errors
/// A file that can't be read, or an internal fault.
pub fn main() -> anyhow::Result<()> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let system = Arc::new(System::load(&configs.join("systems/halide.rules"))?);
    let mut bank = TermBank::new(system.language.clone());
    let seeds = load_seeds(&configs.join("seeds/halide.txt").into(), &system, &mut bank, None)?;
    let chains = ChainSettings { links: 2, count: 10, ..ChainSettings::new(100, 0) };
    let (some, others) = seeds.split_at(seeds.len() / 2);
    let [training, validation] =
        [some, others].map(|seeds| far_chains(&system, &bank, seeds, &chains, true));
    let learning = Learning {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        tasks: ["training", "validation"].map(str::to_owned),
        cap: Cap::Nodes(400),
        optimise: None,
        from: None,
        rounds: 2,
        epochs: 2,
        seed: 0,
    };
    let out = tempfile::tempdir()?;
    let practice = TaskPractice::new(&system, [&training, &validation], learning.cap);
    let course = Course { learning: &learning, system: &system, practice: &practice, from: None };
    let (rounds, ranker) = learn(&course, out.path(), true, &mut |round| {
        println!("round {}: {} of 10 proved", round.round, round.proved);
    })?;
    println!("{} after {} rounds", ranker.origin, rounds.len());
    Ok(())
}
