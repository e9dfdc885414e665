//! Threads that compute parts of a batch and sum up what they find, in an order that does not depend
//! on how many they are.

use anyhow::{Context, Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Threads with a pool each: what one computes in parallel within a part stays with it. In one pool
/// a thread that waits within its part would begin another, and hold the memory of both.
pub struct Workers {
    pools: Vec<ThreadPool>,
}

impl Workers {
    /// So many threads.
    ///
    /// # Errors
    /// The system does not give that many.
    pub fn new(count: usize) -> Result<Workers> {
        let pool = |_| ThreadPoolBuilder::new().num_threads(1).build();
        let pools = (0..count.max(1)).map(pool).collect::<Result<_, _>>();
        Ok(Workers { pools: pools.with_context(|| format!("cannot start {count} threads"))? })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pools.len()
    }

    /// Computes `one` of all items and sums the results up, neighbours first, then their sums. No
    /// more items are at work than there are threads.
    ///
    /// # Errors
    /// There are no items, or what `one` or `add` say.
    pub fn sum<I: Copy + Sync, T: Send>(
        &self,
        items: &[I],
        one: &(impl Fn(I) -> Result<T> + Sync),
        add: &(impl Fn(T, T) -> Result<T> + Sync),
    ) -> Result<T> {
        let next = AtomicUsize::new(0);
        let sums = Sums { leaves: items.len(), found: Mutex::default(), failed: Mutex::default() };
        std::thread::scope(|scope| {
            for pool in self.pools.iter().take(items.len()) {
                let work = || {
                    while lock(&sums.failed).is_none() {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(i) else { break };
                        if let Err(error) = one(*item).and_then(|x| sums.take(i, x, add)) {
                            *lock(&sums.failed) = Some(error);
                        }
                    }
                };
                scope.spawn(move || pool.install(work));
            }
        });
        let failed = sums.failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = sums.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        match failed {
            Some(error) => Err(error),
            None => found.into_values().next().context("nothing to sum up"),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A tree of sums over leaves: node i of a level is the sum of the nodes 2i and 2i + 1 below it.
struct Sums<T> {
    leaves: usize,
    /// Nodes whose neighbours are not known yet, by level and number; in the end the root.
    found: Mutex<BTreeMap<(u32, usize), T>>,
    failed: Mutex<Option<Error>>,
}

impl<T> Sums<T> {
    /// Takes a leaf, and adds up what can be.
    fn take(&self, leaf: usize, mut x: T, add: &impl Fn(T, T) -> Result<T>) -> Result<()> {
        let (mut level, mut node, mut nodes) = (0, leaf, self.leaves);
        while nodes > 1 {
            let neighbour = node ^ 1;
            if neighbour < nodes {
                let mut found = lock(&self.found);
                let Some(other) = found.remove(&(level, neighbour)) else {
                    found.insert((level, node), x);
                    return Ok(());
                };
                drop(found);
                x = if node < neighbour { add(x, other)? } else { add(other, x)? };
            }
            (level, node, nodes) = (level + 1, node / 2, nodes.div_ceil(2));
        }
        lock(&self.found).insert((level, node), x);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_order_of_the_sum_does_not_depend_on_the_threads() {
        for n in 1..20usize {
            let items: Vec<usize> = (0..n).collect();
            let shape = |threads| {
                let one = |i: usize| {
                    std::thread::sleep(Duration::from_micros((i as u64 * 7 % 5) * 100));
                    Ok(i.to_string())
                };
                let add = |a: String, b: String| Ok(format!("({a} {b})"));
                Workers::new(threads).unwrap().sum(&items, &one, &add).unwrap()
            };
            let expected = shape(1);
            assert_eq!(shape(3), expected);
            let digits: Vec<usize> = expected
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|word| word.parse().ok())
                .collect();
            assert_eq!(digits, items);
        }
    }

    #[test]
    fn no_more_items_are_at_work_than_there_are_threads() {
        use rayon::prelude::*;
        let (at_work, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let one = |_| {
            most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let sum: u64 = (0..50_000u64).into_par_iter().map(|i| i % 7).sum();
            at_work.fetch_sub(1, Ordering::SeqCst);
            Ok(sum)
        };
        let items = [(); 100];
        Workers::new(3).unwrap().sum(&items, &one, &|a, b| Ok(a + b)).unwrap();
        assert!(most.into_inner() <= 3);
    }

    #[test]
    fn an_error_is_passed_on() {
        let one = |i: u32| if i == 5 { Err(anyhow::anyhow!("five")) } else { Ok(i) };
        let sum = |items: &[u32]| Workers::new(2).unwrap().sum(items, &one, &|a, b| Ok(a + b));
        assert_eq!(sum(&[1, 2, 3, 4]).unwrap(), 10);
        assert_eq!(sum(&[1, 5, 3, 4]).unwrap_err().to_string(), "five");
        assert!(sum(&[]).is_err());
    }
}
