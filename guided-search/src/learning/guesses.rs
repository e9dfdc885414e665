//! What to learn guessing from: terms and their normal forms, with the proofs. The normal form is what a model will
//! be shown, the term what it is to write.

use anyhow::{Result, ensure};
use dataset_gen::ProofRow;

use egraph::{Caps, MAX_DEPTH, System, TermBank, normalise};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use terms::{Seed, rename_variables};

/// Rule steps to a normal form.
const MOST_STEPS: u64 = 20_000;

/// Proofs from normal forms to terms, and what became of the other terms.
#[derive(Debug, Default)]
pub struct Guesses {
    /// The proofs, each of another normal form; in the order of the terms.
    pub rows: Vec<ProofRow>,
    /// Terms that are no smaller than their normal forms.
    pub no_smaller: u64,
    /// Terms whose normal forms are larger than asked for, or not found.
    pub too_large: u64,
    /// Terms with the normal form of a smaller one, or of an equal one before it.
    pub twice: u64,
    /// Terms with the normal form of one that was to be left out.
    pub left_out: u64,
}

/// What one term comes to.
enum Pair {
    NoSmaller,
    TooLarge,
    /// The normal form, renamed, and the proof of the term from it.
    Kept(String, Box<ProofRow>),
}

/// Of terms that have the same normal form, after renaming, the smallest, unless one of `without` has it; normal forms have
/// at most `largest` nodes.
///
/// # Errors
/// The system declares no normal form.
pub fn guesses_of(
    system: &System,
    bank: &TermBank,
    terms: &[Seed],
    without: &[Seed],
    largest: u64,
) -> Result<Guesses> {
    ensure!(
        system.normal_form.is_some(),
        "the system has no normal form to guess terms from: expected (normal-form RULESET) in the rules file"
    );
    let form = |seed: &Seed| {
        let mut own = TermBank::new(system.language.clone());
        let term = own.import(bank, seed.term);
        let found = normalise(system, &mut own, term, MOST_STEPS)?;
        let renamed = rename_variables(&mut own, &[found.term])[0];
        found.complete.then(|| own.text(renamed))
    };
    let without: FxHashSet<String> = without.par_iter().filter_map(form).collect();
    let pairs: Vec<Pair> = terms.par_iter().map(|seed| pair(system, bank, seed, largest)).collect();
    let mut guesses = Guesses::default();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    for pair in pairs {
        match pair {
            Pair::NoSmaller => guesses.no_smaller += 1,
            Pair::TooLarge => guesses.too_large += 1,
            Pair::Kept(form, _) if without.contains(&form) => guesses.left_out += 1,
            Pair::Kept(form, row) => match places.get(&form) {
                None => {
                    places.insert(form, guesses.rows.len());
                    guesses.rows.push(*row);
                }
                Some(&place) => {
                    guesses.twice += 1;
                    let before = &mut guesses.rows[place];
                    if size(&row) < size(before) {
                        *before = *row;
                    }
                }
            },
        }
    }
    Ok(guesses)
}

/// Nodes of the term that a proof leads to: each is a word.
fn size(row: &ProofRow) -> usize {
    row.terms.last().map_or(0, |term| term.split_whitespace().count())
}

fn pair(system: &System, bank: &TermBank, seed: &Seed, largest: u64) -> Pair {
    let mut own = TermBank::new(system.language.clone());
    let term = own.import(bank, seed.term);
    let Some(found) = normalise(system, &mut own, term, MOST_STEPS).filter(|found| found.complete)
    else {
        return Pair::TooLarge;
    };
    let nodes = own.size(found.term);
    if nodes <= own.size(term) {
        return Pair::NoSmaller;
    }
    let caps = Caps { steps: MOST_STEPS as usize, term_size: MAX_DEPTH as u64 };
    let Ok(flat) = found.proof.flatten(&mut own, caps) else { return Pair::TooLarge };
    if nodes > largest {
        return Pair::TooLarge;
    }
    let flat = flat.reversed();
    let renamed = rename_variables(&mut own, &[found.term])[0];
    let form = own.text(renamed);
    let row = ProofRow {
        seed_id: seed.id.clone(),
        links: 1,
        unshortened: flat.steps.len() as u32,
        ..ProofRow::of(system, &own, &flat)
    };
    Pair::Kept(form, Box::new(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::check_flat;
    use support::InputFile;
    use terms::load_seeds;

    #[test]
    fn of_equal_terms_the_smallest_is_learned_from() {
        let rules = include_str!("../../../configs/systems/polynomials.rules");
        let system = System::parse(rules).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let directory = tempfile::tempdir().unwrap();
        let mut seeds = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            load_seeds(&InputFile::Path(path), &system, &mut bank, None).unwrap()
        };
        let terms = seeds(
            "terms.txt",
            "(* (+ x y) (+ y x))\n(* (- x 1) (+ x 3))\n(+ x y)\n(* (+ x 1) (+ x 1))\n\
             (+ (* (+ b c) b) (* c (+ b c)))\n(* (+ z (* 1 y)) (+ y z))\n",
        );
        let without = seeds("without.txt", "(+ (* a a) (+ (* 2 a) 1))\n");
        let guesses = guesses_of(&system, &bank, &terms, &without, 100).unwrap();
        let last = |row: &ProofRow| row.terms.last().unwrap().clone();
        let kept: Vec<String> = guesses.rows.iter().map(last).collect();
        assert_eq!(kept, ["(* (+ x y) (+ y x))", "(* (- x 1) (+ x 3))"]);
        let Guesses { no_smaller, too_large, twice, left_out, .. } = guesses;
        assert_eq!((no_smaller, too_large, twice, left_out), (1, 0, 2, 1));
        for row in &guesses.rows {
            let mut own = TermBank::new(system.language.clone());
            let proof = row.proof(&system, &mut own).unwrap();
            check_flat(&system, &own, &proof).unwrap();
            assert!(own.size(proof.terms[0]) > own.size(proof.terms[proof.steps.len()]));
        }
        let small = guesses_of(&system, &bank, &terms, &without, 8).unwrap();
        assert_eq!((small.rows.len(), small.too_large), (0, 5));
    }
}
