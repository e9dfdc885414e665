//! `cairn optimise --c`: an expression of C goes in, the best one comes out.

use crate::common::cairn;
use crate::common::refusal::{directory, refused};
use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn optimise(directory: &TempDir, system: &str, expression: &str) -> Command {
    let mut command = cairn(directory);
    command.args(["optimise", "--system", system, "--c", expression]);
    command
}

fn output(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

#[test]
fn the_best_term_is_shown_in_c() {
    let directory = directory();
    let text = output(&mut optimise(&directory, "words", "x + 2*y - y - (y ^ 0xFFFFFFFF) - 1"));
    assert!(text.lines().any(|line| line.starts_with("best in C: ")), "{text}");
    let mut json = optimise(&directory, "words", "-(-x) & x");
    let found: Value = serde_json::from_str(&output(json.args(["--format", "json"]))).unwrap();
    let all = found["best"].as_array().unwrap();
    assert_eq!(all[0]["c"], "-(-x) & x");
    assert_eq!(all.last().unwrap()["c"], "x");
    // Terms that come in as terms are shown as terms only.
    let mut term = cairn(&directory);
    let term = output(term.args(["optimise", "--system", "words", "--term", "(& x x)"]));
    assert!(!term.contains("in C"), "{term}");
}

#[test]
fn a_best_term_that_c_lacks_is_said() {
    let directory = directory();
    let rules =
        "(sort W) (literal (bits 32) W) (variable W) (op + (W W) W :cost 9) (op twice (W) W)
        (rewrite (+ ?a ?a) (twice ?a) :name twice)";
    std::fs::write(directory.path().join("twice.rules"), rules).unwrap();
    let text = output(&mut optimise(&directory, "twice.rules", "x + x"));
    let expected = "best in C: not shown: C has no operator 'twice' on integers";
    assert!(text.contains(expected), "{text}");
    let mut json = optimise(&directory, "twice.rules", "x + x");
    let found: Value = serde_json::from_str(&output(json.args(["--format", "json"]))).unwrap();
    assert_eq!(found["best"].as_array().unwrap().last().unwrap()["c"], Value::Null);
}

#[test]
fn mistakes_in_c_are_told_with_their_places() {
    let directory = directory();
    for (expression, mistake) in [
        ("x + + ", "1:7: expected a name, a number"),
        ("x + 4294967296", "1:5: '4294967296' does not fit in 32 bits"),
        ("(x + 1", "1:1: '(' is never closed"),
        ("-x y", "1:4: expected an operator"),
    ] {
        refused(&directory, optimise(&directory, "words", expression), &["--c", mistake]);
    }
    let missing = ["1:3: the system has no operator '*'"];
    refused(&directory, optimise(&directory, "s.rules", "x * 2"), &missing);
    let no_words = ["the system has no operator of C"];
    refused(&directory, optimise(&directory, "bitvectors", "x"), &no_words);
    let mut both = optimise(&directory, "words", "x");
    both.args(["--term", "x"]);
    refused(&directory, both, &["cannot be used with"]);
}
