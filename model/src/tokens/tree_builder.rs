//! A tree while it is written in pre-order: a stack of open holes, each with its position.
//!
//! Reading a term and generating one go through the same builder, so what the model is told
//! about the next node is the same in training and in generation.

use crate::geometry::positions::Slot;
use crate::tokens::vocabulary::{Meaning, Token, Vocabulary};
use egraph::{SortId, TermBank, TermId};

/// A token that can't stand where it was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// Nothing is open any more.
    #[error("a token behind the end of the tree")]
    Complete,
    /// Padding, or the mark of a beginning.
    #[error("a special token within a tree")]
    Special,
    /// The operator's result has another sort than the hole.
    #[error("an operator of the wrong sort")]
    Sort,
    /// An operator where a word goes on.
    #[error("an operator within a word")]
    Word,
    /// The pieces spell nothing that the sort has.
    #[error("a word that is neither a literal nor a variable of its sort")]
    Spelling,
    /// Holes are left open.
    #[error("an unfinished tree")]
    Unfinished,
}

/// The tokens written so far, the positions of their nodes, and the holes left.
#[derive(Clone, Debug)]
pub struct TreeBuilder {
    tokens: Vec<Token>,
    slots: Vec<Slot>,
    /// The next hole is last.
    open: Vec<Slot>,
    /// The word being spelled: its sort and its letters so far.
    word: Option<(SortId, String)>,
    nodes: usize,
}

/// The number that stands for the further piece of a word among the sorts of `vocabulary`.
pub fn piece_sort(vocabulary: &Vocabulary) -> u16 {
    vocabulary.language().sorts.len() as u16
}

impl TreeBuilder {
    /// Nothing but a hole of `sort`.
    pub fn new(sort: SortId) -> TreeBuilder {
        TreeBuilder {
            tokens: Vec::new(),
            slots: Vec::new(),
            open: vec![Slot::root(sort.0)],
            word: None,
            nodes: 0,
        }
    }

    /// The whole tree of `tokens`.
    ///
    /// # Errors
    /// The tokens are not one tree of `sort`.
    pub fn read(
        vocabulary: &Vocabulary,
        sort: SortId,
        tokens: &[Token],
    ) -> Result<TreeBuilder, TreeError> {
        let mut builder = TreeBuilder::new(sort);
        for &token in tokens {
            builder.push(vocabulary, token)?;
        }
        match builder.next_slot() {
            None => Ok(builder),
            Some(_) => Err(TreeError::Unfinished),
        }
    }

    /// The tokens written, in pre-order.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The positions of the tokens written.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The hole to be filled next; `None` when the tree is complete.
    pub fn next_slot(&self) -> Option<&Slot> {
        self.open.last()
    }

    /// All holes, the next one last.
    pub fn holes(&self) -> &[Slot] {
        &self.open
    }

    /// The word that is being spelled: its sort and its letters so far.
    pub fn word(&self) -> Option<(SortId, &str)> {
        self.word.as_ref().map(|(sort, text)| (*sort, text.as_str()))
    }

    /// Nodes of the term so far; a word is one node, counted with its first piece.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Fills the next hole.
    ///
    /// # Errors
    /// `token` can't stand there.
    pub fn push(&mut self, vocabulary: &Vocabulary, token: Token) -> Result<(), TreeError> {
        let slot = self.open.last().ok_or(TreeError::Complete)?.clone();
        let index = self.tokens.len() as u32;
        match vocabulary.meaning(token) {
            Meaning::Special => return Err(TreeError::Special),
            Meaning::Operator(op) => {
                if self.word.is_some() {
                    return Err(TreeError::Word);
                }
                let op = vocabulary.language().op(op);
                if op.result.0 != slot.sort {
                    return Err(TreeError::Sort);
                }
                self.open.pop();
                for (rank, sort) in op.args.iter().enumerate().rev() {
                    self.open.push(slot.child(index, rank as u32, sort.0));
                }
                self.nodes += 1;
            }
            Meaning::Piece(piece) => {
                let first = self.word.is_none();
                let (sort, mut text) =
                    self.word.take().unwrap_or((SortId(slot.sort), String::new()));
                text.push_str(&piece.text);
                if piece.last {
                    if vocabulary.leaf(&text, sort).is_none() {
                        return Err(TreeError::Spelling);
                    }
                    self.open.pop();
                } else {
                    self.open.pop();
                    self.open.push(slot.child(index, 0, piece_sort(vocabulary)));
                    self.word = Some((sort, text));
                }
                self.nodes += usize::from(first);
            }
        }
        self.tokens.push(token);
        self.slots.push(slot);
        Ok(())
    }

    /// For every node of the term in pre-order, the index of its first token.
    pub fn node_starts(&self, vocabulary: &Vocabulary) -> Vec<usize> {
        let further = piece_sort(vocabulary);
        (0..self.slots.len()).filter(|i| self.slots[*i].sort != further).collect()
    }

    /// The term that the tokens spell, its variables named as they are spelled.
    ///
    /// # Errors
    /// The tree is unfinished, or a word is not one of its sort.
    pub fn term(&self, vocabulary: &Vocabulary, bank: &mut TermBank) -> Result<TermId, TreeError> {
        if self.next_slot().is_some() {
            return Err(TreeError::Unfinished);
        }
        let language = vocabulary.language();
        let mut done: Vec<TermId> = Vec::new();
        let mut word = String::new();
        // Backwards, so that the children of a node are on the stack when it comes, first on top.
        for (token, slot) in self.tokens.iter().zip(&self.slots).rev() {
            match vocabulary.meaning(*token) {
                Meaning::Special => return Err(TreeError::Special),
                Meaning::Operator(op) => {
                    let arity = language.op(op).args.len();
                    let children: Vec<TermId> = (0..arity).filter_map(|_| done.pop()).collect();
                    done.push(bank.apply(op, &children));
                }
                Meaning::Piece(piece) => {
                    word.insert_str(0, &piece.text);
                    if slot.sort != piece_sort(vocabulary) {
                        let leaf = vocabulary.leaf(&word, SortId(slot.sort));
                        let leaf = leaf.ok_or(TreeError::Spelling)?;
                        done.push(bank.leaf(&leaf));
                        word.clear();
                    }
                }
            }
        }
        done.pop().ok_or(TreeError::Unfinished)
    }
}
