//! Where the defaults don't fit a domain, `generate` and `tasks` say which option to change.

use crate::common::{cairn, shipped};
use guided_search::TaskSet;
use std::fs;
use tempfile::{TempDir, tempdir};

/// Runs a command on the shipped rings; gives its standard error.
fn run(place: &TempDir, command: &str, words: &str) -> String {
    let output = cairn(place)
        .arg(command)
        .arg("--system")
        .arg(shipped("systems/ring.rules"))
        .arg("--seeds")
        .arg(shipped("seeds/ring.txt"))
        .args(words.split_whitespace())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{error}");
    error
}

#[test]
fn generate_names_max_steps_where_most_proofs_are_too_long() {
    let place = tempdir().unwrap();
    let words = "--nodes 300 --limit 20 --pairs 30 --cutoff 2";
    let error = run(&place, "generate", &format!("{words} --max-steps 3 --out short"));
    let warning = error.lines().find(|line| line.contains("--max-steps")).expect(&error);
    assert!(warning.contains("% of") && warning.contains("more than 3 steps"), "{warning}");
    let quiet = run(&place, "generate", &format!("{words} --max-steps 3 --quiet --out quiet"));
    assert_eq!(quiet, "");
    let enough = run(&place, "generate", &format!("{words} --max-steps 1000 --out long"));
    assert!(!enough.contains("--max-steps"), "{enough}");
}

#[test]
fn tasks_choose_the_size_of_links_and_say_so() {
    let place = tempdir().unwrap();
    let words = "--links 2 --count 5";
    let error = run(&place, "tasks", &format!("{words} --out chosen.parquet"));
    let choice = error.lines().find(|line| line.starts_with("--link-nodes ")).expect(&error);
    let chosen = choice.split([' ', ',']).nth(1).unwrap();
    // It is as if one had chosen it, and nothing is chosen where one did.
    let given = format!("{words} --link-nodes {chosen} --out given.parquet");
    assert!(run(&place, "tasks", &given).lines().all(|line| !line.starts_with("--link-nodes ")));
    let read = |name| fs::read(place.path().join(name)).unwrap();
    assert_eq!(read("chosen.parquet"), read("given.parquet"));
}

#[test]
fn tasks_take_over_the_size_of_links_from_those_that_they_are_without() {
    let place = tempdir().unwrap();
    let words = "--links 2 --count 1";
    for size in ["100", "110"] {
        run(
            &place,
            "tasks",
            &format!("{words} --link-nodes {size} --beyond 150 --out {size}.parquet"),
        );
    }
    let error = run(&place, "tasks", &format!("{words} --without 100.parquet --out more.parquet"));
    assert!(error.contains("--link-nodes 100, as in 100.parquet"), "{error}");
    assert!(!error.contains("warning"), "{error}");
    let origin = TaskSet::load_unchecked(&place.path().join("more.parquet")).unwrap().origin;
    assert_eq!((origin.link_nodes, origin.cap), (100, 150));
    let both = "--without 100.parquet --without 110.parquet --quiet --out both.parquet";
    let error = run(&place, "tasks", &format!("{words} {both}"));
    let warning = "warning: the e-nodes of a link are 100 in 100.parquet, 110 in 110.parquet";
    assert!(error.contains(warning), "{error}");
}

#[test]
fn tasks_say_what_keeps_chains_from_coming_about() {
    let place = tempdir().unwrap();
    // One link of 100 e-nodes goes nowhere that 100,000 don't.
    let words = "--links 1 --link-nodes 100 --cap 100000 --count 100 --rounds 1";
    let output = cairn(&place)
        .args(["tasks", "--out", "near.parquet", "--system"])
        .arg(shipped("systems/ring.rules"))
        .arg("--seeds")
        .arg(shipped("seeds/ring.txt"))
        .args(words.split_whitespace())
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("no chain came about") && error.contains("more --links"), "{error}");
}

#[test]
fn tasks_say_how_many_of_those_that_were_asked_for_there_are() {
    let place = tempdir().unwrap();
    let seeds = fs::read_to_string(shipped("seeds/halide.txt")).unwrap();
    let lines: Vec<&str> = seeds.lines().filter(|line| line.starts_with('(')).take(6).collect();
    fs::write(place.path().join("few.txt"), lines.join("\n")).unwrap();
    let words =
        "tasks --system halide --seeds few.txt --links 2 --link-nodes 100 --rounds 1 --quiet";
    let said = |count: &str| {
        let output = cairn(&place)
            .args(words.split_whitespace())
            .args(["--count", count, "--out", "tasks.parquet"])
            .assert()
            .success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let text = said("30");
    assert!(text.starts_with("only ") && text.contains(" of 30 in tasks.parquet; "), "{text}");
    let text = said("1");
    assert!(text.starts_with("1 task in tasks.parquet; "), "{text}");
}
