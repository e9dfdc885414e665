//! Segments of a proof: it is cut into (start, guide, target) triples.
//!
//! Recursively, after Heinimann, Koehler, Steuwer, *Machine Learning Guided Equality Saturation*
//! (EGRAPHS 2025): the first, the middle and the last term are a triple; then both halves are
//! cut alike. Or by a window: pieces of one length, at regular distances.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// How proofs are cut into segments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Splitting {
    /// Into halves, or by a window.
    pub scheme: Scheme,
    /// `recursive`: a proof is halved until a segment has fewer steps than this.
    pub cutoff: usize,
    /// `window`: steps of a segment.
    pub length: usize,
    /// `window`: steps from the start of one segment to that of the next.
    pub stride: usize,
}

/// The way of cutting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// Halves, and halves of halves
    #[default]
    Recursive,
    /// Segments of one length, which may overlap
    Window,
    /// From every term to the last one, with the term some steps ahead as the guide: what comes next on the way
    /// to a goal. Of a proof that led to a part of its last term, the terms are those that this part comes from
    Ahead,
    /// The first term alone, with the last one as the guide: what a term may become at once
    Whole,
}

impl Default for Splitting {
    fn default() -> Self {
        Splitting { scheme: Scheme::default(), cutoff: 5, length: 8, stride: 4 }
    }
}

impl Splitting {
    /// Refuses values that make no triple.
    ///
    /// # Errors
    /// The first such key with its value and what was expected.
    pub fn validate(&self) -> Result<()> {
        let Splitting { cutoff, length, stride, .. } = *self;
        let no_middle = "expected at least 2, a shorter proof has no middle";
        ensure!(cutoff >= 2, "splitting.cutoff = {cutoff}: {no_middle}");
        ensure!(length >= 2, "splitting.length = {length}: {no_middle}");
        ensure!(stride >= 1, "splitting.stride = {stride}: expected at least 1");
        Ok(())
    }

    /// The segments of a proof with `steps` steps.
    ///
    /// # Panics
    /// [`Splitting::validate`] refuses the values.
    pub fn segments(&self, steps: usize) -> Vec<Segment> {
        match self.scheme {
            Scheme::Recursive => halves(steps, self.cutoff),
            Scheme::Window => windows(steps, self.length, self.stride),
            Scheme::Ahead => ahead(steps, self.length, self.stride),
            Scheme::Whole => whole(steps),
        }
    }
}

/// Places of three terms in a proof of `n` steps, whose terms are numbered from 0 to `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first term.
    pub start: usize,
    /// The middle term; of an odd number of steps the larger half comes after it.
    pub guide: usize,
    /// The last term; with `whole` the first one.
    pub target: usize,
    /// How many times the proof was halved to get here; 0 in a window.
    pub depth: u32,
}

/// Halves of a proof with `steps` steps, until one has fewer than `cutoff` steps. Each segment is
/// followed by those of its first half and those of its second half.
fn halves(steps: usize, cutoff: usize) -> Vec<Segment> {
    assert!(cutoff >= 2, "a proof of one step has no middle");
    let mut segments = Vec::new();
    let mut todo = vec![(0, steps, 0)];
    while let Some((start, target, depth)) = todo.pop() {
        if target - start < cutoff {
            continue;
        }
        let guide = start + (target - start) / 2;
        segments.push(Segment { start, guide, target, depth });
        todo.push((guide, target, depth + 1));
        todo.push((start, guide, depth + 1));
    }
    segments
}

/// All segments of `length` steps that begin after a multiple of `stride` steps.
fn windows(steps: usize, length: usize, stride: usize) -> Vec<Segment> {
    assert!(length >= 2 && stride >= 1, "a proof of one step has no middle");
    let segment =
        |start| Segment { start, guide: start + length / 2, target: start + length, depth: 0 };
    (0..=steps).step_by(stride).map(segment).filter(|s| s.target <= steps).collect()
}

/// For each multiple of `stride` the rest of the proof, with what is `length` steps ahead as the guide; the last
/// term where there are fewer.
fn ahead(steps: usize, length: usize, stride: usize) -> Vec<Segment> {
    assert!(length >= 1 && stride >= 1, "a guide is ahead");
    let segment =
        |start| Segment { start, guide: steps.min(start + length), target: steps, depth: 0 };
    (0..steps).step_by(stride).map(segment).collect()
}

/// The first term is the start and the target, and the last one the guide, unless there is but one.
fn whole(steps: usize) -> Vec<Segment> {
    let segment = Segment { start: 0, guide: steps, target: 0, depth: 0 };
    if steps == 0 { Vec::new() } else { vec![segment] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_proof_of_eleven_steps() {
        let places = |s: Segment| (s.start, s.guide, s.target, s.depth);
        let segments: Vec<_> = halves(11, 5).into_iter().map(places).collect();
        assert_eq!(segments, [(0, 5, 11, 0), (0, 2, 5, 1), (5, 8, 11, 1)]);
        assert_eq!(halves(4, 5), []);
    }

    #[test]
    fn windows_may_overlap() {
        let places = |s: Segment| (s.start, s.guide, s.target, s.depth);
        let windows: Vec<_> = windows(11, 5, 3).into_iter().map(places).collect();
        assert_eq!(windows, [(0, 2, 5, 0), (3, 5, 8, 0), (6, 8, 11, 0)]);
        assert_eq!(super::windows(4, 5, 3), []);
    }

    #[test]
    fn what_is_ahead_is_on_the_way_to_the_end() {
        let places = |s: Segment| (s.start, s.guide, s.target);
        let segments: Vec<_> = ahead(5, 3, 2).into_iter().map(places).collect();
        assert_eq!(segments, [(0, 3, 5), (2, 5, 5), (4, 5, 5)]);
        assert_eq!(ahead(0, 3, 1), []);
    }

    #[test]
    fn of_a_whole_proof_the_ends_count() {
        let places = |s: Segment| (s.start, s.guide, s.target);
        let splitting = Splitting { scheme: Scheme::Whole, ..Default::default() };
        let segments =
            |steps| splitting.segments(steps).into_iter().map(places).collect::<Vec<_>>();
        assert_eq!(segments(5), [(0, 5, 0)]);
        assert_eq!(segments(0), []);
    }

    proptest! {
        #[test]
        fn segments_are_halves_of_segments(steps in 0usize..400, cutoff in 2usize..20) {
            let segments = halves(steps, cutoff);
            prop_assert_eq!(segments.is_empty(), steps < cutoff);
            for s in &segments {
                prop_assert!(s.start < s.guide && s.guide < s.target && s.target <= steps);
                prop_assert!(s.target - s.start >= cutoff);
                prop_assert!((s.target - s.guide) - (s.guide - s.start) <= 1);
                let half_of = |p: &Segment| {
                    p.depth + 1 == s.depth
                        && [(p.start, p.guide), (p.guide, p.target)].contains(&(s.start, s.target))
                };
                let whole = (s.start, s.target, s.depth) == (0, steps, 0);
                prop_assert!(whole || segments.iter().any(half_of));
                // Both halves are there whenever they are long enough.
                for (start, target) in [(s.start, s.guide), (s.guide, s.target)] {
                    let there = segments.iter().any(|h| (h.start, h.target) == (start, target));
                    prop_assert_eq!(there, target - start >= cutoff);
                }
            }
            // No segment twice.
            let mut places: Vec<_> = segments.iter().map(|s| (s.start, s.target)).collect();
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!(places.len(), segments.len());
        }
    }
}
