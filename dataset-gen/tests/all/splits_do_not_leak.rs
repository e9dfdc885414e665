//! The query of docs/formats.md, run by DuckDB, finds no pair in two splits, and finds one that
//! was put there.
//!
//! DuckDB is asked through Python, which the scripts of this repository need as well
//! (scripts/requirements.txt). Where it is not installed only the same check in Rust runs.

use crate::small_dataset::{place, quiet};
use dataset_gen::{Split, generate, read_triples, write_triples};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The query under "In DuckDB" about triples.
fn documented_query() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/formats.md");
    let text = std::fs::read_to_string(path).unwrap();
    let queries = text.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next());
    let query = queries.into_iter().find(|query| query.contains("INTERSECT"));
    query.expect("docs/formats.md has the query").to_owned()
}

/// Rows that the query gives in a dataset; `None` without DuckDB.
fn shared_by_duckdb(dataset: &Path) -> Option<usize> {
    let python = |code: &str| {
        Command::new("python3")
            .args(["-c", code])
            .arg(documented_query())
            .current_dir(dataset)
            .output()
    };
    if !python("import duckdb").ok()?.status.success() {
        return None;
    }
    let code = "import duckdb, sys; print(len(duckdb.sql(sys.argv[1]).fetchall()))";
    let output = python(code).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap())
}

fn shared_by_sets(dataset: &Path) -> usize {
    let pairs = |split: Split| -> BTreeSet<(String, String)> {
        let triples = read_triples(dataset, split).unwrap();
        triples.into_iter().map(|t| (t.start, t.target)).collect()
    };
    let held_out: BTreeSet<_> =
        [Split::Validation, Split::Test].into_iter().flat_map(pairs).collect();
    pairs(Split::Train).intersection(&held_out).count()
}

#[test]
fn the_documented_query_finds_leaks_and_there_are_none() {
    let place = place();
    let out = place.path("data");
    generate(&place.config, &out, &quiet(2, 0)).unwrap();
    assert_eq!(shared_by_sets(&out), 0);
    let found = shared_by_duckdb(&out);
    assert!(found.is_none_or(|rows| rows == 0), "{found:?} rows");

    let mut test = read_triples(&out, Split::Test).unwrap();
    test.push(read_triples(&out, Split::Train).unwrap().swap_remove(0));
    write_triples(&out, Split::Test, &test).unwrap();
    assert_eq!(shared_by_sets(&out), 1);
    let found = shared_by_duckdb(&out);
    assert!(found.is_none_or(|rows| rows == 1), "{found:?} rows");
    if found.is_none() {
        eprintln!("DuckDB is not installed: its query was not run");
    }
}
