//! A divisor of a polynomial of which is known what monomials it has, but not their coefficients.
//!
//! At each point the value of a divisor divides that of the polynomial. Where all variables are 0 but those of one monomial, few
//! others are left in the divisor, so that there are as many possible coefficients as divisors of one number. Which of these
//! go together other points say. All monomials have one degree, by a variable more: so 1 is a monomial like others.

use crate::optimise::factors::polynomial::{Monomial, Polynomial, gcd};
use std::cell::OnceCell;

/// Primes up to here are looked for in numbers. What is left without any is taken for a prime.
const LARGEST_PRIME: i128 = 1 << 12;
/// Numbers with more divisors are not gone through.
const MOST_DIVISORS: usize = 1 << 12;
/// Points at which coefficients must go together, for each set of variables.
const CHECKS: usize = 6;
/// Values of the other variables, of which the divisor has none.
const SAMPLES: usize = 4;

/// Numbers and monomials that are looked at for one product, at most; and as many as take the time of one e-node.
pub const VISITS: u64 = 1 << 16;
pub const VISITS_PER_NODE: u64 = 64;

/// A coefficient that is to be found, with what is known when those before it are.
struct Unknown {
    /// The values of the polynomial where the variables of its monomial alone are 1, and the monomials of the divisor
    /// before this one that are not 0 there.
    value: i128,
    others: Vec<usize>,
    checks: Vec<Check>,
    /// The divisors of the value, when they were asked for.
    divisors: OnceCell<Option<Vec<i128>>>,
}

/// A point at which all monomials are known.
struct Check {
    /// The value of the polynomial, or one that it divides.
    value: i128,
    /// What the monomials of the divisor are, those that are not 0.
    monomials: Vec<(usize, i128)>,
}

/// A polynomial with exactly the monomials of `shape` by which `whole` can be divided, whose coefficients have no
/// common divisor if those of `whole` have none; the first one in a fixed order, if one is found before `visits`
/// possible coefficients and monomials were looked at.
pub fn divisor(whole: &Polynomial, shape: &Polynomial, visits: &mut u64) -> Option<Polynomial> {
    // Values are looked at, too.
    *visits = visits.checked_sub(whole.len() as u64)?;
    let mut unknowns = Vec::new();
    let (homogeneous, mut monomials) = (whole.homogeneous()?, Vec::new());
    for (monomial, _) in shape.homogeneous()?.summands().rev() {
        monomials.push(monomial.clone());
    }
    // Where the variables of one are 1, those with fewer are not 0.
    monomials.sort_by_key(|monomial| monomial.iter().filter(|&&exponent| exponent > 0).count());
    let last = monomials.first()?.len() - 1;
    let points = Points::of(&homogeneous, &monomials);
    for next in 0..monomials.len() {
        unknowns.push(points.unknown(next)?);
    }
    let mut found = vec![0; monomials.len()];
    let is_divisor = |coefficients: &[i128]| {
        let mut summands = coefficients.iter().zip(&monomials);
        let polynomial = summands.try_fold(Polynomial::default(), |sum, (&c, monomial)| {
            sum.plus(&Polynomial::monomial(monomial[..last].to_vec(), c), 1)
        })?;
        whole.clone().divided_by(&polynomial).map(|_| polynomial)
    };
    search(&unknowns, 0, &mut found, visits, &is_divisor)
}

fn search(
    unknowns: &[Unknown],
    next: usize,
    found: &mut Vec<i128>,
    visits: &mut u64,
    is_divisor: &dyn Fn(&[i128]) -> Option<Polynomial>,
) -> Option<Polynomial> {
    let Some(unknown) = unknowns.get(next) else { return is_divisor(found) };
    let mut others = unknown.others.iter();
    let known = others.try_fold(0i128, |sum, &other| sum.checked_add(found[other]))?;
    let divisors = unknown.divisors.get_or_init(|| divisors(unknown.value)).as_ref()?;
    for &size in divisors {
        // With the other sign of all it is a divisor, too.
        for value in [size, -size].into_iter().take(if next == 0 { 1 } else { 2 }) {
            *visits = visits.checked_sub(1)?;
            found[next] = value.checked_sub(known)?;
            if found[next] != 0 && unknown.checks.iter().all(|check| check.holds(found)) {
                let divisor = search(unknowns, next + 1, found, visits, is_divisor);
                if divisor.is_some() {
                    return divisor;
                }
            }
        }
    }
    None
}

impl Check {
    fn holds(&self, coefficients: &[i128]) -> bool {
        let value = self.monomials.iter().try_fold(0i128, |sum, &(place, value)| {
            sum.checked_add(coefficients[place].checked_mul(value)?)
        });
        value.is_some_and(|value| value != 0 && self.value % value == 0)
    }
}

/// Points at which a polynomial is looked at, for a divisor.
struct Points<'a> {
    whole: &'a Polynomial,
    /// Those of the divisor.
    monomials: &'a [Monomial],
    /// By variable, whether the divisor has it.
    has: Vec<bool>,
}

impl<'a> Points<'a> {
    fn of(whole: &'a Polynomial, monomials: &'a [Monomial]) -> Points<'a> {
        let variables = monomials[0].len();
        let has = (0..variables).map(|v| monomials.iter().any(|monomial| monomial[v] > 0));
        Points { whole, monomials, has: has.collect() }
    }

    /// What is known of the coefficient of a monomial, if those before it are known. `None` if nothing is, as at all points
    /// at which the others are known the whole is 0, or two would be wanted at once.
    fn unknown(&self, next: usize) -> Option<Unknown> {
        let own = variables(&self.monomials[next]);
        let alive: Vec<usize> = self.alive(&own).collect();
        let value = self.value(&own, |_| 1).filter(|&value| value != 0)?;
        if alive.last() != Some(&next) {
            return None;
        }
        let mut checks = Vec::new();
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for other in 0..next {
            let mut both = variables(&self.monomials[other]);
            both.extend(&own);
            both.sort_unstable();
            both.dedup();
            let alive: Vec<usize> = self.alive(&both).collect();
            if alive.len() > 1 && alive.iter().all(|&place| place <= next) && !sets.contains(&both)
            {
                checks.extend((0..CHECKS).filter_map(|number| self.check(&both, &alive, number)));
                sets.push(both);
            }
        }
        let others = alive[..alive.len() - 1].to_vec();
        Some(Unknown { value, others, checks, divisors: OnceCell::new() })
    }

    /// What must hold at a point where those variables are 0 that are not `among` some, and these have small values.
    fn check(&self, among: &[usize], alive: &[usize], number: usize) -> Option<Check> {
        const VALUES: [i128; 9] = [1, -1, 2, 1, 3, -2, 1, 2, -3];
        let of = |v: usize| match among.iter().position(|&own| own == v) {
            Some(at) => VALUES[(2 * number + at) % VALUES.len()],
            None => 0,
        };
        let value = self.value(among, of).filter(|&value| value != 0)?;
        let at = |&place: &usize| {
            let powers = self.monomials[place].iter().enumerate().filter(|(_, e)| **e > 0);
            let product = powers.map(|(v, &e)| of(v).checked_pow(e.into()));
            let product = product.reduce(|a, b| a?.checked_mul(b?));
            Some((place, product.unwrap_or(Some(1))?))
        };
        Some(Check { value, monomials: alive.iter().map(at).collect::<Option<_>>()? })
    }

    /// The monomials of the divisor that have no other variables.
    fn alive(&self, among: &[usize]) -> impl Iterator<Item = usize> {
        let is_alive = |monomial: &Monomial| variables(monomial).iter().all(|v| among.contains(v));
        let alive = self.monomials.iter().map(is_alive).collect::<Vec<_>>();
        alive.into_iter().enumerate().filter_map(|(place, is_alive)| is_alive.then_some(place))
    }

    /// The largest number that divides the values of the whole at points where, of the divisor's variables, those
    /// `among` some have given values, and the others are 0.
    fn value(&self, among: &[usize], of: impl Fn(usize) -> i128) -> Option<i128> {
        let mut whole = 0;
        for sample in 0..SAMPLES {
            let values = (0..self.has.len()).map(|v| match self.has[v] {
                true if among.contains(&v) => of(v),
                true => 0,
                // Small numbers that differ from variable to variable.
                false => 1 + ((v + 1) * sample * 5 % 7) as i128,
            });
            whole = gcd(whole, self.whole.at(&values.collect::<Vec<_>>())?);
        }
        Some(whole)
    }
}

fn variables(monomial: &Monomial) -> Vec<usize> {
    (0..monomial.len()).filter(|&v| monomial[v] > 0).collect()
}

/// The positive divisors of a positive number, the smallest first. `None` if there are too many.
fn divisors(mut number: i128) -> Option<Vec<i128>> {
    let mut found = vec![1];
    let mut prime = 2;
    while number > 1 {
        if prime > LARGEST_PRIME || prime * prime > number {
            prime = number;
        }
        let before = found.len();
        while number % prime == 0 {
            number /= prime;
            let more: Vec<i128> =
                found[found.len() - before..].iter().map(|divisor| divisor * prime).collect();
            found.extend(more);
            if found.len() > MOST_DIVISORS {
                return None;
            }
        }
        prime += 1;
    }
    found.sort_unstable();
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::factors::polynomial::tests::any_polynomial;
    use proptest::prelude::*;

    #[test]
    fn divisors_are_all_divisors() {
        for number in 1..500 {
            let all: Vec<i128> = (1..=number).filter(|n| number % n == 0).collect();
            assert_eq!(divisors(number), Some(all));
        }
        let prime = 1_000_000_007;
        assert_eq!(divisors(prime * 4), Some(vec![1, 2, 4, prime, 2 * prime, 4 * prime]));
    }

    /// Σ coefficient · variable, the last one being 1.
    fn linear(coefficients: [i128; 4]) -> Polynomial {
        let summand = |(at, &c): (usize, &i128)| {
            Polynomial::monomial((0..3).map(|v| u8::from(v == at)).collect(), c)
        };
        let summands = coefficients.iter().enumerate().map(summand);
        summands.fold(Polynomial::default(), |sum, other| sum.plus(&other, 1).unwrap())
    }

    fn any_linear() -> impl Strategy<Value = Polynomial> {
        let coefficient = prop_oneof![Just(0), -99i128..100];
        prop::array::uniform4(coefficient)
            .prop_map(linear)
            .prop_filter("no number", |p| p.len() > 1 && p.number().is_none())
    }

    fn primitive(p: &Polynomial) -> Polynomial {
        p.clone().divided_by(&Polynomial::monomial(vec![0, 0, 0], p.content())).unwrap()
    }

    proptest! {
        /// What is found is a divisor with the right monomials.
        #[test]
        fn a_divisor_divides(a in any_linear(), b in any_polynomial(), other in any_linear()) {
            prop_assume!(b.len() > 0);
            let whole = primitive(&a.times(&b).unwrap());
            for shape in [&a, &other] {
                if let Some(found) = divisor(&whole, shape, &mut (1 << 16)) {
                    let monomials = |p: &Polynomial| p.summands().map(|s| s.0.clone()).collect();
                    let [of_found, of_shape]: [Vec<Monomial>; 2] = [&found, shape].map(monomials);
                    prop_assert_eq!(of_found, of_shape);
                    let quotient = whole.clone().divided_by(&found).unwrap();
                    prop_assert_eq!(quotient.times(&found), Some(whole.clone()));
                }
            }
        }

        /// A factor that has no more variables than the others is found by its shape alone.
        #[test]
        fn the_factor_with_fewest_variables_is_found(
            mut factors in prop::collection::vec(any_linear(), 2..4)
        ) {
            factors.sort_by_key(variables_of);
            let (first, mut others) = (factors[0].clone(), factors[1..].iter());
            let product = others.try_fold(first, |all, p| all.times(p)).unwrap();
            let found = divisor(&primitive(&product), &factors[0], &mut (1 << 20));
            prop_assert!(found.is_some(), "{:?}", factors);
        }
    }

    fn variables_of(p: &Polynomial) -> usize {
        let p = p.homogeneous().unwrap();
        (0..4).filter(|&v| p.summands().any(|(monomial, _)| monomial[v] > 0)).count()
    }

    #[test]
    fn factors_of_a_higher_degree_are_found() {
        // (7x²y − 12z + 5)(3x − 4y + 2)
        let one = |m: [u8; 3], c| Polynomial::monomial(m.to_vec(), c);
        let first = one([2, 1, 0], 7).plus(&one([0, 0, 1], -12), 1).unwrap();
        let first = first.plus(&one([0, 0, 0], 5), 1).unwrap();
        let whole = first.times(&linear([3, -4, 0, 2])).unwrap();
        let minus = Polynomial::default().plus(&first, -1).unwrap();
        let found = divisor(&whole, &first, &mut (1 << 16)).unwrap();
        assert!(found == first || found == minus, "{found:?}");
    }

    #[test]
    fn what_takes_too_long_is_given_up() {
        let a = linear([96, 60, 84, 72]);
        let whole = a.times(&linear([60, 96, 72, 84])).unwrap();
        let few = whole.len() as u64 + 2;
        assert_eq!(divisor(&whole, &a, &mut { few }), None);
        assert!(divisor(&whole, &a, &mut (1 << 16)).is_some());
    }
}
