//! One queue for the questions of many threads, answered in batches.
//!
//! A thread asks and waits. Whoever finds nobody at work takes all that has been asked so far and
//! answers it, also for the others; meanwhile more is asked, so the batches are as large as the
//! work is slow. There is no thread of the queue's own, and nobody waits for a batch to fill up.

use anyhow::{Result, anyhow};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Answers a batch of questions, one answer each in their order. An answer must not depend on the
/// questions beside its own.
type Answer<'a, Q, A> = dyn Fn(Vec<Q>) -> Result<Vec<A>> + Send + Sync + 'a;

/// Questions `Q` of many threads, and how they are answered.
pub struct Queue<'a, Q, A> {
    answer: Box<Answer<'a, Q, A>>,
    /// Batches that may be answered at a time.
    workers: usize,
    /// Questions of a batch.
    most: usize,
    state: Mutex<State<Q, A>>,
    changed: Condvar,
}

struct State<Q, A> {
    next: u64,
    asked: VecDeque<(u64, Q)>,
    working: usize,
    answered: FxHashMap<u64, Result<A, String>>,
}

impl<'a, Q, A> Queue<'a, Q, A> {
    /// A queue whose questions are answered by `answer`, at most `most` at once. On a GPU one
    /// batch at a time is best (`workers`), on processors one per core.
    pub fn new(
        workers: usize,
        most: usize,
        answer: impl Fn(Vec<Q>) -> Result<Vec<A>> + Send + Sync + 'a,
    ) -> Queue<'a, Q, A> {
        let state =
            State { next: 0, asked: VecDeque::new(), working: 0, answered: FxHashMap::default() };
        Queue {
            answer: Box::new(answer),
            workers: workers.max(1),
            most: most.max(1),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// The answer to a question. Must not be called from within an answer.
    ///
    /// # Errors
    /// Answering the batch failed; every asker of the batch gets the error's text.
    pub fn ask(&self, question: Q) -> Result<A> {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.asked.push_back((number, question));
        loop {
            if let Some(answer) = state.answered.remove(&number) {
                return answer.map_err(|text| anyhow!(text));
            }
            if state.working < self.workers && !state.asked.is_empty() {
                let size = state.asked.len().min(self.most);
                let batch = state.asked.drain(..size).collect();
                state.working += 1;
                drop(state);
                self.work(batch);
                state = self.lock();
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn work(&self, batch: Vec<(u64, Q)>) {
        let (numbers, questions): (Vec<u64>, Vec<Q>) = batch.into_iter().unzip();
        let mut work = Work { queue: self, numbers, answers: Err("a panic".to_owned()) };
        let count = work.numbers.len();
        work.answers = match (self.answer)(questions) {
            Ok(answers) if answers.len() == count => Ok(answers),
            Ok(answers) => Err(format!("{} answers to {count} questions", answers.len())),
            Err(error) => Err(format!("{error:#}")),
        };
    }

    fn lock(&self) -> MutexGuard<'_, State<Q, A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A batch at work. However it ends, those who wait get something.
struct Work<'q, 'a, Q, A> {
    queue: &'q Queue<'a, Q, A>,
    numbers: Vec<u64>,
    answers: Result<Vec<A>, String>,
}

impl<Q, A> Drop for Work<'_, '_, Q, A> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.working -= 1;
        match std::mem::replace(&mut self.answers, Ok(Vec::new())) {
            Ok(answers) => {
                state.answered.extend(self.numbers.drain(..).zip(answers.into_iter().map(Ok)));
            }
            Err(text) => {
                let all = self.numbers.drain(..).map(|number| (number, Err(text.clone())));
                state.answered.extend(all);
            }
        }
        drop(state);
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn everyone_gets_the_answer_to_the_own_question() {
        for (workers, most) in [(1, 100), (2, 3), (4, 1)] {
            let batches = AtomicUsize::new(0);
            let queue = Queue::new(workers, most, |questions: Vec<u64>| {
                assert!(questions.len() <= most);
                batches.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(1));
                Ok(questions.iter().map(|q| q * q).collect())
            });
            std::thread::scope(|scope| {
                for thread in 0..8 {
                    let queue = &queue;
                    scope.spawn(move || {
                        for i in 0..20 {
                            let question = thread * 100 + i;
                            assert_eq!(queue.ask(question).unwrap(), question * question);
                        }
                    });
                }
            });
            // With one worker, all that wait are answered together.
            let batches = batches.load(Ordering::SeqCst);
            assert!(batches >= 160 / most && (most < 100 || batches < 160), "{batches}");
        }
    }

    #[test]
    fn an_error_or_a_panic_leaves_nobody_waiting() {
        let queue = Queue::new(1, 10, |questions: Vec<u64>| {
            assert!(!questions.contains(&3), "three");
            anyhow::ensure!(!questions.contains(&4), "no four");
            Ok(questions)
        });
        assert!(queue.ask(4).unwrap_err().to_string().contains("no four"));
        std::thread::scope(|scope| {
            assert!(scope.spawn(|| queue.ask(3)).join().is_err());
        });
        assert_eq!(queue.ask(5).unwrap(), 5);
    }
}
