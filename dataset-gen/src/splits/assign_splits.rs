//! Which seed belongs to which split.

use crate::config::Splits;
use crate::splits::split::Split;
use egraph::TermBank;
use std::collections::BTreeMap;
use support::random::{shuffle, stream};
use terms::Seed;
use terms::normal_text;

/// The stream of random numbers that orders the seeds; the others are numbers of seeds.
const STREAM: u64 = u64::MAX;

/// The split of every seed. Seeds that are equal after renaming of variables, and of literals if
/// `splits` says so, are one group, and the groups are divided at random, in the shares of `splits`;
/// a split with a positive share gets at least one group if there are three or more.
pub fn partition(bank: &mut TermBank, seeds: &[Seed], splits: Splits, seed: u64) -> Vec<Split> {
    let keys = seeds.iter().map(|seed| normal_text(bank, seed.term, splits.literals)).collect();
    divide(keys, splits, seed)
}

/// As [`partition`], of anything; those with equal keys are one group.
pub fn divide(keys: Vec<String>, splits: Splits, seed: u64) -> Vec<Split> {
    let count = keys.len();
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, key) in keys.into_iter().enumerate() {
        groups.entry(key).or_default().push(index);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    // In the order of the seed file, so that the names of operators have no influence.
    groups.sort();
    shuffle(&mut groups, &mut stream(seed, STREAM));
    let least = |share: f64| usize::from(share > 0.0 && groups.len() >= 3);
    let part = |share: f64| ((groups.len() as f64 * share).round() as usize).max(least(share));
    // What the others must have is left to them.
    let room = groups.len() - least(splits.train);
    let test = part(splits.test).min(room - least(splits.validation));
    let validation = part(splits.validation).min(room - test);
    let mut split_of = vec![Split::Train; count];
    for (place, group) in groups.iter().enumerate() {
        let split = if place < test {
            Split::Test
        } else if place < test + validation || splits.train == 0.0 {
            Split::Validation
        } else {
            Split::Train
        };
        group.iter().for_each(|&index| split_of[index] = split);
    }
    split_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    fn splits_of(texts: &[String], splits: Splits) -> Vec<Split> {
        let system = System::parse("(sort I) (literal i64 I) (variable I) (op + (I I) I)").unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let seeds: Vec<Seed> = texts
            .iter()
            .map(|text| Seed { id: String::new(), term: bank.parse(text, None).unwrap() })
            .collect();
        partition(&mut bank, &seeds, splits, 7)
    }

    fn count(splits: &[Split], split: Split) -> usize {
        splits.iter().filter(|&&s| s == split).count()
    }

    #[test]
    fn shares_are_kept() {
        let texts: Vec<String> = (0..100).map(|i| format!("(+ a {i})")).collect();
        let splits = splits_of(&texts, Splits::default());
        assert_eq!(Split::ALL.map(|split| count(&splits, split)), [80, 10, 10]);
        let only_train = Splits { train: 1.0, validation: 0.0, test: 0.0, literals: false };
        assert_eq!(count(&splits_of(&texts, only_train), Split::Train), 100);
    }

    #[test]
    fn few_seeds_reach_every_split() {
        let texts: Vec<String> = (0..3).map(|i| format!("(+ a {i})")).collect();
        let splits = splits_of(&texts, Splits::default());
        assert_eq!(Split::ALL.map(|split| count(&splits, split)), [1, 1, 1]);
        for test in [0.7, 0.9] {
            let rest = (1.0 - test) / 2.0;
            let splits =
                splits_of(&texts, Splits { train: rest, validation: rest, test, literals: false });
            assert_eq!(Split::ALL.map(|split| count(&splits, split)), [1, 1, 1]);
        }
        let no_train = Splits { train: 0.0, validation: 0.1, test: 0.9, literals: false };
        assert_eq!(Split::ALL.map(|s| count(&splits_of(&texts, no_train), s)), [0, 1, 2]);
    }

    #[test]
    fn seeds_that_differ_in_names_only_stay_together() {
        let names = ["a", "b", "c", "d"];
        let texts: Vec<String> =
            (0..80).map(|i| format!("(+ {} {})", names[i % 4], i / 4)).collect();
        let shares = Splits { train: 0.4, validation: 0.3, test: 0.3, literals: false };
        let splits = splits_of(&texts, shares);
        for group in splits.chunks(4) {
            assert!(group.iter().all(|split| *split == group[0]));
        }
        assert_eq!(Split::ALL.map(|split| count(&splits, split)), [32, 24, 24]);
        // All of them differ in names and literals only.
        let splits = splits_of(&texts, Splits { literals: true, ..shares });
        assert!(splits.iter().all(|split| *split == splits[0]));
    }
}
