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

use crate::decoding::tree_builder::{TreeBuilder, piece_sort};
use crate::network::attention::{Geometry, Relations};
use crate::network::embedding::FeatureSets;
use crate::tokens::positions::{Buckets, PATH_LEVELS, Slot, relation_row, subtree_ends};
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
    /// Which nodes see which, and their relations. `[batch, nodes, nodes]`
    pub geometry: Arc<Geometry>,
}

/// Number and order of the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    tokens: usize,
    sorts: usize,
}

impl Features {
    /// The features of trees over `vocabulary`.
    pub fn new(vocabulary: &Vocabulary) -> Features {
        Features { tokens: vocabulary.len(), sorts: usize::from(piece_sort(vocabulary)) + 1 }
    }

    /// Their number.
    pub fn count(self) -> usize {
        NEIGHBOURS * self.tokens + self.sorts + RANKS + PATH_LEVELS * PATH_RANKS
    }

    /// The features of node `i`: of the nodes from it on, only the position of `i` is looked at,
    /// and its token if `own` is set.
    fn of(self, tokens: &[Token], slots: &[Slot], i: usize, own: bool) -> Vec<u32> {
        let slot = &slots[i];
        let parent = slot.parent.map(|p| p as usize);
        let neighbours: [Option<usize>; NEIGHBOURS] = [
            own.then_some(i),
            i.checked_sub(1),
            i.checked_sub(2),
            parent,
            parent.and_then(|p| slots[p].parent).map(|p| p as usize),
            left_sibling(slots, i),
        ];
        let mut features = Vec::with_capacity(NEIGHBOURS + 2 + slot.depth as usize);
        let mut push = |base: usize, number: usize| features.push((base + number) as u32);
        for (which, neighbour) in neighbours.iter().enumerate() {
            // Where there is no such node, the beginning stands for it.
            if which > 0 || own {
                let token = neighbour.map_or(BOS, |j| tokens[j]);
                push(which * self.tokens, token as usize);
            }
        }
        let mut base = NEIGHBOURS * self.tokens;
        push(base, usize::from(slot.sort));
        base += self.sorts;
        push(base, (slot.rank as usize).min(RANKS - 1));
        base += RANKS;
        for (level, rank) in slot.path.iter().enumerate().take(slot.depth as usize) {
            push(base + level * PATH_RANKS, usize::from(*rank).min(PATH_RANKS - 1));
        }
        features
    }
}

/// The node before node `i` among the children of its parent.
fn left_sibling(slots: &[Slot], i: usize) -> Option<usize> {
    if slots[i].rank == 0 {
        return None;
    }
    // The node before it in pre-order is the last of the sibling's subtree.
    let mut j = i.checked_sub(1)?;
    while slots[j].parent != slots[i].parent {
        j = slots[j].parent? as usize;
    }
    Some(j)
}

/// Whole trees, every node seeing every other: for an encoder.
pub fn encoder_batch(features: Features, buckets: Buckets, trees: &[&TreeBuilder]) -> Batch {
    let n = trees.iter().map(|tree| tree.tokens().len()).max().unwrap_or(0);
    let mut room = Room::new(features, buckets, trees.len(), n, n);
    for (b, tree) in trees.iter().enumerate() {
        let (tokens, slots) = (tree.tokens(), tree.slots());
        let ends = subtree_ends(slots);
        for i in 0..slots.len() {
            room.features[b * n + i] = features.of(tokens, slots, i, true);
            let (ancestor, sibling) = room.relations(b, i, 0..slots.len());
            relation_row(buckets, slots, &ends, i, ancestor, sibling);
        }
    }
    let lengths = trees.iter().map(|tree| tree.tokens().len()).collect();
    room.finish(lengths, false)
}

/// Whole guides for the decoder, and the tokens that it is to predict. `[batch · nodes]`
pub fn decoder_batch(
    features: Features,
    buckets: Buckets,
    trees: &[&TreeBuilder],
) -> (Batch, Vec<Token>) {
    let n = trees.iter().map(|tree| tree.tokens().len()).max().unwrap_or(0);
    let mut room = Room::new(features, buckets, trees.len(), n, n);
    let mut targets = vec![PAD; trees.len() * n];
    for (b, tree) in trees.iter().enumerate() {
        let ends = subtree_ends(tree.slots());
        for i in 0..tree.tokens().len() {
            room.decoder_row(b, i, i, tree.tokens(), tree.slots(), &ends);
        }
        targets[b * n..][..tree.tokens().len()].copy_from_slice(tree.tokens());
    }
    let lengths = trees.iter().map(|tree| tree.tokens().len()).collect();
    (room.finish(lengths, true), targets)
}

/// The next step of half-written guides, all with the same number t of tokens and a hole left:
/// one query per tree over t + 1 keys. The result is row t of [`decoder_batch`].
pub fn decoder_step(features: Features, buckets: Buckets, trees: &[&TreeBuilder]) -> Batch {
    let t = trees.first().map_or(0, |tree| tree.tokens().len());
    let mut room = Room::new(features, buckets, trees.len(), 1, t + 1);
    for (b, tree) in trees.iter().enumerate() {
        let mut slots = tree.slots().to_vec();
        slots.extend(tree.next_slot().cloned());
        let ends = subtree_ends(&slots);
        room.decoder_row(b, 0, t, tree.tokens(), &slots, &ends);
    }
    room.finish(vec![t + 1; trees.len()], false)
}

/// A batch while it is filled in.
struct Room {
    kind: Features,
    batch: usize,
    queries: usize,
    keys: usize,
    features: Vec<Vec<u32>>,
    relations: Relations,
}

impl Room {
    fn new(kind: Features, buckets: Buckets, batch: usize, queries: usize, keys: usize) -> Room {
        let none = vec![buckets.none(); batch * queries * keys];
        let relations = Relations { buckets, ancestor: none.clone(), sibling: none };
        let features = vec![Vec::new(); batch * queries];
        Room { kind, batch, queries, keys, features, relations }
    }

    fn relations(
        &mut self,
        b: usize,
        query: usize,
        keys: std::ops::Range<usize>,
    ) -> (&mut [u8], &mut [u8]) {
        let row = (b * self.queries + query) * self.keys;
        let range = row + keys.start..row + keys.end;
        (&mut self.relations.ancestor[range.clone()], &mut self.relations.sibling[range])
    }

    /// Query `query` of row `b` is to predict node `i`.
    fn decoder_row(
        &mut self,
        b: usize,
        query: usize,
        i: usize,
        tokens: &[Token],
        slots: &[Slot],
        ends: &[u32],
    ) {
        let (kind, buckets) = (self.kind, self.relations.buckets);
        self.features[b * self.queries + query] = kind.of(tokens, slots, i, false);
        // Key 0 is the beginning, which is related to nothing.
        let (ancestor, sibling) = self.relations(b, query, 1..i + 1);
        relation_row(buckets, slots, ends, i, ancestor, sibling);
    }

    fn finish(self, key_lengths: Vec<usize>, causal: bool) -> Batch {
        Batch {
            features: Arc::new(FeatureSets::new(&self.features)),
            geometry: Arc::new(Geometry {
                batch: self.batch,
                queries: self.queries,
                keys: self.keys,
                key_lengths,
                causal,
                relations: Some(self.relations),
                key_rows: None,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::tokens::tree::tokenise;
    use dataset_gen::seeds::normal_form::Renaming;

    #[test]
    fn neighbours_of_a_node() {
        let system = fixtures::system();
        let vocabulary = fixtures::vocabulary();
        let mut bank = egraph::TermBank::new(system.language.clone());
        // 0 +, 1 *, 2 a, 3 neg, 4 b, 5 one
        let t = bank.parse("(+ (* a (neg b)) one)", None).unwrap();
        let tree = tokenise(&vocabulary, &bank, t, &Renaming::new(&bank, &[t])).unwrap();
        assert_eq!(left_sibling(tree.slots(), 5), Some(1));
        assert_eq!(left_sibling(tree.slots(), 3), Some(2));
        assert_eq!(left_sibling(tree.slots(), 4), None);
        let features = Features::new(&vocabulary);
        let (tokens, v) = (tree.tokens(), vocabulary.len() as u32);
        let of = features.of(tokens, tree.slots(), 5, true);
        let expected = [tokens[5], tokens[4], tokens[3], tokens[0], BOS, tokens[1]];
        for (i, token) in expected.iter().enumerate() {
            assert_eq!(of[i], i as u32 * v + token);
        }
        assert!(of.iter().all(|f| (*f as usize) < features.count()));
        assert_eq!(features.of(tokens, tree.slots(), 5, false), of[1..]);
    }
}
