//! Tasks on threads of their own.
//!
//! A thread of a shared pool that waits for others takes up another task meanwhile, or a piece of one:
//! then neither its time nor its memory is that of its own task. Here every thread has a pool of its own,
//! and what a task computes in parallel stays with it.

use anyhow::{Context, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Does the tasks 0, 1, …, `count` - 1 in this order, `threads` of them at a time, and returns what
/// they give in the order of their numbers. None is begun after one has failed.
///
/// # Errors
/// The system does not give that many threads, or the first error in the order of the tasks.
pub fn in_order<T: Send>(
    count: usize,
    threads: usize,
    task: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let threads = threads.clamp(1, count.max(1));
    let pool = |_| ThreadPoolBuilder::new().num_threads(1).build();
    let pools: Vec<ThreadPool> = (0..threads)
        .map(pool)
        .collect::<Result<_, _>>()
        .with_context(|| format!("cannot start {threads} threads"))?;
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        let mut done: Vec<(usize, Result<T>)> = Vec::new();
        while !over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            // Also when the task panics.
            let failed = Failed(&over);
            let result = task(number);
            if result.is_ok() {
                std::mem::forget(failed);
            }
            done.push((number, result));
        }
        done
    };
    let mut done: Vec<(usize, Result<T>)> = std::thread::scope(|scope| {
        let at_work: Vec<_> = pools.iter().map(|pool| scope.spawn(|| pool.install(work))).collect();
        let ends: Vec<_> = at_work.into_iter().map(|thread| thread.join()).collect();
        let ends = ends.into_iter();
        ends.flat_map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    // Tasks are begun in their order: whatever came before the first that failed is among these.
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Says that a task has failed when it is dropped.
struct Failed<'a>(&'a AtomicBool);

impl Drop for Failed<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;
    use rayon::prelude::*;
    use std::cell::Cell;
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        for threads in [1, 3, 50] {
            let square = |number: usize| {
                std::thread::sleep(Duration::from_micros(number as u64 * 7 % 5 * 100));
                Ok(number * number)
            };
            let squares: Vec<usize> = (0..40).map(|number| number * number).collect();
            assert_eq!(in_order(40, threads, square).unwrap(), squares);
        }
        assert_eq!(in_order(0, 4, |_| Ok(())).unwrap(), []);
    }

    #[test]
    fn a_thread_that_waits_takes_up_nothing_of_another_task() {
        thread_local! {
            static TASK: Cell<Option<usize>> = const { Cell::new(None) };
        }
        let task = |number: usize| {
            assert_eq!(TASK.replace(Some(number)), None, "a task within a task");
            let pieces = (0..64u64).into_par_iter().map(|piece| {
                std::thread::sleep(Duration::from_micros(50));
                assert_eq!(TASK.get(), Some(number), "a piece of another task");
                piece
            });
            let sum: u64 = pieces.sum();
            TASK.set(None);
            Ok(sum)
        };
        assert_eq!(in_order(12, 4, task).unwrap(), [2016; 12]);
    }

    #[test]
    fn the_first_error_in_their_order_is_told_and_nothing_is_begun_after_it() {
        let begun = AtomicUsize::new(0);
        let task = |number: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            // The second fails later than the third.
            std::thread::sleep(Duration::from_millis(if number == 1 { 40 } else { 5 }));
            if number == 1 || number == 2 { bail!("task {number}") } else { Ok(()) }
        };
        let error = in_order(1000, 3, task).unwrap_err();
        assert_eq!(error.to_string(), "task 1");
        assert!(begun.into_inner() < 500);
    }

    #[test]
    fn a_panic_ends_the_others_too() {
        let begun = AtomicUsize::new(0);
        let all = || {
            in_order(1000, 2, |number| {
                begun.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(2));
                assert_ne!(number, 1, "one");
                Ok(())
            })
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(all)).is_err());
        assert!(begun.into_inner() < 500);
    }
}
