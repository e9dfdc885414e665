//! Literals as the values of `arith.constant`: `5 : i32`, `true`, `1.5 : f64`.

use egraph::{Bits, Float, LiteralKind, Value};

/// Why literals of a kind can't be constants of a type, if they can't.
pub fn mismatch(kind: LiteralKind, of_type: &str) -> Option<String> {
    let expected = match kind {
        LiteralKind::Bool => "i1".to_owned(),
        LiteralKind::F64 => "f64".to_owned(),
        LiteralKind::Bits(width) => format!("i{}", width.bits()),
        LiteralKind::I64 if of_type == "index" || width(of_type).is_some() => return None,
        LiteralKind::I64 => "i2 to i64, or index".to_owned(),
        LiteralKind::Rational => {
            return Some("literals of this sort are fractions, which no constant is".to_owned());
        }
    };
    (expected != of_type)
        .then(|| format!("literals of this sort are of kind {kind}: expected type {expected}"))
}

/// The bits of a type `iN` whose integers are literals.
fn width(of_type: &str) -> Option<u32> {
    of_type.strip_prefix('i')?.parse().ok().filter(|bits| (2..=64).contains(bits))
}

/// The value of a constant, unless the type has none such.
pub fn text(value: Value, of_type: &str) -> Option<String> {
    Some(match value {
        Value::Bool(value) => value.to_string(),
        Value::Bits(word) => {
            // With its sign, as MLIR prints it.
            let unused = 64 - word.width().bits();
            format!("{} : {of_type}", ((word.value() << unused) as i64) >> unused)
        }
        Value::Int(n) => {
            let unused = 64 - width(of_type).unwrap_or(64);
            let fits = (n << unused) >> unused == n;
            return fits.then(|| format!("{n} : {of_type}"));
        }
        Value::Float(x) => {
            let text = format!("{:e}", x.value());
            let (digits, exponent) = text.split_once('e')?;
            let point = if digits.contains('.') { "" } else { ".0" };
            format!("{digits}{point}e{exponent} : {of_type}")
        }
        Value::Rational(_) => return None,
    })
}

/// The literal that a constant's value is.
pub fn value(kind: LiteralKind, text: &str, of_type: &str) -> Option<Value> {
    let number = match (text, text.split_once(':')) {
        ("true", _) => "1",
        ("false", _) => "0",
        (_, Some((number, after))) if after.trim() == of_type => number.trim(),
        _ => return None,
    };
    let integer = || match number.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => number.parse::<i128>().ok(),
    };
    match kind {
        LiteralKind::Bool => Some(Value::Bool(integer()? & 1 == 1)),
        LiteralKind::I64 => i64::try_from(integer()?).ok().map(Value::Int),
        LiteralKind::Bits(width) => {
            let n = integer()?;
            let fits = n <= width.largest().into() && n >= -(i128::from(width.largest() / 2) + 1);
            fits.then(|| Value::Bits(Bits::new(width, n as u64)))
        }
        LiteralKind::F64 if number.contains('.') => {
            Float::new(number.parse().ok()?).map(Value::Float)
        }
        LiteralKind::F64 | LiteralKind::Rational => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::Width;
    use proptest::prelude::*;

    #[test]
    fn values_are_those_of_mlir() {
        let word = LiteralKind::Bits(Width::new(8).unwrap());
        for (kind, mlir, of_type, ours) in [
            (LiteralKind::Bool, "true", "i1", "1"),
            (LiteralKind::I64, "-5 : i32", "i32", "-5"),
            (LiteralKind::I64, "7 : index", "index", "7"),
            (word, "-1 : i8", "i8", "255"),
            (LiteralKind::F64, "1.5e300 : f64", "f64", "1.5e300"),
            (LiteralKind::F64, "1.0e-7 : f64", "f64", "1e-7"),
        ] {
            let known = kind.read(ours).unwrap();
            assert_eq!(text(known, of_type).as_deref(), Some(mlir));
            assert_eq!(value(kind, mlir, of_type), Some(known));
        }
        assert_eq!(
            value(LiteralKind::F64, "1.500000e+00 : f64", "f64"),
            LiteralKind::F64.read("1.5")
        );
        assert_eq!(value(LiteralKind::I64, "0x10 : i32", "i32"), Some(Value::Int(16)));
        assert_eq!(value(LiteralKind::Bool, "-1 : i1", "i1"), Some(Value::Bool(true)));
        assert_eq!(value(word, "256 : i8", "i8"), None);
        assert_eq!(value(LiteralKind::I64, "dense<0> : tensor<2xi32>", "i32"), None);
        assert_eq!(text(Value::Int(1 << 31), "i32"), None);
        assert_eq!(text(Value::Int(-(1 << 31)), "i32").as_deref(), Some("-2147483648 : i32"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(n: i64, x: f64, bits in 1..=64u64) {
            let width = Width::new(bits).unwrap();
            let of_bits = format!("i{bits}");
            for (value_, of_type) in [
                (Value::Int(n), "i64"),
                (Value::word(width, n), of_bits.as_str()),
                (Value::Float(Float::new(x).unwrap()), "f64"),
            ] {
                let text = text(value_, of_type).unwrap();
                prop_assert_eq!(value(value_.kind(), &text, of_type), Some(value_), "{}", text);
            }
        }
    }
}
