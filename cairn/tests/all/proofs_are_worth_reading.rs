//! What `cairn explain`, `prove` and `saturate` say: short proofs, opposite literals with their proofs,
//! and no word about terms being unequal that a search can't know.

use crate::common::{cairn, shipped};
use assert_cmd::Command;
use tempfile::TempDir;

fn directory(rules: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("s.rules"), rules).unwrap();
    directory
}

fn question(directory: &TempDir, command: &str, from: &str, to: &str) -> Command {
    let mut process = cairn(directory);
    process.args([command, "--quiet", "--system", "s.rules", "--start", from, "--target", to]);
    process
}

/// Standard output and standard error of a command that ends with `code`.
fn output(mut command: Command, code: i32) -> (String, String) {
    let output = command.assert().code(code);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.get_output().stdout), text(&output.get_output().stderr))
}

const ONE_WAY: &str = "(sort I) (op f (I) I) (op g (I) I) (op h (I) I) (variable I)
(rewrite (f ?x) (g ?x) :name fg) (rewrite (f ?x) (h ?x) :name fh)\n";

#[test]
fn a_saturated_search_does_not_say_that_the_rules_do_not_connect_terms() {
    let directory = directory(ONE_WAY);
    for command in ["explain", "prove"] {
        let (_, error) = output(question(&directory, command, "(g a)", "(h a)"), 3);
        assert!(error.contains("not proved"), "{error}");
        assert!(!error.contains("rules do not connect"), "{error}");
    }
}

#[test]
fn only_where_more_could_be_derived_is_a_guide_advised() {
    let said = |rules: &str, to: &str, options: &[&str]| {
        let directory = directory(rules);
        let mut command = question(&directory, "explain", "(g (g a))", to);
        command.args(options);
        output(command, 3).1
    };
    let error = said(ONE_WAY, "(h a)", &[]);
    assert!(
        error.contains("nothing else: if they are equal, a rule is missing; 2 of 2"),
        "{error}"
    );
    assert!(!error.contains("guide"), "{error}");
    let grows = "(sort I) (op f (I) I) (op g (I) I) (op h (I) I) (variable I)
        (birewrite (g ?x) (g (f ?x)) :name grow)";
    let error = said(grows, "(h a)", &["--iterations", "3"]);
    assert!(error.contains("a guide may connect them") && !error.contains("missing"), "{error}");
}

#[test]
fn an_experts_guide_is_tried_although_the_e_graph_saturates() {
    let directory = directory(ONE_WAY);
    std::fs::write(directory.path().join("guides.txt"), "(f a)\n").unwrap();
    // From (g a) nothing leads to (f a), but from (f a) to both.
    let (_, error) = output(question(&directory, "prove", "(g a)", "(h a)"), 3);
    assert!(error.contains("saturated without"), "{error}");
    let mut guided = question(&directory, "prove", "(g a)", "(h a)");
    guided.args(["--expert", "guides.txt"]);
    let (proof, _) = output(guided, 0);
    assert!(proof.contains("fg") && proof.contains("fh"), "{proof}");
}

const BOOLEAN: &str = "(sort B) (literal bool B) (variable B) (op and (B B) B) (op not (B) B)
(rewrite (and ?a (not ?a)) 0 :name contradiction)
(rewrite (and ?a ?b) (and ?b ?a) :name comm)\n";

#[test]
fn the_opposite_literal_is_said_at_once_with_its_proof() {
    let directory = directory(BOOLEAN);
    for command in ["explain", "prove"] {
        let (proof, error) = output(question(&directory, command, "(and (not p) p)", "1"), 3);
        assert!(error.contains("the start equals 0, the target 1"), "{error}");
        assert!(proof.contains("contradiction") && proof.contains("step"), "{proof}");
    }
    let mut json = question(&directory, "explain", "(and (not p) p)", "1");
    json.args(["--out", "p.json"]);
    output(json, 3);
    cairn(&directory).args(["check", "p.json", "--system", "s.rules"]).assert().success();
}

/// The number in "; N steps" at the end of a proof.
fn steps(text: &str) -> usize {
    let (_, tail) = text.rsplit_once("; ").expect("the number of steps");
    tail.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn proofs_are_shortened_and_say_how_many_steps_they_have() {
    let directory = tempfile::tempdir().unwrap();
    let halide = shipped("systems/halide.rules");
    let explain = |more: &[&str]| {
        let mut command = cairn(&directory);
        command.args(["explain", "--quiet", "--scheduler", "simple", "--system"]).arg(&halide);
        let one_less = "(>= (+ (+ (+ a b) c) d) (+ (+ (+ (+ (- a 1) b) c) d) 1))";
        command.args(["--start", one_less, "--target", "1"]);
        command.args(more);
        output(command, 0).0
    };
    let (short, raw) = (explain(&[]), explain(&["--no-shorten"]));
    assert!(steps(&short) < steps(&raw), "{short}\n{raw}");
    // The terms are numbered from 0.
    let terms =
        short.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    assert_eq!(terms.count(), steps(&short) + 1, "{short}");
    assert!(short.contains(&format!(", {} before it was shortened", steps(&raw))), "{short}");
}

#[test]
fn each_scheduler_proves_in_turn_what_the_other_does_not() {
    // A commutative and associative sum drowns the simple scheduler; back-off bans its rules.
    let directory = directory(
        "(sort I) (variable I) (op + (I I) I) (op s (I) I) (op t (I) I)
        (rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
        (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)
        (rewrite (s ?x) (t (t ?x)) :name st) (rewrite (t (t (t ?x))) (s ?x) :name ts)\n",
    );
    let sum = (0..14).fold("z".to_owned(), |sum, i| format!("(+ v{i} {sum})"));
    let tower = |op: &str, n: usize| (0..n).fold(sum.clone(), |term, _| format!("({op} {term})"));
    let run = |scheduler: &str, code: i32| {
        let (from, to) = (tower("s", 12), tower("t", 24));
        let mut command = question(&directory, "explain", &from, &to);
        command.args(["--memory", "2MiB", "--scheduler", scheduler]);
        output(command, code)
    };
    let solved = |scheduler: &str| {
        let (from, to) = (tower("s", 12), tower("t", 24));
        let mut command = question(&directory, "explain", &from, &to);
        command.args(["--memory", "2MiB", "--scheduler", scheduler]);
        command.assert().get_output().status.code() == Some(0)
    };
    assert!(solved("simple") || solved("backoff"));
    run("auto", 0);
}

#[test]
fn a_goal_comes_with_its_proof() {
    let directory = directory(BOOLEAN);
    let saturate = |format: &str| {
        let mut command = cairn(&directory);
        command.args(["saturate", "--quiet", "--system", "s.rules", "--goal", "0"]);
        command.args(["--term", "(and (not p) p)", "--format", format]);
        output(command, 0).0
    };
    let table = saturate("table");
    assert!(table.contains("contradiction") && table.contains("; 2 steps"), "{table}");
    let json = saturate("json");
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    std::fs::write(directory.path().join("p.json"), last["proof"].to_string()).unwrap();
    cairn(&directory).args(["check", "p.json", "--system", "s.rules"]).assert().success();
}

#[test]
fn time_ends_a_search() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = cairn(&directory);
    command.args(["prove", "--method", "random", "--cap", "4000", "--work", "1000000000"]);
    command.args(["--time", "1", "--system"]).arg(shipped("systems/halide.rules"));
    command.args([
        "--start",
        "(<= (+ (max a (min b c)) d) (min (+ a e) (max f b)))",
        "--target",
        "(<= a b)",
    ]);
    let began = std::time::Instant::now();
    let (_, error) = output(command, 3);
    assert!(error.contains("the time is over"), "{error}");
    assert!(began.elapsed().as_secs() < 20);
}

#[test]
fn a_search_that_fails_says_how_far_it_came() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = cairn(&directory);
    command.args(["prove", "--cap", "400", "--work", "3000", "--system"]);
    command.arg(shipped("systems/halide.rules"));
    command.args(["--start", "(+ (+ (+ a 0) (* b 1)) (+ c d))", "--target", "(+ (+ x 0) (+ y z))"]);
    let (_, error) = output(command, 3);
    assert!(error.contains("the smallest term reached from the target: (+ "), "{error}");
    assert!(error.contains("not proved"), "{error}");
}
