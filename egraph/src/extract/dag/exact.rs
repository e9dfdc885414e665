//! Whether the cheapest DAG is found: the question is made smaller, falls into parts, and each part that is left is searched and
//! then put to an integer program.

use crate::extract::dag::choices::{Choices, Making, Number, Sum, add};
use crate::extract::dag::program::Program;
use crate::extract::dag::question::{Question, Way};
use crate::extract::dag::solver::DagSolver;
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
    question.reduce(bound, end);
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
fn answered_part(mut question: Question, end: Instant) -> Answer {
    let mut best = searched(&question, end);
    let before = question.size();
    question.reduce(Some(&best.total), end);
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

/// The answer of a search.
fn searched(question: &Question, end: Instant) -> Answer {
    let making =
        |way: &Way| -> Making { (way.needs.iter().copied().collect(), way.weight.clone()) };
    let places: Vec<Vec<Making>> =
        question.places.iter().map(|ways| ways.iter().map(making).collect()).collect();
    let measures = question.start().map_or(0, |start| start.weight.len());
    let arranged = Choices::arranged(&places, question.root, measures);
    let (choices, origins) = arranged.expect("a question that is clean has an answer");
    let mut solver = DagSolver::new(choices);
    let (all, turn) = VISITS;
    let ways = origins.len() as u64;
    for _ in 0..all / turn {
        if !solver.improve(turn * ways) || Instant::now() >= end {
            break;
        }
    }
    let used = solver.ways().map(|way| {
        let [place, number] = origins[way];
        &question.places[place][number]
    });
    let (ways, total) = (question.ways_of(used), Sum::from_slice(solver.total()));
    Answer { ways, total, is_least: false }
}
