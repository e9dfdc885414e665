//! The same tasks and results whatever the number of threads, and after an interruption.

use crate::common::{cairn, model_and_tasks, run, shipped};
use guided_search::Row;
use std::path::Path;
use support::{read_table, write_table};
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
    let mut rows = read_table::<Row>(&results.join("results.parquet")).unwrap();
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
        let rows = read_table::<Row>(&results.join("results.parquet")).unwrap();
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

/// What decides the results is what the files hold, not where they lie or how their paths are spelled.
#[test]
fn an_evaluation_goes_on_wherever_its_files_are() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let tasks = "id,start,target\nt,(+ a b),(+ b a)\nu,(+ (+ a b) c),(+ c (+ b a))\n";
    std::fs::write(path("tasks.csv"), tasks).unwrap();
    std::fs::create_dir(path("model")).unwrap();
    for (name, shipped) in [("s.rules", "systems/halide.rules"), ("r.json", "rankers/halide.json")]
    {
        std::fs::copy(self::shipped(shipped), path(name)).unwrap();
    }
    let evaluate = |tasks: &str, system: &str, ranker: &str, out: &str, more: &[&str]| {
        let output = cairn(&directory)
            .args([
                "evaluate",
                "--methods",
                "all-work,ranked",
                "--tasks",
                tasks,
                "--system",
                system,
            ])
            .args(["--ranker", ranker, "--out", out])
            .args(more)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let goes_on = |tasks: &str, system: &str, ranker: &str, out: &str| {
        // A row that was not made again still has these seconds.
        let before = read_table::<Row>(&path(out).join("results.parquet")).unwrap();
        std::fs::remove_file(path(out).join("results.parquet")).unwrap();
        let (code, said) = evaluate(tasks, system, ranker, out, &[]);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(read_table::<Row>(&path(out).join("results.parquet")).unwrap(), before);
    };
    assert_eq!(evaluate("tasks.csv", "s.rules", "r.json", "one", &[]).0, Some(0));
    goes_on("./tasks.csv", "halide", "halide", "./one/");
    let absolute = |name: &str| path(name).display().to_string();
    goes_on(&absolute("tasks.csv"), "./s.rules", &absolute("r.json"), &absolute("one"));
    std::fs::create_dir(path("elsewhere")).unwrap();
    for name in ["tasks.csv", "r.json", "one"] {
        std::fs::rename(path(name), path("elsewhere").join(name)).unwrap();
    }
    goes_on("elsewhere/tasks.csv", "halide", "elsewhere/r.json", "elsewhere/one");
    let page = || {
        cairn(&directory).args(["report", "elsewhere/one"]).assert().success();
        std::fs::read_to_string(path("elsewhere/one/report.html")).unwrap()
    };
    assert!(page().contains("--out elsewhere/one"));

    // What the files hold is.
    std::fs::write(path("other.csv"), tasks.replace(",(+ b a)", ",(+ b (+ a 0))")).unwrap();
    let other = evaluate("other.csv", "halide", "halide", "elsewhere/one", &[]);
    assert_eq!(other.0, Some(2));
    let expected = "elsewhere/one already holds results on other tasks (cairn evaluate";
    assert!(other.1.contains(expected), "{}", other.1);
    let tasks = "elsewhere/tasks.csv";
    let (code, said) =
        evaluate(tasks, "halide", "halide", "elsewhere/one", &["--work", "7", "--seed", "2"]);
    assert!(code == Some(2) && said.contains("of other settings"), "{said}");
}

/// A report says of its numbers whether they are as they were written.
#[test]
fn a_report_says_whether_its_numbers_are_sealed() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("tasks.csv"), "start,target\n(+ a b),(+ b a)\n(+ a b),(* a b)\n").unwrap();
    run(
        &directory,
        "evaluate --system halide --tasks tasks.csv --methods all-work --work 900 --out r",
    );
    let report = || cairn(&directory).args(["report", "r"]).output().unwrap();
    let page = || {
        assert!(report().status.success(), "{}", String::from_utf8_lossy(&report().stderr));
        std::fs::read_to_string(path("r/report.html")).unwrap()
    };
    let sealed = "All other numbers are as `cairn evaluate` wrote them";
    let unsealed = "Whether the other numbers are as `cairn evaluate` wrote them can";
    assert!(page().contains(sealed) && !page().contains(unsealed));

    let whole = std::fs::read(path("r/results.parquet")).unwrap();
    let mut rows = read_table::<Row>(&path("r/results.parquet")).unwrap();
    rows[1].work = 1;
    write_table(&path("r/results.parquet"), &rows).unwrap();
    let refused = |expected: &str| {
        let output = report();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(expected), "{said}");
    };
    refused("r/results.parquet is not as it was written: run `cairn evaluate` again");
    run(
        &directory,
        "evaluate --system halide --tasks tasks.csv --methods all-work --work 900 --out r",
    );
    assert!(std::fs::read(path("r/results.parquet")).unwrap() == whole);

    let evaluation = std::fs::read_to_string(path("r/evaluation.json")).unwrap();
    let other = evaluation.replace("\"work\": 900", "\"work\": 90");
    assert_ne!(other, evaluation);
    std::fs::write(path("r/evaluation.json"), other).unwrap();
    refused("r/evaluation.json is not as it was written");
    // As an earlier version wrote it.
    let object = support::unseal_json("", &evaluation).unwrap();
    std::fs::write(path("r/evaluation.json"), object).unwrap();
    assert!(page().contains(unsealed) && !page().contains(sealed));
}
