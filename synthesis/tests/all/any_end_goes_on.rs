//! The number of threads does not matter, and neither does where a search was stopped: in the end the bytes are the same.

use crate::common::{search, words};
use std::fs;
use std::path::Path;
use synthesis::{Ended, FindOptions};

fn options() -> FindOptions {
    FindOptions {
        variables: Some(2),
        inputs: Some(16),
        condition_size: Some(3),
        ..FindOptions::default()
    }
}

fn language() -> String {
    words(3, "+ * neg /")
}

fn files(out: &Path) -> [Vec<u8>; 3] {
    ["found.rules", "stages.jsonl", "search.json"].map(|name| fs::read(out.join(name)).unwrap())
}

#[test]
fn one_thread_and_two_write_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let [one, two] = [1, 2].map(|threads| {
        let out = place.path().join(threads.to_string());
        let outcome = search(&language(), &options(), 3, threads, &out);
        assert!(matches!(outcome.ended, Ended::All { .. }), "{outcome:?}");
        files(&out)
    });
    assert!(one == two);
}

#[test]
fn a_search_that_came_to_its_limit_goes_on_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let whole = place.path().join("whole");
    let terms = search(&language(), &options(), 0, 1, &whole).terms;
    let parts = place.path().join("parts");
    let mut early = 0;
    for work in [1, terms / 3, terms / 2] {
        let limited = FindOptions { work: Some(work), ..options() };
        let outcome = search(&language(), &limited, 0, 1, &parts);
        early += usize::from(matches!(outcome.ended, Ended::Early { .. }));
        // What there is by then is a rules file.
        egraph::System::parse(&fs::read_to_string(parts.join("found.rules")).unwrap()).unwrap();
    }
    assert!(early >= 2, "{early}");
    search(&language(), &options(), 0, 1, &parts);
    assert!(files(&parts) == files(&whole));
}

#[test]
fn a_killed_search_loses_no_finished_stage() {
    let place = tempfile::tempdir().unwrap();
    let whole = place.path().join("whole");
    let terms = search(&language(), &options(), 0, 1, &whole).terms;
    let journal = fs::read(whole.join("stages.jsonl")).unwrap();
    for at in [0, journal.len() / 3, journal.len() / 2, journal.len() - 1, journal.len()] {
        // As a process leaves it that is killed while it writes.
        let killed = place.path().join(at.to_string());
        fs::create_dir(&killed).unwrap();
        for name in ["search.json", "language.rules"] {
            fs::copy(whole.join(name), killed.join(name)).unwrap();
        }
        fs::write(killed.join("stages.jsonl"), &journal[..at]).unwrap();
        let outcome = search(&language(), &options(), 0, 1, &killed);
        assert!(files(&killed) == files(&whole), "{at}");
        assert!((outcome.terms < terms) == (at > journal.len() / 4), "{at}: {}", outcome.terms);
    }
}

#[test]
fn the_directory_of_another_search_is_refused_and_stays() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    search(&language(), &options(), 0, 1, &out);
    let before = files(&out);
    let (aim, ends) = FindOptions { size: Some(4), ..options() }.settle().unwrap();
    let run = support::Run { threads: Some(1), seed: 0, quiet: true };
    let again = synthesis::find(
        ("words.rules", &language()),
        None,
        (&aim, ends),
        Vec::new(),
        (&run, Default::default()),
        &out,
    );
    let error = again.unwrap_err().to_string();
    assert!(error.contains("choose another directory"), "{error}");
    assert!(files(&out) == before);
}
