//! What the system counts as the program's memory is little more than `--memory` allows the e-graph.
//! `scripts/checks/resident_memory.py` measures more limits and systems.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The resident memory at most of a process that runs, in KiB; `None` once it has ended.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// The most that a run of the program took, in KiB.
fn highest(args: &[&str]) -> u64 {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(args).current_dir(root).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut highest = 0;
    while child.try_wait().unwrap().is_none() {
        highest = highest.max(peak(&child).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    highest
}

/// What it may take under a limit of 64 MiB, in KiB.
fn promised(threads: u64) -> u64 {
    // 1.15 times the limit, and 16 MiB for the program itself; and what each further thread holds of
    // the matches that it has just found.
    64 * 1024 * 115 / 100 + 16 * 1024 + (threads - 1) * 4 * 1024
}

#[test]
fn a_grown_e_graph_takes_what_it_may_take() {
    let systems = [
        ("configs/systems/math-test.rules", "(i (ln x) x)", "(i x x)"),
        ("configs/systems/tiling.rules", "(m (* n1 32) (m (* n2 32) f))", "(m n1 f)"),
    ];
    for (system, term, other) in systems {
        for threads in [1, 2] {
            let limits = ["--memory", "64MiB", "--threads", &threads.to_string()];
            let saturate = ["saturate", "--system", system, "--term", term];
            let explain = ["explain", "--system", system, "--start", term, "--target", other];
            for command in [&saturate[..], &explain[..]] {
                let kib = highest(&[command, &limits[..]].concat());
                let most = promised(threads);
                assert!(kib > 64 * 1024, "{kib} KiB: the e-graph did not grow: {command:?}");
                assert!(kib <= most, "{kib} KiB of {most}, {threads} threads: {command:?}");
            }
        }
    }
}

#[test]
fn matches_that_wait_take_no_more_than_they_may() {
    for (system, term) in
        [("halide", "(max (+ x y) (min (* x 2) (- y z)))"), ("prop", "(& p (| q (-> p r)))")]
    {
        for threads in [1, 2] {
            let limits = ["--memory", "64MiB", "--threads", &threads.to_string()];
            let command = ["saturate", "--system", system, "--term", term];
            let best_first = ["--scheduler", "best-first"];
            let (kib, most) =
                (highest(&[&command[..], &best_first, &limits].concat()), promised(threads));
            assert!(kib <= most, "{kib} KiB of {most}, {threads} threads: {system}");
        }
    }
}
