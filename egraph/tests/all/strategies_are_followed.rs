//! Strategies: limits end a part and what is behind it goes on, goals end a part, an e-graph starts over from the best
//! term, and proofs lead from the first start all the way.

use crate::common;
use egraph::{
    CostFunction, EGraph, Limits, Proof, Report, SaturationConfig, Scheduler, StopReason, System,
    TermBank, TermId, check, explain, extract_smallest, follow,
};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

const RULES: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op * (I I) I)
    (analysis constant) (ruleset grow) (ruleset shrink)
    (rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)
    (rewrite (* ?a ?b) (* ?b ?a) :name mul-comm)
    (rewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name expand :ruleset grow)
    (rewrite (+ (* ?a ?b) (* ?a ?c)) (* ?a (+ ?b ?c)) :name factor :ruleset shrink)
    (rewrite (* ?a 1) ?a :name mul-one :ruleset shrink)
    (rewrite (+ ?a 0) ?a :name add-zero :ruleset shrink)
    (strategy both (until-stable (run) grow shrink))
    (strategy pulse (until-stable (phase :cost size (limit :nodes 60 both))))";

/// An e-graph at the end, and the way there.
struct Grown {
    egraph: EGraph,
    bank: TermBank,
    start: TermId,
    report: Report,
    /// E-nodes after each iteration.
    sizes: Vec<usize>,
}

impl Grown {
    fn class(&self) -> egraph::Id {
        self.egraph.find(self.report.sides[0][0])
    }

    /// The proof from the first start to the smallest term, which the checker accepts.
    fn smallest(&mut self) -> TermId {
        let class = self.class();
        let best = extract_smallest(&self.egraph, &mut self.bank, class);
        let legs = self.report.rebased.iter().map(|before| before.proofs[0][0].clone());
        let mut proofs: Vec<Proof> = legs.collect();
        let from = proofs.last().map_or(self.start, Proof::end);
        proofs.push(explain(&self.egraph, &mut self.bank, from, best).unwrap());
        let proof = Proof::chain(proofs);
        assert_eq!((proof.start(), proof.end()), (self.start, best));
        check(self.egraph.system(), &self.bank, &proof).unwrap();
        best
    }
}

fn grow_with(rules: &str, strategy: &str, term: &str, config: &SaturationConfig) -> Grown {
    let system = Arc::new(System::parse(rules).unwrap());
    let schedule = system.read_strategy(strategy).unwrap_or_else(|e| panic!("{strategy}: {e}"));
    let config = &SaturationConfig { schedule: Some(Arc::new(schedule)), ..config.clone() };
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse(term, None).unwrap();
    let mut egraph = EGraph::new(system);
    let mut sizes = Vec::new();
    let report = follow(&mut egraph, &mut bank, [&[start], &[]], config, &mut |egraph, _| {
        sizes.push(egraph.node_count());
        ControlFlow::Continue(())
    });
    Grown { egraph, bank, start, report, sizes }
}

fn grow(strategy: &str, term: &str) -> Grown {
    grow_with(RULES, strategy, term, &SaturationConfig::default())
}

fn term() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("0"), Just("1"), Just("2"), Just("a"), Just("b"), Just("c")];
    leaf.prop_map(str::to_owned).prop_recursive(3, 7, 2, |inner| {
        (prop_oneof![Just("+"), Just("*")], inner.clone(), inner)
            .prop_map(|(op, a, b)| format!("({op} {a} {b})"))
    })
}

fn scheduler() -> impl Strategy<Value = Scheduler> {
    prop_oneof![Just(Scheduler::Simple), Just(Scheduler::Backoff), Just(Scheduler::BestFirst)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Matches that a limit cut off are found again behind it.
    #[test]
    fn what_limits_end_is_not_lost(term in term(), nodes in 3usize..40, scheduler in scheduler()) {
        let config = SaturationConfig { scheduler, ..SaturationConfig::default() };
        let rules = RULES.replace("(op * (I I) I)", "(op * (I I) I) (op f (I) I)");
        let all = grow_with(&rules, "(until-stable (run))", &term, &config);
        let limited = format!("(seq (limit :nodes {nodes} (until-stable (run))) (until-stable (run)))");
        let cut = grow_with(&rules, &limited, &term, &config);
        prop_assert_eq!(all.egraph.node_count(), cut.egraph.node_count());
        prop_assert_eq!(all.egraph.class_count(), cut.egraph.class_count());
        let alone = format!("(limit :nodes {nodes} (until-stable (run)))");
        let within = grow_with(&rules, &alone, &term, &config);
        prop_assert!(within.egraph.node_count() <= nodes.max(within.sizes[0]));
        prop_assert_eq!(within.report.stop, StopReason::Schedule);
    }

    /// Costs never rise, one proof leads all the way, and threads change nothing.
    #[test]
    fn starting_over_keeps_the_proof(term in term(), scheduler in scheduler()) {
        let alone = SaturationConfig { scheduler, ..SaturationConfig::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let threads = SaturationConfig { pool: Some(Arc::new(pool)), ..alone.clone() };
        let mut grown = grow_with(RULES, "pulse", &term, &alone);
        prop_assert_eq!(grown.report.stop, StopReason::Schedule);
        let costs: Vec<_> = grown.report.rebased.iter().map(|before| before.cost.clone()).collect();
        prop_assert!(costs.windows(2).all(|pair| pair[1] <= pair[0]));
        let best = grown.smallest();
        let mut again = grow_with(RULES, "pulse", &term, &threads);
        let other = again.smallest();
        prop_assert_eq!(grown.bank.text(best), again.bank.text(other));
        prop_assert_eq!(grown.sizes, again.sizes);
    }
}

#[test]
fn starting_over_comes_further_than_one_e_graph_of_the_size() {
    let sum = "(+ (* a b) (+ (* a c) (+ (* a d) (+ (* a e) (* a f)))))";
    let rules = format!(
        "{} (rewrite (+ (* ?a ?b) (+ (* ?a ?c) ?d)) (+ (* ?a (+ ?b ?c)) ?d)
        :name factor-first :ruleset shrink)",
        RULES
    );
    let config = SaturationConfig::default();
    let best = |strategy: &str| {
        let mut grown = grow_with(&rules, strategy, sum, &config);
        let best = grown.smallest();
        assert!(grown.sizes.iter().all(|&nodes| nodes <= 40), "{:?}", grown.sizes);
        (grown.bank.size(best), grown.report.rebased.len())
    };
    let (one, _) = best("(limit :nodes 40 both)");
    let (many, e_graphs) = best("(until-stable (phase :cost size (limit :nodes 40 both)))");
    assert!(e_graphs > 1, "{e_graphs}");
    assert!(many < one, "{many} of {one} nodes");
}

#[test]
fn a_goal_ends_its_part_when_it_holds() {
    let sum = "(* a (+ b (+ c d)))";
    let after = |strategy: &str| grow(strategy, sum).report.iterations;
    assert_eq!(after("(until (= (+ b (+ c d)) (+ (+ c d) b)) both)"), 1);
    // Ended in the first turn of rules without rulesets; what is behind goes on.
    assert_eq!(after("(until (= (+ b (+ c d)) (+ (+ c d) b)) both) (run) (run grow)"), 3);
    // It holds before.
    assert_eq!(after("(until (= a a) both)"), 0);
    // A term that is not there equals nothing.
    assert!(after("(until (= z z) both)") > 3);
    assert_eq!(after("(until (goal (+ ? ?)) both)"), 2);
    // The outer one ends both.
    assert_eq!(after("(until (goal (* (+ ? ?) ?)) (until (= z z) both))"), 1);
    let lost = grow("(phase :goal (contains z) both) (run)", sum);
    assert_eq!((lost.report.stop, lost.report.rebased.len()), (StopReason::Lost, 0));
}

#[test]
fn phases_run_rules_by_name_and_end_at_their_sketch() {
    let mut grown = grow(
        "(phase :goal (+ (* a b) ?) (until-stable (run expand)))
         (phase :cost size (until-stable (run factor add-comm)))",
        "(* a (+ b c))",
    );
    let ends: Vec<String> = grown
        .report
        .rebased
        .iter()
        .map(|before| grown.bank.text(before.proofs[0][0].end()))
        .collect();
    assert_eq!(ends, ["(+ (* a b) (* a c))", "(* a (+ b c))"]);
    let best = grown.smallest();
    assert_eq!(grown.bank.size(best), 5);
    // By the cost that the caller asks for, if the strategy names none.
    let depth = CostFunction::named(&System::parse(RULES).unwrap(), "depth,size").unwrap();
    let config = SaturationConfig { cost: Some(depth), ..SaturationConfig::default() };
    let grown = grow_with(RULES, "(phase (until-stable (run)))", "(+ a (+ b c))", &config);
    assert_eq!(grown.report.rebased[0].cost.values(), [3, 5]);
}

#[test]
fn back_off_is_what_stands_around() {
    let sum = "(+ a (+ b (+ c (+ d (+ e (+ f (+ g h)))))))";
    let run = |strategy: &str| {
        let grown = grow_with(common::SUMS, strategy, sum, &SaturationConfig::default());
        (grown.sizes, grown.report.rules.iter().map(|rule| rule.bans).sum::<u64>())
    };
    let by_name = run("(let-scheduler s (back-off :match-limit 40)) (until-stable (run-with s))");
    assert!(by_name.1 > 0);
    assert_eq!(run("(backoff :match-limit 40 (until-stable (run)))"), by_name);
    assert_eq!(run("(seq (backoff :match-limit 1 (run)) (until-stable (run)))").1, 2);
    // A strategy that is named stands for what it is where it is declared.
    let rules = format!("{} (strategy plain (until-stable (run)))", common::SUMS);
    let named =
        grow_with(&rules, "(backoff :match-limit 1 plain)", sum, &SaturationConfig::default());
    assert_eq!(named.report.rules.iter().map(|rule| rule.bans).sum::<u64>(), 0);
}

#[test]
fn limits_of_the_whole_run_end_it() {
    let sum = "(* (+ a b) (* (+ c d) (+ e f)))";
    let with = |limits: Limits, strategy: &str| {
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        let grown = grow_with(RULES, strategy, sum, &config);
        (grown.report.stop, grown.report.iterations, grown.report.rebased.len())
    };
    let three = Limits { iterations: Some(3), ..Limits::default() };
    let strategy = "(repeat 9 (limit :iterations 2 (until-stable (run) grow))) (rebase :cost size)";
    assert_eq!(with(three, strategy), (StopReason::Iterations, 3, 0));
    assert_eq!(with(Limits::default(), strategy).0, StopReason::Schedule);
    let nodes = Limits { nodes: Some(50), ..Limits::default() };
    assert_eq!(with(nodes, strategy).0, StopReason::Nodes);
    // Over all e-graphs.
    let work = Limits { work: Some(100), ..Limits::default() };
    let config = SaturationConfig { limits: work, ..SaturationConfig::default() };
    let strategy = "(repeat 100 (limit :nodes 60 both) (rebase :cost size))";
    let grown = grow_with(RULES, strategy, sum, &config);
    let built: u64 = grown.report.rebased.iter().map(|before| before.built).sum();
    assert!((60..200).contains(&(built + grown.egraph.built())), "{built}");
    // No time at all, and what is behind it.
    let (stop, iterations, rebased) =
        with(Limits::default(), "(timeout 0 both) (rebase :cost size)");
    assert_eq!((stop, iterations, rebased), (StopReason::Schedule, 0, 1));
}
