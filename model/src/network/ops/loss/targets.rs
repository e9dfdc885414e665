//! What is to be predicted: of every row a token among a set of allowed ones. Sets are bits, stored once each.

use crate::network::ops::tensors::OnGpu;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The token of rows that do not count.
pub const UNCOUNTED: u32 = 0;

/// What a batch is to predict, padded.
#[derive(Clone, Debug)]
pub struct Targets {
    /// The token of every row; [`UNCOUNTED`] for rows that do not count.
    pub tokens: Vec<u32>,
    /// The number of the set of allowed tokens of every row.
    pub masks: Vec<u32>,
    /// The sets.
    pub sets: Arc<Masks>,
    /// The same on a GPU.
    pub on_gpu: OnGpu,
}

impl Targets {
    /// The rows that count: row, token and allowed tokens.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, usize, &[u64])> {
        let rows = self.tokens.iter().zip(&self.masks).enumerate();
        rows.filter(|(_, (token, _))| **token != UNCOUNTED)
            .map(|(row, (token, mask))| (row, *token as usize, self.sets.get(*mask)))
    }
}

/// How the losses of rows are summed up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// By what the sum is divided.
    pub(crate) counted: usize,
    /// Part of a target's probability that is spread over all allowed tokens.
    pub(crate) smoothing: f64,
}

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
pub fn contains(set: &[u64], token: u32) -> bool {
    set.get(token as usize / 64).is_some_and(|bits| bits >> (token % 64) & 1 == 1)
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
