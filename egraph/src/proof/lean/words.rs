//! Names, values and built-in operators as Lean writes them.

use crate::term::language::{LiteralKind, Value};

pub(super) fn quoted(name: &str) -> String {
    format!("«{name}»")
}

/// Names that are used here as what they are in Lean.
const OF_LEAN: [&str; 9] =
    ["Int", "Bool", "min", "max", "decide", "true", "false", "rfl", "congrArg"];

/// The name of an operator or variable. What is put behind one that Lean needs can't be part of another.
pub(super) fn of_user(name: &str) -> String {
    match OF_LEAN.contains(&name) {
        true => quoted(&format!("{name} here")),
        false => quoted(name),
    }
}

pub(super) fn kind_name(kind: LiteralKind) -> &'static str {
    match kind {
        LiteralKind::I64 => "Int",
        LiteralKind::Bool => "Bool",
    }
}

pub(super) fn lean_value(value: Value) -> String {
    match value {
        Value::Int(n) if n < 0 => format!("({n})"),
        Value::Int(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
    }
}

/// Lean's division of integers is Euclidean, too, and anything by zero is zero; the remainder by zero is
/// not.
pub(super) fn integer_operator(name: &str, args: &[String]) -> String {
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
