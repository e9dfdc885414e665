//! A question for the cheapest choice as an integer program, for which microlp finds the least cost and proves it.
//!
//! A variable says whether a way is used. The root's is, and no way without one of each place that it needs. Nothing
//! there forbids a place to be needed by itself: where the solution has such a circle, that circle is forbidden and the
//! program solved again.

use crate::extract::dag::implied::circles;
use crate::extract::dag::question::{Question, Way};
use crate::extract::dag::sums::{Number, Sum, add};
use microlp::{ComparisonOp, Error, OptimizationDirection, Problem, SolveOptions, Variable};
use std::collections::BTreeMap;
use std::time::Instant;

/// Circles of so many places are forbidden before they are met: of more, constraints have too many terms.
const MOST_FORBIDDEN: usize = 16;

/// An integer program for one measure.
pub(super) struct Program<'q> {
    question: &'q Question,
    problem: Problem,
    /// By place and way.
    variables: Vec<Vec<Variable>>,
}

/// The way of each place that a solution uses, as its number among those of the place.
type Used = BTreeMap<Number, usize>;

impl Program<'_> {
    /// The ways of the least answer, if any costs less than the bound, and what they cost: one measure after the other
    /// is made the least. None where the time was not enough.
    #[allow(clippy::type_complexity)]
    pub fn least(
        question: &Question,
        bound: &Sum,
        end: Instant,
    ) -> Option<Option<(Vec<Number>, Sum)>> {
        let mut circles = all_circles(question);
        let mut best: Option<(Used, Sum)> = None;
        for measure in 0..bound.len() {
            // Of the last measure less is asked for; of the others no more.
            let below = best.as_ref().map_or(bound, |(_, total)| total);
            let is_last = measure + 1 == bound.len();
            let mut program = Program::new(question, &below[..=measure], is_last && best.is_none());
            circles.iter().for_each(|circle| program.forbid(circle));
            let used = loop {
                let used = match program.solve(end)? {
                    Some(used) => used,
                    None => break None,
                };
                let met = circles_of(question, &used);
                if met.is_empty() {
                    break Some(used);
                }
                met.iter().for_each(|circle| program.forbid(circle));
                circles.extend(met);
            };
            match used {
                Some(used) => {
                    let total = total(question, &used);
                    best = Some((used, total));
                }
                None => return Some(None),
            }
        }
        let Some((used, total)) = best else { return Some(None) };
        let ways = used.iter().map(|(&place, &way)| &question.places[place as usize][way]);
        Some(Some((question.ways_of(ways), total)))
    }
}

impl<'q> Program<'q> {
    /// For the measure behind those of which the total is given, and its own: these are not exceeded, the last one
    /// is not reached if that is asked for.
    fn new(question: &'q Question, most: &[u64], less: bool) -> Program<'q> {
        let measure = most.len() - 1;
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let all = || question.places.iter().flatten();
        let unit =
            |measure: usize| all().fold(0, |unit, way| gcd(unit, way.weight[measure])).max(1);
        let own = unit(measure);
        let variable = |way: &Way| problem.add_binary_var((way.weight[measure] / own) as f64);
        let mut variable = variable;
        let variables: Vec<Vec<Variable>> =
            question.places.iter().map(|ways| ways.iter().map(&mut variable).collect()).collect();
        let root = variables[question.root as usize].iter().map(|&way| (way, 1.0));
        problem.add_constraint(root.collect::<Vec<_>>(), ComparisonOp::Eq, 1.0);
        for (place, ways) in (0..).zip(&question.places) {
            let mut users: BTreeMap<Number, Vec<(Variable, f64)>> = BTreeMap::new();
            for (way, &variable) in ways.iter().zip(&variables[place]) {
                for &needed in &way.needs {
                    users.entry(needed).or_default().push((variable, -1.0));
                }
            }
            for (needed, mut terms) in users {
                terms.extend(variables[needed as usize].iter().map(|&way| (way, 1.0)));
                problem.add_constraint(terms, ComparisonOp::Ge, 0.0);
            }
        }
        for (number, &most) in most.iter().enumerate() {
            let unit = unit(number);
            let weights = all().map(|way| (way.weight[number] / unit) as f64);
            let terms: Vec<(Variable, f64)> = variables
                .iter()
                .flatten()
                .copied()
                .zip(weights)
                .filter(|&(_, w)| w != 0.0)
                .collect();
            let steps = (most / unit) as f64 - if less && number == measure { 1.0 } else { 0.0 };
            problem.add_constraint(terms, ComparisonOp::Le, steps + 0.25);
        }
        Program { question, problem, variables }
    }

    /// The best solution, none if there is none at all; nothing within the time.
    fn solve(&self, end: Instant) -> Option<Option<Used>> {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        let mut options = SolveOptions::default();
        options.time_limit = Some(left);
        let solution = match self.problem.solve_with(options) {
            Ok(solution) => solution,
            Err(Error::Infeasible) => return Some(None),
            Err(_) => return None,
        };
        let solution = solution.solution().filter(|_| solution.is_optimal())?;
        let mut used = Used::new();
        let mut todo = vec![self.question.root];
        while let Some(place) = todo.pop() {
            if used.contains_key(&place) {
                continue;
            }
            let is_used = |&way: &Variable| solution.var_value(way) > 0.5;
            let way = self.variables[place as usize].iter().position(is_used)?;
            used.insert(place, way);
            todo.extend(&self.question.places[place as usize][way].needs);
        }
        Some(Some(used))
    }

    /// Lets places no longer need each other in circles: any of them is made if one of them is in a way that needs none
    /// of them. (As the loop formulas of Lin and Zhao for logic programs, "ASSAT", AAAI 2002.)
    fn forbid(&mut self, circle: &[Number]) {
        let ways = |place: Number| {
            self.question.places[place as usize].iter().zip(&self.variables[place as usize])
        };
        let outside =
            |way: &Way| !circle.iter().any(|&place| way.needs.binary_search(&place).is_ok());
        let first: Vec<(Number, Variable)> = circle
            .iter()
            .flat_map(|&place| ways(place).map(move |(way, &variable)| (place, way, variable)))
            .filter(|(_, way, _)| outside(way))
            .map(|(place, _, variable)| (place, variable))
            .collect();
        for &place in circle {
            // Ways of the place itself stand on both sides.
            let others = first.iter().filter(|(other, _)| *other != place);
            let mut terms: Vec<(Variable, f64)> =
                others.map(|&(_, variable)| (variable, 1.0)).collect();
            terms.extend(ways(place).filter(|(way, _)| !outside(way)).map(|(_, &way)| (way, -1.0)));
            self.problem.add_constraint(terms, ComparisonOp::Ge, 0.0);
        }
    }
}

fn total(question: &Question, used: &Used) -> Sum {
    let ways = used.iter().map(|(&place, &way)| &question.places[place as usize][way]);
    let measures = question.start().map_or(0, |start| start.weight.len());
    ways.fold(Sum::from_elem(0, measures), |mut total, way| {
        add(&mut total, &way.weight);
        total
    })
}

/// Few places that may need each other in circles.
fn all_circles(question: &Question) -> Vec<Vec<Number>> {
    let mut members: BTreeMap<Number, Vec<Number>> = BTreeMap::new();
    for (place, circle) in (0..).zip(circles(question)) {
        members.entry(circle).or_default().push(place);
    }
    members.into_values().filter(|places| (2..=MOST_FORBIDDEN).contains(&places.len())).collect()
}

/// Circles in which the places of a solution need each other, as they are met from the root.
fn circles_of(question: &Question, used: &Used) -> Vec<Vec<Number>> {
    let needs = |place: Number| &question.places[place as usize][used[&place]].needs;
    let mut circles = Vec::new();
    let mut entered = BTreeMap::new();
    let mut path = vec![(question.root, 0)];
    entered.insert(question.root, true);
    while let Some((place, done)) = path.last_mut() {
        let needed = needs(*place).get(*done).copied();
        *done += 1;
        match needed {
            None => {
                entered.insert(*place, false);
                path.pop();
            }
            Some(needed) => match entered.get(&needed) {
                None => {
                    entered.insert(needed, true);
                    path.push((needed, 0));
                }
                Some(true) => {
                    let circle = path.iter().map(|&(place, _)| place);
                    circles.push(circle.skip_while(|&place| place != needed).collect());
                }
                Some(false) => {}
            },
        }
    }
    circles
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
