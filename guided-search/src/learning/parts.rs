//! The searches of a round in parts: an item is a search, those that are learned from before those of validation.

use crate::learning::kept::{
    KeptRound, Learning, Round, begin, expect_hash, keep, load_ranker, ranker_file, refuse_other,
};
use crate::learning::practice::{Found, Order, Searched};
use crate::learning::rounds::Course;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use support::hash::of_file;
use support::{Outcome, Part, Parts, Shard, make_items};

/// What the parts become.
pub const ROUND_PART: &str = "a round of learning";

/// What all parts of a round depend on.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundSettings {
    learning: Learning,
    round: u32,
    /// SHA-256 of the ranker that orders the matches; round 0 has none of its own.
    ranker: Option<String>,
    /// Searches that are learned from.
    training: u64,
}

/// The rounds that are whole in the directory of a learning, which need not be there yet.
fn whole_rounds(learning: &Learning, directory: &Path) -> Result<Vec<KeptRound>> {
    let mut rounds = Vec::new();
    for number in 0..=learning.rounds {
        let kept = KeptRound::load(directory, number)?;
        let Some(kept) = kept.filter(|kept| kept.is_whole(number == learning.rounds)) else {
            break;
        };
        rounds.push(kept);
    }
    Ok(rounds)
}

/// Does one part of the searches of a round, after those in the directory `learned`, on as many threads as the current
/// rayon pool has. Nothing is done if the round is there already.
///
/// # Errors
/// A round before it is missing, or its ranker, or as [`make_items`].
pub fn search_part(
    course: &Course<'_>,
    (learned, round): (&Path, u32),
    (shard, out): (Shard, &Path),
    quiet: bool,
) -> Result<Outcome> {
    let Course { learning, system, practice, from } = *course;
    refuse_other(learning, learned)?;
    let rounds = whole_rounds(learning, learned)?;
    let (there, name) = (rounds.len() as u32, learned.display());
    ensure!(
        round <= learning.rounds,
        "round {round} comes after the last one, {}",
        learning.rounds
    );
    if round < there {
        return Ok(Outcome::Already);
    }
    ensure!(round == there, "{name} has {there} rounds: expected those before round {round}");
    let (mut order, mut ranker) = (from.cloned(), None);
    if round > 0 {
        let file = ranker_file(learned, round);
        ensure!(
            file.exists(),
            "there is no {} for round {round}: `cairn learn --fit` makes it",
            file.display()
        );
        order = Some(Arc::new(load_ranker(&file, system)?));
        ranker = Some(of_file(&file)?.0);
    }
    let order: Order = order.map(|ranker| ranker as _);
    let before: Vec<Vec<Found>> = rounds.into_iter().map(|kept| kept.found).collect();
    let last = round == learning.rounds;
    let training = if last { Vec::new() } else { practice.training(&before) };
    let items = training.len() as u64 + u64::from(practice.validation());
    let of_training = training.len() as u64;
    let settings =
        RoundSettings { learning: learning.clone(), round, ranker, training: of_training };
    let part = Part::new(ROUND_PART, shard, items, &settings)?;
    let how = ("searches", rayon::current_num_threads(), quiet);
    make_items(&part, None, out, how, |item| match training.get(item as usize) {
        Some(&number) => practice.train(number, &order),
        None => practice.validate((item - of_training) as u32, &order),
    })
}

/// Adds a round to the directory `out` of a learning, from all parts of its searches.
///
/// # Errors
/// The rounds before it are not there, its parts were made with another ranker, as [`Parts::item`], or what the file
/// system says.
pub fn merge_round(parts: &Parts, out: &Path) -> Result<Round> {
    let RoundSettings { learning, round, ranker, training } = parts.settings()?;
    let first = parts.first().display();
    refuse_other(&learning, out)?;
    let name = out.display();
    let rounds = whole_rounds(&learning, out)?;
    ensure!(
        rounds.len() as u32 >= round,
        "{first} is a part of round {round}, but {name} has only {} rounds: expected those before it",
        rounds.len()
    );
    if let Some(there) = rounds.get(round as usize) {
        ensure!(
            there.ranker == ranker,
            "{name} already has round {round}, with another ranker than {first}"
        );
        return Ok(there.round);
    }
    if let Some(hash) = ranker {
        let file = ranker_file(out, round);
        expect_hash(&file, &hash).with_context(|| {
            format!("{first} was made with another ranker than {}", file.display())
        })?;
    }
    let directory = begin(&learning, out)?;
    let searched = |items: std::ops::Range<u64>| -> Result<Vec<Searched>> {
        items.map(|item| parts.item(item)).collect()
    };
    let (trained, validated) = (searched(0..training)?, searched(training..parts.items())?);
    let before: Vec<Round> = rounds.iter().map(|kept| kept.round).collect();
    Ok(keep(&directory, &learning, &before, trained, &validated)?.round)
}
