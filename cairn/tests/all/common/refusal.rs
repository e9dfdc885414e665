//! What the tests of refused input share.

use crate::common::cairn;
use assert_cmd::Command;
use std::path::Path;
use tempfile::TempDir;

pub const SYSTEM: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)\n";

/// A directory with a rewrite system and seeds, and the names in it.
pub fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    write(&directory, "s.rules", SYSTEM);
    write(&directory, "seeds.txt", "(+ a 1)\n(+ b (+ c 2))\n");
    directory
}

pub fn write(directory: &TempDir, name: &str, text: &str) {
    std::fs::write(directory.path().join(name), text).unwrap();
}

pub fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Runs the command and expects exit code 2, one line of error with all of `parts`, and no new
/// file. Returns the error.
pub fn refused(directory: &TempDir, mut command: Command, parts: &[&str]) -> String {
    let before = names(directory.path());
    let output = command.assert().code(2);
    let error = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    let lines: Vec<&str> = error.lines().filter(|l| l.starts_with("error: ")).collect();
    assert_eq!(lines.len(), 1, "{error}");
    for part in parts {
        assert!(lines[0].contains(part), "'{part}' is not in: {error}");
    }
    assert!(!error.contains("panicked"), "{error}");
    assert_eq!(names(directory.path()), before, "something was written");
    error
}

pub fn evaluate(directory: &TempDir, tasks: &str) -> Command {
    let mut command = cairn(directory);
    command.args(["evaluate", "--system", "s.rules", "--tasks", tasks, "--out", "results"]);
    command.arg("--quiet");
    command
}
