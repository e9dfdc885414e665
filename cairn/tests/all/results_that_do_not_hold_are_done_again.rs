//! What `cairn evaluate` finds in the directory of a stopped run is checked before it is used, and
//! `cairn report` shows no proof that was not.

use crate::common::cairn;
use crate::common::refusal::{directory, evaluate, names, refused, write};
use guided_search::Row;
use std::fs;
use std::path::PathBuf;
use support::{read_sealed, write_sealed};
use support::{read_table, write_table};
use tempfile::TempDir;

struct Results {
    directory: TempDir,
    rows: Vec<Row>,
}

impl Results {
    fn new() -> Results {
        let directory = directory();
        write(
            &directory,
            "tasks.csv",
            "id,start,target\nt,(+ a b),(+ b a)\nu,(+ (+ a b) c),(+ c (+ b a))\nv,(+ a b),(+ c d)\n",
        );
        evaluate(&directory, "tasks.csv").assert().success();
        let mut results = Results { directory, rows: Vec::new() };
        results.rows = results.read();
        assert!(results.rows[0].solved && !results.rows.last().unwrap().solved);
        results
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("results").join(name)
    }

    fn read(&self) -> Vec<Row> {
        let mut rows = read_table::<Row>(&self.path("results.parquet")).unwrap();
        rows.iter_mut().for_each(|row| (row.seconds, row.model_seconds) = (0.0, 0.0));
        rows
    }

    /// Goes on, and expects the results that there were. Whether the task `t` was done again, which
    /// is said.
    fn again(&self) -> bool {
        let output = evaluate(&self.directory, "tasks.csv").assert().success();
        let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert_eq!(self.read(), self.rows);
        said.contains("rows/t.json is not used")
    }

    fn report_is_refused(&self, parts: &[&str]) {
        let mut report = cairn(&self.directory);
        report.args(["report", "results"]);
        refused(&self.directory, report, parts);
        assert!(!self.path("report.html").exists());
    }
}

#[test]
fn by_the_rows_and_by_the_proofs() {
    let results = Results::new();
    assert!(!results.again());
    let file = results.path("rows/t.json");
    let whole = read_sealed(&file, "rows").unwrap();
    let other = read_sealed(&results.path("rows/u.json"), "rows").unwrap();
    for changed in [
        "[]".to_owned(),
        "{".to_owned(),
        other,
        whole.replacen("\"solved\":true", "\"solved\":false", 1),
        whole.replacen("\"proof_steps\":", "\"proof_steps\":1", 1),
        whole.replacen("proofs/t--", "proofs/u--", 1),
        whole.replacen("proofs/t--", "../results/proofs/t--", 1),
    ] {
        assert_ne!(changed, whole);
        write_sealed(&file, &changed).unwrap();
        assert!(results.again(), "{changed}");
    }
    // What nothing but the seal tells.
    let sealed = fs::read_to_string(&file).unwrap();
    for name in ["work", "e_graphs", "requests", "seconds"] {
        let name = format!("\"{name}\":");
        let changed = sealed.replacen(&name, &format!("{name}1"), 1);
        assert_ne!(changed, sealed);
        fs::write(&file, &changed).unwrap();
        assert!(results.again(), "{changed}");
    }
    // A proof that is not there, that proves something else, or that proves nothing.
    let row = &results.rows[0];
    let proof = results.path(&row.proof_file);
    let whole = fs::read(&proof).unwrap();
    let other = results.rows.iter().find(|r| r.task == "u" && r.solved).unwrap();
    let other = fs::read(results.path(&other.proof_file)).unwrap();
    fs::remove_file(&proof).unwrap();
    assert!(results.again());
    for wrong in [&other[..], b"{}"] {
        fs::write(&proof, wrong).unwrap();
        assert!(results.again());
        assert_eq!(fs::read(&proof).unwrap(), whole);
    }
    assert!(!results.again());
}

#[test]
fn a_report_shows_only_what_the_checker_accepts() {
    let results = Results::new();
    let proof = results.path(&results.rows[0].proof_file);
    let whole = fs::read(&proof).unwrap();
    fs::remove_file(&proof).unwrap();
    results.report_is_refused(&["task t", "cannot read"]);
    let other = results.rows.iter().find(|r| r.task == "u" && r.solved).unwrap();
    fs::copy(results.path(&other.proof_file), &proof).unwrap();
    results.report_is_refused(&["is not a proof of task t"]);
    fs::write(&proof, &whole).unwrap();
    let table = fs::read(results.path("results.parquet")).unwrap();
    for name in ["/dev/zero", "../s.rules", "proofs", ""] {
        let mut rows = results.rows.clone();
        rows[0].proof_file = name.to_owned();
        write_table(&results.path("results.parquet"), &rows).unwrap();
        results.report_is_refused(&["task t"]);
    }
    fs::write(results.path("results.parquet"), table).unwrap();
    cairn(&results.directory).args(["report", "results"]).assert().success();
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_results() {
    let results = Results::new();
    let outside = results.directory.path().join("outside");
    fs::rename(results.path("rows"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, results.path("rows")).unwrap();
    let before = names(&outside);
    fs::remove_file(outside.join("t.json")).unwrap();
    refused(&results.directory, evaluate(&results.directory, "tasks.csv"), &["rows is a link"]);
    assert_eq!(names(&outside).len(), before.len() - 1);
}
