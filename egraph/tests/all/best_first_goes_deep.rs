//! Best-first saturation: the same e-graph where it saturates, whatever the order and the threads; and
//! with few e-nodes a proof that needs many if all matches are applied.

use crate::common;
use egraph::{
    Chosen, EGraph, How, Limits, MatchOrder, MatchView, Report, SaturationConfig, Scheduler,
    StopReason, System, TermBank, TermId, check, explain, saturate_until, used_matches,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sums that end: nothing grows for ever.
const FINITE: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op f (I) I)
    (rewrite (+ ?a ?b) (+ ?b ?a))
    (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
    (rewrite (f (+ ?a ?b)) (+ (f ?a) (f ?b)))";

/// What takes off a layer an iteration, and what grows meanwhile.
const LAYERS: &str =
    "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op s (I) I) (op d (I) I)
    (rewrite (d (s ?x)) (d ?x))
    (rewrite (s ?x) (+ ?x 1))
    (rewrite (+ ?x ?y) (+ ?y ?x))
    (rewrite (+ ?x ?y) (+ (+ ?x 1) (+ ?y 2)))";

/// Any order at all.
#[derive(Debug)]
struct Anyhow(u32);

impl MatchOrder for Anyhow {
    fn rank(&self, matches: &[MatchView], ranks: &mut Vec<f32>) {
        let rank = |seen: &MatchView| {
            let mixed = (seen.rule + 1).wrapping_mul(self.0).wrapping_add(seen.right as u32 * 7919);
            (mixed % 1_009) as f32
        };
        ranks.extend(matches.iter().map(rank));
    }

    fn ranks_may_be_old(&self) -> bool {
        true
    }
}

/// Thinks nothing of the first rule before an iteration, and then the most; counts how often it is asked about that rule in
/// the ten iterations before.
#[derive(Debug, Default)]
struct Late {
    looks: AtomicUsize,
}

impl Late {
    const FROM: u64 = 30;
}

impl MatchOrder for Late {
    fn rank(&self, matches: &[MatchView], ranks: &mut Vec<f32>) {
        for seen in matches {
            let late = seen.rule == 0;
            if late && (Late::FROM - 10..Late::FROM).contains(&seen.iteration) {
                self.looks.fetch_add(1, Ordering::Relaxed);
            }
            let rank = 1e9 * if seen.iteration < Late::FROM { -1.0 } else { 1.0 };
            ranks.push(if late { rank } else { -(seen.excess as f32) });
        }
    }

    fn ranks_may_be_old(&self) -> bool {
        true
    }
}

/// A grown e-graph with its terms.
struct Grown {
    egraph: EGraph,
    bank: TermBank,
    terms: Vec<TermId>,
    report: Report,
}

fn grow(rules: &str, texts: &[&str], mut config: SaturationConfig) -> Grown {
    let system = Arc::new(System::parse(rules).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let mut egraph = EGraph::new(system);
    let terms: Vec<TermId> = texts.iter().map(|text| bank.parse(text, None).unwrap()).collect();
    let ids: Vec<_> = terms.iter().map(|&term| egraph.add_term(&bank, term)).collect();
    config.sides = [vec![ids[0]], ids[1..].to_vec()];
    let meet = terms.len() == 2;
    let report = saturate_until(&mut egraph, &config, |egraph| {
        meet && egraph.find(ids[0]) == egraph.find(ids[1])
    });
    Grown { egraph, bank, terms, report }
}

fn best_first() -> SaturationConfig {
    SaturationConfig { scheduler: Scheduler::BestFirst, ..SaturationConfig::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn where_it_saturates_the_order_does_not_matter(seed in 1u32..5_000, sides in any::<bool>()) {
        let text = "(f (+ a (+ (f b) (f (+ c d)))))";
        let simple = grow(FINITE, &[text], SaturationConfig::default());
        let order: Arc<dyn MatchOrder> = Arc::new(Anyhow(seed));
        let mut config = SaturationConfig { order: Some(order), ..best_first() };
        if !sides {
            config.order = None;
        }
        let best = grow(FINITE, &[text], config);
        prop_assert_eq!(simple.report.stop, StopReason::Saturated);
        prop_assert_eq!(best.report.stop, StopReason::Saturated);
        let counts = |grown: &Grown| (grown.egraph.node_count(), grown.egraph.class_count());
        prop_assert_eq!(counts(&simple), counts(&best));
    }
}

#[test]
fn a_deep_proof_takes_few_e_nodes() {
    let ends = ["(d (s (s (s (s (s (s (s (s (s (s (s a))))))))))))", "(d a)"];
    let limits = Limits { nodes: Some(1_000), ..Limits::default() };
    let simple = SaturationConfig { limits: limits.clone(), ..SaturationConfig::default() };
    let simple = grow(LAYERS, &ends, simple);
    assert_eq!(simple.report.stop, StopReason::Nodes);
    let config = SaturationConfig { limits, keep_chosen: true, ..best_first() };
    let Grown { egraph, mut bank, terms, report } = grow(LAYERS, &ends, config);
    assert_eq!(report.stop, StopReason::Goal);
    let proof = explain(&egraph, &mut bank, terms[0], terms[1]).unwrap();
    check(egraph.system(), &bank, &proof).unwrap();
    // What the proof rests on was chosen, and the rules of it are those of the proof.
    let used = used_matches(
        &egraph,
        &mut bank,
        report.chosen.iter().map(Chosen::matched),
        terms[0],
        terms[1],
    )
    .unwrap();
    let rules = |used: bool, flags: &[bool]| {
        let chosen = report.chosen.iter().zip(flags).filter(|(_, flag)| **flag == used);
        chosen.map(|(chosen, _)| chosen.seen.rule).collect::<BTreeSet<u32>>()
    };
    let rule = |how: How<'_>| if let How::Rule(rule, _) = how { Some(rule.0) } else { None };
    let of_proof: BTreeSet<u32> = proof.steps.iter().filter_map(|step| rule(step.how)).collect();
    assert!(!of_proof.is_empty());
    assert_eq!(rules(true, &used), of_proof);
    assert!(used.iter().filter(|used| !**used).count() > 0);
}

/// An order is asked about a match in turn, though that never ranked well, and not in every iteration.
#[test]
fn what_ranked_badly_is_looked_at_in_turn() {
    let rules = LAYERS.replacen("(rewrite", "(op p (I) I) (rewrite (p ?x) ?x) (rewrite", 1);
    let order = Arc::new(Late::default());
    let limits = Limits { iterations: Some(100), ..Limits::default() };
    let config = SaturationConfig { limits, order: Some(order.clone()), ..best_first() };
    // More than are applied at once.
    let sum = (0..60).fold("a".to_owned(), |sum, i| format!("(+ (s b{i}) {sum})"));
    let Grown { report, .. } = grow(&rules, &[&format!("(p {sum})"), &sum], config);
    assert_eq!(report.stop, StopReason::Goal);
    assert!((30..40).contains(&report.iterations), "{} iterations", report.iterations);
    let looks = order.looks.load(Ordering::Relaxed);
    // It may wait more than once, as it is found again when its class changes.
    assert!((1..10).contains(&looks), "{looks} looks in ten iterations");
}

#[test]
fn threads_change_nothing() {
    let text = "(+ (* a 3) (+ (- b c) (+ (* c 2) (- (+ d e) (+ e d)))))";
    let limits = Limits { nodes: Some(3_000), ..Limits::default() };
    let grow = |threads: usize, order: &Option<Arc<dyn MatchOrder>>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (limits, order) = (limits.clone(), order.clone());
        let config = SaturationConfig { limits, order, pool: Some(Arc::new(pool)), ..best_first() };
        let grown = grow(common::INTEGERS, &[text], config);
        (grown.egraph.built(), grown.egraph.node_count(), grown.report.iterations)
    };
    for order in [None, Some(Arc::new(Anyhow(5)) as Arc<dyn MatchOrder>)] {
        assert_eq!(grow(1, &order), grow(3, &order));
    }
}
