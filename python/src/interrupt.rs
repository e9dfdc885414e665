//! Long work without the interpreter's lock, which an interrupt ends.
//!
//! After Ctrl-C a flag asks the work to end, and the call waits until it has: no thread goes on behind the caller's
//! back. Signals are for the calling thread to look at. Work that needs no other thread stays on it, and looks while it
//! reads the flag ([`here`]): a short search would take a tenth longer if it went to another thread and back. Other work is
//! done on a pool, and the calling thread looks meanwhile ([`on_pool`]).

use crate::errors::{any, bad};
use egraph::{Bounds, Cancel, StopReason, without_bounds};
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::cell::Cell;
use std::collections::HashMap;
use std::process;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use support::Run;

/// How long a signal may wait to be seen.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The clock is read once in so many readings of the flag, between which there is a millisecond at most: in small e-graphs
/// it would take longer than the work.
const CLOCK_EVERY: u32 = 64;

thread_local! {
    /// Readings of the flag until the clock is read.
    static READINGS: Cell<u32> = const { Cell::new(0) };
    /// When work on this thread next looks at signals; other threads' work does not.
    static NEXT_LOOK: Cell<Option<Instant>> = const { Cell::new(None) };
    /// What the handler of a signal raised.
    static RAISED: Cell<Option<PyErr>> = const { Cell::new(None) };
}

/// Asks work to end, if a signal does.
pub fn cancel() -> Cancel {
    Cancel::looking(|| {
        if let Some(fewer) = READINGS.get().checked_sub(1) {
            READINGS.set(fewer);
            return false;
        }
        READINGS.set(CLOCK_EVERY - 1);
        let Some(next) = NEXT_LOOK.get() else { return false };
        let now = Instant::now();
        if now < next {
            return false;
        }
        // Whatever the handler calls looks for itself.
        NEXT_LOOK.set(None);
        let looked = Python::attach(|py| py.check_signals());
        NEXT_LOOK.set(Some(now + LOOK_EVERY));
        looked.is_err_and(|error| {
            RAISED.set(Some(error));
            true
        })
    })
}

/// Does `work` on this thread, which should read a flag of [`cancel`] now and then.
///
/// # Errors
/// `KeyboardInterrupt`, or what another signal's handler raises.
pub fn here<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    // Work may call Python, and that us.
    let around = NEXT_LOOK.replace(Some(Instant::now() + LOOK_EVERY));
    let result = py.detach(|| held(&cancel(), work));
    NEXT_LOOK.set(around);
    RAISED.take().map_or_else(|| result.map_err(|reason| bad(reason.meaning())), Err)
}

/// Does work that ends where `cancel` asks, in the middle of explaining or extracting, too. What holds for a caller of the
/// interpreter that called us is its own: nothing unwinds through the interpreter.
fn held<T>(cancel: &Cancel, work: impl FnOnce() -> T) -> Result<T, StopReason> {
    let bounds = Bounds { cancel: Some(cancel.clone()), ..Bounds::default() };
    without_bounds(|| bounds.hold(work))
}

/// Does `work` on a thread of the pool. It should end soon after `cancel` asks.
///
/// # Errors
/// `KeyboardInterrupt`, or what another signal's handler raises.
pub fn on_pool<T: Send>(
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
                let _ = done.send(held(cancel, work));
            });
            let mut interrupted = None;
            loop {
                match wait.recv_timeout(LOOK_EVERY) {
                    Ok(result) => {
                        let result = result.map_err(|reason| bad(reason.meaning()));
                        return interrupted.map_or(result, Err);
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            cancel.ask();
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
    expect_a_thread(threads)?;
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

/// What `threads=` may be, where none but the caller's is needed.
///
/// # Errors
/// Zero threads.
pub fn expect_a_thread(threads: Option<usize>) -> PyResult<()> {
    match threads {
        Some(0) => Err(bad("threads: expected at least 1, found 0")),
        _ => Ok(()),
    }
}
