//! `cairn optimise` end to end: costs of the rules file, goals, stages, one proof that `check` accepts.

use crate::common::refusal::refused;
use crate::common::{cairn, shipped};
use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

fn directory(rules: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("s.rules"), rules).unwrap();
    directory
}

/// The JSON of a successful run, whose proof `check` has accepted.
fn optimised(directory: &TempDir, system: &Path, args: &[&str]) -> Value {
    let mut command = cairn(directory);
    command.args(["optimise", "--format", "json", "--out", "proof.json", "--system"]).arg(system);
    let output = command.args(args).assert().success().get_output().stdout.clone();
    let found: Value = serde_json::from_slice(&output).unwrap();
    let best = found["best"].as_array().unwrap().last().unwrap();
    let mut check = cairn(directory);
    check.args(["check", "proof.json", "--system"]).arg(system);
    let (code, out, _) = run(check);
    assert_eq!(code, 0);
    let end = format!("= {} (", best["term"].as_str().unwrap());
    assert!(out.contains(&end), "{out}");
    found
}

/// The exit code, the standard output and the standard error.
fn run(mut command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn best(found: &Value) -> &Value {
    found["best"].as_array().unwrap().last().unwrap()
}

/// Matrices; number `i` is `dims[i]` by `dims[i + 1]`.
fn matrices(names: &[String], dims: &[u64]) -> Vec<String> {
    let matrix = |(i, name)| format!("(matrix {} {} {name})", dims[i], dims[i + 1]);
    names.iter().enumerate().map(matrix).collect()
}

/// What the best order costs, by dynamic programming.
fn least_flops(dims: &[u64]) -> u64 {
    let n = dims.len() - 1;
    let mut least = vec![vec![0u64; n]; n];
    for length in 1..n {
        for i in 0..n - length {
            let j = i + length;
            let split =
                |k: usize| least[i][k] + least[k + 1][j] + 2 * dims[i] * dims[k + 1] * dims[j + 1];
            least[i][j] = (i..j).map(split).min().unwrap();
        }
    }
    least[0][n - 1]
}

#[test]
fn a_chain_of_matrices_costs_what_dynamic_programming_says() {
    let directory = directory("");
    for n in [2, 7, 20, 40, 80] {
        let dims: Vec<u64> = (0..=n).map(|i| 1 + (i * i * 37 + 11) % 50).collect();
        let names: Vec<String> = (0..n).map(|i| format!("A{i}")).collect();
        let all = matrices(&names, &dims);
        let product = |product, next| format!("(* {product} {next})");
        let term = all.into_iter().reduce(product).unwrap();
        let args = ["--term", &term, "--cost", "flops"];
        let found = optimised(&directory, &shipped("systems/tensor.rules"), &args);
        assert_eq!(best(&found)["cost"]["flops"], least_flops(&dims), "{n} matrices");
        // Small turns lead to the best order before everything is derived.
        assert!(n < 20 || found["best"].as_array().unwrap().len() > 2, "{found}");
    }
}

#[test]
fn a_chain_that_ends_in_a_column_is_multiplied_from_the_right() {
    let directory = directory("");
    let dims = [200, 100, 200, 100, 200, 100, 1];
    let names = ["A0", "A1", "A2", "A1", "A2", "A3"].map(str::to_owned);
    let all = matrices(&names, &dims);
    let term = all.iter().cloned().reduce(|product, next| format!("(* {product} {next})")).unwrap();
    let args = ["--term", &term, "--cost", "flops"];
    let found = optimised(&directory, &shipped("systems/tensor.rules"), &args);
    let right = all.into_iter().rev().reduce(|product, next| format!("(* {next} {product})"));
    assert_eq!(best(&found)["term"], right.unwrap());
    assert_eq!(found["ended"], "saturated");
}

#[test]
fn two_products_become_one_where_shapes_make_that_cheaper() {
    let directory = directory("");
    let optimise = |m: u64, k: u64| {
        let product = |i| format!("(* (matrix {m} {k} x{i}) (matrix {k} {m} w{i}))");
        let term = format!("(+ {} {})", product(1), product(2));
        let args = ["--term", &term, "--cost", "flops"];
        let found = optimised(&directory, &shipped("systems/tensor.rules"), &args);
        let best = best(&found);
        (best["cost"]["flops"].as_u64().unwrap(), best["term"].as_str().unwrap().to_owned())
    };
    // Both do 4m²k of multiplication; two products add m² numbers, one copies 4mk.
    let (cost, term) = optimise(512, 64);
    assert_eq!(cost, 4 * 512 * 512 * 64 + 4 * 512 * 64);
    assert!(term.starts_with("(* (hstack (matrix 512 64 x"), "{term}");
    let (cost, term) = optimise(64, 512);
    assert_eq!(cost, 4 * 64 * 64 * 512 + 64 * 64);
    assert!(!term.contains("stack"), "{term}");
}

#[test]
fn three_dimensions_are_tiled_in_two_stages_within_a_gibibyte() {
    let directory = directory("");
    let goal = "(contains (m n1 (m n2 (m n3 (m 32 (m 32 (m 32 f)))))))";
    let strategy =
        "(phase :goal (contains (m n1 (m 32 (m n2 (m 32 (m n3 (m 32 f))))))) (until-stable (run)))
                    (until-stable (run))";
    let term = "(m (* n1 32) (m (* n2 32) (m (* n3 32) f)))";
    let args = ["--term", term, "--strategy", strategy, "--goal", goal, "--cap", "1GiB"];
    let args = [&args[..], &["--work", "100000000", "--cost", "size"]].concat();
    let found = optimised(&directory, &shipped("systems/tiling.rules"), &args);
    assert_eq!(found["ended"], "reached");
    let tiled = best(&found)["term"].as_str().unwrap();
    assert!(tiled.contains("(m n1 (m n2 (m n3 (m 32 (m 32 (m 32 f))))))"), "{tiled}");
    let bytes = found["peak_bytes"].as_u64().unwrap();
    assert!(bytes < 1 << 30, "{bytes} bytes");
    // One search, in which every rule runs all the time, comes nowhere with more.
    let mut one = cairn(&directory);
    one.args(["optimise", "--system", "tiling", "--term", term, "--scheduler", "simple"]);
    one.args(["--cap", "1000000", "--work", "1500000"]);
    one.args(["--goal", goal]);
    let (code, _, error) = run(one);
    assert!(code == 3 && error.contains("not proved: the goal was not reached"), "{error}");
}

#[test]
fn phases_have_rulesets_limits_and_costs_of_their_own() {
    let directory = directory(
        "(sort I) (variable I) (op + (I I) I) (op f (I) I :cost 5) (op g (I) I)
        (ruleset swap) (ruleset unfold) (ruleset never)
        (rewrite (+ ?a ?b) (+ ?b ?a) :name swap :ruleset swap)
        (rewrite (f ?a) (g (g ?a)) :name unfold :ruleset unfold)
        (rewrite (g ?a) ?a :name wrong :ruleset never)",
    );
    let args = ["--term", "(+ a (f b))", "--strategy"];
    let strategy = "(phase :goal (+ ? a) :cost size (until-stable swap))
        (limit :iterations 5 (until-stable unfold swap))";
    let found = optimised(&directory, Path::new("s.rules"), &[&args[..], &[strategy]].concat());
    let terms: Vec<_> =
        found["best"].as_array().unwrap().iter().map(|b| b["term"].as_str().unwrap()).collect();
    // What the first phase ends with costs no less, and is gone through all the same.
    assert_eq!(terms[0], "(+ a (f b))");
    assert!(terms[1] == "(+ (g (g b)) a)" || terms[1] == "(+ a (g (g b)))", "{terms:?}");
    assert_eq!((terms.len(), &found["e_graphs"]), (2, &2.into()));
    // By size the f stays.
    let size = [&args[..], &["(until-stable unfold)", "--cost", "size"]].concat();
    let found = optimised(&directory, Path::new("s.rules"), &size);
    assert_eq!(
        (&best(&found)["term"], &best(&found)["cost"]["size"]),
        (&"(+ a (f b))".into(), &4.into())
    );
    let mut command = cairn(&directory);
    command.args(["optimise", "--system", "s.rules"]).args(args);
    command.args(["(phase :goal (+ ? (g ?)) (until-stable swap))", "--out", "none.json"]);
    let (code, _, error) = run(command);
    assert!(
        code == 3 && error.contains("a phase of the strategy did not come to its goal"),
        "{error}"
    );
    assert!(!directory.path().join("none.json").exists());
}

#[test]
fn equal_parts_count_once_on_request() {
    let directory = directory(
        "(sort S) (op p (S S) S) (op l (S) S) (op r (S) S)
        (op big () S :cost 10) (op x () S :cost 7) (op y () S :cost 7)
        (rewrite x (l big))
        (rewrite y (r big))",
    );
    let (rules, term) = (Path::new("s.rules"), ["--term", "(p x y)"]);
    let tree = optimised(&directory, rules, &term);
    assert_eq!(best(&tree)["term"], "(p x y)");
    let dag = optimised(&directory, rules, &[&term[..], &["--shared"]].concat());
    assert_eq!(
        (&best(&dag)["term"], &best(&dag)["cost"]["cost"]),
        (&"(p (l big) (r big))".into(), &13.into())
    );
    assert_eq!((&tree["ended"], &dag["ended"]), (&"saturated".into(), &"saturated".into()));
    let proved =
        optimised(&directory, rules, &[&term[..], &["--shared", "--exact-time", "60"]].concat());
    assert_eq!((&proved["best"], &proved["ended"]), (&dag["best"], &"proved".into()));
}

#[test]
fn what_is_found_gets_better_and_the_work_is_kept() {
    let directory = directory("");
    let halide = shipped("systems/halide.rules");
    let term = "(<= (+ (* 2 x) (* 2 y)) (+ (* 2 z) (* 4 w)))";
    let args = ["--term", term, "--cap", "4000", "--work", "60000", "--seed", "3"];
    let found = optimised(&directory, &halide, &args);
    let costs: Vec<u64> = found["best"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["cost"]["cost"].as_u64().unwrap())
        .collect();
    assert!(costs.len() > 1 && costs.is_sorted_by(|a, b| a > b), "{costs:?}");
    assert_eq!(found["best"][0]["term"], term);
    assert!(found["work"].as_u64().unwrap() < 62_000, "{}", found["work"]);
    // The number of threads does not show.
    let one = optimised(&directory, &halide, &[&args[..], &["--threads", "1"]].concat());
    assert_eq!(one, found);
}

#[test]
fn an_answer_ends_the_search_and_the_output_says_why() {
    let directory = directory("");
    let ended = |args: &[&str]| {
        let mut command = cairn(&directory);
        command.args(["optimise", "--system", "mba", "--scheduler", "mixed", "--cap", "2000"]);
        let (code, out, err) = run({
            command.args(args);
            command
        });
        assert_eq!(code, 0, "{err}");
        out.lines().find_map(|line| line.strip_prefix("ended: ")).unwrap().to_owned()
    };
    let sum = ended(&["--c", "(x ^ y) + 2*(x & y)"]);
    assert!(sum.starts_with("no smaller term has the same values ("), "{sum}");
    assert!(sum.contains(" classes of smaller terms looked through); "), "{sum}");
    // Two of its literals are not bound to be the right ones, so that no smaller term can be ruled out.
    let open = ["--c", "(x & 77) * 5 + (y ^ (3 * x))", "--work", "60000"];
    let patient = ended(&[&open[..], &["--patience", "1"]].concat());
    assert!(patient.starts_with("no better term came in "), "{patient}");
    assert!(patient.contains(" more work (see --patience); "), "{patient}");
    let off = ended(&[&open[..], &["--patience", "off"]].concat());
    assert!(off.starts_with("the work is spent; "), "{off}");
    let mut wrong = cairn(&directory);
    wrong.args(["optimise", "--system", "mba", "--c", "x", "--patience", "0"]);
    let (code, _, err) = run(wrong);
    assert_eq!(code, 2);
    assert!(err.contains("expected a whole number from 1 to 4294967295, or off"), "{err}");
}

/// Once a constant that was folded in the middle of a batch of matches gave the proof forest a cycle: finding these proofs
/// filled the memory.
#[test]
fn expressions_that_fold_on_the_way_are_answered() {
    for (system, args, term) in [
        ("words", ["--c", "(a & ~b) | (b & ~a)"], "(^:32 a b)"),
        ("words", ["--term", "(^:32 (~:32 (&:32 0 1)) x)"], "(~:32 x)"),
        ("mba", ["--c", "~0xffffffffffffffff"], "0"),
        ("mba", ["--c", "-1*(a & (-1*a))"], "(| (neg a) a)"),
        ("mba", ["--term", "(^ x x)"], "0"),
        ("mba", ["--term", "(~ 2)"], "18446744073709551613"),
    ] {
        // With all of the work, as then, and with patience.
        for patience in [&["--patience", "off", "--work", "100000"][..], &[]] {
            let directory = tempfile::tempdir().unwrap();
            let args = [&args, patience].concat();
            let path = shipped(&format!("systems/{system}.rules"));
            let found = optimised(&directory, &path, &args);
            let size = |text: &str| text.split_whitespace().count();
            let best = best(&found)["term"].as_str().unwrap();
            assert_eq!(size(best), size(term), "{best}, expected {term}");
        }
    }
}

#[test]
fn the_table_shows_cost_against_work_and_the_proof() {
    let directory = directory("");
    let mut command = cairn(&directory);
    command.args(["optimise", "--system", "math", "--term", "(+ (* a b) (+ (* a c) 0))"]);
    command.args(["--cost", "depth,size", "--picture", "cost.svg"]);
    let (code, out, _) = run(command);
    assert_eq!(code, 0);
    for part in [
        "work  e-graphs      size  cost\n",
        " 0         0         9  depth 4, size 9\n",
        "  depth 3, size 5\nended: ",
        "\nbest term: (* a (+ ",
        "=> ",
    ] {
        assert!(out.contains(part), "{out}");
    }
    let svg = std::fs::read_to_string(directory.path().join("cost.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains(">depth</text>"), "{svg}");
}

#[test]
fn prove_goes_to_any_term_of_a_shape() {
    let directory = directory("");
    let prove = |to: &str, more: &[&str]| {
        let mut command = cairn(&directory);
        command.args(["prove", "--system", "tiling", "--start", "(m (* n1 32) f)", "--target", to]);
        command.args(["--out", "proof.json", "--cap", "500", "--work", "4000"]).args(more);
        run(command)
    };
    let (code, out, _) = prove("(contains (m n1 (m 32 ?)))", &[]);
    assert_eq!(code, 0);
    assert!(out.contains("(o j (o (m n1 (m 32 f)) (s 32)))"), "{out}");
    let mut check = cairn(&directory);
    check.args(["check", "proof.json", "--system", "tiling"]);
    assert_eq!(run(check).0, 0);
    let (code, _, error) = prove("(contains (m 7 ?))", &[]);
    assert!(code == 3 && error.contains("no term of this shape was found ("), "{error}");
    let (code, _, error) = prove("(contains (map 7 ?))", &[]);
    assert!(code == 2 && error.contains("1:12: unknown operator 'map'"), "{error}");
    let (code, _, error) = prove("(contains (m n1 ?))", &["--method", "descend"]);
    assert!(code == 2 && error.contains("--method: guides lie between two terms"), "{error}");
    let (code, _, error) = prove("(contains (m n1 ?))", &["--model", "nowhere"]);
    assert!(code == 2 && error.contains("leave --model out, or give a term"), "{error}");
    // A start that has the shape needs no steps.
    let (code, out, _) = prove("(m ? f)", &[]);
    assert!(code == 0 && out.contains("0 steps"), "{out}");
}

#[test]
fn mistakes_are_one_message() {
    let directory = directory("(sort S) (op a () S) (op b () S) (ruleset r) (rewrite a b)\n");
    let refused = |args: &[&str], message: &str| {
        let mut command = cairn(&directory);
        command.args(["optimise", "--system", "s.rules", "--out", "out.json"]).args(args);
        refused(&directory, command, &[message]);
    };
    refused(&["--term", "(a b)"], "--term '(a b)': 1:1: operator 'a' takes 0 arguments, found 1");
    refused(
        &["--term", "a", "--cost", "flops"],
        "--cost 'flops': unknown cost 'flops': expected one of size, depth, cost",
    );
    refused(&["--term", "a", "--cost", "deptn"], "unknown cost 'deptn' (did you mean 'depth'?)");
    refused(&["--term", "a", "--picture", "s.rules"], "s.rules");
    refused(&["--term", "a", "--goal", "(or)"], "--goal '(or)': 1:1: expected (or sketch …)");
    refused(&["--term", "a", "--shared", "--cost", "depth"], "depth is no cost where equal parts");
    let strategy = |text, message| refused(&["--term", "a", "--strategy", text], message);
    strategy("t", "--strategy 't': 1:1: unknown strategy or ruleset 't'");
    strategy("(phase r) (phase :goal (c) r)", "1:25: unknown operator 'c'");
    strategy("(phase :cost flops r)", "1:14: unknown cost 'flops'");
    strategy("", "1:1: expected (run)");
}

#[test]
fn an_unsound_rule_is_told() {
    let directory = directory(
        "(sort S) (literal i64 S) (op f (S) S)\n(rewrite (f ?a) 1)\n(rewrite (f ?a) 2)\n",
    );
    let mut command = cairn(&directory);
    command.args(["optimise", "--system", "s.rules", "--term", "(f 5)"]);
    let (code, _, error) = run(command);
    assert!(code == 2 && error.contains("two different literals became equal"), "{error}");
}

#[test]
fn it_is_said_where_rules_that_go_one_way_may_hide_what_costs_less() {
    let ways = |rule: &str| {
        let rules = format!(
            "(sort S) (variable S) (op f (S) S) (op g (S) S :cost 9) (op h (S) S :cost 5)
             (rewrite (f ?a) (g ?a) :name down) {rule}"
        );
        let directory = directory(&rules);
        let mut command = cairn(&directory);
        command.args(["optimise", "--system", "s.rules", "--term", "(g x)"]);
        let optimised = run(command);
        assert_eq!(optimised.0, 0, "{}", optimised.2);
        let mut command = cairn(&directory);
        command.args(["saturate", "--system", "s.rules", "--term", "(g x)"]);
        (optimised.1, run(command).1)
    };
    // (g x) equals (f x) = (h x), which costs less, but no rule leads there.
    let (optimised, saturated) = ways("(rewrite (f ?a) (h ?a) :name other)");
    let said = "ended: the rules derive nothing else from the start; 2 of 2 rules go one way only, so a \
                term that equals it may cost less, and not be derived; ";
    assert!(optimised.contains(said), "{optimised}");
    let said = "; 2 of 2 rules go one way only, so not all that equals a term need be there\n";
    assert!(saturated.contains(said), "{saturated}");
    let (optimised, saturated) = ways("(rewrite (g ?a) (f ?a) :name up)");
    assert!(
        optimised.contains(
            "ended: the rules derive nothing else from the start; all of them go both ways, so no term that they \
             make equal costs less; "
        ),
        "{optimised}"
    );
    assert!(!saturated.contains("one way"), "{saturated}");
}

#[test]
fn a_cost_that_is_not_known_is_named() {
    let directory = directory("");
    let mut command = cairn(&directory);
    command.args(["optimise", "--system", "tensor", "--cost", "flops"]);
    command.args(["--term", "(+ (matrix 2 3 A) (* (matrix 2 4 B) C))"]);
    let (code, _, error) = run(command);
    assert_eq!(code, 3, "{error}");
    let expected = "no term with a known cost was found: that of '(* (matrix 2 4 B) C)' is \
                    computed from literals or facts of its arguments, which it lacks";
    assert!(error.contains(expected), "{error}");
}
