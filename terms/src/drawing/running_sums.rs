//! Which alternative a number falls to, each having as many numbers as it weighs.
//!
//! Where a choice is made more than once, running sums of the weights are remembered, but not all
//! and not for all: a large e-class has thousands of alternatives, each with a sum for every size.
//! When there is no room for more, weights are added up anew for each further choice.

use crate::counting::number::Number;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// One alternative in this many has its running sum kept; the others are weighed again.
pub const RUN: usize = 8;

/// Chooses alternatives, with the running sums that it remembers. What is chosen does not depend
/// on what is remembered.
#[derive(Debug)]
pub struct RunningSums<K, N> {
    /// After every [`RUN`] alternatives; `None`: the choice was made once.
    sums: FxHashMap<K, Option<Vec<N>>>,
    bytes: usize,
    room: usize,
}

impl<K: Copy + Eq + Hash, N: Number> RunningSums<K, N> {
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
        number: &mut N,
        mut weight: impl FnMut(usize, &mut N),
    ) -> usize {
        let mut first = 0;
        if alternatives > RUN
            && let Some(sums) = self.sums(key, alternatives, width, &mut weight)
        {
            let run = sums.partition_point(|sum| !number.is_below(sum)).min(sums.len() - 1);
            if run > 0 {
                number.subtract(&sums[run - 1]);
            }
            first = run * RUN;
        }
        let mut one = N::default();
        for i in first..alternatives - 1 {
            one.clear();
            weight(i, &mut one);
            if number.is_below(&one) {
                return i;
            }
            number.subtract(&one);
        }
        alternatives - 1
    }

    /// `None` the first time, and where there is no room.
    fn sums(
        &mut self,
        key: K,
        alternatives: usize,
        width: usize,
        weight: &mut impl FnMut(usize, &mut N),
    ) -> Option<&[N]> {
        let known = self.sums.get(&key);
        if let Some(Some(_)) = known {
            return self.sums[&key].as_deref();
        }
        let runs = alternatives.div_ceil(RUN);
        let bytes = match known {
            Some(_) => runs * N::bytes(width),
            None => size_of::<(K, Option<Vec<N>>)>(),
        };
        if self.bytes + bytes > self.room {
            return None;
        }
        self.bytes += bytes;
        let sums = known.map(|_| {
            let mut sums = Vec::with_capacity(runs);
            let (mut sum, mut run) = (N::default(), N::default());
            for start in (0..alternatives).step_by(RUN) {
                run.clear();
                (start..alternatives.min(start + RUN)).for_each(|i| weight(i, &mut run));
                sum.add(&run);
                sums.push(sum.clone());
            }
            sums
        });
        self.sums.entry(key).insert_entry(sums).into_mut().as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::limbs;
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
            let (mut sums, mut narrow) = (RunningSums::new(room), RunningSums::new(room));
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
                let mut limbs = vec![number as u64, (number >> 64) as u64];
                let weight = |i: usize, sum: &mut Vec<u64>| limbs::add(sum, &[weights[i]]);
                let found = sums.choose(key, weights.len(), 2, &mut limbs, weight);
                prop_assert_eq!((found, limbs::low(&limbs)), (chosen, rest));
                prop_assert!(sums.bytes <= room);
                let mut left = number;
                let weight = |i: usize, sum: &mut u128| *sum += u128::from(weights[i]);
                let found = narrow.choose(key, weights.len(), 2, &mut left, weight);
                prop_assert_eq!((found, left), (chosen, rest));
                prop_assert!(narrow.bytes <= room);
                if number.is_multiple_of(7) {
                    sums.begin();
                    narrow.begin();
                }
            }
        }
    }
}
