//! Sizes and lengths in a split, as numbers and as histograms in text.

use crate::triples::triple_rows::Triple;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What the triples of a split are like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Number of triples.
    pub triples: u64,
    /// Rewrite steps from start to target.
    pub steps: Histogram,
    /// Nodes of the start.
    pub start_size: Histogram,
    /// Nodes of the guide.
    pub guide_size: Histogram,
    /// Nodes of the target.
    pub target_size: Histogram,
    /// How often the proof was halved.
    pub depth: Histogram,
}

impl Stats {
    /// Of several splits together.
    pub fn of_all<'a>(splits: impl IntoIterator<Item = &'a Stats>) -> Stats {
        let mut all = Stats::default();
        splits.into_iter().for_each(|stats| all.merge(stats));
        all
    }

    /// Counts a triple.
    pub fn add(&mut self, triple: &Triple) {
        self.triples += 1;
        self.steps.add(triple.steps(), 1);
        self.start_size.add(triple.start_size, 1);
        self.guide_size.add(triple.guide_size, 1);
        self.target_size.add(triple.target_size, 1);
        self.depth.add(triple.depth, 1);
    }

    fn merge(&mut self, other: &Stats) {
        self.triples += other.triples;
        self.steps.merge(&other.steps);
        self.start_size.merge(&other.start_size);
        self.guide_size.merge(&other.guide_size);
        self.target_size.merge(&other.target_size);
        self.depth.merge(&other.depth);
    }

    /// The histograms with their titles.
    pub fn histograms(&self) -> [(&'static str, &Histogram); 5] {
        [
            ("rewrite steps from start to target", &self.steps),
            ("nodes of the start", &self.start_size),
            ("nodes of the guide", &self.guide_size),
            ("nodes of the target", &self.target_size),
            ("depth of the split", &self.depth),
        ]
    }
}

/// How often each number occurs. Serialised as its [`Summary`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram(BTreeMap<u32, u64>);

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.summary(BUCKETS).serialize(serializer)
    }
}

/// A histogram in a few numbers and buckets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many numbers.
    pub count: u64,
    /// Their mean, 0 if there are none.
    pub mean: f64,
    /// The least.
    pub min: u32,
    /// The one in the middle.
    pub median: u32,
    /// The largest.
    pub max: u32,
    /// Ranges of equal width.
    pub buckets: Vec<Bucket>,
}

/// How many numbers are in a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// The first number of the range.
    pub from: u32,
    /// The last number of the range.
    pub to: u32,
    /// How many.
    pub count: u64,
}

/// Most buckets in text and JSON.
pub const BUCKETS: u32 = 10;
/// Characters of the longest bar.
const BAR: u64 = 40;

impl Histogram {
    /// Counts a number `times` times.
    pub fn add(&mut self, number: u32, times: u64) {
        *self.0.entry(number).or_default() += times;
    }

    fn merge(&mut self, other: &Histogram) {
        other.0.iter().for_each(|(&number, &times)| self.add(number, times));
    }

    /// The histogram in a few numbers and at most so many buckets.
    pub fn summary(&self, most_buckets: u32) -> Summary {
        let count: u64 = self.0.values().sum();
        let sum: f64 = self.0.iter().map(|(&n, &times)| f64::from(n) * times as f64).sum();
        let (min, max) = match (self.0.first_key_value(), self.0.last_key_value()) {
            (Some((min, _)), Some((max, _))) => (*min, *max),
            _ => (0, 0),
        };
        let mut below = 0;
        let median = self.0.iter().find(|(_, times)| {
            below += **times;
            2 * below >= count
        });
        let numbers = u64::from(max - min) + 1;
        let width = numbers.div_ceil(u64::from(most_buckets));
        let buckets = (0..numbers.div_ceil(width)).filter(|_| count > 0).map(|i| {
            let from = u64::from(min) + i * width;
            let to = (from + width - 1).min(u64::from(u32::MAX));
            let (from, to) = (from as u32, to as u32);
            Bucket { from, to, count: self.0.range(from..=to).map(|(_, times)| times).sum() }
        });
        Summary {
            count,
            mean: if count == 0 { 0.0 } else { sum / count as f64 },
            min,
            median: median.map_or(0, |(median, _)| *median),
            max,
            buckets: buckets.collect(),
        }
    }

    /// A line of numbers and a bar a bucket, each line ended.
    pub fn text(&self, title: &str) -> String {
        let Summary { mean, min, median, max, buckets, .. } = self.summary(BUCKETS);
        let mut text = format!("{title}: {min} to {max}, median {median}, mean {mean:.1}\n");
        let most = buckets.iter().map(|bucket| bucket.count).max().unwrap_or(0).max(1);
        for Bucket { from, to, count } in buckets {
            let range = if from == to { from.to_string() } else { format!("{from}–{to}") };
            let bar = "█".repeat((count * BAR).div_ceil(most) as usize);
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {range:>9} {count:>9} {bar}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_every_number_once() {
        let mut histogram = Histogram::default();
        (5..=40).for_each(|n| histogram.add(n, u64::from(n)));
        let summary = histogram.summary(BUCKETS);
        assert_eq!((summary.min, summary.max), (5, 40));
        assert_eq!(summary.buckets.iter().map(|b| b.count).sum::<u64>(), summary.count);
        assert!(summary.buckets.windows(2).all(|pair| pair[0].to + 1 == pair[1].from));
        assert!(summary.buckets.len() <= BUCKETS as usize);
    }

    #[test]
    fn the_widest_range_has_buckets() {
        let mut histogram = Histogram::default();
        [0, u32::MAX].into_iter().for_each(|n| histogram.add(n, 1));
        let buckets = histogram.summary(BUCKETS).buckets;
        assert_eq!((buckets[0].from, buckets[0].count), (0, 1));
        assert_eq!((buckets[9].to, buckets[9].count), (u32::MAX, 1));
    }

    #[test]
    fn nothing_has_no_bars() {
        let text = Histogram::default().text("steps");
        assert_eq!(text, "steps: 0 to 0, median 0, mean 0.0\n");
    }

    #[test]
    fn bars_are_to_scale() {
        let mut histogram = Histogram::default();
        histogram.add(1, 2);
        histogram.add(2, 1);
        let text = histogram.text("t");
        let bars: Vec<_> = text.lines().map(|l| l.matches('█').count()).collect();
        assert_eq!(bars, [0, 40, 20]);
    }
}
