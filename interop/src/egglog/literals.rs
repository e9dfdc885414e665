//! Numbers and truth values, and the operators on them that mean the same in an expression of a rules file.

use crate::egglog::refusal::{Result, mistaken, refused};
use egraph::{LiteralKind, Place, Sexpr, looks_numeric};

/// The literal that an atom is, if it is one.
pub(super) fn literal(text: &str, place: Place) -> Result<Option<(String, LiteralKind)>> {
    match text {
        "true" => return Ok(Some(("1".to_owned(), LiteralKind::Bool))),
        "false" => return Ok(Some(("0".to_owned(), LiteralKind::Bool))),
        _ if !looks_numeric(text) && !matches!(text, "NaN" | "inf" | "-inf") => return Ok(None),
        _ => {}
    }
    if let Ok(number) = text.parse::<i64>() {
        return Ok(Some((number.to_string(), LiteralKind::I64)));
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && text.contains(['.', 'e', 'E']) => {
            Ok(Some((text.to_owned(), LiteralKind::F64)))
        }
        _ => Err(refused(place, &format!("the number {text}"))),
    }
}

/// The number that an application of a maker of large numbers is: `(bigint 3)`, `(bigrat (bigint 1) (bigint 2))`.
pub(super) fn large_number(head: &str, args: &[Sexpr]) -> Option<(String, LiteralKind)> {
    match (head, args) {
        ("bigint" | "from-string", [number]) => {
            Some((whole(number)?.to_string(), LiteralKind::I64))
        }
        ("bigrat" | "rational", [number, divisor]) => {
            Some((format!("{}/{}", whole(number)?, whole(divisor)?), LiteralKind::Rational))
        }
        _ => None,
    }
}

fn whole(sexpr: &Sexpr) -> Option<i64> {
    match sexpr {
        Sexpr::Atom(text, _) => text.trim_matches('"').parse().ok(),
        Sexpr::List(items, _) => match &items[..] {
            [head, number] if matches!(head.atom()?, "bigint" | "from-string") => whole(number),
            _ => None,
        },
    }
}

/// The quotient or remainder of integers, rounded towards zero as there: here both are of numbers from 0 on what they are there,
/// and of two such numbers one is 0. The divisor must not be 0.
pub(super) fn towards_zero(operator: &str, a: &str, b: &str) -> String {
    format!("(- ({operator} (max {a} 0) {b}) ({operator} (max (- {a}) 0) {b}))")
}

/// The operator that means the same here, and the kind of its result where it isn't that of its arguments.
pub(super) fn operator(
    head: &str,
    of: Option<LiteralKind>,
    place: Place,
) -> Result<Option<(&'static str, Option<LiteralKind>)>> {
    let whole = matches!(of, None | Some(LiteralKind::I64));
    let truth = Some(LiteralKind::Bool);
    Ok(Some(match head {
        "+" => ("+", of),
        "-" | "neg" => ("-", of),
        "*" => ("*", of),
        "min" => ("min", of),
        "max" => ("max", of),
        "abs" => ("abs", of),
        "not-i64" => ("~", of),
        "/" if matches!(of, Some(LiteralKind::F64 | LiteralKind::Rational)) => ("/", of),
        "/" | "%" => {
            let message = format!("'{head}' can't be imported: it rounds in another way here");
            return Err(mistaken(place, message));
        }
        "&" if whole => ("&", of),
        "|" if whole => ("|", of),
        "^" if whole => ("^", of),
        "<<" if whole => ("<<", of),
        ">>" if whole => (">>", of),
        "=" | "bool-=" => ("==", truth),
        "!=" | "bool-!=" => ("!=", truth),
        "<" | "bool-<" => ("<", truth),
        "<=" | "bool-<=" => ("<=", truth),
        ">" | "bool->" => (">", truth),
        ">=" | "bool->=" => (">=", truth),
        "not" => ("!", truth),
        "and" => ("&&", truth),
        "or" => ("||", truth),
        _ => return Ok(None),
    }))
}
