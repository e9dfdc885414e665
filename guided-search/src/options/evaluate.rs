//! How methods are compared on tasks, and optimisers on terms: within the same limits. Limits that are not given are
//! those at which the tasks are far.

use crate::options::budget::{Budget, Cap};
use crate::options::prove::{SearchOptions, SearchSettings};
use crate::options::schedulers::Schedulers;
use crate::options::tasks::TaskOptions;
use anyhow::{Result, ensure};
use serde::Deserialize;

/// E-nodes under which optimisers are compared, if nothing else is said.
const CAP_OF_TERMS: Cap = Cap::Nodes(4_000);
/// Work on a far chain, in e-nodes of its links.
const TIMES_THE_LINKS: u64 = 10;

/// A preset, as a TOML file. Every value may be left out, and is overruled by its option on the command line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Preset {
    /// How tasks are made.
    pub tasks: TaskOptions,
    /// How methods are compared.
    pub search: SearchOptions,
}

/// The far chains that tasks were made from.
#[derive(Clone, Copy, Debug)]
pub struct FarChains {
    /// Links of a chain; none where tasks come from elsewhere.
    pub links: u32,
    /// E-nodes of a link.
    pub link_nodes: usize,
    /// E-nodes of an e-graph that does not prove them.
    pub cap: usize,
}

impl SearchOptions {
    /// The settings with which methods are compared on tasks.
    ///
    /// # Errors
    /// A value is out of its bounds.
    pub fn settle_on_tasks(&self, chains: FarChains, seed: u64) -> Result<SearchSettings> {
        let FarChains { links, link_nodes, cap } = chains;
        let work = (link_nodes as u64).saturating_mul(TIMES_THE_LINKS).saturating_mul(links.into());
        let (cap, work) = Some((Cap::Nodes(cap), work)).filter(|_| links > 0).unzip();
        let (cap, work) = (self.cap.or(cap), self.work.or(work));
        self.within(Budget::of_question(cap, work, Schedulers::Simple), seed)
    }

    /// The limits within which optimisers are compared on terms; each has schedulers of its own.
    ///
    /// # Errors
    /// A value is out of its bounds, or is no limit.
    pub fn settle_on_terms(&self) -> Result<Budget> {
        let limits = SearchOptions { cap: self.cap, work: self.work, ..SearchOptions::default() };
        ensure!(
            *self == limits,
            "terms: optimisers are compared on them within cap and work alone; other options are of searches for proofs"
        );
        let cap = self.cap.unwrap_or(CAP_OF_TERMS);
        let budget = Budget::of_optimisation(cap, self.work, Schedulers::Simple);
        budget.check()?;
        Ok(budget)
    }
}
