//! How far apart two terms look: a top-down tree edit distance.

use egraph::{TermBank, TermId};
use rustc_hash::FxHashMap;

/// The number of nodes to change, add or remove to get from one term to the other, where nodes
/// are matched top-down only: children are aligned in order, and what is not matched is removed
/// or added whole (Selkow, *The tree-to-tree editing problem*, 1977).
pub fn tree_distance(bank: &TermBank, a: TermId, b: TermId) -> u64 {
    distance(bank, a, b, &mut FxHashMap::default())
}

fn distance(
    bank: &TermBank,
    a: TermId,
    b: TermId,
    known: &mut FxHashMap<(TermId, TermId), u64>,
) -> u64 {
    if a == b {
        return 0;
    }
    if let Some(&distance) = known.get(&(a, b)) {
        return distance;
    }
    let (left, right) = (bank.children(a), bank.children(b));
    // row[j]: the first i children of a against the first j of b.
    let mut row = vec![0u64];
    for &r in right {
        row.push(row[row.len() - 1].saturating_add(bank.size(r)));
    }
    for &l in left {
        let mut next = vec![row[0].saturating_add(bank.size(l))];
        for (j, &r) in right.iter().enumerate() {
            let change = row[j].saturating_add(distance(bank, l, r, known));
            let remove = row[j + 1].saturating_add(bank.size(l));
            let add = next[j].saturating_add(bank.size(r));
            next.push(change.min(remove).min(add));
        }
        row = next;
    }
    let own = u64::from(bank.head(a) != bank.head(b));
    let result = own.saturating_add(row[right.len()]);
    known.insert((a, b), result);
    result
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
}
