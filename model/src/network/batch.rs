//! Trees to batches: what is known of each node, and the relations between the nodes.
//!
//! A node's features are its token, the two tokens before it, those of its parent, its
//! grandparent and its left sibling, the sort that stands there, its rank, and the ranks on its
//! path from the root; their embeddings are summed. All but its own token are known before it
//! is, so the decoder is told them of the node that it is to predict. Decoder and encoders share
//! the embeddings, so that a node with the same surroundings in start or target is easy to find,
//! and with it what comes next.
//!
//! The decoder's query i is node i and its key j is node j − 1 (key 0 is the beginning), so that
//! the relation of a node to those already written is what heads see.

use crate::geometry::positions::{NodePlace, PATH_LEVELS, Positions, Slot, places, places_with};
use crate::network::ops::attention::inputs::{Geometry, Places, Source};
use crate::network::ops::embedding::FeatureSets;
use crate::network::ops::tensors::OnGpu;
use crate::tokens::tree_builder::{TreeBuilder, piece_sort};
use crate::tokens::vocabulary::{BOS, PAD, Token, Vocabulary};
use std::sync::Arc;

/// Ranks that are told apart; the last stands for all higher ones.
const RANKS: usize = 8;
/// Tokens among the features: its own and those of five others.
const NEIGHBOURS: usize = 6;
/// Ranks on the path that are told apart.
const PATH_RANKS: usize = 3;

/// A batch of trees, padded to the longest.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Which features each of the `batch · nodes` nodes has.
    pub features: Arc<FeatureSets>,
    /// Which nodes see which, and where they stand.
    pub geometry: Arc<Geometry>,
}

/// Number and order of the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    tokens: usize,
    sorts: usize,
    positions: Positions,
}

impl Features {
    /// The features of trees over `vocabulary`. Without positions, nodes have fewer of them: an
    /// encoder is told only the node's token, the decoder only the token before it.
    pub fn new(vocabulary: &Vocabulary, positions: Positions) -> Features {
        let sorts = usize::from(piece_sort(vocabulary)) + 1;
        Features { tokens: vocabulary.len(), sorts, positions }
    }

    /// Their number.
    pub fn count(self) -> usize {
        NEIGHBOURS * self.tokens + self.sorts + RANKS + PATH_LEVELS * PATH_RANKS
    }

    /// Appends the features of the node at `slot`, number `i`, to `features`. Of the nodes from it
    /// on nothing is looked at but its token, if `own` is set. `slots` are the nodes before it.
    fn of(self, tokens: &[Token], slots: &[Slot], slot: &Slot, own: bool, features: &mut Vec<u32>) {
        let i = slots.len();
        let mut push = |base: usize, number: usize| features.push((base + number) as u32);
        // Where there is no such node, the beginning stands for it.
        let mut token = |which: usize, node: Option<usize>| {
            push(which * self.tokens, node.map_or(BOS, |j| tokens[j]) as usize);
        };
        if own {
            token(0, Some(i));
        }
        if self.positions == Positions::None {
            if !own {
                token(1, i.checked_sub(1));
            }
            return;
        }
        let parent = slot.parent.map(|p| p as usize);
        token(1, i.checked_sub(1));
        token(2, i.checked_sub(2));
        token(3, parent);
        token(4, parent.and_then(|p| slots[p].parent).map(|p| p as usize));
        token(5, left_sibling(slots, slot));
        let mut base = NEIGHBOURS * self.tokens;
        push(base, usize::from(slot.sort));
        base += self.sorts;
        push(base, (slot.rank as usize).min(RANKS - 1));
        base += RANKS;
        for (level, rank) in slot.path.iter().enumerate().take(slot.depth as usize) {
            push(base + level * PATH_RANKS, usize::from(*rank).min(PATH_RANKS - 1));
        }
    }
}

/// The node before the one at `slot` among the children of its parent; `slots` are the nodes
/// before it.
fn left_sibling(slots: &[Slot], slot: &Slot) -> Option<usize> {
    if slot.rank == 0 {
        return None;
    }
    // The node before it in pre-order is the last of the sibling's subtree.
    let mut j = slots.len().checked_sub(1)?;
    while slots[j].parent != slot.parent {
        j = slots[j].parent? as usize;
    }
    Some(j)
}

/// Whole trees, every node seeing every other: for an encoder.
pub fn encoder_batch(features: Features, trees: &[&TreeBuilder]) -> Batch {
    let n = longest(trees);
    let mut sets = FeatureSets::new();
    let mut all = Vec::with_capacity(trees.len() * n);
    for tree in trees {
        let (tokens, slots) = (tree.tokens(), tree.slots());
        for (i, slot) in slots.iter().enumerate() {
            sets.push(|list| features.of(tokens, &slots[..i], slot, true, list));
        }
        all.extend(places(slots));
        pad(&mut sets, &mut all, n - slots.len());
    }
    let places = Places { places: all, row: n, first_query: 0 };
    batch(sets, places, n, lengths(trees), false)
}

/// Whole guides for the decoder, and the tokens that it is to predict. `[batch · nodes]`
pub fn decoder_batch(features: Features, trees: &[&TreeBuilder]) -> (Batch, Vec<Token>) {
    let n = longest(trees);
    let mut sets = FeatureSets::new();
    let mut all = Vec::with_capacity(trees.len() * (n + 1));
    let mut targets = Vec::with_capacity(trees.len() * n);
    for tree in trees {
        let (tokens, slots) = (tree.tokens(), tree.slots());
        for (i, slot) in slots.iter().enumerate() {
            sets.push(|list| features.of(tokens, &slots[..i], slot, false, list));
        }
        all.push(NodePlace::NOWHERE);
        all.extend(places(slots));
        pad(&mut sets, &mut all, n - slots.len());
        targets.extend(tokens);
        targets.resize(targets.len() + n - tokens.len(), PAD);
    }
    let places = Places { places: all, row: n + 1, first_query: 1 };
    (batch(sets, places, n, lengths(trees), true), targets)
}

/// The next step of half-written guides, all with the same number t of tokens and a hole left:
/// one query per tree over t + 1 keys. The result is row t of [`decoder_batch`].
pub fn decoder_step(features: Features, trees: &[&TreeBuilder]) -> Batch {
    let t = longest(trees);
    let mut sets = FeatureSets::new();
    let mut all = Vec::with_capacity(trees.len() * (t + 2));
    for tree in trees {
        let (tokens, slots) = (tree.tokens(), tree.slots());
        let Some(hole) = tree.next_slot() else { continue };
        sets.push(|list| features.of(tokens, slots, hole, false, list));
        all.push(NodePlace::NOWHERE);
        all.extend(places_with(slots, Some(hole)));
    }
    let places = Places { places: all, row: t + 2, first_query: t + 1 };
    batch(sets, places, t + 1, vec![t + 1; trees.len()], false)
}

fn longest(trees: &[&TreeBuilder]) -> usize {
    trees.iter().map(|tree| tree.tokens().len()).max().unwrap_or(0)
}

fn lengths(trees: &[&TreeBuilder]) -> Vec<usize> {
    trees.iter().map(|tree| tree.tokens().len()).collect()
}

/// Fills up a row with nodes that are nothing and nowhere.
fn pad(sets: &mut FeatureSets, places: &mut Vec<NodePlace>, count: usize) {
    (0..count).for_each(|_| sets.push(|_| {}));
    places.resize(places.len() + count, NodePlace::NOWHERE);
}

fn batch(
    sets: FeatureSets,
    places: Places,
    keys: usize,
    lengths: Vec<usize>,
    causal: bool,
) -> Batch {
    // The queries of a row are what its places have from the first of them on.
    let queries = places.row - places.first_query;
    let geometry = Geometry {
        batch: lengths.len(),
        queries,
        keys,
        query_lengths: lengths.iter().map(|length| *length.min(&queries)).collect(),
        key_lengths: lengths,
        causal,
        places: Some(places),
        source: Source::Own,
        on_gpu: OnGpu::default(),
    };
    Batch { features: Arc::new(sets), geometry: Arc::new(geometry) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::tokens::tree::tokenise;
    use terms::Renaming;

    #[test]
    fn neighbours_of_a_node() {
        let system = fixtures::system();
        let vocabulary = fixtures::vocabulary();
        let mut bank = egraph::TermBank::new(system.language.clone());
        // 0 +, 1 *, 2 a, 3 neg, 4 b, 5 one
        let t = bank.parse("(+ (* a (neg b)) one)", None).unwrap();
        let tree = tokenise(&vocabulary, &bank, t, &Renaming::new(&bank, &[t])).unwrap();
        let slots = tree.slots();
        let left = |i: usize| left_sibling(&slots[..i], &slots[i]);
        assert_eq!([left(5), left(3), left(4)], [Some(1), Some(2), None]);
        let features = Features::new(&vocabulary, Positions::Tree);
        let (tokens, v) = (tree.tokens(), vocabulary.len() as u32);
        let list = |features: Features, own| {
            let mut list = Vec::new();
            features.of(tokens, &slots[..5], &slots[5], own, &mut list);
            list
        };
        let of = list(features, true);
        let expected = [tokens[5], tokens[4], tokens[3], tokens[0], BOS, tokens[1]];
        for (i, token) in expected.iter().enumerate() {
            assert_eq!(of[i], i as u32 * v + token);
        }
        assert!(of.iter().all(|f| (*f as usize) < features.count()));
        assert_eq!(list(features, false), of[1..]);
        let none = Features::new(&vocabulary, Positions::None);
        assert_eq!(list(none, true), of[..1]);
        assert_eq!(list(none, false), of[1..2]);
    }
}
