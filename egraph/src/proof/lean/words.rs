//! Names, values and built-in operators as Lean writes them.

use crate::term::literal::{LiteralKind, Value};

pub(super) fn quoted(name: &str) -> String {
    format!("«{name}»")
}

/// Names that are used here as what they are in Lean.
const OF_LEAN: [&str; 12] = [
    "Int", "Bool", "Rat", "BitVec", "Float", "min", "max", "decide", "true", "false", "rfl",
    "congrArg",
];

/// The name of an operator or variable. What is put behind one that Lean needs can't be part of another.
pub(super) fn of_user(name: &str) -> String {
    match OF_LEAN.contains(&name) {
        true => quoted(&format!("{name} here")),
        false => quoted(name),
    }
}

pub(super) fn kind_name(kind: LiteralKind) -> String {
    match kind {
        LiteralKind::I64 => "Int".to_owned(),
        LiteralKind::Bool => "Bool".to_owned(),
        LiteralKind::Rational => "Rat".to_owned(),
        LiteralKind::F64 => "Float".to_owned(),
        LiteralKind::Bits(width) => format!("BitVec {}", width.bits()),
    }
}

pub(super) fn lean_value(value: Value) -> String {
    match value {
        Value::Int(n) if n < 0 => format!("({n})"),
        Value::Rational(r) if r.numerator() < 0 || r.denominator() != 1 => format!("({r})"),
        Value::Int(_) | Value::Rational(_) | Value::Float(_) => value.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Bits(word) => format!("{word}#{}", word.width().bits()),
    }
}

/// Why a premise holds. Sums of fractions are opaque to all but Lean's kernel.
pub(super) fn decided(of_fractions: bool) -> &'static str {
    if of_fractions { " (by decide +kernel)" } else { " (by decide)" }
}

/// An operator on numbers of a kind, if Lean has it.
pub(super) fn operator(kind: LiteralKind, name: &str, args: &[String]) -> Option<String> {
    match kind {
        LiteralKind::I64 if "& | ^ << >>".split(' ').any(|bitwise| bitwise == name) => None,
        LiteralKind::I64 => Some(integer_operator(name, args)),
        LiteralKind::Rational => Some(fraction_operator(name, args)),
        LiteralKind::Bits(_) => Some(word_operator(name, args)),
        LiteralKind::F64 | LiteralKind::Bool => None,
    }
}

/// Where no result is meant, at a divisor that is zero, Lean has one: the premise is not here.
fn fraction_operator(name: &str, args: &[String]) -> String {
    match (name, args) {
        ("min", [a, b]) => format!("(if {a} ≤ {b} then {a} else {b})"),
        ("max", [a, b]) => format!("(if {a} ≤ {b} then {b} else {a})"),
        ("abs", [a]) => format!("(if 0 ≤ {a} then {a} else -{a})"),
        (name, args) => integer_operator(name, args),
    }
}

/// Lean's remainder by zero is that of SMT-LIB, its division by zero is not.
fn word_operator(name: &str, args: &[String]) -> String {
    let name = match name {
        "&" | "and" => "&&&",
        "|" | "or" => "|||",
        "^" | "xor" => "^^^",
        "<<" => "<<<",
        ">>" => ">>>",
        "~" | "not" => "~~~",
        "neg" => "-",
        other => other,
    };
    match (name, args) {
        ("/", [a, b]) => format!("(BitVec.smtUDiv {a} {b})"),
        ("shl", [a, b]) => format!("({a} <<< (Int.toNat {b}))"),
        ("shr", [a, b]) => format!("({a} >>> (Int.toNat {b}))"),
        (name, [a]) => format!("({name}{a})"),
        (name, args) => format!("({})", args.join(&format!(" {name} "))),
    }
}

/// Lean's division of integers is Euclidean, too, and anything by zero is zero; the remainder by zero is
/// not.
fn integer_operator(name: &str, args: &[String]) -> String {
    match (name, args) {
        ("min" | "max", [a, b]) => format!("({name} {a} {b})"),
        ("%", [a, b]) => format!("(if {b} = 0 then 0 else {a} % {b})"),
        ("abs", [a]) => format!("(max {a} (-{a}))"),
        ("-", [a]) => format!("(-{a})"),
        (name, [a, b]) => format!("({a} {name} {b})"),
        (name, args) => format!("({name} {})", args.join(" ")),
    }
}

pub(super) fn proposition_operator(name: &str, args: &[String]) -> String {
    let name = match name {
        "==" => "=",
        "!=" => "≠",
        "<=" => "≤",
        ">=" => "≥",
        "&&" => "∧",
        "||" => "∨",
        "!" => "¬",
        other => other,
    };
    match args {
        [a] => format!("({name} {a})"),
        [a, b] => format!("({a} {name} {b})"),
        args => format!("({name} {})", args.join(" ")),
    }
}
