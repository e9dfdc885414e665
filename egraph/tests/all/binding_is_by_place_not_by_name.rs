//! Terms up to renaming of bound variables, and substitution that captures none, held against an
//! implementation with names.

use egraph::{Caps, EGraph, Explainer, FlatProof, Limits, SaturationConfig, System, TermBank};
use egraph::{StopReason, TermId, check, check_flat, proof_from_json, proof_to_json, saturate};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

const TEXT: &str = "(sort E)
    (op lam ((bind E E)) E) (op app (E E) E) (op let (E (bind E E)) E) (op c () E)
    (op sum (E (bind E E) (bind E E)) E) (op under (E) E) (op const (E) E) (variable E)
    (rewrite (let ?a ?b) (subst ?b ?a) :name let)
    (rewrite (under (lam (app ?f %0))) (lower ?f) :name eta)
    (rewrite (const ?a) (lam (raise ?a)) :name const)";

fn system() -> Arc<System> {
    Arc::new(System::parse(TEXT).unwrap())
}

/// A term with names.
#[derive(Clone, Debug)]
enum Named {
    Name(String),
    Constant,
    App(Box<Named>, Box<Named>),
    Lam(String, Box<Named>),
    Sum(Box<Named>, String, Box<Named>, String, Box<Named>),
}

impl Named {
    fn random(rng: &mut impl Rng, size: usize) -> Named {
        let mut name = || ["x", "y", "z", "u"][rng.random_range(0..4)].to_owned();
        let (one, other) = (name(), name());
        let mut part = |size| Box::new(Named::random(rng, size));
        match size {
            0 => Named::Name(one),
            1 => [Named::Constant, Named::Name(one)][rng.random_range(0..2)].clone(),
            2..=4 => Named::Lam(one, part(size - 1)),
            5..=7 => Named::App(part(size / 2), part(size - 1 - size / 2)),
            _ if size.is_multiple_of(3) => {
                Named::Sum(part(size / 3), one, part(size / 3), other, part(size / 3))
            }
            _ if size.is_multiple_of(2) => Named::App(part(size / 3), part(size - 1 - size / 3)),
            _ => Named::Lam(one, part(size - 1)),
        }
    }

    fn text(&self) -> String {
        match self {
            Named::Name(name) => name.clone(),
            Named::Constant => "c".to_owned(),
            Named::App(f, a) => format!("(app {} {})", f.text(), a.text()),
            Named::Lam(x, body) => format!("(lam {x} {})", body.text()),
            Named::Sum(n, x, a, y, b) => {
                format!("(sum {} {x} {} {y} {})", n.text(), a.text(), b.text())
            }
        }
    }

    fn free(&self) -> BTreeSet<String> {
        let without = |body: &Named, x: &String| {
            let mut free = body.free();
            free.remove(x);
            free
        };
        match self {
            Named::Name(name) => BTreeSet::from([name.clone()]),
            Named::Constant => BTreeSet::new(),
            Named::App(f, a) => &f.free() | &a.free(),
            Named::Lam(x, body) => without(body, x),
            Named::Sum(n, x, a, y, b) => &(&n.free() | &without(a, x)) | &without(b, y),
        }
    }

    /// With `with` for the name `x`; binders in the way are renamed.
    fn substitute(&self, x: &str, with: &Named, fresh: &mut usize) -> Named {
        let under = |bound: &String, body: &Named, fresh: &mut usize| {
            *fresh += 1;
            let new = format!("fresh{fresh}");
            let body = body.substitute(bound, &Named::Name(new.clone()), fresh);
            let body = if bound == x { body } else { body.substitute(x, with, fresh) };
            (new, Box::new(body))
        };
        match self {
            Named::Name(name) if name == x => with.clone(),
            Named::Name(_) | Named::Constant => self.clone(),
            Named::App(f, a) => Named::App(
                Box::new(f.substitute(x, with, fresh)),
                Box::new(a.substitute(x, with, fresh)),
            ),
            Named::Lam(bound, body) => {
                let (new, body) = under(bound, body, fresh);
                Named::Lam(new, body)
            }
            Named::Sum(n, y, a, z, b) => {
                let n = Box::new(n.substitute(x, with, fresh));
                let ((y, a), (z, b)) = (under(y, a, fresh), under(z, b, fresh));
                Named::Sum(n, y, a, z, b)
            }
        }
    }

    /// The same up to names of bound variables.
    fn renamed(&self, fresh: &mut usize) -> Named {
        self.substitute("no name", &Named::Constant, fresh)
    }
}

fn parse(bank: &mut TermBank, text: &str) -> TermId {
    let sort = bank.language().sort("E");
    bank.parse(text, sort).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn grow(system: &Arc<System>, bank: &TermBank, terms: &[TermId]) -> (EGraph, StopReason) {
    let mut egraph = EGraph::new(system.clone());
    for &t in terms {
        egraph.add_term(bank, t);
    }
    let limits = Limits { nodes: Some(20_000), iterations: Some(20), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    (egraph, report.stop)
}

/// The flat proof of one equation, checked in all forms.
fn proof(system: &Arc<System>, bank: &mut TermBank, a: TermId, b: TermId) -> Option<FlatProof> {
    let (egraph, _) = grow(system, bank, &[a, b]);
    let proof = Explainer::new(&egraph).explain(bank, a, b)?;
    check(system, bank, &proof).unwrap();
    let json = proof_to_json(system, bank, &proof);
    let read = proof_from_json(system, &mut TermBank::new(system.language.clone()), &json);
    assert_eq!(read.unwrap().steps.len(), proof.steps.len());
    let flat = proof.flatten(bank, Caps { steps: 1_000, term_size: 10_000 }).unwrap();
    check_flat(system, bank, &flat).unwrap();
    Some(flat)
}

proptest! {
    #[test]
    fn renaming_gives_the_same_term(seed in any::<u64>(), size in 0usize..40) {
        let system = system();
        let mut bank = TermBank::new(system.language.clone());
        let term = Named::random(&mut ChaCha8Rng::seed_from_u64(seed), size);
        let t = parse(&mut bank, &term.text());
        prop_assert_eq!(parse(&mut bank, &term.renamed(&mut 0).text()), t);
        let free: BTreeSet<String> = bank.variables(t).iter().map(|v| v.to_string()).collect();
        prop_assert_eq!(free, term.free());
        // Every part of it, loose or not, is read back as it is shown.
        for part in bank.subterms(t) {
            let text = bank.text(part);
            prop_assert_eq!(parse(&mut bank, &text), part, "{}", text);
        }
    }

    #[test]
    fn substitution_is_that_of_names(seed in any::<u64>(), size in 0usize..40, other in 0usize..8) {
        let system = system();
        let mut bank = TermBank::new(system.language.clone());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (body, argument) = (Named::random(&mut rng, size), Named::random(&mut rng, other));
        let start = format!("(let {} x {})", argument.text(), body.text());
        let start = parse(&mut bank, &start);
        let expected = body.substitute("x", &argument, &mut 0).text();
        let expected = parse(&mut bank, &expected);
        let flat = proof(&system, &mut bank, start, expected).expect("a proof");
        prop_assert_eq!(flat.steps.len(), 1);
        // The checker takes no other result, and no other instance.
        let mut wrong = flat.clone();
        for part in bank.subterms(start) {
            if part != expected {
                wrong.terms[1] = part;
                prop_assert!(check_flat(&system, &bank, &wrong).is_err());
            }
            wrong.terms[1] = expected;
            for var in 0..2 {
                wrong.steps[0].substitution.clone_from(&flat.steps[0].substitution);
                wrong.steps[0].substitution[var] = part;
                let same = part == flat.steps[0].substitution[var];
                prop_assert_eq!(check_flat(&system, &bank, &wrong).is_ok(), same);
            }
            wrong = flat.clone();
        }
        // Inside a binder, under which all of it may be loose.
        let (start, expected) = (bank.text(start), bank.text(expected));
        for name in ["x", "y", "z", "u"] {
            let under = |t: &str| format!("(lam {name} (app {t} {name}))");
            let (a, b) = (parse(&mut bank, &under(&start)), parse(&mut bank, &under(&expected)));
            prop_assert!(proof(&system, &mut bank, a, b).is_some());
        }
    }

    #[test]
    fn what_is_raised_can_be_lowered(seed in any::<u64>(), size in 0usize..30) {
        let system = system();
        let mut bank = TermBank::new(system.language.clone());
        let term = Named::random(&mut ChaCha8Rng::seed_from_u64(seed), size).text();
        for name in ["x", "y", "unused"] {
            // Each as a part of a term that binds some of its variables.
            let closed = |t: &str| format!("(lam x (lam z {t}))");
            let eta = closed(&format!("(under (lam {name} (app {term} {name})))"));
            let eta = parse(&mut bank, &eta);
            let lowered = parse(&mut bank, &closed(&term));
            let uses = Named::random(&mut ChaCha8Rng::seed_from_u64(seed), size).free();
            let proved = proof(&system, &mut bank, eta, lowered).is_some();
            prop_assert_eq!(proved, !uses.contains(name));
            let constant = parse(&mut bank, &closed(&format!("(const {term})")));
            let raised = parse(&mut bank, &closed(&format!("(lam unused {term})")));
            prop_assert!(proof(&system, &mut bank, constant, raised).is_some());
        }
    }
}

#[test]
fn names_are_chosen_that_no_free_variable_or_operator_has() {
    let system = system();
    let mut bank = TermBank::new(system.language.clone());
    for (text, shown) in [
        ("(lam a (app a x))", "(lam y (app y x))"),
        ("(lam a (lam b (app a b)))", "(lam x (lam y (app x y)))"),
        ("(app (lam a a) (lam b b))", "(app (lam x x) (lam x x))"),
        ("(lam a (lam a a))", "(lam x (lam y y))"),
        ("(lam a (app %0 %1))", "(lam x (app x %1))"),
        ("(lam _ (app %0 (lam a %1)))", "(lam x (app x (lam y x)))"),
        ("(lam _ _)", "(lam x _)"),
        ("%3", "%3"),
        ("(let %0 a (app a %1))", "(let %0 x (app x %1))"),
    ] {
        let t = parse(&mut bank, text);
        assert_eq!(bank.text(t), shown, "{text}");
        assert_eq!(parse(&mut bank, shown), t);
    }
}

#[test]
fn nothing_is_captured() {
    let system = Arc::new(System::parse(&(TEXT.to_owned() + BETA)).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    for (start, right, wrong) in [
        ("(app (lam x (lam y (app x y))) y)", "(lam z (app y z))", "(lam y (app y y))"),
        (
            "(lam y (app (lam x (lam y (app x y))) y))",
            "(lam u (lam z (app u z)))",
            "(lam u (lam z (app z z)))",
        ),
        ("(under (lam x (app (lam y (app y y)) x)))", "(lam z (app z z))", "(lam z z)"),
    ] {
        let [start, right, wrong] = [start, right, wrong].map(|text| parse(&mut bank, text));
        assert!(proof(&system, &mut bank, start, right).is_some());
        assert!(proof(&system, &mut bank, start, wrong).is_none());
    }
}

const BETA: &str = "(rewrite (app (lam ?b) ?a) (subst ?b ?a) :name beta)";

/// Comes to 2⁶⁰ leaves, of which each is there once.
#[test]
fn shared_terms_are_walked_once_and_too_large_ones_are_left() {
    let system = system();
    let mut bank = TermBank::new(system.language.clone());
    let op = |name| system.language.operator(name).unwrap();
    let (x, c) = (parse(&mut bank, "%0"), parse(&mut bank, "c"));
    for (levels, substituted) in [(60, true), (1_900, true), (2_100, false)] {
        let chain = |bank: &mut TermBank, leaf: TermId| {
            let pair = |bank: &mut TermBank, t: TermId| bank.apply(op("app"), &[t, t]);
            (0..levels).fold(leaf, |t, _| pair(bank, t))
        };
        let (body, expected) = (chain(&mut bank, x), chain(&mut bank, c));
        let start = bank.apply(op("let"), &[c, body]);
        let (egraph, stop) = grow(&system, &bank, &[start]);
        assert_eq!(stop, StopReason::Saturated);
        let found = egraph.lookup(&bank, expected);
        assert_eq!(found.is_some(), substituted, "{levels}");
        assert_eq!(found, found.and(egraph.lookup(&bank, start)));
        if substituted {
            let proof = Explainer::new(&egraph).explain(&mut bank, start, expected).unwrap();
            check(&system, &bank, &proof).unwrap();
        }
    }
}
