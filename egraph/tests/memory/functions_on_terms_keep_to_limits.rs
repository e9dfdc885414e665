//! Rules with functions on terms: what their matches add is counted before they are applied, threads
//! change nothing, and every scheduler applies them.

use crate::ONE_AT_A_TIME;
use crate::common;
use crate::counting::{LIVE, PEAK};
use egraph::{
    EGraph, Explainer, Limits, Report, SaturationConfig, Scheduler, StopReason, TermBank, check,
    saturate, saturate_until,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Grows for ever, by ten e-nodes and more at a time.
const GROWING: &str = "(sort E) (variable E)
    (op lam ((bind E E)) E) (op grow (E E) E) (op p (E E) E) (op g (E) E)
    (rewrite (grow (lam ?b) ?a) (grow (lam ?b) (subst ?b ?a)) :name grow)
    (rewrite (p ?a ?b) (p ?b ?a) :name comm)
    (rewrite (p ?a (p ?b ?c)) (p (p ?a ?b) ?c) :name assoc)";
const START: &str = "(grow (lam x (p x (p (g x) (p (g (g x)) (p x (g (p x b))))))) (p a (g a)))";

fn grown(config: &SaturationConfig) -> (EGraph, Report) {
    let system = common::system(GROWING);
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(START, None).unwrap();
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, term);
    let report = saturate(&mut egraph, config, &mut |_, _| ControlFlow::Continue(()));
    (egraph, report)
}

#[test]
fn limits_hold() {
    let _guard = ONE_AT_A_TIME.lock();
    for kib in [64usize, 1 << 10, 8 << 10] {
        let limit = kib << 10;
        let limits = Limits { memory: Some(limit), ..Limits::default() };
        let before = LIVE.load(Relaxed);
        PEAK.store(before, Relaxed);
        let (egraph, report) = grown(&SaturationConfig { limits, ..Default::default() });
        let live = LIVE.load(Relaxed) - before;
        assert_eq!(report.stop, StopReason::Memory);
        let (bytes, peak) = (egraph.heap_bytes(), PEAK.load(Relaxed) - before);
        assert!(bytes <= limit && bytes > limit / 2, "{bytes} of {limit}");
        let ratio = live as f64 / bytes as f64;
        assert!((0.9..1.1).contains(&ratio) || kib == 64, "{live} live, {bytes} counted");
        assert!(peak <= limit + limit / 50 + (1 << 17), "at most {peak} of {limit}");
    }
    for nodes in [30, 300, 3_000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let (egraph, report) = grown(&SaturationConfig { limits, ..Default::default() });
        assert!(egraph.node_count() <= nodes, "{} of {nodes}", egraph.node_count());
        assert!(egraph.node_count() > nodes / 2 && report.stop == StopReason::Nodes);
    }
}

#[test]
fn threads_change_nothing() {
    let _guard = ONE_AT_A_TIME.lock();
    let seen = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let pool = Some(Arc::new(pool));
        let (egraph, report) = grown(&SaturationConfig { limits, pool, ..Default::default() });
        let nodes = egraph.classes().map(|class| (class, egraph.nodes(class).to_vec()));
        (format!("{report:?}"), nodes.collect::<Vec<_>>(), egraph.heap_bytes(), egraph.built())
    });
    assert!(seen[0] == seen[1] && seen[0] == seen[2]);
}

#[test]
fn every_scheduler_applies_them() {
    let _guard = ONE_AT_A_TIME.lock();
    let system = common::shipped("lambda");
    let start = "(let (lam f (lam g (lam x (app f (app g x))))) compose
        (let (lam y (+ y 1)) add1 (app (app compose add1) (app (app compose add1) add1))))";
    for scheduler in [Scheduler::Simple, Scheduler::Backoff, Scheduler::BestFirst] {
        let mut bank = TermBank::new(system.language.clone());
        let [from, to] =
            [start, "(lam x (+ x 3))"].map(|text| bank.parse(text, system.language.sort("Exp")));
        let (from, to) = (from.unwrap(), to.unwrap());
        let mut egraph = EGraph::new(system.clone());
        let (a, b) = (egraph.add_term(&bank, from), egraph.add_term(&bank, to));
        let limits = Limits { nodes: Some(50_000), iterations: Some(2_000), ..Limits::default() };
        let config = SaturationConfig { limits, scheduler, ..SaturationConfig::default() };
        let report =
            saturate_until(&mut egraph, &config, |egraph| egraph.find(a) == egraph.find(b));
        assert_eq!(report.stop, StopReason::Goal, "{scheduler:?}");
        let proof = Explainer::new(&egraph).explain(&mut bank, from, to).unwrap();
        check(&system, &bank, &proof).unwrap();
    }
}
