//! `cairn inspect` tells what a directory or a file holds that a command has written.

use crate::common::{cairn, model_and_tasks, run, shipped};
use tempfile::TempDir;

/// What is printed as text, and as JSON.
fn inspect(directory: &TempDir, path: &str) -> (String, serde_json::Value) {
    let [text, json] = ["text", "json"].map(|format| {
        let output = cairn(directory).args(["inspect", path, "--format", format]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    });
    (text, serde_json::from_str(&json).unwrap())
}

#[test]
fn rankers() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(shipped("rankers/halide.json"), directory.path().join("r.json")).unwrap();
    let (text, found) = inspect(&directory, "r.json");
    assert!(found["parameters"].as_u64().unwrap() > 1_000, "{text}");
    let origin = found["origin"].as_str().unwrap();
    assert!(origin.starts_with("cairn ") && text.contains(&format!("\n{origin}\n")), "{text}");
    let seen = found["seen_seeds"].as_u64().unwrap();
    assert!(seen > 100 && text.contains("\nseeds that it has seen: "), "{text}");
    let learned = directory.path().join("learned");
    std::fs::create_dir(&learned).unwrap();
    std::fs::copy(directory.path().join("r.json"), learned.join("ranker.json")).unwrap();
    assert_eq!(inspect(&directory, "learned"), (text, found));
    std::fs::write(directory.path().join("x.json"), "{\"format\": 1}").unwrap();
    let explain = "explain --system halide --out p.json --start".split(' ');
    let explained =
        cairn(&directory).args(explain).args(["(+ a b)", "--target", "(+ b a)"]).assert();
    explained.success();
    for (file, message) in [
        ("x.json", "x.json holds no ranker: "),
        ("p.json", "p.json is a proof, which `cairn check` looks at\n"),
    ] {
        let refused = cairn(&directory).args(["inspect", file]).assert().code(2);
        let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(error.starts_with(&format!("error: {message}")), "{error}");
    }
}

#[test]
fn models_tasks_and_results() {
    let directory = tempfile::tempdir().unwrap();
    model_and_tasks(&directory);
    let (text, found) = inspect(&directory, "model");
    assert!(found["parameters"].as_u64().unwrap() > 100_000, "{text}");
    assert!(text.contains("\nthe weights are those after step 20\n"), "{text}");
    assert!(text.contains("\nseeds that it has seen: ") && !text.contains("not known"), "{text}");
    assert!(text.contains("\n[model]\nwidth = 64\n") && text.contains("positions = \"tree\""));
    assert_eq!(found["log"][0]["step"], 20);
    assert!(text.contains("  the best\n"), "{text}");

    let (text, found) = inspect(&directory, "tasks.parquet");
    assert!(text.starts_with("6 tasks from "), "{text}");
    assert!(text.contains("\n6: with a chain of 2 links\n"), "{text}");
    assert_eq!((&found["tasks"], &found["origin"]["link_nodes"]), (&6.into(), &100.into()));
    assert_eq!(found["examples"].as_array().unwrap().len(), 3);

    let methods = "--methods descend,model --work 600 --cap 100";
    let evaluate = "evaluate --system halide --tasks tasks.parquet --model model --out results";
    run(&directory, &format!("{evaluate} {methods}"));
    let (text, found) = inspect(&directory, "results");
    assert!(text.starts_with("6 tasks by 2 methods") && text.contains("\ndescend "), "{text}");
    assert_eq!(
        (&found["methods"][1]["method"], &found["finished"]),
        (&"model".into(), &true.into())
    );
    // As if it had been stopped.
    std::fs::remove_file(directory.path().join("results/results.parquet")).unwrap();
    assert!(inspect(&directory, "results").0.contains("not finished"));

    let drawn = ["inspect", "model", "--plot", "page.html"];
    cairn(&directory).args(drawn).assert().code(2);
    std::fs::write(directory.path().join("x.parquet"), "PAR1").unwrap();
    let refused = cairn(&directory).args(["inspect", "x.parquet"]).assert().code(2);
    let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(error.contains("x.parquet") && error.lines().count() == 1, "{error}");
}
