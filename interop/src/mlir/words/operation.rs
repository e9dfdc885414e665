//! Which operations of `arith` are operators on words, and the operation of an operator.

use crate::mlir::literal;
use crate::mlir::ops::{Attribute, Op};
use crate::mlir::table::{CONSTANT, NOTES};
use crate::ssa::{Computed, Operand, Target, simplified};
use crate::words::Words;
use egraph::{LiteralKind, OpId, Width};

/// What MLIR has: a value may be poison, and nothing freezes it.
pub const MLIR: Target = Target {
    writes: has_operation,
    freezes: false,
    undefined: false,
    no_instruction: "MLIR has no operation for an operator of it",
    open: "it shifts or divides by what MLIR leaves open",
};

/// The same where values may be undefined, as LLVM's are.
pub const UNDEFINED: Target = Target { undefined: true, ..MLIR };

/// A type of words of 64 bits beside `i64`.
pub const INDEX: &str = "index";
const WIDTHS: [(u32, &str); 6] =
    [(1, "i1"), (8, "i8"), (16, "i16"), (32, "i32"), (64, "i64"), (64, INDEX)];
/// Attributes that make a result poison for some operands, and may be left out.
const FLAGS: [&str; 3] = ["overflowFlags", "isExact", "nonNeg"];
const NO_FLAGS: &str = "#arith.overflow<none>";
const PREDICATE: &str = "predicate";

/// Operations of two operands, and operators on words.
const BINARY: [(&str, &str); 17] = [
    ("arith.addi", "+"),
    ("arith.subi", "-"),
    ("arith.muli", "*"),
    ("arith.divui", "/"),
    ("arith.remui", "%"),
    ("arith.divsi", "/s"),
    ("arith.remsi", "%s"),
    ("arith.andi", "&"),
    ("arith.ori", "|"),
    ("arith.xori", "^"),
    ("arith.shli", "<<"),
    ("arith.shrui", ">>"),
    ("arith.shrsi", ">>s"),
    ("arith.minui", "min"),
    ("arith.maxui", "max"),
    ("arith.minsi", "mins"),
    ("arith.maxsi", "maxs"),
];
const CONVERSIONS: [(&str, &str); 3] =
    [("arith.extui", "zext"), ("arith.extsi", "sext"), ("arith.trunci", "trunc")];
/// Conversions between `index` and other types, and what those are that make a word wider.
const INDEX_CASTS: [(&str, &str); 2] =
    [("arith.index_castui", "zext"), ("arith.index_cast", "sext")];
/// Comparisons by predicate, and whether the operator has its operands the other way round.
const COMPARISONS: [(&str, bool); 10] = [
    ("==", false),
    ("!=", false),
    ("<s", false),
    ("<=s", false),
    ("<s", true),
    ("<=s", true),
    ("<", false),
    ("<=", false),
    ("<", true),
    ("<=", true),
];

/// The width of a type of words.
pub fn width(of_type: &str) -> Option<u32> {
    WIDTHS.iter().find(|(_, known)| *known == of_type).map(|(bits, _)| *bits)
}

/// The type of words of a width that is not `index`.
pub fn type_of(bits: u32) -> &'static str {
    WIDTHS.iter().find(|(width, _)| *width == bits).map_or("", |(_, name)| name)
}

/// The operator between names of operations and of operators.
fn name_of(table: &[(&'static str, &'static str)], what: &str) -> Option<&'static str> {
    table.iter().find(|(_, known)| *known == what).map(|(name, _)| *name)
}

fn meaning_of(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

fn kind(bits: u32) -> Option<LiteralKind> {
    if bits == 1 { Some(LiteralKind::Bool) } else { Width::new(bits.into()).map(LiteralKind::Bits) }
}

/// The word that an operation defines as a constant.
pub fn constant(op: &Op) -> Option<u64> {
    let [of_type] = &op.result_types[..] else { return None };
    if op.name != CONSTANT || !op.operands.is_empty() {
        return None;
    }
    literal::value(kind(width(of_type)?)?, op.attribute("value")?, of_type)?.to_bits()
}

/// Whether an operation gives its operand, as a word of the other type of 64 bits.
pub fn is_same_word(op: &Op) -> bool {
    let types = (&op.operand_types[..], &op.result_types[..]);
    let ([from], [to]) = types else { return false };
    let wide = |of_type: &String| width(of_type) == Some(64);
    meaning_of(&INDEX_CASTS, &op.name).is_some() && wide(from) && wide(to) && is_plain(op, None)
}

/// Whether an operation has no part that is not understood of it, but this attribute.
fn is_plain(op: &Op, with: Option<&str>) -> bool {
    let mut names = op.properties.iter().chain(&op.attributes).map(|(name, _)| name.as_str());
    let is_known =
        |name: &str| FLAGS.contains(&name) || NOTES.contains(&name) || with == Some(name);
    op.regions.is_empty() && op.successors.is_empty() && names.all(is_known)
}

/// What an operation computes of its operands, where `operand` says which word one is. Nothing is known of others.
pub fn computed(op: &Op, operand: &dyn Fn(&str) -> Operand) -> Option<Computed> {
    let [of_type] = &op.result_types[..] else { return None };
    let is_comparison = op.name == "arith.cmpi";
    if op.results.len() != 1 || !is_plain(op, Some(PREDICATE).filter(|_| is_comparison)) {
        return None;
    }
    let bits = width(of_type)?;
    let from = width(op.operand_types.last()?)?;
    let mut operands: Vec<Operand> = op.operands.iter().map(|name| operand(name)).collect();
    let same = op.operand_types.iter().all(|of| op.operand_types.first() == Some(of));
    let what = match (&op.operand_types[..], op.name.as_str()) {
        ([_, _], "arith.cmpi") if same && bits == 1 => {
            let predicate = op.attribute(PREDICATE)?.strip_suffix(": i64")?.trim();
            let (what, swapped) = COMPARISONS.get(predicate.parse::<usize>().ok()?)?;
            if *swapped {
                operands.reverse();
            }
            what
        }
        ([first, a, b], "arith.select") if first == "i1" && a == b && b == of_type => "select",
        ([first, _], name) if same && first == of_type => {
            let (what, simple) = simplified(meaning_of(&BINARY, name)?, bits, operands)?;
            operands = simple;
            what
        }
        ([first], name) if first != INDEX && of_type != INDEX => {
            let what = meaning_of(&CONVERSIONS, name)?;
            let fits = if what == "trunc" { bits < from } else { bits > from };
            Some(what).filter(|_| fits)?
        }
        ([first], name) if first == INDEX || of_type == INDEX => {
            let wider = meaning_of(&INDEX_CASTS, name)?;
            match bits.cmp(&from) {
                std::cmp::Ordering::Less => "trunc",
                std::cmp::Ordering::Equal => return None,
                std::cmp::Ordering::Greater => wider,
            }
        }
        _ => return None,
    };
    let has_flags = FLAGS.iter().any(|flag| match flags(op, flag) {
        Some(Some(value)) => value.split_whitespace().collect::<String>() != NO_FLAGS,
        Some(None) => true,
        None => false,
    });
    Some(Computed { what, operands, from, bits, has_flags, poison: false })
}

/// An attribute that is there, and its value.
fn flags<'o>(op: &'o Op, flag: &str) -> Option<Option<&'o str>> {
    let mut all = op.properties.iter().chain(&op.attributes);
    all.find(|(name, _)| name == flag).map(|(_, value)| value.as_deref())
}

/// Leaves out what makes the result poison for some operands.
pub fn without_flags(op: &mut Op) {
    for all in [&mut op.properties, &mut op.attributes] {
        all.retain(|(name, _)| !FLAGS.contains(&name.as_str()));
    }
}

/// The operation that applies an operator: its name, its attributes, and what stands for the operands: these, or one of them and a constant.
pub struct Applied {
    pub name: &'static str,
    pub properties: Vec<Attribute>,
    /// A constant beside the one operand: before it, or after it.
    pub beside: Option<(u64, Side)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

/// The operation of an operator with operands of a width; `None` if there is none.
pub fn applied(what: &str, count: usize, from: u32) -> Option<Applied> {
    let of = |name, beside| Some(Applied { name, properties: Vec::new(), beside });
    let ones = u64::MAX >> (64 - from);
    if let Some(predicate) = COMPARISONS.iter().position(|known| *known == (what, false)) {
        let properties = vec![(PREDICATE.to_owned(), Some(format!("{predicate} : i64")))];
        return Some(Applied { name: "arith.cmpi", properties, beside: None });
    }
    match (what, count) {
        ("&&", 2) => of("arith.andi", None),
        ("||", 2) => of("arith.ori", None),
        ("!" | "~", 1) => of("arith.xori", Some((ones, Side::After))),
        ("neg", 1) => of("arith.subi", Some((0, Side::Before))),
        ("select", 3) => of("arith.select", None),
        (_, 1) => of(name_of(&CONVERSIONS, what)?, None),
        (_, 2) => of(name_of(&BINARY, what)?, None),
        _ => None,
    }
}

/// The operation that converts a word of one type to another, where one is `index`.
pub fn index_cast(what: &str) -> &'static str {
    name_of(&INDEX_CASTS, what).unwrap_or(INDEX_CASTS[1].0)
}

/// Whether there is an operation for an operator.
pub fn has_operation(words: &Words, op: OpId) -> bool {
    let Some((what, from, bits)) = words.meaning(op) else { return false };
    let Some(last) = from.last() else { return false };
    let known = from.iter().chain([&bits]).all(|bits| !type_of(*bits).is_empty());
    known && applied(what, from.len(), *last).is_some()
}

/// The value of a constant of a type.
pub fn constant_text(value: u64, of_type: &str) -> String {
    let known = width(of_type).and_then(kind).and_then(|kind| kind.of_bits(value));
    known.and_then(|value| literal::text(value, of_type)).unwrap_or_default()
}
