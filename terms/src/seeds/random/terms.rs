//! Random terms of a language: of exact size, each equally likely.
//!
//! Terms that differ in the names of their variables only are one term here, as they are for
//! everything that is made of seeds. With N names for the variables of a sort, the terms up to
//! renaming are the orbits of the N! permutations of the names. By Burnside's lemma there are
//!
//! ```text
//! 1/N! · Σ over permutations π  |{t : π t = t}|  =  1/N! · Σ_k C(N, k) · D(N − k) · T_k
//! ```
//!
//! of them, where k names are fixed by C(N, k) · D(N − k) permutations (D(n) of n names leave none
//! in place), and T_k is the number of terms over k names: those that such a permutation fixes.
//! The pairs (π, t) with π t = t are N! for each orbit, so that a uniform pair has a uniform orbit:
//! a term is drawn by choosing k with these weights, then one of the T_k terms. For several sorts
//! with variables the same holds with one permutation for each.

use crate::seeds::normal_form::rename_variables;
use crate::seeds::random::term_numbers::{Signature, TermNumbers};
use anyhow::{Result, ensure};
use egraph::{Language, Leaf, SortId, TermBank, TermId};
use num_bigint::BigUint;
use rand::Rng;
use rayon::prelude::*;
use support::random::below;

/// Tables of counts at most, one for each choice of how many names are fixed in each sort.
const MOST_TABLES: usize = 1_000;

/// What may stand at the leaves of terms, besides operators without arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafSet {
    /// Distinct variables of a term at most, for each sort that has variables.
    pub variables: usize,
    /// Literals, each once.
    pub literals: Vec<Leaf>,
}

/// The terms of some sorts up to a size, counted, to draw from.
#[derive(Clone, Debug)]
pub struct RandomTerms {
    signature: Signature,
    /// The sorts of the terms that are drawn.
    roots: Vec<SortId>,
    /// For each choice of how many names are fixed: in how many permutations they are, and the
    /// terms over these names.
    tables: Vec<(BigUint, TermNumbers)>,
    /// By size: the pairs of a permutation and a term that it fixes.
    pairs: Vec<BigUint>,
    /// How many pairs an orbit has.
    permutations: BigUint,
}

impl RandomTerms {
    /// Counts the terms of the sorts `roots` with at most `largest` nodes.
    ///
    /// Time is proportional to `largest`², times the operators' distinct lists of arguments, times
    /// the tables: one for each number of variables up to `leaves.variables`, combined over the
    /// sorts with variables.
    ///
    /// # Errors
    /// More variables than there can be tables for.
    pub fn new(
        language: &Language,
        leaves: &LeafSet,
        roots: &[SortId],
        largest: usize,
    ) -> Result<RandomTerms> {
        let signature = Signature::new(language, &leaves.literals);
        let sorts = language.variables.len() as u32;
        // A term has no more variables than nodes.
        let names = leaves.variables.min(largest);
        let choices = (names + 1).checked_pow(sorts).filter(|&choices| choices <= MOST_TABLES);
        ensure!(
            choices.is_some(),
            "--variables {}: expected at most {} in terms of {largest} nodes over {sorts} sorts \
             with variables",
            leaves.variables,
            (1..MOST_TABLES)
                .rfind(|n| (n + 1).checked_pow(sorts).is_some_and(|tables| tables <= MOST_TABLES))
                .unwrap_or(0)
        );
        let weights = weights(names);
        let tables = (0..choices.unwrap_or(0)).into_par_iter().filter_map(|mut choice| {
            let mut variables = vec![0; language.sorts.len()];
            let mut weight = BigUint::from(1u8);
            for sort in &language.variables {
                let fixed = choice % (names + 1);
                choice /= names + 1;
                variables[usize::from(sort.0)] = fixed;
                weight *= &weights[fixed];
            }
            let numbers = || TermNumbers::new(&signature, variables, largest);
            (weight > BigUint::ZERO).then(|| (weight, numbers()))
        });
        let tables: Vec<_> = tables.collect();
        let pairs_of = |size| tables.iter().map(|(w, t)| w * of_roots(t, roots, size)).sum();
        Ok(RandomTerms {
            pairs: (0..=largest).map(pairs_of).collect(),
            permutations: (1..=names).product::<BigUint>().pow(sorts),
            roots: roots.to_vec(),
            signature,
            tables,
        })
    }

    /// The number of terms with `size` nodes, up to the names of their variables; zero for sizes
    /// that were not counted.
    pub fn count(&self, size: usize) -> BigUint {
        self.pairs.get(size).map_or(BigUint::ZERO, |pairs| pairs / &self.permutations)
    }

    /// Draws one of the [`RandomTerms::count`] terms of this size, in normal form
    /// (see [`rename_variables`]); `None` if there is none.
    pub fn draw(&self, bank: &mut TermBank, size: usize, rng: &mut impl Rng) -> Option<TermId> {
        let pairs = self.pairs.get(size).filter(|&pairs| *pairs > BigUint::ZERO)?;
        let mut number = below(pairs, rng);
        for (weight, table) in &self.tables {
            for &root in &self.roots {
                let here = weight * table.count(root, size);
                if number >= here {
                    number -= here;
                    continue;
                }
                let term = table.term(&self.signature, bank, root, size, number / weight)?;
                return rename_variables(bank, &[term]).pop();
            }
        }
        None
    }
}

/// The terms of all roots over the names of a table.
fn of_roots(table: &TermNumbers, roots: &[SortId], size: usize) -> BigUint {
    roots.iter().map(|&root| table.count(root, size)).sum()
}

/// C(n, k) · D(n − k) for k from 0 to n: the permutations of n names that leave k of them, and
/// only those, in place, for all choices of the k together.
fn weights(n: usize) -> Vec<BigUint> {
    let mut deranged: Vec<BigUint> = vec![1u8.into(), 0u8.into()];
    let mut choices = vec![BigUint::from(1u8)];
    for i in 1..=n {
        deranged.push(BigUint::from(i) * (&deranged[i] + &deranged[i - 1]));
        choices.push(&choices[i - 1] * (n + 1 - i) / i);
    }
    (0..=n).map(|k| &choices[k] * &deranged[n - k]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    #[test]
    fn permutations_are_counted_by_their_fixed_points() {
        let numbers = |n: usize, expected: &[u32]| {
            assert_eq!(weights(n), expected.iter().map(|&w| w.into()).collect::<Vec<BigUint>>());
        };
        numbers(0, &[1]);
        numbers(1, &[0, 1]);
        numbers(4, &[9, 8, 6, 0, 1]);
    }

    #[test]
    fn more_variables_than_nodes_change_nothing() {
        let system = System::parse("(sort M) (variable M) (op . (M M) M)").unwrap();
        let counts = |variables| {
            let leaves = LeafSet { variables, literals: Vec::new() };
            let terms = RandomTerms::new(&system.language, &leaves, &[SortId(0)], 21).unwrap();
            (0..=21).map(|size| terms.count(size)).collect::<Vec<_>>()
        };
        assert_eq!(counts(21), counts(900));
        // 11 leaves: the Catalan number of 10 times the Bell number of 11.
        assert_eq!(counts(11)[21], BigUint::from(16_796u64 * 678_570));
    }

    #[test]
    fn tables_are_limited() {
        let system = System::parse("(sort A) (sort B) (variable A) (variable B)").unwrap();
        let leaves = LeafSet { variables: 40, literals: Vec::new() };
        let refused = RandomTerms::new(&system.language, &leaves, &[SortId(0)], 50).unwrap_err();
        assert!(refused.to_string().contains("--variables 40: expected at most 30"), "{refused}");
    }
}
