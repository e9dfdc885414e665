//! What a solver answers to a query.

use egraph::{Bits, Float, LiteralKind, Rational, Sexpr, Value, parse_all};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No assignment makes the sides differ.
    Unsat,
    /// This one does, as the solver writes it, and by variable where all values are literals of Cairn.
    Sat { shown: String, values: Option<Vec<Value>> },
    /// It does not know.
    Unknown,
}

/// Reads what a solver wrote about a query whose variables have these kinds; `None` where it is no answer.
pub fn read_answer(output: &str, kinds: &[LiteralKind]) -> Option<Answer> {
    let output = output.trim();
    let (first, rest) = output.split_once('\n').unwrap_or((output, ""));
    match first.trim() {
        "unsat" => Some(Answer::Unsat),
        "unknown" | "timeout" => Some(Answer::Unknown),
        "sat" => {
            let pairs = parse_all(rest).ok()?;
            let pairs = match &pairs[..] {
                [one] => one.list().unwrap_or(&[]),
                _ => &[],
            };
            if pairs.len() != kinds.len() {
                return None;
            }
            let value = |(pair, kind): (&Sexpr, &LiteralKind)| match pair.list() {
                Some([_, value]) => read_value(value, *kind),
                _ => None,
            };
            let values = pairs.iter().zip(kinds).map(value).collect();
            let shown = rest.split_whitespace().collect::<Vec<_>>().join(" ");
            Some(Answer::Sat { shown, values })
        }
        _ => None,
    }
}

fn read_value(sexpr: &Sexpr, kind: LiteralKind) -> Option<Value> {
    match kind {
        LiteralKind::Bool => match sexpr.atom()? {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        LiteralKind::I64 => {
            let (numerator, denominator) = fraction(sexpr)?;
            let whole = (denominator == 1).then_some(numerator)?;
            i64::try_from(whole).ok().map(Value::Int)
        }
        LiteralKind::Rational => {
            let (numerator, denominator) = fraction(sexpr)?;
            Rational::new(numerator, denominator).map(Value::Rational)
        }
        LiteralKind::F64 => Float::new(f64::from_bits(word(sexpr)?)).map(Value::Float),
        LiteralKind::Bits(width) => Some(Value::Bits(Bits::new(width, word(sexpr)?))),
    }
}

/// A number: `3`, `3.0`, `(- 3)`, `(/ 1 3)`.
fn fraction(sexpr: &Sexpr) -> Option<(i128, i128)> {
    let head = |list: &[Sexpr]| list.first().and_then(Sexpr::atom).map(str::to_owned);
    match (sexpr.atom(), sexpr.list()) {
        (Some(atom), _) => {
            let (whole, part) = atom.split_once('.').unwrap_or((atom, ""));
            let part = part.trim_end_matches('0');
            let digits = u32::try_from(part.len()).ok().filter(|digits| *digits < 30)?;
            let scale = 10i128.checked_pow(digits)?;
            let numerator: i128 = format!("{whole}{part}").parse().ok()?;
            Some((numerator, scale))
        }
        (None, Some(list @ [_, a])) if head(list)? == "-" => {
            let (numerator, denominator) = fraction(a)?;
            Some((-numerator, denominator))
        }
        (None, Some(list @ [_, a, b])) if head(list)? == "/" => {
            let ((a, b), (c, d)) = (fraction(a)?, fraction(b)?);
            Some((a.checked_mul(d)?, b.checked_mul(c)?))
                .filter(|(_, denominator)| *denominator != 0)
        }
        _ => None,
    }
}

/// A bit-vector: `#x0f`, `#b01`, `(_ bv3 8)`.
fn word(sexpr: &Sexpr) -> Option<u64> {
    if let Some(atom) = sexpr.atom() {
        return match atom.get(..2)? {
            "#x" => u64::from_str_radix(&atom[2..], 16).ok(),
            "#b" => u64::from_str_radix(&atom[2..], 2).ok(),
            _ => None,
        };
    }
    match sexpr.list()? {
        [_, value, _] => value.atom()?.strip_prefix("bv")?.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::Width;

    #[test]
    fn values_are_read_as_each_solver_writes_them() {
        let bits = LiteralKind::Bits(Width::new(8).unwrap());
        for (kind, text, literal) in [
            (LiteralKind::I64, "(- 9223372036854775808)", "-9223372036854775808"),
            (LiteralKind::Bool, "true", "1"),
            (LiteralKind::Rational, "(- (/ 1.0 3.0))", "-1/3"),
            (LiteralKind::Rational, "(/ (- 2) 4)", "-1/2"),
            (LiteralKind::Rational, "0.125", "1/8"),
            (LiteralKind::F64, "#x3ff8000000000000", "1.5"),
            (bits, "#x0f", "15"),
            (bits, "#b00001111", "15"),
            (bits, "(_ bv15 8)", "15"),
        ] {
            let answer = read_answer(&format!("sat\n((v0 {text}))\n"), &[kind]).unwrap();
            let Answer::Sat { values: Some(values), .. } = answer else { panic!("{text}") };
            assert_eq!(values[0], kind.read(literal).unwrap(), "{text}");
        }
    }

    #[test]
    fn what_is_no_literal_is_shown_and_garbage_is_no_answer() {
        for text in ["18446744073709551616", "(root-obj (+ (^ x 2) (- 2)) 1)", "x", "()"] {
            let answer = read_answer(&format!("sat\n((v0 {text}))"), &[LiteralKind::I64]);
            assert!(matches!(answer, Some(Answer::Sat { values: None, .. })), "{text}");
        }
        for text in ["", "sat", "sat\n((v0 1) (v1 2))", "sat\n((v0 1)", "satisfied", "\u{0}"] {
            assert_eq!(read_answer(text, &[LiteralKind::I64]), None, "{text}");
        }
        assert_eq!(read_answer("unsat\n(error \"no model\")", &[]), Some(Answer::Unsat));
        assert_eq!(read_answer("unknown\n", &[]), Some(Answer::Unknown));
    }
}
