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
        let put = FxHashMap::from_iter([(part, variable)]);
        let with = (bank.replace_all(a, put.clone()), bank.replace_all(b, put));
        if with != (a, b) && points.agree_once(bank, with.0, with.1) {
            (a, b) = with;
        }
    }
    (a, b)
}

fn is_variable(bank: &TermBank, term: TermId) -> bool {
    matches!(bank.node(term), Node::Leaf(Leaf { value: LeafValue::Variable(_), .. }))
}

/// The two sides of a rule, the left one first, and whether it may go from left to right, and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directed {
    pub sides: [TermId; 2],
    pub ways: [bool; 2],
}

/// The rule that two terms with equal values make; none if neither has all variables of the other and is more than a variable or a literal.
pub fn directed(bank: &TermBank, (a, b): (TermId, TermId)) -> Option<Directed> {
    let applies = |left: TermId, right: TermId| {
        let has = bank.variables(left);
        let covers = bank.variables(right).iter().all(|leaf| has.contains(leaf));
        covers && matches!(bank.node(left), Node::Op(_))
    };
    match [applies(a, b), applies(b, a)] {
        [true, back] => Some(Directed { sides: [a, b], ways: [true, back] }),
        [false, true] => Some(Directed { sides: [b, a], ways: [true, false] }),
        [false, false] => None,
    }
}

/// Both sides as a rules file has them. Variables have a `?`, and names in the order in which they come; literals are those that are
/// there, or stand as `others` says for the side, 0 or 1.
pub fn written(
    bank: &mut TermBank,
    sides: [TermId; 2],
    others: impl Fn(usize, &Leaf) -> Option<String>,
) -> [String; 2] {
    let named: Vec<Leaf> = bank.variables(sides[0]).into_iter().cloned().collect();
    [0, 1].map(|side| {
        let term = bank.map_leaves(sides[side], &mut |leaf| {
            let name = match named.iter().position(|known| known == leaf) {
                None => others(side, leaf),
                Some(number) => Some(match u8::try_from(number) {
                    Ok(number @ 0..26) => format!("?{}", char::from(b'a' + number)),
                    _ => format!("?v{number}"),
                }),
            };
            // Whatever it is called stands in the text as it is.
            let value = name.map_or_else(|| leaf.value.clone(), LeafValue::Variable);
            Leaf { sort: leaf.sort, value }
        });
        bank.text(term)
    })
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
        let Directed { sides, ways } = directed(&bank, pair)?;
        Some((written(&mut bank, sides, |_, _| None), ways))
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
