//! `saturate --save` and `--load`: two runs are one run, and files that do not fit are refused.

use assert_cmd::Command;
use std::path::Path;

const RULES: &str = "(sort S) (op + (S S) S) (variable S)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)
";

fn saturate(directory: &Path, arguments: &[&str], code: i32) -> String {
    let mut command = Command::cargo_bin("cairn").unwrap();
    command.current_dir(directory).args(["saturate", "--system", "sums.rules"]).args(arguments);
    let output = command.assert().code(code).get_output().clone();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("sums.rules"), RULES).unwrap();
    directory
}

#[test]
fn two_runs_come_to_the_bytes_of_one() {
    let directory = directory();
    let at = directory.path();
    let term = ["--term", "(+ a (+ b (+ c (+ d (+ e f)))))"];
    let run = |arguments: &[&str]| saturate(at, arguments, 0);
    run(&[&term[..], &["--iterations", "4", "--save", "one"]].concat());
    run(&[&term[..], &["--iterations", "2", "--save", "two"]].concat());
    let said = run(&["--load", "two", "--iterations", "2", "--save", "two", "--threads", "2"]);
    let read = |name| std::fs::read(at.join(name)).unwrap();
    assert!(read("one") == read("two"));
    assert!(said.contains("smallest equal term (11 nodes)"), "{said}");
    // A term that is added is looked for, and the first one is still there.
    let said = run(&[
        "--load",
        "two",
        "--term",
        "(+ f (+ e z))",
        "--iterations",
        "1",
        "--goal",
        "(+ f ?)",
    ]);
    assert!(said.contains("smallest satisfying term (11 nodes)"), "{said}");
    // Rules behind the old ones.
    let more = format!("{RULES}(rewrite (+ ?a ?a) ?a :name same)\n");
    std::fs::write(at.join("sums.rules"), &more).unwrap();
    run(&["--load", "two", "--term", "(+ a a)", "--save", "more", "--iterations", "2"]);
    let old = saturate(
        at,
        &["--load", "two", "--term", "(+ a a)", "--goal", "a", "--iterations", "1"],
        3,
    );
    assert!(old.contains("not reached"), "the first term is no a: {old}");
    std::fs::write(at.join("sums.rules"), RULES).unwrap();
    assert!(saturate(at, &["--load", "more"], 2).contains("of the rules of --system"));
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let directory = directory();
    let at = directory.path();
    std::fs::write(at.join("mine"), "my notes").unwrap();
    let term = ["--term", "(+ a b)"];
    let said = saturate(at, &[&term[..], &["--save", "mine"]].concat(), 2);
    assert!(said.contains("mine"), "{said}");
    assert_eq!(std::fs::read_to_string(at.join("mine")).unwrap(), "my notes");
    assert!(saturate(at, &["--load", "mine"], 2).contains("expected an e-graph"));
    assert!(saturate(at, &["--load", "none"], 2).contains("none"));
    saturate(at, &[&term[..], &["--save", "e.graph"]].concat(), 0);
    let mut bytes = std::fs::read(at.join("e.graph")).unwrap();
    bytes[100] ^= 1;
    std::fs::write(at.join("e.graph"), &bytes).unwrap();
    assert!(saturate(at, &["--load", "e.graph"], 2).contains("e.graph: the file was changed"));
    assert!(saturate(at, &["--iterations", "1"], 2).contains("--load"));
}

/// A chain of runs, each of which goes on with the file of the one before and is killed somewhere: the file is always one of
/// those that undisturbed runs write, and the last one comes to the same bytes.
#[cfg(unix)]
#[test]
fn killed_runs_leave_a_whole_file() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    const LAST: usize = 6;
    let directory = directory();
    let at = directory.path();
    let term = ["--term", "(+ a (+ b (+ c (+ d (+ e (+ f (+ g (+ h (+ i j)))))))))"];
    let states: Vec<Vec<u8>> = (1..=LAST)
        .map(|count| {
            let count = count.to_string();
            saturate(
                at,
                &[&term[..], &["--iterations", &count, "--save", "undisturbed"]].concat(),
                0,
            );
            std::fs::read(at.join("undisturbed")).unwrap()
        })
        .collect();
    let (mut done, mut kills, mut delay) = (0, 0u32, 0);
    while done < LAST {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.current_dir(at).args(["saturate", "--system", "sums.rules", "--iterations", "1"]);
        match done {
            0 => command.args(term),
            _ => command.args(["--load", "e.graph"]),
        };
        command.args(["--save", "e.graph"]).stdout(Stdio::null());
        let mut run = command.spawn().unwrap();
        // Later each time, until the run is over before the kill.
        std::thread::sleep(Duration::from_micros(delay));
        delay += 1_997;
        kills += u32::from(run.try_wait().unwrap().is_none());
        run.kill().unwrap();
        run.wait().unwrap();
        let Ok(bytes) = std::fs::read(at.join("e.graph")) else { continue };
        let found = states.iter().position(|state| *state == bytes);
        let found = found.unwrap_or_else(|| panic!("{} bytes of no state", bytes.len())) + 1;
        assert!(found == done || found == done + 1, "{done} iterations, then {found}");
        if found > done {
            (done, delay) = (found, 0);
        }
    }
    assert!(kills > 0, "the machine is too fast for this test");
}

#[test]
fn a_strategy_starts_over_with_one_proof() {
    let directory = directory();
    let at = directory.path();
    let rules = format!(
        "{RULES}(op * (S S) S) (rewrite (+ (* ?a ?b) (+ (* ?a ?c) ?d)) (+ (* ?a (+ ?b ?c)) ?d) :name factor)
        (rewrite (+ (* ?a ?b) (* ?a ?c)) (* ?a (+ ?b ?c)) :name factor-last)
        (strategy small (until-stable (phase :cost size (limit :nodes 40 (until-stable (run))))))"
    );
    std::fs::write(at.join("sums.rules"), rules).unwrap();
    let term = "(+ (* a b) (+ (* a c) (+ (* a d) (+ (* a e) (* a f)))))";
    let goal = ["--term", term, "--goal", "(* a ?)"];
    saturate(at, &[&goal[..], &["--nodes", "40"]].concat(), 3);
    let said = saturate(at, &[&goal[..], &["--strategy", "small"]].concat(), 0);
    assert!(said.contains("smallest satisfying term (11 nodes)"), "{said}");
    let text = "(repeat 9 (phase :cost size (limit :nodes 40 (until-stable (run)))))";
    assert_eq!(
        saturate(at, &[&goal[..], &["--strategy", text]].concat(), 0).lines().last(),
        said.lines().last()
    );
    let wrong = saturate(at, &[&goal[..], &["--strategy", "smal"]].concat(), 2);
    assert!(
        wrong.contains(
            "--strategy 'smal': 1:1: unknown strategy or ruleset 'smal' (did you mean 'small'?)"
        ),
        "{wrong}"
    );
    let command = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("cairn").unwrap();
        command.current_dir(at).args(arguments).args(["--system", "sums.rules"]);
        let output = command.assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    // From both ends: the best terms of the two sides meet.
    let other = "(+ (* a f) (+ (* a c) (+ (* a d) (+ (* a e) (* a b)))))";
    command(&[
        "explain",
        "--start",
        term,
        "--target",
        other,
        "--strategy",
        "(until-stable (phase :cost size (limit :nodes 200 (until-stable (run)))))",
        "--out",
        "proof.json",
    ]);
    command(&["check", "proof.json"]);
    let optimise =
        ["optimise", "--term", term, "--cost", "size", "--out", "proof.json", "--cap", "4000"];
    let found = command(&[&optimise[..], &["--strategy", "small", "--format", "json"]].concat());
    command(&["check", "proof.json"]);
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["ended"], "strategy", "{found}");
    assert_eq!(found["best"].as_array().unwrap().last().unwrap()["size"], 11);
    assert!(found["e_graphs"].as_u64().unwrap() > 2, "{found}");
}
