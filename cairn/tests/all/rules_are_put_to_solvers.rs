//! `cairn system check --smt` with programs that are called like solvers, and what `prove` and `optimise` say of the
//! rules that they used.

use crate::common::{cairn, output};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

const RULES: &str =
    "(sort Int) (op + (Int Int) Int) (op f (Int) Int) (literal i64 Int) (variable Int)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(rewrite (+ ?a 0) ?a :name zero)
(rewrite (f ?a) ?a :name drop)
";

/// A directory with a program called z3, which notes each query and answers so, and the rules.
fn directory(answer: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    solver(directory.path(), answer);
    fs::write(directory.path().join("a.rules"), RULES).unwrap();
    directory
}

fn solver(directory: &Path, answer: &str) {
    let path = directory.join("z3");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo Z3 version 1.2.3 && exit\n\
         echo asked >> '{}/asked'\n{answer}\n",
        directory.display()
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Output, errors and exit code of the check, with no other solver.
fn check(directory: &TempDir, arguments: &str) -> (String, String, i32) {
    let output = cairn(directory)
        .env("PATH", format!("{}:/usr/bin:/bin", directory.path().display()))
        .args(["system", "check", "a.rules", "--smt"])
        .args(if arguments.contains("--query-time") { vec![] } else { vec!["--query-time", "0.2"] })
        .args(["--solver", directory.path().join("z3").to_str().unwrap()])
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// How many queries there were.
fn asked(directory: &TempDir) -> usize {
    fs::read_to_string(directory.path().join("asked")).unwrap_or_default().lines().count()
}

const UNSAT: &str = "cat > /dev/null; echo unsat";

#[test]
fn only_what_changed_is_asked_again() {
    let directory = directory(UNSAT);
    let (out, _, code) = check(&directory, "");
    let proved = "2 rules proved by z3 1.2.3\n2 rules of them on the assumption that terms of sort Int are integers\n";
    let rest = "1 rule not expressible:\n  drop: f is not built in\n";
    assert!(out.contains(&format!("{proved}{rest}")), "{out}");
    assert_eq!((code, asked(&directory)), (0, 2));
    let verdicts = fs::read_to_string(directory.path().join("a.proved.json")).unwrap();
    assert_eq!(verdicts.matches("\"proved\"").count(), 2, "{verdicts}");
    // Comments, names and order are nothing new.
    let renamed = "; nothing new\n(sort Int) (op + (Int Int) Int) (op f (Int) Int) (literal i64 Int) (variable Int)
(rewrite (+ ?x 0) ?x :name nothing)
(rewrite (+ ?x ?y) (+ ?y ?x) :name commute)
";
    fs::write(directory.path().join("a.rules"), renamed).unwrap();
    assert!(check(&directory, "").1.contains("0 rules asked"));
    assert_eq!(asked(&directory), 2);
    let one_more = format!("{renamed}(rewrite (+ 0 ?x) ?x :name other)\n");
    fs::write(directory.path().join("a.rules"), one_more).unwrap();
    let (out, err, _) = check(&directory, "");
    assert!(
        out.contains("3 rules proved by z3 1.2.3\n") && err.contains("1 rule asked"),
        "{out}{err}"
    );
    assert_eq!(asked(&directory), 3);
    check(&directory, "--anew");
    assert_eq!(asked(&directory), 6);
    // Nothing is made of words: the same verdicts have the same bytes.
    let bytes = fs::read(directory.path().join("a.proved.json")).unwrap();
    check(&directory, "--anew --threads 1");
    assert_eq!(fs::read(directory.path().join("a.proved.json")).unwrap(), bytes);
}

#[test]
fn what_is_unknown_has_its_reason_and_is_asked_again_where_another_answers() {
    let directory = directory("exec sleep 30");
    let (out, _, code) = check(&directory, "");
    let silent = "  comm: z3 1.2.3: it gave no answer in its time\n";
    assert!(out.contains("2 rules unknown:\n") && out.contains(silent) && code == 0, "{out}");
    let before = asked(&directory);
    check(&directory, "");
    assert_eq!(asked(&directory), before, "the same solver in the same time");
    solver(directory.path(), UNSAT);
    assert!(check(&directory, "--query-time 3").0.contains("2 rules proved"), "more time");
    solver(directory.path(), "echo nonsense");
    assert!(check(&directory, "--anew").0.contains("z3 1.2.3: it said \"nonsense\""));
    solver(directory.path(), "kill -9 $$");
    assert!(check(&directory, "--anew").0.contains("z3 1.2.3: it gave no answer"));
    // A lie is evaluated, and said.
    solver(directory.path(), "cat >/dev/null; echo sat; echo '((v0 3) (v1 4))'");
    let (out, _, code) = check(&directory, "--anew");
    assert!(out.contains("where Cairn finds no difference") && code == 0, "{out}");
}

#[test]
fn a_refuted_rule_is_an_error_with_its_place_and_assignment() {
    let directory = directory("cat > /dev/null; echo sat; echo '((v0 5) (v1 5))'");
    // False for one number alone, which no evaluation of thousands meets.
    let rules = RULES.to_owned()
        + "(op == (Int Int) Bool) (sort Bool) (literal bool Bool) (op * (Int Int) Int) (op && (Bool Bool) Bool)
(rewrite (&& (== ?a 5) (== ?b 5)) 0 :name rare :when ((const ?a) (const ?b)))\n";
    fs::write(directory.path().join("a.rules"), rules).unwrap();
    let (out, err, code) = check(&directory, "");
    assert!(out.contains("error: rule 'rare' is refuted\n --> a.rules:6:1\n"), "{out}");
    assert!(
        out.contains("= (&& (== ?a 5) (== ?b 5)) is 1, and 0 is 0 where ?a = 5, ?b = 5\n"),
        "{out}"
    );
    assert!(out.contains("= found by z3 1.2.3\n") && code == 2, "{out}{err}");
}

#[test]
fn a_damaged_file_of_verdicts_is_refused_and_stays() {
    let directory = directory(UNSAT);
    check(&directory, "");
    let path = directory.path().join("a.proved.json");
    let damaged = fs::read_to_string(&path).unwrap().replacen("comm", "zero", 1);
    fs::write(&path, &damaged).unwrap();
    let (_, err, code) = check(&directory, "");
    assert!(err.contains("a.proved.json is not as it was written"), "{err}");
    assert!(err.contains("remove it, or ask anew with --anew") && code == 2, "{err}");
    assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    // A proof needs none.
    let prove = |more: &[&str]| {
        let mut command = cairn(&directory);
        command.args(["prove", "--system", "a.rules", "--start", "(+ x (f 0))", "--target", "x"]);
        let output = command.args(more).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(prove(&[]).contains("verdicts are not used: "));
    assert_eq!(check(&directory, "--anew").2, 0);
    let said = prove(&[]);
    assert!(said.contains("of 2 rules used not proved: drop\n"), "{said}");
    assert_eq!(prove(&["--quiet"]), "");
    // Something else is not replaced.
    fs::write(&path, "my notes\n").unwrap();
    let (_, err, code) = check(&directory, "--anew");
    assert!(
        err.contains("a.proved.json exists and is not a file of verdicts") && code == 2,
        "{err}"
    );
}

#[test]
fn without_a_solver_it_is_said_where_to_get_one() {
    let directory = directory(UNSAT);
    let output = cairn(&directory)
        .env("PATH", "/nowhere")
        .args(["system", "check", "a.rules", "--smt"])
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(
        err.contains("no solver was found: expected z3, cvc5 or bitwuzla on the PATH"),
        "{err}"
    );
    assert_eq!(output.status.code(), Some(2));
    let (_, err, code) = check(&directory, "--solver /bin/true");
    assert!(err.contains("--solver /bin/true: expected a program called z3"), "{err}");
    assert_eq!(code, 2);
    fs::write(directory.path().join("z3"), "#!/bin/sh\nexec sleep 60\n").unwrap();
    let (_, err, code) = check(&directory, "");
    assert!(err.contains("z3 --version: it gave no answer in its time"), "{err}");
    assert_eq!(code, 2);
}

#[test]
fn answers_say_whether_the_rules_used_are_proved() {
    let directory = tempfile::tempdir().unwrap();
    let output = cairn(&directory)
        .args(["prove", "--system", "halide", "--start", "(+ (- x y) y)", "--target", "(+ 0 x)"])
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(
        err.contains("used were proved by ") || err.contains("the rule used was proved by "),
        "{err}"
    );
    let output = cairn(&directory)
        .args([
            "optimise",
            "--system",
            "words",
            "--term",
            "(+:32 (^:32 x x) (&:32 y y))",
            "--format",
            "json",
        ])
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(object["rules"]["not_proved"], serde_json::json!([]), "{out}");
    assert!(object["rules"]["proved"].as_u64().unwrap() >= 2, "{out}");
}

const SUMS: &str =
    "(sort Int) (op + (Int Int) Int) (op * (Int Int) Int) (literal i64 Int) (variable Int)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)
";

/// A task that takes both rules, and its evaluation.
fn evaluated(directory: &TempDir, system: &str, out: &str) {
    let tasks = "id,start,target\n0,(+ a (+ b c)),(+ c (+ b a))\n";
    fs::write(directory.path().join("tasks.csv"), tasks).unwrap();
    let words = format!(
        "evaluate --system {system} --tasks tasks.csv --methods all-work --work 500 --cap 100 --out {out} --quiet"
    );
    output(cairn(directory).args(words.split_whitespace()));
    output(cairn(directory).args(["report", out]));
}

#[test]
fn reports_say_which_rules_are_proved() {
    let said = |directory: &TempDir, out: &str| {
        let page = fs::read_to_string(directory.path().join(out).join("report.html")).unwrap();
        let said = page.split("In all proofs together ").nth(1)?;
        Some(said.split('<').next().unwrap().to_owned())
    };
    let directory = directory(UNSAT);
    fs::write(directory.path().join("a.rules"), SUMS).unwrap();
    evaluated(&directory, "a.rules", "unknown");
    assert_eq!(said(&directory, "unknown"), None);
    let (_, err, code) = check(&directory, "");
    assert_eq!(code, 0, "{err}");
    evaluated(&directory, "a.rules", "known");
    let known = said(&directory, "known").unwrap();
    assert!(known.starts_with("all ") && known.contains(" rules used were proved by "), "{known}");
    // Of a shipped system the program knows it.
    evaluated(&directory, "halide", "shipped");
    assert!(said(&directory, "shipped").unwrap().contains("proved by "));
}

#[test]
fn what_the_rules_of_a_proof_say_is_written_for_any_solver() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("own.rules"),
        format!("{SUMS}(op f (Int) Int) (rewrite (f ?a) (+ ?a 1) :name own/f)\n"),
    )
    .unwrap();
    output(cairn(&directory).args([
        "explain",
        "--system",
        "own.rules",
        "--start",
        "(+ (f x) y)",
        "--target",
        "(+ y (+ 1 x))",
        "--out",
        "proof.json",
    ]));
    let words = "check proof.json --system own.rules --queries queries";
    let said = output(cairn(&directory).args(words.split_whitespace()));
    assert!(said.contains("no query for own/f: ") && said.contains("in queries\n"), "{said}");
    let file = directory.path().join("queries/comm.smt2");
    let query = fs::read_to_string(&file).unwrap();
    assert!(query.starts_with("; A query by cairn "), "{query}");
    assert!(query.contains("(check-sat)") && !query.contains("get-value"), "{query}");
    if let Ok(answer) = std::process::Command::new("z3").arg(&file).output() {
        let answer = String::from_utf8(answer.stdout).unwrap();
        assert!(answer.contains("unsat") && !answer.contains("error"), "{answer}");
    }
    // Again over its own files, and never over another's.
    output(cairn(&directory).args(words.split_whitespace()));
    fs::write(&file, "mine").unwrap();
    let refused = cairn(&directory).args(words.split_whitespace()).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

/// Sixteen million assignments a rule: whoever asks for the end does not wait for all rules.
#[test]
fn an_interrupt_ends_what_goes_through_all_assignments() {
    let directory = directory(UNSAT);
    let rule = |k: u32| {
        format!("(rewrite (+ (+ ?a ?b) (+ ?c {k})) (+ ?a (+ ?b (+ ?c {k}))) :name sum-{k})\n")
    };
    let rules: String = (0..40).map(rule).collect();
    let language = "(sort W) (op + (W W) W) (literal (bits 8) W) (variable W)\n";
    fs::write(directory.path().join("many.rules"), format!("{language}{rules}")).unwrap();
    let mut running = std::process::Command::new(env!("CARGO_BIN_EXE_cairn"))
        .current_dir(directory.path())
        .args(["system", "check", "many.rules", "--smt", "--own-width", "--threads", "1"])
        .args(["--solver", "./z3"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // `check` evaluates the rules itself first.
    std::thread::sleep(std::time::Duration::from_secs(5));
    let begin = std::time::Instant::now();
    let pid = running.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    running.wait().unwrap();
    assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
}
