//! Variables that only a right-hand side has become the terms of a pool: an instance of the rule for each.

use egraph::{
    EGraph, Limits, SaturationConfig, System, TermBank, check, explain, proof_from_json,
    proof_to_json, saturate_until,
};
use std::sync::Arc;

/// Groups by axioms of one side only.
const GROUP: &str = "(sort G) (variable G) (op e () G) (op inv (G) G) (op * (G G) G)
    (birewrite (* (* ?x ?y) ?z) (* ?x (* ?y ?z)) :name assoc)
    (birewrite (* e ?x) ?x :name unit)\n";

/// Whether one e-graph proves that the right inverse is one, and the names of the rules.
fn proves(rules: &str) -> (bool, Vec<String>) {
    let system = Arc::new(System::parse(&format!("{GROUP}{rules}")).unwrap());
    let names = system.rules.iter().map(|rule| rule.name.clone()).collect();
    let mut bank = TermBank::new(system.language.clone());
    let [start, end] = ["(* a (inv a))", "e"].map(|text| bank.parse(text, None).unwrap());
    let mut egraph = EGraph::new(system.clone());
    let ids = [start, end].map(|term| egraph.add_term(&bank, term));
    let limits = Limits { nodes: Some(50_000), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate_until(&mut egraph, &config, |egraph| egraph.find(ids[0]) == egraph.find(ids[1]));
    let Some(proof) = explain(&egraph, &mut bank, start, end) else { return (false, names) };
    check(&system, &bank, &proof).unwrap();
    let file = proof_to_json(&system, &bank, &proof);
    let again = proof_from_json(&system, &mut bank, &file).unwrap();
    check(&system, &bank, &again).unwrap();
    (true, names)
}

#[test]
fn what_has_to_be_introduced_is_taken_from_the_pool() {
    let one_way = "(rewrite (* (inv ?x) ?x) e :name inverse)";
    assert!(!proves(one_way).0);
    let both = "(birewrite (* (inv ?x) ?x) e :name inverse)";
    let (proved, names) = proves(&format!("(pool G a (inv a)) {both}"));
    assert!(proved);
    assert_eq!(names[4..], ["inverse", "inverse-rev@1", "inverse-rev@2"]);
    // Without the second term there is no way.
    assert!(!proves(&format!("(pool G a) {both}")).0);
}

#[test]
fn each_variable_becomes_each_term() {
    let rules = "(sort I) (literal i64 I) (op f (I I) I) (op c () I)
        (pool I 1 (f 7 c)) (rewrite c (f ?x ?y) :name r)";
    let system = System::parse(rules).unwrap();
    let names: Vec<&str> = system.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["r@1@1", "r@1@2", "r@2@1", "r@2@2"]);
    assert!(system.rules.iter().all(|rule| rule.variables.names.is_empty()));
}
