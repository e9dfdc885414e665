//! The seeds in `configs/seeds` are terms of the system of the same name, each printed as it is
//! written, and no two are equal after renaming variables.

use egraph::System;
use egraph::parse_all;
use egraph::{Leaf, LeafValue};
use egraph::{TermBank, TermId};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

fn configs(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../configs").join(path)
}

struct Seeds {
    bank: TermBank,
    terms: Vec<TermId>,
}

/// Reads the seeds of a system and asserts that parsing, printing and parsing is the identity.
fn load(name: &str) -> Seeds {
    let system = System::load(&configs(&format!("systems/{name}.rules"))).unwrap();
    let text = std::fs::read_to_string(configs(&format!("seeds/{name}.txt"))).unwrap();
    let mut bank = TermBank::new(system.language);
    let mut terms = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if parse_all(line).unwrap().is_empty() {
            continue;
        }
        let term = bank.parse(line, None).unwrap_or_else(|e| panic!("{name}.txt:{}: {e}", i + 1));
        assert_eq!(bank.text(term), line, "{name}.txt:{}", i + 1);
        assert_eq!(bank.parse(&bank.text(term), None).unwrap(), term);
        terms.push(term);
    }
    Seeds { bank, terms }
}

/// The number of seeds that differ after variables are numbered by first occurrence.
fn distinct_after_renaming(seeds: &mut Seeds) -> usize {
    let mut seen = HashSet::new();
    for &term in &seeds.terms {
        let names: Vec<Leaf> = seeds.bank.variables(term).into_iter().cloned().collect();
        let numbers: HashMap<Leaf, String> =
            names.into_iter().enumerate().map(|(i, leaf)| (leaf, format!("v{i}"))).collect();
        let renamed = seeds.bank.map_leaves(term, &mut |leaf| match numbers.get(leaf) {
            Some(name) => Leaf { value: LeafValue::Variable(name.clone()), ..leaf.clone() },
            None => leaf.clone(),
        });
        seen.insert(renamed);
    }
    seen.len()
}

#[test]
fn halide() {
    let mut seeds = load("halide");
    assert!(seeds.terms.len() >= 200, "{} seeds", seeds.terms.len());
    assert_eq!(distinct_after_renaming(&mut seeds), seeds.terms.len());
    let bank = &seeds.bank;
    for &term in &seeds.terms {
        assert!(
            (7..=40).contains(&bank.size(term)),
            "{} nodes: {}",
            bank.size(term),
            bank.text(term)
        );
    }
    let roots: Vec<&str> =
        seeds.terms.iter().map(|&t| bank.language().sort_name(bank.sort(t))).collect();
    for sort in ["Int", "Bool"] {
        let count = roots.iter().filter(|root| **root == sort).count();
        assert!(count >= 80, "{count} of sort {sort}");
    }
}

fn are_many_and_distinct(name: &str, least: usize) {
    let mut seeds = load(name);
    assert!(seeds.terms.len() >= least, "{} seeds", seeds.terms.len());
    assert_eq!(distinct_after_renaming(&mut seeds), seeds.terms.len());
}

#[test]
fn ring() {
    are_many_and_distinct("ring", 60);
}

#[test]
fn math() {
    are_many_and_distinct("math", 20);
}

#[test]
fn bitvectors() {
    are_many_and_distinct("bitvectors", 100);
}

#[test]
fn gelu() {
    are_many_and_distinct("gelu", 15);
}

#[test]
fn bounds() {
    are_many_and_distinct("bounds", 15);
}

#[test]
fn tensor() {
    are_many_and_distinct("tensor", 15);
}

#[test]
fn prop() {
    are_many_and_distinct("prop", 30);
}

#[test]
fn lambda() {
    are_many_and_distinct("lambda", 20);
}

#[test]
fn rise() {
    are_many_and_distinct("rise", 15);
}

#[test]
fn idioms() {
    are_many_and_distinct("idioms", 15);
}

#[test]
fn tiling() {
    are_many_and_distinct("tiling", 15);
}
