//! Whatever the language and however few the inputs: each rule that is written is true, and the file has nothing to report.

use crate::common::{refutation, search, system, words};
use egraph::review;
use proptest::prelude::*;
use synthesis::FindOptions;

const OPERATORS: [&str; 12] = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "~", "neg"];

fn only_true_rules_are_found(language: &str, options: &FindOptions, seed: u64) {
    let place = tempfile::tempdir().unwrap();
    let outcome = search(language, options, seed, 1, &place.path().join("out"));
    let (system, text) = system(&outcome);
    for rule in &system.rules {
        assert_eq!(refutation(&system, rule), None, "{}\n{}", rule.name, text);
    }
    let findings = review(&text).findings;
    assert!(findings.is_empty(), "{findings:?}\n{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rules_of_drawn_languages_are_true(
        bits in 1u32..=3,
        operators in proptest::sample::subsequence(&OPERATORS[..], 1..=3),
        size in 3u16..=4,
        condition_size in 0u16..=3,
        inputs in 8usize..=40,
        seed in 0u64..4,
    ) {
        let language = words(bits, &operators.join(" "));
        let options = FindOptions {
            size: Some(size),
            condition_size: Some(condition_size),
            inputs: Some(inputs),
            variables: Some(2),
            ..FindOptions::default()
        };
        only_true_rules_are_found(&language, &options, seed);
    }
}

/// Inputs that refute a conditional candidate come while others wait that were made without them.
#[test]
fn refutations_come_between_conditional_candidates() {
    let language = words(2, "<<");
    let options = FindOptions {
        size: Some(3),
        condition_size: Some(3),
        inputs: Some(8),
        variables: Some(2),
        ..FindOptions::default()
    };
    only_true_rules_are_found(&language, &options, 3);
}

#[test]
fn what_few_inputs_suggest_is_refuted_and_never_written() {
    // Eight inputs of 64 ones with two variables: many terms look alike.
    let language = words(3, "+ * - >>");
    let options = FindOptions { inputs: Some(8), variables: Some(2), ..FindOptions::default() };
    let place = tempfile::tempdir().unwrap();
    let outcome = search(&language, &options, 0, 1, &place.path().join("out"));
    let journal = std::fs::read_to_string(place.path().join("out/stages.jsonl")).unwrap();
    assert!(!journal.matches("\"inputs\":[[").collect::<Vec<_>>().is_empty(), "{journal}");
    let (system, text) = system(&outcome);
    assert!(system.rules.len() > 20, "{text}");
    for rule in &system.rules {
        assert_eq!(refutation(&system, rule), None, "{}", rule.name);
    }
}

#[test]
fn without_a_solver_what_is_too_large_to_go_through_is_not_written_unless_asked_for() {
    let language = words(64, "&");
    let place = tempfile::tempdir().unwrap();
    let options = FindOptions { size: Some(3), ..FindOptions::default() };
    let outcome = search(&language, &options, 0, 1, &place.path().join("proved"));
    assert!(outcome.rules.is_empty() && !outcome.unknown.is_empty(), "{outcome:?}");
    let options = FindOptions { unproved: true, ..options };
    let outcome = search(&language, &options, 0, 1, &place.path().join("unproved"));
    let (system, text) = system(&outcome);
    assert!(!system.rules.is_empty());
    assert_eq!(
        text.matches("; NOT PROVED: no solver was found\n").count(),
        outcome.rules.len(),
        "{text}"
    );
}

/// Eight widths side by side have 80 operators; the last one's rules are found as the first one's are.
#[test]
fn a_language_may_have_more_operators_than_a_word_has_bits() {
    let of = |bits: u32| {
        let binary = ["+", "-", "*", "&", "|", "^", "<<", ">>"]
            .map(|op| format!("(op {op}:{bits} (W{bits} W{bits}) W{bits})"));
        let unary = ["~", "neg"].map(|op| format!("(op {op}:{bits} (W{bits}) W{bits})"));
        format!(
            "(sort W{bits}) (literal (bits {bits}) W{bits}) {} {}",
            binary.concat(),
            unary.concat()
        )
    };
    let language: String = (1..=8).map(of).collect();
    let place = tempfile::tempdir().unwrap();
    let options = FindOptions {
        one_size: Some(3),
        pair_size: Some(2),
        size: Some(2),
        variables: Some(2),
        ..FindOptions::default()
    };
    let outcome = search(&language, &options, 0, 1, &place.path().join("out"));
    let has =
        |line: &str| outcome.rules.iter().any(|(name, found)| found.line(name).contains(line));
    assert!(has("(+:1 ?a ?b) (+:1 ?b ?a)"), "{outcome:?}");
    assert!(has("(+:8 ?o ?p) (+:8 ?p ?o)"), "{outcome:?}");
    assert!(outcome.rules.iter().all(|(_, found)| found.proved));
}
