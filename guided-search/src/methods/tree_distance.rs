//! How far apart two terms look: a top-down tree edit distance.

use egraph::{TermBank, TermId};
use rustc_hash::FxHashMap;

/// The number of nodes to change, add or remove to get from one term to the other, where nodes
/// are matched top-down only: children are aligned in order, and what is not matched is removed
/// or added whole (Selkow, *The tree-to-tree editing problem*, 1977).
pub fn tree_distance(bank: &TermBank, a: TermId, b: TermId) -> u64 {
    let mut known: FxHashMap<(TermId, TermId), u64> = FxHashMap::default();
    // An explicit stack: terms may be deep.
    let mut todo = vec![(a, b)];
    while let Some(&(a, b)) = todo.last() {
        let begun = todo.len();
        if a != b && !known.contains_key(&(a, b)) {
            for &l in bank.children(a) {
                let left_with = bank.children(b).iter().map(|&r| (l, r));
                todo.extend(left_with.filter(|pair| l != pair.1 && !known.contains_key(pair)));
            }
            if todo.len() == begun {
                known.insert((a, b), aligned(bank, a, b, &known));
            }
        }
        if todo.len() == begun {
            todo.pop();
        }
    }
    known.get(&(a, b)).copied().unwrap_or(0)
}

/// The distance of two terms, where those of different children are known.
fn aligned(bank: &TermBank, a: TermId, b: TermId, known: &FxHashMap<(TermId, TermId), u64>) -> u64 {
    let (left, right) = (bank.children(a), bank.children(b));
    // row[j]: the first i children of a against the first j of b.
    let mut row = vec![0u64];
    for &r in right {
        row.push(row[row.len() - 1].saturating_add(bank.size(r)));
    }
    for &l in left {
        let mut next = vec![row[0].saturating_add(bank.size(l))];
        for (j, &r) in right.iter().enumerate() {
            let apart = if l == r { 0 } else { known[&(l, r)] };
            let change = row[j].saturating_add(apart);
            let remove = row[j + 1].saturating_add(bank.size(l));
            let add = next[j].saturating_add(bank.size(r));
            next.push(change.min(remove).min(add));
        }
        row = next;
    }
    let own = u64::from(bank.head(a) != bank.head(b));
    own.saturating_add(row[right.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    fn between(a: &str, b: &str) -> u64 {
        let system = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op neg (I) I)";
        let system = System::parse(system).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let [a, b] = [a, b].map(|text| bank.parse(text, None).unwrap());
        tree_distance(&bank, a, b)
    }

    #[test]
    fn counts_changed_and_missing_nodes() {
        assert_eq!(between("(+ a b)", "(+ a b)"), 0);
        assert_eq!(between("(+ a b)", "(+ a c)"), 1);
        assert_eq!(between("(+ a b)", "(+ b a)"), 2);
        assert_eq!(between("(+ a (+ b c))", "(+ a d)"), 3);
        assert_eq!(between("(neg a)", "(+ b a)"), 2);
    }

    #[test]
    fn deep_terms_need_no_deep_stack() {
        let deep = |leaf| "(neg ".repeat(20_000) + leaf + &")".repeat(20_000);
        assert_eq!(between(&deep("a"), &deep("b")), 1);
    }
}
