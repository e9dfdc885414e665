//! `evaluate --terms`: the same results on two threads and after an interruption, a report with a chart, and refusals.

use crate::common::cairn;
use assert_cmd::assert::Assert;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const RULES: &str = "
    (sort Int) (op + (Int Int) Int) (op * (Int Int) Int) (literal i64 Int) (variable Int)
    (rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm) (rewrite (* ?a ?b) (* ?b ?a) :name mul-comm)
    (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name add-assoc)
    (birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)
    (rewrite (* ?a 1) ?a :name mul-one) (rewrite (+ ?a 0) ?a :name add-zero)";
const TERMS: &str =
    "(+ (* x y) (+ (* x z) 0))\n(* (+ x 0) (+ 0 y))\n(+ (* x y) (+ (* y z) (* 1 (* w y))))\nx\n";
const EVALUATE: &str = "evaluate --system my.rules --terms terms.txt --cost size --cap 200 --work 1000 --quiet \
                        --optimisers simple,mixed";

fn here() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("my.rules"), RULES).unwrap();
    fs::write(directory.path().join("terms.txt"), TERMS).unwrap();
    directory
}

fn run(directory: &TempDir, arguments: &str) -> Assert {
    cairn(directory).args(arguments.split_whitespace()).assert()
}

fn stdout(done: &Assert) -> String {
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

fn stderr(done: &Assert) -> String {
    String::from_utf8(done.get_output().stderr.clone()).unwrap()
}

/// The tables of both optimisers.
fn tables(directory: &Path) -> [Vec<u8>; 2] {
    ["simple", "mixed"]
        .map(|name| fs::read(directory.join(name).join("optimised.parquet")).unwrap())
}

#[test]
fn optimisers_are_compared_term_by_term_and_a_run_goes_on() {
    let directory = here();
    let said = stdout(&run(&directory, &format!("{EVALUATE} --threads 1 --out one")).success());
    assert!(said.contains("size left %") && said.ends_with("results in one\n"), "{said}");
    let path = |name: &str| directory.path().join(name);
    let whole = tables(&path("one"));
    run(&directory, &format!("{EVALUATE} --threads 2 --out two")).success();
    assert!(tables(&path("two")) == whole);
    // As if it had been stopped in the second optimiser.
    for name in ["mixed/rows/1.json", "mixed/rows/2.json", "mixed/optimised.parquet"] {
        fs::remove_file(path("two").join(name)).unwrap();
    }
    run(&directory, &format!("{EVALUATE} --threads 2 --out two")).success();
    assert!(tables(&path("two")) == whole);

    let inspected = stdout(&run(&directory, "inspect two").success());
    assert!(inspected.starts_with("4 terms by 2 optimisers"), "{inspected}");
    assert!(inspected.contains("--optimisers simple,mixed"), "{inspected}");
    // Each is a directory of its own, as `optimise --terms` writes it.
    let inspected = stdout(&run(&directory, "inspect two/mixed").success());
    assert!(inspected.contains("4 terms, 3 of them cheaper"), "{inspected}");
    let json = stdout(&run(&directory, "inspect two --format json").success());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["optimisers"][1]["alone"]["cheaper"], 3);

    run(&directory, "report two").success();
    let page = fs::read_to_string(path("two/report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("o-mixed") && page.contains("ratio"));
    // No number is shown that was changed, and no proof that does not hold.
    let proof = path("two/mixed/proofs/0.json");
    let text = fs::read_to_string(&proof).unwrap();
    fs::write(&proof, fs::read_to_string(path("two/mixed/proofs/1.json")).unwrap()).unwrap();
    let refused = stderr(&run(&directory, "report two").code(2));
    assert!(refused.contains("0.json is not a proof of term 1"), "{refused}");
    fs::write(&proof, text).unwrap();
    fs::copy(path("one/simple/optimised.parquet"), path("two/mixed/optimised.parquet")).unwrap();
    let refused = stderr(&run(&directory, "report two").code(2));
    assert!(refused.contains("optimised.parquet is not as it was written"), "{refused}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let directory = here();
    let refused = |arguments: &str| {
        let done = run(&directory, arguments).code(2);
        assert!(!directory.path().join("out").exists());
        stderr(&done)
    };
    let common = "evaluate --system my.rules --terms terms.txt --cost size --out out --quiet";
    let unranked = refused(&format!("{common} --optimisers ranked --no-ranker"));
    assert!(unranked.contains("'ranked' needs a ranker: leave out --no-ranker"), "{unranked}");
    assert!(refused(&format!("{common} --optimisers mixed,mixed")).contains("is given twice"));
    assert!(refused(&format!("{common} --optimisers fast")).contains("found 'fast'"));
    assert!(refused(&format!("{common} --methods deep")).contains("cannot be used with"));
    assert!(refused("evaluate --system my.rules --out out").contains("--tasks"));
    assert!(refused(&format!("{common} --work 0")).contains("--work: expected at least 1 e-node"));
}

#[test]
fn a_ranker_is_not_compared_on_terms_that_it_has_seen() {
    let directory = here();
    // Each of another shape: a chain of sums, and another one of products.
    let chain =
        |op: &str, n: usize| (0..n).fold("x".to_owned(), |term, _| format!("({op} {term} y)"));
    let seed = |i: usize| format!("(+ (+ {} 0) (* {} 1))\n", chain("+", i / 4), chain("*", i % 4));
    let seeds: String = (0..12).map(seed).collect();
    fs::write(directory.path().join("seeds.txt"), seeds).unwrap();
    let learn = "learn --system my.rules --seeds seeds.txt --cost size --cap 200 --work 400 --rounds 1 \
                 --epochs 1 --out learned --quiet";
    run(&directory, learn).success();
    let evaluate = |terms: &str, out: &str| {
        run(
            &directory,
            &format!(
                "evaluate --system my.rules --terms {terms} --cost size --cap 200 --work 400 --ranker learned \
                 --optimisers mixed,ranked --out {out} --quiet"
            ),
        )
    };
    let refused = stderr(&evaluate("seeds.txt", "out").code(2));
    assert!(refused.contains("the ranker has seen 12 of 12 terms"), "{refused}");
    assert!(!directory.path().join("out").exists());
    let said = stdout(&evaluate("terms.txt", "new").success());
    assert!(said.lines().any(|line| line.starts_with("ranked")), "{said}");
}
