//! Parts of long work, merged, are what one process makes, byte for byte but for the seconds that it measured; and parts
//! that are damaged, missing, given twice or foreign are refused.

use crate::common::cairn;
use guided_search::Row;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use support::read_table;
use tempfile::TempDir;

fn done(directory: &TempDir, line: &str) -> String {
    let output = cairn(directory).args(line.split(' ')).arg("--quiet").assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

fn refused(directory: &TempDir, line: &str) -> String {
    let output = cairn(directory).args(line.split(' ')).arg("--quiet").assert().code(2);
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

/// Makes all parts of a command into `parts`, on different numbers of threads, and gives their names.
fn parts(directory: &TempDir, line: &str, count: u32, parts: &str) -> String {
    fs::create_dir_all(directory.path().join(parts)).unwrap();
    let names: Vec<String> = (0..count).rev().map(|i| format!("{parts}/{i}")).collect();
    for (name, i) in names.iter().zip((0..count).rev()) {
        done(
            directory,
            &format!("{line} --shard {i}/{count} --threads {} --out {name}", 1 + i % 2),
        );
    }
    names.join(" ")
}

/// All files under a directory, by name.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(directory.join(&folder)).unwrap() {
            let name = folder.join(entry.unwrap().file_name());
            match directory.join(&name).is_dir() {
                true => open.push(name),
                false => {
                    found.insert(
                        name.display().to_string(),
                        fs::read(directory.join(name)).unwrap(),
                    );
                }
            }
        }
    }
    found
}

fn without_times(results: &Path) -> Vec<Row> {
    let mut rows = read_table::<Row>(&results.join("results.parquet")).unwrap();
    rows.iter_mut().for_each(|row| (row.seconds, row.model_seconds) = (0.0, 0.0));
    rows
}

const TASKS: &str = "tasks --system halide --seeds halide --links 3 --link-nodes 100 --count 6";

#[test]
fn of_tasks_and_of_their_evaluation() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name);
    done(&here, &format!("{TASKS} --out alone.parquet"));
    let made = parts(&here, TASKS, 3, "made");
    done(&here, &format!("merge {made} --out tasks.parquet"));
    assert_eq!(fs::read(path("alone.parquet")).unwrap(), fs::read(path("tasks.parquet")).unwrap());

    let methods = "--methods cap,all-work,descend --ranker halide";
    let evaluate = format!("evaluate --system halide --tasks tasks.parquet {methods}");
    let evaluate = evaluate.replace(" --ranker halide", "");
    done(&here, &format!("{evaluate} --out results"));
    fs::rename(path("results"), path("alone")).unwrap();
    let names = parts(&here, &evaluate, 4, "parts");
    let table = done(&here, &format!("merge {names} --out results"));
    assert!(table.ends_with("results in results/results.parquet\n"), "{table}");
    assert_eq!(without_times(&path("results")), without_times(&path("alone")));
    let [alone, merged] = ["alone", "results"].map(|name| {
        let mut files = files(&path(name));
        // These two say the seconds, or have the hash of what says them.
        files.retain(|name, _| !name.starts_with("rows/") && name != "results.parquet");
        let text = String::from_utf8(files.remove("evaluation.json").unwrap()).unwrap();
        let (evaluation, hash) = text.split_once("\"results_hash\"").unwrap();
        assert!(hash.contains("\"sha256\""));
        (files, evaluation.to_owned())
    });
    assert!(alone.0.keys().filter(|name| name.starts_with("proofs/")).count() > 2);
    assert_eq!(alone, merged);
    // What was merged is gone on with as what one process wrote.
    let before = files(&path("results"));
    done(&here, &format!("{evaluate} --out results"));
    done(&here, &format!("merge {names} --out results"));
    assert_eq!(files(&path("results")), before);
    cairn(&here).args(["report", "results"]).assert().success();

    // A part that is there is not made again, and not replaced by another.
    let again = done(&here, &format!("{evaluate} --shard 0/4 --out parts/0"));
    assert!(again.starts_with("part 0/4: was there already"), "{again}");
    let other = refused(&here, &format!("{evaluate} --seed 1 --shard 0/4 --out parts/0"));
    assert!(
        other.contains("made with other arguments (settings.search.seed is 0, expected 1)"),
        "{other}"
    );
    assert!(other.contains("parts/0 already holds"), "{other}");
    let foreign = refused(&here, &format!("merge {names} --out alone/proofs"));
    assert!(foreign.contains("alone/proofs already holds something else"), "{foreign}");
}

#[test]
fn of_optimised_terms() {
    let here = tempfile::tempdir().unwrap();
    let optimise = "optimise --system ring --terms ring --cost size --cap 200 --work 400";
    done(&here, &format!("{optimise} --out alone"));
    let names = parts(&here, optimise, 3, "parts");
    done(&here, &format!("merge {names} --out merged"));
    assert!(files(&here.path().join("merged")) == files(&here.path().join("alone")));
    let shown = refused(&here, &format!("{optimise} --shard 1/3 --out parts/0"));
    assert!(shown.contains("(shard.index is 0, expected 1)"), "{shown}");
}

#[test]
fn of_three_rounds_of_learning() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name);
    let held_out = "--without validation.parquet --out training.parquet --count 12";
    done(&here, &format!("{TASKS} --out validation.parquet"));
    done(&here, &format!("{} {held_out}", TASKS.replace(" --count 6", "")));
    let by_tasks = "learn --system halide --tasks training.parquet --validation validation.parquet";
    let by_seeds = "learn --system ring --seeds ring --cost size --batch 8 --work 600";
    for (name, learn) in [("tasks", by_tasks), ("seeds", by_seeds)] {
        let learn = format!("{learn} --cap 300 --rounds 2 --epochs 1");
        let (alone, out) = (format!("{name}-alone"), format!("{name}-merged"));
        done(&here, &format!("{learn} --out {alone}"));
        for round in 0..3 {
            let search = format!("{learn} --learned {out} --round {round}");
            let names = parts(&here, &search, 4, &format!("{name}-parts/{round}"));
            if round > 0 {
                let early = refused(&here, &format!("merge {names} --out {out}-elsewhere"));
                assert!(early.contains("has only 0 rounds: expected those before it"), "{early}");
                assert!(!path(&format!("{out}-elsewhere")).exists());
            }
            let said = done(&here, &format!("merge {names} --out {out}"));
            assert_eq!(said, format!("round {round} in {out}\n"));
            // Merging again changes nothing.
            assert_eq!(done(&here, &format!("merge {names} --out {out}")), said);
            if round < 2 {
                let again = done(&here, &format!("{search} --shard 1/4 --out {name}-again"));
                assert!(again.starts_with("part 1/4: was there already"), "{again}");
                let next = format!("{learn} --learned {out} --round {} --shard 0/4", round + 1);
                let no_ranker = refused(&here, &format!("{next} --out {name}-early"));
                assert!(no_ranker.contains("`cairn learn --fit` makes it"), "{no_ranker}");
            }
            let fit = format!("{learn} --fit --out {out}");
            done(&here, &fit);
            if round < 2 {
                // What is fitted is not fitted again, unless the file is another one now.
                let ranker = path(&format!("{out}/ranker-{}.json", round + 1));
                let number = fs::metadata(&ranker).unwrap().ino();
                let fitted = fs::read(&ranker).unwrap();
                done(&here, &fit);
                assert_eq!(fs::metadata(&ranker).unwrap().ino(), number);
                fs::write(&ranker, "{}").unwrap();
                done(&here, &fit);
                assert!(fs::read(&ranker).unwrap() == fitted);
            }
        }
        let (alone, merged) = (files(&path(&alone)), files(&path(&out)));
        assert_eq!(alone.keys().collect::<Vec<_>>(), merged.keys().collect::<Vec<_>>());
        assert!(alone == merged);
        assert_eq!(alone.len(), 9, "{:?}", alone.keys());
        let over = format!("{learn} --learned {out} --round 3 --shard 0/4 --out {name}-over");
        assert!(refused(&here, &over).contains("round 3 comes after the last one, 2"));
    }
}

#[test]
fn what_is_not_all_parts_of_one_run_is_refused() {
    let here = tempfile::tempdir().unwrap();
    let path = |name: &str| here.path().join(name);
    let tasks = "start,target\n(+ a b),(+ b a)\n(+ a (+ b c)),(+ c (+ b a))\n(+ a b),(* a b)\n";
    fs::write(path("tasks.csv"), tasks).unwrap();
    let evaluate = "evaluate --system halide --tasks tasks.csv --methods all-work --work 900";
    parts(&here, evaluate, 3, "p");
    let merge = |names: &str| refused(&here, &format!("merge {names} --out out"));
    assert_eq!(merge("p/0 p/2"), "error: part 1/3 is missing: expected all 3 parts\n");
    assert_eq!(merge("p/0 p/1 p/0 p/2"), "error: part 0/3 is given more than once: p/0, p/0\n");
    assert!(merge("p").starts_with("error: p is not a finished part: cannot read p/part.json"));
    for (more, expected) in [
        ("--seed 3 --shard 2/3", "settings.search.seed is 3, expected 0"),
        ("--work 800 --shard 2/3", "settings.search.budget.work is 800, expected 900"),
        ("--shard 2/4", "shard.count is 4, expected 3"),
    ] {
        let other = path("other");
        fs::remove_dir_all(&other).ok();
        let evaluate = evaluate
            .replace(" --work 900", if more.contains("--work") { "" } else { " --work 900" });
        done(&here, &format!("{evaluate} {more} --out other"));
        let said = merge("p/0 p/1 other");
        let start = "error: other/part.json was not made with the same files and settings as p/0";
        assert_eq!(said, format!("{start}: {expected}\n"));
    }

    // Every file of a part is as it was written.
    for name in ["part.json", "items.jsonl", "system.rules"] {
        let file = path("p/0").join(name);
        let whole = fs::read(&file).unwrap();
        for at in [3, whole.len() / 2] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&file, damaged).unwrap();
            let said = merge("p/0 p/1 p/2");
            assert!(said.contains(&format!("p/0/{name}")), "{said}");
        }
        fs::write(&file, whole).unwrap();
    }
    assert!(!path("out").exists());
    done(&here, "merge p/2 p/1 p/0 --out out");

    // A part whose process was killed goes on, and a line that was not written to its end is done again.
    let whole = fs::read(path("p/1/items.jsonl")).unwrap();
    let staged = path("p/.1.partial");
    fs::rename(path("p/1"), &staged).unwrap();
    let part = fs::read_to_string(staged.join("part.json")).unwrap();
    fs::remove_file(staged.join("part.json")).unwrap();
    let key: serde_json::Value = serde_json::from_str(&part).unwrap();
    let key = format!(
        "{{\"kind\":{},\"shard\":{{\"index\":1,\"count\":3}},\"items\":3,\"settings\":{}}}",
        key["kind"], key["settings"]
    );
    fs::write(staged.join(".key"), key).unwrap();
    fs::write(staged.join("items.jsonl"), &whole[..whole.len() - 9]).unwrap();
    done(&here, &format!("{evaluate} --shard 1/3 --out p/1"));
    let [again, first] = [fs::read(path("p/1/items.jsonl")).unwrap(), whole].map(|line| line.len());
    // The seconds are others.
    assert!(again.abs_diff(first) < 20, "{again} {first}");
    done(&here, "merge p/2 p/1 p/0 --out once-more");
    assert_eq!(without_times(&path("out")), without_times(&path("once-more")));
}
