//! A divisor of a polynomial of which is known what monomials it has, but not their coefficients.
//!
//! At each point the value of a divisor divides that of the polynomial. Where all variables are 0 but those of one monomial, few
//! others are left in the divisor, so that there are as many possible coefficients as divisors of one number. Which of these
//! go together other points say. All monomials have one degree, by a variable more: so 1 is a monomial like others.

use crate::optimise::factors::polynomial::{Monomial, Polynomial, gcd};

/// Primes up to here are looked for in numbers. What is left without any is taken for a prime.
const LARGEST_PRIME: i128 = 1 << 12;
/// Numbers with more divisors are not gone through.
const MOST_DIVISORS: usize = 1 << 12;
/// Points at which coefficients must go together, for each set of variables.
const CHECKS: usize = 6;
/// Values of the other variables, of which the divisor has none.
const SAMPLES: usize = 3;

/// The values of monomials, and coefficients, that may be looked at.
#[derive(Debug)]
pub struct Visits {
    limit: u64,
    left: u64,
}

impl Visits {
    /// At most, for one product.
    const MOST: u64 = 1 << 19;
    /// As many as take the time of one e-node.
    const PER_NODE: u64 = 64;

    /// As many as take the time of so many e-nodes, and not too many.
    pub fn within(e_nodes: u64) -> Visits {
        let limit = e_nodes.saturating_mul(Visits::PER_NODE).min(Visits::MOST);
        Visits { limit, left: limit }
    }

    /// What was looked at took as long as so many e-nodes.
    pub fn work(&self) -> u64 {
        (self.limit - self.left).div_ceil(Visits::PER_NODE)
    }

    fn take(&mut self, visits: usize) -> Result<(), GaveUp> {
        let left = self.left.checked_sub(visits as u64);
        self.left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(GaveUp)
    }
}

/// It takes too long, or nothing is known of a coefficient.
#[derive(Clone, Copy, Debug)]
struct GaveUp;

/// A polynomial with exactly the monomials of `shape` by which `whole` can be divided, whose coefficients have no
/// common divisor if those of `whole` have none, and the quotient; the first one in a fixed order, if one is found with these visits.
pub fn divisor(
    whole: &Polynomial,
    shape: &Polynomial,
    visits: &mut Visits,
) -> Option<(Polynomial, Polynomial)> {
    let homogeneous = whole.homogeneous()?;
    let shape = shape.homogeneous()?;
    let mut monomials: Vec<Monomial> = shape.summands().rev().map(|(m, _)| m.clone()).collect();
    // Where the variables of one are 1, those with fewer are not 0.
    monomials.sort_by_key(|monomial| monomial.iter().filter(|&&exponent| exponent > 0).count());
    let points = Points { whole: homogeneous, monomials, has: shape.variables(), visits };
    let mut search = Search { whole, points, unknowns: Vec::new(), found: Vec::new() };
    search.go_on().ok().flatten()
}

/// A coefficient that is to be found, with what is known when those before it are.
struct Unknown {
    /// What the divisor may be, with either sign, where the variables of its monomial are 1 and all others of the divisor 0, and
    /// the monomials before this one that are not 0 there.
    sizes: Vec<i128>,
    others: Vec<usize>,
    /// Sets of variables without which all monomials of the divisor but these are 0.
    sets: Vec<(Vec<usize>, Vec<usize>)>,
    /// At points where other variables are 0, as far as they were looked at: of the first set, then of the next.
    checks: Vec<Option<Check>>,
}

/// A point at which all monomials are known.
struct Check {
    /// The value of the polynomial, or one that it divides.
    value: i128,
    /// What the monomials of the divisor are, those that are not 0.
    monomials: Vec<(usize, i128)>,
}

struct Search<'a> {
    whole: &'a Polynomial,
    points: Points<'a>,
    /// What is known of each coefficient, as far as they were looked at.
    unknowns: Vec<Unknown>,
    /// Coefficients.
    found: Vec<i128>,
}

impl Search<'_> {
    /// Looks for the coefficients that are not found yet.
    fn go_on(&mut self) -> Result<Option<(Polynomial, Polynomial)>, GaveUp> {
        let next = self.found.len();
        if next == self.points.monomials.len() {
            return Ok(self.divided());
        }
        if next == self.unknowns.len() {
            self.unknowns.push(self.points.unknown(next)?);
        }
        let mut others = self.unknowns[next].others.iter();
        let known = others.try_fold(0i128, |sum, &other| sum.checked_add(self.found[other]));
        let known = known.ok_or(GaveUp)?;
        for at in 0..self.unknowns[next].sizes.len() {
            let size = self.unknowns[next].sizes[at];
            // With the other sign of all it is a divisor, too.
            for value in [size, -size].into_iter().take(if next == 0 { 1 } else { 2 }) {
                self.points.visits.take(1)?;
                self.found.push(value.checked_sub(known).ok_or(GaveUp)?);
                if self.found[next] != 0 && self.goes_together()? {
                    let divisor = self.go_on()?;
                    if divisor.is_some() {
                        return Ok(divisor);
                    }
                }
                self.found.pop();
            }
        }
        Ok(None)
    }

    /// Whether the last coefficient goes with those before it, as far as points say.
    fn goes_together(&mut self) -> Result<bool, GaveUp> {
        let Some(unknown) = self.unknowns.get_mut(self.found.len() - 1) else { return Ok(true) };
        for at in 0..unknown.sets.len() * CHECKS {
            if at == unknown.checks.len() {
                let (among, alive) = &unknown.sets[at / CHECKS];
                unknown.checks.push(self.points.check(among, alive, at % CHECKS)?);
            }
            if unknown.checks[at].as_ref().is_some_and(|check| !check.holds(&self.found)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The polynomial with the coefficients that were found, if it is a divisor, and the quotient.
    fn divided(&self) -> Option<(Polynomial, Polynomial)> {
        let mut summands = self.found.iter().zip(&self.points.monomials);
        let polynomial = summands.try_fold(Polynomial::default(), |sum, (&c, monomial)| {
            let own = monomial[..monomial.len() - 1].to_vec();
            sum.plus(&Polynomial::monomial(own, c), 1)
        })?;
        let quotient = self.whole.clone().divided_by(&polynomial)?;
        Some((polynomial, quotient))
    }
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
    /// All of whose monomials have one degree.
    whole: Polynomial,
    /// Those of the divisor.
    monomials: Vec<Monomial>,
    /// By variable, whether the divisor has it.
    has: Vec<bool>,
    visits: &'a mut Visits,
}

impl Points<'_> {
    /// What is known of the coefficient of a monomial, if those before it are known.
    ///
    /// # Errors
    /// Nothing is, as the whole is 0 at all points at which the others are known, or two would be wanted at once.
    fn unknown(&mut self, next: usize) -> Result<Unknown, GaveUp> {
        let own = variables(&self.monomials[next]);
        let alive: Vec<usize> = self.alive(&own);
        let Some((_, others)) = alive.split_last().filter(|(last, _)| **last == next) else {
            return Err(GaveUp);
        };
        let value = self.value(&own, |_| 1)?;
        let sizes = divisors(value).filter(|_| value != 0).ok_or(GaveUp)?;
        let mut sets: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for other in 0..next {
            let mut both = variables(&self.monomials[other]);
            both.extend(&own);
            both.sort_unstable();
            both.dedup();
            let alive: Vec<usize> = self.alive(&both);
            let is_known = alive.len() > 1 && alive.iter().all(|&place| place <= next);
            if is_known && sets.iter().all(|(set, _)| *set != both) {
                sets.push((both, alive));
            }
        }
        Ok(Unknown { sizes, others: others.to_vec(), sets, checks: Vec::new() })
    }

    /// What must hold at a point where those variables are 0 that are not `among` some, and these have small values; none if
    /// nothing must.
    fn check(
        &mut self,
        among: &[usize],
        alive: &[usize],
        number: usize,
    ) -> Result<Option<Check>, GaveUp> {
        const VALUES: [i128; 9] = [1, -1, 2, 1, 3, -2, 1, 2, -3];
        let of = |v: usize| match among.iter().position(|&own| own == v) {
            Some(at) => VALUES[(2 * number + at) % VALUES.len()],
            None => 0,
        };
        let value = self.value(among, of)?;
        let at = |&place: &usize| {
            let powers = self.monomials[place].iter().enumerate().filter(|(_, e)| **e > 0);
            let product = powers.map(|(v, &e)| of(v).checked_pow(e.into()));
            let product = product.reduce(|a, b| a?.checked_mul(b?));
            Some((place, product.unwrap_or(Some(1))?))
        };
        let monomials: Option<Vec<(usize, i128)>> = alive.iter().map(at).collect();
        Ok(monomials.filter(|_| value != 0).map(|monomials| Check { value, monomials }))
    }

    /// The monomials of the divisor that have no other variables.
    fn alive(&self, among: &[usize]) -> Vec<usize> {
        let is_alive = |place: &usize| {
            variables(&self.monomials[*place]).iter().all(|variable| among.contains(variable))
        };
        (0..self.monomials.len()).filter(is_alive).collect()
    }

    /// The largest number that divides the values of the whole at points where, of the divisor's variables, those
    /// `among` some have given values, and the others are 0.
    fn value(&mut self, among: &[usize], of: impl Fn(usize) -> i128) -> Result<i128, GaveUp> {
        let mut whole = 0;
        for sample in 0..SAMPLES {
            self.visits.take(self.whole.len())?;
            let values = (0..self.has.len()).map(|v| match self.has[v] {
                true if among.contains(&v) => of(v),
                true => 0,
                // Small numbers that differ from variable to variable.
                false => 1 + ((v + 1) * sample * 5 % 7) as i128,
            });
            let value = self.whole.at(&values.collect::<Vec<_>>()).ok_or(GaveUp)?;
            whole = gcd(whole, value);
        }
        Ok(whole)
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
                if let Some((found, quotient)) = divisor(&whole, shape, &mut Visits::within(u64::MAX)) {
                    let monomials = |p: &Polynomial| p.summands().map(|s| s.0.clone()).collect();
                    let [of_found, of_shape]: [Vec<Monomial>; 2] = [&found, shape].map(monomials);
                    prop_assert_eq!(of_found, of_shape);
                    prop_assert_eq!(quotient.times(&found), Some(whole.clone()));
                }
            }
        }

        /// A factor that has no more variables than the others is found by its shape alone.
        #[test]
        fn the_factor_with_fewest_variables_is_found(
            mut factors in prop::collection::vec(any_linear(), 2..4)
        ) {
            factors.sort_by_key(Polynomial::count_variables);
            let (first, mut others) = (factors[0].clone(), factors[1..].iter());
            let product = others.try_fold(first, |all, p| all.times(p)).unwrap();
            let found = divisor(&primitive(&product), &factors[0], &mut Visits::within(u64::MAX));
            prop_assert!(found.is_some(), "{:?}", factors);
        }
    }

    #[test]
    fn factors_of_a_higher_degree_are_found() {
        // (7x²y − 12z + 5)(3x − 4y + 2)
        let one = |m: [u8; 3], c| Polynomial::monomial(m.to_vec(), c);
        let first = one([2, 1, 0], 7).plus(&one([0, 0, 1], -12), 1).unwrap();
        let first = first.plus(&one([0, 0, 0], 5), 1).unwrap();
        let whole = first.times(&linear([3, -4, 0, 2])).unwrap();
        let minus = Polynomial::default().plus(&first, -1).unwrap();
        let (found, _) = divisor(&whole, &first, &mut Visits::within(u64::MAX)).unwrap();
        assert!(found == first || found == minus, "{found:?}");
    }

    #[test]
    fn what_takes_too_long_is_given_up() {
        let a = linear([96, 60, 84, 72]);
        let whole = a.times(&linear([60, 96, 72, 84])).unwrap();
        assert!(divisor(&whole, &a, &mut Visits::within(u64::MAX)).is_some());
        let mut few = Visits::within(2);
        assert_eq!(divisor(&whole, &a, &mut few), None);
        assert_eq!(few.work(), 2);
    }
}
