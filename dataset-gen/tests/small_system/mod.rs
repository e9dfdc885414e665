//! A small rewrite system for tests: sums with an identity, truth values, `if`.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code)]

pub mod chi_square;
pub mod dataset;
pub mod enumeration;
pub mod random_system;

use egraph::{EGraph, Limits, SaturationConfig, System, TermBank, TermId, saturate};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

pub const RULES: &str = "
(sort Int) (sort Bool)
(literal i64 Int) (literal bool Bool) (variable Int)
(op + (Int Int) Int) (op * (Int Int) Int)
(op < (Int Int) Bool) (op if (Bool Int Int) Int)
(analysis constant)
(rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name add-assoc)
(birewrite (+ ?a 0) ?a :name add-zero)
(rewrite (* ?a ?b) (* ?b ?a) :name mul-comm)
(birewrite (* ?a 1) ?a :name mul-one)
(rewrite (* ?a 0) 0 :name mul-zero)
(birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)
(rewrite (if ?c ?a ?a) ?a :name if-same)
(rewrite (< ?a ?a) 0 :name lt-same)
(rewrite (< (+ ?a ?c) (+ ?b ?c)) (< ?a ?b) :name lt-cancel)
";

pub fn system() -> Arc<System> {
    Arc::new(System::parse(RULES).expect("the rules are well-formed"))
}

pub fn term(system: &System, text: &str) -> (TermBank, TermId) {
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(text, None).expect("the term is well-formed");
    (bank, term)
}

/// The e-graph of a term after some iterations.
pub fn grown(text: &str, iterations: u64) -> EGraph {
    grown_by(system(), text, iterations)
}

/// As [`grown`], by the rules of another system.
pub fn grown_by(system: Arc<System>, text: &str, iterations: u64) -> EGraph {
    let (bank, term) = term(&system, text);
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, term);
    let limits = Limits { iterations: Some(iterations), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    assert_eq!(egraph.conflict(), None);
    egraph
}

/// Texts of terms of sort Int.
pub fn terms() -> impl Strategy<Value = String> {
    let leaf = prop_oneof!["[abc]", (0i64..3).prop_map(|i| i.to_string())];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let (a, b, c) = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            (a.clone(), b.clone()).prop_map(|(a, b)| format!("(+ {a} {b})")),
            (a.clone(), b.clone()).prop_map(|(a, b)| format!("(* {a} {b})")),
            (a.clone(), b.clone(), a, c)
                .prop_map(|(a, b, c, d)| format!("(if (< {a} {b}) {c} {d})")),
        ]
    })
}
