//! What holds of every generated dataset.

use crate::small_dataset::{RULES, place, quiet, tree};
use dataset_gen::{DatasetInfo, SYSTEM_FILE, Split, dataset_page, generate, inspect, read_triples};

use egraph::{System, TermBank};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use terms::rename_variables;

#[test]
fn no_pair_is_shared_between_splits_and_no_triple_is_there_twice() {
    let place = place();
    let out = place.path("data");
    let info = generate(&place.config, &out, &quiet(2, 1)).unwrap();
    let mut owner: BTreeMap<(String, String), Split> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut ids = BTreeSet::new();
    let mut seeds: BTreeMap<u32, Split> = BTreeMap::new();
    for split in Split::ALL {
        let triples = read_triples(&out, split).unwrap();
        assert!(!triples.is_empty(), "{split} is empty");
        assert_eq!(triples.len() as u64, info.splits[&split].num_examples);
        for t in triples {
            assert_eq!(*seeds.entry(t.seed).or_insert(split), split, "a seed is in two splits");
            assert!(ids.insert(t.id), "an id is there twice");
            let pair = (t.start.clone(), t.target.clone());
            assert_eq!(*owner.entry(pair).or_insert(split), split, "a pair is in two splits");
            assert!(seen.insert((t.start, t.guide, t.target)), "a triple is there twice");
        }
    }
    // The first two seeds differ in the names of their variables only.
    let twins = [seeds.get(&0), seeds.get(&1)];
    assert!(twins.contains(&None) || twins[0] == twins[1]);
}

#[test]
fn triples_are_terms_in_normal_form_with_their_sizes() {
    let place = place();
    let out = place.path("data");
    generate(&place.config, &out, &quiet(1, 0)).unwrap();
    let system = System::load(&out.join(SYSTEM_FILE)).unwrap();
    assert_eq!(system.hash, DatasetInfo::load(&out).unwrap().system_hash());
    let mut bank = TermBank::new(system.language.clone());
    for split in Split::ALL {
        for t in read_triples(&out, split).unwrap() {
            let [start, guide, target] = t.terms(&mut bank).unwrap();
            let renamed = rename_variables(&mut bank, &[start, target, guide]);
            assert_eq!(renamed, [start, target, guide]);
            let sizes = [start, guide, target].map(|term| bank.size(term) as u32);
            assert_eq!(sizes, [t.start_size, t.guide_size, t.target_size]);
            assert!(start != guide && guide != target && start != target);
            assert!(t.steps_start_guide >= 1 && t.steps() >= 5);
            assert!(t.steps_start_guide.abs_diff(t.steps_guide_target) <= 1);
        }
    }
}

#[test]
fn one_and_two_threads_give_the_same_bytes_and_another_seed_gives_others() {
    let place = place();
    let run = |name: &str, threads: usize, seed: u64| {
        generate(&place.config, &place.path(name), &quiet(threads, seed)).unwrap();
        tree(&place.path(name))
    };
    let one = run("one", 1, 0);
    assert_eq!(one, run("two", 2, 0));
    let names: Vec<PathBuf> = one.keys().cloned().collect();
    let expected = [
        "README.md",
        "data/test-00000-of-00001.parquet",
        "data/train-00000-of-00001.parquet",
        "data/validation-00000-of-00001.parquet",
        "dataset_info.json",
        "proofs/test-00000-of-00001.parquet",
        "proofs/train-00000-of-00001.parquet",
        "proofs/validation-00000-of-00001.parquet",
        "system.rules",
    ];
    assert_eq!(names, expected.map(PathBuf::from));
    assert_ne!(one, run("other", 2, 1));
}

#[test]
fn inspection_agrees_with_the_description() {
    let place = place();
    let out = place.path("data");
    let info = generate(&place.config, &out, &quiet(2, 0)).unwrap();
    let found = inspect(&out, 2).unwrap();
    assert_eq!(found.info, info);
    for split in Split::ALL {
        assert_eq!(found.stats[&split].triples, info.splits[&split].num_examples);
    }
    assert_eq!(found.examples.len(), 2);
    assert!(found.text().contains(&found.examples[0].guide));
    let json: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
    assert_eq!(json["splits"]["train"]["triples"], info.splits[&Split::Train].num_examples);
    assert_eq!(json["splits"]["train"]["steps"]["buckets"][0]["from"], 5);
    let page = dataset_page(&found);
    assert_eq!(page.matches("<svg").count(), 5);
    assert!(page.contains(&found.examples[1].guide.replace('<', "&lt;").replace('>', "&gt;")));
    assert_eq!(inspect(&out, 0).unwrap().examples, []);
    let all = info.splits[&Split::Train].num_examples as usize;
    assert_eq!(inspect(&out, 2 * all).unwrap().examples.len(), all);
}

#[test]
fn an_e_graph_with_a_conflict_is_left_out_and_counted() {
    let mut place = place();
    let rules = format!("{} (rewrite (* ?a 100) 7 :name wrong)", RULES);
    std::fs::write(place.path("wrong.rules"), rules).unwrap();
    std::fs::write(place.path("two.txt"), "(+ a (+ b (+ c d)))\n(+ a (* 3 100))\n").unwrap();
    place.config.system = Some(place.path("wrong.rules").into());
    place.config.seeds = Some(place.path("two.txt").into());
    let info = generate(&place.config, &place.path("data"), &quiet(1, 0)).unwrap();
    assert_eq!(info.cairn.totals.conflicts, 1);
    assert!(info.cairn.seeds[1].classes.is_empty());
}
