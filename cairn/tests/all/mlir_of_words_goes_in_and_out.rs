//! `cairn optimise --system words --mlir`. The example of docs/words.md is run. Programs that write the generic form may be missing, fail and hang.

use crate::common::page::{assert_shown, shown_below};
use crate::common::refusal::{directory, names, refused, write};
use crate::common::{cairn, output};
use assert_cmd::Command;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

const WORDS: &str = include_str!("../../../interop/tests/mlir/words.mlir");
const PRETTY: &str = "func.func @f(%x: i32) -> i32 {\n  return %x : i32\n}\n";

fn optimise(directory: &TempDir, words: &str) -> Command {
    let mut command = cairn(directory);
    command.args(["optimise", "--system", "words", "--mlir"]).args(words.split_whitespace());
    command.env("MLIR_OPT", "").env("XDSL_OPT", "");
    command
}

/// A program in the directory.
fn program(directory: &TempDir, name: &str, does: &str) {
    write(directory, name, &format!("#!/bin/sh\n[ \"$1\" = --there ] && exit\n{does}\n"));
    let path = directory.path().join(name);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    // A process that is being started meanwhile may still hold the file open.
    let is_there = || std::process::Command::new(&path).arg("--there").status().is_ok();
    assert!((0..100).any(|_| is_there() || {
        std::thread::sleep(std::time::Duration::from_millis(20));
        false
    }));
}

#[test]
fn the_example_of_the_page_is_what_comes_out() {
    let directory = directory();
    write(&directory, "words.mlir", WORDS);
    let text = output(&mut optimise(&directory, "words.mlir --cost cycles --out better"));
    assert_shown(&shown_below("--mlir words.mlir --cost cycles"), &text);
    let better = directory.path().join("better");
    assert_eq!(std::fs::read_to_string(better.join("optimised.mlir")).unwrap(), text);
    assert_eq!(names(&better), ["0.json", "1.json", "2.json", "optimised.mlir"]);
    for proof in ["0.json", "1.json", "2.json"] {
        assert!(text.contains(&format!("; {proof}\n")), "{text}");
        let mut check = cairn(&directory);
        output(check.args(["check", &format!("better/{proof}"), "--system", "words"]));
    }
    // Inside of the regions, which use names twice, words of other widths are computed better.
    assert!(text.contains("\"arith.index_castui\""), "{text}");
    assert!(!text.contains("divui") && !text.contains("shli") && !text.contains("shrui"), "{text}");
    // What was written is read again, and is as good.
    write(&directory, "again.mlir", &text);
    let again = output(&mut optimise(&directory, "again.mlir --cost cycles"));
    let body = |text: &str| text.split_once("\"builtin.module\"").unwrap().1.to_owned();
    assert_eq!(body(&again), body(&text));
}

#[test]
fn other_programs_write_the_generic_form() {
    let directory = directory();
    write(&directory, "pretty.mlir", PRETTY);
    write(&directory, "words.mlir", WORDS);
    let generic = output(&mut optimise(&directory, "words.mlir --work 500"));
    program(&directory, "writes", "echo \"$@\" >told; cat words.mlir");
    for (variable, option) in
        [("MLIR_OPT", "--mlir-print-op-generic"), ("XDSL_OPT", "--print-op-generic")]
    {
        let mut command = optimise(&directory, "pretty.mlir --work 500");
        let done = command.env(variable, "./writes").assert().success();
        let (said, text) = (done.get_output().stderr.clone(), done.get_output().stdout.clone());
        assert_eq!(String::from_utf8(text).unwrap(), generic);
        let said = String::from_utf8(said).unwrap();
        let told = format!("pretty.mlir is not in the generic form: ./writes {option} writes it\n");
        assert!(said.starts_with(&told), "{said}");
        let asked = std::fs::read_to_string(directory.path().join("told")).unwrap();
        assert_eq!(asked, format!("{option} --allow-unregistered-dialect ./pretty.mlir\n"));
    }
    // A file in the generic form needs no other program.
    let mut command = optimise(&directory, "words.mlir --work 500");
    assert_eq!(output(command.env("MLIR_OPT", "./none")), generic);
    // One is found on the path.
    program(&directory, "xdsl-opt", "exec cat words.mlir");
    let path = format!("{}:/usr/bin:/bin", directory.path().display());
    let mut command = optimise(&directory, "pretty.mlir --work 500");
    command.env_remove("XDSL_OPT").env("PATH", path);
    assert_eq!(output(&mut command), generic);
}

#[test]
fn mistakes_of_other_programs_are_one_message() {
    let directory = directory();
    write(&directory, "pretty.mlir", PRETTY);
    write(
        &directory,
        "wrong.mlir",
        "\"builtin.module\"() ({\n  \"func.func\"(%x) : () -> ()\n}) : () -> ()\n",
    );
    program(
        &directory,
        "fails",
        "echo 'pretty.mlir:1:1: error: no such thing' >&2; echo more >&2; exit 1",
    );
    program(&directory, "is_silent", "exit 3");
    program(&directory, "is_pretty", "cat \"$3\"");
    let none =
        "neither mlir-opt nor xdsl-opt was found on the PATH, nor named by MLIR_OPT or XDSL_OPT";
    for (tool, parts) in [
        ("", &["pretty.mlir:1:1: expected an operation in the generic form", none][..]),
        (
            "./fails",
            &[
                "pretty.mlir: ./fails --mlir-print-op-generic: pretty.mlir:1:1: error: no such thing",
            ],
        ),
        ("./is_silent", &["pretty.mlir: ./is_silent", "it failed without a word"]),
        (
            "./is_pretty",
            &["pretty.mlir: what ./is_pretty", "writes, at 1:1: expected an operation"],
        ),
        ("./none", &["pretty.mlir: ./none", "it can't be run"]),
    ] {
        let mut command = optimise(&directory, "pretty.mlir");
        command.env("MLIR_OPT", tool);
        let mut before = command;
        before.arg("--quiet");
        refused(&directory, before, parts);
    }
    // What is wrong in the generic form is said by Cairn.
    let mut command = optimise(&directory, "wrong.mlir");
    command.env("MLIR_OPT", "./fails");
    refused(&directory, command, &["wrong.mlir:2:3: 'func.func' has 1 operands and 0 types"]);
    let mut command = cairn(&directory);
    command.args(["optimise", "--system", "ring", "--mlir", "pretty.mlir"]);
    refused(&directory, command, &["ring says of no operator which operation of MLIR it is"]);
}
