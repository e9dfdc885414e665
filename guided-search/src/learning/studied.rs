//! What a learning kept, for learning from many of them at once.

use crate::learning::kept::{
    KeptRound, Learning, examples_file, expect_hash, load_ranker, read_examples,
};
use crate::learning::rounds::RANKER_FILE;
use anyhow::{Context, Result, ensure};
use egraph::System;
use jobs::Described;
use ranking::Example;
use std::path::Path;
use terms::SeenSeeds;

/// What was learned from on one system.
pub struct Studied {
    /// The examples of all rounds.
    pub examples: Vec<Example>,
    /// The seeds of its tasks.
    pub seen: SeenSeeds,
}

/// What `cairn learn` kept in a directory for a system.
///
/// # Errors
/// It holds no learning that was ended, one of another system, or files that are not as they were written.
pub fn studied(directory: &Path, system: &System) -> Result<Studied> {
    let name = directory.display();
    let learning = Learning::load(directory)?;
    ensure!(
        learning.system_hash == system.hash,
        "{name} is of another rewrite system: its hash is {}, but that of the system given is {}",
        learning.system_hash,
        system.hash
    );
    let mut examples = Vec::new();
    for number in 0..learning.rounds {
        let kept = KeptRound::load(directory, number)?;
        let hash = kept.and_then(|kept| kept.examples).with_context(|| {
            format!("{name} has no round {number}: the same `cairn learn` makes it")
        })?;
        let rows = examples_file(directory, number);
        expect_hash(&rows, &hash)?;
        read_examples(&rows, &mut examples, system)?;
    }
    let seen = load_ranker(&directory.join(RANKER_FILE), system)?.seen;
    Ok(Studied { examples, seen })
}
