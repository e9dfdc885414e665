//! Terms to tokens and back: one token per node in pre-order, words spelled by pieces.
//!
//! Variables are renamed `v0`, `v1`, … by first occurrence over the terms of a task or triple,
//! so that the model never sees a user's names.

use crate::decoding::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{Token, Vocabulary};
use anyhow::Result;
use egraph::{Leaf, LeafValue, Node, TermBank, TermId};
use rustc_hash::FxHashMap;

/// A consistent renaming of the variables of several terms.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// Variable `i` is called `v{i}`.
    variables: Vec<Leaf>,
    index: FxHashMap<Leaf, usize>,
}

impl Renaming {
    /// Names the variables of `terms` by first occurrence, in the order of the terms.
    pub fn new(bank: &TermBank, terms: &[TermId]) -> Renaming {
        let mut renaming = Renaming::default();
        for &t in terms {
            for leaf in bank.variables(t) {
                if !renaming.index.contains_key(leaf) {
                    renaming.index.insert(leaf.clone(), renaming.variables.len());
                    renaming.variables.push(leaf.clone());
                }
            }
        }
        renaming
    }

    /// The variables that have names, by their numbers.
    pub fn variables(&self) -> &[Leaf] {
        &self.variables
    }

    /// How a leaf is written: a literal as it is, a variable by its new name.
    ///
    /// A variable that the renaming does not know is written as it is.
    pub fn word(&self, leaf: &Leaf) -> String {
        match self.index.get(leaf) {
            Some(i) => format!("v{i}"),
            None => leaf.to_string(),
        }
    }

    /// `t` with the new names replaced by the variables that they stand for. New names that stand
    /// for nothing, or for a variable of another sort, stay.
    pub fn restore(&self, bank: &mut TermBank, t: TermId) -> TermId {
        bank.map_leaves(t, &mut |leaf| {
            let original = match &leaf.value {
                LeafValue::Variable(name) => name
                    .strip_prefix('v')
                    .and_then(|number| number.parse::<usize>().ok())
                    .and_then(|i| self.variables.get(i))
                    .filter(|original| original.sort == leaf.sort),
                LeafValue::Literal(_) => None,
            };
            original.unwrap_or(leaf).clone()
        })
    }
}

/// The words of the leaves of `t`, one per occurrence.
pub fn words(bank: &TermBank, t: TermId, renaming: &Renaming) -> Vec<String> {
    let mut words = Vec::new();
    each_node(bank, t, &mut |node| {
        if let Node::Leaf(leaf) = node {
            words.push(renaming.word(leaf));
        }
    });
    words
}

/// The tokens of `t` in pre-order, with the positions of their nodes.
///
/// # Errors
/// A leaf's word can't be spelled.
pub fn tokenise(
    vocabulary: &Vocabulary,
    bank: &TermBank,
    t: TermId,
    renaming: &Renaming,
) -> Result<TreeBuilder> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut failed = None;
    each_node(bank, t, &mut |node| match node {
        Node::Op(op) => tokens.push(vocabulary.operator(op)),
        Node::Leaf(leaf) => match vocabulary.spell(&renaming.word(leaf)) {
            Ok(pieces) => tokens.extend(pieces),
            Err(e) => failed = Some(e),
        },
    });
    match failed {
        Some(e) => Err(e),
        None => Ok(TreeBuilder::read(vocabulary, bank.sort(t), &tokens)?),
    }
}

/// Visits the nodes of `t` in pre-order, shared subterms once per occurrence.
fn each_node(bank: &TermBank, t: TermId, visit: &mut impl FnMut(Node<'_>)) {
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        visit(bank.node(t));
        todo.extend(bank.children(t).iter().rev());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_term_comes_back_from_its_tokens(seed in any::<u64>(), size in 1usize..40) {
            let system = fixtures::system();
            let mut bank = TermBank::new(system.language.clone());
            let t = fixtures::random_term(&mut bank, seed, size);
            let vocabulary = fixtures::vocabulary();
            let renaming = Renaming::new(&bank, &[t]);
            let tree = tokenise(&vocabulary, &bank, t, &renaming).unwrap();
            prop_assert_eq!(tree.nodes() as u64, bank.size(t));
            prop_assert_eq!(tree.node_starts(&vocabulary).len() as u64, bank.size(t));
            let spelled = tree.term(&vocabulary, &mut bank).unwrap();
            prop_assert_eq!(renaming.restore(&mut bank, spelled), t);
        }
    }

    #[test]
    fn variables_are_named_by_first_occurrence() {
        let system = fixtures::system();
        let mut bank = TermBank::new(system.language.clone());
        let mut parse = |text| bank.parse(text, None).unwrap();
        let (start, target) = (parse("(+ y x)"), parse("(* x (+ z y))"));
        let renaming = Renaming::new(&bank, &[start, target]);
        assert_eq!(words(&bank, target, &renaming), ["v1", "v2", "v0"]);
    }

    #[test]
    fn names_that_look_like_ours_are_not_confused() {
        let system = fixtures::system();
        let mut bank = TermBank::new(system.language.clone());
        let t = bank.parse("(+ v1 v0)", None).unwrap();
        let vocabulary = fixtures::vocabulary();
        let renaming = Renaming::new(&bank, &[t]);
        let tree = tokenise(&vocabulary, &bank, t, &renaming).unwrap();
        let spelled = tree.term(&vocabulary, &mut bank).unwrap();
        assert_eq!(bank.text(spelled), "(+ v0 v1)");
        assert_eq!(renaming.restore(&mut bank, spelled), t);
    }
}
