//! A set of operators of a language, by their numbers.

/// So many operators a language may have.
pub const MOST_OPERATORS: usize = 256;
const WORDS: usize = MOST_OPERATORS / 64;

/// A set of operators, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OperatorSet([u64; WORDS]);

impl OperatorSet {
    /// The first ones, so many.
    pub fn first(operators: usize) -> OperatorSet {
        (0..operators).fold(OperatorSet::default(), |set, op| set.with(op as u8))
    }

    /// With one more.
    pub fn with(mut self, op: u8) -> OperatorSet {
        self.0[usize::from(op) / 64] |= 1 << (op % 64);
        self
    }

    /// Whether one is in it.
    pub fn has(self, op: u8) -> bool {
        self.0[usize::from(op) / 64] >> (op % 64) & 1 == 1
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// All sets of so many of the first operators.
    pub fn choices(operators: usize, count: usize) -> Vec<OperatorSet> {
        if count >= operators {
            // Not from all smaller sets, which are very many.
            return vec![OperatorSet::first(operators)];
        }
        // Each set from the one without its last operator, and how many come up to that one.
        let mut sets = vec![(OperatorSet::default(), 0)];
        for _ in 0..count {
            let larger = |(set, first): (OperatorSet, usize)| {
                (first..operators).map(move |op| (set.with(op as u8), op + 1))
            };
            sets = sets.into_iter().flat_map(larger).collect();
        }
        sets.into_iter().map(|(set, _)| set).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_of_operators_comes_once_beyond_a_word_too() {
        let sets = |operators, count| -> Vec<Vec<u8>> {
            let members = |set: OperatorSet| (0..=255).filter(move |&op| set.has(op)).collect();
            OperatorSet::choices(operators, count).into_iter().map(members).collect()
        };
        let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        assert_eq!(sets(4, 2), pairs);
        assert_eq!(sets(4, 4), [[0, 1, 2, 3]]);
        assert_eq!(sets(200, 200).len(), 1);
        assert_eq!(sets(256, 1).len(), 256);
        assert_eq!(sets(256, 1)[255], [255]);
        assert_eq!(sets(70, 2).len(), 70 * 69 / 2);
        assert_eq!(OperatorSet::first(256).count(), 256);
        assert_eq!(OperatorSet::first(65).count(), 65);
    }
}
