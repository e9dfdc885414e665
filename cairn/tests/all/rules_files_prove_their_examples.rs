//! The comment of a rules file that shows a `cairn prove` tells no tale: in the shipped systems, and in those of the
//! experiments, where a wrong rule would be learned from.

use crate::common::{cairn, shipped};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// Every rules file under a folder.
fn rules_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let in_entry = |path: PathBuf| {
        if path.is_dir() {
            return rules_files(&path);
        }
        if path.extension().is_some_and(|ending| ending == "rules") { vec![path] } else { vec![] }
    };
    entries.flat_map(in_entry).collect()
}

/// The arguments of the examples of a file, which stand in single quotes.
fn examples(text: &str) -> Vec<(String, String)> {
    let quoted = |line: &str, flag: &str| {
        let after = line.split_once(&format!("{flag} '")).map(|(_, after)| after);
        let term = after.and_then(|after| after.split_once('\'')).map(|(term, _)| term.to_owned());
        term.unwrap_or_else(|| panic!("expected {flag} '…': {line}"))
    };
    let comments = text.lines().filter(|line| line.starts_with(';'));
    let proofs = comments.filter(|line| line.contains("cairn prove --system"));
    proofs.map(|line| (quoted(line, "--start"), quoted(line, "--target"))).collect()
}

#[test]
fn what_a_comment_proves_is_proved() {
    let directory = tempfile::tempdir().unwrap();
    let systems = shipped("systems");
    let experiments = shipped("../scripts/experiments");
    let files = [rules_files(&systems), rules_files(&experiments)].concat();
    let all: Vec<_> = files
        .iter()
        .flat_map(|file| {
            examples(&fs::read_to_string(file).unwrap()).into_iter().map(move |e| (file, e))
        })
        .collect();
    assert!(all.len() > 60, "{} examples", all.len());
    all.par_iter().for_each(|(file, (start, target))| {
        let prove = ["prove", "--threads", "1", "--quiet", "--start", start, "--target", target];
        cairn(&directory).args(prove).arg("--system").arg(file).assert().success();
    });
}
