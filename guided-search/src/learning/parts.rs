//! A round in parts: each process does its part of the searches, and merging adds the round.

use crate::learning::kept::{
    KeptRound, Learning, Round, expect_hash, keep, load_ranker, ranker_file, round_name,
};
use crate::learning::practice::Found;
use crate::learning::searches::{Course, RoundSettings, Searches};
use anyhow::{Context, Result, ensure};
use jobs::{Described, Outcome, Parts, Shard};
use std::path::Path;
use std::sync::Arc;
use support::StagedDir;
use support::hash::of_file;

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
/// A round before it is missing, or its ranker, or as [`jobs::Job::part`].
pub fn search_part(
    course: &Course<'_>,
    (learned, round): (&Path, u32),
    place: (Shard, &Path),
    quiet: bool,
) -> Result<Outcome> {
    let Course { learning, system, from, .. } = *course;
    learning.in_place(learned)?;
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
    let (mut ranker, mut hash) = (from.cloned(), None);
    if round > 0 {
        let file = ranker_file(learned, round);
        ensure!(
            file.exists(),
            "there is no {} for round {round}: `cairn learn --fit` makes it",
            file.display()
        );
        ranker = Some(Arc::new(load_ranker(&file, system)?));
        hash = Some(of_file(&file)?.0);
    }
    let before: Vec<Vec<Found>> = rounds.into_iter().map(|kept| kept.found).collect();
    Searches::after(&before, course, ranker, hash).job(course.practice).part(place, None, quiet)
}

/// Adds a round to the directory `out` of a learning, from all parts of its searches.
///
/// # Errors
/// The rounds before it are not there, its parts were made with another ranker, as [`jobs::Parts::each`], or what the file
/// system says.
pub fn merge_round(parts: &Parts, out: &Path) -> Result<Round> {
    let RoundSettings { learning, round, ranker, training } = parts.settings()?;
    let first = parts.first().display();
    learning.in_place(out)?;
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
    let directory = learning.begin(out, &[], &[])?;
    let searched = parts.each(true, |_, searched| Ok(searched))?;
    let before: Vec<Round> = rounds.iter().map(|kept| kept.round).collect();
    let kept = keep(&directory, &learning, &before, searched, training)?;
    StagedDir::tidy_beside(&round_name(out, round));
    Ok(kept.round)
}
