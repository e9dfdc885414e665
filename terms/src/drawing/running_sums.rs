//! Which alternative a number falls to, each having as many numbers as it weighs.
//!
//! Where a choice is made more than once, running sums of the weights are remembered, but not all
//! and not for all: a large e-class has thousands of alternatives, each with a sum for every size.
//! When there is no room for more, weights are added up anew for each further choice.

use crate::counting::limbs;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::hash::Hash;

/// One alternative in this many has its running sum kept; the others are weighed again.
pub const RUN: usize = 8;

/// Chooses alternatives, with the running sums that it remembers. What is chosen does not depend
/// on what is remembered.
#[derive(Debug)]
pub struct RunningSums<K> {
    /// After every [`RUN`] alternatives; `None`: the choice was made once.
    sums: FxHashMap<K, Option<Sums>>,
    bytes: usize,
    room: usize,
}

impl<K: Copy + Eq + Hash> RunningSums<K> {
    /// Remembers at most `room` bytes.
    pub fn new(room: usize) -> Self {
        RunningSums { sums: FxHashMap::default(), bytes: 0, room }
    }

    /// Makes room, if there is little, before choices that have little to do with those so far.
    pub fn begin(&mut self) {
        if self.bytes > self.room / 2 {
            (self.sums, self.bytes) = (FxHashMap::default(), 0);
        }
    }

    /// The alternative that `number` falls to; the weights of those before are taken off. `weight`
    /// adds the weight of an alternative to a sum; all together have no more limbs than `width`,
    /// and more than `number`.
    pub fn choose(
        &mut self,
        key: K,
        alternatives: usize,
        width: usize,
        number: &mut [u64],
        mut weight: impl FnMut(usize, &mut Vec<u64>),
    ) -> usize {
        let mut first = 0;
        if alternatives > RUN
            && let Some(sums) = self.sums(key, alternatives, width, &mut weight)
        {
            first = sums.choose(number) * RUN;
        }
        let mut one = Vec::new();
        for i in first..alternatives - 1 {
            one.clear();
            weight(i, &mut one);
            if limbs::compare(number, &one) == Ordering::Less {
                return i;
            }
            limbs::subtract(number, &one);
        }
        alternatives - 1
    }

    /// `None` the first time, and where there is no room.
    fn sums(
        &mut self,
        key: K,
        alternatives: usize,
        width: usize,
        weight: &mut impl FnMut(usize, &mut Vec<u64>),
    ) -> Option<&Sums> {
        let known = self.sums.get(&key);
        if let Some(Some(_)) = known {
            return self.sums[&key].as_ref();
        }
        let runs = alternatives.div_ceil(RUN);
        let bytes = match known {
            Some(_) => runs * width.max(1) * size_of::<u64>(),
            None => size_of::<(K, Option<Sums>)>(),
        };
        if self.bytes + bytes > self.room {
            return None;
        }
        self.bytes += bytes;
        let sums = known.map(|_| {
            let mut sums = Sums::new(runs, width);
            let mut run = Vec::new();
            for start in (0..alternatives).step_by(RUN) {
                run.clear();
                (start..alternatives.min(start + RUN)).for_each(|i| weight(i, &mut run));
                sums.push(limbs::trim(&run));
            }
            sums
        });
        self.sums.entry(key).insert_entry(sums).into_mut().as_ref()
    }
}

/// Running sums, `width` limbs each.
#[derive(Debug)]
struct Sums {
    limbs: Vec<u64>,
    width: usize,
}

impl Sums {
    /// For the sums of `numbers` numbers, none of which has more limbs than `width`.
    fn new(numbers: usize, width: usize) -> Sums {
        let width = width.max(1);
        Sums { limbs: Vec::with_capacity(numbers * width), width }
    }

    /// Adds `number` to the last sum, as the next one.
    fn push(&mut self, number: &[u64]) {
        let from = self.limbs.len().saturating_sub(self.width);
        let mut next = self.limbs[from..].to_vec();
        limbs::add(&mut next, number);
        next.resize(self.width, 0);
        self.limbs.extend_from_slice(&next);
    }

    /// The place of the first sum that is larger than `number`; the sum before is taken off.
    fn choose(&self, number: &mut [u64]) -> usize {
        let (mut low, mut high) = (0, self.limbs.len() / self.width - 1);
        while low < high {
            let middle = (low + high) / 2;
            if limbs::compare(number, self.get(middle)) == Ordering::Less {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if low > 0 {
            limbs::subtract(number, self.get(low - 1));
        }
        low
    }

    fn get(&self, i: usize) -> &[u64] {
        &self.limbs[i * self.width..(i + 1) * self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_same_however_much_is_remembered(
            weights in prop::collection::vec(prop_oneof![Just(0), 0..5u64, any::<u64>()], 1..40),
            numbers in prop::collection::vec((0..3u8, any::<prop::sample::Index>()), 1..30),
            room in prop_oneof![Just(0), 50..1_000usize, Just(1 << 20)],
        ) {
            let total: u128 = weights.iter().map(|&w| u128::from(w)).sum();
            prop_assume!(total > 0);
            let mut sums = RunningSums::new(room);
            for (key, number) in numbers {
                // Each key has its weights in another order.
                let mut weights = weights.clone();
                let by = usize::from(key) % weights.len();
                weights.rotate_left(by);
                let number = number.index(usize::MAX) as u128 * 0x1_0000_0001 % total;
                let (mut chosen, mut rest) = (0, number);
                while rest >= u128::from(weights[chosen]) {
                    rest -= u128::from(weights[chosen]);
                    chosen += 1;
                }
                let mut limbs = [number as u64, (number >> 64) as u64];
                let weight = |i: usize, sum: &mut Vec<u64>| limbs::add(sum, &[weights[i]]);
                let found = sums.choose(key, weights.len(), 2, &mut limbs, weight);
                prop_assert_eq!((found, limbs::low(&limbs)), (chosen, rest));
                prop_assert!(sums.bytes <= room);
                if number.is_multiple_of(7) {
                    sums.begin();
                }
            }
        }
    }
}
