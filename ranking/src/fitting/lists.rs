//! What a ranker is fitted to: each match that a proof used, beside others of its e-graph that it did not use.
//!
//! A search takes the best of what waits in one e-graph. So the used match is to rank above the others of its own e-graph, and how
//! it ranks beside those of other ones is left open.

use crate::example::Example;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Matches of a list: a used one, and others.
pub(crate) const LIST: usize = 16;
/// E-graphs count alike, whatever their number of used matches, up to these shares of the mean.
const WEIGHT: (f32, f32) = (0.2, 5.0);

/// One list for each used match of e-graphs in which others were not used.
pub(crate) struct Lists<'a> {
    examples: &'a [Example],
    /// The used match, the place of its e-graph, and what the list counts.
    used: Vec<(u32, u32, f32)>,
    /// By e-graph, what was not used.
    unused: Vec<Vec<u32>>,
}

impl<'a> Lists<'a> {
    /// Those of examples, in the order of their e-graphs' numbers.
    pub(crate) fn of(examples: &'a [Example]) -> Lists<'a> {
        let mut e_graphs: BTreeMap<u32, [Vec<u32>; 2]> = BTreeMap::new();
        for (example, place) in examples.iter().zip(0u32..) {
            e_graphs.entry(example.e_graph).or_default()[usize::from(example.used)].push(place);
        }
        e_graphs.retain(|_, [unused, used]| !unused.is_empty() && !used.is_empty());
        let all: usize = e_graphs.values().map(|[_, used]| used.len()).sum();
        let mean = all as f32 / e_graphs.len().max(1) as f32;
        let mut lists = Lists { examples, used: Vec::with_capacity(all), unused: Vec::new() };
        for ([unused, used], e_graph) in e_graphs.into_values().zip(0u32..) {
            let count = (mean / used.len() as f32).clamp(WEIGHT.0, WEIGHT.1);
            lists.used.extend(used.into_iter().map(|place| (place, e_graph, count)));
            lists.unused.push(unused);
        }
        lists
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.used.len()
    }

    /// The matches of these lists, in each the used one first and others drawn anew, with what the list counts, times `share`.
    pub(crate) fn draw(
        &self,
        picked: impl ExactSizeIterator<Item = usize>,
        share: f32,
        rng: &mut ChaCha8Rng,
    ) -> Vec<(&'a Example, f32)> {
        let mut drawn = Vec::with_capacity(picked.len() * LIST);
        for (used, e_graph, count) in picked.map(|list| self.used[list]) {
            let unused = &self.unused[e_graph as usize];
            let others = (1..LIST).map(|_| unused[rng.random_range(0..unused.len())]);
            let matches = std::iter::once(used).chain(others);
            drawn.extend(matches.map(|place| (&self.examples[place as usize], count * share)));
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::{Numbers, PICKS, SETS, VALUES};
    use rand::SeedableRng;

    #[test]
    fn a_used_match_stands_beside_others_of_its_e_graph_and_e_graphs_count_alike() {
        let seen = Numbers { picks: [0; PICKS], values: [0.0; VALUES], sets: [0; SETS] };
        // Three used matches in the first e-graph and one in the third; in the second all were used, in the fourth none.
        let example = |(e_graph, used)| Example { e_graph, used, seen };
        let examples = [
            (7, true),
            (7, false),
            (7, true),
            (7, true),
            (2, true),
            (9, false),
            (9, true),
            (1, false),
            (9, false),
        ]
        .map(example);
        let (lists, mut rng) = (Lists::of(&examples), ChaCha8Rng::seed_from_u64(3));
        assert_eq!(lists.len(), 4);
        let mut counts = BTreeMap::new();
        let drawn = lists.draw(0..4, 0.5, &mut rng);
        assert_eq!(drawn.len(), 4 * LIST);
        for list in drawn.chunks(LIST) {
            let (first, count) = list[0];
            assert!(first.used);
            for (other, counts) in &list[1..] {
                assert!(!other.used && other.e_graph == first.e_graph && *counts == count);
            }
            *counts.entry(first.e_graph).or_insert(0.0) += count;
        }
        assert_eq!(counts, BTreeMap::from([(7, 1.0), (9, 1.0)]));
    }
}
