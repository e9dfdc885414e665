//! What well-known operators compute on literals.
//!
//! Integers are mathematical integers: a result that does not fit in 64 bits is no result, never
//! a wrapped one. Division and remainder are Euclidean (the remainder is never negative), and
//! `x / 0 = x % 0 = 0`, as in Halide's front end.

use crate::term::language::{LiteralKind, Value};
use LiteralKind::{Bool, I64};

/// A function on literals, found by an operator's name and sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin(&'static Entry);

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    name: &'static str,
    args: &'static [LiteralKind],
    result: LiteralKind,
}

const fn entry(name: &'static str, args: &'static [LiteralKind], result: LiteralKind) -> Entry {
    Entry { name, args, result }
}

const ENTRIES: &[Entry] = &[
    entry("+", &[I64, I64], I64),
    entry("-", &[I64, I64], I64),
    entry("-", &[I64], I64),
    entry("*", &[I64, I64], I64),
    entry("/", &[I64, I64], I64),
    entry("%", &[I64, I64], I64),
    entry("min", &[I64, I64], I64),
    entry("max", &[I64, I64], I64),
    entry("abs", &[I64], I64),
    entry("<", &[I64, I64], Bool),
    entry("<=", &[I64, I64], Bool),
    entry(">", &[I64, I64], Bool),
    entry(">=", &[I64, I64], Bool),
    entry("==", &[I64, I64], Bool),
    entry("!=", &[I64, I64], Bool),
    entry("&&", &[Bool, Bool], Bool),
    entry("||", &[Bool, Bool], Bool),
    entry("!", &[Bool], Bool),
];

impl Builtin {
    /// The function of an operator called `name` over these kinds of literals.
    pub fn find(name: &str, args: &[LiteralKind], result: LiteralKind) -> Option<Builtin> {
        let same = |e: &&Entry| e.name == name && e.args == args && e.result == result;
        ENTRIES.iter().find(same).map(Builtin)
    }

    /// The value at `args`, or `None` if it does not fit or the arguments have other kinds.
    pub fn eval(self, args: &[Value]) -> Option<Value> {
        evaluate(self.0.name, args)
    }
}

/// The value of the operator called `name` at `args`; `None` if there is no such operator on
/// these kinds, or the result does not fit in 64 bits.
pub fn evaluate(name: &str, args: &[Value]) -> Option<Value> {
    Some(match *args {
        [Value::Int(a), Value::Int(b)] => match name {
            "+" => Value::Int(a.checked_add(b)?),
            "-" => Value::Int(a.checked_sub(b)?),
            "*" => Value::Int(a.checked_mul(b)?),
            "/" if b == 0 => Value::Int(0),
            "%" if b == 0 => Value::Int(0),
            "/" => Value::Int(a.checked_div_euclid(b)?),
            // i64::MIN % -1 overflows in the processor, though the remainder is 0.
            "%" => Value::Int(a.wrapping_rem_euclid(b)),
            "min" => Value::Int(a.min(b)),
            "max" => Value::Int(a.max(b)),
            "<" => Value::Bool(a < b),
            "<=" => Value::Bool(a <= b),
            ">" => Value::Bool(a > b),
            ">=" => Value::Bool(a >= b),
            "==" => Value::Bool(a == b),
            "!=" => Value::Bool(a != b),
            _ => return None,
        },
        [Value::Bool(a), Value::Bool(b)] => match name {
            "&&" => Value::Bool(a && b),
            "||" => Value::Bool(a || b),
            _ => return None,
        },
        [Value::Int(a)] => match name {
            "-" => Value::Int(a.checked_neg()?),
            "abs" => Value::Int(a.checked_abs()?),
            _ => return None,
        },
        [Value::Bool(a)] => match name {
            "!" => Value::Bool(!a),
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_euclidean_and_total() {
        let int = |name, a, b| match evaluate(name, &[Value::Int(a), Value::Int(b)]) {
            Some(Value::Int(i)) => Some(i),
            _ => None,
        };
        assert_eq!(int("/", -7, 2), Some(-4));
        assert_eq!(int("%", -7, 2), Some(1));
        assert_eq!(int("/", -7, -2), Some(4));
        assert_eq!(int("%", -7, -2), Some(1));
        assert_eq!(int("/", 7, 0), Some(0));
        assert_eq!(int("%", 7, 0), Some(0));
        assert_eq!(int("%", i64::MIN, -1), Some(0));
    }

    #[test]
    fn what_does_not_fit_is_no_result() {
        let max = Value::Int(i64::MAX);
        assert_eq!(evaluate("+", &[max, Value::Int(1)]), None);
        assert_eq!(evaluate("/", &[Value::Int(i64::MIN), Value::Int(-1)]), None);
    }
}
