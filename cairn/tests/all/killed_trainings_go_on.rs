//! `cairn train`, killed or asked to end at any moment: it goes on where it was, and what comes out is
//! what an undisturbed run makes, byte for byte.

#![cfg(unix)]

use crate::common::{cairn, shipped};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const STEPS: u64 = 60;

fn prepare(directory: &TempDir) {
    let [system, seeds] = ["systems/halide.rules", "seeds/halide.txt"].map(shipped);
    cairn(directory)
        .args(["generate", "--limit", "12", "--nodes", "2000", "--quiet", "--out", "data"])
        .arg("--system")
        .arg(system)
        .arg("--seeds")
        .arg(seeds)
        .assert()
        .success();
    let preset = fs::read_to_string(shipped("model/tiny.toml")).unwrap();
    let edit = |text: String, key: &str, value: &str| {
        let line = |line: &str| match line.starts_with(&format!("{key} = ")) {
            true => format!("{key} = {value}\n"),
            false => format!("{line}\n"),
        };
        text.lines().map(line).collect::<String>()
    };
    let changes = [("steps", "60"), ("batch_tokens", "300"), ("evaluate_every", "25")];
    let changes = changes.into_iter().chain([
        ("dropout", "0.1"),
        ("validation_triples", "20"),
        ("width", "32"),
        ("feed_forward", "64"),
    ]);
    let text = changes.fold(preset, |text, (key, value)| edit(text, key, value));
    fs::write(directory.path().join("m.toml"), text + "checkpoint_minutes = 0.001\n").unwrap();
}

fn start(directory: &TempDir, out: &str) -> Child {
    let resume = directory.path().join(out).join("config.json").exists();
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .current_dir(directory.path())
        .args(["train", "--data", "data", "--out", out, "--config", "m.toml", "--quiet"])
        .args(["--threads", "2"])
        .args(resume.then_some("--resume"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The number of the last checkpoint's step.
fn step(out: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(out.join("training_state")) else { return 0 };
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter_map(|name| name.strip_prefix("step-")?.parse().ok()).max().unwrap_or(0)
}

fn same(a: &Path, b: &Path) {
    for name in ["config.json", "tokenizer.json", "model.safetensors", "loss.svg"] {
        let [a, b] = [a, b].map(|directory| fs::read(directory.join(name)).unwrap());
        assert!(a == b, "{name}");
    }
    let log = |directory: &Path| -> Vec<serde_json::Value> {
        let text = fs::read_to_string(directory.join("train_log.jsonl")).unwrap();
        let line = |line: &str| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            for measured in ["tokens_per_second", "seconds_left", "time"] {
                line[measured] = 0.into();
            }
            line
        };
        text.lines().map(line).collect()
    };
    assert_eq!(log(a), log(b));
    let state = format!("training_state/step-{STEPS:08}/optimizer.safetensors");
    let [a, b] = [a, b].map(|directory| fs::read(directory.join(&state)).unwrap());
    assert!(a == b, "{state}");
}

#[test]
fn and_end_with_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    prepare(&directory);
    assert!(start(&directory, "whole").wait().unwrap().success());
    for (signal, code, name) in [("KILL", None, "killed"), ("INT", Some(130), "asked")] {
        let out = directory.path().join(name);
        let (mut disturbed, mut done) = (0, false);
        for round in 0..40u64 {
            let mut run = start(&directory, name);
            let wanted = step(&out) + 1 + round * 7 % 20;
            let began = Instant::now();
            while step(&out) < wanted && run.try_wait().unwrap().is_none() {
                assert!(began.elapsed() < Duration::from_secs(300), "no checkpoint");
                std::thread::sleep(Duration::from_millis(3));
            }
            let id = run.id().to_string();
            Command::new("kill").args([&format!("-{signal}"), &id]).output().unwrap();
            let status = run.wait().unwrap();
            if status.success() {
                done = true;
                break;
            }
            disturbed += 1;
            assert_eq!(status.code(), code);
            if code.is_some() {
                let mut message = String::new();
                run.stderr.take().unwrap().read_to_string(&mut message).unwrap();
                let expected = format!(
                    "stopped after step {}, whose checkpoint is written: go on with cairn train \
                     --data data --out {name} --resume\n",
                    step(&out)
                );
                assert_eq!(message, expected);
            }
        }
        assert!(done && disturbed > 1, "{name}: disturbed {disturbed} times");
        same(&out, &directory.path().join("whole"));
    }
    let mut run = start(&directory, "ended");
    while step(&directory.path().join("ended")) == 0 && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(3));
    }
    Command::new("kill").args(["-TERM", &run.id().to_string()]).output().unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(143));
}

#[test]
fn what_is_left_out_and_how_long_it_takes_is_said_before_the_first_step() {
    let directory = tempfile::tempdir().unwrap();
    prepare(&directory);
    let path = directory.path().join("m.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("max_tokens = 96", "max_tokens = 30")).unwrap();
    let said = |arguments: &str| {
        let mut command = cairn(&directory);
        command.args(arguments.split_whitespace());
        String::from_utf8_lossy(&command.assert().success().get_output().stderr).into_owned()
    };
    let in_order = |said: &str, parts: &[&str]| {
        let places: Vec<Option<usize>> = parts.iter().map(|part| said.find(part)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} of {said}");
        assert_eq!(said.matches("left out, for a term has more tokens").count(), 1, "{said}");
    };
    let left_out = "left out, for a term has more tokens than max_tokens = 30 allows: ";
    let train = "train --data data --config m.toml --out model";
    let first = said(&format!("{train} --steps 30"));
    in_order(&first, &[left_out, "30 steps and 2 validations take about", "step 25 (epoch"]);
    let second = said(&format!("{train} --steps 60 --resume"));
    in_order(&second, &[left_out, "30 steps and 2 validations take about", "step 50 (epoch"]);
}
