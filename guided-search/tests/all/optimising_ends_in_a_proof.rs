//! Optimising ends in the best term with one checked proof.

use egraph::{CostFunction, Sketch, System, TermBank, check};
use guided_search::{
    Budget, Cap, Ended, Objective, OptimiseLimits, OptimiseSettings, Outcome, Schedulers, optimise,
};
use std::sync::Arc;

const RULES: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op * (I I) I)
    (analysis constant)
    (rewrite (+ ?a ?b) (+ ?b ?a))
    (rewrite (* ?a ?b) (* ?b ?a))
    (birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)))
    (rewrite (+ ?a 0) ?a)";

const SUMS: &str = "(sort I) (variable I) (op + (I I) I)
    (rewrite (+ ?a ?b) (+ ?b ?a))
    (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";

fn best(text: &str, sketch: &str, first: bool) -> (TermBank, Outcome) {
    best_by(RULES, text, sketch, first)
}

fn best_by(rules: &str, text: &str, sketch: &str, first: bool) -> (TermBank, Outcome) {
    let system = Arc::new(System::parse(rules).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse(text, None).unwrap();
    let budget = Budget { cap: Cap::Nodes(2_000), work: 20_000, scheduler: Schedulers::Auto };
    let limits = OptimiseLimits { first, ..budget.into() };
    let settings = OptimiseSettings::within(limits, 0);
    let sketch = Sketch::parse(&system.language, sketch, Some(bank.sort(start))).unwrap();
    let objective = Objective::tree(CostFunction::size(), sketch);
    let outcome = optimise(&system, &mut bank, start, &objective, &settings).unwrap();
    if let Some(proof) = &outcome.proof {
        check(&system, &bank, proof).unwrap();
        assert_eq!((proof.start(), Some(proof.end())), (start, outcome.best().map(|b| b.term)));
    }
    (bank, outcome)
}

#[test]
fn the_smallest_term_is_found_and_proved() {
    let (bank, outcome) = best("(+ (* a b) (+ (* a c) 0))", "?", false);
    let term = bank.text(outcome.best().unwrap().term);
    assert_eq!(bank.size(outcome.best().unwrap().term), 5, "{term}");
    assert!(outcome.curve.windows(2).all(|pair| pair[1].cost < pair[0].cost));
    assert_eq!(outcome.ended, Ended::Saturated);
}

#[test]
fn the_first_term_of_a_shape_is_enough_if_that_is_asked_for() {
    let (bank, outcome) = best("(* a (+ b c))", "(+ ? ?)", true);
    assert_eq!(bank.text(outcome.best().unwrap().term), "(+ (* a b) (* a c))");
    assert_eq!(outcome.ended, Ended::Reached);
    let (_, outcome) = best("(* a (+ b c))", "(contains d)", true);
    assert!(outcome.proof.is_none() && outcome.best().is_none());
}

#[test]
fn a_goal_that_is_not_reached_is_looked_for_until_the_work_is_spent() {
    let product = "(* (+ a b) (* (+ c d) (* (+ e f) (* (+ g h) (* (+ a c) (* (+ b d) (+ e g)))))))";
    let (_, outcome) = best(product, "(contains k)", true);
    assert!(outcome.best().is_none());
    assert_eq!(outcome.ended, Ended::Work);
    assert!(outcome.ledger.work >= 20_000);
}

/// Most matches of this e-graph say what is known by the time that they are applied, and it just fits under the cap.
#[test]
fn what_saturates_under_the_cap_is_seen_to() {
    let (_, outcome) = best_by(SUMS, "(+ a (+ b (+ c (+ d (+ e (+ f g))))))", "?", false);
    assert_eq!(outcome.ended, Ended::Saturated);
}
