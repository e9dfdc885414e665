//! The examples of a dataset are read from one file beside its tables; what is damaged or of another
//! dataset is made again.

use crate::common;
use model::config::Config;
use model::network::ops::loss::targets::members;
use model::tokens::literals::Literals;
use model::tokens::vocabulary::Token;
use model::training::examples::data::{Dataset, Example, ReadingStopped};
use model::training::examples::names::Names;
use model::training::examples::token_file::Examples;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

const NAME: &str = ".tokens-50.bin";

fn config(literals: Literals, names: Names) -> Config {
    let mut config = common::small_config();
    (config.model.max_tokens, config.model.literals) = (50, literals);
    config.training.names = names;
    config
}

fn open(data: &Path, other: &Path) -> Examples {
    open_for(data, other, Literals::Spelled, Names::First)
}

fn open_for(data: &Path, other: &Path, literals: Literals, names: Names) -> Examples {
    let dataset = Dataset::load(data).unwrap();
    Examples::open(&dataset, &config(literals, names), None, other, &false.into()).unwrap()
}

fn all(examples: &Examples) -> (Vec<Example>, Vec<Example>) {
    let [train, validation] = examples.counts();
    let train = (0..train).map(|i| examples.train(i).unwrap()).collect();
    (train, examples.validation(validation).unwrap())
}

fn modified(path: &Path) -> SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

/// One for each way in which literals become tokens.
#[test]
fn named_literals_have_a_file_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    common::write_dataset(&data, &common::triples(1, 40), &common::triples(2, 9));
    let spelled = open(&data, &other);
    let named = open_for(&data, &other, Literals::Named, Names::First);
    assert_eq!(named.vocabulary.literals(), Literals::Named);
    assert_eq!(open(&data, &other).vocabulary.literals(), Literals::Spelled);
    assert_eq!(spelled.counts(), named.counts());
    assert!(data.join(NAME).exists() && data.join(".tokens-50-named.bin").exists());
}

/// Half of the training examples have names that others would have who need more; the first comes before the second
/// still, what is copied is the same, and the loss is over the names that stand there. Validation is as decoding is.
#[test]
fn names_are_spread_over_half_of_the_training_examples() {
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    common::write_dataset(&data, &common::triples(1, 200), &common::triples(2, 9));
    let first = open_for(&data, &other, Literals::Named, Names::First);
    let spread = open_for(&data, &other, Literals::Named, Names::Spread);
    assert!(data.join(".tokens-50-named.bin").exists());
    assert!(data.join(".tokens-50-named-spread.bin").exists());
    let ((before, validation), (after, validation_after)) = (all(&first), all(&spread));
    let allowed = |examples: &Examples, example: &Example| -> Vec<Vec<usize>> {
        let set = |mask: &u32| members(examples.masks.get(*mask)).collect();
        example.masks.iter().map(set).collect()
    };
    assert_eq!(validation.len(), 9);
    for (before, after) in validation.iter().zip(&validation_after) {
        assert_eq!(before.tokens, after.tokens);
        assert_eq!(allowed(&first, before), allowed(&spread, after));
    }
    let (mut others, mut seen) = (0, BTreeSet::new());
    for (before, after) in before.iter().zip(&after) {
        let mut renamed = BTreeMap::new();
        for (old, new) in before.tokens.iter().flatten().zip(after.tokens.iter().flatten()) {
            assert_eq!(renamed.insert(*old, *new).unwrap_or(*new), *new);
        }
        assert!(renamed.values().is_sorted_by(|a, b| a < b));
        others += usize::from(before.tokens != after.tokens);
        seen.extend(renamed.values().copied());
        // What may be copied is renamed, too, and all else may stand where it might before.
        let sets = allowed(&first, before).into_iter().zip(allowed(&spread, after));
        for (before, after) in sets {
            let new = |token: usize| renamed.get(&(token as Token)).map_or(token, |t| *t as usize);
            let mut expected: Vec<usize> = before.into_iter().map(new).collect();
            expected.sort_unstable();
            assert_eq!(expected, after);
        }
    }
    assert!((70..130).contains(&others), "{others}");
    for name in (0..16).flat_map(|i| [format!("v{i}"), format!("#{i}")]) {
        let [token] = spread.vocabulary.spell(&name).unwrap()[..] else { panic!("{name}") };
        assert!(seen.contains(&token), "{name}");
    }
}

#[test]
fn it_is_made_once_and_again_when_it_is_damaged() {
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    common::write_dataset(&data, &common::triples(1, 60), &common::triples(2, 9));
    let first = open(&data, &other);
    let (train, validation) = all(&first);
    assert_eq!((train.len(), validation.len(), first.left_out()), (60, 9, [0, 0]));
    for example in train.iter().chain(&validation) {
        assert_eq!(example.masks.len(), example.tokens[2].len());
        example.trees(&first.vocabulary).unwrap();
    }
    let path = data.join(NAME);
    let (whole, time) = (std::fs::read(&path).unwrap(), modified(&path));
    assert_eq!(all(&open(&data, &other)), (train.clone(), validation.clone()));
    assert_eq!(modified(&path), time, "it was made a second time");

    for at in (0..whole.len()).step_by(whole.len() / 23) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&path, &damaged).unwrap();
        assert_eq!(all(&open(&data, &other)), (train.clone(), validation.clone()), "{at}");
        assert!(std::fs::read(&path).unwrap() == whole);
    }
    for length in [0, 3, 50, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(all(&open(&data, &other)), (train.clone(), validation.clone()), "{length}");
        assert!(std::fs::read(&path).unwrap() == whole);
    }
    std::fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
    assert_eq!(all(&open(&data, &other)).0, train);
    assert!(!other.exists());
}

#[test]
fn that_of_another_dataset_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    for (name, seed) in [("a", 1), ("b", 7)] {
        common::write_dataset(&path(name), &common::triples(seed, 30), &common::triples(2, 9));
    }
    let [a, b] = ["a", "b"].map(|name| all(&open(&path(name), &path("other"))));
    assert_ne!(a, b);
    std::fs::copy(path("a").join(NAME), path("b").join(NAME)).unwrap();
    assert_eq!(all(&open(&path("b"), &path("other"))), b);
    // The same directory with other triples in it.
    common::write_dataset(&path("a"), &common::triples(7, 30), &common::triples(2, 9));
    assert_eq!(all(&open(&path("a"), &path("other"))), b);
}

#[test]
fn it_is_beside_the_model_where_the_dataset_can_not_be_written_to() {
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    common::write_dataset(&data, &common::triples(1, 30), &common::triples(2, 9));
    std::fs::create_dir(&other).unwrap();
    // A directory in the way stands for one that can't be written to: a superuser may write to any.
    std::fs::create_dir_all(data.join(NAME).join("full")).unwrap();
    let first = all(&open(&data, &other));
    let time = modified(&other.join(NAME));
    assert_eq!(all(&open(&data, &other)), first);
    assert_eq!(modified(&other.join(NAME)), time);
}

#[test]
fn whoever_comes_second_waits_for_it() {
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    common::write_dataset(&data, &common::triples(1, 60), &common::triples(2, 9));
    let found: Vec<_> = std::thread::scope(|scope| {
        let one = || all(&open(&data, &other));
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(!other.exists());
}

#[test]
fn a_part_has_the_examples_of_its_seeds_and_the_whole_validation() {
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    let mut triples = common::triples(1, 60);
    triples.iter_mut().for_each(|triple| triple.seed = triple.id as u32 % 7);
    common::write_dataset(&data, &triples, &common::triples(2, 9));
    let (train, validation) = all(&open(&data, &other));
    let part = open(&data, &other).of_seeds(|seed| [2, 5].contains(&seed)).unwrap();
    let expected: Vec<Example> = train
        .iter()
        .enumerate()
        .filter(|(i, _)| [2, 5].contains(&(i % 7)))
        .map(|e| e.1.clone())
        .collect();
    let mut counts = vec![0; part.vocabulary.len()];
    expected.iter().flat_map(|e| &e.tokens[2]).for_each(|token| counts[*token as usize] += 1);
    assert_eq!(part.token_counts(), counts);
    assert!(part.train_seeds().iter().all(|seed| [2, 5].contains(seed)));
    assert_eq!(part.train_lengths().len(), expected.len());
    assert_eq!(all(&part), (expected, validation));
}

#[test]
fn who_is_asked_to_stop_while_it_is_made_leaves_nothing_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let (data, other) = (directory.path().join("data"), directory.path().join("other"));
    common::write_dataset(&data, &common::triples(1, 20_000), &common::triples(2, 9));
    let names = || -> Vec<_> {
        let entries = std::fs::read_dir(&data).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (dataset, before) = (Dataset::load(&data).unwrap(), names());
    let refused = |stop: &AtomicBool| {
        let error =
            Examples::open(&dataset, &config(Literals::Spelled, Names::First), None, &other, stop)
                .err()
                .unwrap();
        assert!(error.is::<ReadingStopped>(), "{error:#}");
        assert_eq!(names(), before);
    };
    refused(&true.into());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while names() == before {
                std::thread::sleep(Duration::from_micros(200));
            }
            stop.store(true, Ordering::Relaxed);
        });
        refused(&stop);
    });
    assert!(!other.exists());
    let whole = open(&data, &other);
    assert_eq!(whole.counts()[0] + whole.left_out()[0], 20_000);
}
