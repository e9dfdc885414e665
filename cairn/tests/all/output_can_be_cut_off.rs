//! A reader that goes away, as `head` does, ends the program quietly; an output that can't be
//! written is an error like others.

use std::process::{Command, Stdio};

const SYSTEM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/systems/halide.rules");

#[test]
fn without_a_panic() {
    for arguments in [vec!["saturate", "--iterations", "3"], vec!["explain", "--target", "(+ 1 a)"]]
    {
        let option = if arguments[0] == "saturate" { "--term" } else { "--start" };
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

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_one_message() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["explain", "--start", "(+ a 1)", "--target", "(+ 1 a)", "--system", SYSTEM])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("error: cannot write to the standard output: "), "{message}");
    assert_eq!(message.lines().count(), 1);
}
