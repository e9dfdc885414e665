//! Saturated e-graphs whose sizes are known from counting.

use crate::common;
use egraph::{EGraph, Limits, TermBank};

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

/// A class runs from one matrix to another; its products cut it in two: n(n+1)/2 classes, and
/// (n+1)n(n−1)/6 products.
#[test]
fn chains_have_a_class_for_every_interval() {
    for n in 1..=20 {
        let egraph = saturated("matrix-chain", "*", n);
        assert_eq!(size(&egraph), ((n + 1) * n * (n - 1) / 6 + n, n * (n + 1) / 2), "{n} matrices");
    }
}
