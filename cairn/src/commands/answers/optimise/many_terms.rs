//! `cairn optimise --terms`: many terms, each with its own budget, as a table.

use crate::commands::answers::optimise::given::Given;
use crate::inputs::args::NotProved;
use crate::inputs::shipped::SEEDS;
use crate::shown::part::print_part;
use anyhow::{Context, Result, ensure};
use clap::builder::{PathBufValueParser, TypedValueParser};
use egraph::TermBank;
use guided_search::{
    OPTIMISED_FILE, Optimisation, OptimisedRow, OptimisedSummary, Terms, load_goals, optimise_job,
    optimise_many,
};
use jobs::Shard;
use std::path::Path;
use std::time::Instant;
use support::{InputFile, Run, counted, print};
use terms::load_seeds_with_hash;

/// The terms, and which of them.
#[derive(Clone, Debug, clap::Args)]
#[group(conflicts_with_all = ["MlirFile", "LlvmFile", "CSource", "exact_time", "time"])]
pub struct ManyTerms {
    /// Many terms, each with its own budget, --threads at a time; --out is the directory for a table of results
    /// (optimised.parquet) and the proofs. A term a line, CSV with a column `expression`, or Parquet with a column `term`; or
    /// shipped seeds by their name. The same command goes on with a run that was stopped
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser(), requires = "out")]
    terms: Option<InputFile>,
    /// As --terms, where each term has its own goal: a term and a sketch a line, or CSV with columns `start` and
    /// `goal`
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().map(InputFile::Path), requires = "out", conflicts_with_all = ["terms", "goal"])]
    pub tasks: Option<InputFile>,
    /// Optimise only every N-th term of --terms or --tasks, from term I on, for `cairn merge`: I/N, I from 0 to N-1;
    /// --out is the directory of the part
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

impl ManyTerms {
    /// The file of terms, if there is one.
    pub fn file(&self) -> Option<&InputFile> {
        self.tasks.as_ref().or(self.terms.as_ref())
    }
}

/// Runs the command into the directory `out`.
///
/// # Errors
/// Bad input, a term for which nothing is found ([`NotProved`]), or an internal fault.
pub fn run(args: &ManyTerms, given: &Given, out: &Path, run: &Run) -> Result<()> {
    let file = args.file().context("clap asks for a file of terms")?;
    let Given { system, system_text, aim, settings, ranker, model, .. } = given;
    let mut bank = TermBank::new(system.language.clone());
    let (terms, goals, terms_hash) = match args.tasks.is_some() {
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
            aim.goal.is_none(),
            "{file}: a goal is for terms of one sort: the first term is of sort {}, and term {} of sort {}",
            names[0],
            other.id,
            names[1]
        );
    }
    let objective = given.objective(sort)?;
    let optimisation = Optimisation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        terms_hash,
        aim: aim.clone(),
        ranker: ranker.as_ref().map(|ranker| ranker.hash()).transpose()?,
        model: model.clone(),
        seed: settings.seed,
    };
    let (bank, objective, terms) = (&bank, &objective, &terms[..]);
    let goals = goals.as_deref();
    let terms = Terms { system, system_text, bank, terms, objective, goals, settings };
    let began = Instant::now();
    let pool = run.build_pool()?;
    if let Some(place) = args.shard.map(|shard| (shard, out)) {
        let outcome =
            pool.install(|| optimise_job(&optimisation, &terms).part(place, None, run.quiet))?;
        return print_part(place, outcome, "items");
    }
    let rows = pool.install(|| optimise_many(&optimisation, &terms, out, run.quiet))?;
    let terms = counted(rows.len() as u64, "term");
    print(&format!("{terms} in {:.1} s, ", began.elapsed().as_secs_f64()))?;
    print_optimised(&rows, &aim.cost, out)
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
