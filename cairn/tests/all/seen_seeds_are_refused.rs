//! What a model is measured on is new to it: seeds of its training and validation splits are left out
//! of tasks, and refused by an evaluation.

use crate::common::{cairn, shipped};
use std::fs;
use tempfile::TempDir;

/// Runs a command; what it says on the standard error, and whether it succeeded.
fn run(directory: &TempDir, arguments: &str) -> (bool, String) {
    let output = cairn(directory).args(arguments.split_whitespace()).output().unwrap();
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

    // Nor on tasks that it may have seen, unless that is wanted and said.
    let seen = directory.path().join("model/seen_seeds.json");
    let whole = fs::read_to_string(&seen).unwrap();
    let flipped = whole.replace("\"literals\": false", "\"literals\": true");
    assert_ne!(flipped, whole);
    for damaged in ["{\"literals\":false,\"digests\":[]}", "", &flipped] {
        write("model/seen_seeds.json", damaged.to_owned());
        let (good, said) = evaluate("old");
        assert!(!good && said.contains("the model may have seen the tasks"), "{said}");
        assert!(said.contains("seen_seeds.json is not as it was written"), "{said}");
        assert!(!directory.path().join("old").exists());
    }
    fs::remove_file(&seen).unwrap();
    let (good, said) = evaluate("old");
    assert!(!good && said.contains("the model may have seen the tasks"), "{said}");
    let report = |results: &str| {
        assert!(run(&directory, &format!("report {results}")).0);
        fs::read_to_string(directory.path().join(results).join("report.html")).unwrap()
    };
    let doubt = "Which seeds the model was trained on is not known: it may have seen the tasks.";
    let step = "evaluate --system halide --tasks old.parquet --model model --methods model --work 500 \
                --guides 1 --out old --seen-unknown";
    let output = cairn(&directory).args(step.split_whitespace()).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains(doubt));
    assert!(String::from_utf8_lossy(&output.stderr).contains(doubt));
    let page = report("old");
    assert!(page.contains(doubt) && page.contains("--model model --seen-unknown"));
    assert!(!report("new").contains(doubt));
    // What is known is looked at all the same.
    fs::write(&seen, whole).unwrap();
    let (good, said) = run(&directory, step);
    assert!(!good && said.contains("the model has seen the seeds of"), "{said}");
    let (good, said) =
        run(&directory, "tasks --system halide --seeds seen.txt --data data --out none.parquet");
    // Only the test split is left, if anything.
    assert!(
        good || said.contains("in training or validation") || said.contains("no chain"),
        "{said}"
    );
}

/// A ranker that no longer says what it has seen would be measured on what it learned from.
#[test]
fn nor_is_a_ranker_whose_seeds_were_taken_away() {
    let directory = TempDir::new().unwrap();
    let shipped = fs::read_to_string(shipped("rankers/halide.json")).unwrap();
    let (before, after) = shipped.split_once("\"digests\":[").unwrap();
    let (_, after) = after.split_once(']').unwrap();
    let emptied = format!("{before}\"digests\":[]{after}");
    let other = shipped.replace("\"literals\":true", "\"literals\":false");
    let cut = &shipped[..shipped.rfind(',').unwrap()];
    for damaged in [emptied, other, format!("{cut}}}\n")] {
        fs::write(directory.path().join("r.json"), damaged).unwrap();
        fs::write(directory.path().join("t.csv"), "start,target\n(+ a b),(+ b a)\n").unwrap();
        let used = ["--system", "halide", "--ranker", "r.json"];
        let prove = [&["prove", "--start", "(+ a b)", "--target", "(+ b a)"], &used[..]].concat();
        let evaluate = [&["evaluate", "--tasks", "t.csv", "--out", "results"], &used[..]].concat();
        for command in [prove, evaluate, vec!["inspect", "r.json"]] {
            let output = cairn(&directory).args(&command).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{command:?}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let ways = ["is not as it was written", "does not end with its key sha256"];
            assert!(ways.iter().any(|way| said.contains(&format!("r.json {way}"))), "{said}");
        }
    }
}
