//! Which seed belongs to which split.

use crate::config::Splits;
use crate::normal_form::rename_variables;
use crate::random::{shuffle, stream};
use crate::seeds::Seed;
use crate::triples::Split;
use egraph::TermBank;
use std::collections::BTreeMap;

/// The stream of random numbers that orders the seeds; the others are numbers of seeds.
const STREAM: u64 = u64::MAX;

/// The split of every seed. Seeds that are equal after renaming of variables are one group, and
/// the groups are divided at random, in the shares of `splits`; a split with a positive share
/// gets at least one group if there are three or more.
pub fn partition(bank: &mut TermBank, seeds: &[Seed], splits: Splits, seed: u64) -> Vec<Split> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, seed) in seeds.iter().enumerate() {
        let normal = rename_variables(bank, &[seed.term])[0];
        groups.entry(bank.text(normal)).or_default().push(index);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    // In the order of the seed file, so that the names of operators have no influence.
    groups.sort();
    shuffle(&mut groups, &mut stream(seed, STREAM));
    let least = |share: f64| usize::from(share > 0.0 && groups.len() >= 3);
    let part = |share: f64| ((groups.len() as f64 * share).round() as usize).max(least(share));
    let test = part(splits.test);
    let mut validation = part(splits.validation).min(groups.len() - test.min(groups.len()));
    if splits.train > 0.0 && validation > 0 && test + validation >= groups.len() {
        validation -= least(splits.train);
    }
    let mut split_of = vec![Split::Train; seeds.len()];
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
        let only_train = Splits { train: 1.0, validation: 0.0, test: 0.0 };
        assert_eq!(count(&splits_of(&texts, only_train), Split::Train), 100);
    }

    #[test]
    fn few_seeds_reach_every_split() {
        let texts: Vec<String> = (0..3).map(|i| format!("(+ a {i})")).collect();
        let splits = splits_of(&texts, Splits::default());
        assert_eq!(Split::ALL.map(|split| count(&splits, split)), [1, 1, 1]);
    }

    #[test]
    fn seeds_that_differ_in_names_only_stay_together() {
        let names = ["a", "b", "c", "d"];
        let texts: Vec<String> =
            (0..80).map(|i| format!("(+ {} {})", names[i % 4], i / 4)).collect();
        let splits = splits_of(&texts, Splits { train: 0.4, validation: 0.3, test: 0.3 });
        for group in splits.chunks(4) {
            assert!(group.iter().all(|split| *split == group[0]));
        }
        assert_eq!(Split::ALL.map(|split| count(&splits, split)), [32, 24, 24]);
    }
}
