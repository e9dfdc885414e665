//! Trees to batches: what is known of each node, and the relations between the nodes.
//!
//! A node's features are its token, its parent's token, the sort that stands there, its rank,
//! and the ranks on its path from the root; their embeddings are summed. At step i the decoder
//! is told the token of node i − 1, and of node i, which it is to predict, all but the token.
//! Its query i is node i and its key j is node j − 1 (key 0 is the beginning), so that the
//! relation of a node to those already written is what heads see.

use crate::attention::{Geometry, Relations};
use crate::embedding::FeatureSets;
use crate::tree_builder::{TreeBuilder, piece_sort};
use crate::tree_positions::{Buckets, PATH_LEVELS, Slot, relation_row, subtree_ends};
use crate::vocabulary::{BOS, PAD, Token, Vocabulary};
use std::sync::Arc;

/// Ranks that are told apart; the last stands for all higher ones.
const RANKS: usize = 8;
/// The same for ranks on the path.
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
        2 * self.tokens + self.sorts + RANKS + PATH_LEVELS * PATH_RANKS
    }

    /// The features of a node.
    fn of(self, token: Token, parent: Token, slot: &Slot) -> impl Iterator<Item = u32> {
        let sort = 2 * self.tokens;
        let rank = sort + self.sorts;
        let path = rank + RANKS;
        let node = [
            token as usize,
            self.tokens + parent as usize,
            sort + usize::from(slot.sort),
            rank + (slot.rank as usize).min(RANKS - 1),
        ];
        let levels = slot.path.iter().enumerate().take(slot.depth as usize);
        let levels = levels.map(move |(level, rank)| {
            path + level * PATH_RANKS + usize::from(*rank).min(PATH_RANKS - 1)
        });
        node.into_iter().chain(levels).map(|feature| feature as u32)
    }
}

fn parent_token(tokens: &[Token], slot: &Slot) -> Token {
    slot.parent.map_or(BOS, |p| tokens[p as usize])
}

/// Whole trees, every node seeing every other: for an encoder.
pub fn encoder_batch(features: Features, buckets: Buckets, trees: &[&TreeBuilder]) -> Batch {
    let n = trees.iter().map(|tree| tree.tokens().len()).max().unwrap_or(0);
    let mut room = Room::new(features, buckets, trees.len(), n, n);
    for (b, tree) in trees.iter().enumerate() {
        let (tokens, slots) = (tree.tokens(), tree.slots());
        let ends = subtree_ends(slots);
        for (i, slot) in slots.iter().enumerate() {
            room.features[b * n + i] =
                features.of(tokens[i], parent_token(tokens, slot), slot).collect();
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
        let before = i.checked_sub(1).map_or(BOS, |i| tokens[i]);
        let slot = &slots[i];
        let features = kind.of(before, parent_token(tokens, slot), slot);
        self.features[b * self.queries + query] = features.collect();
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
