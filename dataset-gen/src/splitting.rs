//! Recursive splitting of a proof into (start, guide, target) triples.
//!
//! Heinimann, Koehler, Steuwer, *Machine Learning Guided Equality Saturation* (EGRAPHS 2025):
//! the first, the middle and the last term are a triple; then both halves are split alike.

/// Places of three terms in a proof of `n` steps, whose terms are numbered from 0 to `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first term.
    pub start: usize,
    /// The middle term; of an odd number of steps the larger half comes after it.
    pub guide: usize,
    /// The last term.
    pub target: usize,
    /// How many times the proof was halved to get here.
    pub depth: u32,
}

/// The triples of a proof with `steps` steps: halves, until one has fewer than `cutoff` steps.
/// Each triple is followed by those of its first half and those of its second half.
///
/// # Panics
/// `cutoff` is less than 2.
pub fn split(steps: usize, cutoff: usize) -> Vec<Segment> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_proof_of_eleven_steps() {
        let places = |s: Segment| (s.start, s.guide, s.target, s.depth);
        let segments: Vec<_> = split(11, 5).into_iter().map(places).collect();
        assert_eq!(segments, [(0, 5, 11, 0), (0, 2, 5, 1), (5, 8, 11, 1)]);
        assert_eq!(split(4, 5), []);
    }

    proptest! {
        #[test]
        fn segments_are_halves_of_segments(steps in 0usize..400, cutoff in 2usize..20) {
            let segments = split(steps, cutoff);
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
