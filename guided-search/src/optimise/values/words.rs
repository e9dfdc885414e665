//! Operators on words of bits, forwards and backwards: what an argument must be, as far as the result and the
//! other argument say.

use egraph::{Bits, Leaf, LeafValue, LiteralKind, Node, OpId, TermBank, TermId, Value};

/// Values of a term are compared at so many points.
pub const POINTS: usize = 12;
/// The values of a term, by point.
pub type Values = [u64; POINTS];

/// What an operator computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOp {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Div,
    Rem,
    Shl,
    Shr,
    Neg,
    Not,
}

use WordOp::{Add, And, Div, Mul, Neg, Not, Or, Rem, Shl, Shr, Sub, Xor};

impl WordOp {
    fn named(name: &str, arity: usize) -> Option<WordOp> {
        Some(match (name, arity) {
            ("+", 2) => Add,
            ("-", 2) => Sub,
            ("*", 2) => Mul,
            ("&" | "and", 2) => And,
            ("|" | "or", 2) => Or,
            ("^" | "xor", 2) => Xor,
            ("/", 2) => Div,
            ("%", 2) => Rem,
            ("<<", 2) => Shl,
            (">>", 2) => Shr,
            ("-" | "neg", 1) => Neg,
            ("~" | "not", 1) => Not,
            _ => return None,
        })
    }

    /// How many arguments it has.
    pub fn arity(self) -> usize {
        if matches!(self, Neg | Not) { 1 } else { 2 }
    }

    /// Whether the order of its arguments says nothing.
    pub fn commutes(self) -> bool {
        matches!(self, Add | Mul | And | Or | Xor)
    }

    /// Whether [`WordOp::argument`] knows it.
    pub fn goes_back(self) -> bool {
        !matches!(self, Div | Rem | Shl | Shr)
    }

    /// The result; of one argument the other is not looked at.
    pub fn of(self, a: u64, b: u64, ones: u64) -> u64 {
        let shifted = |b: u64, by: fn(u64, u64) -> u64| if b < 64 { by(a, b) } else { 0 };
        ones & match self {
            Add => a.wrapping_add(b),
            Sub => a.wrapping_sub(b),
            Mul => a.wrapping_mul(b),
            And => a & b,
            Or => a | b,
            Xor => a ^ b,
            Div => a.checked_div(b).unwrap_or(ones),
            Rem => a.checked_rem(b).unwrap_or(a),
            Shl => shifted(b, |a, b| a << b),
            Shr => shifted(b, |a, b| a >> b),
            Neg => a.wrapping_neg(),
            Not => !a,
        }
    }

    /// What is known of an argument, if it can be anything at all: `other` is the other argument, and `second` says
    /// that the one that is asked for stands behind it. What is not known may be more than must be.
    pub fn argument(self, result: Known, other: u64, second: bool, ones: u64) -> Option<Known> {
        let Known { mask, value } = result;
        // Sums and products carry from bit to bit: what is above a bit that is not known says nothing.
        let low = mask & !mask.wrapping_add(1);
        let low = |value: u64| Known { mask: low & ones, value: value & low & ones };
        let fits = |holds: bool, known: Known| holds.then_some(known);
        match self {
            Add => Some(low(value.wrapping_sub(other))),
            Sub if second => Some(low(other.wrapping_sub(value))),
            Sub => Some(low(value.wrapping_add(other))),
            Neg => Some(low(value.wrapping_neg())),
            Not => Some(Known { mask, value: !value & mask }),
            Xor => Some(Known { mask, value: (value ^ other) & mask }),
            And => fits(value & !other == 0, Known { mask: mask & other, value }),
            Or => {
                let mask_left = mask & !other;
                fits(
                    mask & other & !value == 0,
                    Known { mask: mask_left, value: value & mask_left },
                )
            }
            Mul => {
                let Known { mask, value } = low(value);
                if other == 0 {
                    return fits(value == 0, Known::NOTHING);
                }
                let zeros = other.trailing_zeros();
                let back = (value >> zeros).wrapping_mul(inverse(other >> zeros));
                let mask = mask >> zeros;
                fits(value & !(u64::MAX << zeros) == 0, Known { mask, value: back & mask })
            }
            Div | Rem | Shl | Shr => Some(Known::NOTHING),
        }
    }
}

/// The inverse of an odd number modulo 2⁶⁴: each step doubles the bits that are right.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// Bits of a word that are known, and what they are; the others of `value` are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub mask: u64,
    pub value: u64,
}

impl Known {
    /// Any word.
    pub const NOTHING: Known = Known { mask: 0, value: 0 };
}

/// Operators on one sort of words, of which terms are put together.
pub struct Operators {
    pub ids: Vec<OpId>,
    pub ops: Vec<WordOp>,
    /// The word in which each bit is set.
    pub ones: u64,
    /// Whether the given term is made of these, literals and variables alone.
    pub all: bool,
    /// Whether its sort has no others.
    pub every: bool,
}

/// The operators of which terms with the values of `start` are looked for: those of its sort that say what an argument must
/// be, and others where it has them. `None` if there is none, or its sort has no words.
pub fn operators_of(bank: &TermBank, start: TermId) -> Option<Operators> {
    let (language, sort) = (bank.language(), bank.sort(start));
    let Some(LiteralKind::Bits(width)) = language.literal_kind(sort) else { return None };
    let mut inside: Vec<OpId> = Vec::new();
    for part in bank.subterms(start) {
        match bank.node(part) {
            Node::Op(op) if !inside.contains(&op) => inside.push(op),
            _ => {}
        }
    }
    let known = |op: OpId| {
        let operator = language.op(op);
        let own = operator.result == sort && operator.args.iter().all(|&arg| arg == sort);
        WordOp::named(operator.builtin?.name(), operator.args.len()).filter(|_| own)
    };
    let all = inside.iter().all(|op| known(*op).is_some());
    let operators = (0..language.operators.len() as u32).map(OpId);
    let (ids, ops): (Vec<OpId>, Vec<WordOp>) = operators
        .filter_map(|op| Some((op, known(op)?)))
        .filter(|(op, word)| word.goes_back() || inside.contains(op))
        .unzip();
    let of_sort = language.operators.iter().filter(|operator| operator.result == sort).count();
    let every = ids.len() == of_sort;
    (!ids.is_empty()).then(|| Operators { ids, ops, ones: width.largest(), all, every })
}

/// A word as a literal of a term's sort, which is one of words.
pub fn literal(bank: &mut TermBank, term: TermId, word: u64) -> TermId {
    let sort = bank.sort(term);
    let Some(LiteralKind::Bits(width)) = bank.language().literal_kind(sort) else {
        unreachable!("operators of words are known of sorts of words alone")
    };
    let value = LeafValue::Literal(Value::Bits(Bits::new(width, word)));
    bank.leaf(&Leaf { sort, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::{Width, evaluate};

    const ALL: [(&str, usize); 12] = [
        ("+", 2),
        ("-", 2),
        ("*", 2),
        ("&", 2),
        ("|", 2),
        ("^", 2),
        ("/", 2),
        ("%", 2),
        ("<<", 2),
        (">>", 2),
        ("neg", 1),
        ("~", 1),
    ];

    #[test]
    fn operators_compute_what_folding_does() {
        for bits in [4, 64] {
            let width = Width::new(bits).unwrap();
            for a in (0..16).chain([u64::MAX, 1 << 63, 0x1234_5678_9abc_def1]) {
                for b in (0..16).chain([u64::MAX, 64, 63]) {
                    let [a, b] = [a, b].map(|value| value & width.largest());
                    for (name, arity) in ALL {
                        let word = |value| Value::Bits(Bits::new(width, value));
                        let of = evaluate(name, &[word(a), word(b)][..arity]);
                        let op = WordOp::named(name, arity).unwrap();
                        assert_eq!(of, Some(word(op.of(a, b, width.largest()))), "{name} {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_argument_is_lost_on_the_way_back() {
        let ones = 15;
        for (name, arity) in ALL {
            let op = WordOp::named(name, arity).unwrap();
            for (other, argument) in (0..256).map(|both| (both / 16, both % 16)) {
                for second in [false, true] {
                    let (a, b) = if second { (other, argument) } else { (argument, other) };
                    if arity == 1 && second {
                        continue;
                    }
                    let value = op.of(a, b, ones);
                    for mask in 0..16 {
                        let known = Known { mask, value: value & mask };
                        let back = op.argument(known, other, second, ones).unwrap();
                        assert_eq!(back.value, argument & back.mask, "{name} {a} {b} {mask}");
                    }
                }
            }
        }
    }
}
