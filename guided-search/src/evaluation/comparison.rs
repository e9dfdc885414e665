//! Optimisers on the same terms, each with the same cap and work a term.
//!
//! ```text
//! comparison.json        what is compared, on what; sealed
//! mixed/                 what an optimiser made of the terms, as `optimise_many` writes it
//! ranked/                and another one
//! ```

use crate::OptimiseSettings;
use crate::optimise::many::{OPTIMISED_FILE, Optimisation, Terms, optimise_many};
use crate::optimise::optimisers::Optimiser;
use crate::optimise::table::OptimisedRow;
use crate::options::budget::{Budget, Cap};
use crate::options::optimise::{OptimiseAim, OptimiseLimits};
use anyhow::{Result, ensure};
use dataset_gen::SYSTEM_FILE;
use egraph::MatchOrder;
use jobs::Described;
use ranking::Ranker;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use support::{note, read_table};

/// The file that marks a directory of compared optimisers; it holds the [`Comparison`].
pub const COMPARISON_FILE: &str = "comparison.json";

/// What is compared, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Version of the program.
    pub version: String,
    /// Hash of the rewrite system.
    pub system_hash: String,
    /// SHA-256 of the file of terms.
    pub terms_hash: String,
    /// Number of terms.
    pub terms: usize,
    /// The costs, as they were asked for.
    pub cost: String,
    /// The optimisers, in order.
    pub optimisers: Vec<Optimiser>,
    /// Cap on each e-graph.
    pub cap: Cap,
    /// Work a term.
    pub work: u64,
    /// The ranker's file, if an optimiser needs one.
    pub ranker: Option<String>,
    /// SHA-256 of the ranker.
    pub ranker_hash: Option<String>,
    /// Seed of the random choices.
    pub seed: u64,
    /// The command that does this comparison.
    pub command: String,
    /// By optimiser: SHA-256 of its table, once all are written.
    pub results: Vec<String>,
}

impl Comparison {
    /// The rows of each optimiser; none if it is not finished.
    ///
    /// # Errors
    /// A table that is missing, damaged, or not as it was written.
    pub fn rows(&self, directory: &Path) -> Result<Option<Vec<Vec<OptimisedRow>>>> {
        if self.results.len() != self.optimisers.len() {
            return Ok(None);
        }
        let rows = self.optimisers.iter().zip(&self.results).map(|(optimiser, hash)| {
            let table = directory.join(optimiser.name).join(OPTIMISED_FILE);
            let found = support::hash::of_file(&table)?.0;
            ensure!(
                found == *hash,
                "{} is not as it was written: run `cairn evaluate` again, which takes what is finished \
                 from the sealed rows",
                table.display()
            );
            read_table(&table)
        });
        rows.collect::<Result<_>>().map(Some)
    }
}

impl Described for Comparison {
    const KIND: &'static str = "a comparison";
    const FILE: &'static str = COMPARISON_FILE;
    const WHAT: &'static str = "what was compared";
    const INPUT: &'static str = "terms";

    /// Where files lie makes no difference.
    fn as_of(&self, now: &Comparison) -> Comparison {
        let Comparison { ranker, command, results, .. } = now.clone();
        Comparison { ranker, command, results, ..self.clone() }
    }
}

/// Runs every optimiser on every term into `out`, or goes on with it; the rows of each
/// optimiser, in the order of the terms. Of the settings of the terms its schedulers, and the ranker as the order of
/// matches, are put in.
///
/// # Errors
/// A directory that holds something else, an optimiser that lacks its ranker, what the file system says, or an
/// internal fault.
pub fn compare_optimisers(
    comparison: &Comparison,
    terms: &Terms<'_>,
    ranker: Option<&Arc<Ranker>>,
    out: &Path,
    quiet: bool,
) -> Result<Vec<Vec<OptimisedRow>>> {
    let folders: Vec<&str> = comparison.optimisers.iter().map(|optimiser| optimiser.name).collect();
    let directory =
        comparison.begin(out, &[(SYSTEM_FILE, terms.system_text.as_bytes())], &folders)?;
    let mut rows = Vec::new();
    let mut results = Vec::new();
    for optimiser in &comparison.optimisers {
        if !quiet {
            note(&format!("optimiser {optimiser}"));
        }
        let own = directory.file(optimiser.name);
        rows.push(run(comparison, terms, ranker, *optimiser, &own, quiet)?);
        let table = own.join(OPTIMISED_FILE);
        results.push(support::hash::of_file(&table)?.0);
    }
    Comparison { results, ..comparison.clone() }.save(&directory)?;
    Ok(rows)
}

fn run(
    comparison: &Comparison,
    terms: &Terms<'_>,
    ranker: Option<&Arc<Ranker>>,
    optimiser: Optimiser,
    out: &Path,
    quiet: bool,
) -> Result<Vec<OptimisedRow>> {
    let ranker = ranker.filter(|_| optimiser.ranked);
    ensure!(ranker.is_some() == optimiser.ranked, "the optimiser '{optimiser}' needs --ranker");
    let limits = terms.settings.limits;
    let budget = Budget { scheduler: optimiser.scheduler, ..limits.budget };
    let limits = OptimiseLimits { budget, ..limits };
    let order = ranker.cloned().map(|ranker| ranker as Arc<dyn MatchOrder>);
    let settings = &OptimiseSettings { limits, order, ..terms.settings.clone() };
    let (cost, shared) = (comparison.cost.clone(), terms.objective.way.is_shared());
    let optimisation = Optimisation {
        version: comparison.version.clone(),
        system_hash: comparison.system_hash.clone(),
        terms_hash: comparison.terms_hash.clone(),
        aim: OptimiseAim { shared, ..OptimiseAim::tree(cost, limits) },
        model: None,
        ranker: ranker.map(|ranker| ranker.hash()).transpose()?,
        seed: comparison.seed,
    };
    optimise_many(&optimisation, &Terms { settings, ..*terms }, out, quiet)
}
