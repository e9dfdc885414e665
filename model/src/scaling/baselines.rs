//! Predictors without a network, which a trained one should beat: on the same tokens, and over what the
//! grammar allows in each place, as the trained loss is.
//!
//! **Unigram**: every place's allowed tokens have probabilities in proportion to how often they stand in
//! the guides of the training split, each counted once more than it occurs.
//!
//! **Copy the start**: the guide is the start, until it turns out that it is not. A place i of the guide,
//! in pre-order from 0, is *open* if the guide's tokens before it are those of the start
//! (g₀…gᵢ₋₁ = s₀…sᵢ₋₁), the start has a token there, the grammar allows that token, and allows another,
//! too. At an open place sᵢ has the probability 1 − ε, and the other allowed tokens share ε in
//! proportion to their counts. At any other place the unigram model predicts. ε is (m + 1)/(n + 2), n
//! being the open places of the training split and m those among them where gᵢ ≠ sᵢ.

use crate::tokens::vocabulary::Token;
use crate::training::examples::data::Example;
use crate::training::examples::masks::{Masks, contains, members};
use crate::training::examples::token_file::Examples;
use crate::training::examples::unigram::Unigram;
use anyhow::Result;

/// What the baselines come to on the validation split. Losses are in nats per token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baselines {
    /// Loss of the unigram model.
    pub unigram: f32,
    /// Loss of the copy of the start.
    pub copy: f32,
    /// Its ε.
    pub epsilon: f64,
}

impl Baselines {
    /// Fits them to the training split of `examples`, and scores them on `validation`.
    ///
    /// # Errors
    /// The examples can't be read any more.
    pub fn new(examples: &Examples, validation: &[Example]) -> Result<Baselines> {
        let unigram = Unigram::new(examples.token_counts(), &examples.masks);
        let mut copy = CopyStart::default();
        for i in 0..examples.counts()[0] {
            copy.learn(&examples.train(i)?, &examples.masks);
        }
        Ok(Baselines {
            unigram: unigram.loss(validation),
            copy: copy.loss(validation, &examples.masks, &unigram),
            epsilon: copy.epsilon(),
        })
    }
}

/// The copy of the start: what it learns are two numbers.
#[derive(Clone, Copy, Debug, Default)]
struct CopyStart {
    open: u64,
    missed: u64,
}

impl CopyStart {
    fn learn(&mut self, example: &Example, masks: &Masks) {
        for (token, copied, _) in places(example, masks) {
            self.open += u64::from(copied.is_some());
            self.missed += u64::from(copied.is_some_and(|copied| copied != token));
        }
    }

    fn epsilon(&self) -> f64 {
        (self.missed + 1) as f64 / (self.open + 2) as f64
    }

    fn loss(&self, examples: &[Example], masks: &Masks, unigram: &Unigram) -> f32 {
        let epsilon = self.epsilon();
        let (mut loss, mut n) = (0.0, 0u64);
        for (token, copied, mask) in examples.iter().flat_map(|example| places(example, masks)) {
            n += 1;
            loss += match copied {
                Some(copied) if copied == token => -(1.0 - epsilon).ln(),
                Some(copied) => unigram.nats_without(token, copied, mask) - epsilon.ln(),
                None => unigram.nats(token, mask),
            };
        }
        (loss / n.max(1) as f64) as f32
    }
}

/// Of every place of a guide: its token, the start's if the place is open, and its set's number.
fn places(example: &Example, masks: &Masks) -> impl Iterator<Item = (Token, Option<Token>, u32)> {
    let [start, _, guide] = &example.tokens;
    let same = start.iter().zip(guide).take_while(|(s, g)| s == g).count();
    guide.iter().zip(&example.masks).enumerate().map(move |(i, (token, mask))| {
        let set = masks.get(*mask);
        let copied = start
            .get(i)
            .copied()
            .filter(|copied| i <= same && contains(set, *copied) && members(set).nth(1).is_some());
        (*token, copied, *mask)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::SortId;

    const A: Token = 2;
    const B: Token = 3;
    const C: Token = 4;
    const D: Token = 5;

    /// The sets {A, B, C}, {A} and {B, D}.
    fn masks() -> Masks {
        let mut masks = Masks::new(6);
        for set in [[A, B, C].as_slice(), &[A], &[B, D]] {
            masks.insert(&[set.iter().fold(0, |bits, token| bits | 1 << token)]);
        }
        masks
    }

    fn example(start: &[Token], guide: &[(Token, u32)]) -> Example {
        let (tokens, masks): (Vec<Token>, Vec<u32>) = guide.iter().copied().unzip();
        Example { sort: SortId(0), tokens: [start.to_vec(), vec![A], tokens], masks, steps: 2 }
    }

    #[test]
    fn a_place_is_open_while_the_guide_is_the_start_and_something_else_may_stand_there() {
        let masks = masks();
        let open = |start: &[Token], guide: &[(Token, u32)]| -> Vec<Option<Token>> {
            places(&example(start, guide), &masks).map(|place| place.1).collect()
        };
        assert_eq!(open(&[A, B, C], &[(A, 0), (C, 0), (C, 0)]), [Some(A), Some(B), None]);
        assert_eq!(open(&[A, B], &[(A, 1), (B, 0), (C, 0)]), [None, Some(B), None]);
        assert_eq!(open(&[C, B], &[(B, 2), (B, 0)]), [None, None]);
    }

    /// Learned from: open places A (right), B (right), C (missed), then none. So ε = 2/5. Guides have
    /// A once, B twice, C none, D once: counts 2, 3, 1 and 2.
    #[test]
    fn losses_are_those_computed_by_hand() {
        let masks = masks();
        let trained = example(&[A, B, C, B], &[(A, 0), (B, 0), (B, 0), (D, 2)]);
        let unigram = Unigram::new(&[0, 0, 1, 2, 0, 1], &masks);
        let mut copy = CopyStart::default();
        copy.learn(&trained, &masks);
        assert!((copy.epsilon() - 0.4).abs() < 1e-12);
        // Copied: 3/5. Missed where B was to be copied, A of A and C: 2/5 · 2/3. Then B of B and D: 3/5.
        let validation = [example(&[C, B, A], &[(C, 0), (A, 0), (B, 2)])];
        let expected = -((0.6f64).ln() + (0.4f64 * 2.0 / 3.0).ln() + (0.6f64).ln()) / 3.0;
        let loss = copy.loss(&validation, &masks, &unigram);
        assert!((f64::from(loss) - expected).abs() < 1e-6, "{loss} {expected}");
        // 1/6, 2/6 and 3/5.
        let expected = -((1.0f64 / 6.0).ln() + (1.0f64 / 3.0).ln() + (0.6f64).ln()) / 3.0;
        let loss = unigram.loss(&validation);
        assert!((f64::from(loss) - expected).abs() < 1e-6, "{loss} {expected}");
    }
}
