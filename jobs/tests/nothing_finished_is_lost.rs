//! Whatever happens to the processes that do a job, what comes out is what one undisturbed process makes.

use anyhow::{Result, bail};
use jobs::{Described, Job, Outcome, Parts, Shard, found_row, row_file, write_row};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use support::write_atomic;

/// The squares of the first numbers, times a factor.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Squares {
    factor: u64,
    count: u64,
    /// Makes no difference.
    from: String,
}

impl Described for Squares {
    const KIND: &'static str = "squares";
    const WHAT: &'static str = "what was squared";
    const INPUT: &'static str = "numbers";
    const FILE: &'static str = "squares.json";

    fn as_of(&self, now: &Squares) -> Squares {
        Squares { from: now.from.clone(), ..self.clone() }
    }
}

fn squares(factor: u64, count: u64) -> Squares {
    Squares { factor, count, from: "here".into() }
}

/// Ends after so many items: the others are as if the process had been killed meanwhile.
fn until<'a>(squares: &'a Squares, last: &'a AtomicU64) -> Job<'a, &'a Squares, Work<'a>> {
    let work = move |number| {
        let left = last.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        if left.is_err() {
            bail!("killed")
        }
        Ok(squares.factor * number * number)
    };
    Job {
        kind: Squares::KIND,
        items: ("numbers", squares.count),
        settings: squares,
        told: None,
        beside: Some(("beside.txt", b"beside")),
        work: Box::new(work),
    }
}

type Work<'a> = Box<dyn Fn(u64) -> Result<u64> + Sync + 'a>;

/// Fills a directory in place, or goes on with it.
fn run(squares: &Squares, last: u64, out: &Path) -> Result<Vec<u64>> {
    let directory = squares.begin(out, &[("beside.txt", b"beside")], &["rows"])?;
    let find = |number: u64| {
        let expected = |square: &u64| match *square == squares.factor * number * number {
            true => Ok(()),
            false => bail!("it is another"),
        };
        found_row(&directory, &number.to_string(), expected)
    };
    let rows = until(squares, &AtomicU64::new(last)).run(true, find, |number, square| {
        write_row(&directory, &number.to_string(), &square)?;
        Ok(square)
    })?;
    write_atomic(&directory.file("table.txt"), format!("{rows:?}").as_bytes())?;
    Ok(rows)
}

fn part(squares: &Squares, last: u64, shard: Shard, out: &Path) -> Result<Outcome> {
    until(squares, &AtomicU64::new(last)).part((shard, out), None, true)
}

/// All files under a directory that is not hidden, by name; of a journal its lines, in order.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => found.extend(files(&path).into_iter().map(|(n, b)| (format!("{name}/{n}"), b))),
            false => {
                let mut bytes = fs::read(&path).unwrap();
                if name == "items.jsonl" {
                    let mut lines: Vec<&str> =
                        std::str::from_utf8(&bytes).unwrap().split_inclusive('\n').collect();
                    lines.sort_unstable();
                    bytes = lines.concat().into_bytes();
                }
                found.insert(name, bytes);
            }
        }
    }
    found
}

fn merged(paths: &[PathBuf]) -> Result<Vec<u64>> {
    Parts::open(paths)?.each(true, |_, square| Ok(square))
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn stopped_anywhere_and_gone_on_with_a_directory_has_the_same_files(
        count in 0u64..12, stops in prop::collection::vec(0u64..5, 0..4), threads in 1usize..4,
    ) {
        let place = tempfile::tempdir().unwrap();
        let squares = squares(3, count);
        let rows = run(&squares, u64::MAX, &place.path().join("alone")).unwrap();
        let out = place.path().join("out");
        pool(threads).install(|| {
            for last in stops {
                run(&squares, last, &out).ok();
            }
            assert_eq!(run(&squares, u64::MAX, &out).unwrap(), rows);
        });
        prop_assert_eq!(files(&out), files(&place.path().join("alone")));
    }

    #[test]
    fn parts_that_were_stopped_anywhere_are_merged_in_any_order_to_what_one_process_makes(
        count in 0u64..12, parts in 1u32..5, stops in prop::collection::vec(0u64..4, 0..3),
        threads in 1usize..4, order in any::<prop::sample::Index>(),
    ) {
        let place = tempfile::tempdir().unwrap();
        let squares = squares(3, count);
        let rows = run(&squares, u64::MAX, &place.path().join("alone")).unwrap();
        let mut paths = Vec::new();
        for index in 0..parts {
            let out = place.path().join(format!("part-{index}"));
            let shard = Shard { index, count: parts };
            pool(threads).install(|| {
                for &last in &stops {
                    part(&squares, last, shard, &out).ok();
                }
                let made = part(&squares, u64::MAX, shard, &out).unwrap();
                let own = shard.of(count).count();
                // It may have been finished before all stops were used.
                assert!([Outcome::Made { items: own }, Outcome::Already].contains(&made));
            });
            paths.push(out);
        }
        paths.rotate_left(order.index(parts as usize));
        prop_assert_eq!(merged(&paths).unwrap(), rows);
        // All that a part has is in its directory.
        prop_assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1 + parts as usize);
    }

    #[test]
    fn what_one_process_finished_is_kept_until_its_result_is_written_and_done_once(
        count in 0u64..12, stops in prop::collection::vec(0u64..5, 0..4), threads in 1usize..4,
    ) {
        let place = tempfile::tempdir().unwrap();
        let (squares, out) = (squares(3, count), place.path().join("out.txt"));
        // An earlier result stays until there is another.
        fs::write(&out, "earlier").unwrap();
        let done = AtomicU64::new(0);
        let keep = |last: u64| {
            let last = AtomicU64::new(last);
            let job = until(&squares, &last);
            let work = |number| (job.work)(number).inspect(|_| {
                done.fetch_add(1, Ordering::SeqCst);
            });
            let Job { kind, items, settings, told, beside, .. } = job;
            Job { kind, items, settings, told, beside, work }.kept(&out, None, true)
        };
        let rows = pool(threads).install(|| {
            for last in stops {
                keep(last).ok();
            }
            let kept = keep(u64::MAX).unwrap();
            let rows: Vec<u64> = kept.items().collect::<Result<_>>().unwrap();
            prop_assert_eq!(fs::read(&out).unwrap(), b"earlier");
            kept.discard().unwrap();
            Ok(rows)
        })?;
        prop_assert_eq!(rows, run(&squares, u64::MAX, &place.path().join("alone")).unwrap());
        prop_assert_eq!(done.into_inner(), count);
        prop_assert!(!place.path().join(".out.txt.partial").exists());
    }
}

#[test]
fn a_journal_that_was_cut_anywhere_is_gone_on_with_to_the_same_part() {
    let place = tempfile::tempdir().unwrap();
    let (out, staged) = (place.path().join("p"), place.path().join(".p.partial"));
    let (squares, whole) = (squares(7, 5), Shard { index: 0, count: 1 });
    // One thread, so that the lines are in one order.
    let make = |last: u64| pool(1).install(|| part(&squares, last, whole, &out));
    // Its key, as a process leaves it that is killed in its first item.
    make(0).unwrap_err();
    let key = fs::read(staged.join(".key")).unwrap();
    make(u64::MAX).unwrap();
    let expected = files(&out);
    for at in 0..=expected["items.jsonl"].len() {
        fs::rename(&out, &staged).unwrap();
        fs::remove_file(staged.join("part.json")).unwrap();
        fs::write(staged.join(".key"), &key).unwrap();
        fs::write(staged.join("items.jsonl"), &expected["items.jsonl"][..at]).unwrap();
        make(u64::MAX).unwrap();
        assert_eq!(files(&out), expected, "{at}");
    }
    // Killed when the part had its name, before its key went.
    fs::write(out.join(".key"), &key).unwrap();
    fs::write(out.join(".lock"), "").unwrap();
    assert_eq!(make(0).unwrap(), Outcome::Already);
    assert_eq!(files(&out), expected);
}

#[test]
fn what_was_damaged_is_said_and_made_again() {
    let place = tempfile::tempdir().unwrap();
    let (out, squares) = (place.path().join("out"), squares(2, 4));
    let rows = run(&squares, u64::MAX, &out).unwrap();
    let (expected, row) = (files(&out), out.join(row_file("3")));
    for at in 0..fs::read(&row).unwrap().len() {
        let mut damaged = fs::read(&row).unwrap();
        damaged[at] ^= 1;
        fs::write(&row, damaged).unwrap();
        assert_eq!(run(&squares, 1, &out).unwrap(), rows);
        assert_eq!(files(&out), expected, "{at}");
    }
    // Nothing is left to do.
    assert_eq!(run(&squares, 0, &out).unwrap(), rows);
}

#[test]
fn a_directory_of_another_run_is_refused_and_untouched() {
    let place = tempfile::tempdir().unwrap();
    let (out, half) = (place.path().join("out"), place.path().join("half"));
    let whole = Shard { index: 0, count: 1 };
    run(&squares(2, 4), u64::MAX, &out).unwrap();
    part(&squares(2, 4), 2, whole, &half).unwrap_err();
    part(&squares(2, 4), u64::MAX, whole, &place.path().join("part")).unwrap();
    let before = files(place.path());
    let other = squares(5, 4);
    let said = |result: Result<String>| result.unwrap_err().to_string();
    let debug = |outcome: Outcome| format!("{outcome:?}");
    let message = said(run(&other, u64::MAX, &out).map(|_| String::new()));
    let end = "choose another directory (factor is 2, expected 5)";
    assert!(message.contains("out already holds what was squared otherwise, or other numbers"));
    assert!(message.ends_with(end), "{message}");
    let message = said(part(&other, u64::MAX, whole, &half).map(debug));
    assert!(
        message.contains("holds the unfinished work of a run with other arguments"),
        "{message}"
    );
    let kept = |squares: &Squares, last| {
        let last = AtomicU64::new(last);
        until(squares, &last).kept(&out.join("table"), None, true).map(|_| String::new())
    };
    kept(&squares(2, 4), 0).unwrap_err();
    assert!(!out.join(".table.partial").exists(), "nothing was done");
    kept(&squares(2, 4), 2).unwrap_err();
    let message = said(kept(&other, u64::MAX));
    assert!(message.contains(".table.partial holds the unfinished work of a run"), "{message}");
    fs::remove_dir_all(out.join(".table.partial")).unwrap();
    let message = said(part(&other, u64::MAX, whole, &place.path().join("part")).map(debug));
    assert!(message.contains("(settings.factor is 2, expected 5)"), "{message}");
    let message = said(part(&other, u64::MAX, whole, &out).map(debug));
    assert!(message.contains("already holds something else"), "{message}");
    assert_eq!(files(place.path()), before);
    // Where its input lay makes no difference.
    let elsewhere = Squares { from: "elsewhere".into(), ..squares(2, 4) };
    run(&elsewhere, 0, &out).unwrap();
    assert_eq!(Squares::load(&out).unwrap().from, "elsewhere");
}

#[test]
fn a_second_process_in_a_directory_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let (out, named) = (place.path().join("out"), place.path().join("part"));
    let (squares, whole) = (squares(2, 4), Shard { index: 0, count: 1 });
    let refused = |error: anyhow::Error| {
        assert!(error.to_string().contains("another process is writing to"), "{error}");
    };
    let first = squares.begin(&out, &[], &[]).unwrap();
    refused(run(&squares, u64::MAX, &out).unwrap_err());
    drop(first);
    run(&squares, u64::MAX, &out).unwrap();
    // While the first item of a part is done, another process comes.
    let work = |number: u64| {
        refused(part(&squares, u64::MAX, whole, &named).unwrap_err());
        Ok(number)
    };
    let job = Job {
        kind: Squares::KIND,
        items: ("numbers", squares.count),
        settings: &squares,
        told: None,
        beside: None,
        work,
    };
    assert_eq!(job.part((whole, &named), None, true).unwrap(), Outcome::Made { items: 4 });
    assert_eq!(part(&squares, 0, whole, &named).unwrap(), Outcome::Already);
}

#[test]
fn parts_are_all_parts_of_one_run_or_refused() {
    let place = tempfile::tempdir().unwrap();
    let make = |squares: &Squares, index, count| {
        let out = place.path().join(format!("{}-{index}-{count}", squares.factor));
        part(squares, u64::MAX, Shard { index, count }, &out).unwrap();
        out
    };
    let [a, b, c] = [0, 1, 2].map(|index| make(&squares(1, 8), index, 3));
    let message = |paths: &[&PathBuf]| {
        let paths: Vec<PathBuf> = paths.iter().map(|&path| path.clone()).collect();
        merged(&paths).unwrap_err().to_string()
    };
    assert_eq!(message(&[]), "no part to merge");
    assert_eq!(message(&[&a, &c]), "part 1/3 is missing: expected all 3 parts");
    assert!(message(&[&a, &c, &a]).starts_with("part 0/3 is given more than once: "));
    assert!(
        message(&[&a, &b, &make(&squares(2, 8), 2, 3)])
            .ends_with("settings.factor is 2, expected 1")
    );
    assert!(
        message(&[&a, &b, &make(&squares(1, 8), 3, 4)]).contains("shard.count is 4, expected 3")
    );
    for name in ["items.jsonl", "part.json"] {
        let whole = fs::read(b.join(name)).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(b.join(name), damaged).unwrap();
            assert!(message(&[&c, &a, &b]).contains(name), "{at}");
        }
        fs::write(b.join(name), whole).unwrap();
    }
    assert_eq!(merged(&[c, a, b]).unwrap(), [0, 1, 4, 9, 16, 25, 36, 49]);
}

#[test]
fn many_parts_are_merged_with_few_open_files() {
    let place = tempfile::tempdir().unwrap();
    let squares = squares(1, 500);
    let count = 200;
    let paths: Vec<PathBuf> = (0..count)
        .map(|index| {
            let out = place.path().join(format!("part-{index}"));
            pool(1).install(|| part(&squares, u64::MAX, Shard { index, count }, &out)).unwrap();
            out
        })
        .collect();
    let parts = Parts::open(&paths).unwrap();
    // Other tests of this process may have some, too.
    #[cfg(target_os = "linux")]
    assert!(fs::read_dir("/proc/self/fd").unwrap().count() < 150);
    let merged = parts.each(true, |_, square: u64| Ok(square)).unwrap();
    assert_eq!(merged, (0..500).map(|number| number * number).collect::<Vec<_>>());
    let alone = place.path().join("alone");
    part(&squares, u64::MAX, Shard { index: 0, count: 1 }, &alone).unwrap();
    // What changes after it was opened is noticed when it is read, whether the file stayed open or not.
    for parts in [parts, Parts::open(&[alone]).unwrap()] {
        let items = parts.first().join("items.jsonl");
        let mut damaged = fs::read(&items).unwrap();
        let end = damaged.len() - 2;
        damaged[end] ^= 1;
        fs::write(&items, damaged).unwrap();
        let message = format!("{:#}", parts.each(true, |_, square: u64| Ok(square)).unwrap_err());
        assert!(message.contains("items.jsonl: it has changed"), "{message}");
    }
}

#[test]
fn a_part_ends_when_it_has_enough_and_as_soon_after_a_stop() {
    let place = tempfile::tempdir().unwrap();
    let (squares, shard) = (squares(1, 1_000), Shard { index: 0, count: 2 });
    // Of the numbers 0, 2, 4, … those whose squares end in 6.
    let counts = |square: &u64| square % 10 == 6;
    let make = |last: u64, out: &Path| {
        let last = AtomicU64::new(last);
        pool(1).install(|| until(&squares, &last).part((shard, out), Some((20, &counts)), true))
    };
    let (alone, stopped) = (place.path().join("alone"), place.path().join("stopped"));
    // 32 items are done before it is asked again; of these 13 count, and of twice as many 26.
    assert_eq!(make(u64::MAX, &alone).unwrap(), Outcome::Made { items: 64 });
    for last in [5, 40] {
        make(last, &stopped).unwrap_err();
    }
    assert_eq!(make(u64::MAX, &stopped).unwrap(), Outcome::Made { items: 64 });
    assert_eq!(files(&alone), files(&stopped));
}
