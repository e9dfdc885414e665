//! Costs with fractions are counted in parts of one, so that they are whole numbers of parts: sums are exact, and
//! are compared as fast as ever.

use crate::term::literal::Value;
use crate::term::values::rational::Rational;
use crate::text::sexpr::Sexpr;
use std::fmt;

/// How many parts of one a cost is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit(u64);

impl Unit {
    pub const ONE: Unit = Unit(1);
    /// So that a number of 32 bits is always a number of parts of 64 bits.
    pub const MOST: u64 = u32::MAX as u64;

    /// Parts of which both this one's and all that are written as fractions with `denominator` are whole numbers; none if
    /// they would be too fine.
    pub fn finer(self, denominator: u64) -> Option<Unit> {
        let common = gcd(self.0, denominator);
        let parts = (self.0 / common).checked_mul(denominator)?;
        (parts <= Unit::MOST).then_some(Unit(parts))
    }

    /// How many of these parts are one part of a coarser unit.
    pub fn in_a(self, coarser: Unit) -> u64 {
        self.0 / coarser.0
    }

    /// The whole number of parts that a value is, if it is one.
    pub fn parts(self, value: Value) -> Option<u64> {
        let (numerator, denominator) = fraction(value)?;
        let parts = numerator.checked_mul(self.0.into())?;
        (parts % denominator == 0).then(|| u64::try_from(parts / denominator).ok())?
    }

    /// A product of two numbers of parts, rounded up.
    pub fn product(self, a: u64, b: u64) -> u64 {
        up(u128::from(a) * u128::from(b), self.0.into())
    }

    /// A number of parts as an amount.
    pub fn amount(self, parts: u64) -> Amount {
        let common = gcd(parts, self.0);
        Amount { numerator: parts / common, denominator: self.0 / common }
    }
}

/// So many times a number of parts, rounded up; none if that is not known.
pub(crate) fn times(factor: Value, parts: u64) -> Option<u64> {
    let (numerator, denominator) = fraction(factor)?;
    Some(numerator.checked_mul(parts.into()).map_or(u64::MAX, |all| up(all, denominator)))
}

fn up(numerator: u128, denominator: u128) -> u64 {
    u64::try_from(numerator.div_ceil(denominator)).unwrap_or(u64::MAX)
}

/// A value that is not negative as a fraction; of doubles whole numbers only.
fn fraction(value: Value) -> Option<(u128, u128)> {
    match value {
        Value::Rational(of) => {
            Some((of.numerator().try_into().ok()?, of.denominator().unsigned_abs().into()))
        }
        other => Some((other.whole()?.try_into().ok()?, 1)),
    }
}

/// The number that an atom is: `3`, `1/2` or `0.25`, each exactly what it says.
pub(crate) fn read_fraction(atom: &str) -> Option<Rational> {
    let Some((whole, digits)) = atom.split_once('.') else { return Rational::read(atom) };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(digits) {
        return None;
    }
    let tens = 10i128.checked_pow(u32::try_from(digits.len()).ok()?)?;
    Rational::new(format!("{whole}{digits}").parse().ok()?, tens)
}

/// The denominators of the numbers in an expression that are no whole numbers.
pub(crate) fn denominators(expression: &Sexpr, found: &mut Vec<u64>) {
    match expression {
        Sexpr::Atom(atom, _) => {
            let denominator = read_fraction(atom).map(|of| of.denominator().unsigned_abs());
            found.extend(denominator.filter(|&denominator| denominator > 1));
        }
        Sexpr::List(items, _) => items.iter().for_each(|item| denominators(item, found)),
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// What something costs, in lowest terms: `12`, `2.5` or `1/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The numerator.
    pub numerator: u64,
    /// The denominator, positive.
    pub denominator: u64,
}

impl Amount {
    /// The nearest double.
    pub fn value(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Amount { numerator, denominator } = self;
        // The least power of ten that the denominator divides, if one does.
        let tens = (0..=19).find(|&n| 10u64.pow(n) % denominator == 0);
        match tens {
            Some(0) => write!(f, "{numerator}"),
            Some(digits) => {
                let rest = numerator % denominator * (10u64.pow(digits) / denominator);
                write!(f, "{}.{rest:0width$}", numerator / denominator, width = digits as usize)
            }
            None => write!(f, "{numerator}/{denominator}"),
        }
    }
}
