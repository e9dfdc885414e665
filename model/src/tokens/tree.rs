//! Terms to tokens and back: one token per node in pre-order, words spelled by pieces.
//!
//! Variables have the names of their normal form over the terms of a task or triple, so that the
//! model never sees a user's names. Literals may have names, too.

use crate::tokens::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{Token, Vocabulary};
use anyhow::Result;
use egraph::{Node, TermBank, TermId};
use terms::Renaming;

/// The words of the leaves of `t`, one per occurrence.
pub fn words(bank: &TermBank, t: TermId, renaming: &Renaming) -> Vec<String> {
    let mut words = Vec::new();
    each_node(bank, t, &mut |node| {
        if let Node::Leaf(leaf) = node {
            words.push(renaming.leaf(leaf).to_string());
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
        Node::Leaf(leaf) => match vocabulary.spell(&renaming.leaf(leaf).to_string()) {
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
    use crate::tokens::literals::Literals;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_term_comes_back_from_its_tokens(seed in any::<u64>(), size in 1usize..40, named: bool) {
            let literals = if named { Literals::Named } else { Literals::Spelled };
            let system = fixtures::system();
            let mut bank = TermBank::new(system.language.clone());
            let t = fixtures::random_term(&mut bank, seed, size);
            let vocabulary = fixtures::vocabulary_of(literals);
            let renaming = vocabulary.literals().renaming(&bank, &[t]);
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

    /// Where `v0` is an operator, no variable is called so.
    #[test]
    fn names_of_operators_are_none_of_variables() {
        let text = "(sort I) (variable I) (op + (I I) I) (op v0 () I)";
        let system = egraph::System::parse(text).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let t = bank.parse("(+ x v0)", None).unwrap();
        let vocabulary =
            Vocabulary::build(system.language.clone(), Literals::Spelled, &Default::default())
                .unwrap();
        let renaming = Renaming::new(&bank, &[t]);
        let tree = tokenise(&vocabulary, &bank, t, &renaming).unwrap();
        let spelled = tree.term(&vocabulary, &mut bank).unwrap();
        assert_eq!(bank.text(spelled), "(+ v1 v0)");
        assert_eq!(renaming.restore(&mut bank, spelled), t);
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
