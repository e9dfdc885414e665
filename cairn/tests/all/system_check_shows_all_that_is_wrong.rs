//! `cairn system`: what it says of each file in `findings/` is what stands beside it, and the shipped
//! systems pass.

use crate::common::{cairn, shipped};
use std::path::Path;
use std::process::Command;

/// Output, errors and exit code of `cairn system …` in the directory of the findings.
fn said(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/findings"))
        .arg("system")
        .args(args)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    format!("{}{}exit code {code}\n", text(output.stdout), text(output.stderr))
}

#[test]
fn every_finding_is_shown_as_it_should_be() {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/findings"));
    let mut seen = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let command = match path.extension().unwrap().to_str().unwrap() {
            "rules" => "check",
            "egg" => "import",
            _ => continue,
        };
        let expected = std::fs::read_to_string(path.with_extension("out")).unwrap();
        assert_eq!(said(&[command, name]), expected, "cairn system {command} {name}");
        seen += 1;
    }
    assert_eq!(seen, 13);
}

#[test]
fn warnings_refuse_a_file_with_strict_only() {
    assert!(said(&["check", "likely.rules"]).ends_with("10 warnings\nexit code 0\n"));
    assert!(said(&["check", "likely.rules", "--strict"]).ends_with("10 warnings\nexit code 2\n"));
    assert!(said(&["check", "nothing.rules", "--strict"]).ends_with("exit code 0\n"));
}

#[test]
fn shipped_systems_pass() {
    for entry in std::fs::read_dir(shipped("systems")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let said = said(&["check", name]);
        // These two have the rules of egg's tests, which add to every class: they are for measuring.
        let warnings = match name {
            "math-test" => 2,
            "prop-test" => 1,
            _ => 0,
        };
        // The derivative by a number, of which nobody speaks, is no number.
        let contradictions = usize::from(["math", "math-test"].contains(&name));
        let number = "= (d 0 0) is 0: d-constant";
        assert_eq!(said.matches("warning: rules '").count(), contradictions, "{said}");
        assert_eq!(said.matches(number).count(), contradictions, "{said}");
        assert_eq!(said.matches("warning: ").count(), warnings + contradictions, "{said}");
        assert_eq!(said.matches("warning: rule '").count(), warnings, "{said}");
        assert_eq!(said.matches("matches every term of sort").count(), warnings, "{said}");
        assert!(said.ends_with("exit code 0\n"), "{said}");
    }
}

#[test]
fn an_imported_program_proves_what_it_checks() {
    let directory = tempfile::tempdir().unwrap();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/findings/arithmetic.egg");
    let import = || {
        let mut command = cairn(&directory);
        command.args(["system", "import", program, "--out", "a.rules", "--terms", "a.txt"]);
        command.assert().success();
        let read = |name| std::fs::read_to_string(directory.path().join(name)).unwrap();
        (read("a.rules"), read("a.txt"))
    };
    let (rules, terms) = import();
    assert_eq!(import(), (rules, terms.clone()), "it replaces what it has written");
    let terms: Vec<&str> = terms.lines().filter(|line| line.starts_with('(')).collect();
    assert_eq!(terms.len(), 3, "{terms:?}");
    let mut explain = cairn(&directory);
    explain.args(["explain", "--system", "a.rules", "--start", terms[1], "--target", terms[2]]);
    explain.args(["--nodes", "5000"]);
    explain.assert().success();
    // No other file is replaced.
    std::fs::write(directory.path().join("mine.rules"), "(sort S)\n").unwrap();
    let mut command = cairn(&directory);
    command.args(["system", "import", program, "--out", "mine.rules"]).assert().code(2);
}

#[test]
fn what_can_be_imported_is_taken_over_if_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/findings/refused.egg");
    let mut command = cairn(&directory);
    command.args(["system", "import", program, "--partial", "--out", "a.rules"]);
    let notes = command.assert().success().get_output().stderr.clone();
    let notes = String::from_utf8(notes).unwrap();
    assert!(notes.contains("refused.egg:10:10: left out: it speaks of 'Add', which is left out\n"));
    assert!(notes.ends_with("refused.egg: 5 declarations taken over, 13 left out\n"), "{notes}");
    let rules = std::fs::read_to_string(directory.path().join("a.rules")).unwrap();
    assert!(rules.ends_with("(rewrite (Num 7) (Real 7.0) :name line-11)\n"), "{rules}");
    std::fs::write(directory.path().join("nothing.egg"), "(relation path (i64 i64))").unwrap();
    let mut command = cairn(&directory);
    command.args(["system", "import", "nothing.egg", "--partial", "--out", "b.rules"]);
    command.assert().code(2);
    assert!(!directory.path().join("b.rules").exists());
}
