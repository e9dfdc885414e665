//! Relations of two terms, of which a rules file has what they say of a term and itself.

use crate::common::import_egglog;
use egraph::{EGraph, Node, SaturationConfig, System, TermBank, saturate};
use interop::Why;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The lines that are made of rules and relations, and why the rest is left out, commands not counted.
fn imported(program: &str) -> (Vec<String>, Vec<String>) {
    let program =
        format!("(datatype T (Num i64) (Var String) (Add T T))\n(relation leq (T T))\n{program}");
    let imported = import_egglog(&program).unwrap();
    System::parse(&imported.rules).unwrap();
    let of = ["(rewrite", "(transfer"];
    let lines = imported.rules.lines().filter(|line| of.iter().any(|of| line.starts_with(of)));
    let refused = imported.left_out.iter().filter(|left| left.why != Why::Command);
    (lines.map(str::to_owned).collect(), refused.map(|left| left.message.clone()).collect())
}

#[test]
fn rules_are_taken_over_where_both_terms_are_one() {
    for (rules, expected) in [
        // Nothing new about a term and itself.
        ("(rule ((leq a b) (leq b c)) ((leq a c)))", &[][..]),
        (
            "(rule ((= a (Num n)) (= b (Num m)) (<= n m)) ((leq a b)))",
            &["(transfer (leq (Num ?m)) (<= ?m ?m))"],
        ),
        (
            "(rule ((= v (Var x))) ((leq v v)))
             (rule ((= a (Add b c)) (= d (Add e f)) (leq b e) (leq c f)) ((leq a d)))",
            &["(transfer (leq (Var ?x)) 1)", "(transfer (leq (Add ?e ?f)) (&& (leq ?e) (leq ?f)))"],
        ),
        (
            "(rule ((= a (Num n)) (= b (Num m)) (<= n m)) ((leq a b)))
             (function high (T) i64 :merge (min old new))
             (rule ((leq e (Num n))) ((set (high e) n)))",
            &["(transfer (leq (Num ?m)) (<= ?m ?m))", "(transfer (high (Num ?n)) ?n)"],
        ),
        (
            "(rule ((= v (Var x))) ((leq v v))) (rule ((leq a b) (= c (Add a b))) ((union c a)))",
            &[
                "(transfer (leq (Var ?x)) 1)",
                "(rewrite (Add ?b ?b) ?b :when ((leq ?b)) :name line-3)",
            ],
        ),
    ] {
        let (lines, refused) = imported(rules);
        assert_eq!(lines, expected, "{rules}");
        assert_eq!(
            refused,
            [
                "what 'leq' says of two different terms can't be imported: a rules file has no such thing"
            ],
            "{rules}"
        );
    }
}

#[test]
fn what_is_of_two_different_terms_is_left_out() {
    for rule in [
        // No number is a sum, and no term a part of itself.
        "(rule ((leq (Num n) (Add a b))) ((leq a b)))",
        "(rule ((leq a (Add a b))) ((leq b a)))",
        "(leq (Num 1) (Num 2))",
    ] {
        let (lines, refused) = imported(rule);
        assert!(lines.is_empty(), "{rule}: {lines:?}");
        assert_eq!(refused.len(), 2, "{rule}: {refused:?}");
    }
}

#[test]
fn what_follows_from_facts_alone_stands_in_its_place() {
    let program = "(datatype T (Num i64) (Div T T) (Neg T))
(function low (T) i64 :merge (max old new)) (function high (T) i64 :merge (min old new))
(rule ((= e (Num n))) ((set (low e) n) (set (high e) n)))
(rule ((= e (Neg a)) (nonzero a)) ((nonzero e)))
(relation nonzero (T))
(let zero 0)
(rule ((> (low e) zero)) ((nonzero e)))
(rule ((< (high e) zero)) ((nonzero e)))
(rewrite (Div x x) (Num 1) :when ((nonzero x)))";
    let imported = import_egglog(program).unwrap();
    assert!(
        imported.left_out.iter().all(|left| left.why == Why::Command),
        "{:?}",
        imported.left_out
    );
    for line in [
        "(transfer (nonzero (Neg ?a)) (> (low ?a) 0))",
        "(transfer (nonzero (Neg ?a)) (< (high ?a) 0))",
        "(transfer (nonzero (Neg ?a)) (nonzero ?a))",
        "(rewrite (Div ?x ?x) (Num 1) :when ((> (low ?x) 0)) :name line-9)",
        "(rewrite (Div ?x ?x) (Num 1) :when ((< (high ?x) 0)) :name line-9-2)",
        "(rewrite (Div ?x ?x) (Num 1) :when ((nonzero ?x)) :name line-9-3)",
    ] {
        assert!(imported.rules.lines().any(|found| found == line), "{line}\n{}", imported.rules);
    }
}

/// The rules of egglog's lesson on schedules, with bounds by a relation of two terms.
const BOUNDS: &str = "
(datatype E (Num BigRat) (Var String) (Add E E) (Mul E E) (Div E E))
(let none (bigrat (bigint 0) (bigint 1))) (let one (bigrat (bigint 1) (bigint 1)))
(ruleset facts) (ruleset better)
(relation leq (E E)) (relation nonzero (E))
(function high (E) BigRat :merge (min old new)) (function low (E) BigRat :merge (max old new))
(with-ruleset facts
  (rule ((leq a b) (leq b c)) ((leq a c)))
  (rule ((= a (Num p)) (= b (Num q)) (<= p q)) ((leq a b)))
  (rule ((= v (Var x))) ((leq v v)))
  (rule ((= a (Add a1 a2)) (= b (Add b1 b2)) (leq a1 b1) (leq a2 b2)) ((leq a b)))
  (rule ((leq a (Num q))) ((set (high a) q)))
  (rule ((leq (Num q) a)) ((set (low a) q)))
  (rule ((= a (Add b c)) (= x (high b)) (= y (high c))) ((set (high a) (+ x y))))
  (rule ((= a (Add b c)) (= x (low b)) (= y (low c))) ((set (low a) (+ x y))))
  (rule ((= a (Mul b c)) (= p (low b)) (= q (low c)) (= x (high b)) (= y (high c)))
        ((set (low a) (min (min (* p q) (* p y)) (min (* x q) (* x y))))
         (set (high a) (max (max (* p q) (* p y)) (max (* x q) (* x y))))))
  (rule ((> (low a) none)) ((nonzero a)))
  (rule ((< (high a) none)) ((nonzero a))))
(with-ruleset better
  (birewrite (Add x (Add y z)) (Add (Add x y) z)) (birewrite (Mul x (Mul y z)) (Mul (Mul x y) z))
  (rewrite (Add x y) (Add y x)) (rewrite (Mul x y) (Mul y x))
  (rewrite (Mul x (Add y z)) (Add (Mul x y) (Mul x z)))
  (rewrite (Add x (Num none)) x) (rewrite (Mul x (Num one)) x) (rewrite (Mul x (Num none)) (Num none))
  (rewrite (Add (Num p) (Num q)) (Num (+ p q))) (rewrite (Mul (Num p) (Num q)) (Num (* p q)))
  (rewrite (Div x x) (Num one) :when ((nonzero x))) (rewrite (Mul x (Div y x)) y :when ((nonzero x))))
(let chain (Add (Var \"a\") (Add (Var \"b\") (Add (Var \"c\") (Add (Var \"d\") (Add (Var \"e\") (Var \"f\")))))))
(let above (Add (Num one) (Add (Num one) (Add (Num one) (Add (Num one) (Mul (Var \"x\") (Num none)))))))
(let start (Mul above (Div chain above)))";

#[test]
fn the_lessons_second_example_has_as_many_products_as_the_lesson_says() {
    let imported = import_egglog(BOUNDS).unwrap();
    let rules = System::parse(&imported.rules).unwrap();
    for (times, classes, products) in [
        (1, 25, None),
        (2, 48, None),
        (3, 112, None),
        (4, 172, None),
        (5, 385, Some(582)),
        (6, 6_163, Some(13_285)),
    ] {
        let schedule = format!("(repeat {times} (saturate (run facts)) (run better))");
        let schedule = Some(Arc::new(rules.read_schedule(&schedule).unwrap()));
        let system = Arc::new(rules.clone());
        let mut bank = TermBank::new(system.language.clone());
        let start = bank.parse(imported.terms.last().unwrap(), None).unwrap();
        let mut egraph = EGraph::new(system.clone());
        egraph.add_term(&bank, start);
        let config = SaturationConfig { schedule, ..Default::default() };
        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        // What egglog has as literals and strings are terms here, too.
        let terms = system.language.sort("E").unwrap();
        let of_terms = |class: &egraph::Id| egraph.sort(*class) == terms;
        assert_eq!(egraph.classes().filter(of_terms).count(), classes, "{times}");
        let product = system.language.operator("Mul").unwrap();
        let nodes = egraph.classes().flat_map(|class| egraph.nodes(class));
        let found = nodes.filter(|&&node| egraph.node(node) == Node::Op(product)).count();
        assert!(products.is_none_or(|products| found == products), "{times}: {found}");
    }
}
