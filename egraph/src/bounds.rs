//! What ends work that grows no e-graph: explaining, shortening, extracting, normal forms, counting and drawing.
//!
//! Such work is done inside [`Bounds::hold`]. In its inner loops it counts its steps ([`count_step`]), and what it takes of
//! memory ([`count_bytes`]). Where a bound is reached, all of it is left at once, from wherever it is: nobody sees half of a
//! result. This is how salsa cancels queries: by unwinding, which the hook of panics does not see.
//!
//! Bounds are those of a thread. Work that is shared out holds them on each of its threads.
//!
//! A step takes microseconds, and at most [`LOOK_EVERY`] of them lie between two looks at the clock and the flag.

use crate::stop::{Cancel, StopReason};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// What work may take, each `None` for all that there is. Only the deadline is not reproducible.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// When it ends.
    pub deadline: Option<Instant>,
    /// Ends it when somebody asks.
    pub cancel: Option<Cancel>,
    /// Bytes that it may ask for. What it gives back is not counted.
    pub memory: Option<usize>,
    /// Steps, which are looked at now and then.
    pub steps: Option<u64>,
}

/// Steps between looks.
const LOOK_EVERY: u32 = 64;

/// Bounds that are held on this thread.
struct Held {
    bounds: Bounds,
    steps: u64,
    /// What [`BYTES`] may come to.
    most_bytes: usize,
}

thread_local! {
    /// Steps until the next look.
    static UNTIL_LOOK: Cell<u32> = const { Cell::new(0) };
    /// What was asked for since the outermost bounds are held, and what it may come to.
    static BYTES: Cell<usize> = const { Cell::new(0) };
    static MOST_BYTES: Cell<usize> = const { Cell::new(usize::MAX) };
    /// The outermost first.
    static HELD: RefCell<Vec<Held>> = const { RefCell::new(Vec::new()) };
}

/// Thrown where the bounds of this number, the outermost being 0, are reached.
struct Reached {
    held: usize,
    reason: StopReason,
}

impl Bounds {
    /// Does work that ends where the bounds are reached. What it changed is then in the middle of being changed: only
    /// what is made inside, and banks of terms, may be used afterwards.
    ///
    /// # Errors
    /// Which bound was reached: [`StopReason::Time`], [`StopReason::Cancelled`], [`StopReason::Memory`], or
    /// [`StopReason::Visits`] for the steps.
    pub fn hold<T>(&self, work: impl FnOnce() -> T) -> Result<T, StopReason> {
        let number = HELD.with_borrow(Vec::len);
        let _guard = Guard { before: (BYTES.get(), MOST_BYTES.get()), outermost: number == 0 };
        let bytes = if number == 0 { 0 } else { BYTES.get() };
        BYTES.set(bytes);
        let most_bytes = self.memory.map_or(usize::MAX, |memory| bytes.saturating_add(memory));
        HELD.with_borrow_mut(|held| held.push(Held { bounds: self.clone(), steps: 0, most_bytes }));
        MOST_BYTES.set(MOST_BYTES.get().min(most_bytes));
        UNTIL_LOOK.set(0);
        let done = catch_unwind(AssertUnwindSafe(|| {
            let done = work();
            // What was counted since the last look.
            look();
            done
        }));
        done.map_err(|thrown| match thrown.downcast::<Reached>() {
            Ok(reached) if reached.held == number => reached.reason,
            Ok(reached) => resume_unwind(reached),
            Err(panic) => resume_unwind(panic),
        })
    }
}

/// Does work for which no bounds hold that were held before: those of a caller through whom nothing may unwind, as an
/// interpreter.
pub fn without_bounds<T>(work: impl FnOnce() -> T) -> T {
    struct Back(Vec<Held>, usize, usize);
    impl Drop for Back {
        fn drop(&mut self) {
            HELD.replace(std::mem::take(&mut self.0));
            BYTES.set(self.1);
            MOST_BYTES.set(self.2);
            UNTIL_LOOK.set(0);
        }
    }
    let _back = Back(HELD.take(), BYTES.get(), MOST_BYTES.replace(usize::MAX));
    UNTIL_LOOK.set(0);
    work()
}

/// Lets go of the innermost bounds, however their work ends.
struct Guard {
    /// Of the bytes.
    before: (usize, usize),
    outermost: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        HELD.with_borrow_mut(Vec::pop);
        MOST_BYTES.set(self.before.1);
        if self.outermost {
            BYTES.set(self.before.0);
        }
        UNTIL_LOOK.set(0);
    }
}

/// Counts a step of work towards the bounds that are held on this thread, if any are.
#[inline]
pub fn count_step() {
    match UNTIL_LOOK.get() {
        0 => look(),
        until => UNTIL_LOOK.set(until - 1),
    }
}

/// Counts bytes that work is about to ask for.
#[inline]
pub fn count_bytes(bytes: usize) {
    let all = BYTES.get().saturating_add(bytes);
    BYTES.set(all);
    if all > MOST_BYTES.get() {
        full(all);
    }
}

#[cold]
fn look() {
    let reached = HELD.with_borrow_mut(|held| {
        // The first look comes at once, and the last one may come early: so many at most.
        UNTIL_LOOK.set(if held.is_empty() { u32::MAX } else { LOOK_EVERY - 1 });
        held.iter_mut().enumerate().find_map(|(number, Held { bounds, steps, .. })| {
            let is_out = bounds.steps.is_some_and(|most| *steps > most);
            *steps += u64::from(LOOK_EVERY);
            let reason = if bounds.cancel.as_ref().is_some_and(Cancel::is_asked) {
                StopReason::Cancelled
            } else if bounds.deadline.is_some_and(|at| Instant::now() >= at) {
                StopReason::Time
            } else if is_out {
                StopReason::Visits
            } else {
                return None;
            };
            Some(Reached { held: number, reason })
        })
    });
    if let Some(reached) = reached {
        throw(reached);
    }
}

#[cold]
fn full(all: usize) {
    let held = HELD.with_borrow(|held| held.iter().position(|held| all > held.most_bytes));
    if let Some(held) = held {
        throw(Reached { held, reason: StopReason::Memory });
    }
}

fn throw(reached: Reached) {
    // Bounds that are reached while something else unwinds are nobody's concern any more.
    if !std::thread::panicking() {
        resume_unwind(Box::new(reached));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn steps(count: u64) -> u64 {
        (0..count).for_each(|_| count_step());
        count
    }

    #[test]
    fn work_within_its_bounds_is_done() {
        assert_eq!(Bounds::default().hold(|| steps(1_000)), Ok(1_000));
        let bounds = Bounds { steps: Some(1_000), memory: Some(10), ..Bounds::default() };
        assert_eq!(bounds.hold(|| steps(900)), Ok(900));
        assert_eq!(bounds.hold(|| count_bytes(10)), Ok(()));
        // Without bounds nothing is counted.
        steps(100_000);
        count_bytes(usize::MAX);
        assert_eq!(bounds.hold(|| count_bytes(10)), Ok(()));
    }

    #[test]
    fn each_bound_ends_work_and_says_which_it_was() {
        let few = Bounds { steps: Some(1_000), ..Bounds::default() };
        assert_eq!(few.hold(|| steps(1_200)), Err(StopReason::Visits));
        let little = Bounds { memory: Some(10), ..Bounds::default() };
        assert_eq!(little.hold(|| (count_bytes(6), count_bytes(5))), Err(StopReason::Memory));
        let over = Bounds { deadline: Some(Instant::now()), ..Bounds::default() };
        assert_eq!(over.hold(|| steps(u64::MAX)), Err(StopReason::Time));
        let cancel = Cancel::default();
        let asked = Bounds { cancel: Some(cancel.clone()), ..Bounds::default() };
        assert_eq!(asked.hold(|| steps(500)), Ok(500));
        cancel.ask();
        assert_eq!(asked.hold(|| steps(u64::MAX)), Err(StopReason::Cancelled));
    }

    #[test]
    fn the_outer_bounds_hold_inside_inner_ones_and_after_them() {
        let outer = Bounds { memory: Some(100), steps: Some(1_000), ..Bounds::default() };
        let inner = Bounds { memory: Some(1_000), ..Bounds::default() };
        let both = |bytes| outer.hold(|| inner.hold(|| count_bytes(bytes)));
        assert_eq!(both(90), Ok(Ok(())));
        assert_eq!(both(110), Err(StopReason::Memory));
        let after = outer.hold(|| {
            assert_eq!(
                Bounds { memory: Some(5), ..inner.clone() }.hold(|| count_bytes(6)),
                Err(StopReason::Memory)
            );
            count_bytes(94);
            count_bytes(1);
        });
        assert_eq!(after, Err(StopReason::Memory));
        assert_eq!(outer.hold(|| inner.hold(|| steps(2_000))), Err(StopReason::Visits));
    }

    #[test]
    fn a_caller_s_bounds_are_set_aside_and_hold_again() {
        let outer = Bounds { memory: Some(10), steps: Some(100), ..Bounds::default() };
        let done = outer.hold(|| {
            let aside = without_bounds(|| {
                count_bytes(1_000);
                Bounds { memory: Some(5), ..Bounds::default() }
                    .hold(|| (steps(10_000), count_bytes(6)))
            });
            assert_eq!(aside, Err(StopReason::Memory));
            count_bytes(10);
            count_bytes(1);
        });
        assert_eq!(done, Err(StopReason::Memory));
    }

    #[test]
    fn a_panic_goes_through() {
        let panic = catch_unwind(|| Bounds::default().hold(|| resume_unwind(Box::new("ours"))));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"ours"));
        let soon = Instant::now() + Duration::from_secs(100);
        assert_eq!(Bounds { deadline: Some(soon), ..Bounds::default() }.hold(|| steps(9)), Ok(9));
    }
}
