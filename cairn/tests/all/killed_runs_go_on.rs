//! `cairn generate`, `tasks` and `learn`, killed: they go on where they were, and what comes out is what an undisturbed run
//! makes, byte for byte. A second process, a full disk and a pipe do no harm.

#![cfg(unix)]

use crate::common::{cairn, shipped};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SEEDS: &str = "20";

fn arguments(out: &str) -> Vec<String> {
    let [system, seeds] = ["systems/halide.rules", "seeds/halide.txt"].map(shipped);
    ["generate", "--system", &system.to_string_lossy(), "--seeds", &seeds.to_string_lossy()]
        .into_iter()
        .chain(["--limit", SEEDS, "--nodes", "3000", "--threads", "2", "--quiet", "--out", out])
        .map(str::to_owned)
        .collect()
}

fn start(directory: &TempDir, out: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .current_dir(directory.path())
        .args(arguments(out))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn finished_units(staging: &Path) -> usize {
    let Ok(entries) = fs::read_dir(staging.join("units")) else { return 0 };
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".json") && !name.starts_with('.')).count()
}

/// All files of a finished dataset.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.to_owned()];
    while let Some(path) = todo.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn and_end_as_if_nothing_had_happened() {
    let directory = tempfile::tempdir().unwrap();
    cairn(&directory).args(arguments("whole")).assert().success();
    let staging = directory.path().join(".killed.partial");
    let mut kills = 0;
    for wanted in [1, 6, 12] {
        let mut run = start(&directory, "killed");
        let began = Instant::now();
        while finished_units(&staging) < wanted && run.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(300), "no unit");
            std::thread::sleep(Duration::from_millis(2));
        }
        if wanted == 6 {
            // The directory is taken as long as the process lives.
            let second = cairn(&directory).args(arguments("killed")).assert().code(2);
            let message = String::from_utf8_lossy(&second.get_output().stderr).into_owned();
            assert!(message.contains("another process is writing to killed"), "{message}");
        }
        kills += usize::from(run.try_wait().unwrap().is_none());
        run.kill().unwrap();
        run.wait().unwrap();
    }
    assert!(kills > 0, "the machine is too fast for this test");
    let before = finished_units(&staging);
    assert!(before > 0);
    cairn(&directory).args(arguments("killed")).assert().success();
    assert_eq!(tree(&directory.path().join("killed")), tree(&directory.path().join("whole")));
    assert!(!staging.exists());
}

/// Kills the command when its journal has one more whole line than before, several times. Lines that are there stay, and
/// only others come.
fn kill_again_and_again(directory: &TempDir, args: &[&str], journal: &Path) {
    let lines = || -> Vec<String> {
        let text = fs::read_to_string(journal).unwrap_or_default();
        text.split_inclusive('\n').filter(|l| l.ends_with('\n')).map(str::to_owned).collect()
    };
    let mut before: Vec<String> = Vec::new();
    let mut kills = 0;
    for _ in 0..3 {
        let mut run = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .current_dir(directory.path())
            .args(args)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while lines().len() <= before.len() && run.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(300), "no item");
            std::thread::sleep(Duration::from_millis(1));
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let after = lines();
        if after.is_empty() {
            break;
        }
        kills += 1;
        assert_eq!(after[..before.len()], before[..]);
        let number = |line: &String| line.split(' ').next().unwrap().to_owned();
        let numbers: BTreeSet<String> = after.iter().map(number).collect();
        assert_eq!(numbers.len(), after.len(), "an item was done twice");
        before = after;
    }
    assert!(kills > 0, "the machine is too fast for this test");
}

#[test]
fn tasks_that_were_found_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let make = |out| {
        ["tasks", "--system", "halide", "--seeds", "halide", "--links", "4", "--link-nodes", "200"]
            .into_iter()
            .chain(["--count", "40", "--threads", "2", "--quiet", "--out", out])
            .collect::<Vec<_>>()
    };
    cairn(&directory).args(make("whole.parquet")).assert().success();
    let path = |name: &str| directory.path().join(name);
    let staging = path(".killed.parquet.partial");
    kill_again_and_again(&directory, &make("killed.parquet"), &staging.join("items.jsonl"));
    let other =
        cairn(&directory).args(make("killed.parquet")).args(["--seed", "1"]).assert().code(2);
    let message = String::from_utf8_lossy(&other.get_output().stderr).into_owned();
    assert!(message.contains("the unfinished work of a run with other arguments"), "{message}");
    cairn(&directory).args(make("killed.parquet")).assert().success();
    assert_eq!(fs::read(path("killed.parquet")).unwrap(), fs::read(path("whole.parquet")).unwrap());
    assert!(!staging.exists());
}

#[test]
fn searches_of_a_round_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let tasks = |count, out, others: &[&str]| {
        cairn(&directory)
            .args(["tasks", "--system", "halide", "--seeds", "halide", "--links", "4", "--quiet"])
            .args(["--link-nodes", "200", "--count", count, "--out", out])
            .args(others)
            .assert()
            .success();
    };
    tasks("8", "validation.parquet", &[]);
    tasks("20", "training.parquet", &["--without", "validation.parquet"]);
    let learn = |out, rounds| {
        ["learn", "--system", "halide", "--tasks", "training.parquet", "--validation"]
            .into_iter()
            .chain(["validation.parquet", "--epochs", "1", "--cap", "1000", "--quiet"])
            .chain(["--rounds", rounds, "--out", out])
            .collect::<Vec<_>>()
    };
    cairn(&directory).args(learn("whole", "2")).assert().success();
    let path = |name: &str| directory.path().join(name);
    let staging = path("killed/.round-0.partial");
    kill_again_and_again(&directory, &learn("killed", "1"), &staging.join("items.jsonl"));
    // More rounds can be asked for meanwhile.
    cairn(&directory).args(learn("killed", "2")).assert().success();
    assert_eq!(tree(&path("killed")), tree(&path("whole")));
    // While the last one is searched they have to wait for it, and nothing is lost by asking.
    let staging = path("late/.round-1.partial");
    kill_again_and_again(&directory, &learn("late", "1"), &staging.join("items.jsonl"));
    let early = cairn(&directory).args(learn("late", "2")).assert().code(2);
    let message = String::from_utf8_lossy(&early.get_output().stderr).into_owned();
    assert!(message.contains("is being searched: go on with 1 rounds"), "{message}");
    cairn(&directory).args(learn("late", "1")).assert().success();
    cairn(&directory).args(learn("late", "2")).assert().success();
    assert_eq!(tree(&path("late")), tree(&path("whole")));
}

#[test]
fn those_that_are_asked_to_end_say_how_to_go_on() {
    let directory = tempfile::tempdir().unwrap();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .current_dir(directory.path())
            .args(arguments(signal))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let staging = directory.path().join(format!(".{signal}.partial"));
        while finished_units(&staging) < 1 && run.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let id = run.id().to_string();
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success()
        );
        let output = run.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains("the same command goes on from there"), "{error}");
    }
}

#[test]
fn and_so_do_those_for_which_the_disk_was_too_small() {
    let directory = tempfile::tempdir().unwrap();
    cairn(&directory).args(arguments("whole")).assert().success();
    // No file may have more than 240 blocks of 512 or 1,024 bytes: units fit, tables do not.
    let command = format!("ulimit -f 240; exec {} \"$@\"", env!("CARGO_BIN_EXE_cairn"));
    let output = Command::new("sh")
        .current_dir(directory.path())
        .args(["-c", &format!("trap '' XFSZ; {command}"), "cairn"])
        .args(arguments("small"))
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    let tables = ["data", "proofs"].map(|d| format!("cannot write .small.partial/{d}/"));
    assert!(tables.iter().any(|table| message.contains(table)), "{message}");
    let staging = directory.path().join(".small.partial");
    assert_eq!(finished_units(&staging).to_string(), SEEDS);
    cairn(&directory).args(arguments("small")).assert().success();
    assert_eq!(tree(&directory.path().join("small")), tree(&directory.path().join("whole")));
}

#[test]
fn rules_and_seeds_may_come_from_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let rules = "(sort I) (variable I) (op + (I I) I) (rewrite (+ ?a ?b) (+ ?b ?a))
        (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))\n";
    let seeds = "(+ a (+ b (+ c (+ d e))))\n(+ (+ a b) (+ (+ c d) (+ a e)))\n";
    for (folder, piped) in [("files", false), ("pipes", true)] {
        let folder = directory.path().join(folder);
        fs::create_dir(&folder).unwrap();
        let mut writers = Vec::new();
        for (name, text) in [("r.rules", rules), ("s.txt", seeds)] {
            let path = folder.join(name);
            if piped {
                assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
                writers.push(std::thread::spawn(move || fs::write(path, text).unwrap()));
            } else {
                fs::write(path, text).unwrap();
            }
        }
        let out = folder.join("data");
        cairn(&directory)
            .args(["generate", "--cutoff", "2", "--nodes", "500", "--quiet", "--system"])
            .arg(folder.join("r.rules"))
            .arg("--seeds")
            .arg(folder.join("s.txt"))
            .arg("--out")
            .arg(out)
            .assert()
            .success();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
    }
    let [files, pipes] = ["files/data", "pipes/data"].map(|p| tree(&directory.path().join(p)));
    assert_eq!(files, pipes);
}
