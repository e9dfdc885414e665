//! What was learned on one system orders the matches of another, refuses what it has seen of its own, and is replaced
//! by its own kind only. The shipped one is taken where there is none of the system's own.

use crate::common::{cairn, shipped};
use std::fs;
use tempfile::TempDir;

const SUMS: &str = "(sort I) (variable I) (op + (I I) I) (op * (I I) I) (op - (I) I) (op o () I)
(rewrite (+ ?a ?b) (+ ?b ?a))
(rewrite (+ (+ ?a ?b) ?c) (+ ?a (+ ?b ?c)))
(rewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
(rewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)))
(rewrite (+ (* ?a ?b) (* ?a ?c)) (* ?a (+ ?b ?c)))
(rewrite (+ ?a o) ?a)
(rewrite (- (- ?a)) ?a)
";

fn learned(directory: &TempDir) {
    let path = |name: &str| directory.path().join(name);
    fs::write(path("sums.rules"), SUMS).unwrap();
    // The same laws in other words.
    let sets =
        SUMS.replace('+', "or").replace('*', "and").replace("(- ", "(not ").replace(" - ", " not ");
    fs::write(path("sets.rules"), sets).unwrap();
    for (part, count, others) in
        [("training", "10", &[][..]), ("validation", "4", &["--without", "training.parquet"])]
    {
        cairn(directory)
            .args(["tasks", "--system", "halide", "--seeds", "halide", "--links", "4", "--quiet"])
            .args(["--link-nodes", "200", "--count", count, "--out", &format!("{part}.parquet")])
            .args(others)
            .assert()
            .success();
    }
    cairn(directory)
        .args(["learn", "--system", "halide", "--tasks", "training.parquet", "--quiet"])
        .args(["--validation", "validation.parquet", "--rounds", "1", "--cap", "1000"])
        .args(["--out", "learned"])
        .assert()
        .success();
}

fn said(directory: &TempDir, args: &[&str], code: i32) -> String {
    let output = cairn(directory).args(args).assert().code(code);
    let output = output.get_output();
    let bytes = if code == 0 { &output.stdout } else { &output.stderr };
    String::from_utf8(bytes.clone()).unwrap()
}

#[test]
fn it_is_made_of_what_was_learned_and_used_where_nothing_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    learned(&directory);
    let any = |threads: &str, out: &str, code: i32| {
        let args = ["any", "halide=learned", "--epochs", "1", "--quiet", "--threads", threads];
        said(&directory, &[&args[..], &["--out", out]].concat(), code)
    };
    let text = any("1", "any.json", 0);
    assert!(text.ends_with("of 1 system in any.json\n"), "{text}");
    any("2", "again.json", 0);
    assert_eq!(fs::read(path("any.json")).unwrap(), fs::read(path("again.json")).unwrap());
    let inspected = said(&directory, &["inspect", "any.json"], 0);
    assert!(inspected.contains("rewrite system: any"), "{inspected}");

    // It orders the matches of another system,
    let ends = ["(or (and a b) (and a c))", "(and a (or c (not (not b))))"];
    let prove = ["prove", "--system", "sets.rules", "--method", "ranked", "--ranker", "any.json"];
    let question = ["--start", ends[0], "--target", ends[1], "--quiet"];
    said(&directory, &[&prove[..], &question].concat(), 0);
    // and does not measure itself by what it has seen of its own.
    let evaluate = ["evaluate", "--system", "halide", "--methods", "ranked", "--tasks"];
    let seen =
        [&evaluate[..], &["training.parquet", "--ranker", "any.json", "--out", "o"]].concat();
    let message = said(&directory, &seen, 2);
    assert!(message.contains("the ranker has seen the seeds of 10 of 10 tasks"), "{message}");

    // The drawn ones of a folder, and nothing else in it.
    fs::create_dir(path("drawn")).unwrap();
    fs::copy(shipped("systems/halide.rules"), path("drawn/a.rules")).unwrap();
    fs::copy(path("sets.rules"), path("drawn/b.rules")).unwrap();
    fs::rename(path("learned"), path("drawn/a")).unwrap();
    let args = ["any", "--drawn", "drawn", "--epochs", "1", "--quiet", "--out", "drawn.json"];
    let text = said(&directory, &args, 0);
    assert!(text.ends_with("of 1 system in drawn.json\n"), "{text}");
    // Nobody asks about them: their seeds are not kept.
    assert!(said(&directory, &["inspect", "drawn.json"], 0).contains("seen: 0 seeds"));
}

#[test]
fn it_is_taken_where_a_system_has_none_of_its_own_unless_none_is_wanted() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("sums.rules"), SUMS).unwrap();
    fs::write(path("tasks.csv"), "start,target\n(+ (* a b) (* a c)),(* a (+ c (- (- b))))\n")
        .unwrap();
    let evaluate = |out: &str, more: &[&str], code: i32| {
        let args = ["evaluate", "--system", "sums.rules", "--tasks", "tasks.csv", "--quiet"];
        said(&directory, &[&args[..], more, &["--out", out]].concat(), code)
    };
    let settings = |out: &str| fs::read_to_string(path(out).join("evaluation.json")).unwrap();
    let ranked = |table: &str| table.lines().any(|line| line.starts_with("ranked"));
    assert!(ranked(&evaluate("with", &[], 0)));
    assert!(settings("with").contains(" --ranker any --methods "), "{}", settings("with"));
    let without = evaluate("without", &["--no-ranker"], 0);
    assert!(!ranked(&without) && without.contains("portfolio"), "{without}");
    assert!(settings("without").contains(" --no-ranker --methods "), "{}", settings("without"));
    let refused = evaluate("none", &["--methods", "ranked", "--no-ranker"], 2);
    assert!(refused.contains("'ranked' needs a ranker, and none is to be used"), "{refused}");

    // Optimising takes none but the system's own.
    let optimise = |more: &[&str]| {
        let args = ["optimise", "--system", "sums.rules", "--terms", "terms.txt", "--quiet"];
        let args = [&args[..], &["--scheduler", "best-first", "--out", "best"], more].concat();
        said(&directory, &args, 0);
        let made = fs::read_to_string(path("best/optimisation.json")).unwrap();
        fs::remove_dir_all(path("best")).unwrap();
        made
    };
    fs::write(path("terms.txt"), "(+ (* a b) (* a c))\n").unwrap();
    let [plain, without, any] = [&[][..], &["--no-ranker"], &["--ranker", "any"]].map(optimise);
    assert_eq!(plain, without);
    assert_ne!(plain, any);
}

#[test]
fn learning_begins_with_it_unless_it_begins_with_nothing() {
    let directory = tempfile::tempdir().unwrap();
    learned(&directory);
    let again = |more: &[&str], code: i32| {
        let args = ["learn", "--system", "halide", "--tasks", "training.parquet", "--quiet"];
        let files = ["--validation", "validation.parquet", "--rounds", "1", "--cap", "1000"];
        said(&directory, &[&args[..], &files, &["--out", "learned"], more].concat(), code)
    };
    // The same settings as without the option, so nothing is left to do; or others.
    assert!(again(&["--from", "any"], 0).contains("learned/ranker.json"));
    for other in [&["--from-nothing"][..], &["--from", "halide"]] {
        let refused = again(other, 2);
        assert!(refused.contains("learned already holds what was learned otherwise"), "{refused}");
    }
}

/// What was learned on a system at two places is two studies, and it has seen the seeds of both.
#[test]
fn a_system_may_be_named_twice() {
    let directory = tempfile::tempdir().unwrap();
    let run = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        cairn(&directory).args(arguments).arg("--quiet").assert().success();
    };
    let tasks = "tasks --system halide --seeds halide --links 4 --link-nodes 200 --count 6 --out";
    run(&format!("{tasks} a.parquet"));
    run(&format!("{tasks} b.parquet --without a.parquet"));
    run(&format!("{tasks} c.parquet --without a.parquet --without b.parquet"));
    let learn = "learn --system halide --rounds 1 --cap 1000 --tasks c.parquet";
    run(&format!("{learn} --validation a.parquet --out on-a"));
    run(&format!("{learn} --validation b.parquet --out on-b"));
    for (order, both) in ["halide=on-a halide=on-b", "halide=on-b halide=on-a"].iter().enumerate() {
        run(&format!("any {both} --epochs 1 --examples 500 --out {order}.json"));
        for part in ["a", "b", "c"] {
            let (tasks, ranker) = (format!("{part}.parquet"), format!("{order}.json"));
            let evaluate = ["evaluate", "--system", "halide", "--methods", "ranked", "--out", "o"];
            let evaluate = [&evaluate[..], &["--tasks", &tasks, "--ranker", &ranker]].concat();
            let message = said(&directory, &evaluate, 2);
            assert!(message.contains("the ranker has seen the seeds of 6 of 6"), "{message}");
        }
    }
}

#[test]
fn what_it_is_not_made_of_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("sums.rules"), SUMS).unwrap();
    fs::write(path("notes.txt"), "mine").unwrap();
    for (args, expected) in [
        (&["any", "--out", "any.json"][..], "nothing to learn from"),
        (&["any", "sums.rules", "--out", "any.json"], "expected SYSTEM=DIR"),
        (&["any", "sums.rules=none", "--out", "any.json"], "learning.json"),
        (
            &["any", "a=b", "--examples", "0", "--out", "any.json"],
            "--examples: expected at least 1",
        ),
        (&["any", "a=b", "--epochs", "0", "--out", "any.json"], "--epochs 0: expected 1 to 1000"),
        (&["any", "sums.rules=none", "--out", "notes.txt"], "is not a ranker for any system"),
        (&["any", "--drawn", "none", "--out", "any.json"], "none"),
    ] {
        let message = said(&directory, args, 2);
        assert!(message.contains(expected), "{args:?}: {message}");
    }
    assert_eq!(fs::read_to_string(path("notes.txt")).unwrap(), "mine");
    assert!(!path("any.json").exists());
}
