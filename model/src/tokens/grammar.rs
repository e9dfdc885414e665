//! Which tokens may fill the next hole of a half-written term, so that every finished tree is a
//! well-formed term of the right sort, with the names of the task only, within the size limit. What is
//! found is remembered.

use crate::tokens::spelling::Words;
use crate::tokens::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{Meaning, Token, Vocabulary};
use egraph::SortId;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use terms::Renaming;

/// Tokens in ascending order.
pub type Tokens = Arc<[Token]>;

/// What an answer, or a grammar, takes beside its tokens, as tokens.
const OVERHEAD: usize = 64;

/// The terms that may answer a task.
#[derive(Clone, Debug)]
pub struct Grammar {
    vocabulary: Arc<Vocabulary>,
    /// Names of variables, and of literals that have names, by sort.
    variables: Vec<Vec<String>>,
    /// Nodes of the smallest term by sort; `None` if there is none.
    smallest: Vec<Option<usize>>,
    max_size: usize,
    /// Nodes that the most demanding operator's children need: no more spare ones change anything.
    enough: usize,
    /// Answers given, by the sort of the hole and what is spare of `max_size`, capped at `enough`.
    holes: FxHashMap<(SortId, usize), Tokens>,
    /// Answers given within words, by sort and letters.
    words: Vec<FxHashMap<String, Tokens>>,
    /// Tokens of all of these, and what their keys take.
    pub(super) tokens: usize,
}

impl Grammar {
    /// Terms of at most `max_size` nodes over the names that `renaming` gives.
    pub fn new(vocabulary: &Arc<Vocabulary>, renaming: &Renaming, max_size: usize) -> Grammar {
        let sorts = vocabulary.language().sorts.len();
        let mut variables = vec![Vec::new(); sorts];
        for leaf in renaming.renamed() {
            variables[usize::from(leaf.sort.0)].push(leaf.to_string());
        }
        let smallest = vec![None; sorts];
        let mut grammar = Grammar {
            vocabulary: vocabulary.clone(),
            variables,
            smallest,
            max_size,
            enough: 0,
            holes: FxHashMap::default(),
            words: vec![FxHashMap::default(); sorts],
            tokens: 0,
        };
        grammar.find_smallest();
        let operators = &vocabulary.language().operators;
        let demands = operators.iter().filter_map(|op| grammar.smallest_of(&op.args));
        grammar.enough = demands.max().unwrap_or(0);
        grammar
    }

    fn words_of(&self, sort: SortId) -> Words<'_> {
        Words {
            literals: self.vocabulary.language().literal_kind(sort),
            variables: &self.variables[usize::from(sort.0)],
        }
    }

    fn find_smallest(&mut self) {
        for sort in 0..self.smallest.len() {
            if self.words_of(SortId(sort as u16)).any() {
                self.smallest[sort] = Some(1);
            }
        }
        let language = self.vocabulary.language().clone();
        let mut changed = true;
        while changed {
            changed = false;
            for op in &language.operators {
                let Some(size) = self.smallest_of(&op.args).and_then(|n| n.checked_add(1)) else {
                    continue;
                };
                let best = &mut self.smallest[usize::from(op.result.0)];
                if best.is_none_or(|best| size < best) {
                    *best = Some(size);
                    changed = true;
                }
            }
        }
    }

    fn smallest_of(&self, sorts: &[SortId]) -> Option<usize> {
        sorts
            .iter()
            .try_fold(0usize, |sum, sort| sum.checked_add(self.smallest[usize::from(sort.0)]?))
    }

    /// The same for terms of another size: what is remembered does not depend on it.
    pub(super) fn of_size(self, max_size: usize) -> Grammar {
        Grammar { max_size, ..self }
    }

    /// What it takes in memory, in tokens; about.
    pub(super) fn weight(&self) -> usize {
        self.tokens + OVERHEAD * (1 + self.variables.iter().map(Vec::len).sum::<usize>())
    }

    /// Whether there is any term of this sort within the size limit.
    pub fn can_begin(&self, sort: SortId) -> bool {
        self.smallest_of(&[sort]).is_some_and(|size| size <= self.max_size)
    }

    /// The tokens that may come next. There is at least one if the tree has a hole,
    /// [`Grammar::can_begin`] held for the root and every token so far was allowed.
    pub fn allowed(&mut self, tree: &TreeBuilder) -> Tokens {
        let Some((hole, others)) = tree.holes().split_last() else { return Arc::default() };
        if let Some((sort, text)) = tree.word() {
            if let Some(known) = self.words[usize::from(sort.0)].get(text) {
                return known.clone();
            }
            let (tokens, mut longer) = (0..self.vocabulary.len() as Token, String::new());
            let may = |token: &Token| self.may_spell(sort, text, *token, &mut longer);
            let found: Tokens = tokens.filter(may).collect();
            self.words[usize::from(sort.0)].insert(text.to_owned(), found.clone());
            self.tokens += found.len() + OVERHEAD;
            return found;
        }
        let sort = SortId(hole.sort);
        let spare = others
            .iter()
            .try_fold(tree.nodes() + 1, |sum, slot| {
                sum.checked_add(self.smallest[usize::from(slot.sort)]?)
            })
            .and_then(|needed| self.max_size.checked_sub(needed));
        let Some(spare) = spare.map(|spare| spare.min(self.enough)) else {
            return Arc::default();
        };
        if let Some(known) = self.holes.get(&(sort, spare)) {
            return known.clone();
        }
        let found = self.fill(sort, spare);
        self.holes.insert((sort, spare), found.clone());
        self.tokens += found.len() + OVERHEAD;
        found
    }

    /// The tokens that may fill a hole of `sort` if the children may have `spare` nodes.
    fn fill(&self, sort: SortId, spare: usize) -> Tokens {
        let language = self.vocabulary.language();
        let (words, mut longer) = (self.words_of(sort).any(), String::new());
        let fits = |token: &Token| match self.vocabulary.meaning(*token) {
            Meaning::Special => false,
            Meaning::Operator(op) => {
                let op = language.op(op);
                op.result == sort && self.smallest_of(&op.args).is_some_and(|size| size <= spare)
            }
            Meaning::Piece(_) => words && self.may_spell(sort, "", *token, &mut longer),
        };
        (0..self.vocabulary.len() as Token).filter(fits).collect()
    }

    /// Whether a word of `sort` may go on with `token` after `text`. `longer` is room for both.
    fn may_spell(&self, sort: SortId, text: &str, token: Token, longer: &mut String) -> bool {
        let Meaning::Piece(piece) = self.vocabulary.meaning(token) else { return false };
        longer.clear();
        longer.extend([text, &piece.text]);
        let words = self.words_of(sort);
        if piece.last { words.contains(longer) } else { words.continues(longer) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::tokens::literals::Literals;
    use crate::tokens::tree::tokenise;
    use egraph::TermBank;
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    proptest! {
        /// Whatever is chosen among the allowed tokens, a term comes out.
        #[test]
        fn every_walk_ends_in_a_term(
            seed in any::<u64>(), max_size in 1usize..30, variables in 0usize..30, sort in 0u16..2,
            named: bool,
        ) {
            let literals = if named { Literals::Named } else { Literals::Spelled };
            let system = fixtures::system();
            let mut bank = TermBank::new(system.language.clone());
            let names = (0..variables).fold("0".to_owned(), |t, i| format!("(+ {t} (+ x{i} {i}{i}))"));
            let names = bank.parse(&names, None).unwrap();
            let renaming = literals.renaming(&bank, &[names]);
            let vocabulary = Arc::new(fixtures::vocabulary_of(literals));
            let mut grammar = Grammar::new(&vocabulary, &renaming, max_size);
            prop_assert!(grammar.can_begin(SortId(sort)));
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut tree = TreeBuilder::new(SortId(sort));
            while tree.next_slot().is_some() {
                let allowed = grammar.allowed(&tree);
                // What is remembered is what is found.
                prop_assert_eq!(
                    &Grammar::new(&vocabulary, &renaming, max_size).allowed(&tree), &allowed
                );
                prop_assert!(!allowed.is_empty(), "stuck after {:?}", tree.tokens());
                let token = allowed[rng.random_range(0..allowed.len())];
                tree.push(&vocabulary, token).unwrap();
            }
            let t = tree.term(&vocabulary, &mut bank).unwrap();
            prop_assert!(bank.size(t) <= max_size as u64);
            prop_assert_eq!(bank.sort(t), SortId(sort));
            let t = renaming.restore(&mut bank, t);
            let known = bank.variables(names);
            prop_assert!(bank.variables(t).iter().all(|v| known.contains(v)));
            let text = bank.text(t);
            prop_assert_eq!(bank.parse(&text, Some(SortId(sort))).unwrap(), t);
        }
    }

    proptest! {
        #[test]
        fn walks_over_literals_of_all_kinds_end_in_terms_that_are_tokens_again(
            seed in any::<u64>(), max_size in 1usize..12, sort in 0u16..4, named: bool,
        ) {
            let literals = if named { Literals::Named } else { Literals::Spelled };
            let system = egraph::System::parse(
                "(sort Q) (sort F) (sort W) (sort I) (op q (F W) Q) (op f (Q I) F) (op w (Q) W)
                 (literal rational Q) (literal f64 F) (literal (bits 12) W) (literal i64 I)",
            )
            .unwrap();
            let counts = [("1/2".to_owned(), 50), ("0.5".to_owned(), 50)].into_iter().collect();
            let vocabulary = Vocabulary::build(system.language.clone(), literals, &counts).unwrap();
            let vocabulary = Arc::new(vocabulary);
            let mut bank = TermBank::new(system.language.clone());
            let given = bank.parse("(q 0.25 12)", None).unwrap();
            let renaming = literals.renaming(&bank, &[given]);
            let mut grammar = Grammar::new(&vocabulary, &renaming, max_size);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut tree = TreeBuilder::new(SortId(sort));
            while tree.next_slot().is_some() {
                let allowed = grammar.allowed(&tree);
                prop_assert!(!allowed.is_empty(), "stuck after {:?}", tree.tokens());
                tree.push(&vocabulary, allowed[rng.random_range(0..allowed.len())]).unwrap();
            }
            let spelled = tree.term(&vocabulary, &mut bank).unwrap();
            let t = renaming.restore(&mut bank, spelled);
            let text = bank.text(t);
            prop_assert_eq!(bank.parse(&text, Some(SortId(sort))).unwrap(), t);
            let again = tokenise(&vocabulary, &bank, t, &renaming).unwrap();
            let spelled = again.term(&vocabulary, &mut bank).unwrap();
            prop_assert_eq!(renaming.restore(&mut bank, spelled), t);
        }
    }

    #[test]
    fn a_sort_without_terms_can_not_begin() {
        let system = egraph::System::parse("(sort A) (sort B) (op f (A) B) (variable A)").unwrap();
        let none = rustc_hash::FxHashMap::default();
        let vocabulary =
            Arc::new(Vocabulary::build(system.language.clone(), Literals::Spelled, &none).unwrap());
        let grammar = Grammar::new(&vocabulary, &Renaming::default(), 10);
        assert!(!grammar.can_begin(SortId(0)) && !grammar.can_begin(SortId(1)));
        let mut bank = TermBank::new(system.language.clone());
        let x = bank.parse("x", None).unwrap();
        let renaming = Renaming::new(&bank, &[x]);
        assert!(Grammar::new(&vocabulary, &renaming, 2).can_begin(SortId(1)));
        assert!(!Grammar::new(&vocabulary, &renaming, 1).can_begin(SortId(1)));
    }
}
