//! Rounds of search and fit (expert iteration), each kept in files of its own, so that a run that was
//! stopped goes on where it was:
//!
//! ```text
//! learning.json          what is learned from, and how
//! round-0.parquet        the examples of a round's e-graphs
//! round-0.json           what they proved or improved, and hashes; sealed
//! ranker-1.json          the ranker that is fitted to all examples before
//! fitted-1.json          which examples these were, while its round is not finished; sealed
//! ranker.json            the one that was best in validation
//! ```
//!
//! The finished searches of a round that is not finished are in `.round-0.partial/`.

use crate::learning::kept::{
    KeptRound, Learning, Optimising, Round, examples_file, expect_hash, is_fitted, keep,
    keep_fitted, load_ranker, ranker_file, read_examples, round_name,
};
use crate::learning::practice::Found;
use crate::learning::searches::{Course, Searches};
use anyhow::{Context, Result, ensure};
use jobs::Described;
use ranking::Ranker;
use ranking::{Example, Passes, fit};
use std::path::Path;
use std::sync::Arc;
use support::hash::of_file;
use support::{StagedDir, write_atomic};

/// The ranker that came of it.
pub const RANKER_FILE: &str = "ranker.json";

/// Called with each round.
pub type Report<'a> = &'a mut (dyn FnMut(&Round) + Send);

/// Learns a ranker into `out`, or goes on with it, on the threads of the current rayon pool. Gives the
/// rounds, and the ranker of that which proved most validation tasks, with the least work among equals; of seeds
/// that which left least of their cost. Round 0 has the order of `from`, which may stay the best, or smallest first.
///
/// # Errors
/// A directory that holds something else, practice in which nothing is proved or improved, or what the
/// file system says.
pub fn learn(
    course: &Course<'_>,
    out: &Path,
    quiet: bool,
    report: Report<'_>,
) -> Result<(Vec<Round>, Ranker)> {
    let (rounds, ranker) = go_on(course, out, true, quiet, report)?;
    Ok((rounds, ranker.context("no round")?))
}

/// Fits the ranker of the next round from the rounds that are there, and ends before its searches. After the last
/// round there is the best ranker.
///
/// # Errors
/// As [`learn`].
pub fn fit_next(
    course: &Course<'_>,
    out: &Path,
    quiet: bool,
    report: Report<'_>,
) -> Result<(Vec<Round>, Option<Ranker>)> {
    go_on(course, out, false, quiet, report)
}

fn go_on(
    course: &Course<'_>,
    out: &Path,
    search: bool,
    quiet: bool,
    report: Report<'_>,
) -> Result<(Vec<Round>, Option<Ranker>)> {
    let Course { learning, system, practice, from } = *course;
    refuse_more_meanwhile(learning, out)?;
    let directory = learning.begin(out, &[], &[])?;
    let mut seen = practice.seen()?;
    from.iter().for_each(|from| seen.extend(&from.seen));
    let mut rounds: Vec<Round> = Vec::new();
    let mut before: Vec<Vec<Found>> = Vec::new();
    let mut rankers: Vec<Option<Arc<Ranker>>> = vec![from.cloned()];
    let (mut examples, mut hashes): (Vec<Example>, Vec<String>) = Default::default();
    for number in 0..=learning.rounds {
        let kept = KeptRound::load(out, number)?;
        let file = ranker_file(out, number);
        if number > 0 {
            ensure!(
                examples.iter().any(|example| example.used),
                "{}: nothing is to be learned",
                nothing_found(learning)
            );
            // What nothing tells the hash of is made again.
            let ranker = match kept.as_ref().and_then(|kept| kept.ranker.as_ref()) {
                Some(hash) => {
                    expect_hash(&file, hash)?;
                    load_ranker(&file, system)?
                }
                None if is_fitted(out, number, &hashes) => load_ranker(&file, system)?,
                None => {
                    let seed = learning.seed.wrapping_add(u64::from(number));
                    let passes = Passes { epochs: learning.epochs, seed, quiet };
                    let weights = fit(system, &examples, from, &passes)?;
                    let origin = format!(
                        "cairn {} learn: round {number}, {} examples",
                        learning.version,
                        examples.len()
                    );
                    let ranker = Ranker::new(system, weights, origin, seen.clone());
                    let ranker = ranker.after(from.map(|from| &**from));
                    write_atomic(&file, ranker.text()?.as_bytes())?;
                    keep_fitted(out, number, &hashes)?;
                    ranker
                }
            };
            rankers.push(Some(Arc::new(ranker)));
        }
        let last = number == learning.rounds;
        let kept = match kept.filter(|kept| kept.is_whole(last)) {
            Some(kept) => {
                StagedDir::tidy_beside(&round_name(out, number));
                kept
            }
            None if !search => return Ok((rounds, None)),
            None => {
                let hash = (number > 0).then(|| of_file(&file)).transpose()?;
                let ranker = rankers[number as usize].clone();
                let hash = hash.map(|(hash, _)| hash);
                let mut searches = Searches::after(&before, course, ranker, hash);
                // More rounds can be asked for while the searches of one are done, unless it is the last
                // (`refuse_more_meanwhile`).
                searches.settings.learning.rounds = number + u32::from(!last);
                let kept = searches.job(practice).kept(&round_name(out, number), None, quiet)?;
                let searched = kept.items().collect::<Result<_>>()?;
                let whole =
                    keep(&directory, learning, &rounds, searched, searches.settings.training)?;
                kept.discard()?;
                whole
            }
        };
        before.push(kept.found);
        if !last {
            let rows = examples_file(out, number);
            if let Some(hash) = kept.examples {
                expect_hash(&rows, &hash)?;
                hashes.push(hash);
            }
            read_examples(&rows, &mut examples, system)?;
        }
        report(&kept.round);
        rounds.push(kept.round);
    }
    // Round 0 counts where it had the order of a ranker: few tasks may teach nothing better.
    let ranked = rounds.iter().zip(rankers).filter_map(|(round, ranker)| Some((round, ranker?)));
    let best = ranked.reduce(|best, next| if next.0.is_better(best.0) { next } else { best });
    let (_, best) = best.context("no round")?;
    let mut ranker = Ranker::clone(&best);
    // It has seen what it was chosen by.
    ranker.seen = seen;
    write_atomic(&directory.file(RANKER_FILE), ranker.text()?.as_bytes())?;
    Ok((rounds, Some(ranker)))
}

/// Refuses more rounds while the last of those that were asked for is searched: its searches, which nothing is learned from,
/// are others.
fn refuse_more_meanwhile(learning: &Learning, out: &Path) -> Result<()> {
    // What is not there, or is something else, is said when it is begun.
    let Ok(before) = Learning::load(out) else { return Ok(()) };
    let last = round_name(out, before.rounds);
    ensure!(
        learning.rounds <= before.rounds || !StagedDir::is_begun(&last)?,
        "{}: round {2}, the last of those asked for, is being searched: go on with {2} rounds, and ask for {1} when it is \
         whole",
        out.display(),
        learning.rounds,
        before.rounds
    );
    Ok(())
}

/// What practice found nothing within: the work where that ends e-graphs before the cap does.
fn nothing_found(learning: &Learning) -> String {
    let cap = learning.cap;
    match &learning.optimise {
        None => format!("no training task can be proved in an e-graph of {cap}"),
        Some(Optimising { work, .. }) if *work < cap.expected_nodes() => {
            format!("nothing better than the seeds can be found with a work of {work} e-nodes")
        }
        Some(_) => format!("nothing better than the seeds can be found in e-graphs of {cap}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::budget::Cap;

    #[test]
    fn where_nothing_is_found_the_limit_is_named_that_bound() {
        let of = |optimise: Option<u64>, cap: usize| {
            let optimise = optimise.map(|work| Optimising { cost: "size".into(), work, batch: 1 });
            let learning = Learning {
                version: String::new(),
                system_hash: String::new(),
                tasks: Default::default(),
                cap: Cap::Nodes(cap),
                optimise,
                from: None,
                rounds: 1,
                epochs: 1,
                seed: 0,
            };
            nothing_found(&learning)
        };
        assert!(of(Some(30), 4_000).ends_with("with a work of 30 e-nodes"));
        assert!(of(Some(40_000), 4_000).ends_with("in e-graphs of 4000"));
        assert!(of(None, 4_000).ends_with("proved in an e-graph of 4000"));
    }
}
