//! The order in which examples are trained on: batches of like length, by a budget of tokens.
//!
//! An epoch has every example once. Its examples are shuffled, cut into pools of some batches each,
//! sorted by length within a pool and cut into batches; then the batches are shuffled. So examples
//! of one batch have like lengths, little of it is padding, and no two epochs have the same batches.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Batches whose examples are sorted by length together.
const POOL: usize = 32;
/// The fewest padded tokens that a processor computes on at a time, if there are as many; and the
/// most, with longer examples left aside.
const PART_TOKENS: [usize; 2] = [256, 512];
/// Parts of a batch, if they are not too small.
const PARTS: usize = 16;

/// Tokens of start, target and guide of an example.
pub type Lengths = [u16; 3];

/// A place in the order of all batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpochPlace {
    /// Number of the epoch, from 0.
    pub epoch: u64,
    /// Number of the batch in it, from 0.
    pub batch: u64,
}

/// The batches from a place on.
#[derive(Clone)]
pub struct Batches<'a> {
    lengths: &'a [Lengths],
    budget: usize,
    seed: u64,
    place: EpochPlace,
    /// The plan of the epoch of this number.
    plan: (u64, Plan),
}

/// The batches of an epoch: ranges of an order of the examples.
#[derive(Clone, Default)]
struct Plan {
    order: Vec<u32>,
    batches: Vec<Range<u32>>,
}

fn total(lengths: &Lengths) -> usize {
    lengths.iter().map(|n| usize::from(*n)).sum()
}

impl<'a> Batches<'a> {
    /// Batches of at most `budget` tokens, but at least one example, of examples with these
    /// lengths, of which there is at least one.
    pub fn new(lengths: &'a [Lengths], budget: usize, seed: u64, place: EpochPlace) -> Batches<'a> {
        let mut batches =
            Batches { lengths, budget, seed, place, plan: (place.epoch, Plan::default()) };
        batches.plan.1 = batches.epoch(place.epoch);
        batches
    }

    /// Where the next batch stands. With the same seed and budget the batches from there on are the
    /// same, whatever came before.
    pub fn place(&self) -> EpochPlace {
        self.place
    }

    /// Epochs done, with the part of the current one that is.
    pub fn epochs(&self) -> f64 {
        let (_, plan) = &self.plan;
        let part = self.place.batch as f64 / plan.batches.len().max(1) as f64;
        self.place.epoch as f64 + part
    }

    /// Batches of the current epoch.
    pub fn per_epoch(&self) -> usize {
        self.plan.1.batches.len()
    }

    /// Tokens of a batch, the mean over an epoch.
    pub fn tokens_per_step(&self) -> f64 {
        let all: u64 = self.lengths.iter().map(|lengths| total(lengths) as u64).sum();
        all as f64 / self.per_epoch().max(1) as f64
    }

    /// The examples of the next batch, by rising length.
    pub fn take(&mut self) -> &[u32] {
        if self.place.batch as usize >= self.plan.1.batches.len() {
            self.place = EpochPlace { epoch: self.place.epoch + 1, batch: 0 };
        }
        if self.plan.0 != self.place.epoch {
            self.plan = (self.place.epoch, self.epoch(self.place.epoch));
        }
        let Plan { order, batches } = &self.plan.1;
        let batch = &batches[self.place.batch as usize];
        self.place.batch += 1;
        &order[batch.start as usize..batch.end as usize]
    }

    /// Tokens of the next `steps` batches, which are taken.
    pub fn tokens(&mut self, steps: u64) -> u64 {
        let lengths = self.lengths;
        (0..steps)
            .map(|_| self.take().iter().map(|i| total(&lengths[*i as usize]) as u64).sum::<u64>())
            .sum()
    }

    fn epoch(&self, number: u64) -> Plan {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(Stream::Epoch(number).number());
        let mut order: Vec<u32> = (0..self.lengths.len() as u32).collect();
        order.shuffle(&mut rng);
        let length = |i: &u32| self.lengths[*i as usize];
        let mut batches: Vec<Range<u32>> = Vec::new();
        for pool in cut(&order, self.budget.saturating_mul(POOL), |i| total(&length(i))) {
            let examples = &mut order[pool.clone()];
            // Stable, so that examples of the same lengths stay shuffled.
            examples.sort_by_key(|i| (total(&length(i)), length(i)));
            for batch in cut(examples, self.budget, |i| total(&length(i))) {
                let [from, to] = [batch.start, batch.end].map(|at| (pool.start + at) as u32);
                batches.push(from..to);
            }
        }
        batches.shuffle(&mut rng);
        Plan { order, batches }
    }
}

/// Ranges whose sizes sum up to `budget` at most, or that have one item.
fn cut<T>(items: &[T], budget: usize, size: impl Fn(&T) -> usize) -> Vec<Range<usize>> {
    let (mut ranges, mut from, mut sum) = (Vec::new(), 0, 0usize);
    for (i, item) in items.iter().enumerate() {
        let size = size(item);
        if i > from && sum.saturating_add(size) > budget {
            ranges.push(from..i);
            (from, sum) = (i, 0);
        }
        sum = sum.saturating_add(size);
    }
    if from < items.len() {
        ranges.push(from..items.len());
    }
    ranges
}

/// Padded tokens that a processor computes on at a time, in steps of `batch_tokens`: one thread on a
/// part whose activations fit into its cache is faster than all threads on each operation in turn.
/// Part of the result's definition, since gradients are summed over the parts.
pub fn part_tokens(batch_tokens: usize) -> usize {
    let [least, most] = PART_TOKENS;
    (batch_tokens / PARTS).clamp(least, most)
}

/// The parts of at most `budget` padded tokens in which a batch is computed: they depend on nothing
/// but its examples, so that its gradient is the same number for every number of threads.
pub fn parts(lengths: &[Lengths], budget: usize) -> Vec<Range<usize>> {
    let (mut ranges, mut from, mut most) = (Vec::new(), 0, [0u16; 3]);
    for (i, length) in lengths.iter().enumerate() {
        let longest = [0, 1, 2].map(|side| most[side].max(length[side]));
        if i > from && total(&longest) * (i + 1 - from) > budget {
            ranges.push(from..i);
            (from, most) = (i, *length);
        } else {
            most = longest;
        }
    }
    if from < lengths.len() {
        ranges.push(from..lengths.len());
    }
    ranges
}

/// What random numbers are drawn for: each has a stream of its own. The weights are drawn from
/// stream 0.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// The order of an epoch.
    Epoch(u64),
    /// The order of the seeds, of which a part of a training split has the first.
    Seeds,
    /// What is dropped in a part of a step.
    Dropout {
        /// Number of the step.
        step: u64,
        /// Number of the part.
        part: usize,
    },
}

impl Stream {
    /// The number of the stream.
    pub fn number(self) -> u64 {
        match self {
            Stream::Epoch(epoch) => 1 << 63 | epoch,
            Stream::Seeds => 1 << 61,
            // A step has fewer parts: two that follow each other have more than 256 tokens.
            Stream::Dropout { step, part } => 1 << 62 | step << 20 | part as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn lengths() -> Vec<Lengths> {
        (0..1003u16).map(|i| [1 + i * 37 % 90, 1 + i * 11 % 60, 1 + i * 7 % 30]).collect()
    }

    #[test]
    fn an_epoch_has_every_example_once_and_no_two_are_alike() {
        let lengths = lengths();
        let epoch = |number: u64| {
            let mut batches =
                Batches::new(&lengths, 900, 7, EpochPlace { epoch: number, batch: 0 });
            let all: Vec<Vec<u32>> =
                (0..batches.per_epoch()).map(|_| batches.take().to_vec()).collect();
            assert_eq!(batches.place().epoch, number);
            assert_eq!(batches.epochs(), number as f64 + 1.0);
            all
        };
        let (first, second) = (epoch(0), epoch(1));
        assert_ne!(first, second);
        assert_eq!(first, epoch(0));
        for epoch in [first, second] {
            let mut all = epoch.concat();
            all.sort_unstable();
            assert_eq!(all, (0..1003).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn batches_keep_to_the_budget_and_have_like_lengths() {
        let lengths = lengths();
        let mut batches = Batches::new(&lengths, 900, 7, EpochPlace::default());
        let (mut tokens, mut padded, mut full) = (0, 0, 0);
        for _ in 0..batches.per_epoch() {
            let batch: Vec<Lengths> = batches.take().iter().map(|i| lengths[*i as usize]).collect();
            let sum: usize = batch.iter().map(total).sum();
            assert!(sum <= 900);
            full += usize::from(sum > 700);
            tokens += sum;
            padded += batch.iter().map(total).max().unwrap() * batch.len();
        }
        assert!(full + 10 > batches.per_epoch());
        assert!(padded * 100 < tokens * 115, "{padded} {tokens}");
        let one = [[500, 500, 500]];
        assert_eq!(Batches::new(&one, 900, 7, EpochPlace::default()).take(), [0]);
    }

    #[test]
    fn batches_go_on_from_any_place() {
        let lengths = lengths();
        let mut batches = Batches::new(&lengths, 2000, 7, EpochPlace::default());
        let mut later = Vec::new();
        for _ in 0..3 * batches.per_epoch() {
            later.push((batches.place(), batches.take().to_vec()));
        }
        for (place, batch) in later {
            assert_eq!(Batches::new(&lengths, 2000, 7, place).take(), batch);
        }
    }

    #[test]
    fn parts_cover_a_batch_in_order() {
        let lengths = lengths();
        let parts = parts(&lengths, 512);
        assert_eq!(parts[0].start, 0);
        assert!(parts.windows(2).all(|w| w[0].end == w[1].start));
        assert_eq!(parts.last().unwrap().end, lengths.len());
        assert!(parts.len() > 100);
    }

    /// Dropout once began with the numbers that the weights were drawn from.
    #[test]
    fn no_two_streams_of_random_numbers_are_one() {
        let mut numbers = BTreeSet::from([0, Stream::Seeds.number()]); // 0 is that of the weights
        for i in 0..100 {
            assert!(numbers.insert(Stream::Epoch(i).number()));
            for part in 0..100 {
                assert!(numbers.insert(Stream::Dropout { step: i, part }.number()));
            }
        }
    }
}
