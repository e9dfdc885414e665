//! A term with its equal parts written once.

use crate::shown::proof::PRINTED;
use egraph::{Leaf, LeafValue, Node, TermBank, TermId};
use std::collections::{HashMap, HashSet};
use support::counted;

/// A line `(let name part)` for each part that stands at several places, those that it uses before
/// it; then `head` and the term over these names.
pub fn with_lets(bank: &TermBank, term: TermId, head: &str) -> String {
    let parts = bank.subterms(term);
    // A part under a binder means nothing elsewhere.
    if bank.language().has_binders() {
        return format!("{head}{}\n", bank.display_part(term, PRINTED.term_size));
    }
    if parts.len() as u64 > PRINTED.term_size {
        return format!("{head}not shown: it has {}\n", counted(parts.len() as u64, "part"));
    }
    let mut places: HashMap<TermId, usize> = HashMap::new();
    for child in parts.iter().flat_map(|&part| bank.children(part)) {
        *places.entry(*child).or_default() += 1;
    }
    let taken: HashSet<String> = bank.variables(term).into_iter().map(Leaf::to_string).collect();
    let mut names = (1..).map(|i| format!("t{i}")).filter(|name| !taken.contains(name));
    let mut named = TermBank::new(bank.language().clone());
    let mut image: HashMap<TermId, TermId> = HashMap::new();
    let mut text = String::new();
    for part in parts {
        let new = match bank.node(part) {
            Node::Leaf(leaf) => named.leaf(leaf),
            Node::Op(op) => {
                let children: Vec<TermId> = bank.children(part).iter().map(|c| image[c]).collect();
                named.apply(op, &children)
            }
        };
        let several = places.get(&part).is_some_and(|&places| places > 1);
        let name = if several && !bank.children(part).is_empty() { names.next() } else { None };
        let new = match name {
            Some(name) => {
                text += &format!("(let {name} {})\n", named.display(new));
                named.leaf(&Leaf { sort: bank.sort(part), value: LeafValue::Variable(name) })
            }
            None => new,
        };
        image.insert(part, new);
    }
    format!("{text}{head}{}\n", named.display(image[&term]))
}
