//! Literals of an equality that may be others: one or two of the left side become variables, and the rest is computed from
//! them.
//!
//! `(+ (+ ?a 3) 4)` equals `(+ ?a 7)` because 7 is 3 + 4. What is computed is guessed from small expressions that come to the literal that is
//! there, and tried with other values of the variables at all points.

use crate::missing::expressions::{Premise, expressions, premises, reads, text, value};
use crate::missing::points::Points;
use egraph::{Expr, Leaf, LeafValue, LiteralKind, TermBank, TermId, Value, VarId};

/// Expressions that are tried for a literal.
const GUESSES: usize = 24;
/// Combinations of them.
const COMBINATIONS: usize = 200;

/// What an equality may have in the place of its literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherLiterals {
    /// The literals that were there, and what stands for them on the left side and on the right one.
    pub literals: Vec<(Leaf, [String; 2])>,
    /// What has to hold.
    pub when: String,
}

/// What the literals of an equality, the left side first, may be instead of what they are; none if they may be nothing else.
/// With two variables if that is possible.
pub fn other_literals(
    bank: &mut TermBank,
    (left, right): (TermId, TermId),
    points: &mut Points,
) -> Option<OtherLiterals> {
    let all: Vec<Leaf> = literals_of(bank, &[left, right]);
    let on_left = literals_of(bank, &[left]);
    let mut choices: Vec<Vec<Leaf>> = Vec::new();
    for (number, a) in on_left.iter().enumerate() {
        let others = on_left[number + 1..].iter().filter(|b| b.sort == a.sort);
        choices.extend(others.map(|b| vec![a.clone(), b.clone()]));
    }
    choices.extend(on_left.iter().map(|a| vec![a.clone()]));
    choices.into_iter().find_map(|free| {
        let kind = bank.language().literal_kind(free[0].sort)?;
        let rest: Vec<Leaf> = all.iter().filter(|leaf| !free.contains(leaf)).cloned().collect();
        Trying { bank, sides: (left, right), points, free: &free, rest: &rest, kind }.found()
    })
}

/// The different literals of some terms, from left to right, but 0 and 1 of truth values.
fn literals_of(bank: &TermBank, terms: &[TermId]) -> Vec<Leaf> {
    let mut found: Vec<Leaf> = Vec::new();
    for &term in terms {
        for leaf in bank.literals(term) {
            if !matches!(leaf.value, LeafValue::Literal(Value::Bool(_))) && !found.contains(leaf) {
                found.push(leaf.clone());
            }
        }
    }
    found
}

struct Trying<'a> {
    bank: &'a mut TermBank,
    sides: (TermId, TermId),
    points: &'a mut Points,
    /// The literals that become variables.
    free: &'a [Leaf],
    /// The others.
    rest: &'a [Leaf],
    kind: LiteralKind,
}

impl Trying<'_> {
    fn found(&mut self) -> Option<OtherLiterals> {
        let is: Vec<Value> = self.free.iter().filter_map(value_of).collect();
        let expressions = expressions(self.kind, is.len());
        // Of each other literal: what it may be, itself first.
        let guesses: Vec<Vec<Expr>> = (self.rest.iter())
            .map(|leaf| {
                let same = leaf.sort == self.free[0].sort;
                let fits = |expr: &&Expr| same && reads(expr) && value(expr, &is) == value_of(leaf);
                let computed = expressions.iter().filter(fits).take(GUESSES).cloned();
                value_of(leaf).map(Expr::Value).into_iter().chain(computed).collect()
            })
            .collect();
        let mut place = vec![0usize; guesses.len()];
        let premises = premises(self.kind, &is);
        for _ in 0..COMBINATIONS {
            let chosen: Vec<&Expr> =
                guesses.iter().zip(&place).map(|(some, &at)| &some[at]).collect();
            // Without anything that is computed, and everywhere, it would be a variable already.
            for Premise { says, samples } in &premises {
                if samples.len() >= 3 && samples.iter().all(|of| self.holds(of, &chosen)) {
                    return Some(self.written(says, &chosen));
                }
            }
            // The next combination.
            let next = (0..place.len()).find(|&digit| {
                place[digit] = (place[digit] + 1) % guesses[digit].len();
                place[digit] != 0
            });
            next?;
        }
        None
    }

    /// Whether both sides agree where the variables have these values.
    fn holds(&mut self, of: &[Value], chosen: &[&Expr]) -> bool {
        let mut with: Vec<(&Leaf, Value)> = self.free.iter().zip(of.iter().copied()).collect();
        for (leaf, expr) in self.rest.iter().zip(chosen) {
            let Some(value) = value(expr, of) else { return false };
            with.push((leaf, value));
        }
        let mut other = |leaf: &Leaf| match with.iter().find(|(literal, _)| *literal == leaf) {
            Some((_, value)) => Leaf { sort: leaf.sort, value: LeafValue::Literal(*value) },
            None => leaf.clone(),
        };
        let (a, b) = self.sides;
        let [a, b] = [a, b].map(|side| self.bank.map_leaves(side, &mut other));
        self.points.agree_once(self.bank, a, b)
    }

    fn written(&self, says: &str, chosen: &[&Expr]) -> OtherLiterals {
        let mut conditions: Vec<String> = Vec::new();
        let mut literals = Vec::new();
        for (number, leaf) in self.free.iter().enumerate() {
            let name = text(&Expr::Var(VarId(number as u16)));
            conditions.push(format!("(const {name})"));
            literals.push((leaf.clone(), [name.clone(), name]));
        }
        conditions.extend((!says.is_empty()).then(|| says.to_owned()));
        let on_left = literals_of(self.bank, &[self.sides.0]);
        for (number, (leaf, expr)) in self.rest.iter().zip(chosen).enumerate() {
            let own = value_of(leaf).map_or_else(String::new, |value| value.to_string());
            let said = text(expr);
            let left = match reads(expr) && on_left.contains(leaf) {
                // What follows from the variables is found there, and compared.
                true => {
                    let name = format!("?d{number}");
                    conditions.push(format!("(== {name} {said})"));
                    name
                }
                false => own,
            };
            let right = match expr {
                Expr::Apply(..) => format!("(compute {said})"),
                _ => said,
            };
            literals.push((leaf.clone(), [left, right]));
        }
        OtherLiterals { literals, when: conditions.join(" ") }
    }
}

fn value_of(leaf: &Leaf) -> Option<Value> {
    match leaf.value {
        LeafValue::Literal(value) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    const WORDS: &str = "(sort W) (op + (W W) W) (op * (W W) W) (op << (W W) W) (op & (W W) W)
        (op >> (W W) W) (op / (W W) W) (literal (bits 32) W) (variable W)";
    const INTEGERS: &str = "(sort I) (op + (I I) I) (op * (I I) I) (literal i64 I) (variable I)";

    /// What stands for the literals of both sides, in their order, and what has to hold.
    fn said(system: &str, left: &str, right: &str) -> Option<(Vec<[String; 2]>, String)> {
        let system = System::parse(system).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let [left, right] = [left, right].map(|side| bank.parse(side, None).unwrap());
        let found = other_literals(&mut bank, (left, right), &mut Points::new(0))?;
        Some((found.literals.into_iter().map(|(_, texts)| texts).collect(), found.when))
    }

    fn texts(all: &[[&str; 2]]) -> Vec<[String; 2]> {
        all.iter().map(|texts| texts.map(str::to_owned)).collect()
    }

    #[test]
    fn what_follows_from_two_literals_is_computed() {
        let sum = texts(&[["?c1", "?c1"], ["?c2", "?c2"], ["7", "(compute (+ ?c1 ?c2))"]]);
        let when = "(const ?c1) (const ?c2)".to_owned();
        for system in [WORDS, INTEGERS] {
            let found = said(system, "(+ (+ x 3) 4)", "(+ x 7)");
            assert_eq!(found, Some((sum.clone(), when.clone())));
        }
    }

    #[test]
    fn what_holds_of_some_literals_alone_has_a_condition() {
        let (texts_of, when) = said(WORDS, "(* x 8)", "(<< x 3)").unwrap();
        assert_eq!(texts_of, texts(&[["?c1", "?c1"], ["3", "(compute (ctz ?c1))"]]));
        assert_eq!(when, "(const ?c1) (&& (!= ?c1 0) (== (& ?c1 (- ?c1 1)) 0))");
        // It holds of those that are there, too.
        let (_, when) = said(WORDS, "(+ (* x 200) (* x 200))", "(* x 400)").unwrap();
        assert_eq!(when, "(const ?c1)");
        let halves = said(WORDS, "(/ (+ (& x 65535) 200) 200)", "(+ (/ (& x 65535) 200) 1)");
        assert!(!halves.unwrap().1.contains("(< ?c1 32)"));
        // A literal of the left side that follows from another one is compared with it.
        let (texts_of, when) = said(WORDS, "(<< (>> x 5) 5)", "(& x 4294967264)").unwrap();
        assert_eq!(texts_of[0], ["?c1", "?c1"], "one literal that stands twice");
        assert!(texts_of[1][1].starts_with("(compute ") && when.starts_with("(const ?c1)"));
    }

    #[test]
    fn what_holds_of_no_others_stays() {
        assert_eq!(said(INTEGERS, "(+ x x)", "(* x 2)"), None, "there is none on the left");
        assert_eq!(said(INTEGERS, "(* x 2)", "(+ x x)"), None);
    }
}
