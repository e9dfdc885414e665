//! A naive matcher, which shares nothing with the engine's: what it finds before an iteration must
//! hold after it, although the engine looks only at what has changed since it looked last.

use crate::common;
use egraph::{
    EGraph, Id, Limits, Node, Pattern, Rule, SaturationConfig, System, TermBank, VarId, saturate,
};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

type Substitution = Vec<Option<Id>>;

/// All ways to complete a substitution so that `pattern` is an instance in `class`.
fn matches(
    egraph: &EGraph,
    pattern: &Pattern,
    class: Id,
    known: Substitution,
) -> Vec<Substitution> {
    let class = egraph.find(class);
    match pattern {
        Pattern::Var(VarId(var)) => {
            let mut known = known;
            let bound = known[usize::from(*var)].get_or_insert(class);
            if *bound == class { vec![known] } else { Vec::new() }
        }
        Pattern::Leaf(leaf) => {
            let is_leaf = |&&n: &&Id| egraph.node(n) == Node::Leaf(leaf);
            egraph.nodes(class).iter().find(is_leaf).map(|_| known).into_iter().collect()
        }
        Pattern::Op(op, args) => {
            let nodes = egraph.nodes(class).iter().filter(|&&n| egraph.node(n) == Node::Op(*op));
            let each = nodes.flat_map(|&node| {
                let children = egraph.children(node);
                args.iter().zip(children).fold(vec![known.clone()], |all, (arg, &child)| {
                    all.into_iter().flat_map(|s| matches(egraph, arg, child, s)).collect()
                })
            });
            each.collect()
        }
        Pattern::Compute(..) | Pattern::Function(..) => {
            panic!("a computation on a left-hand side")
        }
    }
}

/// Classes by operator and children, literals by value.
struct Table(HashMap<(String, Vec<Id>), Id>);

impl Table {
    fn new(egraph: &EGraph) -> Table {
        let mut table = HashMap::new();
        for class in egraph.classes() {
            for &node in egraph.nodes(class) {
                let children = egraph.children(node).to_vec();
                table.insert((format!("{:?}", egraph.node(node)), children), class);
            }
        }
        Table(table)
    }

    /// The class of an instance; `None` if the e-graph has none.
    fn class(&self, egraph: &EGraph, before: &EGraph, p: &Pattern, s: &[Id]) -> Option<Id> {
        let literal = |var: VarId| before.literal(s[usize::from(var.0)]);
        let key = match p {
            Pattern::Var(VarId(var)) => return Some(egraph.find(s[usize::from(*var)])),
            Pattern::Leaf(leaf) => (format!("{:?}", Node::Leaf(leaf)), Vec::new()),
            Pattern::Function(..) => panic!("no system here has functions on terms"),
            Pattern::Compute(expr, sort) => {
                let value = egraph::LeafValue::Literal(expr.eval(&literal)?);
                (format!("{:?}", Node::Leaf(&egraph::Leaf { sort: *sort, value })), Vec::new())
            }
            Pattern::Op(op, args) => {
                let args = args.iter().map(|arg| self.class(egraph, before, arg, s));
                (format!("{:?}", Node::Op(*op)), args.collect::<Option<_>>()?)
            }
        };
        self.0.get(&key).copied()
    }
}

/// Whether conditions hold and computations have values.
fn applies(before: &EGraph, rule: &Rule, s: &[Id]) -> bool {
    fn computes(p: &Pattern, literal: &impl Fn(VarId) -> Option<egraph::Value>) -> bool {
        match p {
            Pattern::Var(_) | Pattern::Leaf(_) | Pattern::Function(..) => true,
            Pattern::Op(_, args) => args.iter().all(|arg| computes(arg, literal)),
            Pattern::Compute(expr, _) => expr.eval(literal).is_some(),
        }
    }
    let literal = |var: VarId| before.literal(s[usize::from(var.0)]);
    rule.conditions.iter().all(|c| c.holds(&literal)) && computes(&rule.rhs, &literal)
}

/// Grows an e-graph and compares every iteration with the naive matcher; returns the matches.
fn compare(system: &Arc<System>, start: &str, iterations: u64, threads: Option<usize>) -> usize {
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(start, None).unwrap();
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(&bank, term);
    let limits = Limits { iterations: Some(iterations), ..Default::default() };
    let pool =
        threads.map(|n| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()));
    let config = SaturationConfig { limits, pool, ..SaturationConfig::default() };
    let mut before: Option<EGraph> = None;
    let mut count = 0;
    saturate(&mut egraph, &config, &mut |after, iteration| {
        if let Some(before) = &before {
            let table = Table::new(after);
            for rule in &system.rules {
                let sort = rule.lhs.sort(&system.language, &rule.variables);
                for class in before.classes().filter(|&class| before.sort(class) == sort) {
                    let nothing = vec![None; rule.variables.names.len()];
                    for s in matches(before, &rule.lhs, class, nothing) {
                        let s: Vec<Id> = s.into_iter().map(Option::unwrap).collect();
                        if applies(before, rule, &s) {
                            count += 1;
                            let found = table.class(after, before, &rule.rhs, &s);
                            let name = &rule.name;
                            let number = iteration.iteration;
                            assert_eq!(found, Some(after.find(class)), "{name} in {number}: {s:?}");
                        }
                    }
                }
            }
        }
        before = Some(after.clone());
        ControlFlow::Continue(())
    });
    count
}

#[test]
fn of_sums_and_integers() {
    let sums = common::system(common::SUMS);
    assert!(compare(&sums, "(+ a (+ b (+ c (+ d (+ e f)))))", 20, None) > 10_000);
    let integers = common::system(common::INTEGERS);
    let start = "(< (/ (* (+ x 0) 6) 3) (min (+ y (- x x)) (+ (+ y (* 2 2)) 3)))";
    assert!(compare(&integers, start, 6, None) > 50_000);
    assert!(compare(&integers, start, 6, Some(2)) > 50_000);
}

#[test]
fn of_shipped_systems() {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems");
    let load = |name: &str| Arc::new(System::load(&systems.join(name)).unwrap());
    let bounds = "(&& (<= lo (max lo (min (+ x 1) hi))) (< (/ (+ (* x 8) 5) 8) (+ x 1)))";
    assert!(compare(&load("halide.rules"), bounds, 5, None) > 200_000);
    let polynomial = "(+ (* c1 (pow x (Succ Zero))) (+ c0 (* c2 (pow x (Succ (Succ Zero))))))";
    assert!(compare(&load("horner.rules"), polynomial, 9, None) > 800);
    assert!(compare(&load("math-test.rules"), "(i (* x (cos x)) x)", 5, None) > 10_000);
}

/// Two sums of two classes, of which one has many products and the other has one: whichever stands on the left, the
/// common factor is looked for among the uses of the few, not of the many.
#[test]
fn a_common_factor_is_looked_for_from_the_smaller_class() {
    let mut rules = String::from(
        "(sort I) (variable I) (op + (I I) I) (op * (I I) I) (ruleset facts) (ruleset factor)
        (rewrite (+ (* ?a ?b) (* ?a ?c)) (* ?a (+ ?b ?c)) :name factor :ruleset factor)
        (given few (* x7 z) :ruleset facts) (schedule (seq (run facts) (run factor)))",
    );
    rules.extend((0..300).map(|i| format!("\n(given many (* x{i} y{i}) :ruleset facts)")));
    let system = Arc::new(System::parse(&rules).unwrap());
    for (start, factored) in
        [("(+ many few)", "(* x7 (+ y7 z))"), ("(+ few many)", "(* x7 (+ z y7))")]
    {
        let mut bank = TermBank::new(system.language.clone());
        let [start, factored] = [start, factored].map(|text| bank.parse(text, None).unwrap());
        let mut egraph = EGraph::new(system.clone());
        egraph.add_term(&bank, start);
        let mut visits = Vec::new();
        saturate(&mut egraph, &SaturationConfig::default(), &mut |_, iteration| {
            visits.push(iteration.visits);
            ControlFlow::Continue(())
        });
        assert!(egraph.node_count() > 900, "{}", egraph.node_count());
        assert!(visits[2] < 20, "{visits:?}");
        assert!(egraph::explain(&egraph, &mut bank, start, factored).is_some());
    }
}
