//! Grammars that are lent for a question and remember what they found for the next.

use crate::tokens::grammar::Grammar;
use crate::tokens::vocabulary::Vocabulary;
use egraph::Leaf;
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use terms::Renaming;

/// Tokens of all answers that [`Grammars`] remember: 64 MiB.
const MOST_TOKENS: usize = 1 << 24;

/// Grammars with what they remember, which outlives the questions that they are lent for. What a grammar
/// allows depends on the sorts of what has names and on the size alone, and what it remembers on the sorts.
///
/// A grammar is lent to one thread at a time; the lock is held only while it changes hands. As many are
/// kept for the same sorts as were lent at a time.
#[derive(Debug)]
pub struct Grammars {
    kept: Mutex<Kept>,
    /// The most that is kept, in tokens.
    most: usize,
}

#[derive(Debug, Default)]
struct Kept {
    /// By names and their sorts.
    grammars: FxHashMap<Vec<Leaf>, Vec<Grammar>>,
    /// What they weigh together.
    tokens: usize,
}

/// A grammar that goes back when it is dropped.
pub struct Lent<'a> {
    from: &'a Grammars,
    names: Vec<Leaf>,
    /// There until then.
    grammar: Option<Grammar>,
}

impl Grammars {
    /// As [`Grammar::new`], with what was found before.
    pub fn lend(
        &self,
        vocabulary: &Arc<Vocabulary>,
        renaming: &Renaming,
        max_size: usize,
    ) -> Lent<'_> {
        let names = renaming.names();
        let mut kept = self.kept();
        let found = kept.grammars.get_mut(&names).and_then(Vec::pop);
        kept.tokens -= found.as_ref().map_or(0, Grammar::weight);
        drop(kept);
        let grammar = match found {
            Some(grammar) => grammar.of_size(max_size),
            None => Grammar::new(vocabulary, renaming, max_size),
        };
        Lent { from: self, names, grammar: Some(grammar) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Grammars {
    fn default() -> Grammars {
        Grammars { kept: Mutex::default(), most: MOST_TOKENS }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(grammar) = self.grammar.take() else { return };
        let mut kept = self.from.kept();
        let most = self.from.most;
        // All is forgotten at times, rather than what is worth least looked for.
        if kept.tokens + grammar.weight() > most {
            *kept = Kept::default();
        }
        if grammar.weight() <= most {
            kept.tokens += grammar.weight();
            kept.grammars.entry(std::mem::take(&mut self.names)).or_default().push(grammar);
        }
    }
}

impl Deref for Lent<'_> {
    type Target = Grammar;

    fn deref(&self) -> &Grammar {
        self.grammar.as_ref().expect("it is there until it is dropped")
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Grammar {
        self.grammar.as_mut().expect("it is there until it is dropped")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::tokens::grammar::Tokens;
    use crate::tokens::tree_builder::TreeBuilder;
    use egraph::{SortId, TermBank};

    /// Walks with this grammar by the first of the allowed tokens, so that it remembers something.
    fn walk(vocabulary: &Vocabulary, grammar: &mut Grammar, last: bool) -> Vec<Tokens> {
        let (mut tree, mut all) = (TreeBuilder::new(SortId(0)), Vec::new());
        while tree.next_slot().is_some() {
            let allowed = grammar.allowed(&tree);
            let token = if last { allowed.last() } else { allowed.first() };
            tree.push(vocabulary, *token.unwrap()).unwrap();
            all.push(allowed);
        }
        all
    }

    fn variables(count: usize) -> Renaming {
        let mut bank = TermBank::new(fixtures::system().language.clone());
        let names = (0..count).fold("0".to_owned(), |t, i| format!("(+ {t} x{i})"));
        let names = bank.parse(&names, None).unwrap();
        Renaming::new(&bank, &[names])
    }

    #[test]
    fn what_a_lent_grammar_found_is_there_for_the_next_question_of_any_size() {
        let vocabulary = Arc::new(fixtures::vocabulary());
        let grammars = Grammars::default();
        let lend = |count, size| grammars.lend(&vocabulary, &variables(count), size);
        let remembered = |grammar: &Grammar| grammar.tokens;
        let mut first = lend(2, 9);
        walk(&vocabulary, &mut first, false);
        let known = remembered(&first);
        // Those of others, and one that is lent at the same time, know nothing of it.
        assert!(known > 0 && remembered(&lend(2, 9)) == 0 && remembered(&lend(3, 9)) == 0);
        drop(first);
        assert_eq!(remembered(&lend(2, 9)), known);
        for (size, last) in [(1, false), (5, true), (9, true), (30, false), (2, true)] {
            let mut fresh = Grammar::new(&vocabulary, &variables(2), size);
            let expected = walk(&vocabulary, &mut fresh, last);
            assert_eq!(walk(&vocabulary, &mut lend(2, size), last), expected, "{size}");
        }
    }

    #[test]
    fn what_is_kept_stays_within_its_bound() {
        let vocabulary = Arc::new(fixtures::vocabulary());
        let one = {
            let mut grammar = Grammar::new(&vocabulary, &variables(3), 9);
            walk(&vocabulary, &mut grammar, true);
            grammar.weight()
        };
        for (most, least) in [(0, 0), (one / 2, 0), (2 * one, 1), (10 * one, 3)] {
            let grammars = Grammars { most, ..Grammars::default() };
            for round in 0..40 {
                let renaming = variables(round % 7);
                walk(&vocabulary, &mut grammars.lend(&vocabulary, &renaming, 9), true);
                let kept = grammars.kept();
                let weights = kept.grammars.values().flatten().map(Grammar::weight);
                assert_eq!(kept.tokens, weights.sum::<usize>());
                assert!(kept.tokens <= most);
            }
            assert!(grammars.kept().grammars.values().flatten().count() >= least);
        }
    }
}
