//! `cairn optimise --terms`: many terms, each with its own budget, as a table.

use crate::args::NotProved;
use anyhow::{Result, ensure};
use dataset_gen::load_seeds_with_hash;
use egraph::{SortId, System, TermBank};
use guided_search::{
    OPTIMISED_FILE, Objective, Optimisation, OptimiseSettings, OptimisedRow, Terms, optimise_many,
};
use model::Ranker;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use support::hash::sha256;
use support::{InputFile, Run, counted, print, thousands};

/// What is asked for.
pub struct Asked<'a> {
    /// The file of terms.
    pub file: &'a InputFile,
    /// The costs.
    pub cost: &'a str,
    /// The sketch that best terms satisfy.
    pub goal: Option<&'a str>,
    /// Whether equal parts count once.
    pub shared: bool,
    /// What the best term of a sort is.
    pub objective: &'a dyn Fn(SortId) -> Result<Objective>,
}

/// Runs the command into the directory `out`.
///
/// # Errors
/// Bad input, a term for which nothing is found ([`NotProved`]), or an internal fault.
pub fn run(
    asked: &Asked<'_>,
    (system, system_text): (&Arc<System>, &str),
    ranker: Option<&Ranker>,
    settings: &OptimiseSettings,
    out: &Path,
    run: &Run,
) -> Result<()> {
    let file = asked.file;
    let mut bank = TermBank::new(system.language.clone());
    let (terms, terms_hash) = load_seeds_with_hash(file, system, &mut bank, None)?;
    let sort = bank.sort(terms[0].term);
    if let Some(other) = terms.iter().find(|term| bank.sort(term.term) != sort) {
        let names = [sort, bank.sort(other.term)].map(|sort| system.language.sort_name(sort));
        ensure!(
            asked.goal.is_none(),
            "{file}: a goal is for terms of one sort: the first term is of sort {}, and term {} of sort {}",
            names[0],
            other.id,
            names[1]
        );
    }
    let objective = (asked.objective)(sort)?;
    let text = ranker.map(Ranker::text).transpose()?;
    let optimisation = Optimisation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        terms_hash,
        cost: asked.cost.to_owned(),
        shared: asked.shared,
        goal: asked.goal.map(str::to_owned),
        budget: settings.budget,
        ranker: text.map(|text| sha256(text.as_bytes())),
        seed: settings.seed,
    };
    let (bank, objective, terms) = (&bank, &objective, &terms[..]);
    let terms = Terms { system, system_text, bank, terms, objective, settings };
    let began = Instant::now();
    let threads = run.build_pool()?.current_num_threads();
    let rows = optimise_many(&optimisation, &terms, out, threads, run.quiet)?;
    print(&summary(&rows, asked.cost, began.elapsed().as_secs_f64()))?;
    print(&format!("{}\n", out.join(OPTIMISED_FILE).display()))?;
    let without = rows.iter().filter(|row| row.proof_file.is_empty()).count() as u64;
    match without {
        0 => Ok(()),
        _ => Err(NotProved(format!("{} without an answer", counted(without, "term"))).into()),
    }
}

fn summary(rows: &[OptimisedRow], cost: &str, seconds: f64) -> String {
    let cost = cost.split(',').next().unwrap_or(cost);
    let both = |row: &OptimisedRow| Some((row.cost_before?, row.cost_after?));
    let costs: Vec<(u64, u64)> = rows.iter().filter_map(both).collect();
    let better = costs.iter().filter(|(before, after)| after < before).count() as u64;
    let log = |&(before, after): &(u64, u64)| (after.max(1) as f64 / before.max(1) as f64).ln();
    let left = (costs.iter().map(log).sum::<f64>() / costs.len().max(1) as f64).exp();
    let mut work: Vec<u64> = rows.iter().map(|row| row.work).collect();
    work.sort_unstable();
    format!(
        "{} in {seconds:.1} s, {better} of them cheaper\n{:.1} % of the {cost} is left (geometric mean); \
         work a term: {} (median)\n",
        counted(rows.len() as u64, "term"),
        100.0 * left,
        thousands(work[work.len() / 2])
    )
}
