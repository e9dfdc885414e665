//! What programs of egglog become, and that what they say is equal is proved.

use crate::common::import_egglog;
use egraph::{
    EGraph, Limits, SaturationConfig, System, TermBank, TermId, check, explain, saturate,
};
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
        // Of anything of which something is known.
        (
            "(relation good (Math)) (rule ((good a)) ((union a (Mul a (Num 1)))))",
            "(rewrite ?a (Mul ?a (Num 1)) :when ((good ?a)) :name line-2)",
        ),
        ("(union (Neg (Num 1)) (Num -1))", "(birewrite (Neg (Num 1)) (Num -1) :name line-2)"),
    ] {
        assert_eq!(lines(program).last().unwrap(), expected, "{program}");
    }
    // What is only said of rows is no equality, whatever the rule asks.
    let rows =
        "(rule ((= (Num _) (Add x y))) ((subsume (Add x y)))) (rule ((Num 9)) ((panic \"nine\")))";
    assert!(lines(rows).is_empty());
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
(unstable-combined-ruleset both fold comm)
(unstable-combined-ruleset all both)
(run-schedule (saturate (run fold)) (repeat 3 comm (run)) (saturate all (run both)))
(run comm 2)
(run 4)";
    assert_eq!(
        lines(program).last().unwrap(),
        "(schedule (saturate (run fold)) (repeat 3 comm (run)) (saturate (run fold comm) (run fold comm)) \
         (repeat 2 (run comm)) (repeat 4 (run)))"
    );
    // How often everything is run is for the command line to say.
    assert!(!whole("(datatype T (A)) (run 10)").rules.contains("schedule"));
}

#[test]
fn goals_end_what_is_run() {
    let program = "(ruleset fold)
(rewrite (Num n) (Add (Num (+ n 1)) (Num -1)))
(rewrite (Add a b) (Add b a) :ruleset fold)
(let zero (Num 0))
(let goal (Add (Num -1) (Num 1)))
(run-schedule (saturate (run :until (= zero (Add (Num 1) (Num -1)))) (run fold :until (Neg zero) )))
(run 10000 :until (= zero goal))";
    assert_eq!(
        lines(program).last().unwrap(),
        "(schedule (saturate (until (= (Num 0) (Add (Num 1) (Num -1))) (run)) \
         (until (= (Neg (Num 0)) (Neg (Num 0))) (run fold))) \
         (until (= (Num 0) (Add (Num -1) (Num 1))) (repeat 10000 (run))))"
    );
    // Without its goal the first part would never end. The last one has nothing to do.
    let imported = whole(&format!("{MATH}\n{program}"));
    let (egraph, bank, terms) = grown(&imported, Limits::default());
    let class = |term| egraph.lookup(&bank, term).unwrap();
    assert_eq!(class(terms[0]), class(terms[1]));
    assert!(egraph.class_count() < 12, "{}", egraph.class_count());
    // A goal alone makes a schedule, too. A name is what it was there.
    let alone = "(let zero (Num 0)) (run 3 :until (= zero (Num 1))) (let zero (Num 7))";
    assert_eq!(lines(alone), ["(schedule (until (= (Num 0) (Num 1)) (repeat 3 (run))))"]);
}

#[test]
fn integers_are_divided_towards_zero() {
    let numbers = [i64::MIN + 1, -7, -6, -3, -2, -1, 0, 1, 2, 3, 6, 7, i64::MAX];
    let pairs = || numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b)));
    let mut program = format!(
        "{MATH} (rewrite (Mul (Num a) (Num b)) (Num (/ a b))) (rewrite (Add (Num a) (Num b)) (Num (% a b)))
(rewrite (Neg (Num a)) (Num 0) :when ((= (% a 4) -3)))"
    );
    let (mut quotients, mut expected) = (String::new(), Vec::new());
    for (a, b) in pairs() {
        quotients += &format!("(Mul (Num {a}) (Num {b})) (Add (Num {a}) (Num {b}))");
        expected.extend([a.checked_div(b), a.checked_rem(b)]);
    }
    program += &quotients;
    let (egraph, mut bank, terms) = grown(&whole(&program), Limits::default());
    assert_eq!(terms.len(), expected.len());
    for (term, expected) in terms.into_iter().zip(expected) {
        let class = egraph.lookup(&bank, term).unwrap();
        match expected {
            Some(number) => {
                let number = bank.parse(&format!("(Num {number})"), None).unwrap();
                assert_eq!(egraph.lookup(&bank, number), Some(class), "{}", bank.display(term));
            }
            None => assert_eq!(egraph.nodes(class).len(), 1, "{}", bank.display(term)),
        }
    }
    let halved = "(function h (Math) i64 :merge (max old new)) (rule ((= e (Neg a))) ((set (h e) (/ (h a) 2))))";
    assert_eq!(
        lines(halved)[1],
        "(transfer (h (Neg ?a)) (- (/ (max (h ?a) 0) 2) (/ (max (- (h ?a)) 0) 2)))"
    );
    for refused in [
        "(function h (Math) i64 :merge (/ old new))",
        "(rewrite (Neg (Num a)) (Num (/ a 0)))",
        "(function h (Math) i64 :merge old) (rule ((= e (Neg a))) ((set (h e) (/ 7 (h a)))))",
    ] {
        let imported = import_egglog(&format!("{MATH} {refused}")).unwrap();
        assert_eq!(imported.left_out.len(), 1, "{refused}: {:?}", imported.left_out);
    }
}

#[test]
fn equal_variables_are_one_and_strings_may_differ() {
    let program = "(rewrite (Add (Var a) (Var b)) (Num 0) :when ((!= a b)))
(rewrite (Add (Var a) (Var b)) (Num 1) :when ((= a b)))
(rewrite (Mul (Var a) (Var b)) (Num 2) :when ((= a b) (!= \"pi\" b)))
(rule ((= e (Add x y)) (= x y) (= z x) (= x (Neg w)) (= y z)) ((union e (Neg w))))";
    let expected = [
        "(analysis string-number String i64 :merge old)",
        "(transfer (string-number (variable ?name)) ?name)",
        "(transfer (string-number \"pi\") 0)",
        "(rewrite (Add (Var ?a) (Var ?b)) (Num 0) :when ((!= (string-number ?a) (string-number ?b))) :name line-2)",
        "(rewrite (Add (Var ?b) (Var ?b)) (Num 1) :name line-3)",
        "(rewrite (Mul (Var ?b) (Var ?b)) (Num 2) :when ((!= 0 (string-number ?b))) :name line-4)",
        "(rewrite (Add (Neg ?w) (Neg ?w)) (Neg ?w) :name line-5)",
    ];
    assert_eq!(lines(program), expected);
    for (start, target, equal) in [
        ("(Add (Var \"x\") (Var \"y\"))", "(Num 0)", true),
        ("(Add (Var \"x\") (Var \"pi\"))", "(Num 0)", true),
        ("(Add (Var \"x\") (Var \"x\"))", "(Num 0)", false),
        ("(Add (Var \"pi\") (Var \"pi\"))", "(Num 0)", false),
        ("(Add (Var \"x\") (Var \"x\"))", "(Num 1)", true),
        ("(Mul (Var \"x\") (Var \"x\"))", "(Num 2)", true),
        ("(Mul (Var \"pi\") (Var \"pi\"))", "(Num 2)", false),
    ] {
        let program = format!("{MATH} {program} {start} {target}");
        let (egraph, bank, terms) = grown(&whole(&program), Limits::default());
        let [start, target] = [terms[0], terms[1]].map(|term| egraph.lookup(&bank, term));
        assert_eq!(start == target, equal, "{program}");
    }
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

/// The e-graph of all terms of a program, and these.
fn grown(imported: &Imported, limits: Limits) -> (EGraph, TermBank, Vec<TermId>) {
    let system = Arc::new(System::parse(&imported.rules).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let terms: Vec<_> = imported.terms.iter().map(|term| bank.parse(term, None).unwrap()).collect();
    let mut egraph = EGraph::new(system);
    terms.iter().for_each(|&term| {
        egraph.add_term(&bank, term);
    });
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    (egraph, bank, terms)
}

/// The first two terms of a program are proved equal under its rules.
fn proves(program: &str) {
    let limits = Limits { nodes: Some(2_000), ..Limits::default() };
    let (egraph, mut bank, terms) = grown(&whole(program), limits);
    let proof = explain(&egraph, &mut bank, terms[0], terms[1]);
    let proof = proof.unwrap_or_else(|| panic!("not proved: {program}"));
    check(egraph.system(), &bank, &proof).unwrap();
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
