//! Saturated e-graphs whose sizes are known from counting.

use crate::common;
use egraph::{EGraph, Limits, SaturationConfig, StopReason, TermBank, saturate};
use std::ops::ControlFlow;

/// The saturated e-graph of the right-nested application of `op` to `n` distinct variables.
fn saturated(system: &str, op: &str, n: usize) -> EGraph {
    let system = common::shipped(system);
    let text = (1..n).rev().fold(format!("x{n}"), |rest, i| format!("({op} x{i} {rest})"));
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(&text, None).expect("a term of the system");
    common::grow(&system, &bank, &[term], Limits::default())
}

fn size(egraph: &EGraph) -> (usize, usize) {
    (egraph.node_count(), egraph.class_count())
}

/// A class is a set of terms; its sums split it into two parts, in either order: 2ⁿ−1 classes,
/// and 3ⁿ−2ⁿ⁺¹+1 sums.
#[test]
fn sums_have_a_class_for_every_set_of_terms() {
    for n in 1..=8 {
        let egraph = saturated("sums", "+", n);
        let (two, three) = (2usize.pow(n as u32), 3usize.pow(n as u32));
        assert_eq!(size(&egraph), (three + 1 + n - 2 * two, two - 1), "{n} terms");
    }
}

/// What there is no room for is left out, which is said, and is no saturation.
#[test]
fn a_limit_on_matches_ends_what_would_saturate() {
    let system = common::shipped("sums");
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse("(+ a (+ b (+ c (+ d (+ e f)))))", None).expect("a term of the system");
    for (matches, stop) in [(1_000, StopReason::Nodes), (1_000_000, StopReason::Saturated)] {
        let mut egraph = EGraph::new(system.clone());
        egraph.add_term(&bank, term);
        let limits = Limits { matches: Some(matches), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        assert_eq!(report.stop, stop, "{matches} bytes");
    }
}

/// A class runs from one matrix to another; its products cut it in two: n(n+1)/2 classes, and
/// (n+1)n(n−1)/6 products.
#[test]
fn chains_have_a_class_for_every_interval() {
    for n in 1..=20 {
        let egraph = saturated("matrix-chain", "*", n);
        assert_eq!(size(&egraph), ((n + 1) * n * (n - 1) / 6 + n, n * (n + 1) / 2), "{n} matrices");
    }
}
