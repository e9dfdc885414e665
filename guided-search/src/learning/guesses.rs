//! What to learn guessing from: terms and their normal forms, with the proofs. The normal form is what a model will
//! be shown, the term what it is to write.

use anyhow::{Result, ensure};
use dataset_gen::{PackedRow, ProofRow};

use egraph::{Caps, MAX_DEPTH, System, TermBank, normalise};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use terms::{Seed, rename_variables};

/// Rule steps to a normal form.
const MOST_STEPS: u64 = 20_000;

/// Proofs from normal forms to terms, and what became of the other terms.
#[derive(Debug, Default)]
pub struct Guesses {
    /// The proofs, each of another normal form; in the order of the terms.
    pub rows: Vec<PackedRow>,
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
    /// The normal form, renamed; the nodes of the term, and the proof of it from its normal form.
    Kept {
        form: String,
        size: u64,
        row: PackedRow,
    },
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
    let pair = |seed: &Seed| pair(system, bank, seed, largest);
    let pairs: Vec<Pair> = terms.par_iter().map(pair).collect::<Result<_>>()?;
    let mut guesses = Guesses::default();
    // By normal form, where its row is, and the size of the term.
    let mut places: FxHashMap<String, (usize, u64)> = FxHashMap::default();
    for pair in pairs {
        match pair {
            Pair::NoSmaller => guesses.no_smaller += 1,
            Pair::TooLarge => guesses.too_large += 1,
            Pair::Kept { form, .. } if without.contains(&form) => guesses.left_out += 1,
            Pair::Kept { form, size, row } => match places.entry(form) {
                Entry::Vacant(entry) => {
                    entry.insert((guesses.rows.len(), size));
                    guesses.rows.push(row);
                }
                Entry::Occupied(mut entry) => {
                    guesses.twice += 1;
                    let (place, before) = *entry.get();
                    if size < before {
                        entry.insert((place, size));
                        guesses.rows[place] = row;
                    }
                }
            },
        }
    }
    Ok(guesses)
}

fn pair(system: &System, bank: &TermBank, seed: &Seed, largest: u64) -> Result<Pair> {
    let mut own = TermBank::new(system.language.clone());
    let term = own.import(bank, seed.term);
    let Some(found) = normalise(system, &mut own, term, MOST_STEPS).filter(|found| found.complete)
    else {
        return Ok(Pair::TooLarge);
    };
    let (nodes, size) = (own.size(found.term), own.size(term));
    if nodes <= size {
        return Ok(Pair::NoSmaller);
    }
    if nodes > largest {
        return Ok(Pair::TooLarge);
    }
    let caps = Caps { steps: MOST_STEPS as usize, term_size: MAX_DEPTH as u64 };
    let Ok(flat) = found.proof.flatten(&mut own, caps) else { return Ok(Pair::TooLarge) };
    let flat = flat.reversed();
    let renamed = rename_variables(&mut own, &[found.term])[0];
    let form = own.text(renamed);
    let row = ProofRow {
        seed_id: seed.id.clone(),
        links: 1,
        unshortened: flat.steps.len() as u32,
        ..ProofRow::of(system, &own, &flat)
    };
    Ok(Pair::Kept { form, size, row: PackedRow::of(&row)? })
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
        let rows: Vec<ProofRow> = guesses.rows.iter().map(|row| row.row().unwrap()).collect();
        let last = |row: &ProofRow| row.terms.last().unwrap().clone();
        let kept: Vec<String> = rows.iter().map(last).collect();
        assert_eq!(kept, ["(* (+ x y) (+ y x))", "(* (- x 1) (+ x 3))"]);
        let Guesses { no_smaller, too_large, twice, left_out, .. } = guesses;
        assert_eq!((no_smaller, too_large, twice, left_out), (1, 0, 2, 1));
        for row in &rows {
            let mut own = TermBank::new(system.language.clone());
            let proof = row.proof(&system, &mut own).unwrap();
            check_flat(&system, &own, &proof).unwrap();
            assert!(own.size(proof.terms[0]) > own.size(proof.terms[proof.steps.len()]));
        }
        let small = guesses_of(&system, &bank, &terms, &without, 8).unwrap();
        assert_eq!((small.rows.len(), small.too_large), (0, 5));
    }
}
