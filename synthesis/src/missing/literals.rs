//! Literals of an equality that may be others: one or two of the left side become variables, and the rest is computed from
//! them.
//!
//! `(+ (+ ?a 3) 4)` equals `(+ ?a 7)` because 7 is 3 + 4. What is computed is guessed from small expressions that come to the literal that is
//! there, and tried with other values of the variables at all points.

use crate::missing::general::replaced;
use crate::missing::points::Points;
use crate::values::inputs::random;
use egraph::{Bits, Leaf, LeafValue, LiteralKind, TermBank, TermId, Value, evaluate};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Values of the variables that are tried.
const TRIES: usize = 16;
/// Expressions that are tried for a literal.
const GUESSES: usize = 24;
/// Combinations of them.
const COMBINATIONS: usize = 200;
/// Names of the variables, and of literals of the left side that follow from them.
const NAMES: [&str; 2] = ["?c1", "?c2"];

/// What an equality may have in the place of its literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherLiterals {
    /// The literals that were there, and what stands for them on the left side and on the right one.
    pub literals: Vec<(Leaf, [String; 2])>,
    /// What has to hold.
    pub when: String,
}

/// A literal as an expression over the variables, with its text.
#[derive(Clone, Debug)]
struct Guess {
    text: String,
    expr: Expr,
}

#[derive(Clone, Debug)]
enum Expr {
    Variable(usize),
    Literal(Value),
    Apply(&'static str, Vec<Expr>),
}

impl Expr {
    fn value(&self, of: &[Value]) -> Option<Value> {
        match self {
            Expr::Variable(number) => of.get(*number).copied(),
            Expr::Literal(value) => Some(*value),
            Expr::Apply(name, args) => match &args[..] {
                [a] => evaluate(name, &[a.value(of)?]),
                [a, b] => evaluate(name, &[a.value(of)?, b.value(of)?]),
                _ => None,
            },
        }
    }

    fn text(&self) -> String {
        match self {
            Expr::Variable(number) => NAMES[*number].to_owned(),
            Expr::Literal(value) => value.to_string(),
            Expr::Apply(name, args) => {
                let args: Vec<String> = args.iter().map(Expr::text).collect();
                format!("({name} {})", args.join(" "))
            }
        }
    }

    fn reads(&self) -> bool {
        match self {
            Expr::Variable(_) => true,
            Expr::Literal(_) => false,
            Expr::Apply(_, args) => args.iter().any(Expr::reads),
        }
    }
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
        let guesses: Vec<Vec<Guess>> = (self.rest.iter())
            .map(|leaf| {
                let own = value_of(leaf).map(Expr::Literal);
                let same = leaf.sort == self.free[0].sort;
                let computed = expressions
                    .iter()
                    .filter(|expr| same && expr.reads() && expr.value(&is) == value_of(leaf));
                own.iter()
                    .chain(computed.take(GUESSES))
                    .map(|expr| Guess { text: expr.text(), expr: expr.clone() })
                    .collect()
            })
            .collect();
        let mut place = vec![0usize; guesses.len()];
        let conditions = conditions(self.kind, is.len());
        for _ in 0..COMBINATIONS {
            let chosen: Vec<&Guess> =
                guesses.iter().zip(&place).map(|(some, &at)| &some[at]).collect();
            // Without anything that is computed, and everywhere, it would be a variable already.
            for (when, samples) in &conditions {
                if samples.len() >= 3 && samples.iter().all(|of| self.holds(of, &chosen)) {
                    return Some(self.written(when, &chosen));
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
    fn holds(&mut self, of: &[Value], chosen: &[&Guess]) -> bool {
        let mut with: Vec<(Leaf, Value)> =
            self.free.iter().cloned().zip(of.iter().copied()).collect();
        for (leaf, guess) in self.rest.iter().zip(chosen) {
            let Some(value) = guess.expr.value(of) else { return false };
            with.push((leaf.clone(), value));
        }
        // By way of variables, or a literal that was put in would be replaced, too.
        let (mut a, mut b) = self.sides;
        for (number, (leaf, _)) in with.iter().enumerate() {
            let (literal, hole) = (self.bank.leaf(leaf), hole(self.bank, leaf, number));
            a = replaced(self.bank, a, literal, hole);
            b = replaced(self.bank, b, literal, hole);
        }
        for (number, (leaf, value)) in with.iter().enumerate() {
            let literal = Leaf { sort: leaf.sort, value: LeafValue::Literal(*value) };
            let (literal, hole) = (self.bank.leaf(&literal), hole(self.bank, leaf, number));
            a = replaced(self.bank, a, hole, literal);
            b = replaced(self.bank, b, hole, literal);
        }
        self.points.agree_once(self.bank, a, b)
    }

    fn written(&self, when: &str, chosen: &[&Guess]) -> OtherLiterals {
        let mut conditions: Vec<String> = Vec::new();
        let mut literals = Vec::new();
        for (leaf, name) in self.free.iter().zip(NAMES) {
            literals.push((leaf.clone(), [name.to_owned(), name.to_owned()]));
            conditions.push(format!("(const {name})"));
        }
        conditions.extend((!when.is_empty()).then(|| when.to_owned()));
        let on_left = literals_of(self.bank, &[self.sides.0]);
        for (number, (leaf, guess)) in self.rest.iter().zip(chosen).enumerate() {
            let right = match &guess.expr {
                Expr::Apply(..) => format!("(compute {})", guess.text),
                _ => guess.text.clone(),
            };
            let left = match guess.expr.reads() && on_left.contains(leaf) {
                // What follows from the variables is found there, and compared.
                true => {
                    let name = format!("?d{number}");
                    conditions.push(format!("(== {name} {})", guess.text));
                    name
                }
                false => value_of(leaf).map_or_else(String::new, |value| value.to_string()),
            };
            literals.push((leaf.clone(), [left, right]));
        }
        OtherLiterals { literals, when: conditions.join(" ") }
    }
}

fn hole(bank: &mut TermBank, leaf: &Leaf, number: usize) -> TermId {
    bank.leaf(&Leaf { sort: leaf.sort, value: LeafValue::Variable(format!("?hole{number}")) })
}

fn value_of(leaf: &Leaf) -> Option<Value> {
    match leaf.value {
        LeafValue::Literal(value) => Some(value),
        _ => None,
    }
}

/// A number of a kind.
fn number(kind: LiteralKind, value: i64) -> Option<Value> {
    match kind {
        LiteralKind::Bits(width) => {
            Some(Value::Bits(Bits::new(width, value as u64 & width.largest())))
        }
        LiteralKind::I64 => Some(Value::Int(value)),
        LiteralKind::Rational => kind.read(&value.to_string()),
        LiteralKind::Bool | LiteralKind::F64 => None,
    }
}

/// Expressions over so many variables, small ones first.
fn expressions(kind: LiteralKind, variables: usize) -> Vec<Expr> {
    let (unary, binary): (&[&str], &[&str]) = match kind {
        LiteralKind::Bits(_) => {
            (&["~", "ctz", "popcount"], &["+", "-", "<<", ">>", "*", "/", "&", "|", "^"])
        }
        LiteralKind::I64 => (&[], &["+", "-", "*", "/", "%", "min", "max"]),
        LiteralKind::Rational => (&[], &["+", "-", "*", "/"]),
        LiteralKind::Bool | LiteralKind::F64 => return Vec::new(),
    };
    let mut leaves: Vec<Expr> = (0..variables).map(Expr::Variable).collect();
    let width = match kind {
        LiteralKind::Bits(width) => Some(i64::from(width.bits())),
        _ => None,
    };
    let numbers = [0, 1, 2].into_iter().chain(width).chain(width.map(|width| width - 1));
    leaves.extend(numbers.filter_map(|value| number(kind, value)).map(Expr::Literal));
    let larger = |some: &[Expr], others: &[Expr]| -> Vec<Expr> {
        let mut found = Vec::new();
        for a in some {
            found.extend(unary.iter().map(|&name| Expr::Apply(name, vec![a.clone()])));
            for b in others {
                let both = |name| Expr::Apply(name, vec![a.clone(), b.clone()]);
                found.extend(binary.iter().map(|&name| both(name)));
            }
        }
        found
    };
    let two = larger(&leaves, &leaves);
    let readers: Vec<Expr> = two.iter().filter(|expr| expr.reads()).cloned().collect();
    let mut three = larger(&readers, &leaves);
    for a in &leaves {
        for b in &readers {
            let both = |name| Expr::Apply(name, vec![a.clone(), b.clone()]);
            three.extend(binary.iter().map(|&name| both(name)));
        }
    }
    leaves.into_iter().chain(two).chain(three).collect()
}

/// What may have to hold of the variables, the weakest first, and values for which it does.
fn conditions(kind: LiteralKind, variables: usize) -> Vec<(String, Vec<Vec<Value>>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut drawn: Vec<Vec<Value>> = Vec::new();
    for round in 0..8 * TRIES {
        let mut draw = || match (kind, round % 4) {
            // Powers of two are rare otherwise.
            (LiteralKind::Bits(width), 0) => {
                let power = 1u64 << (round as u32 / 4 % width.bits());
                Value::Bits(Bits::new(width, power))
            }
            _ => random(kind, &mut rng),
        };
        drawn.push((0..variables).map(|_| draw()).collect());
    }
    let mut forms: Vec<&str> = vec!["", "(!= _ 0)"];
    let width = match kind {
        LiteralKind::Bits(width) => format!("(< _ {})", width.bits()),
        _ => "(> _ 0)".to_owned(),
    };
    forms.push(&width);
    let power = "(!= _ 0) (== (& _ (- _ 1)) 0)";
    if matches!(kind, LiteralKind::Bits(_)) {
        forms.push(power);
    }
    let holds = |form: &str, value: Value| {
        let compared = |name: &str, other: i64| {
            number(kind, other).and_then(|other| evaluate(name, &[value, other]))
                == Some(Value::Bool(true))
        };
        match form {
            "" => true,
            "(!= _ 0)" => compared("!=", 0),
            "(> _ 0)" => compared(">", 0),
            form if form == power => value.to_bits().is_some_and(|bits| bits.is_power_of_two()),
            _ => match kind {
                LiteralKind::Bits(width) => compared("<", i64::from(width.bits())),
                _ => false,
            },
        }
    };
    forms
        .into_iter()
        .map(|form| {
            let all = |of: &&Vec<Value>| of.iter().all(|value| holds(form, *value));
            let samples: Vec<Vec<Value>> = drawn.iter().filter(all).take(TRIES).cloned().collect();
            let said: Vec<String> = NAMES[..variables]
                .iter()
                .filter(|_| !form.is_empty())
                .map(|name| form.replace('_', name))
                .collect();
            (said.join(" "), samples)
        })
        .collect()
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
        assert_eq!(when, "(const ?c1) (!= ?c1 0) (== (& ?c1 (- ?c1 1)) 0)");
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
