//! The same tasks and results whatever the number of threads, and after an interruption.

use crate::common::{cairn, model_and_tasks, run, shipped};
use guided_search::{Row, read_results};
use std::path::Path;
use tempfile::TempDir;

fn tasks_and_rows(directory: &TempDir, threads: &str, name: &str) -> Vec<Row> {
    let tasks = format!("{name}.parquet");
    cairn(directory)
        .args(["tasks", "--links", "3", "--link-nodes", "100", "--count", "4", "--quiet"])
        .args(["--threads", threads, "--out", &tasks, "--seeds"])
        .arg(shipped("seeds/halide.txt"))
        .arg("--system")
        .arg(shipped("systems/halide.rules"))
        .assert()
        .success();
    evaluate(directory, threads, name);
    without_times(&directory.path().join(name))
}

fn evaluate(directory: &TempDir, threads: &str, name: &str) {
    cairn(directory)
        .args(["evaluate", "--tasks", &format!("{name}.parquet"), "--out", name, "--quiet"])
        .args(["--methods", "cap,all-work,random,descend,oracle", "--threads", threads])
        .arg("--system")
        .arg(shipped("systems/halide.rules"))
        .assert()
        .success();
}

fn without_times(results: &Path) -> Vec<Row> {
    let mut rows = read_results(&results.join("results.parquet")).unwrap();
    for row in &mut rows {
        row.seconds = 0.0;
        row.model_seconds = 0.0;
    }
    rows
}

#[test]
fn with_one_thread_and_with_two_and_after_an_interruption() {
    let directory = tempfile::tempdir().unwrap();
    let one = tasks_and_rows(&directory, "1", "one");
    let two = tasks_and_rows(&directory, "2", "two");
    assert_eq!(one.len(), 4 * 5);
    assert_eq!(one, two);
    let read = |name: &str| std::fs::read(directory.path().join(name)).unwrap();
    assert_eq!(read("one.parquet"), read("two.parquet"));
    for row in one.iter().filter(|row| row.solved) {
        let proof = |name: &str| read(&format!("{name}/{}", row.proof_file));
        assert_eq!(proof("one"), proof("two"));
    }
    // As if it had been stopped before the second task was finished.
    let two = directory.path().join("two");
    std::fs::remove_file(two.join("results.parquet")).unwrap();
    std::fs::remove_file(two.join(format!("rows/{}.json", one[5].task))).unwrap();
    evaluate(&directory, "2", "two");
    assert_eq!(without_times(&two), one);

    cairn(&directory).args(["report", "two"]).assert().success();
    let page = std::fs::read_to_string(two.join("report.html")).unwrap();
    assert!(page.contains("<svg class=\"chart\"") && page.contains("class=\"waypoint\""));
    assert!(!page.contains("http"), "the page must need no network");
}

#[test]
fn threads_that_share_a_model_give_the_rows_of_one() {
    let directory = tempfile::tempdir().unwrap();
    model_and_tasks(&directory);
    let evaluate = |threads: u32| -> Vec<Row> {
        run(
            &directory,
            &format!(
                "evaluate --system halide --tasks tasks.parquet --model model --threads {threads} --work 600 \
             --cap 100 --methods model --out results-{threads}"
            ),
        );
        let results = directory.path().join(format!("results-{threads}"));
        let rows = read_results(&results.join("results.parquet")).unwrap();
        assert!(rows.iter().any(|row| row.model_seconds > 0.0));
        // What others asked for meanwhile, or waiting for it, is not the model's time.
        assert!(rows.iter().all(|row| row.model_seconds <= row.seconds));
        without_times(&results)
    };
    let one = evaluate(1);
    assert_eq!(one.len(), 6);
    assert!(one.iter().any(|row| row.requests > 1));
    assert_eq!(evaluate(4), one);
}
