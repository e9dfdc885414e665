//! Variables by number: terms that differ only in the names of their variables become equal. So
//! do terms that differ in literals only, where that is wanted.

use egraph::{Language, Leaf, LeafValue, Node, TermBank, TermId, looks_numeric};
use rustc_hash::{FxHashMap, FxHashSet};

/// `terms` with the variables renamed to `v0`, `v1`, … in order of their first occurrence, from
/// left to right over the terms in the order given. One renaming for all of the terms; a
/// variable keeps its sort. A name that is an operator's is skipped.
pub fn rename_variables(bank: &mut TermBank, terms: &[TermId]) -> Vec<TermId> {
    Renamer::default().rename(bank, terms)
}

/// Renames variables in the terms of one bank, and remembers what became of subterms.
#[derive(Debug, Default)]
pub struct Renamer {
    /// By the variables in the order of their first occurrence: new terms by old ones.
    renamed: FxHashMap<Vec<TermId>, FxHashMap<TermId, TermId>>,
}

impl Renamer {
    /// As [`rename_variables`].
    pub fn rename(&mut self, bank: &mut TermBank, terms: &[TermId]) -> Vec<TermId> {
        let variables = variables(bank, terms);
        let renamed = self.renamed.entry(variables).or_insert_with_key(|variables| {
            let language = bank.language().clone();
            let mut names = Names { language: &language, next: 0 };
            let mut rename = |&variable: &TermId| {
                let value = LeafValue::Variable(names.next_name());
                (variable, bank.leaf(&Leaf { sort: bank.sort(variable), value }))
            };
            variables.iter().map(&mut rename).collect()
        });
        terms.iter().map(|&term| replace(bank, renamed, term)).collect()
    }
}

/// The distinct variables of all terms in order of first occurrence.
fn variables(bank: &TermBank, terms: &[TermId]) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut todo: Vec<TermId> = terms.iter().rev().copied().collect();
    while let Some(term) = todo.pop() {
        if seen.insert(term) {
            match bank.node(term) {
                Node::Leaf(Leaf { value: LeafValue::Variable(_), .. }) => found.push(term),
                _ => todo.extend(bank.children(term).iter().rev()),
            }
        }
    }
    found
}

/// What becomes of a term all variables of which are in `renamed`; so do its subterms.
fn replace(bank: &mut TermBank, renamed: &mut FxHashMap<TermId, TermId>, term: TermId) -> TermId {
    let mut todo = vec![term];
    while let Some(&term) = todo.last() {
        let open = todo.len();
        if !renamed.contains_key(&term) {
            let children = bank.children(term).iter();
            todo.extend(children.filter(|child| !renamed.contains_key(child)));
            if todo.len() > open {
                continue;
            }
            let new: Vec<TermId> = bank.children(term).iter().map(|c| renamed[c]).collect();
            renamed.insert(term, bank.add(bank.head(term), &new));
        }
        todo.pop();
    }
    renamed[&term]
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
    fn an_operator_keeps_its_name_to_itself() {
        let system = format!("{PLUS} (op v0 () I)");
        assert_eq!(renamed(&system, &["(+ x v0)"]), ["(+ v1 v0)"]);
    }
}
