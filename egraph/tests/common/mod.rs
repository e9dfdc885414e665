//! Systems and helpers that several tests use.
#![allow(dead_code)] // each test program uses a part of it

pub mod random;
pub mod values;

use egraph::{EGraph, Limits, Rule, SaturationConfig, System, TermBank, TermId, saturate};
use rand::{Rng, RngExt};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Sums: associative both ways, commutative.
pub const SUMS: &str = "
(sort S) (op + (S S) S) (variable S)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)";

/// Integers with constants, conditions, computed literals, a non-linear pattern and a rule with
/// a bare variable on the right.
pub const INTEGERS: &str = "
(sort Int) (sort Bool)
(op + (Int Int) Int) (op - (Int Int) Int) (op * (Int Int) Int) (op / (Int Int) Int)
(op min (Int Int) Int) (op < (Int Int) Bool) (op && (Bool Bool) Bool) (op ! (Bool) Bool)
(literal i64 Int) (literal bool Bool) (variable Int)
(analysis constant)
(rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)
(rewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name add-assoc)
(rewrite (+ ?a 0) ?a :name add-zero)
(rewrite (- ?a ?a) 0 :name sub-self)
(rewrite (- ?a ?b) (+ ?a (* -1 ?b)) :name sub-add)
(birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)
(rewrite (* ?a ?b) (* ?b ?a) :name mul-comm)
(rewrite (* ?a 1) ?a :name mul-one)
(rewrite (* ?a 0) 0 :name mul-zero)
(rewrite (/ (* ?x ?a) ?b) (* ?x (compute (/ ?a ?b)))
  :when ((> ?b 0) (== (% ?a ?b) 0)) :name div-multiple)
(rewrite (/ (* ?x ?c) ?c) ?x :when ((const ?c) (!= ?c 0)) :name div-cancel)
(rewrite (min ?a ?a) ?a :name min-same)
(rewrite (min ?a ?b) (min ?b ?a) :name min-comm)
(rewrite (min ?x (+ ?x ?c)) ?x :when ((> ?c 0)) :name min-plus)
(rewrite (< (+ ?x ?c) ?y) (< ?x (- ?y ?c)) :when ((const ?c)) :name lt-move)
(rewrite (< ?a ?a) 0 :name lt-same)
(rewrite (&& 1 ?x) ?x :name and-one)
(rewrite (&& ?x ?y) (&& ?y ?x) :name and-comm)
(rewrite (! (! ?x)) ?x :name not-not)";

/// Reads a system that is known to be right.
pub fn system(text: &str) -> Arc<System> {
    Arc::new(System::parse(text).expect("the text of a test system"))
}

/// The shipped system of that name.
pub fn shipped(name: &str) -> Arc<System> {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems");
    let system = System::load(&systems.join(format!("{name}.rules")));
    Arc::new(system.unwrap_or_else(|e| panic!("{e}")))
}

/// Fewer instances of a rule than this, among random values, would show nothing.
const MIN_INSTANCES: usize = 100;

/// What is wrong with rules of the system `name`. `check` is given a rule and its number, and counts
/// the instances in which it holds.
pub fn wrong_rules<'r>(
    name: &str,
    rules: impl Iterator<Item = &'r Rule>,
    check: impl Fn(&Rule, u64) -> Result<usize, String>,
) -> Vec<String> {
    let wrong = |(number, rule): (u64, &Rule)| match check(rule, number) {
        Ok(instances) if instances < MIN_INSTANCES => {
            Some(format!("{name}: {} has {instances} instances only", rule.name))
        }
        Ok(_) => None,
        Err(message) => Some(format!("{name}: {message}")),
    };
    (0..).zip(rules).filter_map(wrong).collect()
}

/// The e-graph of `terms` after saturating to the limits.
pub fn grow(system: &Arc<System>, bank: &TermBank, terms: &[TermId], limits: Limits) -> EGraph {
    let mut egraph = EGraph::new(system.clone());
    for &t in terms {
        egraph.add_term(bank, t);
    }
    let config = SaturationConfig { limits, ..Default::default() };
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    egraph
}

/// A random term of at most about `size` nodes over [`INTEGERS`].
pub fn random_integer_term(rng: &mut impl Rng, bank: &mut TermBank, size: usize) -> TermId {
    let text = random_int(rng, size);
    bank.parse(&text, None).expect("a well-sorted term")
}

fn random_int(rng: &mut impl Rng, size: usize) -> String {
    if size <= 1 {
        return match rng.random_range(0..3) {
            0 => rng.random_range(-3..5i64).to_string(),
            _ => format!("x{}", rng.random_range(0..3)),
        };
    }
    let op = ["+", "-", "*", "/", "min"][rng.random_range(0..5)];
    let left = rng.random_range(0..size);
    format!("({op} {} {})", random_int(rng, left), random_int(rng, size - 1 - left))
}
