//! The model that knows only how frequent each token is, and which ones the grammar allows.

use crate::network::ops::loss::targets::{Masks, members};
use crate::tokens::vocabulary::Token;
use crate::training::examples::data::Example;

/// How often each token stands in a guide of a training split, each counted once more than it occurs.
/// In every place the tokens that the grammar allows there share the probability in proportion.
pub struct Unigram {
    counts: Vec<f64>,
    /// The counts of the tokens of each set, summed.
    sums: Vec<f64>,
}

impl Unigram {
    /// The model of a split whose guides have token number `t` `counts[t]` times; `masks` has the sets of tokens that the
    /// grammar allows.
    pub fn new(counts: &[u64], masks: &Masks) -> Unigram {
        let counts: Vec<f64> = counts.iter().map(|n| (n + 1) as f64).collect();
        let sets = masks.bits().chunks_exact(counts.len().div_ceil(64).max(1));
        let sums = sets.map(|set| members(set).map(|token| counts[token]).sum()).collect();
        Unigram { counts, sums }
    }

    /// −ln of the probability of a token among those of set number `mask`, in nats.
    fn nats(&self, token: Token, mask: u32) -> f64 {
        (self.sums[mask as usize] / self.counts[token as usize]).ln()
    }

    /// Mean loss of the tokens of the guides of examples, in nats.
    pub fn loss(&self, examples: &[Example]) -> f32 {
        let (mut loss, mut n) = (0.0, 0u64);
        for example in examples {
            for (token, mask) in example.tokens[2].iter().zip(&example.masks) {
                loss += self.nats(*token, *mask);
                n += 1;
            }
        }
        (loss / n.max(1) as f64) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::SortId;

    #[test]
    fn the_loss_is_the_entropy_of_the_counts_among_the_allowed() {
        let mut masks = Masks::new(6);
        masks.insert(&[0b11_0000]);
        let tokens = [vec![2], vec![3], vec![4, 5]];
        let examples = [Example { sort: SortId(0), tokens, masks: vec![0, 0] }];
        let loss = Unigram::new(&[0, 0, 900, 0, 9_999, 9_999], &masks).loss(&examples);
        assert!((loss - 2f32.ln()).abs() < 1e-6, "{loss}");
    }
}
