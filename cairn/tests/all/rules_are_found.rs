//! `cairn rules`: the examples of docs/rules.md are run; a killed search goes on to the same bytes; bad input is refused.

use crate::common::refusal::{directory, refused, write};
use crate::common::{cairn, output};
use assert_cmd::Command;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn page() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md")).unwrap()
}

/// The rules file of the page that begins so.
fn language(begins: &str) -> String {
    let page = page();
    let mut blocks = page.split("```rules\n; ").skip(1);
    let block = blocks.find(|block| block.starts_with(begins)).unwrap();
    format!("; {}", block.split("```").next().unwrap())
}

fn of_words(directory: &TempDir, words: &str) -> Command {
    let mut command = cairn(directory);
    command.args(words.split_whitespace());
    command
}

#[test]
fn the_examples_of_the_page_do_what_it_says() {
    let directory = directory();
    write(&directory, "fields.rules", &language("Fields"));
    write(&directory, "signs.rules", &language("Signs"));
    write(&directory, "few.rules", &language("Bytes"));
    let page = page();
    for (kind, name) in [("json", "signs.json"), ("tasks", "tasks.txt")] {
        let block = page.split(&format!("```{kind}\n")).nth(1).unwrap();
        write(&directory, name, block.split("```").next().unwrap());
    }
    let (mut shown, mut ran) = (String::new(), 0);
    for line in page.lines() {
        if let Some(command) = line.strip_prefix("    $ cairn ") {
            if command.starts_with("rules prune") {
                let found = fs::read_to_string(directory.path().join("found/found.rules")).unwrap();
                let added = page.split("(rewrite (| 0 ?a)").nth(1).unwrap();
                let added = added.split("```").next().unwrap();
                write(&directory, "more.rules", &format!("{found}(rewrite (| 0 ?a){added}"));
            }
            // Terms in quotes are one word each.
            let mut cairn = cairn(&directory);
            for (number, part) in command.split('\'').enumerate() {
                match number % 2 {
                    0 => cairn.args(part.split_whitespace()),
                    _ => cairn.arg(part),
                };
            }
            shown = output(&mut cairn);
            ran += 1;
        } else if let Some(line) = line.strip_prefix("    ").filter(|_| !shown.is_empty()) {
            assert!(shown.contains(line.trim()), "'{line}' is not in:\n{shown}");
        } else if !line.is_empty() {
            shown.clear();
        }
    }
    assert_eq!(ran, 10);
    // What the page shows of the file stands in it.
    let found = fs::read_to_string(directory.path().join("found/found.rules")).unwrap();
    let part = page.split("```\n; all operators").nth(1).unwrap().split("```").next().unwrap();
    assert!(found.contains(&format!("; all operators{part}")), "{found}");
}

#[test]
fn a_killed_search_goes_on_to_the_same_bytes() {
    let directory = directory();
    write(
        &directory,
        "fields.rules",
        &language("Fields").replace("(op - ", "(op * (Field Field) Field)\n(op - "),
    );
    let find =
        |out: &str| format!("rules find fields.rules --no-solver --one-size 7 --quiet --out {out}");
    output(&mut of_words(&directory, &find("whole")));
    let journal =
        |out: &str| fs::read(directory.path().join(out).join("stages.jsonl")).unwrap_or_default();
    let stages = journal("whole").iter().filter(|byte| **byte == b'\n').count();
    let mut killed = std::process::Command::new(env!("CARGO_BIN_EXE_cairn"))
        .current_dir(directory.path())
        .args(find("killed").split_whitespace())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while journal("killed").is_empty() && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(stages > 5 && !journal("killed").is_empty());
    output(&mut of_words(&directory, &find("killed")));
    for name in ["found.rules", "stages.jsonl", "search.json"] {
        let of = |out: &str| fs::read(directory.path().join(out).join(name)).unwrap();
        assert!(of("killed") == of("whole"), "{name}");
    }
}

#[test]
fn bad_input_is_one_message_and_writes_nothing() {
    let directory = directory();
    write(&directory, "own.rules", "(sort I) (op f (I) I) (literal i64 I)");
    write(&directory, "fields.rules", &language("Fields"));
    write(&directory, "tasks.txt", "(+ a b) (+ b a)\n");
    for (words, parts) in [
        (
            "rules find own.rules --out x",
            &["own.rules: operator f is not built in", "expected"][..],
        ),
        ("rules find own.rules --out x --tables none.json", &["none.json"]),
        (
            "rules find own.rules --out x --tables tasks.txt",
            &["tasks.txt: no tables", "expected an object"],
        ),
        ("rules find fields.rules --out x --variables 9", &["--variables 9: expected 1 to 5"]),
        ("rules find fields.rules --out x --literals two", &["literals: 'two'"]),
        ("rules find fields.rules --out .", &["already holds something else"]),
        ("rules find none.rules --out x", &["none.rules"]),
        ("rules prune fields.rules --out own.rules", &["own.rules", "a pruned rules file"]),
        (
            "rules worth s.rules --tasks tasks.txt --out own.rules",
            &["own.rules", "a table of what rules are worth"],
        ),
        ("rules worth s.rules --tasks none.csv --out w.csv", &["none.csv"]),
        (
            "rules worth s.rules --tasks tasks.txt --out w.csv --method oracle",
            &["--method oracle: expected a method that needs nothing"],
        ),
        (
            "rules worth s.rules --tasks tasks.txt --out w.csv --choose own.rules",
            &["own.rules", "a rules file with less cost"],
        ),
        (
            "rules worth s.rules --tasks tasks.txt --out w.csv --work 0",
            &["--work: expected at least 1"],
        ),
        (
            "rules extend s.rules --tasks tasks.txt --out own.rules",
            &["own.rules", "an extended rules file"],
        ),
        ("rules extend s.rules --tasks none.csv --out x.rules", &["none.csv"]),
        (
            "rules extend s.rules --tasks tasks.txt --out x.rules --method oracle",
            &["--method oracle: expected a method that needs nothing"],
        ),
        (
            "rules extend s.rules --tasks tasks.txt --out x.rules --rules 0",
            &["--rules 0: expected 1 to 100000"],
        ),
        ("rules prune fields.rules --iterations 0", &["--iterations 0: expected 1 to 1000"]),
    ] {
        refused(&directory, of_words(&directory, words), parts);
    }
}

#[test]
fn rules_that_cost_more_than_they_bring_are_left_out_for_tasks() {
    let directory = directory();
    let wrapped = "(rewrite ?a (f ?a) :name wrap)";
    write(
        &directory,
        "sums.rules",
        &format!(
            "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op f (I) I)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)
; It only fills e-graphs.
{wrapped}
(rewrite (f (f ?a)) (f ?a) :name unwrap)\n"
        ),
    );
    write(&directory, "tasks.txt", "(+ a b) (+ b a)\n(+ a (+ b (+ c d))) (+ (+ d b) (+ c a))\n");
    write(&directory, "other.txt", "(+ c (+ b a)) (+ (+ a b) c)\n");
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    let worth = |more: &str| {
        let words = "rules worth sums.rules --tasks tasks.txt --out worth.csv --choose fewer.rules \
             --check other.txt --method cap --quiet";
        output(&mut of_words(&directory, &format!("{words} {more}")))
    };
    let said = worth("--threads 1");
    for line in
        ["comm         ", "assoc assoc-rev  ", "1 rule left out (wrap): 2 solved instead of 2"]
    {
        assert!(said.contains(line), "'{line}' is not in:\n{said}");
    }
    assert!(said.contains("other tasks: 1 solved instead of 1"), "{said}");
    let (table, fewer) = (read("worth.csv"), read("fewer.rules"));
    assert!(table.starts_with("rules,line,solved,lost,gained,work,refused\n,,2,0,0,"), "{table}");
    assert!(table.contains("\n\"comm\",2,0,2,0,"), "{table}");
    assert!(fewer.contains("; It only fills e-graphs.") && !fewer.contains(wrapped), "{fewer}");
    assert_eq!(worth("--threads 2"), said);
    assert_eq!((read("worth.csv"), read("fewer.rules")), (table, fewer));
    of_words(&directory, "system check fewer.rules").assert().success();
}

#[test]
fn rules_that_tasks_lack_are_added_and_serve_others() {
    let directory = directory();
    write(&directory, "few.rules", &language("Bytes"));
    write(
        &directory,
        "tasks.txt",
        "(- (| a (+ b c)) (& a (+ c b))) (^ (+ b c) a)\n(+ x 1) (+ 1 x)\n(- x y) (- y x)\n",
    );
    write(&directory, "other.txt", "(- (| a 3) (& 3 a)) (^ 3 a)\n(^ a b) (| a b)\n");
    let extend = |threads: &str| {
        let words = "rules extend few.rules --tasks tasks.txt --check other.txt --out more.rules";
        output(&mut of_words(
            &directory,
            &format!("{words} --no-solver --quiet --threads {threads}"),
        ))
    };
    let said = extend("1");
    for line in [
        "    1  (birewrite (- (| ?a ?b) (& ?a ?b)) (^ ?b ?a) :name missing-1)",
        "1 rule: 2 solved instead of 1",
        "1 task whose terms have different values: line-3",
        "other tasks: 1 solved instead of 0",
    ] {
        assert!(said.contains(line), "'{line}' is not in:\n{said}");
    }
    let more = fs::read_to_string(directory.path().join("more.rules")).unwrap();
    let whole = format!("{}; a task that was not solved; proved by all 65536", language("Bytes"));
    assert!(more.contains(&whole), "{more}");
    assert_eq!(extend("2"), said);
    of_words(&directory, "system check more.rules").assert().success();
    // The file that it wrote can be extended in its place.
    let again = "rules extend more.rules --tasks tasks.txt --out more.rules --no-solver --quiet";
    assert!(output(&mut of_words(&directory, again)).contains("0 rules: 2 solved instead of 2"));
}
