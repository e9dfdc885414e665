//! Whether the cheapest DAG is found: the question is made smaller, falls into parts, and each part that is left is searched and
//! then put to an integer program.

use crate::extract::dag::apart::Searched;
use crate::extract::dag::program::Program;
use crate::extract::dag::question::{Question, Way};
use crate::extract::dag::solver::DagSolver;
use crate::extract::dag::sums::{Number, Sum, add};
use std::time::{Duration, Instant};

/// The search in a part looks at so many ways and places for each of its ways, in turns of so many for each.
const VISITS: (u64, u64) = (20_000, 100);

impl DagSolver {
    /// Finds the cheapest answer and proves that none costs less, within a time; whether it could. If not, the
    /// answer may have become cheaper all the same. Costs must be below 2⁵³. What is proved rests in part on the
    /// arithmetic of an integer program with doubles; what an answer costs does not.
    pub fn prove(&mut self, time: Duration) -> bool {
        let Some(end) = Instant::now().checked_add(time) else { return false };
        if self.total().iter().any(|&total| total >= 1 << 53) {
            return false;
        }
        let Some(answer) = answered(Question::of(self.choices()), None, end) else { return false };
        self.take(&answer.ways);
        answer.is_least
    }
}

/// An answer to a question.
struct Answer {
    /// Ways of the whole question.
    ways: Vec<Number>,
    total: Sum,
    /// Whether no other one costs less.
    is_least: bool,
}

/// The best answer that was found within the time; none if it is proved that none costs less than the bound.
fn answered(mut question: Question, bound: Option<&Sum>, end: Instant) -> Option<Answer> {
    question.reduce(bound, Some(end));
    let start = question.start()?;
    let mut total = start.weight.clone();
    let mut ways: Vec<Way> = vec![start.clone()];
    let mut is_least = true;
    let mut parts = question.parts();
    // What is hard is tried last.
    parts.sort_by_key(|part| part.question.size());
    for part in parts {
        let answer = answered_part(part.question, end);
        ways.extend(answer.ways.iter().map(|&way| part.ways[way as usize].clone()));
        add(&mut total, &answer.total);
        is_least &= answer.is_least;
    }
    Some(Answer { ways: question.ways_of(ways.iter()), total, is_least })
}

/// The same for a question that is as small as it becomes without a bound. It has an answer.
fn answered_part(question: Question, end: Instant) -> Answer {
    let mut searched = Searched::new(question);
    let (all, turn) = VISITS;
    let ways = searched.count() as u64;
    for _ in 0..all / turn {
        if !searched.improve(turn * ways) || Instant::now() >= end {
            break;
        }
    }
    let mut best = Answer { ways: searched.ways(), total: searched.total(), is_least: false };
    let mut question = searched.question;
    let before = question.size();
    question.reduce(Some(&best.total), Some(end));
    let (places, ways) = question.size();
    let found = match question.start() {
        None => None,
        // So much smaller that it is searched once more, or in parts.
        Some(_) if 4 * ways <= 3 * before.1 || question.parts().len() > 1 && places < before.0 => {
            let bound = best.total.clone();
            answered(question, Some(&bound), end)
        }
        Some(_) => match Program::least(&question, &best.total, end) {
            Some(answer) => answer.map(|(ways, total)| Answer { ways, total, is_least: true }),
            None => return best,
        },
    };
    let is_least = found.as_ref().is_none_or(|found| found.is_least);
    if let Some(found) = found.filter(|found| found.total < best.total) {
        best = found;
    }
    Answer { is_least, ..best }
}
