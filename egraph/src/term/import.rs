//! Copies terms of one bank into another one.

use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The way from a bank to another one over the same language: what terms share is copied once.
#[derive(Debug)]
pub struct Import<'a> {
    from: &'a TermBank,
    images: FxHashMap<TermId, TermId>,
}

impl<'a> Import<'a> {
    /// From a bank. All terms go into the same other one.
    pub fn new(from: &'a TermBank) -> Import<'a> {
        Import { from, images: FxHashMap::default() }
    }

    /// Copies a term.
    pub fn term(&mut self, bank: &mut TermBank, t: TermId) -> TermId {
        let Import { from, images } = self;
        debug_assert!(
            Arc::ptr_eq(bank.language(), from.language()) || bank.language() == from.language()
        );
        let mut children = Vec::new();
        for s in from.subterms_but(t, |s| images.contains_key(&s)) {
            let image = match from.node(s) {
                Node::Leaf(leaf) => bank.leaf(leaf),
                Node::Op(op) => {
                    children.clear();
                    children.extend(from.children(s).iter().map(|child| images[child]));
                    bank.apply(op, &children)
                }
            };
            images.insert(s, image);
        }
        images[&t]
    }
}

impl TermBank {
    /// Copies a term of another bank over the same language into this one.
    pub fn import(&mut self, other: &TermBank, t: TermId) -> TermId {
        Import::new(other).term(self, t)
    }
}
