//! What searches found as proofs to learn planning from: of each term that reached its goal, the way there.

use crate::optimise::guided::planner::Goal;
use crate::optimise::many::{OPTIMISED_FILE, Optimisation, optimised_rows};
use crate::optimise::table::OptimisedRow;
use anyhow::{Context, Result, anyhow};
use dataset_gen::{ProofRow, place_text, system_of};
use egraph::{Caps, Shortener, Sketch, System, TermBank, proof_from_json};
use jobs::Described;
use rayon::prelude::*;
use std::path::Path;
use support::{named_inside, read_text};

/// Of a directory of optimised terms the system, with its text, and the proofs of those that reached a goal of which
/// [`Goal::of`] makes something, shortened, in the order of the table; also how many were left out since their proof
/// has more steps or larger terms than `caps`.
///
/// # Errors
/// A directory that can't be read, or a proof in it.
pub fn plans_of(directory: &Path, caps: Caps) -> Result<(System, Vec<u8>, Vec<ProofRow>, u64)> {
    let what = Optimisation::load(directory)?;
    let (system, rules) = system_of(directory, &what.system_hash)?;
    let rows = optimised_rows(directory)?.with_context(|| {
        format!(
            "{} has no {OPTIMISED_FILE}: the run is not finished, the same command goes on with it",
            directory.display()
        )
    })?;
    let plan = |row: &OptimisedRow| {
        plan_of(row, directory, &system, caps)
            .with_context(|| format!("{}: term {}", directory.display(), row.id))
    };
    let reached: Vec<&OptimisedRow> =
        rows.iter().filter(|row| !row.goal.is_empty() && !row.proof_file.is_empty()).collect();
    let plans: Vec<Found> = reached.par_iter().map(|row| plan(row)).collect::<Result<_>>()?;
    let too_large = plans.iter().filter(|plan| matches!(plan, Found::TooLarge)).count() as u64;
    let kept = plans.into_iter().filter_map(|plan| match plan {
        Found::Plan(row) => Some(*row),
        Found::TooLarge | Found::Nothing => None,
    });
    Ok((system, rules, kept.collect(), too_large))
}

enum Found {
    Plan(Box<ProofRow>),
    TooLarge,
    /// The goal is no term, or the start has it.
    Nothing,
}

fn plan_of(row: &OptimisedRow, directory: &Path, system: &System, caps: Caps) -> Result<Found> {
    let mut bank = TermBank::new(system.language.clone());
    let file = named_inside(directory, &row.proof_file)?;
    let text = read_text(&file, "the proof")?;
    let proof = proof_from_json(system, &mut bank, &text)
        .map_err(|mistake| anyhow!("{}: {mistake}", file.display()))?;
    let goal = Sketch::parse(&system.language, &row.goal, Some(bank.sort(proof.start())))
        .map_err(|mistake| anyhow!("the goal {}: {mistake}", row.goal))?;
    let Some(goal) = Goal::of(&goal, &mut bank) else { return Ok(Found::Nothing) };
    let twice = Caps { steps: caps.steps.saturating_mul(2), ..caps };
    let Ok(flat) = proof.flatten(&mut bank, twice) else { return Ok(Found::TooLarge) };
    let unshortened = flat.steps.len();
    let flat = Shortener::new(system).shorten(&mut bank, &flat, caps.term_size);
    if flat.steps.len() > caps.steps {
        return Ok(Found::TooLarge);
    }
    let end = flat.terms[flat.terms.len() - 1];
    let place = bank.place_of(end, goal.term).context("the proof does not end at the goal")?;
    if flat.steps.is_empty() {
        return Ok(Found::Nothing);
    }
    Ok(Found::Plan(Box::new(ProofRow {
        seed_id: row.id.clone(),
        links: u32::try_from(row.e_graphs).unwrap_or(u32::MAX),
        unshortened: unshortened as u32,
        place: place_text(&place),
        ..ProofRow::of(system, &bank, &flat)
    })))
}
