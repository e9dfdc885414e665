//! What a model is measured on is new to it: seeds of its training and validation splits are left out
//! of tasks, and refused by an evaluation.

use crate::common::{cairn, shipped};
use std::fs;
use tempfile::TempDir;

/// Runs a command; what it says on the standard error, and whether it succeeded.
fn run(directory: &TempDir, arguments: &str) -> (bool, String) {
    let output = cairn(directory).args(arguments.split(' ')).arg("--quiet").output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_model_is_not_measured_on_seeds_that_it_has_seen() {
    let directory = TempDir::new().unwrap();
    let seeds = fs::read_to_string(shipped("seeds/halide.txt")).unwrap();
    let lines: Vec<&str> = seeds.lines().filter(|line| line.starts_with('(')).collect();
    let write = |name: &str, text: String| fs::write(directory.path().join(name), text).unwrap();
    write("seen.txt", lines[..12].join("\n"));
    // The last of them is new.
    write("all.txt", lines[..40].join("\n"));
    let preset = fs::read_to_string(shipped("model/tiny.toml")).unwrap();
    write("tiny.toml", preset);
    let steps = [
        "generate --system halide --seeds seen.txt --nodes 1000 --out data",
        "train --data data --config tiny.toml --steps 1 --out model",
        "tasks --system halide --seeds seen.txt --links 2 --link-nodes 100 --count 3 --out old.parquet",
        "tasks --system halide --seeds all.txt --data data --links 2 --link-nodes 100 --count 3 \
         --out new.parquet",
    ];
    for step in steps {
        let (good, said) = run(&directory, step);
        assert!(good, "{step}: {said}");
    }
    let evaluate = |tasks: &str| {
        let step = format!(
            "evaluate --system halide --tasks {tasks}.parquet --model model --methods model --work 500 \
             --guides 1 --out {tasks}"
        );
        run(&directory, &step)
    };
    let (good, said) = evaluate("old");
    assert!(!good && said.contains("the model has seen the seeds of"), "{said}");
    assert!(!directory.path().join("old").exists());
    let (good, said) = evaluate("new");
    assert!(good, "{said}");

    fs::remove_file(directory.path().join("model/seen_seeds.json")).unwrap();
    let (good, said) = evaluate("old");
    assert!(good, "{said}");
    let (good, said) =
        run(&directory, "tasks --system halide --seeds seen.txt --data data --out none.parquet");
    // Only the test split is left, if anything.
    assert!(
        good || said.contains("in training or validation") || said.contains("no chain"),
        "{said}"
    );
}
