//! `cairn optimise --terms`: many terms, each with its own budget, as a table.

use crate::inputs::args::NotProved;
use crate::shown::part::print_part;
use anyhow::{Result, ensure};
use dataset_gen::load_seeds_with_hash;
use egraph::{SortId, System, TermBank};
use guided_search::{
    OPTIMISED_FILE, Objective, Optimisation, OptimiseSettings, OptimisedRow, OptimisedSummary,
    Terms, load_goals, optimise_job, optimise_many,
};
use jobs::Shard;
use ranking::Ranker;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use support::{InputFile, Run, counted, print};

/// What is asked for.
pub struct Asked<'a> {
    /// The file of terms.
    pub file: &'a InputFile,
    /// Whether each of them stands there with its goal.
    pub with_goals: bool,
    /// The costs.
    pub cost: &'a str,
    /// The sketch that best terms satisfy.
    pub goal: Option<&'a str>,
    /// Whether equal parts count once.
    pub shared: bool,
    /// The strategy that is followed, if one is.
    pub strategy: Option<&'a str>,
    /// Which part is made, if not all.
    pub shard: Option<Shard>,
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
    model: Option<(String, usize)>,
    settings: &OptimiseSettings,
    out: &Path,
    run: &Run,
) -> Result<()> {
    let file = asked.file;
    let mut bank = TermBank::new(system.language.clone());
    let (terms, goals, terms_hash) = match asked.with_goals {
        true => {
            let (terms, goals, hash) = load_goals(file, system, &mut bank)?;
            (terms, Some(goals), hash)
        }
        false => {
            let (terms, hash) = load_seeds_with_hash(file, system, &mut bank, None)?;
            (terms, None, hash)
        }
    };
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
    let optimisation = Optimisation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        terms_hash,
        cost: asked.cost.to_owned(),
        shared: asked.shared,
        goal: asked.goal.map(str::to_owned),
        budget: settings.budget,
        patience: settings.patience,
        first: settings.first,
        strategy: asked.strategy.map(str::to_owned),
        ranker: ranker.map(Ranker::hash).transpose()?,
        model,
        seed: settings.seed,
    };
    let (bank, objective, terms) = (&bank, &objective, &terms[..]);
    let goals = goals.as_deref();
    let terms = Terms { system, system_text, bank, terms, objective, goals, settings };
    let began = Instant::now();
    let pool = run.build_pool()?;
    if let Some(place) = asked.shard.map(|shard| (shard, out)) {
        let outcome =
            pool.install(|| optimise_job(&optimisation, &terms).part(place, None, run.quiet))?;
        return print_part(place, outcome, "items");
    }
    let rows = pool.install(|| optimise_many(&optimisation, &terms, out, run.quiet))?;
    let terms = counted(rows.len() as u64, "term");
    print(&format!("{terms} in {:.1} s, ", began.elapsed().as_secs_f64()))?;
    print_optimised(&rows, asked.cost, out)
}

/// Prints what the rows come to.
///
/// # Errors
/// A term for which nothing was found ([`NotProved`]), or nothing can be printed.
pub fn print_optimised(rows: &[OptimisedRow], cost: &str, out: &Path) -> Result<()> {
    let summary = OptimisedSummary::of(rows);
    print(&summary.text(cost))?;
    print(&format!("{}\n", out.join(OPTIMISED_FILE).display()))?;
    match summary.without as u64 {
        0 => Ok(()),
        without => Err(NotProved(format!("{} without an answer", counted(without, "term"))).into()),
    }
}
