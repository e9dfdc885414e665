//! Polynomials with integer coefficients, as sums of monomials. Whatever does not fit into 128 bits is `None`.

use std::collections::BTreeMap;

/// Monomials of the longest polynomial that is looked at.
const MOST_MONOMIALS: usize = 512;

/// The exponent of each variable.
pub type Monomial = Vec<u8>;

/// The coefficient of each monomial, none of which is 0. All monomials of a polynomial have the same variables, as have
/// those of polynomials that are added, multiplied or divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial(BTreeMap<Monomial, i128>);

impl Polynomial {
    /// A number times a product of variables.
    pub fn monomial(monomial: Monomial, coefficient: i128) -> Polynomial {
        Polynomial(BTreeMap::from_iter((coefficient != 0).then_some((monomial, coefficient))))
    }

    /// A number as a polynomial of the same variables.
    pub fn constant(&self, number: i128) -> Polynomial {
        let variables = self.0.keys().next().map_or(0, Vec::len);
        Polynomial::monomial(vec![0; variables], number)
    }

    /// Monomials and their coefficients, in a fixed order in which the larger one of two stays the larger one when
    /// both are multiplied by a monomial.
    pub fn summands(&self) -> impl DoubleEndedIterator<Item = (&Monomial, i128)> + Clone {
        self.0.iter().map(|(monomial, &coefficient)| (monomial, coefficient))
    }

    /// How many monomials it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The number that it is, if it is one.
    pub fn number(&self) -> Option<i128> {
        match self.0.iter().next() {
            None => Some(0),
            Some((monomial, &n)) => {
                (self.len() == 1 && monomial.iter().all(|&exponent| exponent == 0)).then_some(n)
            }
        }
    }

    /// The summands of which `keep` holds.
    pub fn part(&self, keep: impl Fn(&Monomial) -> bool) -> Polynomial {
        let kept = self.0.iter().filter(|(monomial, _)| keep(monomial));
        Polynomial(kept.map(|(monomial, &coefficient)| (monomial.clone(), coefficient)).collect())
    }

    /// Whether a monomial occurs.
    pub fn contains(&self, monomial: &Monomial) -> bool {
        self.0.contains_key(monomial)
    }

    /// The largest number that divides all coefficients; 0 of none.
    pub fn content(&self) -> i128 {
        self.0.values().fold(0, |a, &b| gcd(a, b))
    }

    /// The largest sum of the exponents of a monomial.
    pub fn degree(&self) -> u32 {
        self.0.keys().map(degree).max().unwrap_or(0)
    }

    /// By variable, whether it occurs.
    pub fn variables(&self) -> Vec<bool> {
        let mut occurs = Vec::new();
        for monomial in self.0.keys() {
            occurs.resize(monomial.len(), false);
            occurs.iter_mut().zip(monomial).for_each(|(occurs, &e)| *occurs |= e > 0);
        }
        occurs
    }

    /// How many variables occur, that of [`Polynomial::homogeneous`] among them.
    pub fn count_variables(&self) -> usize {
        let occurs = self.homogeneous().unwrap_or_default().variables();
        occurs.into_iter().filter(|&occurs| occurs).count()
    }

    /// So many times it.
    pub fn multiple(&self, times: i128) -> Option<Polynomial> {
        Polynomial::default().plus(self, times)
    }

    /// The sum with `times` as much of another one.
    pub fn plus(mut self, other: &Polynomial, times: i128) -> Option<Polynomial> {
        for (monomial, coefficient) in other.summands() {
            self.add(monomial, coefficient.checked_mul(times)?)?;
        }
        (self.len() <= MOST_MONOMIALS).then_some(self)
    }

    /// The product with another one.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial::default();
        for (monomial, coefficient) in other.summands() {
            product.add_product(self, monomial, coefficient)?;
        }
        Some(product)
    }

    /// The quotient, if nothing remains.
    pub fn divided_by(mut self, divisor: &Polynomial) -> Option<Polynomial> {
        let (first, by) = divisor.summands().next_back()?;
        let mut quotient = Polynomial::default();
        while let Some((monomial, &coefficient)) = self.0.last_key_value() {
            let pairs = monomial.iter().zip(first);
            let monomial: Option<Monomial> = pairs.map(|(a, b)| a.checked_sub(*b)).collect();
            let monomial = monomial.filter(|_| coefficient % by == 0)?;
            if quotient.len() == MOST_MONOMIALS {
                return None;
            }
            let coefficient = coefficient / by;
            self.add_product(divisor, &monomial, -coefficient)?;
            quotient.0.insert(monomial, coefficient);
        }
        Some(quotient)
    }

    /// The value where variables have these values.
    pub fn at(&self, values: &[i128]) -> Option<i128> {
        let mut sum = 0i128;
        for (monomial, mut product) in self.summands() {
            for (value, &exponent) in values.iter().zip(monomial) {
                if exponent > 0 && product != 0 {
                    product = product.checked_mul(value.checked_pow(exponent.into())?)?;
                }
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    /// With one variable more, by which each summand is multiplied until all have the degree of the whole.
    pub fn homogeneous(&self) -> Option<Polynomial> {
        let most = self.degree();
        let with_one_more = |(monomial, &coefficient): (&Monomial, &i128)| {
            let missing = u8::try_from(most - degree(monomial)).ok()?;
            let monomial: Monomial = monomial.iter().copied().chain([missing]).collect();
            Some((monomial, coefficient))
        };
        self.0.iter().map(with_one_more).collect::<Option<_>>().map(Polynomial)
    }

    fn add_product(&mut self, other: &Polynomial, monomial: &Monomial, times: i128) -> Option<()> {
        for (own, coefficient) in other.summands() {
            let exponents = own.iter().zip(monomial).map(|(a, b)| a.checked_add(*b));
            self.add(&exponents.collect::<Option<_>>()?, coefficient.checked_mul(times)?)?;
        }
        (self.len() <= MOST_MONOMIALS).then_some(())
    }

    fn add(&mut self, monomial: &Monomial, coefficient: i128) -> Option<()> {
        if coefficient == 0 {
            return Some(());
        }
        match self.0.get_mut(monomial) {
            None => {
                self.0.insert(monomial.clone(), coefficient);
            }
            Some(own) => {
                *own = own.checked_add(coefficient)?;
                if *own == 0 {
                    self.0.remove(monomial);
                }
            }
        }
        Some(())
    }
}

fn degree(monomial: &Monomial) -> u32 {
    monomial.iter().map(|&exponent| u32::from(exponent)).sum()
}

/// The largest number that divides both; that of 0 and a number is the number, without its sign.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Of three variables.
    pub fn any_polynomial() -> impl Strategy<Value = Polynomial> {
        let summand = (prop::collection::vec(0u8..3, 3), -99i128..100);
        prop::collection::vec(summand, 1..6).prop_map(|summands| {
            summands.into_iter().fold(Polynomial::default(), |sum, (monomial, coefficient)| {
                sum.plus(&Polynomial::monomial(monomial, coefficient), 1).unwrap()
            })
        })
    }

    proptest! {
        /// Values say whether sums, products and quotients are right.
        #[test]
        fn arithmetic(
            a in any_polynomial(),
            b in any_polynomial(),
            at in prop::collection::vec(-9i128..10, 3),
        ) {
            let [of_a, of_b] = [&a, &b].map(|p| p.at(&at).unwrap());
            let product = a.times(&b).unwrap();
            prop_assert_eq!(product.at(&at), Some(of_a * of_b));
            prop_assert_eq!(a.clone().plus(&b, -3).unwrap().at(&at), Some(of_a - 3 * of_b));
            if b.len() > 0 {
                prop_assert_eq!(product.clone().divided_by(&b), Some(a.clone()));
                let more = product.plus(&Polynomial::monomial(vec![0, 0, 0], 1), 1).unwrap();
                let quotient = more.clone().divided_by(&b);
                prop_assert!(quotient.is_none_or(|q| q.times(&b) == Some(more)));
            }
            if a.len() > 0 {
                let homogeneous = a.homogeneous().unwrap();
                prop_assert_eq!(homogeneous.at(&[at[0], at[1], at[2], 1]), Some(of_a));
                let degrees: Vec<u32> = homogeneous.summands().map(|s| degree(s.0)).collect();
                prop_assert!(degrees.iter().all(|&other| other == degrees[0]));
            }
        }
    }

    #[test]
    fn what_is_too_large_is_none() {
        let x = Polynomial::monomial(vec![200], i128::MAX / 2);
        assert_eq!(x.times(&x), None);
        assert_eq!(x.clone().plus(&x, 3), None);
        assert_eq!(x.at(&[2]), None);
        let one = Polynomial::monomial(vec![200], 1);
        assert_eq!(one.times(&one), None);
    }
}
