//! Rules with a condition have the weakest one of the catalogue that suffices, and none where none is needed.

use crate::common::{search, system, words};
use synthesis::FindOptions;

/// Words whose operators are not evaluated: where they are, a rule all of whose variables are literals says nothing.
fn unevaluated(operators: &str) -> String {
    words(3, operators).replace("(analysis constant)", "")
}

#[test]
fn a_quotient_of_equals_is_one_where_they_are_not_zero() {
    let place = tempfile::tempdir().unwrap();
    let options =
        FindOptions { condition_size: Some(4), variables: Some(2), ..FindOptions::default() };
    let outcome = search(&unevaluated("/ % *"), &options, 0, 1, &place.path().join("out"));
    let (_, text) = system(&outcome);
    assert!(text.contains("(rewrite (/ ?a ?a) 1 :when ((!= ?a 0))"), "{text}");
    assert!(text.contains("(rewrite (% ?a ?a) 0 "), "no condition is needed: {text}");
    // 0 % a is 0 everywhere, as 0 % 0 is 0.
    assert!(!text.contains("(% 0 ?a) 0 :when"), "{text}");
    // No rule with a stronger condition for the same.
    assert_eq!(text.matches("(/ ?a ?a) 1 :when").count(), 1, "{text}");
}

#[test]
fn smaller_words_divided_by_larger_ones_are_zero() {
    let place = tempfile::tempdir().unwrap();
    let options =
        FindOptions { condition_size: Some(3), variables: Some(2), ..FindOptions::default() };
    let outcome = search(&unevaluated("/ %"), &options, 0, 1, &place.path().join("out"));
    let (_, text) = system(&outcome);
    assert!(text.contains("(rewrite (/ ?a ?b) 0 :when ((< ?a ?b))"), "{text}");
    assert!(text.contains("(rewrite (% ?a ?b) ?a :when ((< ?a ?b))"), "{text}");
}

#[test]
fn what_evaluation_says_of_literals_is_no_rule() {
    let place = tempfile::tempdir().unwrap();
    let options =
        FindOptions { condition_size: Some(5), variables: Some(2), ..FindOptions::default() };
    let outcome = search(&words(3, "/ %"), &options, 0, 1, &place.path().join("out"));
    let (_, text) = system(&outcome);
    let conditional = outcome.rules.iter().filter(|(_, rule)| rule.when.is_some());
    let without_a_term = conditional.filter(|(_, rule)| {
        let when = rule.when.as_ref().unwrap();
        ["?a", "?b"].iter().all(|v| !rule.left.contains(v) || when.contains(v))
    });
    assert_eq!(without_a_term.count(), 0, "{text}");
    assert!(text.contains(":when"), "{text}");
}
