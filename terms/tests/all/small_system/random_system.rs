//! Random rewrite systems, sound or not: they unite classes in ways that no one thinks of.

use egraph::{EGraph, Limits, SaturationConfig, System, TermBank, saturate};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

const SORTS: &str = "(sort I) (literal i64 I) (variable I)
    (op - (I) I) (op + (I I) I) (op if (I I I) I)";

/// A term or pattern over `leaves`.
fn tree(leaves: &'static str, depth: u32) -> impl Strategy<Value = String> {
    leaves.prop_map(|leaf: String| leaf).prop_recursive(depth, 8, 3, |inner| {
        let (a, b, c) = (inner.clone(), inner.clone(), inner);
        prop_oneof![
            a.clone().prop_map(|a| format!("(- {a})")),
            (a.clone(), b.clone()).prop_map(|(a, b)| format!("(+ {a} {b})")),
            (a.clone(), b.clone()).prop_map(|(a, b)| format!("(+ {a} {b})")),
            (a, b, c).prop_map(|(a, b, c)| format!("(if {a} {b} {c})")),
        ]
    })
}

/// A rule; a variable that its left-hand side lacks is none of its right-hand side either.
fn rule() -> impl Strategy<Value = String> {
    (tree("[?][abc]", 2), tree("[?][abc]", 2), any::<bool>()).prop_map(|(left, right, wrap)| {
        let left = if left.starts_with('?') || wrap { format!("(+ ?a {left})") } else { left };
        let bound = ["?a", "?b", "?c"].into_iter().find(|v| left.contains(v)).unwrap_or("?a");
        let right = ["?a", "?b", "?c"]
            .into_iter()
            .fold(right, |right, v| if left.contains(v) { right } else { right.replace(v, bound) });
        format!("(rewrite {left} {right})")
    })
}

/// A term, rules, and after how many of at most 4 iterations the earlier state is taken.
pub fn cases() -> impl Strategy<Value = (String, Vec<String>, u64)> {
    (tree("[xyz]|[01]", 3), prop::collection::vec(rule(), 1..5), 0u64..4)
}

/// The e-graph of a term, and its state after `earlier` iterations if it had more.
pub fn grown(seed: &str, rules: &[String], earlier: u64) -> Option<(EGraph, EGraph)> {
    let system = Arc::new(System::parse(&format!("{SORTS}\n{}", rules.join("\n"))).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let seed = bank.parse(seed, None).unwrap();
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, seed);
    egraph.rebuild();
    let mut before = (earlier == 0).then(|| egraph.clone());
    let limits = Limits { nodes: Some(120), iterations: Some(4), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    let mut iterations = 0;
    saturate(&mut egraph, &config, &mut |egraph, _| {
        iterations += 1;
        if iterations == earlier {
            before = Some(egraph.clone());
        }
        ControlFlow::Continue(())
    });
    before.filter(|_| egraph.conflict().is_none()).map(|before| (egraph, before))
}
