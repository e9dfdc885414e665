//! Equalities of terms in a rules file, and e-graphs that go on with more rules or another schedule.

use egraph::{
    EGraph, SaturationConfig, StopReason, System, TermBank, check, explain, saturate,
    saturate_until,
};
use std::ops::ControlFlow;
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
fn an_assumed_equality_is_a_rule_that_proofs_name_and_closes_under_congruence() {
    let system = Arc::new(System::parse(RULES).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let mut parse = |text: &str| bank.parse(text, None).unwrap();
    let [x, sum, y, z, start, end] = [
        "x",
        "(+ (f y) 1)",
        "(f (+ y (f y)))",
        "z",
        "(f (+ x z))",
        "(f (+ (+ (f y) 1) (f (+ y (f y)))))",
    ]
    .map(&mut parse);
    let mut egraph = EGraph::new(system.clone());
    for term in [start, end] {
        egraph.add_term(&bank, term);
    }
    egraph.assume("mine", &bank, &[(x, sum)]).unwrap();
    egraph.assume("mine", &bank, &[(y, z), (z, y), (sum, x)]).unwrap();
    egraph.rebuild();
    let names: Vec<&str> = egraph.system().rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["comm", "drop", "mine-1", "mine-2", "mine-3", "mine-4"]);
    let proof = explain(&egraph, &mut bank, start, end).expect("x is a sum, and z another one");
    check(egraph.system(), &bank, &proof).unwrap();
    assert!(check(&system, &bank, &proof).is_err());
    // The others' system is as it was.
    assert_eq!(system.rules.len(), 2);
    assert_eq!(grow(&mut egraph), StopReason::Saturated);
    let taken = System::parse(&RULES.replace(":name drop", ":name mine-7")).unwrap();
    let refused = EGraph::new(Arc::new(taken)).assume("mine", &bank, &[(x, y)]);
    assert!(refused.unwrap_err().contains("mine-7"));
}

/// A thousand classes are united one pair at a time, in time that grows with their number.
#[test]
fn ten_thousand_equalities_are_assumed_in_a_second() {
    let system = Arc::new(System::parse(RULES).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let mut egraph = EGraph::new(system);
    let terms: Vec<_> =
        (0..10_001).map(|i| bank.parse(&format!("(f v{i})"), None).unwrap()).collect();
    let began = std::time::Instant::now();
    for pair in terms.windows(2) {
        egraph.assume("given", &bank, &[(pair[0], pair[1])]).unwrap();
    }
    egraph.rebuild();
    // Far more than it takes; with a copy of the system for each it would be minutes.
    assert!(began.elapsed().as_secs() < 10);
    let proof = explain(&egraph, &mut bank, terms[0], terms[10_000]).unwrap();
    check(egraph.system(), &bank, &proof).unwrap();
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
    let schedule = Some(Arc::new(system.read_schedule("(saturate (run swap))").unwrap()));
    let config = SaturationConfig { schedule, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
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
    assert!(system.read_schedule("(run nobody)").unwrap_err().message.contains("nobody"));
    assert!(system.read_schedule("").is_err());
}
