//! Whether the cheapest DAG is found: an integer program, for which microlp finds the least cost and proves it.
//!
//! A variable says whether a way is used. Exactly one way of the whole term is, and no way without
//! one of each place that it needs. Nothing there forbids a place to be needed by itself: where the
//! solution has such a circle, that circle is forbidden and the program solved again.

use crate::extract::dag::choices::{Choices, Number};
use crate::extract::dag::solver::DagSolver;
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOptions, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Ways of a place that are compared with each other, at most.
const COMPARED: usize = 256;

impl DagSolver {
    /// Finds the cheapest answer and proves that none costs less, one measure after the other, within a time;
    /// whether it could. Costs must be below 2⁵³. What the solver says of bounds rests on its arithmetic
    /// with doubles; what an answer costs does not.
    pub fn prove(&mut self, time: Duration) -> bool {
        let Some(end) = Instant::now().checked_add(time) else { return false };
        let mut circles = Vec::new();
        (0..self.total().len()).all(|measure| self.prove_measure(measure, end, &mut circles))
    }

    /// The same for one measure, if those before it are the least already. `circles` are forbidden, and
    /// more of them as they are met.
    fn prove_measure(
        &mut self,
        measure: usize,
        end: Instant,
        circles: &mut Vec<Vec<Number>>,
    ) -> bool {
        if self.total()[measure] >= 1 << 53 {
            return false;
        }
        let mut program = Program::new(self.choices(), &self.total()[..measure]);
        circles.iter().for_each(|circle| program.forbid(self.choices(), circle));
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let Some((bound, used)) = program.solve(left, self.ways()) else { return false };
            // Costs are multiples of the unit.
            if bound > (self.total()[measure] / program.unit) as f64 - 0.5 {
                return true;
            }
            let met = circles_of(self.choices(), &used);
            if met.is_empty() {
                return self.take(&used);
            }
            met.iter().for_each(|circle| program.forbid(self.choices(), circle));
            circles.extend(met);
        }
    }
}

struct Program {
    problem: Problem,
    /// By way, if it may be needed at all.
    variables: BTreeMap<Number, Variable>,
    /// What all costs are multiples of.
    unit: u64,
}

impl Program {
    /// For the first measure of which no total is given; those of the others must not be exceeded.
    fn new(choices: &Choices, totals: &[u64]) -> Program {
        let kept: Vec<Vec<Number>> =
            (0..choices.places() as Number).map(|place| undominated(choices, place)).collect();
        let reached = reached(choices, &kept);
        let places = || (0..kept.len()).filter(|&place| reached[place]);
        let weight = |way: Number| choices.weight(way)[totals.len()];
        let unit =
            places().flat_map(|place| &kept[place]).fold(0, |unit, &way| gcd(unit, weight(way)));
        let unit = unit.max(1);
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let mut variables = BTreeMap::new();
        for place in places() {
            for &way in &kept[place] {
                variables.insert(way, problem.add_binary_var((weight(way) / unit) as f64));
            }
        }
        let root = kept[choices.root as usize].iter().map(|way| (variables[way], 1.0));
        problem.add_constraint(root.collect::<Vec<_>>(), ComparisonOp::Eq, 1.0);
        for place in places() {
            let mut users: BTreeMap<Number, Vec<(Variable, f64)>> = BTreeMap::new();
            for way in &kept[place] {
                for &needed in choices.needs(*way) {
                    let users = users.entry(needed).or_default();
                    if users.last().is_none_or(|&(last, _)| last != variables[way]) {
                        users.push((variables[way], -1.0));
                    }
                }
            }
            for (needed, mut terms) in users {
                terms.extend(kept[needed as usize].iter().map(|way| (variables[way], 1.0)));
                problem.add_constraint(terms, ComparisonOp::Ge, 0.0);
            }
        }
        for (measure, &total) in totals.iter().enumerate() {
            let weight = |(&way, &variable)| (variable, choices.weight(way)[measure] as f64);
            let terms: Vec<(Variable, f64)> = variables.iter().map(weight).collect();
            problem.add_constraint(terms, ComparisonOp::Le, total as f64);
        }
        Program { problem, variables, unit }
    }

    /// The least that any solution costs, in units, and the ways that the best solution uses; none within
    /// the time.
    fn solve(
        &self,
        time: Duration,
        known: impl Iterator<Item = usize>,
    ) -> Option<(f64, Vec<Number>)> {
        let known: BTreeSet<Number> = known.map(|way| way as Number).collect();
        let mut options = SolveOptions::default();
        options.time_limit = Some(time);
        if known.iter().all(|way| self.variables.contains_key(way)) {
            let value = |way| if known.contains(way) { 1.0 } else { 0.0 };
            let hint = self.variables.iter().map(|(way, &variable)| (variable, value(way)));
            options.warm_start = Some(hint.collect());
        }
        let solution = self.problem.solve_with(options).ok()?;
        let solution = solution.solution().filter(|_| solution.is_optimal())?;
        let used = |&(_, &variable): &(&Number, &Variable)| solution.var_value(variable) > 0.5;
        Some((
            solution.objective(),
            self.variables.iter().filter(used).map(|(&way, _)| way).collect(),
        ))
    }

    /// Lets places no longer need each other in a circle.
    fn forbid(&mut self, choices: &Choices, circle: &[Number]) {
        let mut terms = Vec::new();
        for (i, &place) in circle.iter().enumerate() {
            let next = circle[(i + 1) % circle.len()];
            let leading = choices.ways(place).filter(|&way| choices.needs(way).contains(&next));
            terms.extend(leading.filter_map(|way| Some((*self.variables.get(&way)?, 1.0))));
        }
        self.problem.add_constraint(terms, ComparisonOp::Le, circle.len() as f64 - 1.0);
    }
}

/// The ways of a place but those for which another one does with no more.
fn undominated(choices: &Choices, place: Number) -> Vec<Number> {
    let mut ways: Vec<Number> = choices.ways(place).collect();
    if ways.len() > COMPARED {
        return ways;
    }
    ways.sort_by_key(|&way| (choices.weight(way), choices.needs(way).len(), way));
    let mut kept: Vec<Number> = Vec::new();
    for way in ways {
        let no_more = |&other: &Number| {
            choices.needs(other).iter().all(|needed| choices.needs(way).contains(needed))
        };
        if !kept.iter().any(no_more) {
            kept.push(way);
        }
    }
    kept
}

/// By place whether the whole term may need it.
fn reached(choices: &Choices, kept: &[Vec<Number>]) -> Vec<bool> {
    let mut reached = vec![false; kept.len()];
    let mut todo = vec![choices.root];
    while let Some(place) = todo.pop() {
        if !std::mem::replace(&mut reached[place as usize], true) {
            todo.extend(kept[place as usize].iter().flat_map(|&way| choices.needs(way)));
        }
    }
    reached
}

/// Circles in which the places of a solution need each other, as they are met from the whole term.
fn circles_of(choices: &Choices, used: &[Number]) -> Vec<Vec<Number>> {
    let ways: BTreeMap<Number, Number> =
        used.iter().rev().map(|&way| (choices.place_of(way), way)).collect();
    let mut circles = Vec::new();
    let mut entered = BTreeMap::new();
    let mut path = vec![(choices.root, 0)];
    entered.insert(choices.root, true);
    while let Some((place, done)) = path.last_mut() {
        let needed = ways.get(place).and_then(|&way| choices.needs(way).get(*done)).copied();
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
