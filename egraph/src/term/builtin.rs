//! What well-known operators compute on literals.
//!
//! Integers are mathematical integers: a result that does not fit in 64 bits is no result, never
//! a wrapped one. Division and remainder are Euclidean (the remainder is never negative), and
//! `x / 0 = x % 0 = 0`, as in Halide's front end. Fractions are exact, with no result where they do not
//! fit or would be divided by zero; doubles are rounded, with no result that is not finite; words wrap
//! around, with division by zero and shifts by the width and more as in SMT-LIB.

use crate::term::literal::{LiteralKind, Value};
use crate::term::operator::Operator;
use crate::term::values::bits::Width;
use crate::term::values::float::Float;
use crate::term::values::rational::Rational;
use crate::term::values::scalar::{Scalar, Shape, compared};
use std::fmt;

/// A function on literals, found by an operator's name and sorts.
///
/// What an operator computes is said by its name up to the first colon: `+:32` is `+`, so that one language has sums of
/// several widths. Of conversions what follows is a part of the meaning: `zext:8:32` ends with the width of the result, and
/// `extract:8:16` begins with the bit that becomes the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    operator: Operator,
    shape: Shape,
}

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
    /// One argument of the kind, and a word of the width that the name ends with.
    conversions: &'static str,
}

/// Words have the same operators at all widths.
const WORDS: LiteralKind = LiteralKind::Bits(Width::WIDEST);
const COMPARISONS: &str = "< <= > >= == !=";

fn operators(kind: LiteralKind) -> Operators {
    let (binary, unary, shifts, comparisons, conversions) = match kind {
        LiteralKind::I64 => ("+ - * / % min max & | ^ << >>", "- abs", "", COMPARISONS, ""),
        LiteralKind::Bool => ("&& ||", "!", "", "== !=", "zext sext"),
        LiteralKind::Rational | LiteralKind::F64 => {
            ("+ - * / min max", "- abs", "", COMPARISONS, "")
        }
        LiteralKind::Bits(_) => (
            "+ - * / % & | ^ << >> and or xor /s %s >>s rotl rotr min max mins maxs",
            "- ~ neg not popcount clz ctz",
            "shl shr",
            "< <= > >= == != <s <=s >s >=s",
            "zext sext trunc extract",
        ),
    };
    Operators { binary, unary, shifts, comparisons, conversions }
}

/// A name without what only makes it unique.
fn base(name: &str) -> &str {
    match name.find(':') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

/// What the numbers behind the first colon say.
fn shape(name: &str) -> Shape {
    let mut numbers = name[base(name).len()..].split(':').skip(1).map(|n| n.parse::<u8>().ok());
    let first = numbers.next().flatten();
    let last = numbers.last().map_or(first, |last| last);
    Shape { width: last.and_then(|bits| Width::new(bits.into())), first }
}

impl Builtin {
    /// The function that a name says, over whatever kinds it has one.
    pub fn named(name: &str) -> Option<Builtin> {
        let operator = Operator::named(base(name))?;
        let is_conversion =
            operators(WORDS).conversions.split(' ').any(|known| known == operator.name());
        let shape = if is_conversion { shape(name) } else { Shape::default() };
        Some(Builtin { operator, shape })
    }

    /// The function of an operator called `name` over these kinds of literals.
    pub fn find(name: &str, args: &[LiteralKind], result: LiteralKind) -> Option<Builtin> {
        Builtin::named(name).filter(|builtin| builtin.on(args) == Some(result))
    }

    /// The kind of what it makes of these kinds, if it has a meaning on them.
    pub fn on(self, args: &[LiteralKind]) -> Option<LiteralKind> {
        use LiteralKind::{Bits, Bool, I64};
        let of = operators(*args.first()?);
        let among = |names: &str| names.split_whitespace().any(|known| known == self.name());
        match *args {
            [Bits(high), Bits(low)] if self.operator == Operator::Concat => {
                Width::new(u64::from(high.bits() + low.bits())).map(Bits)
            }
            [from] if among(of.conversions) => {
                let to = self.shape.width?;
                let fits = match (from, self.operator) {
                    (Bits(from), Operator::Zext | Operator::Sext) => from < to,
                    (Bits(from), Operator::Trunc) => to < from,
                    (Bits(from), _) => {
                        let low = self.shape.first.map(u32::from);
                        low.is_some_and(|low| low + to.bits() <= from.bits())
                    }
                    _ => true,
                };
                fits.then_some(Bits(to))
            }
            [Bool, a, b] if a == b && self.operator == Operator::Select => Some(a),
            [a] if among(of.unary) => Some(a),
            [a, b] if a == b && among(of.binary) => Some(a),
            [a, b] if a == b && among(of.comparisons) => Some(Bool),
            [a, I64] if among(of.shifts) => Some(a),
            _ => None,
        }
    }

    /// What it computes, as the name of an operator without what only makes it unique, nor the numbers of a conversion.
    pub fn name(self) -> &'static str {
        self.operator.name()
    }

    /// Of a conversion the width of the result.
    pub fn width(self) -> Option<Width> {
        self.shape.width
    }

    /// Of `extract` the bit that becomes the lowest.
    pub fn low(self) -> Option<u32> {
        self.shape.first.filter(|_| self.operator == Operator::Extract).map(u32::from)
    }

    /// The value at `args`, or `None` if there is none or the arguments have other kinds.
    #[inline]
    pub fn eval(self, args: &[Value]) -> Option<Value> {
        compute(self.operator, self.shape, args)
    }

    /// As [`Builtin::eval`] of one argument that is a value of two registers.
    #[inline]
    pub(crate) fn unary(self, a: Scalar) -> Scalar {
        Scalar::unary(self.operator, self.shape, a)
    }

    /// As [`Builtin::eval`] of two such arguments.
    #[inline]
    pub(crate) fn binary(self, a: Scalar, b: Scalar) -> Scalar {
        Scalar::binary(self.operator, a, b)
    }

    /// As [`Builtin::eval`] of three such arguments.
    #[inline]
    pub(crate) fn ternary(self, a: Scalar, b: Scalar, c: Scalar) -> Scalar {
        Scalar::ternary(self.operator, a, b, c)
    }
}

impl fmt::Display for Builtin {
    /// The shortest name that says it: `+`, `zext:32`, `extract:8:16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if let Some(low) = self.low() {
            write!(f, ":{low}")?;
        }
        self.shape.width.map_or(Ok(()), |width| write!(f, ":{}", width.bits()))
    }
}

/// The value of the operator called `name` at `args`; `None` if there is no such operator on
/// these kinds, or no value: it does not fit in 64 bits, say.
pub fn evaluate(name: &str, args: &[Value]) -> Option<Value> {
    Builtin::named(name)?.eval(args)
}

fn compute(op: Operator, shape: Shape, args: &[Value]) -> Option<Value> {
    match *args {
        [a] => match (a, Scalar::of(a)) {
            (Value::Rational(a), _) => Rational::unary(op, a).map(Value::Rational),
            (Value::Float(a), _) => Float::unary(op, a).map(Value::Float),
            (_, a) => Scalar::unary(op, shape, a).value(),
        },
        [Value::Rational(a), Value::Rational(b)] => match Rational::binary(op, a, b) {
            Some(result) => Some(Value::Rational(result)),
            None => compared(op, a, b).map(Value::Bool),
        },
        [Value::Float(a), Value::Float(b)] => match Float::binary(op, a, b) {
            Some(result) => Some(Value::Float(result)),
            None => compared(op, a, b).map(Value::Bool),
        },
        [a, b] => Scalar::binary(op, Scalar::of(a), Scalar::of(b)).value(),
        [Value::Bool(chosen), a, b] if op == Operator::Select && a.kind() == b.kind() => {
            Some(if chosen { a } else { b })
        }
        _ => None,
    }
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
        let bits = |n| LiteralKind::Bits(crate::term::values::bits::Width::new(n).unwrap());
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
