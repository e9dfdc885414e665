//! What an application costs as a whole, by what some of its arguments cost: a loop its body as often as it
//! runs, two tasks side by side the slower one.
//!
//! All that may be done with a cost is to add, to multiply by what is not negative, and to take the larger or
//! smaller one. So such a cost is never less where an argument costs more, and the best term is made of best
//! terms. A product with a fraction is rounded up to a whole number of the parts that the cost is counted in.

use crate::rules::costs::read::Read;
use crate::rules::costs::unit::{Unit, times};
use crate::rules::expression::Expr;
use crate::rules::variables::{VarId, Variables};
use crate::term::literal::Value;

/// Stands for a cost that is not known, or does not fit.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// The cost of an application, in which costs of arguments occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeCost {
    pub(crate) of: CostPart,
    pub(crate) variables: Variables,
    /// The arguments whose costs occur.
    pub(crate) counted: Vec<usize>,
}

/// A part of such a cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CostPart {
    /// No cost occurs in it.
    Fixed(Expr),
    /// What an argument costs.
    Argument(usize),
    Join(Join, Box<[CostPart; 2]>),
}

/// How two parts are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    Sum,
    Product,
    Larger,
    Smaller,
}

impl WholeCost {
    /// What an application costs, but for the arguments whose costs do not occur; [`UNKNOWN`] if that is not
    /// known. No less than each of those that do occur. `value` gives what is read of the arguments, `cost` what
    /// they cost.
    pub(crate) fn value(
        &self,
        unit: Unit,
        value: impl Fn(Read) -> Option<Value>,
        cost: impl Fn(usize) -> u64,
    ) -> u64 {
        let counted = self.counted.iter().map(|&argument| cost(argument));
        let least = counted.fold(0, u64::max);
        if least == UNKNOWN {
            return UNKNOWN;
        }
        let read = |var| value(Read::of(&self.variables, var));
        self.of.value(unit, &read, &cost).max(least)
    }
}

impl CostPart {
    fn value(
        &self,
        unit: Unit,
        read: &impl Fn(VarId) -> Option<Value>,
        cost: &impl Fn(usize) -> u64,
    ) -> u64 {
        match self {
            CostPart::Fixed(expr) => {
                expr.eval(read).and_then(|value| unit.parts(value)).unwrap_or(UNKNOWN)
            }
            CostPart::Argument(argument) => cost(*argument),
            // A number of times, and no number of parts.
            CostPart::Join(Join::Product, parts)
                if let [CostPart::Fixed(factor), of] | [of, CostPart::Fixed(factor)] = &**parts =>
            {
                match of.value(unit, read, cost) {
                    UNKNOWN => UNKNOWN,
                    parts => {
                        factor.eval(read).and_then(|factor| times(factor, parts)).unwrap_or(UNKNOWN)
                    }
                }
            }
            CostPart::Join(join, parts) => {
                match (join, parts.each_ref().map(|p| p.value(unit, read, cost))) {
                    // Nothing is made of what is not known, a product with 0 included.
                    (_, [UNKNOWN, _] | [_, UNKNOWN]) => UNKNOWN,
                    (Join::Sum, [a, b]) => a.saturating_add(b),
                    (Join::Product, [a, b]) => unit.product(a, b),
                    (Join::Larger, [a, b]) => a.max(b),
                    (Join::Smaller, [a, b]) => a.min(b),
                }
            }
        }
    }
}
