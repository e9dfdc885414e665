//! Ten thousand proofs of random pairs for each system in configs/systems.

use crate::common;
use egraph::{Caps, Explainer, Limits, Shortener, System, TermBank, check, check_flat};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};

const PROOFS: usize = 10_000;

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs")
}

/// The left-hand sides of the rules as terms, variables for pattern variables.
fn instances(system: &System, bank: &mut TermBank) -> Vec<egraph::TermId> {
    let show = |rule: &egraph::Rule| {
        let (language, variables) = (&*system.language, &rule.variables);
        let pattern = &rule.lhs;
        egraph::DisplayPattern { language, variables, pattern }.to_string().replace('?', "")
    };
    system.rules.iter().filter_map(|rule| bank.parse(&show(rule), None).ok()).collect()
}

fn prove_random_pairs(name: &str) {
    let system = common::shipped(name);
    let mut bank = TermBank::new(system.language.clone());
    let file = std::fs::read_to_string(configs().join(format!("seeds/{name}.txt")));
    let text = file.unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with(';'));
    let mut seeds: Vec<_> = lines.map(|l| bank.parse(l, None).unwrap()).collect();
    // Without a file of seeds they are made from the system's own rules.
    if seeds.is_empty() {
        seeds = instances(&system, &mut bank);
    }
    seeds.truncate(20);
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut proved = 0;
    let mut shortener = Shortener::new(&system);
    for &seed in seeds.iter().cycle().take(10 * seeds.len()) {
        if proved >= PROOFS {
            break;
        }
        let limits = Limits { nodes: Some(1_500), iterations: Some(12), ..Default::default() };
        let egraph = common::grow(&system, &bank, &[seed], limits);
        let classes: Vec<_> = egraph.classes().filter(|&c| egraph.nodes(c).len() > 1).collect();
        if classes.is_empty() {
            continue;
        }
        let mut explainer = Explainer::new(&egraph);
        for i in 0..PROOFS / seeds.len() + 200 {
            let nodes = egraph.nodes(classes[rng.random_range(0..classes.len())]);
            let mut pick = || egraph.term(&mut bank, nodes[rng.random_range(0..nodes.len())]);
            let (a, b) = (pick(), pick());
            if a == b || bank.size(a) > 100 || bank.size(b) > 100 {
                continue;
            }
            let proof = explainer.explain(&mut bank, a, b).expect("terms of one class");
            check(&system, &bank, &proof).unwrap_or_else(|e| panic!("{e}: {proof:?}"));
            assert_eq!((proof.start(), proof.end()), (a, b));
            proved += 1;
            let caps = Caps { steps: 100, term_size: 200 };
            if i % 20 == 0
                && let Ok(flat) = proof.flatten(&mut bank, caps)
            {
                check_flat(&system, &bank, &flat).unwrap();
                let short = shortener.shorten(&mut bank, &flat, caps.term_size);
                check_flat(&system, &bank, &short).unwrap();
                assert!(short.steps.len() <= flat.steps.len());
            }
        }
    }
    assert!(proved >= PROOFS, "{name}: {proved} proofs");
}

#[test]
fn are_accepted_for_halide() {
    prove_random_pairs("halide");
}

#[test]
fn are_accepted_for_math() {
    prove_random_pairs("math");
}

#[test]
fn are_accepted_for_all_others() {
    let mut seen = 0;
    for file in std::fs::read_dir(configs().join("systems")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_some_and(|e| e == "rules")
            && !["halide", "math"].contains(&name.as_str())
        {
            prove_random_pairs(&name);
            seen += 1;
        }
    }
    assert!(seen >= 3);
}
