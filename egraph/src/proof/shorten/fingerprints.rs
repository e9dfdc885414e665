//! Numbers that tell terms apart without a bank that holds them.
//!
//! A search comes by many more terms than it looks at twice. Entered in a bank, they would take
//! most of its time and memory; a fingerprint is a few multiplications. Two terms may have the
//! same one, though hardly ever: users of fingerprints look at the terms in the end.

use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Head;

/// The fingerprints of all terms of one bank.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    of: Vec<u64>,
    /// By how many bits fingerprints are short of 64: none, but where a test wants collisions.
    pub missing_bits: u32,
}

impl Fingerprints {
    /// That of a term.
    pub fn of(&mut self, bank: &TermBank, t: TermId) -> u64 {
        for new in self.of.len()..=t.0 as usize {
            let new = TermId(new as u32);
            // Children have smaller ids.
            let children = bank.children(new).iter().map(|c| self.of[c.0 as usize]);
            let begun = self.begun(bank.head(new), children);
            self.of.push(self.ended(begun, std::iter::empty()));
        }
        self.of[t.0 as usize]
    }

    /// What all terms have in common that have this head and whose first children have these
    /// fingerprints.
    pub fn begun(&self, head: Head, children: impl Iterator<Item = u64>) -> u64 {
        children.fold(mix(u64::from(head.0), SEED), mix)
    }

    /// That of the term which begins so and goes on with children with these fingerprints.
    pub fn ended(&self, begun: u64, children: impl Iterator<Item = u64>) -> u64 {
        children.fold(begun, mix) >> self.missing_bits
    }
}

// Digits of π, as good as any.
const SEED: u64 = 0x243f_6a88_85a3_08d3;
const LEFT: u64 = 0x1319_8a2e_0370_7344;
const RIGHT: u64 = 0xa409_3822_299f_31d0;

/// The two halves of a product, one over the other: every bit depends on all bits, and on the
/// order of the two numbers.
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ LEFT) * u128::from(b ^ RIGHT);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::system::System;
    use crate::term::language::OpId;
    use rustc_hash::FxHashSet;

    #[test]
    fn small_terms_have_different_ones() {
        let declarations = "(sort S) (op f (S S) S) (op g (S) S) (op a () S) (op b () S)";
        let system = System::parse(declarations).unwrap();
        let [f, g, a, b] = [0, 1, 2, 3].map(OpId);
        let mut bank = TermBank::new(system.language.clone());
        bank.apply(a, &[]);
        bank.apply(b, &[]);
        // All terms up to height 4: 2, 8, 74, 5552; each level has the terms of those below.
        for _ in 0..3 {
            let terms: Vec<TermId> = (0..bank.len() as u32).map(TermId).collect();
            for &x in &terms {
                bank.apply(g, &[x]);
                terms.iter().for_each(|&y| {
                    bank.apply(f, &[x, y]);
                });
            }
        }
        assert_eq!(bank.len(), 5_552);
        let mut fingerprints = Fingerprints::default();
        let all = (0..bank.len() as u32).map(|t| fingerprints.of(&bank, TermId(t)));
        assert_eq!(all.collect::<FxHashSet<u64>>().len(), bank.len());
    }
}
