//! Threads that share a model, and tasks that are asked for together, get the answers, to the last bit, that
//! each would get alone.

use crate::common;
use egraph::{TermBank, TermId};
use model::{DecodeOptions, Guide, GuideModel};

const TASKS: usize = 12;

/// The questions, in a bank of their own.
fn questions(model: &GuideModel) -> (TermBank, Vec<(TermId, TermId)>) {
    let mut bank = TermBank::new(model.language().clone());
    let triples = common::triples(9, TASKS);
    let tasks = triples.iter().map(|triple| {
        let [start, _, target] = triple.terms(&mut bank).unwrap();
        (start, target)
    });
    let tasks = tasks.collect();
    (bank, tasks)
}

fn options(seed: u64) -> DecodeOptions {
    DecodeOptions { nucleus: 0.99, temperature: 1.5, guides: 4, max_size: 20, seed }
}

/// What was written and how likely it is, apart from the bank.
fn bits(bank: &TermBank, guides: &[Guide]) -> Vec<(String, [u32; 2])> {
    let numbers = |g: &Guide| [g.log_probability.to_bits(), g.log_proposal.to_bits()];
    guides.iter().map(|g| (bank.text(g.term), numbers(g))).collect()
}

#[test]
fn as_alone() {
    let model = common::small_model(20);
    let alone: Vec<_> = (0..TASKS)
        .map(|i| {
            let (mut bank, tasks) = questions(&model);
            let guides = model.guides(&mut bank, &tasks[i..=i], &options(i as u64)).unwrap();
            bits(&bank, &guides[0])
        })
        .collect();
    assert!(alone.iter().all(|guides| !guides.is_empty()));
    std::thread::scope(|scope| {
        for (i, alone) in alone.iter().enumerate() {
            let model = &model;
            scope.spawn(move || {
                let (mut bank, tasks) = questions(model);
                for _ in 0..3 {
                    let together = model.guides(&mut bank, &tasks, &options(i as u64)).unwrap();
                    assert_eq!(&bits(&bank, &together[i]), alone);
                }
            });
        }
    });
}
