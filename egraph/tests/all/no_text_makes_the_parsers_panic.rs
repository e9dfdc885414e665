//! Random texts, and random changes of good ones, through every parser.

use crate::common;
use egraph::{EGraph, Explainer, Limits, SaturationConfig, check, saturate};
use egraph::{Sketch, System, TermBank, proof_from_json, review};
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A text with some characters overwritten.
fn damaged(text: &'static str) -> impl Strategy<Value = String> {
    let changes = prop::collection::vec((0..text.len(), "[ -~()?é]"), 0..6);
    changes.prop_map(move |changes| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, with) in changes {
            if let (Some(place), Some(c)) = (chars.get_mut(at), with.chars().next()) {
                *place = c;
            }
        }
        chars.into_iter().collect()
    })
}

const PROOF: &str = r#"{"format":"cairn-proof","version":1,"system":"HASH","start":0,"end":0,
"terms":[{"leaf":"x","sort":"Int"},{"op":"+","args":[0,0]}],
"steps":[{"from":1,"to":1,"how":{"rule":{"name":"add-comm","substitution":{"?a":0,"?b":0}}}},
{"from":0,"to":0,"how":{"chain":[]}},{"from":1,"to":1,"how":{"congruence":[null,{"reverse":1}]}}],
"root":1}"#;

/// A system that binds variables, and a term of it.
const LAMBDA: &str = include_str!("../../../configs/systems/lambda.rules");
const COMPOSE: &str = "(let (lam f (lam g (lam x (app f (app g x))))) compose
    (let (lam y (+ y 1)) add1 (app (app compose add1) (fix z (if (= z %1) 1 (app add1 z))))))";

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn rule_files(text in damaged(common::INTEGERS)) {
        let parsed = System::parse(&text);
        // The same mistake or none, and no counterexample to what is sound.
        let review = review(&text);
        prop_assert_eq!(parsed.is_err(), review.system.is_none());
        prop_assert!(parsed.is_ok() || !review.findings.is_empty());
    }

    /// What is accepted can be run, and what it proves is accepted by the checker.
    #[test]
    fn systems_with_binders(text in damaged(LAMBDA), term in damaged(COMPOSE)) {
        let Ok(system) = System::parse(&text).map(Arc::new) else { return Ok(()) };
        let mut bank = TermBank::new(system.language.clone());
        let _ = Sketch::parse(&system.language, &term, None);
        let start = bank.parse(&term, None).or_else(|_| bank.parse(COMPOSE, None));
        let Ok(start) = start else { return Ok(()) };
        let mut egraph = EGraph::new(system.clone());
        egraph.add_term(&bank, start);
        let limits = Limits { nodes: Some(300), iterations: Some(8), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        let mut explainer = Explainer::new(&egraph);
        for class in egraph.classes() {
            let terms: Vec<_> =
                egraph.nodes(class).iter().map(|&node| egraph.term(&mut bank, node)).collect();
            for &t in terms.iter().take(3) {
                if bank.size(t) > 500 {
                    continue;
                }
                let proof = explainer.explain(&mut bank, terms[0], t);
                let proof = proof.expect("the members of a class are equal");
                check(&system, &bank, &proof).expect("a right proof");
                let shown = bank.text(t);
                prop_assert_eq!(bank.parse(&shown, Some(bank.sort(t))), Ok(t), "{}", shown);
            }
        }
    }

    #[test]
    fn anything(text in "[()?+*a-z0-9 ;:\\-\n]{0,80}") {
        let system = common::system(common::INTEGERS);
        let mut bank = TermBank::new(system.language.clone());
        let _ = System::parse(&text);
        let _ = review(&text);
        let _ = bank.parse(&text, None);
        let _ = Sketch::parse(&system.language, &text, None);
        let _ = proof_from_json(&system, &mut bank, &text);
    }

    #[test]
    fn terms(text in damaged("(&& 1 (< (+ (/ (* x 8) 4) (- 3 3)) y))")) {
        let system = common::system(common::INTEGERS);
        let mut bank = TermBank::new(system.language.clone());
        if let Ok(t) = bank.parse(&text, None) {
            let printed = bank.text(t);
            prop_assert_eq!(bank.parse(&printed, Some(bank.sort(t))).unwrap(), t);
        }
    }

    #[test]
    fn proof_files(text in damaged(PROOF)) {
        let system = common::system(common::INTEGERS);
        let mut bank = TermBank::new(system.language.clone());
        if let Ok(proof) = proof_from_json(&system, &mut bank, &text.replace("HASH", &system.hash)) {
            let _ = egraph::check(&system, &bank, &proof);
        }
    }
}

#[test]
fn deep_terms_are_read_as_they_are_written() {
    let depth = egraph::MAX_TERM_DEPTH;
    let plain = format!("{}x{}", "(+ 1 ".repeat(depth), ")".repeat(depth));
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let t = bank.parse(&plain, None).unwrap();
    assert_eq!((bank.size(t), bank.text(t)), (2 * depth as u64 + 1, plain.clone()));
    assert_eq!(
        Sketch::parse(&system.language, &plain, None).unwrap_err().to_string(),
        format!("1:{}: parentheses are nested more than 1000 deep", 5 * egraph::MAX_DEPTH + 1)
    );
    let read = egraph::parse_term(&plain).unwrap();
    assert!(Sketch::read(&system.language, &read, None).is_err());
    assert!(bank.parse(&format!("(- {plain} 1)"), None).unwrap_err().message.contains("nested"));

    let bound =
        format!("{}(p a b){}", "(l a (l b ".repeat(depth / 2 - 1), "))".repeat(depth / 2 - 1));
    let system = common::system("(sort T) (variable T) (op l ((bind T T)) T) (op p (T T) T)");
    let mut bank = TermBank::new(system.language.clone());
    let t = bank.parse(&bound, None).unwrap();
    assert_eq!(bank.parse(&bank.text(t), None), Ok(t));
    let [one, other] = ["(l x (l y (p x y)))", "(l x (p x (l x x)))"].map(|text| {
        let t = bank.parse(text, None).unwrap();
        bank.text(t)
    });
    assert_eq!(one, "(l x (l y (p x y)))");
    assert_eq!(other, "(l x (p x (l y y)))");
}

#[test]
fn nor_do_the_deepest_terms_that_are_allowed() {
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let depth = egraph::MAX_DEPTH;
    let deep = format!("{}x{}", "(+ 1 ".repeat(depth), ")".repeat(depth));
    let t = bank.parse(&deep, None).unwrap();
    assert_eq!(bank.size(t), 2 * depth as u64 + 1);
    assert_eq!(bank.text(t), deep);
    let sketch = Sketch::parse(&system.language, &deep, None).unwrap();
    assert!(sketch.accepts(&bank, t));
    let egraph = common::grow(
        &system,
        &bank,
        &[t],
        egraph::Limits { iterations: Some(1), ..Default::default() },
    );
    let class = egraph.lookup(&bank, t).unwrap();
    assert_eq!(egraph::extract_smallest(&egraph, &mut bank, class), {
        egraph::extract_sketch(&egraph, &mut bank, class, &Sketch::Any).unwrap()
    });
}
