//! The search in a question that was made smaller, in each of the parts that it falls into.

use crate::extract::dag::changes::Changes;
use crate::extract::dag::choices::Choices;
use crate::extract::dag::question::{Part, Question, Way};
use crate::extract::dag::sums::{Making, Number, Sum};

/// A question with a search in it.
pub(super) struct Searched {
    pub question: Question,
    solver: Changes,
    /// By way of the solver: its place, and its number among the ways there.
    origins: Vec<[usize; 2]>,
}

impl Searched {
    /// Of a question that is clean and has an answer.
    pub fn new(question: Question) -> Searched {
        let making =
            |way: &Way| -> Making { (way.needs.iter().copied().collect(), way.weight.clone()) };
        let places: Vec<Vec<Making>> =
            question.places.iter().map(|ways| ways.iter().map(making).collect()).collect();
        let measures = question.start().map_or(0, |start| start.weight.len());
        let arranged = Choices::arranged(&places, question.root, measures);
        let (choices, origins) = arranged.expect("a question that is clean has an answer");
        Searched { question, solver: Changes::new(choices), origins }
    }

    /// As [`Changes::improve`].
    pub fn improve(&mut self, visits: u64) -> bool {
        self.solver.improve(visits)
    }

    /// How many ways there are to try.
    pub fn count(&self) -> usize {
        self.origins.len()
    }

    /// What the best answer costs.
    pub fn total(&self) -> Sum {
        Sum::from_slice(self.solver.total())
    }

    /// Its ways, of the whole question.
    pub fn ways(&self) -> Vec<Number> {
        let used = self.solver.ways().map(|way| {
            let [place, number] = self.origins[way];
            &self.question.places[place][number]
        });
        self.question.ways_of(used)
    }
}

/// A question in parts, with a search in each.
pub(super) struct Apart {
    question: Question,
    /// Each with the ways of the question by its own numbers, and whether there is more to try.
    parts: Vec<(Searched, Vec<Way>, bool)>,
}

impl Apart {
    /// Of the whole question, made smaller.
    pub fn of(choices: &Choices) -> Apart {
        let mut question = Question::of(choices);
        question.reduce(None, None);
        let parts = question.parts().into_iter();
        let parts = parts.map(|Part { question, ways }| (Searched::new(question), ways, true));
        Apart { parts: parts.collect(), question }
    }

    /// Tries changes in all parts, as [`Changes::improve`] in each with its share; whether there is more to try.
    pub fn improve(&mut self, visits: u64) -> bool {
        let all: usize = self.parts.iter().map(|(part, ..)| part.count()).sum();
        for (part, _, more) in self.parts.iter_mut().filter(|(.., more)| *more) {
            let share = visits as u128 * part.count() as u128 / all.max(1) as u128;
            *more = part.improve((share as u64).max(1));
        }
        self.parts.iter().any(|(.., more)| *more)
    }

    /// The ways of the best answer, of the whole question.
    pub fn ways(&self) -> Vec<Number> {
        let of_parts = self
            .parts
            .iter()
            .flat_map(|(part, ways, _)| part.ways().into_iter().map(|way| &ways[way as usize]));
        self.question.ways_of(self.question.start().into_iter().chain(of_parts))
    }
}
