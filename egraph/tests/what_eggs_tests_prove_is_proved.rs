//! What the test files `math.rs` and `prop.rs` of egg 0.11 prove, by their names there, with a proof that
//! the checker accepts; and what Cairn lacks for the rest.
//!
//! Of `math.rs`: `math_diff_different` and `math_diff_simple2` rest on two variables being different. By
//! `math.rules` any two may be equal, and they are not proved; with an analysis that says of which variables a
//! term speaks, and a rule that takes variables for independent of each other, they are.
//! `assoc_mul_saturates` proves nothing; it is about the size of an e-graph.
//!
//! Of `prop.rs`: `prove_chain` assumes that its start is true, and rewrites with a rule of two patterns
//! (`lem_imply`). Here the assumption is part of the formula: it implies each goal.
//!
//! `lambda.rs` is in `what_eggs_lambda_test_proves_is_proved.rs`.

use egraph::{EGraph, Explainer, Limits, SaturationConfig, System, TermBank, check, saturate};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MATH: &[(&str, &str, &str)] = &[
    (
        "math_associate_adds",
        "(+ 1 (+ 2 (+ 3 (+ 4 (+ 5 (+ 6 7))))))",
        "(+ 7 (+ 6 (+ 5 (+ 4 (+ 3 (+ 2 1))))))",
    ),
    ("math_simplify_add", "(+ x (+ x (+ x x)))", "(* 4 x)"),
    ("math_powers", "(* (pow 2 x) (pow 2 y))", "(pow 2 (+ x y))"),
    ("math_simplify_const", "(+ 1 (- a (* (- 2 1) a)))", "1"),
    (
        "math_simplify_root",
        "(div 1 (- (div (+ 1 (sqrt five)) 2) (div (- 1 (sqrt five)) 2)))",
        "(div 1 (sqrt five))",
    ),
    ("math_simplify_factor", "(* (+ x 3) (+ x 1))", "(+ (+ (* x x) (* 4 x)) 3)"),
    ("math_diff_same", "(d x x)", "1"),
    ("math_diff_simple1", "(d x (+ 1 (* 2 x)))", "2"),
    ("math_diff_ln", "(d x (ln x))", "(div 1 x)"),
    ("diff_power_simple", "(d x (pow x 3))", "(* 3 (pow x 2))"),
    ("diff_power_harder", "(d x (- (pow x 3) (* 7 (pow x 2))))", "(* x (- (* 3 x) 14))"),
    ("integ_one", "(i 1 x)", "x"),
    ("integ_sin", "(i (cos x) x)", "(sin x)"),
    ("integ_x", "(i (pow x 1) x)", "(div (pow x 2) 2)"),
    ("integ_part1", "(i (* x (cos x)) x)", "(+ (* x (sin x)) (cos x))"),
    ("integ_part2", "(i (* (cos x) x) x)", "(+ (* x (sin x)) (cos x))"),
    ("integ_part3", "(i (ln x) x)", "(- (* x (ln x)) x)"),
];

/// Should not be: egg's test of this name expects that it fails.
const MATH_FAIL: (&str, &str) = ("(+ x y)", "(div x y)");

const MATH_OF_DIFFERENT_VARIABLES: &[(&str, &str, &str)] =
    &[("math_diff_different", "(d x y)", "0"), ("math_diff_simple2", "(d x (+ 1 (* y x)))", "y")];

const PROP: &[(&str, &str, &str)] = &[
    ("prove_contrapositive, goal 1", "(-> x y)", "(| (~ x) y)"),
    ("prove_contrapositive, goal 2", "(-> x y)", "(| (~ x) (~ (~ y)))"),
    ("prove_contrapositive, goal 3", "(-> x y)", "(| (~ (~ y)) (~ x))"),
    ("prove_contrapositive, goal 4", "(-> x y)", "(-> (~ y) (~ x))"),
    ("prove_chain, goal 1", "(& (-> x y) (-> y z))", "(& (-> (~ y) (~ x)) (-> y z))"),
    ("prove_chain, goal 2", "(& (-> x y) (-> y z))", "(& (-> y z) (-> (~ y) (~ x)))"),
    ("prove_chain, goal 3", "(-> (& (-> x y) (-> y z)) (| z (~ x)))", "1"),
    ("prove_chain, goal 4", "(-> (& (-> x y) (-> y z)) (| (~ x) z))", "1"),
    ("prove_chain, goal 5", "(-> (& (-> x y) (-> y z)) (-> x z))", "1"),
    ("const_fold", "(| (& 0 1) (& 1 0))", "0"),
];

/// Whether one e-graph of so many e-nodes proves it; what it proves is checked.
fn proves(system: &Arc<System>, left: &str, right: &str, nodes: usize) -> bool {
    let mut bank = TermBank::new(system.language.clone());
    let from = bank.parse(left, None).unwrap();
    let to = bank.parse(right, Some(bank.sort(from))).unwrap();
    let mut egraph = EGraph::new(system.clone());
    let (a, b) = (egraph.add_term(&bank, from), egraph.add_term(&bank, to));
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |egraph, _| match egraph.find(a) == egraph.find(b) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    let Some(proof) = Explainer::new(&egraph).explain(&mut bank, from, to) else { return false };
    check(system, &bank, &proof).unwrap();
    assert_eq!((proof.start(), proof.end()), (from, to));
    true
}

fn configs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/systems/{name}.rules"))
}

fn load(name: &str) -> Arc<System> {
    Arc::new(System::load(&configs(name)).unwrap())
}

/// `math.rules`, and that variables are independent of each other.
fn math_of_independent_variables() -> Arc<System> {
    let math = load("math");
    let mut text = std::fs::read_to_string(configs("math")).unwrap();
    text += "(sort Set) (literal (bits 64) Set) (analysis free Real Set :merge (& old new))
        (transfer (free ?c) 0) (transfer (free (variable ?name)) (<< 1 (& ?name 63)))";
    for op in ["+", "-", "*", "div", "pow"] {
        text += &format!("(transfer (free ({op} ?a ?b)) (| (free ?a) (free ?b)))");
    }
    for op in ["ln", "sqrt", "sin", "cos"] {
        text += &format!("(transfer (free ({op} ?a)) (free ?a))");
    }
    text += "(rewrite (d ?x ?c) 0 :when ((== (& (free ?x) (free ?c)) 0)) :name d-independent)";
    assert!(math.language.analyses.is_empty());
    Arc::new(System::parse(&text).unwrap())
}

#[test]
fn of_math_all() {
    let math = load("math");
    let missing = MATH.iter().filter(|(_, left, right)| !proves(&math, left, right, 1_000_000));
    assert_eq!(Vec::from_iter(missing.map(|(name, ..)| name)), Vec::<&&str>::new());
    let independent = math_of_independent_variables();
    for (name, left, right) in MATH_OF_DIFFERENT_VARIABLES {
        assert!(!proves(&math, left, right, 20_000), "{name}");
        assert!(proves(&independent, left, right, 200_000), "{name}");
    }
    for system in [&math, &independent] {
        assert!(!proves(system, MATH_FAIL.0, MATH_FAIL.1, 20_000));
        assert!(!proves(system, "(d x x)", "0", 20_000));
    }
}

#[test]
fn of_prop_all() {
    let prop = load("prop");
    let missing = PROP.iter().filter(|(_, left, right)| !proves(&prop, left, right, 200_000));
    assert_eq!(Vec::from_iter(missing.map(|(name, ..)| name)), Vec::<&&str>::new());
}
