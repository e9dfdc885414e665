//! What well-known operators compute on literals.
//!
//! Integers are mathematical integers: a result that does not fit in 64 bits is no result, never
//! a wrapped one. Division and remainder are Euclidean (the remainder is never negative), and
//! `x / 0 = x % 0 = 0`, as in Halide's front end. Fractions are exact, with no result where they do not
//! fit or would be divided by zero; doubles are rounded, with no result that is not finite; words wrap
//! around, with division by zero as in SMT-LIB.

use crate::term::bits::Bits;
use crate::term::float::Float;
use crate::term::literal::{LiteralKind, Value};
use crate::term::rational::Rational;

/// A function on literals, found by an operator's name and sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin(&'static str);

/// The operators of a kind of literals.
struct Operators {
    /// Two arguments of the kind, and a result of it.
    binary: &'static str,
    /// One argument of the kind, and a result of it.
    unary: &'static str,
    /// A word and an integer, and a word as the result.
    shifts: &'static str,
    /// Two arguments of the kind, and a truth value.
    comparisons: &'static str,
}

const COMPARISONS: &str = "< <= > >= == !=";

fn operators(kind: LiteralKind) -> Operators {
    let (binary, unary, shifts, comparisons) = match kind {
        LiteralKind::I64 => ("+ - * / % min max & | ^ << >>", "- abs", "", COMPARISONS),
        LiteralKind::Bool => ("&& ||", "!", "", ""),
        LiteralKind::Rational | LiteralKind::F64 => ("+ - * / min max", "- abs", "", COMPARISONS),
        LiteralKind::Bits(_) => {
            ("+ - * / % & | ^ << >> and or xor", "- ~ neg not", "shl shr", COMPARISONS)
        }
    };
    Operators { binary, unary, shifts, comparisons }
}

impl Builtin {
    /// The function of an operator called `name` over these kinds of literals.
    pub fn find(name: &str, args: &[LiteralKind], result: LiteralKind) -> Option<Builtin> {
        let Operators { binary, unary, shifts, comparisons } = operators(*args.first()?);
        let names = match *args {
            [a] if result == a => unary,
            [a, b] if a == b && result == a => binary,
            [a, b] if a == b && result == LiteralKind::Bool => comparisons,
            [a, LiteralKind::I64] if result == a => shifts,
            _ => return None,
        };
        names.split_whitespace().find(|known| *known == name).map(Builtin)
    }

    /// The value at `args`, or `None` if there is none or the arguments have other kinds.
    pub fn eval(self, args: &[Value]) -> Option<Value> {
        evaluate(self.0, args)
    }
}

/// The value of the operator called `name` at `args`; `None` if there is no such operator on
/// these kinds, or no value: it does not fit in 64 bits, say.
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
            "&" => Value::Int(a & b),
            "|" => Value::Int(a | b),
            "^" => Value::Int(a ^ b),
            "<<" => Value::Int(shifted_left(a, b)?),
            ">>" => Value::Int(a >> u32::try_from(b).ok().filter(|b| *b < 64)?),
            _ => compared(name, a, b)?,
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
        [Value::Rational(a), Value::Rational(b)] => match Rational::binary(name, a, b) {
            Some(result) => Value::Rational(result),
            None => compared(name, a, b)?,
        },
        [Value::Rational(a)] => Value::Rational(Rational::unary(name, a)?),
        [Value::Float(a), Value::Float(b)] => match Float::binary(name, a, b) {
            Some(result) => Value::Float(result),
            None => compared(name, a, b)?,
        },
        [Value::Float(a)] => Value::Float(Float::unary(name, a)?),
        [Value::Bits(a), Value::Bits(b)] => match Bits::binary(name, a, b) {
            Some(result) => Value::Bits(result),
            None if a.width() == b.width() => compared(name, a, b)?,
            None => return None,
        },
        [Value::Bits(a), Value::Int(b)] => Value::Bits(Bits::shift(name, a, b)?),
        [Value::Bits(a)] => Value::Bits(Bits::unary(name, a)?),
        _ => return None,
    })
}

fn compared<T: Ord>(name: &str, a: T, b: T) -> Option<Value> {
    Some(Value::Bool(match name {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        "!=" => a != b,
        _ => return None,
    }))
}

/// `None` where bits would be lost, the sign among them, or the amount is not 0 to 63.
fn shifted_left(a: i64, amount: i64) -> Option<i64> {
    let amount = u32::try_from(amount).ok().filter(|amount| *amount < 64)?;
    Some(a << amount).filter(|shifted| shifted >> amount == a)
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
    fn integers_are_shifted_where_nothing_is_lost() {
        let int = |name, a, b| evaluate(name, &[Value::Int(a), Value::Int(b)]);
        assert_eq!(int("<<", -3, 4), Some(Value::Int(-48)));
        assert_eq!(int("<<", -1, 63), Some(Value::Int(i64::MIN)));
        assert_eq!(int("<<", 1, 63), None);
        assert_eq!(int("<<", 0, 64), None);
        assert_eq!(int("<<", 1, -1), None);
        assert_eq!(int(">>", -5, 1), Some(Value::Int(-3)));
        assert_eq!(int(">>", -5, 63), Some(Value::Int(-1)));
        assert_eq!(int(">>", -5, 64), None);
        assert_eq!(int("&", -4, 6), Some(Value::Int(4)));
        assert_eq!(int("|", -4, 6), Some(Value::Int(-2)));
        assert_eq!(int("^", -4, 6), Some(Value::Int(-6)));
    }

    #[test]
    fn an_operator_is_found_for_one_kind_at_a_time() {
        use LiteralKind::{Bool, F64, I64, Rational};
        let bits = |n| LiteralKind::Bits(crate::term::bits::Width::new(n).unwrap());
        let found =
            |name, args: &[LiteralKind], result| Builtin::find(name, args, result).is_some();
        for kind in [I64, Rational, F64, bits(8)] {
            assert!(found("*", &[kind, kind], kind) && found("-", &[kind], kind), "{kind}");
            assert!(found("<=", &[kind, kind], Bool), "{kind}");
            assert!(!found("*", &[kind, kind], Bool) && !found("<=", &[kind, kind], kind));
        }
        assert!(found("%", &[bits(8), bits(8)], bits(8)) && !found("%", &[F64, F64], F64));
        assert!(
            !found("+", &[bits(8), bits(9)], bits(8)) && !found("+", &[I64, Rational], Rational)
        );
        assert!(found("shl", &[bits(8), I64], bits(8)) && !found("shl", &[I64, I64], I64));
        assert!(found("xor", &[bits(8), bits(8)], bits(8)) && !found("xor", &[I64, I64], I64));
    }

    #[test]
    fn what_does_not_fit_is_no_result() {
        let max = Value::Int(i64::MAX);
        assert_eq!(evaluate("+", &[max, Value::Int(1)]), None);
        assert_eq!(evaluate("/", &[Value::Int(i64::MIN), Value::Int(-1)]), None);
    }
}
