//! Variables by number: terms that differ only in the names of their variables become equal. So
//! do terms that differ in literals only, where that is wanted.

use egraph::{Language, Leaf, LeafValue, TermBank, TermId, looks_numeric};
use rustc_hash::FxHashMap;

/// `terms` with the variables renamed as [`Renaming::new`] says, one renaming for all of them.
pub fn rename_variables(bank: &mut TermBank, terms: &[TermId]) -> Vec<TermId> {
    let renaming = Renaming::new(bank, terms);
    terms.iter().map(|&term| renaming.rename(bank, term)).collect()
}

/// New names for the variables of several terms, and the way back.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// Each variable with the one that it becomes.
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
                if !renaming.by_old.contains_key(old) {
                    let value = LeafValue::Variable(names.next_name());
                    let new = Leaf { sort: old.sort, value };
                    renaming.by_old.insert(old.clone(), renaming.pairs.len());
                    renaming.by_new.insert(new.clone(), renaming.pairs.len());
                    renaming.pairs.push([old.clone(), new]);
                }
            }
        }
        renaming
    }

    /// The variables with their new names, in order of first occurrence.
    pub fn renamed(&self) -> impl Iterator<Item = &Leaf> {
        self.pairs.iter().map(|[_, new]| new)
    }

    /// A leaf with its new name. A literal, and a variable that the renaming does not know, stay as
    /// they are.
    pub fn leaf<'a>(&'a self, leaf: &'a Leaf) -> &'a Leaf {
        self.by_old.get(leaf).map_or(leaf, |&place| &self.pairs[place][1])
    }

    /// A term with the new names.
    pub fn rename(&self, bank: &mut TermBank, term: TermId) -> TermId {
        bank.map_leaves(term, &mut |leaf| self.leaf(leaf).clone())
    }

    /// A term with the variables that the new names stand for. New names that stand for nothing, or
    /// for a variable of another sort, stay.
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
                renamed += &format!("#{number}{}", &piece[atom.len()..]);
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
