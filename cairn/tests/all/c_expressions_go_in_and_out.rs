//! `cairn optimise --c`: an expression of C goes in, the best one comes out.

use crate::common::refusal::{directory, refused};
use crate::common::{cairn, output};
use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn optimise(directory: &TempDir, system: &str, expression: &str) -> Command {
    let mut command = cairn(directory);
    command.args(["optimise", "--system", system, "--c", expression]);
    command
}

#[test]
fn the_best_term_is_shown_in_c() {
    let directory = directory();
    for system in ["words", "mba"] {
        let text = output(&mut optimise(&directory, system, "x + 2*y - y - (y ^ 0xFFFFFFFF) - 1"));
        assert!(text.lines().any(|line| line.starts_with("best in C: ")), "{text}");
        let mut json = optimise(&directory, system, "-(-x) & x");
        let found: Value = serde_json::from_str(&output(json.args(["--format", "json"]))).unwrap();
        let all = found["best"].as_array().unwrap();
        assert_eq!(all[0]["c"], "-(-x) & x");
        assert_eq!(all.last().unwrap()["c"], "x");
    }
    // Terms that come in as terms are shown as terms only.
    let mut term = cairn(&directory);
    let term = output(term.args(["optimise", "--system", "words", "--term", "(&:32 x x)"]));
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

/// Cells of the table below a heading of a page.
fn table(page: &str, heading: &str) -> Vec<(String, String)> {
    let page = std::fs::read_to_string(format!("{}/../docs/{page}", env!("CARGO_MANIFEST_DIR")));
    let page = page.unwrap();
    let below = page.split_once(heading).unwrap().1;
    let lines = below.lines().filter(|line| line.starts_with('|')).skip(2);
    let cell = |text: &str| text.trim().trim_matches('`').replace("\u{1}", "|");
    let row = |line: &str| {
        let line = line.replace("\\|", "\u{1}");
        let cells: Vec<&str> = line.split('|').collect();
        (cell(cells[1]), cell(cells[2]))
    };
    lines.take_while(|line| line.starts_with("| `")).map(row).collect()
}

#[test]
fn the_examples_of_the_page_on_words_are_true() {
    let directory = directory();
    let examples = table("words.md", "## Examples");
    assert_eq!(examples.len(), 12);
    for (input, best) in examples {
        let text = output(&mut optimise(&directory, "words", &input));
        let found = text.lines().find_map(|line| line.strip_prefix("best in C: "));
        assert_eq!(found, Some(&*best), "{input}");
    }
}

#[test]
fn functions_of_a_file_are_computed_by_better_terms() {
    let directory = directory();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/words.md"));
    let page = page.unwrap();
    let source = page.split_once("```c\n").unwrap().1.split_once("```").unwrap().0;
    std::fs::write(directory.path().join("f.c"), format!("#include <stdint.h>\n{source}")).unwrap();
    let mut command = cairn(&directory);
    command.args(["optimise", "--system", "words", "--c-file", "f.c", "--cost", "cycles"]);
    let text = output(command.args(["--out", "better"]));
    let shown = page.split_once("--cost cycles\n").unwrap().1.split_once("\nfrom").unwrap().0;
    let shown: String =
        shown.lines().map(|line| format!("{}\n", line.trim_start_matches("    "))).collect();
    let without_indent =
        |text: &str| text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n");
    assert_eq!(
        without_indent(&text),
        without_indent(&format!("#include <stdint.h>\n{}", shown.trim_end()))
    );
    let kept = std::fs::read_to_string(directory.path().join("better/optimised.c")).unwrap();
    assert_eq!(kept, text);
    cairn(&directory).args(["check", "better/0.json", "--system", "words"]).assert().success();
    // What was written is read again, and what can't be said has its place.
    std::fs::write(directory.path().join("g.c"), text).unwrap();
    let mut again = cairn(&directory);
    let again = output(again.args(["optimise", "--system", "words", "--c-file", "g.c"]));
    assert!(again.contains("is the best found"), "{again}");
    std::fs::write(directory.path().join("loop.c"), "int f(int x) {\n  while (x) x--;\n}").unwrap();
    let mut refused_command = cairn(&directory);
    refused_command.args(["optimise", "--system", "words", "--c-file", "loop.c"]);
    refused(&directory, refused_command, &["loop.c:2:3: 'while' can't be said"]);
    let mut other = cairn(&directory);
    other.args(["optimise", "--system", "ring", "--c-file", "f.c"]);
    refused(&directory, other, &["f.c:1:1: the system has no words for C"]);
}

#[test]
fn mistakes_in_c_are_told_with_their_places() {
    let directory = directory();
    for (expression, mistake) in [
        ("x + + ", "1:7: expected a name, a number"),
        ("x + 18446744073709551616", "1:5: '18446744073709551616' does not fit in 64 bits"),
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
