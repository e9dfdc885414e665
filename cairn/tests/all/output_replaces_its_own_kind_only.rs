//! `--out` of a single file replaces an earlier output of the same kind, and nothing else.

use crate::common::refusal::{directory, evaluate, refused, write};
use crate::common::{cairn, shipped};
use assert_cmd::Command;
use tempfile::TempDir;

/// An outcome of `--out`: what stood there is still there.
fn kept(directory: &TempDir, mut command: Command, name: &str, parts: &[&str]) {
    let path = directory.path().join(name);
    let before = std::fs::read(&path).unwrap();
    command.args(["--out", name]);
    refused(directory, command, parts);
    assert_eq!(std::fs::read(&path).unwrap(), before, "{name} was written to");
}

#[test]
fn an_output_file_that_is_something_else() {
    let directory = directory();
    write(&directory, "tasks.txt", "(+ a b) (+ b a)\n");
    write(&directory, "mine.parquet", "PAR1 and years of work");
    evaluate(&directory, "tasks.txt").assert().success();
    let question = |command: &str| {
        let mut question = cairn(&directory);
        question
            .args([command, "--system", "s.rules", "--start", "(+ a b)", "--target", "(+ b a)"]);
        question
    };
    for command in ["explain", "prove"] {
        kept(&directory, question(command), "s.rules", &["s.rules", "is not a proof"]);
    }
    let tasks = || {
        let mut command = cairn(&directory);
        command.args(["tasks", "--system", "s.rules", "--seeds", "seeds.txt", "--quiet"]);
        command
    };
    kept(&directory, tasks(), "mine.parquet", &["mine.parquet", "is not a task file"]);
    kept(
        &directory,
        tasks(),
        "results/results.parquet",
        &["results.parquet", "is not a task file"],
    );
    let report = || {
        let mut command = cairn(&directory);
        command.args(["report", "results"]);
        command
    };
    kept(&directory, report(), "tasks.txt", &["tasks.txt", "is not a report"]);
    let mut command = report();
    command.args(["--out", "results"]);
    refused(&directory, command, &["results is a directory"]);
    let mut command = report();
    command.args(["--out", "nowhere/report.html"]);
    refused(&directory, command, &["nowhere/report.html", "no such directory"]);
    // Its own kind is replaced.
    for _ in 0..2 {
        question("explain").args(["--out", "p.json"]).assert().success();
        report().assert().success();
    }
}

#[cfg(unix)]
#[test]
fn an_output_file_that_is_a_link_or_no_file() {
    let directory = directory();
    let explain = |out: &str| {
        let mut command = cairn(&directory);
        command.args(["explain", "--start", "(+ a b)", "--target", "(+ b a)", "--out", out]);
        command.arg("--system").arg(shipped("systems/halide.rules"));
        command
    };
    let at = |name: &str| directory.path().join(name);
    write(&directory, "real.json", "");
    std::os::unix::fs::symlink("real.json", at("link.json")).unwrap();
    explain("link.json").assert().success();
    assert!(at("link.json").is_symlink());
    assert!(std::fs::read_to_string(at("real.json")).unwrap().contains("cairn-proof"));
    std::os::unix::fs::symlink("nothing.json", at("dangling.json")).unwrap();
    refused(&directory, explain("dangling.json"), &["cannot write dangling.json"]);
    let _listener = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    refused(&directory, explain("socket"), &["socket is not a regular file"]);
}
