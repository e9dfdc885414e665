//! Variables by number: terms that differ only in the names of their variables become equal.

use egraph::{Language, Leaf, LeafValue};
use egraph::{TermBank, TermId};
use rustc_hash::FxHashMap;

/// `terms` with the variables renamed to `v0`, `v1`, … in order of their first occurrence, from
/// left to right over the terms in the order given. One renaming for all of the terms; a
/// variable keeps its sort. A name that is an operator's is skipped.
pub fn rename_variables(bank: &mut TermBank, terms: &[TermId]) -> Vec<TermId> {
    let language = bank.language().clone();
    let mut names = Names { language: &language, next: 0 };
    let mut renamed: FxHashMap<Leaf, Leaf> = FxHashMap::default();
    for &term in terms {
        for variable in bank.variables(term) {
            renamed.entry(variable.clone()).or_insert_with(|| Leaf {
                sort: variable.sort,
                value: LeafValue::Variable(names.next_name()),
            });
        }
    }
    if renamed.iter().all(|(from, to)| from == to) {
        return terms.to_vec();
    }
    let mut rename = |leaf: &Leaf| renamed.get(leaf).unwrap_or(leaf).clone();
    terms.iter().map(|&term| bank.map_leaves(term, &mut rename)).collect()
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
    fn variables_can_be_swapped() {
        assert_eq!(renamed(PLUS, &["(+ v1 v0)"]), ["(+ v0 v1)"]);
    }

    #[test]
    fn an_operator_keeps_its_name_to_itself() {
        let system = format!("{PLUS} (op v0 () I)");
        assert_eq!(renamed(&system, &["(+ x v0)"]), ["(+ v1 v0)"]);
    }
}
