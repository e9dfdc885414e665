//! Parts of a training split by seed: the seeds in a random order, of which a part has the first. So a
//! smaller part lies within every larger one, and of no seed is a part left out.

use crate::training::examples::batches::Stream;
use rand::seq::SliceRandom;
use std::collections::{BTreeMap, BTreeSet};
use support::random::stream;

/// The seeds of a training split in an order that depends on them and on a number alone.
pub struct SeedOrder {
    seeds: Vec<u32>,
    /// Examples of the first n seeds, for every n from 0.
    examples: Vec<usize>,
}

impl SeedOrder {
    /// Of examples that come from these seeds, in the order of this seed of random choices.
    pub fn new(of_examples: &[u32], random: u64) -> SeedOrder {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for seed in of_examples {
            *counts.entry(*seed).or_default() += 1;
        }
        let mut seeds: Vec<u32> = counts.keys().copied().collect();
        seeds.shuffle(&mut stream(random, Stream::Seeds.number()));
        let mut examples = vec![0];
        for seed in &seeds {
            examples.push(examples[examples.len() - 1] + counts[seed]);
        }
        SeedOrder { seeds, examples }
    }

    /// The first seeds, so many that they have, together, the number of examples that is nearest to this
    /// share of all: at least one seed.
    pub fn nearest(&self, share: f64) -> BTreeSet<u32> {
        let wanted = share * self.examples[self.seeds.len()] as f64;
        let off = |seeds: &usize| (self.examples[*seeds] as f64 - wanted).abs();
        let count = (1..=self.seeds.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
        self.seeds[..count].iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_part_lies_within_a_larger_one_and_has_its_seeds_whole() {
        // Seed n has n examples, from 1 to 40: 820.
        let of_examples: Vec<u32> =
            (1..=40).flat_map(|n| std::iter::repeat_n(n, n as usize)).collect();
        let order = SeedOrder::new(&of_examples, 7);
        let shares = [0.125, 0.25, 0.5, 1.0];
        let parts = shares.map(|share| order.nearest(share));
        assert!(parts.windows(2).all(|two| two[0].is_subset(&two[1])) && parts[3].len() == 40);
        for (share, seeds) in shares.into_iter().zip(&parts) {
            let examples: u32 = seeds.iter().sum();
            assert!((f64::from(examples) / 820.0 - share).abs() < 0.03, "{share}: {examples}");
        }
        let mut turned = of_examples.clone();
        turned.reverse();
        assert_eq!(SeedOrder::new(&turned, 7).nearest(0.25), parts[1]);
        assert_ne!(SeedOrder::new(&of_examples, 8).nearest(0.25), parts[1]);
        assert_eq!(order.nearest(1e-9).len(), 1);
    }
}
