//! `cairn train --dry-run` says what a training would take, of a network too large for this machine too, and
//! writes nothing.

use crate::common::{cairn, number, run};
use std::path::Path;

fn said(directory: &tempfile::TempDir, arguments: &str) -> String {
    let mut command = cairn(directory);
    command.args(["train", "--dry-run", "--threads", "2"]).args(arguments.split_whitespace());
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn files(path: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let names = std::fs::read_dir(path).unwrap().map(name);
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn of_the_largest_preset_and_of_a_dataset() {
    let directory = tempfile::tempdir().unwrap();
    let large = said(&directory, "--config 312m");
    let parameters = number(&large, "parameters,");
    assert!((parameters / 312e6 - 1.0).abs() < 0.03, "{large}");
    // Four bytes each, and more for moments and gradients.
    let mib = |word: &str| number(&large, &format!("MiB  {word}"));
    assert!((mib("parameters") * f64::from(1 << 20) / (4.0 * parameters) - 1.0).abs() < 0.01);
    assert!((mib("moments") / mib("parameters") - 2.0).abs() < 0.01);
    assert!(mib("gradients") > 2.0 * mib("parameters"));
    let sum: f64 = ["parameters", "moments", "gradients", "activations"].map(mib).iter().sum();
    assert!((mib("in all:") / (2.0 * sum + 48.0) - 1.0).abs() < 0.01, "{large}");
    let tokens = 200_000.0 * 20_000.0;
    assert!((number(&large, "FLOPs, 6") / (6.0 * parameters * tokens) - 1.0).abs() < 0.1);
    assert!(large.contains("years here at best"), "{large}");
    assert!(files(directory.path()).is_empty());

    run(&directory, "generate --system halide --seeds halide --limit 6 --nodes 500 --out data");
    let before = files(&directory.path().join("data"));
    let tiny = said(&directory, "--data data --steps 100");
    assert!(number(&tiny, "parameters,") < 1e6 && tiny.contains("for 100 steps of"), "{tiny}");
    assert_eq!(files(&directory.path().join("data")), before);

    let refused = cairn(&directory).args(["train", "--config", "tiny"]).assert().code(2);
    let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(message.contains("--data <DIR>") && message.contains("--out <DIR>"), "{message}");
}
