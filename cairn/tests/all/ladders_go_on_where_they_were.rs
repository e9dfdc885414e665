//! `cairn train --scaling`: killed at any moment it goes on where it was, and its tables are those of an
//! undisturbed ladder, byte for byte; what can't be asked for is refused with one message.

#![cfg(unix)]

use crate::common::refusal::refused;
use crate::common::{cairn, shipped};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

const LADDER: &str = "train --scaling --data data --config m.toml --sizes 4k,14k --fractions 1/3,1 \
                      --steps 48 --threads 2 --quiet --out";
/// What does not depend on the time that things take.
const TABLES: [&str; 2] = ["scaling.csv", "scaling_laws.csv"];

fn prepare(directory: &TempDir) {
    let [system, seeds] = ["systems/halide.rules", "seeds/halide.txt"].map(shipped);
    cairn(directory)
        .args(["generate", "--limit", "12", "--nodes", "1000", "--quiet", "--out", "data"])
        .arg("--system")
        .arg(system)
        .arg("--seeds")
        .arg(seeds)
        .assert()
        .success();
    let preset = fs::read_to_string(shipped("model/tiny.toml")).unwrap();
    let text = preset
        .replace("batch_tokens = 1150", "batch_tokens = 200")
        .replace("encoder_layers = 2", "encoder_layers = 1")
        .replace("decoder_layers = 2", "decoder_layers = 1");
    fs::write(directory.path().join("m.toml"), text + "checkpoint_minutes = 0.001\n").unwrap();
}

fn start(directory: &TempDir, out: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .current_dir(directory.path())
        .args(LADDER.split_whitespace())
        .arg(out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Checkpoints and runs that have ended: grows while a ladder is climbed.
fn progress(out: &Path) -> Vec<PathBuf> {
    let Ok(runs) = fs::read_dir(out) else { return Vec::new() };
    let states = runs.flatten().map(|run| run.path().join("training_state"));
    let mut found: Vec<PathBuf> = states
        .filter_map(|states| fs::read_dir(states).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().contains("step-"))
        .collect();
    found.sort();
    found
}

#[test]
fn a_killed_ladder_has_the_tables_of_one_that_was_not() {
    let directory = tempfile::tempdir().unwrap();
    prepare(&directory);
    let path = |name: &str| directory.path().join(name);
    assert!(start(&directory, "whole").wait().unwrap().success());
    let (mut killed, began) = (0, Instant::now());
    loop {
        let mut run = start(&directory, "killed");
        let before = progress(&path("killed"));
        let mut seen = before.clone();
        // A kill each time that something has come of it, twelve times.
        while killed < 12 && seen == before && run.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(600), "nothing comes of it");
            std::thread::sleep(Duration::from_millis(3));
            seen = progress(&path("killed"));
        }
        if killed < 12 {
            Command::new("kill").args(["-KILL", &run.id().to_string()]).output().unwrap();
        }
        if run.wait().unwrap().success() {
            break;
        }
        killed += 1;
    }
    assert!(killed > 3, "killed {killed} times");
    let read = |ladder: &str, name: &str| fs::read_to_string(path(ladder).join(name)).unwrap();
    for table in TABLES {
        assert_eq!(read("killed", table), read("whole", table), "{table}");
    }

    let table = read("whole", "scaling.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|n| *n == name).unwrap();
    let of = |name: &str| -> Vec<&str> { rows[1..].iter().map(|row| row[column(name)]).collect() };
    assert_eq!(of("run"), ["4k-1of3", "4k-1", "14k-1of3", "14k-1"]);
    let number = |name: &str| -> Vec<f64> { of(name).iter().map(|n| n.parse().unwrap()).collect() };
    let (triples, parameters) = (number("triples"), number("non_embedding_parameters"));
    assert!((triples[0] / triples[1] - 1.0 / 3.0).abs() < 0.1 && triples[0] == triples[2]);
    assert!(parameters[0] == parameters[1] && parameters[0] < parameters[2]);
    for (i, flops) in number("flops").into_iter().enumerate() {
        assert_eq!(flops, 6.0 * parameters[i] * number("tokens_seen")[i]);
    }
    let baselines: Vec<f64> = [number("unigram_loss"), number("copy_loss")].concat();
    assert!(baselines.iter().all(|loss| (0.1..6.0).contains(loss)), "{table}");
    let page = read("whole", "scaling.html");
    assert_eq!(page.matches("<svg").count(), 3);
    for picture in ["scaling_parameters.svg", "scaling_data.svg", "scaling_compute.svg"] {
        assert!(read("whole", picture).starts_with("<svg"));
    }
    // Every run is a model like others.
    let inspected = cairn(&directory).args(["inspect", "whole/14k-1of3"]).assert().success();
    let said = String::from_utf8_lossy(&inspected.get_output().stdout).into_owned();
    let expected = format!("trained on those of {} seeds among ", of("seeds")[0]);
    assert!(said.contains(&expected), "{said}");

    // What has ended is not done again.
    let changed = |name: &str| -> Vec<SystemTime> {
        let time = |run: &str| fs::metadata(path(name).join(run).join("train_log.jsonl")).unwrap();
        of("run").iter().map(|run| time(run).modified().unwrap()).collect()
    };
    let before = changed("whole");
    assert!(start(&directory, "whole").wait().unwrap().success());
    assert_eq!(changed("whole"), before);

    // Another ladder does not take its place.
    for (change, part) in [
        ("--steps 49", "another budget"),
        ("--steps 48 --seed 1", "another fractions or seed"),
        ("--hours 1", "another budget"),
    ] {
        let mut other = cairn(&directory);
        let arguments = LADDER.replace("--steps 48", change);
        other.args(arguments.split_whitespace()).arg("whole");
        refused(&directory, other, &["whole holds a ladder of", part, "choose another"]);
    }
    assert_eq!(read("whole", "scaling.csv"), table);
    let mut single = cairn(&directory);
    single.args("train --data data --quiet --out whole".split_whitespace());
    refused(&directory, single, &["already holds something else"]);
}

#[test]
fn what_can_not_be_asked_for_is_one_message() {
    let directory = tempfile::tempdir().unwrap();
    prepare(&directory);
    let refused = |arguments: &str, parts: &[&str]| {
        let mut command = cairn(&directory);
        command.args(["train", "--scaling", "--quiet", "--out", "ladder", "--config", "m.toml"]);
        command.args(arguments.split_whitespace());
        refused(&directory, command, parts);
    };
    refused("--data none --hours 1", &["none", "dataset"]);
    refused("--data data --hours 0", &["--hours 0: expected a number above 0"]);
    refused("--data data --hours -2", &["--hours -2: expected a number above 0"]);
    refused("--data data --hours nan", &["--hours NaN: expected a number above 0"]);
    refused("--data data --hours 1e-9 --sizes 4k", &["too few for 4 runs", "hours here"]);
    refused("--data data", &["expected --hours, or --steps"]);
    refused(
        "--data data --steps 9 --fractions 1/1000,1",
        &["seeds: too few for a fraction of 1/1000"],
    );
    refused("--data data --steps 9 --fractions 1,1/2", &["--fractions: expected rising numbers"]);
    refused("--data data --steps 9 --fractions 0,1", &["--fractions 0: expected above 0"]);
    refused(
        "--data data --steps 9 --fractions 1/0,1",
        &["--fractions 1/0: expected above 0, at most 1"],
    );
    refused("--data data --steps 9 --fractions half", &["found 'half'"]);
    refused("--data data --steps 9 --sizes 4k,4k", &["4k is there twice"]);
    refused(
        "--data data --steps 9 --sizes huge",
        &["--sizes huge: expected a number", "tiny, 12m"],
    );
    refused("--data data --steps 9 --sizes 3", &["size 3", "3 parameters are too few"]);
    refused("--data data --steps 9 --sizes 9G", &["size 9G", "MiB"]);
}
