//! One queue for the questions of many threads, answered in batches.
//!
//! A thread asks and waits. Whoever finds nobody at work takes all that has been asked so far and
//! answers it, also for the others; meanwhile more is asked, so the batches are as large as the
//! work is slow. There is no thread of the queue's own, nobody waits for a batch to fill up, and nobody
//! works on a batch without the own question.

use anyhow::{Result, anyhow};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Answers a batch of questions, one answer each in their order. An answer must not depend on the
/// questions beside its own.
type Answer<'a, Q, A> = dyn Fn(Vec<Q>) -> Result<Vec<A>> + Send + Sync + 'a;

/// An answer, and what it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed<A> {
    /// The answer.
    pub answer: A,
    /// Seconds that were computed for it: of a batch its share. Waiting is not among them.
    pub seconds: f64,
}

/// Questions `Q` of many threads, and how they are answered.
pub struct Queue<'a, Q, A> {
    answer: Box<Answer<'a, Q, A>>,
    /// How much work a question is beside others.
    work: fn(&Q) -> usize,
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
    answered: FxHashMap<u64, Result<Timed<A>, String>>,
}

impl<'a, Q, A> Queue<'a, Q, A> {
    /// A queue whose questions are answered by `answer`, at most `most` at once. On a GPU one
    /// batch at a time is best (`workers`), on processors one per core. `work` says how much work a
    /// question is beside others: the seconds of a batch are divided by it.
    pub fn new(
        workers: usize,
        most: usize,
        work: fn(&Q) -> usize,
        answer: impl Fn(Vec<Q>) -> Result<Vec<A>> + Send + Sync + 'a,
    ) -> Queue<'a, Q, A> {
        let state =
            State { next: 0, asked: VecDeque::new(), working: 0, answered: FxHashMap::default() };
        Queue {
            answer: Box::new(answer),
            work,
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
    pub fn ask(&self, question: Q) -> Result<Timed<A>> {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.asked.push_back((number, question));
        loop {
            if let Some(answer) = state.answered.remove(&number) {
                return answer.map_err(|text| anyhow!(text));
            }
            let free = state.working < self.workers;
            let own = state.asked.iter().position(|(other, _)| *other == number);
            match own.filter(|_| free).and_then(|place| state.asked.remove(place)) {
                Some(own) => {
                    let others = state.asked.len().min(self.most - 1);
                    let batch = std::iter::once(own).chain(state.asked.drain(..others)).collect();
                    state.working += 1;
                    drop(state);
                    self.work(batch);
                    state = self.lock();
                }
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn work(&self, batch: Vec<(u64, Q)>) {
        let shares = batch.iter().map(|(number, q)| (*number, (self.work)(q).max(1))).collect();
        let questions: Vec<Q> = batch.into_iter().map(|(_, question)| question).collect();
        let (count, began) = (questions.len(), Instant::now());
        let mut work = Work { queue: self, began, shares, answers: Err("a panic".to_owned()) };
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
    began: Instant,
    /// The numbers of the questions, and how much work each is.
    shares: Vec<(u64, usize)>,
    answers: Result<Vec<A>, String>,
}

impl<Q, A> Drop for Work<'_, '_, Q, A> {
    fn drop(&mut self) {
        let seconds = self.began.elapsed().as_secs_f64();
        let whole: usize = self.shares.iter().map(|(_, work)| work).sum();
        let mut state = self.queue.lock();
        state.working -= 1;
        match std::mem::replace(&mut self.answers, Ok(Vec::new())) {
            Ok(answers) => {
                for ((number, work), answer) in self.shares.drain(..).zip(answers) {
                    let seconds = seconds * work as f64 / whole as f64;
                    state.answered.insert(number, Ok(Timed { answer, seconds }));
                }
            }
            Err(text) => {
                let all = self.shares.drain(..).map(|(number, _)| (number, Err(text.clone())));
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
    use std::thread::ThreadId;
    use std::time::Duration;

    #[test]
    fn everyone_gets_the_answer_to_the_own_question() {
        for (workers, most) in [(1, 100), (2, 3), (4, 1)] {
            let batches = AtomicUsize::new(0);
            let queue = Queue::new(
                workers,
                most,
                |_| 1,
                |questions: Vec<u64>| {
                    assert!(questions.len() <= most);
                    batches.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(std::time::Duration::from_millis(1));
                    Ok(questions.iter().map(|q| q * q).collect())
                },
            );
            std::thread::scope(|scope| {
                for thread in 0..8 {
                    let queue = &queue;
                    scope.spawn(move || {
                        for i in 0..20 {
                            let question = thread * 100 + i;
                            assert_eq!(queue.ask(question).unwrap().answer, question * question);
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
        let queue = Queue::new(
            1,
            10,
            |_| 1,
            |questions: Vec<u64>| {
                assert!(!questions.contains(&3), "three");
                anyhow::ensure!(!questions.contains(&4), "no four");
                Ok(questions)
            },
        );
        assert!(queue.ask(4).unwrap_err().to_string().contains("no four"));
        std::thread::scope(|scope| {
            assert!(scope.spawn(|| queue.ask(3)).join().is_err());
        });
        assert_eq!(queue.ask(5).unwrap().answer, 5);
    }

    /// A queue of naps; a question is how many milliseconds it takes.
    fn naps<'a>(workers: usize, most: usize) -> Queue<'a, u64, ()> {
        let nap = |questions: Vec<u64>| {
            std::thread::sleep(Duration::from_millis(questions.iter().sum()));
            Ok(vec![(); questions.len()])
        };
        Queue::new(workers, most, |q| *q as usize, nap)
    }

    #[test]
    fn waiting_for_others_and_working_for_them_is_not_counted() {
        // Alone in its batch, beside others in one, and with two batches at a time.
        for (workers, most) in [(1, 1), (1, 100), (2, 1), (2, 100)] {
            let queue = naps(workers, most);
            let began = Instant::now();
            let counted: f64 = std::thread::scope(|scope| {
                let ask = |thread: u64| {
                    let queue = &queue;
                    move || {
                        let naps = (0..4).map(|i| 5 + 10 * ((thread + i) % 3));
                        let one = |nap: u64| {
                            let seconds = queue.ask(nap).unwrap().seconds;
                            assert!(seconds >= nap as f64 / 1e3, "{seconds} for {nap} ms");
                            seconds
                        };
                        naps.map(one).sum::<f64>()
                    }
                };
                let threads: Vec<_> = (0..6).map(|thread| scope.spawn(ask(thread))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            // Whatever was counted was somebody's work; six threads waited as long.
            let worked = began.elapsed().as_secs_f64() * workers as f64;
            assert!(counted <= worked, "{counted} of {worked} seconds");
        }
    }

    #[test]
    fn nobody_works_on_a_batch_without_the_own_question() {
        let own = |threads: Vec<ThreadId>| {
            std::thread::sleep(Duration::from_millis(1));
            Ok(vec![threads.contains(&std::thread::current().id()); threads.len()])
        };
        for most in [1, 3] {
            let queue = &Queue::new(2, most, |_| 1, own);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(move || {
                        let own = || queue.ask(std::thread::current().id()).unwrap().answer;
                        assert!((0..20).all(|_| own()));
                    });
                }
            });
        }
    }
}
