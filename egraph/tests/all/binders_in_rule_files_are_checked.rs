//! Mistakes with binders in rule files and in terms: their messages, with line and column.

use egraph::{Sketch, System, TermBank};
use std::sync::Arc;

const LANGUAGE: &str = "(sort E) (sort I) (variable E) (literal i64 I)
(op lam ((bind E E)) E) (op app (E E) E) (op sum (I (bind I I)) I) (op at (E I) E) (op f (E) E)
";

#[test]
fn in_rules() {
    for (text, message) in [
        (
            "(rewrite (lam (app ?f %0)) ?f)",
            "3:28: ?f stands under no binder here, but under 1 elsewhere in the rule",
        ),
        (
            "(rewrite (app ?f ?f) (lam ?f))",
            "3:27: ?f stands under 1 binder here, but under 0 elsewhere in the rule",
        ),
        ("(rewrite (app ?f (lam ?f)) ?f)", "3:23: ?f stands under 1 binder here"),
        ("(rewrite (app (lam ?b) ?a) (subst ?a ?b))", "3:38: ?b stands under no binder here"),
        ("(rewrite (app (lam ?b) ?a) (subst ?b (raise ?a)))", "3:38: (raise …) stands under no"),
        (
            "(rewrite (at ?a (sum 1 ?n)) (lam (at (raise ?a) ?n)))",
            "3:49: ?n stands under binders of other sorts elsewhere",
        ),
        ("(rewrite (app ?f %0) ?f)", "3:18: %0 has no binder in this rule: it stands under no"),
        ("(rewrite (lam %1) (f %0))", "3:15: %1 has no binder in this rule: it stands under 1"),
        (
            "(rewrite (sum 1 (sum %1 %0)) 2)",
            "3:22: %1 has no binder in this rule: it stands under 1",
        ),
        ("(rewrite (lam (at %0 %0)) (lam %0))", "3:22: %0 is bound with sort E here, but sort I"),
        ("(rewrite (lam (subst %0 %0)) (lam %0))", "3:15: (subst …) may stand on a right-hand"),
        ("(birewrite (app (lam ?b) ?a) (subst ?b ?a))", "3:30: (subst …) may stand on a right"),
        ("(rewrite (app ?a ?b) (subst ?a))", "3:22: expected (subst body argument)"),
        ("(rewrite (app ?a ?b) (lower ?a ?b))", "3:22: expected (lower term)"),
        (
            "(rewrite (lam x ?b) (f (lam ?b)))",
            "3:10: operator 'lam' takes 1 argument, found 2; in a rule a body stands without a name",
        ),
        ("(rewrite (lam %01) (f (lam %0)))", "3:15: '%01' is no bound variable: expected %0, %1"),
        ("(op g ((bind E)) E)", "3:8: expected the name of a sort or (bind Variable Sort)"),
        ("(op g ((bind X E)) E)", "3:14: unknown sort 'X'"),
    ] {
        let error = System::parse(&format!("{LANGUAGE}{text}")).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    for right in [
        "(rewrite (sum 1 (sum %0 (sum 2 %2))) 2)",
        "(rewrite (app (lam ?b) ?a) (subst ?b (subst ?b ?a)))",
        "(rewrite (lam (lam (app ?f %0))) (lam (lower (raise (lower ?f)))))",
        "(rewrite (at ?a (sum 1 ?n)) (at (lam (raise ?a)) (subst ?n 1)))",
    ] {
        System::parse(&format!("{LANGUAGE}{right}")).unwrap();
    }
}

#[test]
fn in_terms_and_sketches() {
    let system = Arc::new(System::parse(LANGUAGE).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    for (text, message) in [
        (
            "(lam x)",
            "1:1: operator 'lam' is written (lam x …), with the name of a bound variable before \
             each argument that it is bound in: expected 2 arguments, found 1",
        ),
        ("(sum 1 i)", "1:1: operator 'sum' is written (sum … x …)"),
        ("(lam f f)", "1:6: 'f' is an operator and can't name a bound variable"),
        ("(lam (f a) a)", "1:6: expected the name of a bound variable, found '('"),
        ("(lam 1 a)", "1:6: '1' can't name a bound variable"),
        ("(lam %0 a)", "1:6: '%0' can't name a bound variable"),
        ("(lam ?x a)", "1:6: '?x' can't name a bound variable"),
        ("(lam x (at a x))", "1:14: 'x' is bound with sort E here, but sort I is expected"),
        ("(lam _ (at a %0))", "1:14: '%0' is bound with sort E here, but sort I is expected"),
        ("%0", "1:1: the sort of '%0' is not clear here"),
        ("(f %00)", "1:4: '%00' is no bound variable"),
        ("(f %99999999)", "1:4: '%99999999' is no bound variable"),
    ] {
        let error = bank.parse(text, None).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
        let error = Sketch::parse(&system.language, text, None).unwrap_err().to_string();
        assert!(error.contains(message), "sketch {text}: {error}");
    }
    // Where nothing binds, a name may begin like an index, and `bind` is a name.
    let plain = System::parse("(sort bind) (op f (bind) bind) (variable bind)").unwrap();
    let mut bank = TermBank::new(plain.language);
    let t = bank.parse("(f %0)", None).unwrap();
    assert_eq!((bank.variables(t).len(), bank.text(t).as_str()), (1, "(f %0)"));
}

#[test]
fn sketches_have_names_too_and_are_shown_with_indices() {
    let system = Arc::new(System::parse(LANGUAGE).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let sketch = Sketch::parse(&system.language, "(lam x (app ? (f x)))", None).unwrap();
    let shown = sketch.display(&system.language).to_string();
    assert_eq!(shown, "(lam _ (app ? (f %0)))");
    assert_eq!(Sketch::parse(&system.language, &shown, None).unwrap(), sketch);
    let t = bank.parse("(lam y (app (lam z y) (f y)))", None).unwrap();
    let other = bank.parse("(lam y (app (lam z y) (f x)))", None).unwrap();
    assert_eq!((sketch.accepts(&bank, t), sketch.accepts(&bank, other)), (true, false));
}
