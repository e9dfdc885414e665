//! A reader that goes away, as `head` does, ends the program quietly.

use std::process::{Command, Stdio};

const SYSTEM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/systems/halide.rules");

#[test]
fn without_a_panic() {
    for arguments in [vec!["saturate", "--iterations", "3"], vec!["explain", "--to", "(+ 1 a)"]] {
        let option = if arguments[0] == "saturate" { "--term" } else { "--from" };
        let mut child = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(&arguments)
            .args([option, "(+ a 1)", "--system"])
            .arg(SYSTEM)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert!(output.status.success());
    }
}
