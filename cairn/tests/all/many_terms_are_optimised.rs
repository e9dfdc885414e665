//! `optimise --terms`: the same table and proofs whatever the number of threads and after an interruption, every
//! answer with its proof; and a ranker that was learned from seeds alone serves it.

use crate::common::cairn;
use guided_search::{OPTIMISED_FILE, OptimisedRow};
use std::fs;
use std::path::Path;
use support::read_table;
use tempfile::TempDir;

const RULES: &str = "
    (sort Int) (op + (Int Int) Int) (op * (Int Int) Int :cost 5) (op box (Int) Int) (literal i64 Int) (variable Int)
    (cost (box ?a) (* ?a 2) :name boxed) (cost (+ ?a ?b) 1 :name boxed)
    (rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm) (rewrite (* ?a ?b) (* ?b ?a) :name mul-comm)
    (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name add-assoc)
    (birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)
    (rewrite (* ?a 1) ?a :name mul-one) (rewrite (+ ?a 0) ?a :name add-zero)";

fn terms() -> String {
    let names = ["x", "y", "z"];
    let term = |i: usize| {
        let [a, b, c] = [names[i % 3], names[i / 3 % 3], names[i / 9 % 3]];
        format!("(+ (* {a} {b}) (+ (* (+ {c} 0) (* {a} {}) ) (* {b} {a})))\n", i % 4)
    };
    (0..24).map(term).collect()
}

fn here(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

const OPTIMISE: [&str; 10] = [
    "optimise",
    "--system",
    "my.rules",
    "--terms",
    "terms.txt",
    "--cap",
    "300",
    "--work",
    "900",
    "--quiet",
];

/// All that a run wrote, by name.
fn written(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in ["", "rows", "proofs"] {
        for entry in fs::read_dir(directory.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(directory).unwrap().display().to_string();
                files.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn the_table_is_the_same_on_two_threads_and_after_an_interruption() {
    let directory = here(&[("my.rules", RULES), ("terms.txt", &terms())]);
    let run = |out: &str, threads: &str| {
        let done =
            cairn(&directory).args(OPTIMISE).args(["--threads", threads, "--out", out]).assert();
        String::from_utf8(done.success().get_output().stdout.clone()).unwrap()
    };
    let said = run("one", "1");
    assert!(
        said.starts_with("24 terms in ") && said.ends_with("one/optimised.parquet\n"),
        "{said}"
    );
    let path = |name: &str| directory.path().join(name);
    let whole = written(&path("one"));
    assert_eq!(whole.iter().filter(|(name, _)| name.starts_with("proofs/")).count(), 24);
    run("two", "2");
    assert!(written(&path("two")) == whole);

    let rows: Vec<OptimisedRow> = read_table(&path("one").join(OPTIMISED_FILE)).unwrap();
    for row in &rows {
        assert!(row.cost_after <= row.cost_before && row.work <= 900 + 300, "{row:?}");
        let proof = format!("one/{}", row.proof_file);
        let args = ["check", "--system", "my.rules", &proof];
        let done = cairn(&directory).args(args).assert().success();
        let said = String::from_utf8(done.get_output().stdout.clone()).unwrap();
        assert!(said.contains(&row.start) && said.contains(&row.best), "{said}");
    }
    assert!(rows.iter().any(|row| row.cost_after < row.cost_before));

    // As if it had been stopped, and with files that are not as they were written.
    for name in ["rows/3.json", "proofs/3.json", "rows/7.json", "optimised.parquet"] {
        fs::remove_file(path("two").join(name)).unwrap();
    }
    for name in ["rows/5.json", "proofs/9.json"] {
        let mut bytes = fs::read(path("two").join(name)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path("two").join(name), bytes).unwrap();
    }
    run("two", "2");
    assert!(written(&path("two")) == whole);
}

#[test]
fn other_settings_and_other_terms_are_refused_and_nothing_is_lost() {
    let directory = here(&[("my.rules", RULES), ("terms.txt", "(+ x 0)\n(* y 1)\n")]);
    let with = |others: &[&str]| {
        let mut command = cairn(&directory);
        command.args(OPTIMISE).args(["--out", "out"]).args(others);
        command
    };
    with(&[]).assert().success();
    let whole = written(&directory.path().join("out"));
    let refused = |others: &[&str]| {
        let done = with(others).assert().code(2);
        let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(written(&directory.path().join("out")) == whole);
        text
    };
    assert!(refused(&["--seed", "7"]).contains("out already holds what was optimised otherwise"));
    assert!(refused(&["--cost", "size"]).contains("choose another directory"));
    assert!(refused(&["--goal", "(+ ?"]).contains("--goal"));
    fs::write(directory.path().join("terms.txt"), "(+ x 0)\n(* y 1)\nx\n").unwrap();
    assert!(refused(&[]).contains("or other terms: choose another directory"));
    fs::write(directory.path().join("terms.txt"), "(+ x 0)\n(* y\n").unwrap();
    assert!(refused(&[]).contains("terms.txt:2:"));
    fs::write(directory.path().join("terms.txt"), "").unwrap();
    assert!(refused(&[]).contains("holds no seed"));
}

#[test]
fn a_term_without_a_known_cost_is_a_row_without_an_answer_and_code_3() {
    let directory = here(&[("my.rules", RULES), ("terms.txt", "(box 4)\n(box x)\n")]);
    let done =
        cairn(&directory).args(OPTIMISE).args(["--cost", "boxed", "--out", "out"]).assert().code(3);
    let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(said.contains("1 term without an answer"), "{said}");
    let rows: Vec<OptimisedRow> =
        read_table(&directory.path().join("out/optimised.parquet")).unwrap();
    assert_eq!((rows[0].cost_after, rows[1].cost_after), (Some(8), None));
    assert!(rows[1].proof_file.is_empty() && rows[1].best.is_empty());
}

#[test]
fn a_ranker_is_learned_from_seeds_alone_and_serves() {
    let directory = here(&[("my.rules", RULES), ("terms.txt", &terms())]);
    let learn = |out: &str, threads: &str, rounds: &str| {
        let done = cairn(&directory)
            .args(["learn", "--system", "my.rules", "--seeds", "terms.txt", "--cap", "300"])
            .args(["--work", "900", "--batch", "8", "--epochs", "1", "--rounds", rounds])
            .args(["--threads", threads, "--quiet", "--out", out])
            .assert();
        String::from_utf8(done.success().get_output().stdout.clone()).unwrap().replace(out, "OUT")
    };
    let table = learn("one", "1", "2");
    assert!(table.contains("seeds improved    validation cost"), "{table}");
    assert!(table.contains(" of 8 ") && table.contains(" %"), "{table}");
    // Gone on with, on two threads.
    learn("two", "2", "1");
    assert_eq!(learn("two", "2", "2"), table);
    let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
    assert_eq!(read("one/ranker.json"), read("two/ranker.json"));

    cairn(&directory)
        .args(OPTIMISE)
        .args(["--scheduler", "mixed", "--ranker", "one/ranker.json", "--out", "optimised"])
        .assert()
        .success();
    let done = cairn(&directory)
        .args(OPTIMISE)
        .args(["--scheduler", "auto", "--ranker", "one/ranker.json", "--out", "in-vain"])
        .assert()
        .code(2);
    let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert!(said.contains("--ranker: it orders the matches of best-first"), "{said}");
    assert!(!directory.path().join("in-vain").exists());
    // From one ranker to the next, for another cost.
    cairn(&directory)
        .args([
            "learn",
            "--system",
            "my.rules",
            "--seeds",
            "terms.txt",
            "--cap",
            "300",
            "--work",
            "900",
        ])
        .args(["--cost", "size", "--from", "one/ranker.json", "--rounds", "1", "--epochs", "1"])
        .args(["--quiet", "--out", "three"])
        .assert()
        .success();
    let refused = |args: &[&str]| {
        let mut command = cairn(&directory);
        let done = command.args(["learn", "--system", "my.rules", "--out", "x"]).args(args);
        let done = done.assert().code(2);
        String::from_utf8(done.get_output().stderr.clone()).unwrap()
    };
    assert!(refused(&[]).contains("--tasks"));
    assert!(refused(&["--seeds", "terms.txt", "--cost", "siez"]).contains("--cost 'siez'"));
    fs::write(directory.path().join("few.txt"), "(+ x 0)\n").unwrap();
    let few = refused(&["--seeds", "few.txt"]);
    assert!(few.contains("few.txt: expected at least 10 seeds, every tenth of which is"), "{few}");
    let same = refused(&["--seeds", "few.txt", "--validation", "few.txt"]);
    assert!(same.contains("no seed is left for training: each is one of few.txt"), "{same}");
}

/// A balanced sum of so many numbers, each of which has a zero added to it.
fn sum(from: usize, count: usize) -> String {
    match count {
        1 => format!("(+ x{from} 0)"),
        _ => format!("(+ {} {})", sum(from, count / 2), sum(from + count / 2, count - count / 2)),
    }
}

#[test]
fn large_terms_are_optimised_or_said_to_be_too_large() {
    let rules = "(sort Int) (op + (Int Int) Int) (literal i64 Int) (variable Int)
        (rewrite (+ ?a 0) ?a :name add-zero)";
    // The second has more e-nodes than patience waits for in small terms.
    let terms = format!("{}\n{}\n", sum(0, 20), sum(0, 15_000));
    let directory = here(&[("my.rules", rules), ("terms.txt", &terms)]);
    let optimise = |cap: &str, out: &str| {
        let args = ["optimise", "--system", "my.rules", "--terms", "terms.txt", "--quiet"];
        let run =
            cairn(&directory).args(args).args(["--cap", cap, "--out", out]).assert().success();
        let said = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        let rows: Vec<OptimisedRow> =
            read_table(&directory.path().join(out).join(OPTIMISED_FILE)).unwrap();
        (said, rows)
    };
    let (said, rows) = optimise("200000", "whole");
    assert!(!said.contains("no room"), "{said}");
    assert!(rows.iter().all(|row| row.size_after == row.size_before / 2), "{said}");
    let (said, rows) = optimise("1000", "narrow");
    assert!(said.contains("1 term with as many e-nodes as an e-graph may have, or more"), "{said}");
    assert_eq!(rows.iter().map(|row| &row.ended[..]).collect::<Vec<_>>(), ["saturated", "large"]);
}
