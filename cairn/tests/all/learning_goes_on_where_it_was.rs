//! A ranker is the same whatever the number of threads and after an interruption, is worth something on
//! the tasks it was fitted to, and is refused where it would be unfair or makes no sense.

use crate::common::{cairn, shipped};
use egraph::System;
use guided_search::{Row, Task, TaskSet};
use std::fs;
use support::read_table;
use tempfile::TempDir;

fn tasks(directory: &TempDir, out: &str, count: &str, others: &[&str]) {
    cairn(directory)
        .args(["tasks", "--system", "halide", "--seeds", "halide", "--links", "4"])
        .args(["--link-nodes", "200", "--count", count, "--out", out, "--quiet"])
        .args(others)
        .assert()
        .success();
}

fn learn(directory: &TempDir, out: &str, threads: &str, rounds: &str) -> String {
    let output = cairn(directory)
        .args(["learn", "--system", "halide", "--tasks", "training.parquet", "--quiet"])
        .args(["--validation", "validation.parquet", "--rounds", rounds, "--epochs", "2"])
        .args(["--cap", "1000", "--threads", threads, "--out", out])
        .assert()
        .success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap().replace(out, "OUT")
}

fn replace(bytes: &mut Vec<u8>, from: &str, to: &str) {
    *bytes = String::from_utf8(bytes.clone()).unwrap().replacen(from, to, 1).into_bytes();
}

fn refused(directory: &TempDir, args: &[&str]) -> String {
    let output = cairn(directory).args(args).assert().code(2);
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

#[test]
fn what_it_begins_with_stays_where_no_round_is_better() {
    let directory = tempfile::tempdir().unwrap();
    tasks(&directory, "training.parquet", "10", &["--seed", "5"]);
    tasks(&directory, "validation.parquet", "6", &["--without", "training.parquet"]);
    let args = "learn --system halide --tasks training.parquet --validation validation.parquet \
                --rounds 1 --cap 1000 --quiet --from halide --out learned";
    let done = cairn(&directory).args(args.split_whitespace()).assert().success();
    let said = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    // Of each round the validation tasks that were proved, and the work of a task.
    let rounds: Vec<[u32; 2]> = said
        .lines()
        .filter(|line| line.ends_with(|last: char| last.is_ascii_digit()))
        .map(|line| line.split_whitespace().rev().collect::<Vec<_>>())
        .map(|words| [words[3], words[0]].map(|word| word.parse().unwrap()))
        .collect();
    let [before, after] = rounds[..] else { panic!("{said}") };
    assert!(before[0] == after[0] && before[1] < after[1], "{said}");
    let system = System::parse(&fs::read_to_string(shipped("systems/halide.rules")).unwrap());
    let read = |path: &std::path::Path| {
        let text = fs::read_to_string(path).unwrap();
        ranking::Ranker::read("a ranker", &text, system.as_ref().unwrap()).unwrap()
    };
    let begun = read(&shipped("rankers/halide.json"));
    let kept = read(&directory.path().join("learned/ranker.json"));
    assert_eq!(kept.origin, begun.origin);
    // What it was chosen by it has seen, too.
    assert!(kept.seen.digests.len() > begun.seen.digests.len());
    assert!(begun.seen.digests.is_subset(&kept.seen.digests));
}

#[test]
fn with_one_thread_and_with_two_and_after_an_interruption() {
    let directory = tempfile::tempdir().unwrap();
    tasks(&directory, "validation.parquet", "12", &[]);
    tasks(&directory, "training.parquet", "30", &["--without", "validation.parquet"]);
    let table = learn(&directory, "one", "1", "2");
    assert_eq!(table.lines().count(), 1 + 3 + 1, "{table}");
    // Each chain of four links has two halves.
    assert!(table.contains(" of 90"), "{table}");
    assert_eq!(learn(&directory, "two", "2", "2"), table);
    let path = |name: &str| directory.path().join(name);
    let read = |name: &str| fs::read(path(name)).unwrap();
    for name in ["round-0.parquet", "ranker-1.json", "ranker-2.json", "ranker.json"] {
        assert_eq!(read(&format!("one/{name}")), read(&format!("two/{name}")), "{name}");
    }
    // As if it had been stopped in the last round.
    for name in ["round-1.json", "round-2.json", "ranker-2.json", "ranker.json"] {
        fs::remove_file(path("two").join(name)).unwrap();
    }
    assert_eq!(learn(&directory, "two", "1", "2"), table);
    assert_eq!(read("one/ranker.json"), read("two/ranker.json"));

    // More rounds can be asked for later.
    learn(&directory, "three", "2", "1");
    assert_eq!(learn(&directory, "three", "2", "2"), table);
    assert_eq!(read("one/ranker.json"), read("three/ranker.json"));

    // What is gone on from is as it was written, or it is refused by its name.
    type Damage = fn(&mut Vec<u8>);
    let ways: [(&str, Damage); 4] = [
        ("round-1.json", |bytes| replace(bytes, "\"round\":1", "\"round\":9")),
        ("round-1.json", |bytes| replace(bytes, "\"proved\":", "\"proved\":1")),
        ("round-0.parquet", |bytes| bytes[1_000] ^= 4),
        ("ranker-2.json", |bytes| replace(bytes, "\"digests\":[\"", "\"digests\":[],\"x\":[\"")),
    ];
    for (name, change) in ways {
        let file = path("three").join(name);
        let whole = fs::read(&file).unwrap();
        let mut damaged = whole.clone();
        change(&mut damaged);
        assert_ne!(damaged, whole, "{name}");
        fs::write(&file, damaged).unwrap();
        let text = refused(
            &directory,
            &["learn", "--system", "halide", "--tasks", "training.parquet", "--validation"]
                .into_iter()
                .chain(["validation.parquet", "--rounds", "2", "--epochs", "2", "--cap", "1000"])
                .chain(["--out", "three"])
                .collect::<Vec<_>>(),
        );
        let expected = format!("{name} is not as it was written");
        assert!(text.contains(&expected), "{text}");
        fs::write(&file, whole).unwrap();
    }
    assert_eq!(learn(&directory, "three", "2", "2"), table);

    // The tasks that it learned from are no measure of it.
    let evaluate = |tasks| {
        let files = ["evaluate", "--system", "halide", "--tasks", tasks, "--out", "results"];
        [&files[..], &["--ranker", "one", "--methods", "deep,ranked"]].concat()
    };
    let text = refused(&directory, &evaluate("training.parquet"));
    assert!(text.contains("the ranker has seen the seeds of 30 of 30 tasks"), "{text}");
    let without = ["--without", "training.parquet", "--without", "validation.parquet"];
    tasks(&directory, "test.parquet", "6", &without);
    cairn(&directory).args(evaluate("test.parquet")).arg("--quiet").assert().success();
    let rows = read_table::<Row>(&path("results/results.parquet")).unwrap();
    let of = |method: &str| rows.iter().filter(|row| row.method == method).collect::<Vec<_>>();
    assert_eq!((of("deep").len(), of("ranked").len()), (6, 6));
    // Another order is another search.
    assert!(of("deep").iter().zip(of("ranked")).any(|(deep, ranked)| deep.work != ranked.work));

    let others = ["learn", "--system", "halide", "--tasks", "training.parquet", "--out", "one"];
    let text = refused(&directory, &[&others[..], &["--validation", "test.parquet"]].concat());
    assert!(text.contains("one already holds what was learned otherwise"), "{text}");
    let own = ["--validation", "training.parquet"];
    let text = refused(&directory, &[&others[..], &own].concat());
    assert!(text.contains("the training has seen the seeds of 30 of 30 tasks"), "{text}");
}

#[test]
fn what_is_shipped_looks_first() {
    let directory = tempfile::tempdir().unwrap();
    tasks(&directory, "tasks.parquet", "6", &[]);
    let system = System::load(&shipped("systems/halide.rules")).unwrap();
    let set = TaskSet::load(&directory.path().join("tasks.parquet"), &system).unwrap();
    let prove = |task: &Task, more: &[&str]| {
        let output = cairn(&directory)
            .args(["prove", "--system", "halide", "--cap", "800", "--out", "proof.json"])
            .args(["--start", &task.start, "--target", &task.target])
            .args(more)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let mut at_once = 0;
    for task in &set.tasks {
        // One e-graph of all matches does not come to the target; that is how tasks are made.
        assert_eq!(prove(task, &["--method", "cap", "--scheduler", "simple"]).0, Some(3));
        let (code, said) = prove(task, &[]);
        if code == Some(0) && said.contains(", 1 e-graph,") {
            at_once += 1;
            // The whole budget of work, and a little of it spent.
            assert!(said.contains(" of 80,000 work"), "{said}");
        }
        // Who says where guides should come from gets these alone.
        let (_, said) = prove(task, &["--method", "descend"]);
        assert!(!said.contains(", 1 e-graph,"), "{said}");
    }
    assert!(at_once >= 4, "{at_once} of 6");
}

#[test]
fn what_is_no_ranker() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("x.json"), "{\"format\": 1}").unwrap();
    let prove = ["prove", "--system", "halide", "--start", "(+ a b)", "--target", "(+ b a)"];
    let with = |more: &[&str]| refused(&directory, &[&prove[..], more].concat());
    let text = with(&["--ranker", "x.json"]);
    assert!(text.starts_with("error: x.json holds no ranker: "), "{text}");
    // None is shipped for this system, so the method that needs one takes that for any.
    let prop = ["prove", "--system", "prop", "--start", "(& a b)", "--target", "(& b a)"];
    for ranker in [&[][..], &["--ranker", "any"]] {
        cairn(&directory).args(prop).args(["--method", "ranked"]).args(ranker).assert().success();
    }
    let text = with(&["--ranker", "nothing.json"]);
    assert!(text.contains("nothing.json"), "{text}");
    let other =
        ["prove", "--system", "prop", "--start", "a", "--target", "a", "--ranker", "halide"];
    let text = refused(&directory, &other);
    assert!(text.contains("was learned for another rewrite system"), "{text}");
}
