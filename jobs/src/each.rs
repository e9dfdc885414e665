//! Numbered items, each found or made.

use anyhow::Result;
use rayon::prelude::*;
use support::{Progress, in_order};

/// For each of these numbers what is found, or else what is made, in their order; on as many threads as the current rayon
/// pool has. Each item is made on one thread of its own, or all share the pool for what they do in parallel.
///
/// # Errors
/// That of an item which can't be made. What was made before is counted.
pub fn each<T: Send>(
    numbers: &[u64],
    own_thread: bool,
    progress: &Progress,
    find: impl Fn(u64) -> Option<T> + Sync,
    make: impl Fn(u64) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let one = |place: usize| {
        if let Some(found) = find(numbers[place]) {
            progress.found(1);
            return Ok(found);
        }
        let made = make(numbers[place])?;
        progress.advance(1);
        Ok(made)
    };
    match own_thread {
        true => in_order(numbers.len(), rayon::current_num_threads(), one),
        false => (0..numbers.len()).into_par_iter().with_max_len(1).map(one).collect(),
    }
}
