//! Long work without the interpreter's lock, which an interrupt ends.
//!
//! The work is done on a thread of a pool, and the calling thread looks at signals meanwhile. After Ctrl-C a
//! flag asks the work to end, and the call waits until it has: no thread goes on behind the caller's back.

use crate::errors::{any, bad};
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::collections::HashMap;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use support::Run;

/// How long a signal may wait to be seen.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Asks work to end.
pub type Cancel = Arc<AtomicBool>;

/// Does `work` on a thread of the pool. It should end soon after `cancel` is set.
///
/// # Errors
/// `KeyboardInterrupt`, or what another signal's handler raises.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        pool.in_place_scope(|scope| {
            let (done, wait) = sync_channel(1);
            scope.spawn(move |_| {
                // Whoever waits is there until this is sent.
                let _ = done.send(work());
            });
            let mut interrupted = None;
            loop {
                match wait.recv_timeout(LOOK_EVERY) {
                    Ok(result) => return interrupted.map_or(Ok(result), Err),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            cancel.store(true, Ordering::Relaxed);
                            interrupted.get_or_insert(error);
                        }
                    }
                    // The work panicked, which the end of the scope hands on.
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(bad(
                            "internal error (this is a bug in cairn, not in your input)",
                        ));
                    }
                }
            }
        })
    })
}

/// The pools of this process by their numbers of threads. Threads don't survive a fork, so a process whose
/// number is another one begins anew.
type Pools = (u32, HashMap<usize, Arc<ThreadPool>>);
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// A pool of so many threads, of all processors without a number. Starting one takes longer than a short
/// search.
///
/// # Errors
/// Zero threads, or more than the system gives.
pub fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    if threads == Some(0) {
        return Err(bad("threads: expected at least 1, found 0"));
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if pools.as_ref().is_some_and(|(owner, _)| *owner != process::id()) {
        // Their threads are the parent's: waiting for them to end would take for ever.
        std::mem::forget(pools.take());
    }
    let (_, pools) = pools.get_or_insert_with(|| (process::id(), HashMap::new()));
    if let Some(pool) = pools.get(&threads.unwrap_or(0)) {
        return Ok(pool.clone());
    }
    let run = Run { threads, ..Run::default() };
    let pool = Arc::new(run.build_pool().map_err(any)?);
    pools.insert(threads.unwrap_or(0), pool.clone());
    Ok(pool)
}
