//! What programs of egglog become, and that what they say is equal is proved.

use crate::common::import_egglog;
use egraph::{EGraph, Limits, SaturationConfig, System, TermBank, check, explain, saturate};
use interop::{Imported, Why};
use std::ops::ControlFlow;
use std::sync::Arc;

const MATH: &str =
    "(datatype Math (Num i64) (Var String) (Add Math Math) (Mul Math Math) (Neg Math))";

/// Of a program all of which is taken over, commands left out.
fn whole(program: &str) -> Imported {
    let imported = import_egglog(program).unwrap();
    let refused: Vec<_> = imported.left_out.iter().filter(|l| l.why != Why::Command).collect();
    assert!(refused.is_empty(), "{program}: {refused:?}");
    imported
}

/// What is made of the lines of a program behind `MATH`.
fn lines(program: &str) -> Vec<String> {
    let imported = whole(&format!("{MATH}\n{program}"));
    let of = ["(rewrite", "(birewrite", "(transfer", "(analysis", "(schedule"];
    let lines = imported.rules.lines().filter(|line| of.iter().any(|of| line.starts_with(of)));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_group_of_rules_has_its_ruleset() {
    let program = "(ruleset r) (with-ruleset r (rewrite (Neg (Neg a)) a) (rule ((= e (Add a b))) ((union e (Add b a)))))";
    let expected = [
        "(rewrite (Neg (Neg ?a)) ?a :name line-2 :ruleset r)",
        "(rewrite (Add ?a ?b) (Add ?b ?a) :name line-2-2 :ruleset r)",
    ];
    assert_eq!(lines(program), expected);
}

#[test]
fn equalities_that_are_checked_are_tasks() {
    let program = "(let two (Num 2)) (check (= two (Add (Num 1) (Num 1))) (= (Num 3) (Num 3)))
        (check (Num 3)) (check (!= two (Num 3))) (fail (check (= two (Num 3))))";
    let imported = whole(&format!("{MATH} {program}"));
    let all: Vec<String> = imported.checks.iter().map(|ends| ends.join(" = ")).collect();
    assert_eq!(all, ["(Num 2) = (Add (Num 1) (Num 1))", "(Num 3) = (Num 3)"]);
    assert_eq!(imported.left_out.iter().filter(|l| l.message == "check").count(), 2);
}

#[test]
fn rules_of_one_pattern_are_rewrites() {
    for (program, expected) in [
        (
            "(rule ((= e (Add a b))) ((union e (Add b a))) :name \"comm\")",
            "(rewrite (Add ?a ?b) (Add ?b ?a) :name comm)",
        ),
        // What a fact says of a part is written in its place.
        (
            "(rule ((= e (Add a n)) (= n (Neg a))) ((union (Num 0) e)))",
            "(rewrite (Add ?a (Neg ?a)) (Num 0) :name line-2)",
        ),
        (
            "(rewrite (Add a b) (Mul (Num 2) a) :when ((= b (Neg (Neg a)))))",
            "(rewrite (Add ?a (Neg (Neg ?a))) (Mul (Num 2) ?a) :name line-2)",
        ),
        // A pattern without a name, and a name that an action gives.
        (
            "(rule ((Add a (Num n)) (> n 0)) ((let m (Num (- 0 n))) (union (Add a (Num n)) (Neg (Add m (Neg a))))))",
            "(rewrite (Add ?a (Num ?n)) (Neg (Add (Num (compute (- 0 ?n))) (Neg ?a))) :when ((> ?n 0)) :name line-2)",
        ),
        // A value that a fact has named, used and not used.
        (
            "(rule ((= e (Add (Num a) (Num b))) (= c (+ a b))) ((union e (Num c))))",
            "(rewrite (Add (Num ?a) (Num ?b)) (Num (compute (+ ?a ?b))) :name line-2)",
        ),
        (
            "(rule ((= e (Mul (Num a) x)) (= c (+ a 1))) ((union e (Mul x (Num a)))))",
            "(rewrite (Mul (Num ?a) ?x) (Mul ?x (Num ?a)) :when ((== (+ ?a 1) (+ ?a 1))) :name line-2)",
        ),
        ("(union (Neg (Num 1)) (Num -1))", "(birewrite (Neg (Num 1)) (Num -1) :name line-2)"),
    ] {
        assert_eq!(lines(program), [expected], "{program}");
    }
}

#[test]
fn a_rule_with_two_unions_is_two_rewrites() {
    let rule = "(rule ((= e (Neg (Neg a)))) ((union e a) (union e (Neg (Neg a)))))";
    assert_eq!(
        lines(rule),
        [
            "(rewrite (Neg (Neg ?a)) ?a :name line-2)",
            "(rewrite (Neg (Neg ?a)) (Neg (Neg ?a)) :name line-2-2)"
        ]
    );
}

#[test]
fn tests_of_truth_are_conditions() {
    for (facts, expected) in [
        ("(!= a 0)", "(!= ?a 0)"),
        ("(= true (not (bool-< a b)))", "(! (< ?a ?b))"),
        ("(= (and (bool-> a 0) (bool-= b 1)) false)", "(! (&& (> ?a 0) (== ?b 1)))"),
        ("(guard (or (bool-<= a b) (bool->= a 7)))", "(|| (<= ?a ?b) (>= ?a 7))"),
        ("(= a (- b 1))", "(== ?a (- ?b 1))"),
        ("(= c (& a 1)) (= c (abs b))", "(== (& ?a 1) (abs ?b))"),
    ] {
        let program =
            format!("(rewrite (Add (Num a) (Num b)) (Add (Num b) (Num a)) :when ({facts}))");
        let expected = format!(
            "(rewrite (Add (Num ?a) (Num ?b)) (Add (Num ?b) (Num ?a)) :when ({expected}) :name line-2)"
        );
        assert_eq!(lines(&program), [expected], "{facts}");
    }
}

#[test]
fn doubles_and_fractions_are_literals() {
    let program = "(datatype M (F f64) (Q BigRat) (Z BigInt))
(rewrite (F x) (F (/ x 2.0)) :when ((> x 1.5e3)))
(rewrite (Q x) (Q (/ x (bigrat (bigint 2) (bigint 3)))) :when ((!= x (bigrat (bigint 0) (bigint 1)))))
(rewrite (Z (bigint 7)) (Z (from-string \"8\")))
(let half (Q (bigrat (bigint 1) (bigint 2))))";
    let imported = whole(program);
    for line in [
        "(sort f64) (literal f64 f64)",
        "(sort BigRat) (literal rational BigRat)",
        "(sort BigInt) (literal i64 BigInt)",
        "(rewrite (F ?x) (F (compute (/ ?x 2.0))) :when ((> ?x 1.5e3)) :name line-2)",
        "(rewrite (Q ?x) (Q (compute (/ ?x 2/3))) :when ((!= ?x 0/1)) :name line-3)",
        "(rewrite (Z 7) (Z 8) :name line-4)",
    ] {
        assert!(imported.rules.lines().any(|found| found == line), "{line}\n{}", imported.rules);
    }
    assert_eq!(imported.terms, ["(Q 1/2)"]);
    // A constructor of that name makes terms.
    let imported = whole(
        "(datatype M (bigint i64) (Is bool))
(rewrite (Is b) (bigint 3) :when ((= b true)))
(let x (bigint 3))",
    );
    assert!(
        imported.rules.contains("(rewrite (Is ?b) (bigint 3) :when ((! (! ?b))) :name line-2)")
    );
    assert_eq!(imported.terms, ["(bigint 3)"]);
}

#[test]
fn functions_to_values_are_analyses() {
    let program = "(function lo (Math) i64 :merge (max old new))
(function size (Math) i64 :no-merge)
(relation positive (Math))
(rule ((= e (Num n))) ((set (lo e) n)))
(rule ((= e (Add a b)) (= x (lo a)) (= y (lo b))) ((set (lo e) (+ x y))))
(rule ((= e (Num n)) (> n 0)) ((positive e)))
(rule ((= e (Mul a b)) (positive a) (positive b)) ((positive e)))
(rewrite (Mul (Num 0) a) (Num 0) :when ((positive a) (>= (lo a) 0)))
(rule ((= e (Neg (Neg a))) (lo a)) ((union e a)))";
    assert_eq!(
        lines(program),
        [
            "(analysis lo Math i64 :merge (max old new))",
            "(analysis size Math i64 :merge old)",
            "(analysis positive Math bool :merge (|| old new))",
            "(transfer (lo (Num ?n)) ?n)",
            "(transfer (lo (Add ?a ?b)) (+ (lo ?a) (lo ?b)))",
            "(transfer (positive (Num ?n)) (> ?n 0))",
            "(transfer (positive (Mul ?a ?b)) (&& (positive ?a) (positive ?b)))",
            "(rewrite (Mul (Num 0) ?a) (Num 0) :when ((positive ?a) (>= (lo ?a) 0)) :name line-9)",
            "(rewrite (Neg (Neg ?a)) ?a :when ((== (lo ?a) (lo ?a))) :name line-10)",
        ]
    );
}

#[test]
fn what_is_known_of_a_constant_is_a_transfer() {
    let program = "(datatype T (A) (B T)) (function lo (T) i64 :merge (max old new))
(relation good (T))
(set (lo (A)) 3) (good (A))";
    let rules = whole(program).rules;
    assert!(rules.contains("(transfer (lo A) 3)\n(transfer (good A) 1)\n"), "{rules}");
}

#[test]
fn a_program_with_a_schedule_keeps_it() {
    let program = "(ruleset fold) (ruleset comm)
(rewrite (Add a b) (Add b a) :ruleset comm)
(rewrite (Add (Num a) (Num b)) (Num (+ a b)) :ruleset fold)
(run-schedule (saturate (run fold)) (repeat 3 comm (run :until (= 1 1))))
(run comm 2)
(run 4)";
    assert_eq!(
        lines(program).last().unwrap(),
        "(schedule (saturate (run fold)) (repeat 3 comm (run)) (repeat 2 (run comm)) (repeat 4 (run)))"
    );
    // How often everything is run is for the command line to say.
    assert!(!whole("(datatype T (A)) (run 10)").rules.contains("schedule"));
}

#[test]
fn strings_are_names() {
    let program = "(let px (Var \"point x\"))
(rewrite (Add a px) (Add px a))
(rewrite (Var \"say \\\"(;\\\"\") (Num 1) :name \"two
lines\")
(rewrite (Num 2) (Num (+ 1 1)))";
    let imported = whole(&format!("{MATH}\n{program}"));
    for line in [
        "(op \"point␣x\" () String)",
        "(rewrite (Add ?a (Var \"point␣x\")) (Add (Var \"point␣x\") ?a) :name line-3)",
        "(rewrite (Var \"say␣\\\"❨；\\\"\") (Num 1) :name two␣lines)",
        // Lines are counted as in the program.
        "(rewrite (Num 2) (Num (compute (+ 1 1))) :name line-6)",
    ] {
        assert!(imported.rules.lines().any(|found| found == line), "{line}\n{}", imported.rules);
    }
}

#[test]
fn options_of_running_are_no_part_of_a_rule() {
    let program = "(rewrite (Neg (Neg a)) a :subsume :when ((= 1 1)))";
    assert_eq!(lines(program), ["(rewrite (Neg (Neg ?a)) ?a :when ((== 1 1)) :name line-2)"]);
}

/// The first two terms of a program are proved equal under its rules.
fn proves(program: &str) {
    let imported = whole(program);
    let system = Arc::new(System::parse(&imported.rules).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let terms: Vec<_> = imported.terms.iter().map(|term| bank.parse(term, None).unwrap()).collect();
    let mut egraph = EGraph::new(system.clone());
    terms.iter().for_each(|&term| {
        egraph.add_term(&bank, term);
    });
    let limits = Limits { nodes: Some(2_000), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    let proof = explain(&egraph, &mut bank, terms[0], terms[1]);
    let proof = proof.unwrap_or_else(|| panic!("not proved: {program}"));
    check(&system, &bank, &proof).unwrap();
}

#[test]
fn what_programs_check_is_proved() {
    proves(&format!(
        "{MATH}
(rule ((= e (Add a b))) ((union e (Add b a))))
(rule ((= e (Add (Num a) (Num b))) (= c (+ a b))) ((union e (Num c))))
(rule ((= e (Mul a n)) (= n (Num 2))) ((union e (Add a a))))
(let start (Mul (Num 3) (Num 2)))
(let goal (Num 6))
(run 5)
(check (= start goal))"
    ));
    proves(
        "(datatype Real (Lit BigRat) (Var String) (Div Real Real) (Mul Real Real))
(relation nonzero (Real))
(rule ((= e (Lit q)) (!= q (bigrat (bigint 0) (bigint 1)))) ((nonzero e)))
(rule ((= e (Mul a b)) (nonzero a) (nonzero b)) ((nonzero e)))
(rewrite (Div (Mul a b) b) a :when ((nonzero b)))
(let start
  (Div (Mul (Var \"x\") (Mul (Lit (bigrat (bigint 2) (bigint 1))) (Lit (bigrat (bigint 1) (bigint 3)))))
       (Mul (Lit (bigrat (bigint 4) (bigint 2))) (Lit (bigrat (bigint 1) (bigint 3))))))
(let goal (Var \"x\"))
(check (= start goal))",
    );
}
