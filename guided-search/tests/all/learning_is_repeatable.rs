//! Two rounds of learning: the same from the same tasks, and gone on with where they were.

use crate::shared::halide_tasks;
use guided_search::{Cap, Course, LEARNING_FILE, Learning, RANKER_FILE, TaskPractice, learn};
use std::path::Path;

fn learned(rounds: u32, out: &Path) -> (Vec<u64>, Vec<u8>) {
    let (system, training) = halide_tasks(12, false);
    let (_, validation) = halide_tasks(6, true);
    let learning = Learning {
        version: "test".to_owned(),
        system_hash: system.hash.clone(),
        tasks: ["t", "v"].map(str::to_owned),
        cap: Cap::Nodes(400),
        optimise: None,
        from: None,
        rounds,
        epochs: 1,
        seed: 0,
    };
    let mut reported = Vec::new();
    let mut report = |round: &guided_search::Round| reported.push(round.proved);
    let practice = TaskPractice::new(&system, [&training, &validation], learning.cap);
    let course = Course { learning: &learning, system: &system, practice: &practice, from: None };
    let (found, _) = learn(&course, out, true, &mut report).unwrap();
    assert_eq!(found.iter().map(|round| round.proved).collect::<Vec<_>>(), reported);
    assert!(out.join(LEARNING_FILE).exists());
    (reported, std::fs::read(out.join(RANKER_FILE)).unwrap())
}

#[test]
fn two_rounds_at_once_are_two_rounds_one_after_the_other() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at_once = learned(2, one.path());
    assert_eq!(at_once.0.len(), 3);
    learned(1, other.path());
    assert_eq!(learned(2, other.path()), at_once);
}
