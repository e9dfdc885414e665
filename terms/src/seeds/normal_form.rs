//! Variables by number: terms that differ only in the names of their variables become equal. So
//! do terms that differ in literals only, where that is wanted.

use egraph::{Language, Leaf, LeafValue, TermBank, TermId, looks_numeric};
use rand::Rng;
use rand::seq::SliceRandom;
use rustc_hash::FxHashMap;

/// What the name of a literal begins with.
pub const LITERAL: char = '#';

/// `terms` with the variables renamed as [`Renaming::new`] says, one renaming for all of them.
pub fn rename_variables(bank: &mut TermBank, terms: &[TermId]) -> Vec<TermId> {
    let renaming = Renaming::new(bank, terms);
    terms.iter().map(|&term| renaming.rename(bank, term)).collect()
}

/// New names for the variables of several terms, or for their literals too, and the way back.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// Each leaf with the variable that it becomes: variables, then literals.
    pairs: Vec<[Leaf; 2]>,
    /// Places in `pairs`.
    by_old: FxHashMap<Leaf, usize>,
    by_new: FxHashMap<Leaf, usize>,
}

impl Renaming {
    /// Calls the variables of `terms` `v0`, `v1`, … in order of their first occurrence, from left
    /// to right over the terms in the order given. A variable keeps its sort. A name that is an
    /// operator's is skipped.
    pub fn new(bank: &TermBank, terms: &[TermId]) -> Renaming {
        let mut names = Names { language: bank.language(), next: 0 };
        let mut renaming = Renaming::default();
        for &term in terms {
            for old in bank.variables(term) {
                renaming.add(old, || names.next_name());
            }
        }
        renaming
    }

    /// The same, and the literals of `terms` that `named` wants are called `#0`, `#1`, … in order of their
    /// first occurrence. No variable of a language can be called so.
    pub fn with_literals(
        bank: &TermBank,
        terms: &[TermId],
        named: impl Fn(&Leaf) -> bool,
    ) -> Renaming {
        let mut renaming = Renaming::new(bank, terms);
        let mut next = 0u32;
        for &term in terms {
            for old in bank.literals(term).into_iter().filter(|leaf| named(leaf)) {
                renaming.add(old, || {
                    next += 1;
                    format!("{LITERAL}{}", next - 1)
                });
            }
        }
        renaming
    }

    /// The same with other names: of the first `most` for variables, and of as many for literals, those that `rng` draws,
    /// in the order of the names before. Variables or literals that are more keep theirs.
    pub fn spread(mut self, language: &Language, most: usize, rng: &mut impl Rng) -> Renaming {
        let mut names = Names { language, next: 0 };
        let of_variables: Vec<String> = (0..most).map(|_| names.next_name()).collect();
        let of_literals: Vec<String> = (0..most).map(|i| format!("{LITERAL}{i}")).collect();
        let variable = |[old, _]: &[Leaf; 2]| matches!(old.value, LeafValue::Variable(_));
        let count = self.pairs.partition_point(variable);
        let (variables, literals) = self.pairs.split_at_mut(count);
        for (pairs, names) in [(variables, of_variables), (literals, of_literals)] {
            if pairs.len() <= most {
                let mut drawn: Vec<usize> = (0..most).collect();
                drawn.shuffle(rng);
                drawn.truncate(pairs.len());
                drawn.sort_unstable();
                for ([_, new], i) in pairs.iter_mut().zip(drawn) {
                    new.value = LeafValue::Variable(names[i].clone());
                }
            }
        }
        let places = self.pairs.iter().enumerate();
        self.by_new = places.map(|(place, [_, new])| (new.clone(), place)).collect();
        self
    }

    fn add(&mut self, old: &Leaf, name: impl FnOnce() -> String) {
        if self.by_old.contains_key(old) {
            return;
        }
        let new = Leaf { sort: old.sort, value: LeafValue::Variable(name()) };
        self.by_old.insert(old.clone(), self.pairs.len());
        self.by_new.insert(new.clone(), self.pairs.len());
        self.pairs.push([old.clone(), new]);
    }

    /// The new names: those of variables, then those of literals, each in order of first occurrence.
    pub fn renamed(&self) -> impl Iterator<Item = &Leaf> {
        self.pairs.iter().map(|[_, new]| new)
    }

    /// What `renamed` gives, all at once: what terms over these names may be depends on nothing else.
    pub fn names(&self) -> Vec<Leaf> {
        self.renamed().cloned().collect()
    }

    /// A leaf with its new name. What the renaming does not know stays as it is.
    pub fn leaf<'a>(&'a self, leaf: &'a Leaf) -> &'a Leaf {
        self.by_old.get(leaf).map_or(leaf, |&place| &self.pairs[place][1])
    }

    /// A term with the new names.
    pub fn rename(&self, bank: &mut TermBank, term: TermId) -> TermId {
        bank.map_leaves(term, &mut |leaf| self.leaf(leaf).clone())
    }

    /// A term with the leaves that the new names stand for. New names that stand for nothing, or
    /// for a leaf of another sort, stay.
    pub fn restore(&self, bank: &mut TermBank, term: TermId) -> TermId {
        bank.map_leaves(term, &mut |leaf| {
            self.by_new.get(leaf).map_or(leaf, |&place| &self.pairs[place][0]).clone()
        })
    }
}

/// The texts of terms with `#0`, `#1`, … for their literals, in order of their first occurrence over
/// the texts in the order given: one name for one literal.
pub fn rename_literals<const N: usize>(texts: [&str; N]) -> [String; N] {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    texts.map(|text| {
        let mut renamed = String::with_capacity(text.len());
        // With the separators, each at the end of a piece.
        for piece in text.split_inclusive(['(', ')', ' ']) {
            let atom = piece.trim_end_matches(['(', ')', ' ']);
            if looks_numeric(atom) {
                let next = numbers.len();
                let number = *numbers.entry(atom).or_insert(next);
                renamed += &format!("{LITERAL}{number}{}", &piece[atom.len()..]);
            } else {
                renamed += piece;
            }
        }
        renamed
    })
}

struct Names<'a> {
    language: &'a Language,
    next: u32,
}

impl Names<'_> {
    fn next_name(&mut self) -> String {
        loop {
            let name = format!("v{}", self.next);
            self.next += 1;
            if self.language.operator(&name).is_none() {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;
    use support::random::stream;

    fn renamed(system: &str, terms: &[&str]) -> Vec<String> {
        let system = System::parse(system).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let terms: Vec<_> = terms.iter().map(|t| bank.parse(t, None).unwrap()).collect();
        let terms = rename_variables(&mut bank, &terms);
        terms.into_iter().map(|t| bank.text(t)).collect()
    }

    const PLUS: &str = "(sort I) (literal i64 I) (variable I) (op + (I I) I)";

    #[test]
    fn one_renaming_for_all_terms_in_order() {
        let got = renamed(PLUS, &["(+ b (+ a b))", "(+ 2 c)", "a"]);
        assert_eq!(got, ["(+ v0 (+ v1 v0))", "(+ 2 v2)", "v1"]);
    }

    #[test]
    fn literals_get_numbers_over_all_texts() {
        let texts = rename_literals(["(+ -7 (- 12 v0))", "12", "(- v1 -7)"]);
        assert_eq!(texts, ["(+ #0 (- #1 v0))", "#1", "(- v1 #0)"]);
    }

    #[test]
    fn literals_that_are_wanted_have_names_and_come_back() {
        let system = System::parse(PLUS).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let terms = ["(+ (+ 7 b) (+ 12 0))", "(+ 12 (+ a -7))"];
        let terms = terms.map(|text| bank.parse(text, None).unwrap());
        let named = |leaf: &Leaf| leaf.to_string() != "0";
        let renaming = Renaming::with_literals(&bank, &terms, named);
        let renamed = terms.map(|term| renaming.rename(&mut bank, term));
        let texts = renamed.map(|term| bank.text(term));
        assert_eq!(texts, ["(+ (+ #0 v0) (+ #1 0))", "(+ #1 (+ v1 #2))"]);
        assert_eq!(renamed.map(|term| renaming.restore(&mut bank, term)), terms);
    }

    #[test]
    fn spread_names_keep_their_order_and_come_back() {
        let system = System::parse(&format!("{PLUS} (op v1 () I)")).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse("(+ (+ 7 b) (+ 12 (+ a (+ v1 7))))", None).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let first = Renaming::with_literals(&bank, &[term], |_| true);
            let renaming = first.spread(bank.language(), 4, &mut stream(seed, 0));
            let names: Vec<String> = renaming.renamed().map(Leaf::to_string).collect();
            assert!(names[0] < names[1] && names[2] < names[3], "{names:?}");
            let renamed = renaming.rename(&mut bank, term);
            assert_eq!(renaming.restore(&mut bank, renamed), term);
            seen.extend(names);
        }
        let all = ["#0", "#1", "#2", "#3", "v0", "v2", "v3", "v4"];
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
        // Two are more than one.
        let first = Renaming::with_literals(&bank, &[term], |_| true);
        let same = first.clone().spread(bank.language(), 1, &mut stream(0, 0));
        assert!(first.renamed().eq(same.renamed()));
    }

    #[test]
    fn variables_can_be_swapped() {
        assert_eq!(renamed(PLUS, &["(+ v1 v0)"]), ["(+ v0 v1)"]);
    }

    #[test]
    fn renamed_terms_come_back_and_new_names_of_nothing_stay() {
        let system = System::parse(&format!("{PLUS} (op v0 () I)")).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let [term, other] =
            ["(+ v1 (+ x v0))", "(+ v1 (+ v2 v3))"].map(|text| bank.parse(text, None).unwrap());
        let renaming = Renaming::new(&bank, &[term]);
        let renamed = renaming.rename(&mut bank, term);
        assert_eq!(bank.text(renamed), "(+ v1 (+ v2 v0))");
        assert_eq!(renaming.restore(&mut bank, renamed), term);
        let restored = renaming.restore(&mut bank, other);
        assert_eq!(bank.text(restored), "(+ v1 (+ x v3))");
    }

    #[test]
    fn an_operator_keeps_its_name_to_itself() {
        let system = format!("{PLUS} (op v0 () I)");
        assert_eq!(renamed(&system, &["(+ x v0)"]), ["(+ v1 v0)"]);
    }
}
