//! Optimising ends in the best term with one checked proof.

use egraph::{CostFunction, Sketch, System, TermBank, check, proof_to_json};
use guided_search::{
    Budget, Cap, Ended, Objective, OptimiseLimits, OptimiseSettings, Outcome, Schedulers, optimise,
};
use rayon::ThreadPoolBuilder;
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

/// E-graphs that grow beside each other are those that would grow one after the other, whether one that was begun before its
/// turn is wanted or not.
#[test]
fn threads_change_nothing() {
    let system = Arc::new(System::parse(RULES).unwrap());
    let product = "(* (+ a b) (* (+ c 0) (* (+ e f) (+ g (* h 1)))))";
    let sum = "(+ (* a b) (+ (* a c) (+ (* d b) (+ (* d c) 0))))";
    let (nodes, memory) = (Cap::Nodes(2_000), Cap::Memory(1 << 20));
    for (text, sketch, first) in [
        (product, "?", false),
        (sum, "?", false),
        (product, "(+ ? ?)", false),
        (product, "(contains k)", false),
        (sum, "(* (+ ? ?) ?)", true),
    ] {
        for (cap, scheduler, work) in [
            (nodes, Schedulers::Auto, 60_000),
            (nodes, Schedulers::Auto, 7_000),
            (nodes, Schedulers::Mixed, 30_000),
            (memory, Schedulers::Auto, 60_000),
        ] {
            let answer = |threads: usize| {
                let mut bank = TermBank::new(system.language.clone());
                let start = bank.parse(text, None).unwrap();
                let limits = OptimiseLimits { first, ..Budget { cap, work, scheduler }.into() };
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let settings = OptimiseSettings {
                    pool: Some(Arc::new(pool)),
                    ..OptimiseSettings::within(limits, 7)
                };
                let sketch = Sketch::parse(&system.language, sketch, None).unwrap();
                let objective = Objective::tree(CostFunction::size(), sketch);
                let outcome = optimise(&system, &mut bank, start, &objective, &settings).unwrap();
                let proof = outcome.proof.map(|proof| proof_to_json(&system, &bank, &proof));
                (outcome.curve, proof, outcome.ended, outcome.ledger)
            };
            let alone = answer(1);
            for threads in [2, 3, 8] {
                assert!(answer(threads) == alone, "{text}, {sketch}, {cap}, {work}, {threads}");
            }
        }
    }
}
