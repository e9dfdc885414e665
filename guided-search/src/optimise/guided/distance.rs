//! How far a term looks from a goal: what it is made of, and in which order.

use egraph::{Head, TermBank, TermId};
use rustc_hash::FxHashMap;

/// Terms with more nodes, counted as trees, are as far as can be from every other one: no model writes such, and
/// shared subterms may stand for any number of nodes.
const LARGEST: u64 = 1 << 16;

/// The edges (a head, and of which child of which head it is, or of none) that one of the terms has more often than the other,
/// and the pairs of leaves that stand in other orders in them. Of equal leaves the first is compared with the first.
///
/// Each move of a part to the place beside it counts, unlike in a tree edit distance, where what stands in the wrong place
/// is as far away as what is missing. It is 0 for equal terms, and for few others.
pub fn distance(bank: &TermBank, a: TermId, b: TermId) -> u64 {
    if a == b {
        return 0;
    }
    if bank.size(a).max(bank.size(b)) > LARGEST {
        return u64::MAX;
    }
    let mut edges = FxHashMap::default();
    let [a, b] = [(a, 1), (b, -1)].map(|(term, times)| leaves(bank, term, times, &mut edges));
    let edges: u64 = edges.values().map(|times| times.unsigned_abs()).sum();
    edges + inversions(&places(&a, &b), b.len())
}

/// An edge: a node's head, and that of the node above it with the number of the child.
type Edge = (Option<(Head, usize)>, Head);

/// The leaves of a term from left to right; its edges are booked so many times each.
fn leaves(
    bank: &TermBank,
    term: TermId,
    times: i64,
    edges: &mut FxHashMap<Edge, i64>,
) -> Vec<TermId> {
    let mut leaves = Vec::new();
    // An explicit stack: terms may be deep.
    let mut todo = vec![(None, term)];
    while let Some((above, term)) = todo.pop() {
        let (head, children) = (bank.head(term), bank.children(term));
        *edges.entry((above, head)).or_default() += times;
        if children.is_empty() {
            leaves.push(term);
        }
        let below = children.iter().enumerate().rev();
        todo.extend(below.map(|(number, &child)| (Some((head, number)), child)));
    }
    leaves
}

/// Where the leaves of the first term stand in the second one, without those that it has not.
fn places(of: &[TermId], within: &[TermId]) -> Vec<usize> {
    let mut places: FxHashMap<TermId, Vec<usize>> = FxHashMap::default();
    for (place, &leaf) in within.iter().enumerate().rev() {
        places.entry(leaf).or_default().push(place);
    }
    of.iter().filter_map(|leaf| places.get_mut(leaf).and_then(Vec::pop)).collect()
}

/// Pairs of distinct numbers below `end` of which the larger comes first, counted with a Fenwick tree of those before.
fn inversions(numbers: &[usize], end: usize) -> u64 {
    let mut before = vec![0u64; end + 1];
    let mut inversions = 0;
    for (all, &number) in (0u64..).zip(numbers) {
        let (mut lower, mut at) = (0, number);
        while at > 0 {
            lower += before[at];
            at &= at - 1;
        }
        inversions += all - lower;
        at = number + 1;
        while at <= end {
            before[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    inversions
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;
    use proptest::prelude::*;

    fn bank() -> TermBank {
        let system =
            "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op * (I I) I) (op neg (I) I)";
        TermBank::new(System::parse(system).unwrap().language.clone())
    }

    fn between(a: &str, b: &str) -> u64 {
        let mut bank = bank();
        let [a, b] = [a, b].map(|text| bank.parse(text, None).unwrap());
        assert_eq!(distance(&bank, a, b), distance(&bank, b, a));
        distance(&bank, a, b)
    }

    #[test]
    fn what_it_is_made_of_counts_and_the_order_of_leaves() {
        assert_eq!(between("(+ a b)", "(+ a b)"), 0);
        // `c` at the second place, and no `b`.
        assert_eq!(between("(+ a b)", "(+ a c)"), 2);
        // Both at other places, and one pair.
        assert_eq!(between("(+ a b)", "(+ b a)"), 5);
        // Three nodes and the root of one, two and the root of the other.
        assert_eq!(between("(+ a b)", "(neg a)"), 5);
        // Edges alone, the leaves are as they were.
        assert_eq!(between("(+ (+ a b) c)", "(+ a (+ b c))"), 4);
        // The first with the first.
        assert_eq!(between("(+ a (+ a b))", "(+ a (+ b a))"), 5);
    }

    #[test]
    fn terms_are_as_deep_and_as_large_as_they_like() {
        let mut bank = bank();
        let mut read = |text| bank.parse(text, None).unwrap();
        let [mut a, mut b] = ["a", "b"].map(&mut read);
        let [neg, plus] = ["(neg a)", "(+ a a)"].map(read).map(|term| bank.head(term));
        for _ in 0..20_000 {
            [a, b] = [a, b].map(|term| bank.add(neg, &[term]));
        }
        assert_eq!(distance(&bank, a, b), 2);
        for _ in 0..80 {
            [a, b] = [a, b].map(|term| bank.add(plus, &[term, term]));
        }
        assert_eq!((distance(&bank, a, b), distance(&bank, a, a)), (u64::MAX, 0));
    }

    proptest! {
        #[test]
        fn chains_are_as_many_swaps_apart_as_a_bubble_sort_makes(
            order in Just((0..12usize).collect::<Vec<_>>()).prop_shuffle(),
            first in 0..11usize,
        ) {
            let mut swaps = 0;
            let mut sorted = order.clone();
            while let Some(at) = (1..12).find(|&at| sorted[at - 1] > sorted[at]) {
                sorted.swap(at - 1, at);
                swaps += 1;
            }
            prop_assert_eq!(inversions(&order, 12), swaps);
            // And a swap of two neighbours is one less or more.
            let mut swapped = order.clone();
            swapped.swap(first, first + 1);
            prop_assert_eq!(inversions(&swapped, 12).abs_diff(swaps), 1);
        }
    }
}
