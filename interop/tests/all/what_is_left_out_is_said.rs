//! What a rules file can't say is left out with its place and the reason, and so is what speaks of it.

use crate::common::import_egglog;
use interop::{LeftOut, Why};

/// What is refused, with lines, and how much follows from that.
fn refused(program: &str) -> (Vec<String>, usize) {
    let left_out = import_egglog(program).unwrap().left_out;
    let of = |why: Why| left_out.iter().filter(move |left| left.why == why);
    let said = |left: &LeftOut| format!("{}: {}", left.place.line, left.message);
    (of(Why::Refused).map(said).collect(), of(Why::Follows).count())
}

#[test]
fn one_refused_declaration_is_one_error() {
    let program = "(sort Maths (Vec Math))
(datatype Math (Num i64) (Sum Maths) (Neg Math))
(function least (Maths) i64 :merge (min old new))
(rewrite (Sum a) (Neg (Sum a)))
(rewrite (Neg (Neg a)) a)
(let none (Sum (vec-of)))
(rewrite (Neg none) none)";
    let (errors, follow) = refused(program);
    assert_eq!(
        errors,
        ["1: a sort of containers can't be imported: a rules file has no such thing"]
    );
    assert_eq!(follow, 5);
    let rules = import_egglog(program).unwrap().rules;
    assert!(rules.contains("(op Neg (Math) Math)\n"), "{rules}");
    assert!(rules.contains("(rewrite (Neg (Neg ?a)) ?a :name line-5)\n"), "{rules}");
    assert!(!rules.contains("Sum"), "{rules}");
}

#[test]
fn what_one_pattern_does_not_say_is_refused() {
    let several = "a rule of several patterns can't be imported: a rules file has no such thing";
    for (rule, message) in [
        ("(rule ((= e (F a)) (= d (G a))) ((union e d)))", several),
        ("(rule ((= e (F a)) (= e (G b))) ((union e a)))", several),
        ("(rule ((= e (F a)) (G b)) ((union e a)))", several),
        (
            "(rule ((= a (F a))) ((union a (G a))))",
            "a pattern that is a part of itself, or too deep can't be imported: a rules file has no \
             such thing",
        ),
        (
            "(rewrite (F a) (G b))",
            "?b is not bound: it does not occur on the left-hand side (F ?a)",
        ),
        (
            "(rule ((= e (F a))) ((union (G e) (G a)) (union (G a) e)))",
            "'union' of two terms that the rule adds can't be imported: a rules file has no such thing",
        ),
        ("(rewrite (F x) (G ?x))", "'x' and '?x' would both be ?x"),
        (
            "(rule ((= e (F a)) (> (n a) 0)) ((set (n e) 1)))",
            "a value that is known under conditions can't be imported: a rules file has no such thing",
        ),
        (
            "(set (n (F (A))) 1)",
            "what is known of one term can't be imported: a rules file has no such thing",
        ),
        (
            "(rule ((= e (F a))) ((F e)))",
            "an action that makes no terms equal can't be imported: a rules file has no such thing",
        ),
        (
            "(rewrit (F a) a)",
            "'rewrit' can't be imported: a rules file has no such thing (did you mean 'rewrite'?)",
        ),
        ("(set a 1 2)", "expected more after 'set'"),
    ] {
        let program = format!(
            "(datatype T (A) (F T) (G T)) (function n (T) i64 :merge (max old new))\n{rule}"
        );
        assert_eq!(refused(&program), (vec![format!("2: {message}")], 0), "{rule}");
    }
}

#[test]
fn a_goal_that_can_not_be_said_is_left_out_alone() {
    let error = "3: ':until' other than one equality of two terms can't be imported: a rules file has no such thing";
    for goal in ["(!= (A) (B (A)))", "(good (A))", "(= 1 1)", "(= x (A))", "(A) (B (A))", ""] {
        let program = format!(
            "(datatype T (A) (B T)) (relation good (T))
(rewrite (B a) a)
(run-schedule (repeat 3 (run :until {goal})))"
        );
        assert_eq!(refused(&program), (vec![error.to_owned()], 0), "{goal}");
        let rules = import_egglog(&program).unwrap().rules;
        assert!(rules.ends_with("(schedule (repeat 3 (run)))\n"), "{rules}");
    }
}

#[test]
fn what_another_file_declares_is_not_a_mistake_of_this_one() {
    let program =
        "(include \"more.egg\")\n(datatype T (A M) (B Other))\n(rewrite (Times (A (O))) (A (O)))";
    let (errors, follow) = refused(program);
    assert_eq!(errors, ["1: 'include' of 'others.egg': there is no such file"]);
    assert_eq!(follow, 2);
    let rules = import_egglog(program).unwrap().rules;
    assert!(rules.contains("(op S (M) M)\n") && rules.contains("(op A (M) T)\n"), "{rules}");
}

#[test]
fn a_file_that_includes_itself_ends() {
    let itself = |file: &str| Ok(format!("(sort S{file}) (include {file})"));
    let imported = interop::import_egglog("(include a)", &itself).unwrap();
    let errors = imported.left_out.iter().filter(|left| left.message.contains("more than 16"));
    assert_eq!(errors.count(), 1);
}

#[test]
fn names_of_terms_are_not_written_out_for_ever() {
    let mut text = "(datatype T (A) (B T T)) (let x0 (A))".to_owned();
    for i in 1..60 {
        text += &format!("\n(let x{i} (B x{} x{}))", i - 1, i - 1);
    }
    let (errors, follow) = refused(&text);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].ends_with("too large when names of terms are written out"), "{errors:?}");
    assert!(follow > 30);
}

#[test]
fn a_program_of_which_nothing_is_left_is_empty() {
    let imported = import_egglog("(ruleset r) (relation path (i64 i64)) (path 1 2)").unwrap();
    assert_eq!((imported.rules.as_str(), imported.declarations), ("", 0));
    assert!(import_egglog("(datatype T").is_err());
}
