//! What the tests of the command line share.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code)]

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
