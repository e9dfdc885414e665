//! Integers, truth values and words as two registers, in which expressions over them are evaluated: conditions and facts
//! are asked of each e-node, and a [`Value`] goes through memory with each step.

use crate::term::literal::Value;
use crate::term::operator::Operator;
use crate::term::values::bits::{Bits, Width};

/// A value, no value, or what is no integer, truth value or word.
///
/// A byte and a number, so that it is returned in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    /// [`NONE`], a width, [`BOOL`], [`INT`] or [`OTHER`].
    kind: u8,
    bits: u64,
}

const NONE: u8 = 0;
const BOOL: u8 = 65;
const INT: u8 = 66;
const OTHER: u8 = 67;

/// What the numbers in the name of a conversion say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The width of the result.
    pub width: Option<Width>,
    /// The first number.
    pub first: Option<u8>,
}

impl Scalar {
    pub const NONE: Scalar = Scalar { kind: NONE, bits: 0 };
    pub const OTHER: Scalar = Scalar { kind: OTHER, bits: 0 };

    #[inline]
    pub fn of(value: Value) -> Scalar {
        match value {
            Value::Int(n) => Scalar::int(n),
            Value::Bool(truth) => Scalar::bool(truth),
            Value::Bits(word) => Scalar::word(word),
            Value::Rational(_) | Value::Float(_) => Scalar::OTHER,
        }
    }

    fn int(n: i64) -> Scalar {
        Scalar { kind: INT, bits: n as u64 }
    }

    fn bool(truth: bool) -> Scalar {
        Scalar { kind: BOOL, bits: truth.into() }
    }

    fn word(word: Bits) -> Scalar {
        Scalar { kind: word.width().bits() as u8, bits: word.value() }
    }

    fn of_option<T>(value: Option<T>, of: impl Fn(T) -> Scalar) -> Scalar {
        value.map_or(Scalar::NONE, of)
    }

    /// Whether it is no value of the three kinds.
    pub fn is_other(self) -> bool {
        self.kind == OTHER
    }

    /// Whether it is a value of one of the three kinds.
    pub fn is_value(self) -> bool {
        self.kind != NONE && self.kind != OTHER
    }

    fn as_word(self) -> Option<Bits> {
        Width::new(self.kind.into()).map(|width| Bits::new(width, self.bits))
    }

    /// The value, if it is one of the three kinds.
    #[inline]
    pub fn value(self) -> Option<Value> {
        match self.kind {
            BOOL => Some(Value::Bool(self.bits == 1)),
            INT => Some(Value::Int(self.bits as i64)),
            _ => self.as_word().map(Value::Bits),
        }
    }

    /// Of one argument.
    #[inline]
    pub fn unary(op: Operator, shape: Shape, a: Scalar) -> Scalar {
        match a.kind {
            INT => Scalar::of_option(int_unary(op, a.bits as i64), Scalar::int),
            BOOL => match (op, shape.width) {
                (Operator::Opposite, _) => Scalar::bool(a.bits == 0),
                (Operator::Zext, Some(width)) => Scalar::word(Bits::new(width, a.bits)),
                (Operator::Sext, Some(width)) => {
                    Scalar::word(Bits::new(width, a.bits.wrapping_neg()))
                }
                _ => Scalar::NONE,
            },
            _ => Scalar::of_option(a.as_word(), |a| {
                let converted = shape.width.and_then(|to| a.converted(op, shape.first, to));
                Scalar::of_option(converted.or_else(|| Bits::unary(op, a)), Scalar::word)
            }),
        }
    }

    /// Of two arguments.
    #[inline]
    pub fn binary(op: Operator, a: Scalar, b: Scalar) -> Scalar {
        match (a.kind, b.kind) {
            (INT, INT) => int_binary(op, a.bits as i64, b.bits as i64),
            (BOOL, BOOL) => {
                let (a, b) = (a.bits == 1, b.bits == 1);
                match op {
                    Operator::Both => Scalar::bool(a && b),
                    Operator::Either => Scalar::bool(a || b),
                    Operator::Equal => Scalar::bool(a == b),
                    Operator::Unequal => Scalar::bool(a != b),
                    _ => Scalar::NONE,
                }
            }
            (_, INT) => Scalar::of_option(a.as_word(), |a| {
                Scalar::of_option(Bits::shift(op, a, b.bits as i64), Scalar::word)
            }),
            _ => {
                let (Some(left), Some(right)) = (a.as_word(), b.as_word()) else {
                    return Scalar::NONE;
                };
                if let Some(result) = Bits::binary(op, left, right) {
                    return Scalar::word(result);
                }
                if a.kind != b.kind {
                    return Scalar::NONE;
                }
                let signed = |op| compared(op, left.signed(), right.signed());
                let truth = match op {
                    Operator::LessSigned => signed(Operator::Less),
                    Operator::AtMostSigned => signed(Operator::AtMost),
                    Operator::GreaterSigned => signed(Operator::Greater),
                    Operator::AtLeastSigned => signed(Operator::AtLeast),
                    _ => compared(op, a.bits, b.bits),
                };
                Scalar::of_option(truth, Scalar::bool)
            }
        }
    }

    /// Of three arguments.
    #[inline]
    pub fn ternary(op: Operator, chosen: Scalar, a: Scalar, b: Scalar) -> Scalar {
        match chosen.kind {
            BOOL if op == Operator::Select && a.kind == b.kind => {
                if chosen.bits == 1 {
                    a
                } else {
                    b
                }
            }
            _ => Scalar::NONE,
        }
    }
}

fn int_unary(op: Operator, a: i64) -> Option<i64> {
    match op {
        Operator::Sub => a.checked_neg(),
        Operator::Abs => a.checked_abs(),
        _ => None,
    }
}

fn int_binary(op: Operator, a: i64, b: i64) -> Scalar {
    let result = match op {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mul => a.checked_mul(b),
        Operator::Div | Operator::Rem if b == 0 => Some(0),
        Operator::Div => a.checked_div_euclid(b),
        // i64::MIN % -1 overflows in the processor, though the remainder is 0.
        Operator::Rem => Some(a.wrapping_rem_euclid(b)),
        Operator::Min => Some(a.min(b)),
        Operator::Max => Some(a.max(b)),
        Operator::BitAnd => Some(a & b),
        Operator::BitOr => Some(a | b),
        Operator::BitXor => Some(a ^ b),
        Operator::Shl => shifted_left(a, b),
        Operator::Shr => u32::try_from(b).ok().filter(|b| *b < 64).map(|b| a >> b),
        _ => return Scalar::of_option(compared(op, a, b), Scalar::bool),
    };
    Scalar::of_option(result, Scalar::int)
}

/// `None` where bits would be lost, the sign among them, or the amount is not 0 to 63.
fn shifted_left(a: i64, amount: i64) -> Option<i64> {
    let amount = u32::try_from(amount).ok().filter(|amount| *amount < 64)?;
    Some(a << amount).filter(|shifted| shifted >> amount == a)
}

/// The truth of a comparison; `None` if the operator is none.
#[inline]
pub(crate) fn compared<T: Ord>(op: Operator, a: T, b: T) -> Option<bool> {
    Some(match op {
        Operator::Less => a < b,
        Operator::AtMost => a <= b,
        Operator::Greater => a > b,
        Operator::AtLeast => a >= b,
        Operator::Equal => a == b,
        Operator::Unequal => a != b,
        _ => return None,
    })
}
