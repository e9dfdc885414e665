//! Equal numbers of e-nodes and e-classes after every iteration, equal equivalences, and equal costs of
//! the best terms, with egg as the independent implementation.

use crate::common;
use egg::{Analysis, BackoffScheduler, DidMerge, RecExpr, Runner, SimpleScheduler, SymbolLang};
use egraph::{
    CostFunction, EGraph, LeastSizes, Limits, Pattern, SaturationConfig, Sketch, System, TermBank,
    extract_best, saturate,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// (e-nodes, e-classes) after each iteration, the start first.
type Growth = Vec<(usize, usize)>;

/// Folds `+` and `*` on integers as Cairn's built-ins do, without pruning.
#[derive(Default, Clone)]
struct Fold {
    on: bool,
}

impl Analysis<SymbolLang> for Fold {
    type Data = Option<i64>;

    fn make(
        egraph: &mut egg::EGraph<SymbolLang, Self>,
        node: &SymbolLang,
        _: egg::Id,
    ) -> Option<i64> {
        if !egraph.analysis.on {
            return None;
        }
        let child = |i: usize| egraph[node.children[i]].data;
        match (node.op.as_str(), node.children.len()) {
            ("+", 2) => child(0)?.checked_add(child(1)?),
            ("*", 2) => child(0)?.checked_mul(child(1)?),
            (text, 0) => text.parse().ok(),
            _ => None,
        }
    }

    fn merge(&mut self, to: &mut Option<i64>, from: Option<i64>) -> DidMerge {
        egg::merge_option(to, from, |a, b| {
            assert_eq!(*a, b, "distinct constants merged");
            DidMerge(false, false)
        })
    }

    fn modify(egraph: &mut egg::EGraph<SymbolLang, Self>, id: egg::Id) {
        if let Some(value) = egraph[id].data {
            let literal = egraph.add(SymbolLang::leaf(value.to_string()));
            egraph.union(id, literal);
        }
    }
}

fn egg_rules(system: &System) -> Vec<egg::Rewrite<SymbolLang, Fold>> {
    let show = |rule: &egraph::Rule, pattern: &Pattern| {
        let language = &system.language;
        let variables = &rule.variables;
        egraph::DisplayPattern { language, variables, pattern }.to_string()
    };
    let compile = |rule: &egraph::Rule| {
        let lhs: egg::Pattern<SymbolLang> = show(rule, &rule.lhs).parse().unwrap();
        let rhs: egg::Pattern<SymbolLang> = show(rule, &rule.rhs).parse().unwrap();
        egg::Rewrite::new(rule.name.as_str(), lhs, rhs).unwrap()
    };
    system.rules.iter().map(compile).collect()
}

/// Matches that a rule may have at first, and iterations for which it is banned at first.
type BackOff = (usize, usize);

/// Grows both from `start` until `iterations`, saturation or more than `nodes` e-nodes. The system's schedule must back off
/// as `back_off` says.
fn grow_both(
    system: &Arc<System>,
    start: &str,
    iterations: u64,
    nodes: usize,
    back_off: Option<BackOff>,
) -> (Growth, EGraph, Growth, egg::EGraph<SymbolLang, Fold>) {
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(start, None).unwrap();
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(&bank, term);
    let limits = Limits { iterations: Some(iterations), ..Default::default() };
    let config = SaturationConfig { limits, ..Default::default() };
    let mut ours = Growth::new();
    saturate(&mut egraph, &config, &mut |_, it| {
        ours.push((it.e_nodes, it.e_classes));
        if it.e_nodes > nodes { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });

    let growth = std::rc::Rc::new(std::cell::RefCell::new(Growth::new()));
    let seen = growth.clone();
    let expression: RecExpr<SymbolLang> = start.parse().unwrap();
    let runner = Runner::<SymbolLang, Fold, ()>::new(Fold { on: system.language.constant_folding });
    let runner = match back_off {
        None => runner.with_scheduler(SimpleScheduler),
        Some((matches, ban)) => {
            let scheduler = BackoffScheduler::default();
            let scheduler = scheduler.with_initial_match_limit(matches).with_ban_length(ban);
            runner.with_scheduler(scheduler)
        }
    };
    let runner = runner
        .with_iter_limit(ours.len() - 1)
        .with_node_limit(usize::MAX)
        .with_time_limit(std::time::Duration::from_secs(600))
        .with_expr(&expression)
        .with_hook(move |runner| {
            let e = &runner.egraph;
            seen.borrow_mut().push((e.total_number_of_nodes(), e.number_of_classes()));
            Ok(())
        })
        .run(&egg_rules(system));
    let mut theirs = growth.borrow().clone();
    let end = &runner.egraph;
    theirs.push((end.total_number_of_nodes(), end.number_of_classes()));
    (ours, egraph, theirs, runner.egraph)
}

/// egg's hook sees the state before each iteration; its runs end with one idle iteration more or
/// less than ours, which changes nothing.
fn assert_same_growth(ours: &Growth, theirs: &Growth) {
    let longest = ours.len().max(theirs.len());
    let at = |growth: &Growth, i: usize| growth[i.min(growth.len() - 1)];
    for i in 0..longest {
        assert_eq!(at(ours, i), at(theirs, i), "after iteration {i}: {ours:?} and {theirs:?}");
    }
}

/// The e-classes as sets of terms must be the same: each e-node of ours is looked up in egg's
/// e-graph, and the classes found must correspond one to one.
fn assert_same_classes(
    system: &Arc<System>,
    ours: &EGraph,
    theirs: &egg::EGraph<SymbolLang, Fold>,
) {
    let mut bank = TermBank::new(system.language.clone());
    let mut image = BTreeMap::new();
    let mut preimage = BTreeMap::new();
    for class in ours.classes() {
        for &node in ours.nodes(class) {
            let term = ours.term(&mut bank, node);
            if bank.size(term) > 200 {
                continue;
            }
            let expression: RecExpr<SymbolLang> = bank.text(term).parse().unwrap();
            let found = theirs.lookup_expr(&expression).expect("a term that egg has too");
            assert_eq!(*image.entry(class).or_insert(found), found);
            assert_eq!(*preimage.entry(found).or_insert(class), class);
        }
    }
    let least = LeastSizes::of(ours);
    let extractor = egg::Extractor::new(theirs, egg::AstSize);
    for (&class, &found) in &image {
        assert_eq!(least.size(class), extractor.find_best_cost(found) as u64);
    }
    let depth = CostFunction::named(system, "depth").unwrap();
    let extractor = egg::Extractor::new(theirs, egg::AstDepth);
    for (&class, &found) in image.iter().rev().take(5) {
        let (_, cost) = extract_best(ours, &mut bank, class, &Sketch::Any, &depth).unwrap();
        assert_eq!(cost.values()[0], extractor.find_best_cost(found) as u64);
    }
}

fn check(text: &str, start: &str, iterations: u64, nodes: usize) -> Growth {
    check_with(text, start, iterations, nodes, None)
}

fn check_with(
    text: &str,
    start: &str,
    iterations: u64,
    nodes: usize,
    back_off: Option<BackOff>,
) -> Growth {
    let schedule = back_off.map(|(matches, ban)| {
        let scheduler = format!("(back-off :match-limit {matches} :ban-length {ban})");
        format!("\n(schedule (let-scheduler bo {scheduler}) (saturate (run-with bo)))")
    });
    let system = common::system(&format!("{text}{}", schedule.unwrap_or_default()));
    let (ours, our_graph, theirs, their_graph) =
        grow_both(&system, start, iterations, nodes, back_off);
    assert_same_growth(&ours, &theirs);
    assert_same_classes(&system, &our_graph, &their_graph);
    ours
}

/// The right-nested application of `op` to `n` distinct variables.
fn chain(op: &str, n: usize) -> String {
    (1..n).rev().fold(format!("x{n}"), |rest, i| format!("({op} x{i} {rest})"))
}

#[test]
fn on_sums_up_to_saturation_where_the_sizes_are_known() {
    for n in 2..=7u32 {
        let growth = check(common::SUMS, &chain("+", n as usize), 30, usize::MAX);
        let (classes, nodes) =
            (2usize.pow(n) - 1, 3usize.pow(n) - 2usize.pow(n + 1) + 1 + n as usize);
        assert_eq!(*growth.last().unwrap(), (nodes, classes));
    }
}

#[test]
fn on_matrix_chains_up_to_saturation_where_the_sizes_are_known() {
    let system = "(sort M) (op * (M M) M) (variable M)
        (birewrite (* ?a (* ?b ?c)) (* (* ?a ?b) ?c) :name assoc)";
    for l in [2usize, 5, 11, 21] {
        let growth = check(system, &chain("*", l), 60, usize::MAX);
        let (classes, nodes) = (l * (l + 1) / 2, (l + 1) * l * (l - 1) / 6 + l);
        assert_eq!(*growth.last().unwrap(), (nodes, classes));
    }
}

#[test]
fn on_a_ring_with_constant_folding() {
    let ring = "(sort R) (op + (R R) R) (op * (R R) R) (literal i64 R) (variable R)
        (analysis constant)
        (rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)
        (rewrite (* ?a ?b) (* ?b ?a) :name mul-comm)
        (rewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name add-assoc)
        (rewrite (* ?a (* ?b ?c)) (* (* ?a ?b) ?c) :name mul-assoc)
        (rewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)
        (rewrite (+ (* ?a ?b) (* ?a ?c)) (* ?a (+ ?b ?c)) :name factor)
        (rewrite (* ?a 0) 0 :name mul-zero)
        (rewrite (+ ?a 0) ?a :name add-zero)
        (rewrite (* ?a 1) ?a :name mul-one)
        (rewrite ?a (* ?a 1) :name one-mul)";
    for start in ["(* (+ x 2) (+ 3 (* 4 x)))", "(+ (* 2 (+ x -1)) (+ 5 (* x -2)))"] {
        check(ring, start, 5, 4_000);
    }
}

const LOGIC: &str =
    "(sort P) (op & (P P) P) (op v (P P) P) (op -> (P P) P) (op ~ (P) P) (op true () P)
    (variable P)
    (rewrite (-> ?a ?b) (v (~ ?a) ?b) :name def-imply)
    (rewrite (v (~ ?a) ?b) (-> ?a ?b) :name def-imply-flip)
    (rewrite (~ (~ ?a)) ?a :name double-neg)
    (rewrite ?a (~ (~ ?a)) :name double-neg-flip)
    (rewrite (v ?a (v ?b ?c)) (v (v ?a ?b) ?c) :name assoc-or)
    (rewrite (& ?a (v ?b ?c)) (v (& ?a ?b) (& ?a ?c)) :name dist-and-or)
    (rewrite (v ?a (& ?b ?c)) (& (v ?a ?b) (v ?a ?c)) :name dist-or-and)
    (rewrite (v ?a ?b) (v ?b ?a) :name comm-or)
    (rewrite (& ?a ?b) (& ?b ?a) :name comm-and)
    (rewrite (v ?a (~ ?a)) true :name lem)
    (rewrite (v ?a true) true :name or-true)
    (rewrite (& ?a true) ?a :name and-true)
    (rewrite (-> ?a ?b) (-> (~ ?b) (~ ?a)) :name contrapositive)";
const THEOREM: &str = "(-> (& (-> p q) (-> r s)) (v (& p r) (~ q)))";

#[test]
fn on_propositional_logic() {
    check(LOGIC, THEOREM, 4, 6_000);
}

/// A rule that has more matches than it may have, old ones included, is banned by both in the same iterations. (Without
/// folding: where e-nodes were added that were folded, and nothing else was united, egg brings bans forward.)
#[test]
fn with_back_off() {
    let bans = [1, 2, 5].map(|ban| [3, 10, 40, 150].map(|matches| (matches, ban)));
    for back_off in bans.into_iter().flatten() {
        check_with(common::SUMS, &chain("+", 6), 25, 4_000, Some(back_off));
        check_with(LOGIC, THEOREM, 25, 1_500, Some(back_off));
    }
}

/// A random term or pattern over f/2, g/1, h/3, a, b and the given variables.
fn expression(variables: &'static [&'static str]) -> impl Strategy<Value = String> {
    let mut leaves = vec!["a", "b"];
    leaves.extend(variables);
    let leaf = prop::sample::select(leaves).prop_map(str::to_owned);
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(x, y)| format!("(f {x} {y})")),
            inner.clone().prop_map(|x| format!("(g {x})")),
            (inner.clone(), inner.clone(), inner).prop_map(|(x, y, z)| format!("(h {x} {y} {z})")),
        ]
    })
}

fn random_system() -> impl Strategy<Value = String> {
    let rule = (expression(&["?x", "?y"]), expression(&["?x", "?y"]));
    prop::collection::vec(rule, 1..6).prop_map(|rules| {
        let mut text = String::from(
            "(sort S) (op f (S S) S) (op g (S) S) (op h (S S S) S) (op a () S) (op b () S)\n",
        );
        for (i, (left, right)) in rules.iter().enumerate() {
            let unbound = ["?x", "?y"].iter().any(|v| right.contains(v) && !left.contains(v));
            if !unbound && !left.starts_with('?') {
                text += &format!("(rewrite {left} {right} :name r{i})\n");
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn on_random_systems(text in random_system(), start in expression(&[])) {
        check(&text, &start, 6, 500);
    }
}
