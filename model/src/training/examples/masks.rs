//! Which tokens the grammar of decoding allows at each place of a guide, as bits.
//!
//! The loss is over these alone, so that what is trained is the distribution that guides are
//! written with. The masks of a dataset are few, and are stored once each.

use crate::decoding::grammar::Grammar;
use crate::decoding::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{Token, Vocabulary};
use anyhow::Result;
use dataset_gen::seeds::normal_form::Renaming;
use egraph::SortId;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use support::errors::Internal;

/// Sets of tokens, each stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// Words of 64 tokens in a set.
    words: usize,
    bits: Vec<u64>,
    numbers: FxHashMap<Vec<u64>, u32>,
}

impl Masks {
    /// No sets yet, of tokens below `tokens`.
    pub fn new(tokens: usize) -> Masks {
        Masks { words: tokens.div_ceil(64), bits: Vec::new(), numbers: FxHashMap::default() }
    }

    /// The sets with these bits, one after another.
    pub fn from_bits(tokens: usize, bits: &[u64]) -> Masks {
        let mut masks = Masks::new(tokens);
        for set in bits.chunks_exact(masks.words.max(1)) {
            masks.insert(set);
        }
        masks
    }

    /// All sets, one after another.
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Set number `number`.
    pub fn get(&self, number: u32) -> &[u64] {
        &self.bits[number as usize * self.words..][..self.words]
    }

    /// The number of a set, which is stored if it is new.
    pub fn insert(&mut self, set: &[u64]) -> u32 {
        if let Some(number) = self.numbers.get(set) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.bits.extend(set);
        self.numbers.insert(set.to_vec(), number);
        number
    }
}

/// The tokens of a set in ascending order.
pub fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, bits)| {
        let mut bits = *bits;
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(64 * word + bit)
        })
    })
}

/// Whether a token is in a set.
pub fn contains(set: &[u64], token: Token) -> bool {
    set.get(token as usize / 64).is_some_and(|bits| bits >> (token % 64) & 1 == 1)
}

/// Finds the masks of guides. What the grammar allows depends on the sorts of the variables alone:
/// one grammar serves all triples that have the same.
pub struct MaskMaker {
    vocabulary: Arc<Vocabulary>,
    /// The largest number of nodes of a guide.
    max_size: usize,
    grammars: FxHashMap<Vec<SortId>, Grammar>,
    masks: Masks,
}

impl MaskMaker {
    /// For guides of at most `max_size` nodes.
    pub fn new(vocabulary: &Arc<Vocabulary>, max_size: usize) -> MaskMaker {
        let masks = Masks::new(vocabulary.len());
        let vocabulary = vocabulary.clone();
        MaskMaker { vocabulary, max_size, grammars: FxHashMap::default(), masks }
    }

    /// The sets found so far.
    pub fn masks(&self) -> &Masks {
        &self.masks
    }

    /// The number of the set at every place of a guide. `renaming` is that of the terms of its
    /// triple.
    ///
    /// # Errors
    /// The grammar does not allow the guide: a fault of the program.
    pub fn masks_of(
        &mut self,
        renaming: &Renaming,
        sort: SortId,
        guide: &[Token],
    ) -> Result<Vec<u32>> {
        let sorts: Vec<SortId> = renaming.renamed().map(|leaf| leaf.sort).collect();
        let (vocabulary, max_size) = (&self.vocabulary, self.max_size);
        let grammar = self
            .grammars
            .entry(sorts)
            .or_insert_with(|| Grammar::new(vocabulary, renaming, max_size));
        let mut tree = TreeBuilder::new(sort);
        let mut set = vec![0u64; vocabulary.len().div_ceil(64)];
        let mut numbers = Vec::with_capacity(guide.len());
        for token in guide {
            set.fill(0);
            for allowed in grammar.allowed(&tree).iter() {
                set[*allowed as usize / 64] |= 1 << (allowed % 64);
            }
            let fits = contains(&set, *token) && tree.push(vocabulary, *token).is_ok();
            if !fits {
                return Err(Internal::new("a guide that its own grammar does not allow").into());
            }
            numbers.push(self.masks.insert(&set));
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_one_number() {
        let mut masks = Masks::new(130);
        let sets = [[1, 0, 2], [1, 0, 0], [1, 0, 2]];
        assert_eq!(sets.map(|set| masks.insert(&set)), [0, 1, 0]);
        assert_eq!(masks.get(0), [1, 0, 2]);
        assert_eq!(Masks::from_bits(130, masks.bits()), masks);
        assert_eq!(members(&[1, 0, 2]).collect::<Vec<_>>(), [0, 129]);
        assert!(contains(&[1, 0, 2], 129) && !contains(&[1, 0, 2], 128));
        assert!(!contains(&[1], 999));
    }
}
