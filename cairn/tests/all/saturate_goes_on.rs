//! `saturate --save` and `--load`: two runs are one run, and files that do not fit are refused.

use assert_cmd::Command;
use std::path::Path;

const RULES: &str = "(sort S) (op + (S S) S) (variable S)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)
";

fn saturate(directory: &Path, arguments: &[&str], code: i32) -> String {
    let mut command = Command::cargo_bin("cairn").unwrap();
    command.current_dir(directory).args(["saturate", "--system", "sums.rules"]).args(arguments);
    let output = command.assert().code(code).get_output().clone();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("sums.rules"), RULES).unwrap();
    directory
}

#[test]
fn two_runs_come_to_the_bytes_of_one() {
    let directory = directory();
    let at = directory.path();
    let term = ["--term", "(+ a (+ b (+ c (+ d (+ e f)))))"];
    let run = |arguments: &[&str]| saturate(at, arguments, 0);
    run(&[&term[..], &["--iterations", "4", "--save", "one"]].concat());
    run(&[&term[..], &["--iterations", "2", "--save", "two"]].concat());
    let said = run(&["--load", "two", "--iterations", "2", "--save", "two", "--threads", "2"]);
    let read = |name| std::fs::read(at.join(name)).unwrap();
    assert!(read("one") == read("two"));
    assert!(said.contains("smallest equal term (11 nodes)"), "{said}");
    // A term that is added is looked for, and the first one is still there.
    let said = run(&[
        "--load",
        "two",
        "--term",
        "(+ f (+ e z))",
        "--iterations",
        "1",
        "--goal",
        "(+ f ?)",
    ]);
    assert!(said.contains("smallest satisfying term (11 nodes)"), "{said}");
    // Rules behind the old ones.
    let more = format!("{RULES}(rewrite (+ ?a ?a) ?a :name same)\n");
    std::fs::write(at.join("sums.rules"), &more).unwrap();
    run(&["--load", "two", "--term", "(+ a a)", "--save", "more", "--iterations", "2"]);
    let old = saturate(
        at,
        &["--load", "two", "--term", "(+ a a)", "--goal", "a", "--iterations", "1"],
        3,
    );
    assert!(old.contains("not reached"), "the first term is no a: {old}");
    std::fs::write(at.join("sums.rules"), RULES).unwrap();
    assert!(saturate(at, &["--load", "more"], 2).contains("of the rules of --system"));
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let directory = directory();
    let at = directory.path();
    std::fs::write(at.join("mine"), "my notes").unwrap();
    let term = ["--term", "(+ a b)"];
    let said = saturate(at, &[&term[..], &["--save", "mine"]].concat(), 2);
    assert!(said.contains("mine"), "{said}");
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "my notes");
    assert!(saturate(at, &["--load", "mine"], 2).contains("expected an e-graph"));
    assert!(saturate(at, &["--load", "none"], 2).contains("none"));
    saturate(at, &[&term[..], &["--save", "e.graph"]].concat(), 0);
    let mut bytes = std::fs::read(at.join("e.graph")).unwrap();
    bytes[100] ^= 1;
    std::fs::write(at.join("e.graph"), &bytes).unwrap();
    assert!(saturate(at, &["--load", "e.graph"], 2).contains("e.graph: the file was changed"));
    assert!(saturate(at, &["--iterations", "1"], 2).contains("--load"));
}
