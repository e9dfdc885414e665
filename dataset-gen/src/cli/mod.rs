//! The command line of this crate, and the options that every subcommand has.

mod generate;
mod inspect;
mod merge;
mod seeds;
mod split;
mod verify;

pub use generate::{GenerateArgs, generate};
pub use inspect::{Format, InspectArgs, inspect};
pub use merge::{MergeArgs, merge};
pub use seeds::{SeedsArgs, seeds};
pub use split::{SplitArgs, split};
pub use verify::{VerifyArgs, verify};

use anyhow::{Context, Result, ensure};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Options that mean the same in every subcommand.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct Common {
    /// Number of threads; the result does not depend on it [default: all processors]
    #[arg(long, value_name = "N", global = true)]
    pub threads: Option<usize>,
    /// Seed of all random choices
    #[arg(long, value_name = "NUMBER", default_value_t = 0, global = true)]
    pub seed: u64,
    /// Show no progress
    #[arg(long, global = true)]
    pub quiet: bool,
}

/// More than any machine has; each thread takes some memory.
const MOST_THREADS: usize = 1024;

impl Common {
    /// A pool with as many threads as asked for. Work is done in this pool, not in rayon's
    /// global one, so that a program may use the library with two different numbers.
    ///
    /// # Errors
    /// Zero threads, or the system does not give that many.
    pub fn build_pool(&self) -> Result<ThreadPool> {
        if let Some(threads) = self.threads {
            ensure!(
                (1..=MOST_THREADS).contains(&threads),
                "--threads {threads}: expected 1 to {MOST_THREADS}"
            );
        }
        // Zero stands for all processors in rayon.
        ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0))
            .build()
            .with_context(|| format!("cannot start {} threads", self.threads.unwrap_or(0)))
    }
}
