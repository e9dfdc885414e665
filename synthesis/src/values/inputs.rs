//! The inputs at which terms are compared: all values of the variables where these are few; otherwise those at the ends of
//! what there is, in each combination, and random ones. What refutes a candidate joins them.

use crate::language::Language;
use crate::values::column::Column;
use egraph::{Bits, Float, LiteralKind, Rational, Value, Width};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What the values of a variable are: of a kind, and if they have names, the words below a number.
type Domain = (LiteralKind, Option<u64>);

/// The inputs: values by variable.
#[derive(Clone, Debug)]
pub struct Inputs {
    domains: Vec<Domain>,
    values: Vec<Vec<Value>>,
}

impl Inputs {
    /// At most so many inputs for a language, half of them random, unless all of them are no more.
    pub fn of(language: &Language, most: usize, seed: u64) -> Inputs {
        let domains: Vec<Domain> = language.variables.iter().map(|v| (v.kind, v.named)).collect();
        let mut inputs = Inputs { values: vec![Vec::new(); domains.len()], domains };
        if let Some(all) = inputs.combinations(|domain| all_of(domain, most), most) {
            inputs.values = all;
            return inputs;
        }
        // As many corners of each kind as half of the inputs have room for.
        for corners in (1..=MOST_CORNERS).rev() {
            let some = |(kind, named)| {
                let mut some = corners_of(kind);
                some.retain(|value| is_named(*value, named));
                some.truncate(corners);
                Some(some)
            };
            if let Some(values) = inputs.combinations(some, most / 2) {
                inputs.values = values;
                break;
            }
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in inputs.len()..most {
            let drawn: Vec<Value> =
                inputs.domains.iter().map(|domain| random_of(*domain, &mut rng)).collect();
            inputs.push(&drawn);
        }
        inputs
    }

    /// All combinations of some values of each kind, by variable, if they are at most so many.
    fn combinations(
        &self,
        of: impl Fn(Domain) -> Option<Vec<Value>>,
        most: usize,
    ) -> Option<Vec<Vec<Value>>> {
        let choices: Vec<Vec<Value>> =
            self.domains.iter().map(|domain| of(*domain)).collect::<Option<_>>()?;
        let all = choices.iter().try_fold(1usize, |all, some| all.checked_mul(some.len()))?;
        if all > most {
            return None;
        }
        let mut every = 1;
        let mut values = Vec::new();
        for some in &choices {
            values.push((0..all).map(|i| some[i / every % some.len()]).collect());
            every *= some.len();
        }
        Some(values)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.first().map_or(1, Vec::len)
    }

    /// One more, if it is not there yet: values by variable.
    pub fn push(&mut self, values: &[Value]) {
        let known = (0..self.len())
            .any(|point| self.values.iter().zip(values).all(|(all, value)| all[point] == *value));
        if !known {
            self.values.iter_mut().zip(values).for_each(|(all, value)| all.push(*value));
        }
    }

    /// The value of a variable at an input.
    pub fn value(&self, variable: usize, point: usize) -> Value {
        self.values[variable][point]
    }

    /// The column of a variable.
    pub fn variable(&self, variable: usize) -> Column {
        Column::of(self.domains[variable].0, self.values[variable].iter().copied())
    }

    /// The column of a literal.
    pub fn literal(&self, value: Value) -> Column {
        Column::of(value.kind(), (0..self.len()).map(|_| value))
    }
}

const MOST_CORNERS: usize = 8;

/// Whether a value has a name, where values have one.
fn is_named(value: Value, named: Option<u64>) -> bool {
    named.is_none_or(|named| value.to_bits().is_some_and(|place| place < named))
}

/// A random value.
fn random_of((kind, named): Domain, rng: &mut ChaCha8Rng) -> Value {
    match named.and_then(|named| kind.of_bits(rng.random_range(0..named))) {
        Some(value) => value,
        None => random(kind, rng),
    }
}

/// All values, if they are at most so many.
fn all_of((kind, named): Domain, most: usize) -> Option<Vec<Value>> {
    let all = named.or_else(|| kind.count()).filter(|all| *all <= most as u64)?;
    (0..all).map(|place| kind.of_bits(place)).collect()
}

/// Values at the ends of a kind, and those about which operators turn. Products of a few of them fit.
pub fn corners_of(kind: LiteralKind) -> Vec<Value> {
    let fraction = |numerator, denominator| {
        Value::Rational(Rational::new(numerator, denominator).unwrap_or(0.into()))
    };
    match kind {
        LiteralKind::Bool => vec![Value::Bool(false), Value::Bool(true)],
        LiteralKind::I64 => [0, 1, -1, 2, -3, 7, -8, 12].map(Value::Int).to_vec(),
        LiteralKind::Rational => {
            [(0, 1), (1, 1), (-1, 1), (2, 1), (-3, 2), (1, 3), (-5, 1), (7, 4)]
                .map(|(n, d)| fraction(n, d))
                .to_vec()
        }
        LiteralKind::F64 => [0.0, 1.0, -1.0, 0.5, -3.0, 1e-7, 1e10, 0.1].map(float).to_vec(),
        LiteralKind::Bits(width) => words_of(width),
    }
}

fn float(value: f64) -> Value {
    let zero = || Float::new(0.0).expect("zero is finite");
    Value::Float(Float::new(value).unwrap_or_else(zero))
}

fn words_of(width: Width) -> Vec<Value> {
    let (ones, bits) = (width.largest(), u64::from(width.bits()));
    let high = 1u64 << (bits - 1);
    let mut found: Vec<Value> = Vec::new();
    for word in [0, 1, ones, high, 2, high - 1, bits - 1, bits] {
        let value = Value::Bits(Bits::new(width, word & ones));
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// A random value, of which small ones are frequent.
pub fn random(kind: LiteralKind, rng: &mut ChaCha8Rng) -> Value {
    match kind {
        LiteralKind::Bool => Value::Bool(rng.random()),
        LiteralKind::I64 => Value::Int(match rng.random_range(0..3) {
            0 => rng.random_range(-4..=4),
            1 => rng.random_range(-20..=20),
            _ => rng.random_range(-1_000..=1_000),
        }),
        LiteralKind::Rational => {
            let numerator: i64 = rng.random_range(-20..=20);
            let denominator: i64 = rng.random_range(1..=6);
            let fraction = Rational::new(numerator.into(), denominator.into());
            Value::Rational(fraction.unwrap_or(0.into()))
        }
        LiteralKind::F64 => float(f64::from(rng.random_range(-8_000..=8_000i32)) / 64.0),
        LiteralKind::Bits(width) => {
            let bits = u64::from(width.bits());
            let word = match rng.random_range(0..4) {
                0 => rng.random_range(0..=bits),
                1 => 1 << rng.random_range(0..bits),
                _ => rng.random(),
            };
            let word: u64 = if rng.random_range(0..4) == 0 { !word } else { word };
            Value::Bits(Bits::new(width, word & width.largest()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(kind: &str, most: usize, seed: u64) -> Inputs {
        let text = format!("(sort S) (op - (S) S) (literal {kind} S) (variable S)");
        let text = if kind == "bool" { text.replace("(op -", "(op !") } else { text };
        Inputs::of(&Language::read(("my.rules", &text), None, 2, None).unwrap(), most, seed)
    }

    #[test]
    fn few_are_all_and_many_are_corners_and_random_ones() {
        assert_eq!(inputs("bool", 100, 0).len(), 4);
        assert_eq!(inputs("(bits 3)", 64, 0).len(), 64);
        for kind in ["(bits 3)", "(bits 64)", "i64", "rational", "f64"] {
            let some = inputs(kind, 60, 1);
            // Random ones of so few are sometimes there already.
            let least = if kind == "(bits 3)" { 30 } else { 50 };
            assert!((least..=60).contains(&some.len()), "{kind} {}", some.len());
            assert_eq!(some.values, inputs(kind, 60, 1).values, "{kind}");
            if kind != "(bits 3)" {
                assert_ne!(some.values, inputs(kind, 60, 2).values, "{kind}");
            }
        }
    }

    #[test]
    fn what_refutes_is_there_once() {
        let mut inputs = inputs("i64", 10, 0);
        let before = inputs.len();
        let values = [Value::Int(123), Value::Int(-45)];
        inputs.push(&values);
        inputs.push(&values);
        assert_eq!(inputs.len(), before + 1);
        assert_eq!(inputs.value(1, before), Value::Int(-45));
    }
}
