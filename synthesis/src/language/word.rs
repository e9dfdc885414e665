//! Built-in operators on words and truth values, as operations of the processor.

use crate::language::meaning::MOST_ARGS;
use egraph::LiteralKind;

/// An operator on words of one width, or on truth values, which are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordOp {
    how: How,
    /// The word in which each bit is set.
    ones: u64,
    bits: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    Left,
    Right,
    Not,
    Negate,
    Less,
    AtMost,
    More,
    AtLeast,
    Same,
    Different,
    Select,
}

impl WordOp {
    /// The operator called so over arguments of these kinds; none where others are needed, or where it has no value
    /// everywhere.
    pub fn of(name: &str, kinds: &[LiteralKind]) -> Option<WordOp> {
        let (ones, bits) = match kinds.last()? {
            LiteralKind::Bits(width) => (width.largest(), width.bits()),
            LiteralKind::Bool => (1, 1),
            _ => return None,
        };
        let how = match (kinds.len(), name) {
            (1, "~" | "not" | "!") => How::Not,
            (1, "-" | "neg") => How::Negate,
            (3, "select") if kinds[0] == LiteralKind::Bool && kinds[1] == kinds[2] => How::Select,
            (2, _) if kinds[0] != kinds[1] => return None,
            (2, "+") => How::Add,
            (2, "-") => How::Subtract,
            (2, "*") => How::Multiply,
            (2, "/") => How::Divide,
            (2, "%") => How::Remainder,
            (2, "&" | "and" | "&&") => How::And,
            (2, "|" | "or" | "||") => How::Or,
            (2, "^" | "xor") => How::Xor,
            (2, "<<") => How::Left,
            (2, ">>") => How::Right,
            (2, "<") => How::Less,
            (2, "<=") => How::AtMost,
            (2, ">") => How::More,
            (2, ">=") => How::AtLeast,
            (2, "==") => How::Same,
            (2, "!=") => How::Different,
            _ => return None,
        };
        Some(WordOp { how, ones, bits: u64::from(bits) })
    }

    /// Its values at all points; of an operator with fewer arguments the last ones are not looked at.
    pub fn all(self, [a, b, c]: [&[u64]; MOST_ARGS]) -> Box<[u64]> {
        let (ones, bits) = (self.ones, self.bits);
        let both = |f: &dyn Fn(u64, u64) -> u64| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
        // A closure that is known where it is called is compiled into a loop of its own.
        macro_rules! both {
            ($f:expr) => {
                a.iter().zip(b).map(|(&a, &b)| $f(a, b)).collect()
            };
        }
        match self.how {
            How::Add => both!(|a: u64, b| a.wrapping_add(b) & ones),
            How::Subtract => both!(|a: u64, b| a.wrapping_sub(b) & ones),
            How::Multiply => both!(|a: u64, b| a.wrapping_mul(b) & ones),
            How::Divide => both(&|a, b| a.checked_div(b).unwrap_or(ones)),
            How::Remainder => both(&|a, b| a.checked_rem(b).unwrap_or(a)),
            How::And => both!(|a, b| a & b),
            How::Or => both!(|a, b| a | b),
            How::Xor => both!(|a, b| a ^ b),
            How::Left => both!(|a, b| if b >= bits { 0 } else { (a << b) & ones }),
            How::Right => both!(|a, b| if b >= bits { 0 } else { a >> b }),
            How::Not => a.iter().map(|a| !a & ones).collect(),
            How::Negate => a.iter().map(|a| a.wrapping_neg() & ones).collect(),
            How::Less => both!(|a, b| u64::from(a < b)),
            How::AtMost => both!(|a, b| u64::from(a <= b)),
            How::More => both!(|a, b| u64::from(a > b)),
            How::AtLeast => both!(|a, b| u64::from(a >= b)),
            How::Same => both!(|a, b| u64::from(a == b)),
            How::Different => both!(|a, b| u64::from(a != b)),
            How::Select => {
                let branches = b.iter().zip(c);
                a.iter().zip(branches).map(|(&a, (&b, &c))| if a == 1 { b } else { c }).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::{Bits, Value, Width, evaluate};

    const NAMES: [&str; 25] = [
        "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "and", "or", "xor", "~", "neg", "not",
        "<", "<=", ">", ">=", "==", "!=", "&&", "||", "!",
    ];

    #[test]
    fn words_are_computed_as_the_engine_computes_them() {
        let words = [1, 3, 64].map(|bits| LiteralKind::Bits(Width::new(bits).unwrap()));
        let mut compared = 0;
        for kind in [words.to_vec(), vec![LiteralKind::Bool]].concat() {
            let value = |word: u64| match kind {
                LiteralKind::Bits(width) => Value::Bits(Bits::new(width, word)),
                _ => Value::Bool(word == 1),
            };
            let largest = match kind {
                LiteralKind::Bits(width) => width.largest(),
                _ => 1,
            };
            let some: Vec<u64> = [0, 1, 2, 3, 5, 7, 63, 64, u64::MAX - 1, u64::MAX, 1 << 63]
                .into_iter()
                .filter(|word| *word <= largest)
                .collect();
            for (name, arity) in NAMES.iter().flat_map(|name| [(name, 1), (name, 2)]) {
                let Some(op) = WordOp::of(name, &vec![kind; arity]) else { continue };
                for (&a, &b) in some.iter().flat_map(|a| some.iter().map(move |b| (a, b))) {
                    let Some(expected) = evaluate(name, &[value(a), value(b)][..arity]) else {
                        continue;
                    };
                    let expected = match expected {
                        Value::Bits(bits) => bits.value(),
                        Value::Bool(truth) => u64::from(truth),
                        other => panic!("{other}"),
                    };
                    assert_eq!(op.all([&[a], &[b], &[]])[..], [expected], "{name} {a} {b} {kind}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 3_000, "{compared}");
    }
}
