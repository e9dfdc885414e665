//! E-graphs as functions of the dialect `equivalence`, out and in.

use crate::mlir_gets_better_terms::{arith, function};
use egraph::{
    BestTerms, CostFunction, EGraph, Id, Limits, SaturationConfig, System, TermBank, TermId,
    saturate,
};
use interop::{Mlir, MlirTable, write_mlir};
use std::ops::ControlFlow;
use std::sync::Arc;

fn grow(egraph: &mut EGraph, limits: Limits) {
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate(egraph, &config, &mut |_, _| ControlFlow::Continue(()));
}

fn written(egraph: &EGraph, roots: &[Id], cost: &CostFunction) -> String {
    let table = MlirTable::of(egraph.system()).unwrap();
    let mut text = Vec::new();
    write_mlir(&BestTerms::of(egraph, cost), &table, roots, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The e-graph that a function is, and the classes of its roots.
fn read(system: &Arc<System>, text: &str) -> (EGraph, TermBank, Vec<Id>) {
    let table = MlirTable::of(system).unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let found = Mlir::parse(text).unwrap().terms(&table, &mut bank).unwrap();
    let mut all = system.with_given("class", &bank, &found.equal).unwrap();
    all.schedule = Some(all.read_schedule("(run class)").unwrap());
    let mut egraph = EGraph::new(Arc::new(all));
    let both = found.equal.iter().flat_map(|&(left, right)| [left, right]);
    let ids: Vec<Id> =
        both.chain(found.roots.iter().copied()).map(|t| egraph.add_term(&bank, t)).collect();
    grow(&mut egraph, Limits { iterations: Some(1), ..Limits::default() });
    let roots = ids[ids.len() - found.roots.len()..].iter().map(|&id| egraph.find(id)).collect();
    (egraph, bank, roots)
}

fn parse(bank: &mut TermBank, text: &str) -> TermId {
    bank.parse(text, None).unwrap()
}

#[test]
fn an_e_graph_comes_back_with_its_classes_and_best_costs() {
    let system = arith();
    let cost = CostFunction::named(&system, "cost").unwrap();
    for term in [
        "(* x 2)",
        "(+ (* x 8) (- y y))",
        "(select (< x y) (sum x y) (+ x (* y 4)))",
        "(&& (carry x y) (carry x 0))",
    ] {
        for nodes in [0, 20, 300] {
            let mut bank = TermBank::new(system.language.clone());
            let term = parse(&mut bank, term);
            let mut egraph = EGraph::new(system.clone());
            let root = egraph.add_term(&bank, term);
            grow(&mut egraph, Limits { nodes: Some(nodes), ..Limits::default() });
            let text = written(&egraph, &[egraph.find(root)], &cost);
            let (again, mut other_bank, roots) = read(&system, &text);
            assert_eq!(again.class_count(), egraph.class_count(), "{text}");
            assert_eq!(again.node_count(), egraph.node_count(), "{text}");
            let (best, of_again) = (BestTerms::of(&egraph, &cost), BestTerms::of(&again, &cost));
            let (class, class_again) = (egraph.find(root), again.find(roots[0]));
            assert_eq!(best.cost(class), of_again.cost(class_again), "{text}");
            // Best terms of each are terms of the other's class.
            let term = of_again.term(&mut other_bank, class_again).unwrap();
            let term = bank.import(&other_bank, term);
            assert_eq!(egraph.lookup(&bank, term), Some(class));
        }
    }
}

#[test]
fn best_terms_stand_above_their_use() {
    let system = arith();
    let cost = CostFunction::named(&system, "cost").unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let term = parse(&mut bank, "(+ (* x 8) (* 3 (- y 1)))");
    let mut egraph = EGraph::new(system.clone());
    let root = egraph.add_term(&bank, term);
    grow(&mut egraph, Limits { nodes: Some(500), ..Limits::default() });
    let best = BestTerms::of(&egraph, &cost);
    let text = written(&egraph, &[root], &cost);
    let place = |id: Id| text.find(&format!("%c{} = ", id.0)).unwrap();
    for class in egraph.classes() {
        let node = best.node(class).unwrap();
        assert!(egraph.children(node).iter().all(|&part| place(part) < place(class)));
        assert!(text.matches(&format!("%c{} = ", class.0)).count() == 1);
    }
    assert!(text.contains("#builtin.int<"), "{text}");
}

#[test]
fn operators_that_are_no_operations_are_left_out() {
    let rules = "(sort I) (variable I) (op f (I) I) (op g (I) I) (rewrite (f ?x) (g ?x))
        (rewrite (g ?x) ?x) (mlir (type I i32) (f \"test.f\"))";
    let system = Arc::new(System::parse(rules).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let term = parse(&mut bank, "(f (f x))");
    let mut egraph = EGraph::new(system.clone());
    let root = egraph.add_term(&bank, term);
    grow(&mut egraph, Limits::default());
    let cost = CostFunction::size().without(&[system.language.operator("g").unwrap()]);
    let text = written(&egraph, &[root], &cost);
    assert_eq!(text.matches("\"test.f\"").count(), 1, "{text}");
    assert!(text.contains("(%n2, %x) <{min_cost_index = #builtin.int<1>}>"), "{text}");
}

#[test]
fn what_xdsl_writes_is_read() {
    // An e-graph in an operation of its own, with a class below its use.
    let body = "%g = \"equivalence.graph\"() ({
        %one = \"arith.constant\"() <{value = 1 : i32}> : () -> i32
        %1 = \"equivalence.const_class\"(%one) <{value = 1 : i32}> : (i32) -> i32
        %m = \"arith.muli\"(%c, %1) <{overflowFlags = #arith.overflow<none>}> {eqsat_cost = #builtin.int<4>} : (i32, i32) -> i32
        %c = \"equivalence.class\"(%x, %m) <{min_cost_index = #builtin.int<0>}> : (i32, i32) -> i32
        \"equivalence.yield\"(%c) : (i32) -> ()
        }) : () -> i32
        \"func.return\"(%g) : (i32) -> ()";
    let (egraph, mut bank, roots) = read(&arith(), &function("%x: i32", body));
    assert_eq!(roots.len(), 1);
    let product = parse(&mut bank, "(* x 1)");
    assert_eq!(egraph.lookup(&bank, product), Some(roots[0]));
    assert_eq!((egraph.class_count(), egraph.node_count()), (2, 3));
}

#[test]
fn other_functions_are_refused() {
    let system = arith();
    let table = MlirTable::of(&system).unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let mut refused =
        |text: &str| Mlir::parse(text).unwrap().terms(&table, &mut bank).unwrap_err().to_string();
    assert_eq!(refused(""), "1:1: expected one function with a body, found 0");
    let plain = function("%x: i32", "\"func.return\"(%x) : (i32) -> ()");
    assert!(refused(&plain).starts_with("1:1: no operation of @f computes"));
    let two = function(
        "%x: i32",
        "\"cf.br\"(%x)[^bb1] : (i32) -> ()\n^bb1(%y: i32):\n\"func.return\"(%y) : (i32) -> ()",
    );
    assert_eq!(refused(&two), "1:1: expected one block in @f");
}
