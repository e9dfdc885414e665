//! What the tests of the command line share.

pub mod page;
pub mod random;
pub mod refusal;

use assert_cmd::Command;
use std::path::PathBuf;

/// The binary, in a directory of the test's own.
pub fn cairn(directory: &tempfile::TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(directory.path());
    command
}

/// A file that the repository ships.
pub fn shipped(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs")).join(path)
}

/// Runs a command that must succeed.
pub fn run(directory: &tempfile::TempDir, arguments: &str) {
    cairn(directory).args(arguments.split_whitespace()).arg("--quiet").assert().success();
}

/// What a command prints that must succeed.
pub fn output(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

/// The number before the first of these words in a text.
pub fn number(text: &str, words: &str) -> f64 {
    let (before, _) = text.split_once(words).unwrap_or_else(|| panic!("no '{words}' in {text}"));
    let number = before.trim_end().rsplit(char::is_whitespace).next().unwrap().replace(',', "");
    number.parse().unwrap_or_else(|_| panic!("'{number}' before '{words}': {text}"))
}

/// Makes `data`, a hardly trained `model`, and `tasks.parquet`: six chains of seeds that it has not seen.
pub fn model_and_tasks(directory: &tempfile::TempDir) {
    let seeds = std::fs::read_to_string(shipped("seeds/halide.txt")).unwrap();
    let lines: Vec<&str> = seeds.lines().filter(|line| line.starts_with('(')).collect();
    let write = |name: &str, lines: &[&str]| {
        std::fs::write(directory.path().join(name), lines.join("\n")).unwrap();
    };
    write("seen.txt", &lines[..30]);
    write("new.txt", &lines[30..80]);
    run(directory, "generate --system halide --seeds seen.txt --nodes 500 --out data");
    run(directory, "train --data data --config tiny --steps 20 --out model");
    let tasks = "tasks --system halide --seeds new.txt --links 2 --link-nodes 100 --count 6";
    run(directory, &format!("{tasks} --out tasks.parquet"));
}
