//! The most general equality behind two terms: parts that may be anything become variables.

use crate::missing::points::Points;
use egraph::{Leaf, LeafValue, Node, TermBank, TermId};
use rustc_hash::FxHashMap;

/// Two terms with equal values, in which what may be anything is a variable: the largest parts first, in every place. Literals
/// are parts.
pub fn general(
    bank: &mut TermBank,
    (mut a, mut b): (TermId, TermId),
    points: &mut Points,
) -> (TermId, TermId) {
    let mut parts: Vec<TermId> = bank.subterms(a);
    parts.extend(bank.subterms(b));
    parts.retain(|&part| part != a && !is_variable(bank, part));
    parts.sort_by_key(|&part| (std::cmp::Reverse(bank.size(part)), bank.text(part)));
    parts.dedup();
    for (number, &part) in parts.iter().enumerate() {
        // No name that somebody writes.
        let value = LeafValue::Variable(format!("?{number}"));
        let variable = bank.leaf(&Leaf { sort: bank.sort(part), value });
        let with = (replaced(bank, a, part, variable), replaced(bank, b, part, variable));
        if with != (a, b) && points.agree(bank, with.0, with.1) {
            (a, b) = with;
        }
    }
    (a, b)
}

fn is_variable(bank: &TermBank, term: TermId) -> bool {
    matches!(bank.node(term), Node::Leaf(Leaf { value: LeafValue::Variable(_), .. }))
}

/// A term with another one in every place of a part.
fn replaced(bank: &mut TermBank, term: TermId, part: TermId, with: TermId) -> TermId {
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    for inner in bank.subterms(term) {
        let new = match bank.node(inner) {
            _ if inner == part => with,
            Node::Op(op) => {
                let children: Vec<TermId> =
                    bank.children(inner).iter().map(|child| known[child]).collect();
                bank.apply(op, &children)
            }
            Node::Leaf(_) => inner,
        };
        known.insert(inner, new);
    }
    known[&term]
}

/// The sides of the rule that two terms with equal values make, the left one first, and whether it may go from left to right and
/// back; none if neither has all variables of the other and is more than a variable or a literal. Variables have a `?`, and names in the
/// order in which they come.
pub fn sides(bank: &mut TermBank, (a, b): (TermId, TermId)) -> Option<([String; 2], [bool; 2])> {
    let applies = |left: TermId, right: TermId| {
        let has = bank.variables(left);
        let covers = bank.variables(right).iter().all(|leaf| has.contains(leaf));
        covers && matches!(bank.node(left), Node::Op(_))
    };
    let (left, right, ways) = match [applies(a, b), applies(b, a)] {
        [true, back] => (a, b, [true, back]),
        [false, true] => (b, a, [true, false]),
        [false, false] => return None,
    };
    let named: Vec<Leaf> = bank.variables(left).into_iter().cloned().collect();
    let sides = [left, right].map(|side| {
        let side =
            bank.map_leaves(side, &mut |leaf| match named.iter().position(|known| known == leaf) {
                None => leaf.clone(),
                Some(number) => {
                    let name = match u8::try_from(number) {
                        Ok(number @ 0..26) => char::from(b'a' + number).to_string(),
                        _ => format!("v{number}"),
                    };
                    let value = LeafValue::Variable(format!("?{name}"));
                    Leaf { sort: leaf.sort, value }
                }
            });
        bank.text(side)
    });
    Some((sides, ways))
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    fn said(a: &str, b: &str) -> Option<([String; 2], [bool; 2])> {
        let system = System::parse(
            "(sort I) (op + (I I) I) (op * (I I) I) (op - (I I) I) (op f (I) I) (literal i64 I) (variable I)",
        );
        let mut bank = TermBank::new(system.unwrap().language.clone());
        let pair = (bank.parse(a, None).unwrap(), bank.parse(b, None).unwrap());
        let pair = general(&mut bank, pair, &mut Points::new(0));
        sides(&mut bank, pair)
    }

    fn rule(left: &str, right: &str, back: bool) -> Option<([String; 2], [bool; 2])> {
        Some(([left.to_owned(), right.to_owned()], [true, back]))
    }

    #[test]
    fn parts_and_literals_that_may_be_anything_become_variables() {
        assert_eq!(said("(- (+ 5 (* x y)) (* x y))", "5"), rule("(- (+ ?a ?b) ?b)", "?a", false));
        assert_eq!(said("(* 0 (+ x 3))", "0"), rule("(* 0 ?a)", "0", false));
        assert_eq!(said("(+ x x)", "(* 2 x)"), rule("(+ ?a ?a)", "(* 2 ?a)", true));
        // The side with all variables is the left one.
        assert_eq!(said("x", "(+ x (- y y))"), rule("(+ ?a (- ?b ?b))", "?a", false));
        assert_eq!(said("x", "y"), None);
    }

    #[test]
    fn what_has_no_meaning_agrees_with_nothing() {
        let unchanged = rule("(f (+ ?a 0))", "(f ?a)", true);
        assert_eq!(said("(f (+ x 0))", "(f x)"), unchanged);
    }
}
