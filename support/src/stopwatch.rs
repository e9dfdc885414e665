//! How long something took that waits for other threads.
//!
//! A thread of a rayon pool that waits for others takes up another task meanwhile, whose time is not
//! that of what is measured.

use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    /// The time that this thread has spent on whole tasks.
    static ON_TASKS: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Does a task that a waiting thread may take up in the middle of another.
pub fn task<T>(work: impl FnOnce() -> T) -> T {
    let (before, began) = (ON_TASKS.get(), Instant::now());
    let result = work();
    // All of it, with whatever was taken up in its own middle.
    ON_TASKS.set(before + began.elapsed());
    result
}

/// Measures the time since it was started, without the tasks that its thread took up meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    began: Instant,
    on_tasks: Duration,
}

impl Stopwatch {
    /// Starts on this thread, on which it must be read, too.
    pub fn start() -> Stopwatch {
        Stopwatch { began: Instant::now(), on_tasks: ON_TASKS.get() }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        let others = ON_TASKS.get().saturating_sub(self.on_tasks);
        self.began.elapsed().saturating_sub(others).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    #[test]
    fn a_task_that_is_taken_up_meanwhile_does_not_count() {
        let pause = Duration::from_millis(60);
        // However slow the machine is: what was slept in other tasks is not counted.
        let without = |began: Instant, others: Duration| (began.elapsed() - others).as_secs_f64();
        task(|| {
            let (began, own) = (Instant::now(), Stopwatch::start());
            sleep(pause);
            // As rayon does when the thread has to wait; and that one is interrupted, too.
            task(|| {
                sleep(pause);
                let (began, inner) = (Instant::now(), Stopwatch::start());
                task(|| sleep(2 * pause));
                assert!(inner.seconds() <= without(began, 2 * pause));
            });
            let seconds = own.seconds();
            assert!(seconds >= 0.06 && seconds <= without(began, 3 * pause), "{seconds}");
        });
    }
}
