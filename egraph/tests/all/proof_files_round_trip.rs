//! Proofs written as JSON and read again, and what is refused.

use crate::common;
use egraph::{Limits, TermBank, check, explain, proof_from_json, proof_to_json};

#[test]
fn what_is_written_is_read() {
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(&& 1 (< (+ (/ (* x 8) 4) (- 3 3)) y))", None).unwrap();
    let goal = bank.parse("(< (* 2 x) y)", None).unwrap();
    let limits = Limits { iterations: Some(4), ..Default::default() };
    let egraph = common::grow(&system, &bank, &[start, goal], limits);
    let proof = explain(&egraph, &mut bank, start, goal).unwrap();
    let json = proof_to_json(&system, &bank, &proof);
    let mut other = TermBank::new(system.language.clone());
    let read = proof_from_json(&system, &mut other, &json).unwrap();
    check(&system, &other, &read).unwrap();
    assert_eq!(other.text(read.start()), bank.text(start));
    assert_eq!(other.text(read.end()), bank.text(goal));
    assert_eq!(proof_to_json(&system, &other, &read), json);
    let caps = egraph::Caps { steps: 1_000, term_size: 1_000 };
    let flat = read.flatten(&mut other, caps).unwrap();
    let text = egraph::proof_text(&system, &other, &flat);
    assert!(text.contains("div-multiple") && text.contains("constant folding"), "{text}");
}

#[test]
fn mistakes_are_named_with_their_place() {
    let system = common::system(common::SUMS);
    let hash = &system.hash;
    let file = |terms: &str, steps: &str, root: &str| {
        format!(
            r#"{{"format":"cairn-proof","version":1,"system":"{hash}","start":0,"end":0,
               "terms":[{terms}],"steps":[{steps}],"root":{root}}}"#
        )
    };
    let leaf = r#"{"leaf":"x","sort":"S"}"#;
    let refl = r#"{"from":0,"to":0,"how":{"chain":[]}}"#;
    let cases = [
        (file(leaf, refl, "0"), ""),
        (file(leaf, refl, "3"), "root: there is no step 3"),
        (file(r#"{"leaf":"x","sort":"T"}"#, refl, "0"), "terms[0]: there is no sort 'T'"),
        (file(r#"{"leaf":"+","sort":"S"}"#, refl, "0"), "terms[0]: '+' is neither"),
        (file(r#"{"op":"+","args":[0,0]}"#, refl, "0"), "terms[0]: term 0 does not come before"),
        (file(r#"{"op":"+","args":[]}"#, refl, "0"), "terms[0]: operator '+' takes 2 arguments"),
        (file(leaf, r#"{"from":0,"to":9,"how":"fold"}"#, "0"), "steps[0]: there is no term 9"),
        (
            file(leaf, r#"{"from":0,"to":0,"how":{"chain":[{"reverse":0}]}}"#, "0"),
            "steps[0]: step 0 does not come before it",
        ),
        (
            file(leaf, r#"{"from":0,"to":0,"how":{"rule":{"name":"no","substitution":{}}}}"#, "0"),
            "steps[0]: there is no rule 'no'",
        ),
        (
            file(
                leaf,
                r#"{"from":0,"to":0,"how":{"rule":{"name":"comm","substitution":{}}}}"#,
                "0",
            ),
            "steps[0]: no term is given for ?a",
        ),
        (
            file(
                leaf,
                r#"{"from":0,"to":0,"how":{"rule":{"name":"comm","substitution":{"?a":0,"?b":0,"?a":0}}}}"#,
                "0",
            ),
            "?a has two terms",
        ),
        (file(leaf, r#"{"from":0,"to":0,"how":"fold","extra":1}"#, "0"), "unknown field `extra`"),
        (file(leaf, refl, "0").replace(hash, "beef"), "another rewrite system"),
        (file(leaf, refl, "0").replace("\"version\":1", "\"version\":2"), "version 2"),
        ("{".into(), "not a proof file"),
    ];
    for (text, expected) in cases {
        let mut bank = TermBank::new(system.language.clone());
        match proof_from_json(&system, &mut bank, &text) {
            Ok(_) => assert_eq!(expected, "", "accepted: {text}"),
            Err(error) => {
                let message = error.to_string();
                assert!(!expected.is_empty() && message.contains(expected), "{message}");
            }
        }
    }
}
