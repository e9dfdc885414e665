//! `cairn saturate`: its exit code, and what it says of a goal and of a conflict.

use assert_cmd::Command;

/// The exit code, the standard output and the standard error.
fn saturate(system: &str, arguments: &[&str]) -> (i32, String, String) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("s.rules"), system).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let output = command
        .current_dir(directory.path())
        .args(["saturate", "--system", "s.rules"])
        .args(arguments)
        .output();
    let output = output.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const SUMS: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)\n";

#[test]
fn a_goal_that_is_not_reached_is_no_success() {
    let (code, out, error) = saturate(SUMS, &["--term", "(+ a b)", "--goal", "(+ ? c)"]);
    assert_eq!(code, 3, "{error}");
    assert!(out.contains("stopped: saturated after 2 iterations"), "{out}");
    assert!(error.contains("the goal was not reached (saturated at 4 e-nodes)"), "{error}");
    let (code, out, _) = saturate(SUMS, &["--term", "(+ a b)", "--goal", "(+ b a)"]);
    assert_eq!(code, 0);
    assert!(out.contains("smallest satisfying term (3 nodes): (+ b a)"), "{out}");
}

#[test]
fn one_thing_is_no_plural() {
    let (code, out, _) = saturate(SUMS, &["--term", "a"]);
    assert_eq!(code, 0);
    assert!(out.contains("smallest equal term (1 node): a"), "{out}");
}

#[test]
fn a_conflict_is_an_error_and_shows_no_term() {
    let unsound =
        format!("{SUMS}(rewrite (+ ?a 0) 1 :name wrong) (rewrite (+ ?a 0) 2 :name too)\n");
    for format in ["table", "json"] {
        let (code, out, error) = saturate(&unsound, &["--term", "(+ a 0)", "--format", format]);
        assert_eq!(code, 2, "{out}{error}");
        assert!(out.contains("conflict") && !out.contains("smallest"), "{out}");
        assert!(error.contains("a rule of the system is not sound"), "{error}");
    }
}

#[test]
fn the_usage_names_all_ways_to_give_terms() {
    let (code, _, error) = saturate(SUMS, &[]);
    assert_eq!(code, 2);
    assert!(
        error.contains("<--term <TERM>|--terms <FILE>|--mlir <FILE>|--load <FILE>>"),
        "{error}"
    );
    let (code, _, error) = saturate(SUMS, &["--term", "a", "--terms", "t.txt"]);
    assert_eq!(code, 2);
    assert!(error.contains("cannot be used with"), "{error}");
}
