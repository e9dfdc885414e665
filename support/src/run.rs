//! How a command works, whatever it does: its threads, its random choices, what it says meanwhile.

use anyhow::{Context, Result, ensure};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// What means the same in every command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Number of threads, `None` for all processors; no result depends on it.
    pub threads: Option<usize>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Whether no progress is shown.
    pub quiet: bool,
}

/// More than any machine has; each thread takes some memory.
const MOST_THREADS: usize = 1024;

impl Run {
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
