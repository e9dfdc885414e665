//! Systems whose operators bind variables, from proving to evaluating; what can't be done with them is
//! refused in one message.

use crate::common::refusal::{refused, write};
use crate::common::{cairn, run, shipped};
use tempfile::TempDir;

fn stdout(directory: &TempDir, args: &[&str]) -> String {
    let output = cairn(directory).args(args).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

const COMPOSE: &str = "(let (lam f (lam g (lam x (app f (app g x))))) compose
    (let (lam y (+ y 1)) add1 (app (app compose add1) add1)))";

#[test]
fn terms_that_differ_in_names_are_proved_and_checked_alike() {
    let directory = tempfile::tempdir().unwrap();
    let prove = ["prove", "--system", "lambda", "--start", COMPOSE];
    for name in ["x", "compose", "_unused"] {
        let to = format!("(lam {name} (+ {name} 2))");
        let text = stdout(&directory, &[&prove[..], &["--target", &to]].concat());
        assert!(text.contains("beta at root") && text.contains("(lam x (+ x 2))"), "{text}");
        let json =
            stdout(&directory, &[&prove[..], &["--target", &to, "--format", "json"]].concat());
        write(&directory, "proof.json", &json);
        let accepted = stdout(&directory, &["check", "proof.json", "--system", "lambda"]);
        assert!(accepted.starts_with("accepted: (let (lam x"), "{accepted}");
        // A term with a loose variable in place of another is no result of the substitution.
        write(&directory, "proof.json", &json.replace(r#""leaf":"%0""#, r#""leaf":"%1""#));
        cairn(&directory).args(["check", "proof.json", "--system", "lambda"]).assert().code(2);
    }
    let sketch =
        stdout(&directory, &[&prove[..], &["--target", "(lam x (+ x (or 2 3)))"]].concat());
    assert!(sketch.contains("(lam x (+ x 2))"), "{sketch}");
}

#[test]
fn data_and_tasks_are_made_and_models_are_not() {
    let directory = tempfile::tempdir().unwrap();
    run(&directory, "generate --system lambda --seeds lambda --nodes 200 --out data");
    run(&directory, "verify data");
    run(
        &directory,
        "tasks --system lambda --seeds lambda --link-nodes 200 --links 2 --out t.parquet",
    );
    run(
        &directory,
        "evaluate --system lambda --tasks t.parquet --methods smallest,shared --out results",
    );
    let mut train = cairn(&directory);
    train.args(["train", "--data", "data", "--config", "tiny", "--out", "model", "--quiet"]);
    refused(&directory, train, &["models know no bound variables"]);
    let mut seeds = cairn(&directory);
    seeds.args(["seeds", "--system", "lambda", "--size", "5", "--count", "3"]);
    seeds.args(["--out", "seeds.txt"]);
    refused(&directory, seeds, &["no random seeds", "bind variables"]);
}

#[test]
fn optimise_finds_the_calls_in_loops() {
    let directory = tempfile::tempdir().unwrap();
    for (term, best) in [
        (
            "(build m i (+ (* a (ifold n 0 j (step s (+ s (* (get (get A i) j) (get x j)))))) \
                (* b (get y i))))",
            "best term: (gemv m n a A x b y)",
        ),
        (
            "(build m i (build n j (+ (* b (get (get C i) j)) (* a (ifold k 0 l (step s \
                (+ s (* (get (get A i) l) (get (get B j) l)))))))))",
            "best term: (gemm m n k a A B b C)",
        ),
    ] {
        let args = ["optimise", "--system", "idioms", "--cost", "cost", "--term", term];
        let text = stdout(&directory, &args);
        assert!(text.contains(best), "{text}");
    }
}

#[test]
fn system_check_has_nothing_to_say_of_what_is_shipped() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["lambda", "idioms", "rise"] {
        let path = shipped(&format!("systems/{name}.rules"));
        let text = stdout(&directory, &["system", "check", path.to_str().unwrap()]);
        assert!(text.contains("nothing to report"), "{text}");
    }
}
