//! A rules file that is edited keeps its ranker: comments, order, costs and names change nothing, and a rule more is said.

use crate::common::{cairn, run, shipped};
use std::fs;
use tempfile::TempDir;

const QUESTION: [&str; 4] =
    ["--start", "(* (+ a b) (* (+ a b) (+ a b)))", "--target", "(* (* (+ b a) (+ b a)) (+ b a))"];

/// What `prove` says on both streams with a system and more arguments.
fn proved(directory: &TempDir, system: &str, more: &[&str]) -> [String; 2] {
    let output = cairn(directory)
        .args(["prove", "--system", system, "--method", "ranked"])
        .args([&QUESTION[..], more].concat())
        .assert()
        .success();
    let output = output.get_output().clone();
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
}

/// The rules file with its forms in turn: those that need no other before them the other way round, and other names of variables.
fn edited(rules: &str) -> String {
    let code: String = rules
        .lines()
        .filter(|line| !line.trim_start().starts_with(';'))
        .fold(String::new(), |text, line| text + line + "\n");
    let mut forms: Vec<String> = Vec::new();
    let mut depth = 0;
    for char in code.chars() {
        depth += i32::from(char == '(');
        if char == '(' && depth == 1 {
            forms.push(String::new());
        }
        if depth > 0 {
            forms.last_mut().unwrap().push(char);
        }
        depth -= i32::from(char == ')');
    }
    let (rules, others): (Vec<_>, Vec<_>) =
        forms.into_iter().partition(|form| form.contains("rewrite"));
    let rules: Vec<_> = rules.into_iter().rev().map(|rule| rule.replace("?a", "?first")).collect();
    format!("; edited\n{}\n{}\n", others.join("\n"), rules.join("\n"))
}

#[test]
fn the_shipped_ranker_is_taken_for_an_edited_copy_of_its_rules() {
    let directory = tempfile::tempdir().unwrap();
    let rules = fs::read_to_string(shipped("systems/ring.rules")).unwrap();
    fs::write(directory.path().join("mine.rules"), edited(&rules)).unwrap();
    let [answer, said] = proved(&directory, "mine.rules", &[]);
    assert!(answer.contains("(* (* (+ b a) (+ b a)) (+ b a))"), "{answer}");
    assert!(!said.contains("does not know"), "{said}");
    // A rule and an operator more.
    let more = "(op half (Int) Int) (rewrite (half (+ ?a ?a)) ?a :name halved)\n";
    let sort = rules.split("(sort ").nth(1).unwrap().split(')').next().unwrap();
    let more = more.replace("Int", sort);
    fs::write(directory.path().join("more.rules"), format!("{rules}{more}")).unwrap();
    let [_, said] = proved(&directory, "more.rules", &[]);
    let expected = "learned before the rules were changed: it does not know 1 rule (halved) and 1 operator (half)\n";
    assert!(said.contains(expected), "{said}");
    // One that knows less than half of the rules is refused.
    let other = ["prove", "--system", "prop", "--start", "a", "--target", "a", "--ranker", "ring"];
    let output = cairn(&directory).args(other).assert().code(2);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("was learned for another rewrite system: it knows "), "{text}");
}

#[test]
fn what_a_ranker_has_seen_is_refused_of_an_edited_system() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let rules = fs::read_to_string(shipped("systems/ring.rules")).unwrap();
    fs::write(path("mine.rules"), edited(&rules)).unwrap();
    let tasks = |system: &str, rest: &str| {
        let drawn = "--seeds ring --links 4 --link-nodes 100 --count 8";
        run(&directory, &format!("tasks --system {system} {drawn} --out {rest}"));
    };
    tasks("ring", "training.parquet");
    tasks("ring", "validation.parquet --without training.parquet");
    let learn = "learn --system ring --tasks training.parquet --validation validation.parquet";
    run(&directory, &format!("{learn} --rounds 1 --cap 500 --out learned"));
    // The same seeds, of the system as it is now.
    tasks("mine.rules", "mine.parquet");
    let output = cairn(&directory)
        .args([
            "evaluate",
            "--system",
            "mine.rules",
            "--tasks",
            "mine.parquet",
            "--methods",
            "ranked",
        ])
        .args(["--ranker", "learned", "--cap", "500", "--quiet", "--out", "results"])
        .assert()
        .code(2);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(text.contains("the ranker has seen the seeds of 5 of 8 tasks"), "{text}");
    assert!(!path("results").join("results.parquet").exists());
}
