//! Writing inside a given set of terms: at every hole somebody else says what may stand there.
//!
//! [`Choices`] is the door through which a set of terms, such as those that an e-class
//! represents, reaches the decoder, which knows nothing of e-graphs. A leaf is spelled by several
//! tokens: within a word, what continues the spelling of some leaf that may stand there is
//! allowed. Every leaf has one spelling here, so every term is written in one way.

use crate::decoding::grammar::Tokens;
use crate::decoding::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{Meaning, Token, Vocabulary};
use dataset_gen::seeds::normal_form::Renaming;
use egraph::{Leaf, Node, SortId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A set of terms while one of them is written in pre-order: what was written so far is part of
/// it, and clones go on apart from each other.
pub trait Choices: Clone + Send + Sync {
    /// Calls `allow` with everything that may stand at the next hole, in any order, repetitions
    /// allowed, if from here to the end of the term, this node included, at most `nodes` nodes
    /// are written. What leads nowhere may be allowed too, but what is drawn on such a path is
    /// lost, and fewer terms come out.
    ///
    /// Leaves are those of the task itself: variables have their own names.
    fn heads(&self, nodes: usize, allow: &mut dyn FnMut(Node<'_>));

    /// `head`, one of those allowed, now stands at the next hole.
    fn advance(&mut self, head: Node<'_>);
}

/// No set: all that the grammar allows is written.
#[derive(Clone, Copy, Debug)]
pub enum Anything {}

impl Choices for Anything {
    fn heads(&self, _nodes: usize, _allow: &mut dyn FnMut(Node<'_>)) {}

    fn advance(&mut self, _head: Node<'_>) {}
}

/// A leaf and the pieces that spell it.
type Spelled = (Leaf, Arc<[Token]>);

/// Narrows down what a grammar allows to the terms of a set, if one is given.
pub(crate) struct Within<'a, C> {
    vocabulary: &'a Vocabulary,
    renaming: &'a Renaming,
    max_size: usize,
    /// Leaves that were asked for, with `None` for those that can't be spelled.
    spellings: FxHashMap<Leaf, Option<Arc<[Token]>>>,
    choices: Option<C>,
}

/// A set of terms, and where in a word the next token stands.
#[derive(Clone)]
pub(crate) struct Inside<C> {
    choices: Option<C>,
    /// The leaves that may stand at the hole and begin with the pieces written there.
    leaves: Arc<Vec<Spelled>>,
    pieces: usize,
}

impl<'a, C: Choices> Within<'a, C> {
    pub(crate) fn new(
        vocabulary: &'a Vocabulary,
        renaming: &'a Renaming,
        choices: Option<C>,
        max_size: usize,
    ) -> Self {
        Within { vocabulary, renaming, max_size, spellings: FxHashMap::default(), choices }
    }

    fn spell(&mut self, leaf: &Leaf) -> Option<Arc<[Token]>> {
        if let Some(known) = self.spellings.get(leaf) {
            return known.clone();
        }
        let spelled =
            self.vocabulary.spell(&self.renaming.leaf(leaf).to_string()).ok().map(Arc::from);
        self.spellings.insert(leaf.clone(), spelled.clone());
        spelled
    }

    /// Nothing written.
    pub(crate) fn begin(&self) -> Inside<C> {
        Inside { choices: self.choices.clone(), leaves: Arc::default(), pieces: 0 }
    }

    /// Those of the `allowed` tokens that may come next in `tree`, ascending.
    pub(crate) fn next(
        &mut self,
        state: &mut Inside<C>,
        tree: &TreeBuilder,
        allowed: &Tokens,
    ) -> Tokens {
        let Some(choices) = &state.choices else { return allowed.clone() };
        let mut tokens: Vec<Token> = Vec::new();
        if state.pieces == 0 {
            let mut leaves: Vec<Leaf> = Vec::new();
            let nodes = self.max_size.saturating_sub(tree.nodes());
            choices.heads(nodes, &mut |head| match head {
                Node::Op(op) => tokens.push(self.vocabulary.operator(op)),
                Node::Leaf(leaf) => leaves.push(leaf.clone()),
            });
            let sort = tree.next_slot().map(|hole| SortId(hole.sort));
            let fitting = leaves.into_iter().filter(|leaf| Some(leaf.sort) == sort);
            let spelled = fitting.filter_map(|leaf| Some((leaf.clone(), self.spell(&leaf)?)));
            state.leaves = Arc::new(spelled.collect());
        }
        tokens.extend(state.leaves.iter().map(|(_, pieces)| pieces[state.pieces]));
        tokens.sort_unstable();
        tokens.dedup();
        // A hole of another sort, a name of no variable, a term too large: whatever is offered,
        // only well-formed terms come out.
        tokens.retain(|token| allowed.binary_search(token).is_ok());
        tokens.into()
    }

    /// `token`, one of the last answer of [`Within::next`] for this state, was written.
    pub(crate) fn advance(&self, state: &mut Inside<C>, token: Token) {
        if state.choices.is_none() {
            return;
        }
        let piece = match self.vocabulary.meaning(token) {
            Meaning::Operator(op) => return state.written(Node::Op(op)),
            Meaning::Special => return,
            Meaning::Piece(piece) => piece,
        };
        let at = state.pieces;
        let leaves: Vec<Spelled> = state
            .leaves
            .iter()
            .filter(|(_, pieces)| pieces.get(at) == Some(&token))
            .cloned()
            .collect();
        match leaves.first() {
            Some((leaf, _)) if piece.last => state.written(Node::Leaf(leaf)),
            _ => (state.leaves, state.pieces) = (Arc::new(leaves), at + 1),
        }
    }
}

impl<C: Choices> Inside<C> {
    fn written(&mut self, head: Node<'_>) {
        if let Some(choices) = &mut self.choices {
            choices.advance(head);
        }
        (self.leaves, self.pieces) = (Arc::default(), 0);
    }
}
