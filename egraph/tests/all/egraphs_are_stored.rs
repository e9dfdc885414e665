//! An e-graph as bytes is the e-graph: what goes on from them comes to the same bytes as one run, and bytes that were
//! damaged are refused.

use crate::common;
use egraph::{
    EGraph, Explainer, Id, Limits, SaturationConfig, Scheduler, StopReason, System, TermBank,
    TermId, check, explain, saturate,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Systems of all kinds, with a term each.
fn cases() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            include_str!("../../../configs/systems/halide.rules"),
            "(max (+ x (* (+ y z) 2)) (+ (* 2 y) (- (min x 7) (/ z 3))))",
        ),
        (include_str!("../../../configs/systems/ring.rules"), "(* (+ a (+ b 1)) (+ a (* b 2)))"),
        (
            include_str!("../../../configs/systems/bounds.rules"),
            "(* (+ 1 (+ 1 2)) (/ (+ a (+ b (+ c (abs (* x 0))))) (+ 1 (+ 1 2))))",
        ),
        (
            include_str!("../../../configs/systems/lambda.rules"),
            "(let 0 x (let (lam y (+ y (+ x a))) f (app f (app f (+ x (+ b 1))))))",
        ),
    ]
}

fn run(egraph: &mut EGraph, iterations: u64, scheduler: Scheduler, go_on: bool) -> StopReason {
    let limits = Limits { iterations: Some(iterations), nodes: Some(200_000), ..Limits::default() };
    let config = SaturationConfig { limits, scheduler, go_on, ..SaturationConfig::default() };
    saturate(egraph, &config, &mut |_, _| ControlFlow::Continue(())).stop
}

fn start(rules: &str, term: &str) -> (Arc<System>, TermBank, TermId, EGraph) {
    let system = common::system(rules);
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(term, None).unwrap();
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(&bank, term);
    (system, bank, term, egraph)
}

#[test]
fn what_was_stored_goes_on_to_the_same_bytes_as_one_run() {
    for (rules, term) in cases() {
        for scheduler in [Scheduler::Simple, Scheduler::Backoff] {
            let (_, _, _, mut whole) = start(rules, term);
            let all = if scheduler == Scheduler::Backoff { 9 } else { 4 };
            // A run that ends by itself ends with an iteration in which nothing happens.
            assert_eq!(run(&mut whole, all, scheduler, false), StopReason::Iterations, "{term}");
            for first in 1..all {
                let (.., mut part) = start(rules, term);
                run(&mut part, first, scheduler, false);
                let bytes = part.to_bytes(rules, &[]).unwrap();
                let mut read = EGraph::from_bytes(&bytes).unwrap().0;
                assert_eq!(read.to_bytes(rules, &[]).unwrap(), bytes, "{term}");
                assert_eq!(read.heap_bytes(), part.heap_bytes());
                run(&mut read, all - first, scheduler, true);
                assert!(
                    read.to_bytes(rules, &[]).unwrap() == whole.to_bytes(rules, &[]).unwrap(),
                    "{term}: {first} and {} of {all} iterations, {scheduler}",
                    all - first
                );
            }
            assert!(whole.node_count() > 20, "{term}");
        }
    }
}

#[test]
fn what_was_stored_is_explained() {
    for (rules, term) in cases() {
        let (system, mut bank, start, mut egraph) = start(rules, term);
        run(&mut egraph, 3, Scheduler::Simple, false);
        let read = EGraph::from_bytes(&egraph.to_bytes(rules, &[]).unwrap()).unwrap().0;
        let class = read.lookup(&bank, start).unwrap();
        let nodes = read.nodes(class).to_vec();
        for node in nodes {
            let end = read.term(&mut bank, node);
            let proof = explain(&read, &mut bank, start, end).unwrap();
            check(&system, &bank, &proof).unwrap();
        }
    }
}

#[test]
fn a_term_that_is_added_is_all_that_is_looked_at() {
    let (rules, _) = cases()[0];
    let term = "(max (+ x (* y 2)) (+ (* 2 y) (min x 7)))";
    let (_, mut bank, _, mut egraph) = start(rules, term);
    assert_eq!(run(&mut egraph, 40, Scheduler::Simple, false), StopReason::Saturated);
    let saturated = egraph.node_count();
    let more = bank.parse("(max x (+ z 0))", None).unwrap();
    let config = |go_on| SaturationConfig {
        limits: Limits { iterations: Some(1), ..Limits::default() },
        go_on,
        ..SaturationConfig::default()
    };
    let visits = |go_on| {
        let mut egraph = egraph.clone();
        egraph.add_term(&bank, more);
        let mut visits = 0;
        saturate(&mut egraph, &config(go_on), &mut |_, iteration| {
            visits += iteration.visits;
            ControlFlow::Continue(())
        });
        assert!(egraph.node_count() > saturated);
        (visits, egraph.node_count(), egraph.class_count())
    };
    let ((anew, nodes, classes), (new, same_nodes, same_classes)) = (visits(false), visits(true));
    assert_eq!((nodes, classes), (same_nodes, same_classes));
    assert!(4 * new < anew, "{new} of {anew}");
}

/// A thousand terms one after the other: what is looked at follows what is new, and the e-graph is the same.
#[test]
fn a_thousand_terms_are_added_one_after_the_other() {
    let rules = "(sort S) (op + (S S) S) (op * (S S) S) (op neg (S) S) (literal i64 S) (variable S)
        (rewrite (+ ?a ?b) (+ ?b ?a) :name r1) (rewrite (* ?a ?b) (* ?b ?a) :name r2) (rewrite (+ ?a 0) ?a :name r3)
        (rewrite (* ?a 1) ?a :name r4) (rewrite (* ?a 0) 0 :name r5) (rewrite (neg (neg ?a)) ?a :name r6)
        (rewrite (+ ?a (neg ?a)) 0 :name r7)";
    let (_, mut bank, _, empty) = start(rules, "x");
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    fn term(rng: &mut ChaCha8Rng, depth: u32) -> String {
        match if depth == 0 { 0 } else { rng.random_range(1..6) } {
            0 => ["x", "y", "z", "u", "v", "0", "1"][rng.random_range(0..7)].to_owned(),
            1 => format!("(neg {})", term(rng, depth - 1)),
            2 | 3 => format!("(+ {} {})", term(rng, depth - 1), term(rng, depth - 1)),
            _ => format!("(* {} {})", term(rng, depth - 1), term(rng, depth - 1)),
        }
    }
    let terms: Vec<TermId> =
        (0..1_000).map(|_| bank.parse(&term(&mut rng, 4), None).unwrap()).collect();
    let insert = |go_on| {
        let (mut egraph, mut visits, began) = (empty.clone(), 0, std::time::Instant::now());
        for &term in &terms {
            egraph.add_term(&bank, term);
            let config = SaturationConfig { go_on, ..SaturationConfig::default() };
            let report = saturate(&mut egraph, &config, &mut |_, iteration| {
                visits += iteration.visits;
                ControlFlow::Continue(())
            });
            assert_eq!(report.stop, StopReason::Saturated);
        }
        (egraph.node_count(), egraph.class_count(), visits, began.elapsed())
    };
    let (nodes, classes, anew, seconds) = insert(false);
    let (same_nodes, same_classes, new, fewer_seconds) = insert(true);
    println!(
        "{} terms, {nodes} e-nodes: {anew} visits in {seconds:?} anew, {new} in {fewer_seconds:?}",
        terms.len()
    );
    assert_eq!((nodes, classes), (same_nodes, same_classes));
    assert!(8 * new < anew, "{new} of {anew}");
}

#[test]
fn where_matches_were_left_out_everything_is_looked_at_again() {
    let (rules, term) = cases()[0];
    let (.., mut egraph) = start(rules, term);
    let limits = |nodes| Limits { nodes: Some(nodes), iterations: Some(4), ..Limits::default() };
    let config = |nodes| SaturationConfig {
        limits: limits(nodes),
        go_on: true,
        ..SaturationConfig::default()
    };
    let observe = &mut |_: &EGraph, _: &egraph::Iteration| ControlFlow::Continue(());
    assert_eq!(saturate(&mut egraph, &config(60), observe).stop, StopReason::Nodes);
    let stored = EGraph::from_bytes(&egraph.to_bytes(rules, &[]).unwrap()).unwrap().0;
    for mut egraph in [egraph, stored] {
        let mut anew = egraph.clone();
        run(&mut anew, 2, Scheduler::Simple, false);
        run(&mut egraph, 2, Scheduler::Simple, true);
        assert_eq!(egraph.node_count(), anew.node_count());
    }
}

#[test]
fn other_rules_and_what_is_not_rebuilt_are_refused() {
    let (rules, term) = cases()[1];
    let (_, mut bank, _, mut egraph) = start(rules, term);
    assert!(egraph.to_bytes(rules, &[]).unwrap_err().to_string().contains("not rebuilt"));
    egraph.rebuild();
    assert!(egraph.to_bytes(cases()[0].0, &[]).unwrap_err().to_string().contains("rules"));
    let bytes = egraph.to_bytes(rules, &[]).unwrap();
    let error = |bytes: &[u8]| EGraph::from_bytes(bytes).unwrap_err().to_string();
    assert!(error(b"").contains("expected an e-graph"));
    assert!(error(&bytes[..bytes.len() - 1]).contains("hash"));
    assert!(error(&bytes[..20]).contains("cut off"));
    let more = bank.parse("(+ z z)", None).unwrap();
    egraph.add_term(&bank, more);
    assert!(egraph.to_bytes(rules, &[]).is_err());
}

proptest! {
    #[test]
    fn bytes_that_were_changed_are_refused(place in any::<prop::sample::Index>(), bit in 0..8u32) {
        let (rules, term) = cases()[2];
        let (.., mut egraph) = start(rules, term);
        run(&mut egraph, 2, Scheduler::Simple, false);
        let mut bytes = egraph.to_bytes(rules, &[]).unwrap();
        *place.get_mut(&mut bytes) ^= 1 << bit;
        prop_assert!(EGraph::from_bytes(&bytes).is_err());
        // Nor does one with the right hash make the reader panic.
        sealed_anew(&mut bytes);
        let _ = EGraph::from_bytes(&bytes);
    }
}

fn sealed_anew(bytes: &mut [u8]) {
    let end = bytes.len() - 32;
    let hash = Sha256::digest(&bytes[..end]);
    bytes[end..].copy_from_slice(&hash);
}

/// Explains what an e-graph says is equal, goes on, and explains again. Proofs may be wrong, and are refused then.
fn used(mut egraph: EGraph) {
    let system = egraph.system().clone();
    let mut bank = TermBank::new(system.language.clone());
    for _ in 0..2 {
        let mut explainer = Explainer::new(&egraph);
        for id in (0..egraph.built() as u32).map(Id) {
            let [a, b] = [id, egraph.find(id)].map(|id| egraph.term(&mut bank, id));
            if let Some(proof) = explainer.explain(&mut bank, a, b) {
                let _ = check(&system, &bank, &proof);
            }
        }
        run(&mut egraph, 1, Scheduler::Simple, true);
    }
}

#[test]
fn no_number_makes_the_reader_panic_or_ask_for_more_memory_than_there_is() {
    for (rules, term) in cases() {
        let (.., mut egraph) = start(rules, term);
        run(&mut egraph, 1, Scheduler::Simple, false);
        let bytes = egraph.to_bytes(rules, &[]).unwrap();
        // Every number is hit, whatever its place among its eight bytes.
        for place in (0..bytes.len() - 32).step_by(3) {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << 6;
            sealed_anew(&mut changed);
            let read = EGraph::from_bytes(&changed);
            // Many numbers say nothing that shows.
            if let Ok((egraph, _)) = read
                && place % 16 == 0
            {
                used(egraph);
            }
        }
    }
}
