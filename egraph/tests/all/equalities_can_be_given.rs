//! Equalities of terms in a rules file, and e-graphs that go on with more rules or another schedule.

use egraph::{
    EGraph, SaturationConfig, StopReason, System, TermBank, check, explain, saturate_until,
};
use std::sync::Arc;

const RULES: &str = "(sort I) (variable I) (literal i64 I) (op + (I I) I) (op f (I) I)
    (ruleset swap) (ruleset hand)
    (rewrite (+ ?a ?b) (+ ?b ?a) :name comm :ruleset swap) (rewrite (f ?a) ?a :name drop)\n";

fn grow(egraph: &mut EGraph) -> StopReason {
    saturate_until(egraph, &SaturationConfig::default(), |_| false).stop
}

#[test]
fn a_given_equality_matches_its_own_terms_alone_and_is_named_in_proofs() {
    let system = format!("{RULES}(given x (+ y 1) :name mine) (given (f z) y)");
    let system = Arc::new(System::parse(&system).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let mut parse = |text: &str| bank.parse(text, None).unwrap();
    let [start, end, other] = ["(+ x z)", "(+ (+ 1 y) z)", "w"].map(&mut parse);
    let mut egraph = EGraph::new(system.clone());
    for term in [start, end, other] {
        egraph.add_term(&bank, term);
    }
    assert_eq!(grow(&mut egraph), StopReason::Saturated);
    let proof = explain(&egraph, &mut bank, start, end).expect("x is y + 1");
    check(&system, &bank, &proof).unwrap();
    assert!(explain(&egraph, &mut bank, start, other).is_none());
    // A system without it refuses the proof.
    let without = System::parse(&format!("{RULES}(rewrite (f ?x) (f ?x) :name mine)")).unwrap();
    assert!(check(&without, &bank, &proof).is_err());
}

#[test]
fn mistakes_in_given_equalities_are_located() {
    for (text, column, message) in [
        ("(given ?a x)", 8, "pattern variable"),
        ("(given x)", 1, "expected (given term term"),
        ("(given (f x) (g x))", 15, "unknown operator 'g'"),
        ("(given x y :when (true))", 12, ":name or :ruleset"),
    ] {
        let mistake = System::parse(&format!("{RULES}{text}")).unwrap_err();
        assert_eq!((mistake.place.line, mistake.place.column), (4, column), "{text}: {mistake}");
        assert!(mistake.message.contains(message), "{text}: {mistake}");
    }
}

#[test]
fn an_e_graph_goes_on_with_more_rules_and_another_schedule_and_with_nothing_else() {
    let system = Arc::new(System::parse(RULES).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let [start, swapped, dropped] =
        ["(f (+ x y))", "(f (+ y x))", "(+ x y)"].map(|text| bank.parse(text, None).unwrap());
    let mut egraph = EGraph::new(system.clone());
    egraph.add_term(&bank, start);
    egraph.go_on_with(Arc::new(system.with_schedule("(saturate (run swap))").unwrap())).unwrap();
    grow(&mut egraph);
    assert!(explain(&egraph, &mut bank, start, swapped).is_some());
    assert!(explain(&egraph, &mut bank, start, dropped).is_none());

    let more = Arc::new(System::parse(&format!("{RULES}(given x y :name same)")).unwrap());
    egraph.go_on_with(more.clone()).unwrap();
    grow(&mut egraph);
    let doubled = bank.parse("(+ y y)", None).unwrap();
    egraph.add_term(&bank, doubled);
    egraph.rebuild();
    let proof = explain(&egraph, &mut bank, start, doubled).expect("x is y");
    check(&more, &bank, &proof).unwrap();

    for other in
        [RULES.replace(":name drop", ":name gone"), RULES.replace("(op f", "(op g () I) (op f")]
    {
        let other = Arc::new(System::parse(&other).unwrap());
        assert!(egraph.go_on_with(other).is_err());
    }
    assert!(system.with_schedule("(run nobody)").unwrap_err().message.contains("nobody"));
    assert!(system.with_schedule("").is_err());
}
