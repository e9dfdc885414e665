//! `cairn optimise --llvm`. The example of docs/words.md is run.

use crate::common::page::{assert_shown, shown_below};
use crate::common::refusal::{directory, names, refused, write};
use crate::common::{cairn, output};
use assert_cmd::Command;
use tempfile::TempDir;

const WORDS: &str = include_str!("../../../interop/tests/llvm/words.ll");
const MODULE: &str = include_str!("../../../interop/tests/llvm/module.ll");

fn optimise(directory: &TempDir, words: &str) -> Command {
    let mut command = cairn(directory);
    command.args(["optimise", "--system", "words", "--llvm"]).args(words.split_whitespace());
    command
}

#[test]
fn the_example_of_the_page_is_what_comes_out() {
    let directory = directory();
    write(&directory, "words.ll", WORDS);
    let text = output(&mut optimise(&directory, "words.ll --cost cycles --out better"));
    assert_shown(&shown_below("--llvm words.ll --cost cycles"), &text);
    let kept = std::fs::read_to_string(directory.path().join("better/optimised.ll")).unwrap();
    assert_eq!(kept, text);
    assert_eq!(names(&directory.path().join("better")), ["0.json", "1.json", "optimised.ll"]);
    for proof in ["0.json", "1.json"] {
        assert!(text.contains(&format!("; {proof}\n")), "{text}");
        let mut check = cairn(&directory);
        output(check.args(["check", &format!("better/{proof}"), "--system", "words"]));
    }
    // The same again over what is there, and what was written is read again.
    let again = output(&mut optimise(&directory, "words.ll --cost cycles --out better"));
    assert_eq!(again, text);
    write(&directory, "again.ll", &text);
    let again = output(&mut optimise(&directory, "again.ll --cost cycles"));
    assert!(again.ends_with(&text), "{again}");
    // The parameter is not known to be defined, and is read once now.
    assert!(text.contains("(i8 %c) {\n  %c0 = add i8 %c, -48\n"), "{text}");
}

#[test]
fn what_has_no_operators_stays() {
    let directory = directory();
    let plain = MODULE.split_once("define double").unwrap().1;
    write(&directory, "plain.ll", &format!("define double{plain}"));
    assert_eq!(output(&mut optimise(&directory, "plain.ll")), format!("define double{plain}"));
    write(&directory, "module.ll", MODULE);
    let text = output(&mut optimise(&directory, "module.ll --work 2000"));
    assert!(text.contains("%4 = add i32 %0, %1, !dbg !9"), "{text}");
    assert!(text.ends_with(plain), "{text}");
}

#[test]
fn mistakes_are_one_message() {
    let directory = directory();
    write(&directory, "words.ll", WORDS);
    write(&directory, "open.ll", "define i32 @f(i32 %x) {\n  ret i32 %x\n");
    write(
        &directory,
        "names.ll",
        "define i32 @f(i32 %x) {\n  %y = add i32 %x, %z\n  ret i32 %y\n}\n",
    );
    for (words, parts) in [
        ("open.ll", &["open.ll:1:1: the body of @f is never closed"][..]),
        ("names.ll", &["names.ll:2:1: %z is used and not defined in @f"]),
        ("none.ll", &["none.ll"]),
        ("words.ll --out .", &["already holds something else"]),
        ("words.ll --term x", &["cannot be used with"]),
    ] {
        refused(&directory, optimise(&directory, words), parts);
    }
    let mut other = cairn(&directory);
    other.args(["optimise", "--system", "ring", "--llvm", "words.ll"]);
    refused(&directory, other, &["words.ll:1:1: the system has no words for LLVM"]);
}
