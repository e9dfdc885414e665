//! Which tokens the grammar of decoding allows at each place of a guide.
//!
//! The loss is over these alone, so that what is trained is the distribution that guides are
//! written with. The masks of a dataset are few, and are stored once each.

use crate::network::ops::loss::targets::{Masks, contains};
use crate::tokens::grammar::Grammar;
use crate::tokens::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{Token, Vocabulary};
use anyhow::Result;
use egraph::{Leaf, SortId};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use support::Internal;
use terms::Renaming;

/// Finds the masks of guides. What the grammar allows depends on names and their sorts alone: one
/// grammar serves all triples that have the same.
pub struct MaskMaker {
    vocabulary: Arc<Vocabulary>,
    /// The largest number of nodes of a guide.
    max_size: usize,
    grammars: FxHashMap<Vec<Leaf>, Grammar>,
    masks: Masks,
}

impl MaskMaker {
    /// For guides of at most `max_size` nodes.
    pub fn new(vocabulary: &Arc<Vocabulary>, max_size: usize) -> MaskMaker {
        let masks = Masks::new(vocabulary.len());
        let vocabulary = vocabulary.clone();
        MaskMaker { vocabulary, max_size, grammars: FxHashMap::default(), masks }
    }

    /// The tokens.
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The sets found so far.
    pub fn masks(&self) -> &Masks {
        &self.masks
    }

    /// The number of the set at every place of a guide. `renaming` is that of the terms of its
    /// triple.
    ///
    /// # Errors
    /// The grammar does not allow the guide: a fault of the program.
    pub fn masks_of(
        &mut self,
        renaming: &Renaming,
        sort: SortId,
        guide: &[Token],
    ) -> Result<Vec<u32>> {
        let (vocabulary, max_size) = (&self.vocabulary, self.max_size);
        let grammar = self
            .grammars
            .entry(renaming.names())
            .or_insert_with(|| Grammar::new(vocabulary, renaming, max_size));
        let mut tree = TreeBuilder::new(sort);
        let mut set = vec![0u64; vocabulary.len().div_ceil(64)];
        let mut numbers = Vec::with_capacity(guide.len());
        for token in guide {
            set.fill(0);
            for allowed in grammar.allowed(&tree).iter() {
                set[*allowed as usize / 64] |= 1 << (allowed % 64);
            }
            let fits = contains(&set, *token) && tree.push(vocabulary, *token).is_ok();
            if !fits {
                return Err(Internal::new("a guide that its own grammar does not allow").into());
            }
            numbers.push(self.masks.insert(&set));
        }
        Ok(numbers)
    }
}
