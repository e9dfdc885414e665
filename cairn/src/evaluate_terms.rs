//! `cairn evaluate --terms`: optimisers on the same terms, under the same limits.

use crate::args::{load_ranker, load_system_with_text, named_cost};
use crate::shipped::ranker_of;
use anyhow::{Result, ensure};
use dataset_gen::{Seed, load_seeds_with_hash};
use egraph::{Sketch, System, TermBank};
use guided_search::{
    Cap, Compared, Comparison, Objective, Optimiser, compare_optimisers, optimiser_summaries,
    optimisers_table, refuse_seen_terms,
};
use model::Ranker;
use std::path::Path;
use std::sync::Arc;
use support::{InputFile, Run, note, print};

/// What is asked for; what is not given has a default.
pub struct Asked<'a> {
    /// The rewrite system.
    pub system: &'a InputFile,
    /// The file of terms.
    pub terms: &'a InputFile,
    /// The optimisers.
    pub optimisers: Option<&'a [Optimiser]>,
    /// The costs.
    pub cost: &'a str,
    /// The ranker.
    pub ranker: Option<&'a InputFile>,
    /// Cap on each e-graph.
    pub cap: Option<Cap>,
    /// Work a term.
    pub work: Option<u64>,
    /// The directory for the results.
    pub out: &'a Path,
    /// Threads, seed, progress.
    pub run: Run,
}

/// Runs the command.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(asked: &Asked<'_>) -> Result<()> {
    let (system, system_text) = load_system_with_text(asked.system)?;
    let mut bank = TermBank::new(system.language.clone());
    let (terms, terms_hash) = load_seeds_with_hash(asked.terms, &system, &mut bank, None)?;
    let cost = named_cost(&system, asked.cost)?;
    let objective = Objective { cost, shared: false, exact: None, sketch: Sketch::Any };
    let found = ranker(asked, &system, &terms, &mut bank)?;
    let possible = || Optimiser::all().filter(|o| found.is_some() || !o.ranked).collect();
    let optimisers: Vec<Optimiser> = asked.optimisers.map_or_else(possible, <[_]>::to_vec);
    ensure!(!optimisers.is_empty(), "no optimiser to compare");
    for (i, optimiser) in optimisers.iter().enumerate() {
        ensure!(!optimisers[..i].contains(optimiser), "optimiser '{optimiser}' is given twice");
        ensure!(found.is_some() || !optimiser.ranked, "the optimiser '{optimiser}' needs --ranker");
    }
    let is_used = optimisers.iter().any(|optimiser| optimiser.ranked);
    ensure!(
        is_used || asked.ranker.is_none(),
        "--ranker is for the optimiser 'ranked', which is not among --optimisers"
    );
    let (ranker_file, ranker) = found.filter(|_| is_used).unzip();
    let cap = asked.cap.unwrap_or(Cap::Nodes(4_000));
    let work = asked.work.unwrap_or(cap.expected_nodes().saturating_mul(10));
    ensure!(cap.expected_nodes() > 0, "--cap: expected at least 1 e-node");
    ensure!(work > 0, "--work: expected at least 1 e-node");
    let mut comparison = Comparison {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        terms_hash,
        terms: terms.len(),
        cost: asked.cost.to_owned(),
        optimisers,
        cap,
        work,
        ranker: ranker_file.map(|file| file.to_string()),
        ranker_hash: ranker.as_ref().map(|ranker| ranker.hash()).transpose()?,
        seed: asked.run.seed,
        command: String::new(),
        results: Vec::new(),
    };
    comparison.command = command(asked, &comparison);
    let compared = Compared {
        system: &system,
        system_text: &system_text,
        bank: &bank,
        terms: &terms,
        objective: &objective,
        ranker: ranker.as_ref(),
    };
    let threads = asked.run.build_pool()?.current_num_threads();
    let rows = compare_optimisers(&comparison, &compared, asked.out, threads, asked.run.quiet)?;
    let summaries = optimiser_summaries(&comparison.optimisers, &rows);
    print(&format!(
        "{}results in {}\n",
        optimisers_table(&summaries, asked.cost),
        asked.out.display()
    ))
}

/// The ranker that is asked for, or shipped, and its file. One that has seen the terms is refused, or done without
/// where nobody asked for it.
fn ranker(
    asked: &Asked<'_>,
    system: &System,
    terms: &[Seed],
    bank: &mut TermBank,
) -> Result<Option<(InputFile, Arc<Ranker>)>> {
    let wanted = asked.optimisers.is_none_or(|names| names.iter().any(|o| o.ranked));
    let shipped = || ranker_of(system).filter(|_| wanted);
    let Some(file) = asked.ranker.cloned().or_else(shipped) else { return Ok(None) };
    let ranker = load_ranker(&file, system)?;
    match refuse_seen_terms("the ranker", terms, bank, &ranker.seen) {
        Err(seen) if asked.ranker.is_none() && asked.optimisers.is_none() => {
            if !asked.run.quiet {
                note(&format!("no ranker is used: {seen}"));
            }
            Ok(None)
        }
        refused => refused.map(|()| Some((file, ranker))),
    }
}

/// The command that does this comparison, every setting spelt out.
fn command(asked: &Asked<'_>, comparison: &Comparison) -> String {
    let Comparison { optimisers, cost, cap, work, ranker, seed, .. } = comparison;
    let names: Vec<&str> = optimisers.iter().map(|optimiser| optimiser.name).collect();
    let ranker = ranker.as_ref().map_or(String::new(), |file| format!(" --ranker {file}"));
    format!(
        "cairn evaluate --system {} --terms {}{ranker} --optimisers {} --cost {cost} --cap {cap} --work {work} \
         --seed {seed} --out {}",
        asked.system,
        asked.terms,
        names.join(","),
        asked.out.display()
    )
}
