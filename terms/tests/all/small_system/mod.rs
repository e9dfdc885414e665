//! A small rewrite system for tests: sums with an identity, truth values, `if`.

pub mod chi_square;
pub mod enumeration;
pub mod random_system;
pub mod rules;

use egraph::{EGraph, Limits, SaturationConfig, System, TermBank, TermId, saturate};
use proptest::prelude::*;
pub use rules::{RULES, system};
use std::ops::ControlFlow;
use std::sync::Arc;

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
