//! Every kind of mistake in a rule file and in a term: its message, with line and column.

use egraph::{System, TermBank};
use std::sync::Arc;

const LANGUAGE: &str = "(sort Int) (sort Bool) (sort F)
(op + (Int Int) Int) (op < (Int Int) Bool) (op f (F) F)
(literal i64 Int) (literal bool Bool) (variable Int) (ruleset r)
";

#[test]
fn in_rules_and_declarations() {
    for (text, message) in [
        ("(rewrite (+ ?a ?b)", "4:1: '(' is never closed"),
        (
            "(rewrite (+ ?a ?b) (+ ?b ?c))",
            "4:26: ?c is not bound: it does not occur on the left-hand side (+ ?a ?b)",
        ),
        ("(pool Int 0 (+ 1)) (rewrite (f ?a) ?a)", "4:13: operator '+' takes 2 arguments, found 1"),
        ("(pool Int 0 (f 1))", "4:13: expected a term of sort Int, but 'f' has sort F"),
        ("(pool Int)", "4:1: expected (pool Sort term …) with at least one term"),
        ("(pool Int 0) (pool Int 1)", "4:14: a second pool of Int: only one is allowed"),
        ("(pool Int 0) (rewrite (f ?a) (f ?b))", "4:33: ?b is not bound"),
        ("(rewrite (+ ?a) ?a)", "4:10: operator '+' takes 2 arguments, found 1"),
        ("(rewrite (- ?a ?b) ?a)", "4:11: unknown operator '-'"),
        ("(rewrite (+ ?a 0) (< ?a 1))", "4:19: expected a term of sort Int, but '<' has sort Bool"),
        ("(rewrite (< ?a 1) (< 1 (< ?a 0)))", "4:24: expected a term of sort Int"),
        ("(rewrite (+ ?a x) ?a)", "4:16: 'x' is neither an operator nor a literal"),
        ("(rewrite (+ ?a 12x) ?a)", "4:16: '12x' is not a literal of sort Int (64-bit integers)"),
        ("(rewrite (f ?a) (+ ?a 1))", "4:17: expected a term of sort F, but '+' has sort Int"),
        (
            "(rewrite (f ?a) ?a :when ((const ?a)))",
            "4:27: ?a can never be a literal: sort F has none",
        ),
        (
            "(rewrite (+ ?a 0) ?a :when ((const ?b)))",
            "4:36: ?b does not occur on the left-hand side",
        ),
        ("(rewrite (+ ?a 0) ?a :when ((@ ?a 1)))", "4:29: expected one of + - *"),
        ("(rewrite (+ ?a 0) ?a :when ((~ ?a 1)))", "4:29: '~' takes 1 arguments, found 2"),
        (
            "(rewrite (+ ?a 0) ?a :when ((== ?a 1/2)))",
            "4:36: '1/2' is not a literal of kind i64 (64-bit integers)",
        ),
        (
            "(rewrite (+ ?a 0) ?a :when ((== 18446744073709551615 0)))",
            "4:33: '18446744073709551615' is not a literal of kind i64 (64-bit integers)",
        ),
        (
            "(rewrite (+ ?a 0) ?a :when ((+ ?a 1)))",
            "4:29: expected a literal of kind bool, but this is of kind i64",
        ),
        (
            "(rewrite (+ ?a 0) (compute (< ?a 1)))",
            "4:28: expected a literal of kind i64, but this is of kind bool",
        ),
        (
            "(rewrite (+ ?a 0) ?a :when ((! (~ ?a))))",
            "4:32: '~' has no meaning on literals of kind i64",
        ),
        (
            "(rewrite (+ ?a 0) ?a :when ((&& (< ?a 1) ?a)))",
            "4:42: expected a literal of kind bool, but this is of kind i64",
        ),
        (
            "(op h (Int F) Int) (literal rational F) (rewrite (h ?a ?b) ?a :when ((< ?b (+ ?a 1))))",
            "4:76: expected a literal of kind rational, but this is of kind i64",
        ),
        (
            "(literal rational F) (rewrite (f ?b) ?b :when ((== (% ?b 2) 0)))",
            "4:52: '%' has no meaning on literals of kind rational",
        ),
        (
            "(literal (bits 8) F) (rewrite (f ?b) ?b :when ((== ?b 256)))",
            "4:55: '256' is not a literal of kind (bits 8) (0 to 255)",
        ),
        (
            "(literal f64 F) (rewrite (f 1/2) 0.5)",
            "4:29: '1/2' is not a literal of sort F (finite numbers, as 2 or 1.5)",
        ),
        (
            "(cost (+ ?a ?b) -1/2)",
            "4:17: expected a cost, 0 to 4294967295, as 3, 0.5 or 1/3, found '-1/2'",
        ),
        ("(rewrite (+ ?a 0) ?a :when ((== ?a)))", "4:29: '==' takes 2 arguments, found 1"),
        ("(rewrite (+ ?a 0) ?a :when const)", "4:28: expected a list of conditions"),
        (
            "(rewrite (+ ?a 0) ?a :when (!= ?a 0))",
            "4:29: expected a condition in parentheses; ':when' takes a list of them",
        ),
        ("(rewrite (+ ?a 0) ?a :nam x)", "4:22: expected :name, :when or :ruleset, found ':nam'"),
        ("(rewrite (+ ?a 0) ?a :name)", "4:22: expected a value after ':name'"),
        (
            "(rewrite add (+ ?a 0) (+ ?a 0))",
            "4:23: expected an option, which begins with ':', found '('",
        ),
        (
            "(rewrite (+ ?a 0) ?a add)",
            "4:22: expected an option, which begins with ':', found 'add'",
        ),
        ("(rewrite (+ ?a 0) ?a :ruleset q)", "4:31: unknown ruleset 'q'"),
        ("(rewrite (+ ?a 0))", "4:1: expected (rewrite left right"),
        ("(rewrite (+ (compute 1) 0) 1)", "4:13: (compute …) may stand on a right-hand side only"),
        ("(birewrite (+ ?a 0) 0 :name z)", "?a is not bound"),
        ("(rewrite ?a ?a)", "4:13: the sort of ?a is not clear here"),
        ("(rewrite (+ ?a 0) ?a :name x :name y)", "4:30: a second ':name': only one is allowed"),
        ("(sort Int)", "4:1: sort 'Int' is declared twice"),
        ("(op + (Int) Int)", "4:1: operator '+' is declared twice"),
        ("(op g (Real) Int)", "4:8: unknown sort 'Real'"),
        ("(op g Int Int)", "4:1: expected (op name (ArgumentSort …) ResultSort)"),
        ("(op 2x () Int)", "4:1: '2x' can't be an operator"),
        ("(op -1 () Int)", "4:1: '-1' can't be an operator"),
        ("(literal f32 F)", "4:10: expected i64, bool, rational, f64, or (bits N)"),
        ("(literal (bits 65) F)", "4:10: expected i64, bool, rational, f64, or (bits N)"),
        ("(literal (bits 8 8) F)", "4:10: expected i64, bool, rational, f64, or (bits N)"),
        ("(literal i64)", "4:1: expected (literal kind Sort), as (literal i64 Int)"),
        ("(literal i64 Int)", "4:1: this sort has literals already"),
        (
            "(analysis interval)",
            "4:1: expected (analysis constant) or (analysis name Sort Values :merge",
        ),
        ("(analysis lo Int Int :join old)", "4:22: expected :merge, found ':join'"),
        ("(analysis min Int Int :merge old)", "4:11: 'min' can't be an analysis"),
        ("(analysis f Int Int :merge old)", "4:11: 'f' is declared twice"),
        ("(analysis lo Imt Int :merge old)", "4:14: unknown sort 'Imt'"),
        (
            "(analysis lo Int F :merge old)",
            "4:18: values of an analysis are literals: sort F has none",
        ),
        (
            "(analysis lo Int Int :merge (max old mew))",
            "4:38: expected a number or a pattern variable",
        ),
        ("(analysis lo Int Int :merge (< old new))", "4:29: expected a literal of kind i64"),
        ("(transfer (lo ?c) ?c)", "4:11: 'lo' is no analysis: declare it with (analysis lo …)"),
        (
            "(analysis lo Int Int :merge old) (transfer (lo (+ ?a ?a)) 0)",
            "4:48: expected (transfer (analysis (op ?a …)) value), with distinct variables",
        ),
        (
            "(analysis lo Int Int :merge old) (transfer (lo (+ ?a ?b)) (lo ?c))",
            "4:59: expected (lo ?x), of a variable of the left-hand side",
        ),
        (
            "(analysis lo F Int :merge old) (transfer (lo (f ?a)) (+ ?a 1))",
            "4:54: ?a can never be a literal: sort F has none",
        ),
        (
            "(analysis lo F Int :merge old) (transfer (lo ?a) 1)",
            "4:46: expected (transfer (analysis (op ?a …)) value)",
        ),
        (
            "(analysis n F Int :merge old) (transfer (n (variable ?v)) ?v)",
            "4:44: sort F has no variables: declare them with (variable F)",
        ),
        (
            "(analysis n Int Bool :merge old) (transfer (n (variable ?v)) ?v)",
            "4:47: of a name a number is made, of kind i64 or (bits N)",
        ),
        (
            "(analysis lo Int Int :merge old) (rewrite (f ?a) ?a :when ((> (lo ?a) 0)))",
            "4:63: lo speaks of sort Int, and ?a has sort F",
        ),
        ("(rules)", "4:2: unknown declaration 'rules': expected sort, op"),
        ("rewrite", "4:1: expected a declaration in parentheses"),
        (
            "(op g (Int) Int :cost -1)",
            "4:23: expected a cost, 0 to 4294967295, as 3, 0.5 or 1/3, found '-1'",
        ),
        (
            "(op g (Int) Int :cost (+ 1 2))",
            "4:23: expected a cost, 0 to 4294967295, as 3, 0.5 or 1/3, found '(…)'",
        ),
        ("(op g (Int) Int :cost)", "4:17: expected a value after ':cost'"),
        ("(op g (Int) Int :price 3)", "4:17: expected :cost, found ':price'"),
        ("(op g (Int) Int :cost 1 :cost 2)", "4:25: a second ':cost': only one is allowed"),
        (
            "(literal bool F :cost x)",
            "4:23: expected a cost, 0 to 4294967295, as 3, 0.5 or 1/3, found 'x'",
        ),
        (
            "(variable F :cost 1) (variable F :cost 2)",
            "4:22: the variables of this sort have a cost already",
        ),
        ("(cost (+ ?a ?b))", "4:1: expected (cost (op ?a …) expression :name …)"),
        ("(cost (- ?a ?b) 1)", "4:8: unknown operator '-'"),
        ("(cost (+ ?a) 1)", "4:7: operator '+' takes 2 arguments, found 1"),
        ("(cost (+ ?a ?a) 1)", "4:7: expected an operator over distinct variables"),
        ("(cost (+ ?a 0) 1)", "4:7: expected an operator over distinct variables"),
        ("(cost ?a 1)", "4:7: expected an operator over distinct variables"),
        ("(cost 7 1)", "4:7: expected an operator over distinct variables"),
        ("(cost (+ ?a ?b) ?c)", "4:17: ?c does not occur"),
        ("(cost (+ ?a ?b) (rows ?a))", "4:17: expected one of + - *"),
        (
            "(cost (+ ?a ?b) -3)",
            "4:17: expected a cost, 0 to 4294967295, as 3, 0.5 or 1/3, found '-3'",
        ),
        ("(cost (f ?a) (* 2 ?a))", "4:14: ?a can never be a literal: sort F has none"),
        ("(cost (+ ?a ?b) 2 :nam x)", "4:19: expected :name, found ':nam'"),
        ("(cost (+ ?a ?b) 2 :name size)", "4:25: 'size' can't be declared: expected another name"),
        (
            "(cost (+ ?a ?b) 2 :name w) (cost (+ ?x ?y) 3 :name w)",
            "4:28: operator '+' has a cost called 'w' already",
        ),
        (
            "(op g (Int) Int :cost 2) (cost (g ?a) 1)",
            "4:26: operator 'g' has a cost called 'cost' already",
        ),
        ("(schedule (repeat x (run)))", "4:19: expected a number of repetitions"),
        ("(schedule (run q))", "4:16: unknown ruleset 'q'"),
        ("(schedule q)", "4:11: unknown ruleset 'q'"),
        ("(schedule)", "4:1: expected (schedule S …)"),
        ("(schedule (repeat 3))", "4:11: expected (run)"),
        ("(schedule (run-with b))", "4:21: there is no scheduler 'b' here"),
        (
            "(schedule (seq (let-scheduler b (back-off))) (run-with b))",
            "4:56: there is no scheduler 'b' here",
        ),
        (
            "(schedule (let-scheduler b (back-off)) (seq (let-scheduler b (back-off))))",
            "4:45: a second scheduler 'b' where the first still is",
        ),
        ("(schedule (let-scheduler b (fair)))", "4:28: expected (back-off)"),
        (
            "(schedule (let-scheduler b (back-off :match-limit 0)))",
            "4:51: :match-limit: expected a number from 1 to",
        ),
        (
            "(schedule (let-scheduler b (back-off :limit 3)))",
            "4:38: expected :match-limit or :ban-length, found ':limit'",
        ),
        ("(schedule (loop))", "4:11: expected (run), (run ruleset)"),
        ("(schedule (rebase))", "4:11: 'rebase' in a schedule, which every e-graph follows"),
        ("(schedule (timeout 3 (run)))", "4:11: 'timeout' in a schedule"),
        (
            "(schedule (limit :seconds 3 (run)))",
            "4:18: expected :iterations, :nodes, :memory, found",
        ),
        ("(schedule (limit (run)))", "4:11: expected (limit :nodes n"),
        ("(schedule (limit :nodes 3))", "4:11: expected (run), (run ruleset)"),
        ("(schedule (limit :nodes many (run)))", "4:25: expected a number of e-nodes"),
        ("(schedule (limit :memory 3 (run)))", "4:26: expected a size like 64MiB"),
        ("(schedule (until (+ 0 0) (run)))", "4:18: expected (= term term) or (goal sketch)"),
        ("(schedule (until (= 0 (+ 0)) (run)))", "4:23: operator '+' takes 2 arguments, found 1"),
        ("(schedule (until (= 0 0)))", "4:11: expected (run), (run ruleset)"),
        ("(schedule (run :all :all))", "4:16: unknown ruleset ':all'"),
        ("(strategy)", "4:1: expected (strategy name S …)"),
        ("(strategy s)", "4:11: expected (strategy s S …)"),
        ("(strategy s (run)) (strategy s (run))", "4:30: strategy 's' is declared twice"),
        ("(ruleset s) (strategy s (run))", "4:23: 's' is a ruleset or a rule"),
        ("(strategy s t) (strategy t (run))", "4:13: unknown strategy or ruleset 't'"),
        ("(strategy s (run)) (schedule s)", "4:30: unknown ruleset 's'"),
        ("(strategy s (rebase :cost sise))", "4:27: unknown cost 'sise' (did you mean 'size'?)"),
        ("(strategy s (rebase :goal (+ ?)))", "4:27: operator '+' takes 2 arguments, found 1"),
        ("(strategy s (rebase :by size))", "4:21: expected :cost or :goal, found ':by'"),
        ("(strategy s (phase :goal ?))", "4:13: expected (run)"),
        ("(strategy s (timeout soon (run)))", "4:22: expected a number of seconds"),
        ("(strategy s (backoff :match-limit 0 (run)))", "4:35: :match-limit: expected a number"),
        (
            "(rewrite (+ ?a 0) ?a :name n) (rewrite (+ 0 ?a) ?a :name n)",
            "4:31: a second rule is called 'n'",
        ),
    ] {
        let error = System::parse(&format!("{LANGUAGE}{text}")).expect_err(text).to_string();
        assert!(error.contains(message), "{text}\n  gives    {error}\n  expected {message}");
    }
}

#[test]
fn in_terms() {
    let system = Arc::new(System::parse(LANGUAGE).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    for (text, message) in [
        ("", "1:1: expected a term, found nothing"),
        ("(+ x", "1:1: '(' is never closed"),
        ("(+ x 1))", "1:8: ')' without an opening '('"),
        ("(+ x 1) y", "1:9: expected the end of the text after one term"),
        ("(+ x)", "1:1: operator '+' takes 2 arguments, found 1"),
        ("(* x 1)", "1:2: unknown operator '*'"),
        ("(+ x (< y 1))", "1:6: expected a term of sort Int, but '<' has sort Bool"),
        ("(+ x ?y)", "1:6: pattern variable '?y' in a term"),
        ("(+ x 9223372036854775808)", "1:6: '9223372036854775808' is not a literal of sort Int"),
        ("(f x)", "1:4: unknown name 'x': sort F has no variables"),
        ("()", "1:1: expected an operator after '('"),
        ("((+ x) 1)", "1:2: expected an operator, found a parenthesised expression"),
    ] {
        let error = bank.parse(text, None).expect_err(text).to_string();
        assert!(error.starts_with(message), "{text}\n  gives    {error}\n  expected {message}");
    }
}

#[test]
fn literals_take_the_sort_of_their_place() {
    let system = Arc::new(
        System::parse(
            "(sort Int) (sort Bool) (op && (Bool Bool) Bool) (op < (Int Int) Bool)
            (literal i64 Int) (literal bool Bool) (variable Int)",
        )
        .unwrap(),
    );
    let mut bank = TermBank::new(system.language.clone());
    let t = bank.parse("(&& 1 (< 1 x))", None).unwrap();
    assert_eq!(bank.text(t), "(&& 1 (< 1 x))");
    let (one, less) = (bank.children(t)[0], bank.children(t)[1]);
    assert_ne!(one, bank.children(less)[0]);
    let bool_sort = system.language.sort("Bool");
    assert_eq!(Some(bank.sort(one)), bool_sort);
    assert_eq!(bank.parse("1", bool_sort).unwrap(), one);
    assert!(bank.parse("(&& 2 1)", None).unwrap_err().message.contains("sort Bool (0 or 1)"));
}

#[test]
fn rules_without_names_may_share_a_line() {
    let rules = "(rewrite (+ ?a ?b) (+ ?b ?a)) (birewrite (+ ?a 0) ?a) (given (+ 1 1) 2)";
    let system = System::parse(&format!("{LANGUAGE}\n{rules}")).unwrap();
    let line = LANGUAGE.matches('\n').count() + 2;
    let names: Vec<&str> = system.rules.iter().map(|rule| &rule.name[..]).collect();
    let expected = ["", "-31", "-31-rev", "-55"].map(|more| format!("rule-{line}{more}"));
    assert_eq!(names, expected);
}

#[test]
fn a_rule_that_no_proof_could_name() {
    let sum = |n: usize| (0..n).fold("?a".to_owned(), |sum, _| format!("(+ ?a {sum})"));
    let args = vec!["Int"; 9_000].join(" ");
    let vars: Vec<String> = (0..9_000).map(|_| sum(1)).collect();
    let wide = format!("(rewrite (g {}) ?a)", vars.join(" "));
    let message = System::parse(&format!("{LANGUAGE} (op g ({args}) Int)\n{wide}")).unwrap_err();
    assert_eq!(
        message.to_string(),
        "5:1: the rule is too large: a proof could not name all its e-nodes"
    );
    let fine = format!("(rewrite {} ?a)", sum(500));
    System::parse(&format!("{LANGUAGE} {fine}")).unwrap();
}
