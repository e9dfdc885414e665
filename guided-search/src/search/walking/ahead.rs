//! Work ahead: e-graphs that grow on other threads while a search goes on.
//!
//! What such work comes to depends on nothing that the search does meanwhile, and the search takes it at a place in its own
//! order. So answers are the same whoever did the work, and when.
//!
//! A search has as many threads as it was given, its own among them, and at most so many are at work at a time: while it waits,
//! another one takes its place. With one thread work is done where it is taken.

use crate::search::stage::Ended;
use anyhow::Result;
use egraph::{Bounds, Cancel, StopReason, without_bounds};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Between looks whether a search that waits has been asked to end.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Those who work ahead for one search.
pub struct Crew {
    /// Within which each piece of work is done.
    bounds: Bounds,
    /// Asks all of them to end.
    cancel: Cancel,
    board: Arc<Board>,
    threads: usize,
    /// Begun with the first work.
    hands: Vec<JoinHandle<()>>,
}

/// Work that somebody may have begun.
pub struct Ahead<T> {
    job: Arc<Job<T>>,
    board: Arc<Board>,
    cancel: Cancel,
}

/// Where work is left.
struct Board {
    at: Mutex<Left>,
    has_changed: Condvar,
}

struct Left {
    work: VecDeque<Arc<dyn Piece>>,
    /// How many more may work now; negative where one has worked on while the search went on, too.
    places: isize,
    is_over: bool,
}

/// A piece of work that whoever has time does.
trait Piece: Send + Sync {
    /// Does it, if nobody has begun.
    fn work(&self);
}

struct Job<T> {
    state: Mutex<State<T>>,
    is_done: Condvar,
}

type Work<T> = Box<dyn FnOnce() -> Result<T, StopReason> + Send>;

enum State<T> {
    Waiting(Work<T>),
    Begun,
    Done(thread::Result<Result<T, StopReason>>),
    /// It was taken, or nobody wants it any more.
    Gone,
}

impl Crew {
    /// So many threads, that of the search among them. Each piece of work ends at `bounds`, whose cancel is the search's.
    pub fn new(bounds: Bounds, threads: usize) -> Crew {
        let cancel = bounds.cancel.as_ref().map_or_else(Cancel::default, Cancel::below);
        let places = isize::try_from(threads).unwrap_or(isize::MAX).saturating_sub(1);
        let at = Mutex::new(Left { work: VecDeque::new(), places, is_over: false });
        let board = Arc::new(Board { at, has_changed: Condvar::new() });
        Crew { bounds, cancel, board, threads, hands: Vec::new() }
    }

    /// How many threads the search has.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Leaves work to whoever has time; it gets what asks it to end early, which is when the search ends or nobody wants
    /// the result.
    pub fn begin<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(Cancel) -> T + Send + 'static,
    ) -> Ahead<T> {
        let cancel = self.cancel.below();
        let bounds = Bounds { cancel: Some(cancel.clone()), ..self.bounds.clone() };
        let asks = cancel.clone();
        // Bounds that the thread holds are the search's.
        let work = move || without_bounds(|| bounds.hold(|| work(asks)));
        let state = Mutex::new(State::Waiting(Box::new(work)));
        let job = Arc::new(Job { state, is_done: Condvar::new() });
        if self.threads > 1 {
            // With fewer than were asked for the search itself does what is left.
            while self.hands.len() < self.threads {
                let board = self.board.clone();
                let Ok(hand) = thread::Builder::new().spawn(move || board.work()) else { break };
                self.hands.push(hand);
            }
            self.board.leave(job.clone());
        }
        Ahead { job, board: self.board.clone(), cancel }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.cancel.ask();
        locked(&self.board.at).is_over = true;
        self.board.has_changed.notify_all();
        for hand in self.hands.drain(..) {
            // What panicked was caught before.
            let _ = hand.join();
        }
    }
}

impl Board {
    fn leave(&self, piece: Arc<dyn Piece>) {
        locked(&self.at).work.push_back(piece);
        self.has_changed.notify_one();
    }

    /// Does what is left, where there is a place, until the search is over.
    fn work(&self) {
        let mut at = locked(&self.at);
        while !at.is_over {
            if at.places <= 0 || at.work.is_empty() {
                at = self.has_changed.wait(at).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let piece = at.work.pop_front();
            at.places -= 1;
            drop(at);
            if let Some(piece) = piece {
                piece.work();
            }
            at = locked(&self.at);
            at.places += 1;
        }
    }

    /// Gives the place of the search to somebody else while it waits.
    fn instead<T>(&self, wait: impl FnOnce() -> T) -> T {
        locked(&self.at).places += 1;
        self.has_changed.notify_one();
        let waited = wait();
        locked(&self.at).places -= 1;
        waited
    }
}

impl<T: Send + 'static> Ahead<T> {
    /// What it comes to, once it is done.
    ///
    /// # Errors
    /// [`Ended`], at the bounds of the crew.
    pub fn take(self) -> Result<T> {
        self.job.work();
        if matches!(*locked(&self.job.state), State::Begun) {
            self.board.instead(|| self.job.wait(&self.cancel));
        }
        let state = std::mem::replace(&mut *locked(&self.job.state), State::Gone);
        match state {
            State::Done(Ok(done)) => done.map_err(|reason| Ended(reason).into()),
            State::Done(Err(panic)) => resume_unwind(panic),
            State::Waiting(_) | State::Begun | State::Gone => unreachable!("it was waited for"),
        }
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        self.cancel.ask();
        let mut state = locked(&self.job.state);
        // What is being done goes when it is done.
        if !matches!(*state, State::Begun) {
            let gone = std::mem::replace(&mut *state, State::Gone);
            drop(state);
            drop(gone);
        }
    }
}

impl<T> Job<T> {
    /// Waits until it is done. Some are asked to end only where the thread of the search looks.
    fn wait(&self, cancel: &Cancel) {
        let mut state = locked(&self.state);
        while matches!(*state, State::Begun) {
            let waited = self.is_done.wait_timeout(state, LOOK_EVERY);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            cancel.is_asked();
        }
    }
}

impl<T: Send> Piece for Job<T> {
    fn work(&self) {
        let mut state = locked(&self.state);
        if !matches!(*state, State::Waiting(_)) {
            return;
        }
        let State::Waiting(work) = std::mem::replace(&mut *state, State::Begun) else { return };
        drop(state);
        let done = catch_unwind(AssertUnwindSafe(work));
        *locked(&self.state) = State::Done(done);
        self.is_done.notify_all();
    }
}

/// A panic of the work is caught before anything is locked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::count_step;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn what_is_taken_is_what_was_asked_for_with_any_number_of_threads() {
        for threads in [1, 2, 3, 64] {
            let mut crew = Crew::new(Bounds::default(), threads);
            let ahead: Vec<_> = (0..100).map(|i| crew.begin(move |_| i * i)).collect();
            let squares: Vec<usize> =
                ahead.into_iter().map(|ahead| ahead.take().unwrap()).collect();
            assert_eq!(squares, (0..100).map(|i| i * i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn as_many_are_at_work_as_there_are_threads() {
        for threads in [1, 2, 3] {
            let mut crew = Crew::new(Bounds::default(), threads);
            let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let ahead: Vec<_> = (0..30)
                .map(|_| {
                    let (now, most) = (now.clone(), most.clone());
                    crew.begin(move |_| {
                        most.fetch_max(now.fetch_add(1, Relaxed) + 1, Relaxed);
                        thread::sleep(Duration::from_millis(5));
                        now.fetch_sub(1, Relaxed);
                    })
                })
                .collect();
            ahead.into_iter().for_each(|ahead| ahead.take().unwrap());
            // One more where the search has come back while somebody has its place.
            let most = most.load(Relaxed);
            assert!(
                (threads.min(2)..=threads + usize::from(threads > 1)).contains(&most),
                "{most}"
            );
        }
    }

    #[test]
    fn work_that_nobody_takes_is_asked_to_end() {
        let mut crew = Crew::new(Bounds::default(), 2);
        let ended = Arc::new(AtomicUsize::new(0));
        let there = ended.clone();
        let until_asked = move |cancel: Cancel| {
            while !cancel.is_asked() {
                thread::yield_now();
            }
            there.fetch_add(1, Relaxed);
        };
        let ahead = crew.begin(until_asked.clone());
        while matches!(*locked(&ahead.job.state), State::Waiting(_)) {
            thread::yield_now();
        }
        drop(ahead);
        while ended.load(Relaxed) == 0 {
            thread::yield_now();
        }
        // So is what is left when the search is over.
        let ahead = crew.begin(until_asked);
        while matches!(*locked(&ahead.job.state), State::Waiting(_)) {
            thread::yield_now();
        }
        drop(crew);
        assert_eq!(ended.load(Relaxed), 2);
    }

    #[test]
    fn bounds_are_those_of_the_crew_and_a_panic_comes_back() {
        let steps = |count: u64| (0..count).for_each(|_| count_step());
        for threads in [1, 2] {
            let bounds = Bounds { steps: Some(1_000), ..Bounds::default() };
            let mut crew = Crew::new(bounds, threads);
            // What the thread that takes it holds does not count.
            let few = Bounds { steps: Some(100), ..Bounds::default() };
            assert_eq!(few.hold(|| crew.begin(move |_| steps(900)).take().unwrap()), Ok(()));
            let error = crew.begin(move |_| steps(10_000)).take().unwrap_err();
            assert_eq!(error.downcast::<Ended>().unwrap().0, StopReason::Visits);
            let ahead = crew.begin(|_| -> u8 { panic!("as it should") });
            assert!(catch_unwind(AssertUnwindSafe(|| ahead.take().is_ok())).is_err());
            assert_eq!(crew.begin(|_| 7).take().unwrap(), 7);
        }
    }

    #[test]
    fn asking_the_search_to_end_asks_its_work() {
        for threads in [1, 2] {
            let cancel = Cancel::default();
            let bounds = Bounds { cancel: Some(cancel.clone()), ..Bounds::default() };
            let mut crew = Crew::new(bounds, threads);
            let ahead = crew.begin(|cancel| {
                while !cancel.is_asked() {
                    thread::yield_now();
                }
            });
            cancel.ask();
            let error = ahead.take().unwrap_err();
            assert_eq!(error.downcast::<Ended>().unwrap().0, StopReason::Cancelled);
        }
    }
}
