//! Fractions, doubles and words: they are folded, read by conditions, computed on right-hand sides and in
//! costs; the proofs are checked, written and read back; and rules about them are reviewed.

mod common;

use egraph::{
    Caps, EGraph, Limits, Read, System, TermBank, check, check_flat, explain, proof_from_json,
    proof_to_json, review,
};
use std::sync::Arc;

/// A language over one sort with literals of this kind, in which constants are folded.
fn language(kind: &str) -> String {
    let declared = |names: &str, rest: &str| -> String {
        names.split(' ').map(|name| format!("(op {name} {rest}) ")).collect()
    };
    format!(
        "(sort N) (sort B) (literal {kind} N) (literal bool B) (variable N) (analysis constant)
         {} {} {}\n",
        declared("+ - * / % & | ^ << >> min max", "(N N) N"),
        declared("< <= > >= == !=", "(N N) B"),
        declared("abs ~ f g", "(N) N"),
    )
}

fn system(kind: &str, rules: &str) -> Arc<System> {
    common::system(&format!("{}{rules}", language(kind)))
}

/// Whether two terms are proved equal; the proof is checked before and after a file, flat and not.
fn equal(system: &Arc<System>, from: &str, to: &str) -> bool {
    let mut bank = TermBank::new(system.language.clone());
    let from = bank.parse(from, None).unwrap();
    let to = bank.parse(to, Some(bank.sort(from))).unwrap();
    let limits = Limits { nodes: Some(2_000), ..Limits::default() };
    let egraph: EGraph = common::grow(system, &bank, &[from, to], limits);
    let Some(proof) = explain(&egraph, &mut bank, from, to) else { return false };
    check(system, &bank, &proof).unwrap();
    let json = proof_to_json(system, &bank, &proof);
    let mut other = TermBank::new(system.language.clone());
    let read = proof_from_json(system, &mut other, &json).unwrap();
    check(system, &other, &read).unwrap();
    assert_eq!(proof_to_json(system, &other, &read), json);
    let flat = read.flatten(&mut other, Caps { steps: 1_000, term_size: 1_000 }).unwrap();
    check_flat(system, &other, &flat).unwrap();
    true
}

#[test]
fn constants_are_folded() {
    for (kind, from, to) in [
        ("rational", "(+ 1/2 1/3)", "5/6"),
        ("rational", "(/ (- 1 3) 4)", "-1/2"),
        ("rational", "(max (abs -2/3) 1/2)", "2/3"),
        ("rational", "(<= 1/2 2/4)", "1"),
        ("rational", "(!= 1/2 1/3)", "1"),
        ("f64", "(+ 0.1 0.2)", "0.30000000000000004"),
        ("f64", "(* 2 1e-3)", "0.002"),
        ("f64", "(< (abs -1.5) 2.5)", "1"),
        ("(bits 8)", "(+ 200 100)", "44"),
        ("(bits 8)", "(- 0 1)", "255"),
        ("(bits 8)", "(/ 7 0)", "255"),
        ("(bits 8)", "(% 7 0)", "7"),
        ("(bits 8)", "(~ (| 1 (<< 1 7)))", "126"),
        ("(bits 8)", "(>> 128 8)", "0"),
        ("(bits 8)", "(> 128 127)", "1"),
        ("(bits 64)", "(* 18446744073709551615 18446744073709551615)", "1"),
        ("i64", "(^ (& 12 10) (<< 1 4))", "24"),
        ("i64", "(>> -5 1)", "-3"),
    ] {
        assert!(equal(&system(kind, ""), from, to), "{kind}: {from} = {to}");
    }
}

#[test]
fn what_has_no_value_stays_as_it_is() {
    for (kind, from) in [
        ("rational", "(/ 1 0)"),
        ("rational", "(+ 9223372036854775807 1)"),
        ("rational", "(* 1/72057594037927935 1/2)"),
        ("f64", "(/ 1 0)"),
        ("f64", "(* 1e300 1e300)"),
        ("f64", "(% 5 3)"),
        ("i64", "(<< 1 63)"),
        ("i64", "(>> 1 64)"),
        ("i64", "(~ 1)"),
    ] {
        let system = system(kind, "");
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(from, None).unwrap();
        let mut egraph = common::grow(&system, &bank, &[term], Limits::default());
        let class = egraph.add_term(&bank, term);
        assert_eq!(egraph.literal(egraph.find(class)), None, "{kind}: {from}");
    }
}

#[test]
fn numbers_in_expressions_take_the_kind_of_what_they_stand_beside() {
    let rules = |number: &str, sum: &str| {
        format!(
            "(rewrite (f ?a) (g ?a) :when ((< ?a {number})))
             (rewrite (g ?a) (f (compute (+ {sum} ?a))) :when ((!= ?a 0) (< (* 2 ?a) 5)))"
        )
    };
    for (kind, number, sum, from, to, not) in [
        ("rational", "3/2", "1", "(f 1)", "(f 2)", "(f 3/2)"),
        ("rational", "2", "1/2", "(f 1)", "(f 3/2)", "(f 2)"),
        ("f64", "1.5", "1", "(f 1)", "(f 2.0)", "(f 1.5)"),
        ("f64", "2", "5e-1", "(f 1.0)", "(f 1.5)", "(f 2)"),
        ("(bits 4)", "2", "15", "(f 1)", "(f 0)", "(f 2)"),
        ("i64", "2", "-1", "(f 1)", "(f 0)", "(f 2)"),
    ] {
        let system = system(kind, &rules(number, sum));
        assert!(equal(&system, from, to), "{kind}: {from} = {to}");
        assert!(!equal(&system, not, &not.replace('f', "g")), "{kind}: {not}");
    }
    // Where only the place says it, and where nothing does.
    let system = system("rational", "(rewrite (f ?a) (compute (/ 1 3)) :when ((< 1/2 1) (< 1 2)))");
    assert!(equal(&system, "(f x)", "1/3"));
}

#[test]
fn costs_are_whole_numbers_of_any_kind() {
    for (kind, weight, argument, cost) in [
        ("rational", "(* 4 ?a)", "3/2", Some(6)),
        ("rational", "(* 4 ?a)", "1/3", None),
        ("rational", "(- ?a 1)", "1/2", None),
        ("f64", "(* 1e3 ?a)", "0.25", Some(250)),
        ("f64", "?a", "1e30", None),
        ("(bits 8)", "(<< ?a 3)", "5", Some(40)),
    ] {
        let system = system(kind, &format!("(cost (f ?a) {weight} :name w)"));
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(&format!("(f {argument})"), None).unwrap();
        let declared = system.costs.iter().find(|cost| cost.name == "w").unwrap();
        let children = bank.children(term).to_vec();
        let found = declared.weight(bank.node(term), |read| match read {
            Read::Literal(i) => bank.literal(children[i]),
            Read::Fact(..) => None,
        });
        assert_eq!(found, cost, "{kind}: {weight} at {argument}");
    }
}

#[test]
fn false_rules_are_refuted_and_true_ones_are_not() {
    let errors = |kind: &str, rule: &str| -> Vec<String> {
        let review = review(&format!("{}{rule}", language(kind)));
        let all = review.findings.iter().filter(|f| f.severity == egraph::Severity::Error);
        all.flat_map(|f| [f.message.clone()].into_iter().chain(f.notes.clone())).collect()
    };
    for (kind, rule) in [
        ("rational", "(rewrite (* ?a (/ ?b ?c)) (/ (* ?a ?b) ?c))"),
        ("rational", "(rewrite (/ ?a ?a) 1)"),
        ("rational", "(rewrite (< (* ?a ?c) (* ?b ?c)) (< ?a ?b) :when ((< 0 ?c)))"),
        ("f64", "(rewrite (+ ?a ?b) (+ ?b ?a))"),
        ("f64", "(rewrite (max ?a ?a) ?a)"),
        ("(bits 1)", "(rewrite (+ ?a ?b) (^ ?a ?b))"),
        ("(bits 8)", "(rewrite (+ ?a (~ ?a)) 255)"),
        ("(bits 8)", "(rewrite (<< ?a ?n) (* ?a (compute (<< 1 ?n))) :when ((const ?n)))"),
        ("(bits 64)", "(rewrite (- ?a ?b) (+ (+ ?a (~ ?b)) 1))"),
        ("i64", "(rewrite (& ?a ?b) (- ?a (- ?a (& ?b ?a))))"),
    ] {
        assert_eq!(errors(kind, rule), [] as [String; 0], "{kind}: {rule}");
    }
    for (kind, rule, values) in [
        ("rational", "(rewrite (* ?a ?a) ?a)", "?a = -1"),
        ("rational", "(rewrite (% ?a ?b) (% ?a ?b))", ""),
        ("rational", "(rewrite (< (* ?a ?c) (* ?b ?c)) (< ?a ?b))", "?c = "),
        ("f64", "(rewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))", "?c = "),
        ("f64", "(rewrite (- (+ ?a ?b) ?b) ?a)", "?b = "),
        ("(bits 2)", "(rewrite (< (+ ?a 1) 1) 0)", "?a = 3"),
        ("(bits 8)", "(rewrite (/ (* ?a ?b) ?b) ?a :when ((!= ?b 0)))", "?b = "),
        ("(bits 32)", "(rewrite (>> (<< ?a 1) 1) ?a)", "?a = "),
        ("(bits 64)", "(rewrite (< ?a 18446744073709551614) 1)", "?a = 18446744073709551615"),
        ("i64", "(rewrite (>> (<< ?a 1) 2) (<< ?a 1))", "?a = "),
    ] {
        let found = errors(kind, rule).join("\n");
        assert_eq!(found.contains("is false"), !values.is_empty(), "{kind}: {rule}\n{found}");
        assert!(found.contains(values), "{kind}: {rule}\n{found}");
    }
}
