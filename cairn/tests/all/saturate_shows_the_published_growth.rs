//! The tiling benchmark of *Guided Equality Saturation* (Koehler et al., POPL 2024) with the
//! figures of its implementation over egg, by `cairn saturate`, iteration by iteration.
//!
//! The published e-nodes are the size of egg's hash table, in which nodes that congruence made
//! equal stay; the figures here are egg's own `total_number_of_nodes`, canonical e-nodes. The two
//! agree until the first such node, in the fourth iteration of two dimensions. E-classes agree
//! throughout.

use crate::common::{cairn, shipped};
use serde_json::Value;

const TWO: &str = "(m (* n1 32) (m (* n2 32) f))";
const SPLIT_1D: &str = "(contains (m n1 (m 32 f)))";
const SPLIT: &str = "(contains (m n1 (m 32 (m n2 (m 32 f)))))";
const TILED: &str = "(contains (m n1 (m n2 (m 32 (m 32 f)))))";

/// (e-nodes, e-classes) after each iteration, and the term that was found.
fn grow(term: &str, goal: &str) -> (Vec<(u64, u64)>, String) {
    let directory = tempfile::tempdir().unwrap();
    let output = cairn(&directory)
        .args(["saturate", "--format", "json", "--term", term, "--goal", goal, "--system"])
        .arg(shipped("systems/tiling.rules"))
        .assert()
        .success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line["iteration"], number);
        assert!(line["bytes"].as_u64().unwrap() > 0);
    }
    let last = lines.last().unwrap();
    assert_eq!(last["stop"], "goal");
    let sizes = |l: &Value| (l["e_nodes"].as_u64().unwrap(), l["e_classes"].as_u64().unwrap());
    (lines.iter().map(sizes).collect(), last["term"].as_str().unwrap().to_owned())
}

/// The functions of a composition from left to right: equal for terms that differ in the
/// association of `o`, at any depth.
fn flattened(term: &str) -> String {
    let spaced = term.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    flatten(&tokens, &mut at)
}

fn flatten(tokens: &[&str], at: &mut usize) -> String {
    let token = tokens[*at];
    *at += 1;
    if token != "(" {
        return token.to_owned();
    }
    let mut parts = Vec::new();
    while tokens[*at] != ")" {
        parts.push(flatten(tokens, at));
    }
    *at += 1;
    match parts[0].as_str() {
        // A composition is written without parentheses.
        "o" => parts[1..].join(" ∘ "),
        _ => format!("({})", parts.join(" ")),
    }
}

#[test]
fn in_one_dimension() {
    let (growth, _) = grow("(m (* n1 32) f)", SPLIT_1D);
    assert_eq!(growth, [(5, 5), (11, 10)]);
}

#[test]
fn in_two_dimensions_from_start_to_split_and_on_to_tiled() {
    let (growth, split) = grow(TWO, SPLIT);
    // Published: 407 entries in the hash table at the end.
    assert_eq!(growth, [(8, 8), (23, 20), (55, 41), (146, 93), (405, 212)]);
    let published = "(o (o (o (m (* n1 32) j) j) \
        (o (m n1 (m 32 (m n2 (m 32 f)))) (m n1 (m 32 (s 32))))) (s 32))";
    let size = |term: &str| term.split_whitespace().count();
    assert_eq!(size(&split), size(published));
    assert_eq!(flattened("(o (o a b) c)"), flattened("(o a (o b c))"));
    // (m (* n1 32) j) after j is j after (m n1 (m 32 j)): of equal terms of the same size either
    // may be found. The published one is a term of the class.
    let (_, again) = grow(TWO, &format!("(or {published} {split})"));
    assert_eq!(size(&again), size(published));

    let (growth, _) = grow(published, TILED);
    assert_eq!(growth.first(), Some(&(18, 18)));
    assert_eq!(growth.iter().map(|g| g.1).collect::<Vec<_>>(), [18, 37, 67, 135]);
}

#[test]
fn in_two_dimensions_in_one_search() {
    let (growth, _) = grow(TWO, TILED);
    // Published hash tables: 407, 1356 and 5723 entries in the last three.
    let expected = [(8, 8), (23, 20), (55, 41), (146, 93), (405, 212), (1301, 553), (4794, 1617)];
    assert_eq!(growth, expected);
}
