//! What an application costs as a whole, by what some of its arguments cost: a loop its body as often as it
//! runs, two tasks side by side the slower one.
//!
//! All that may be done with a cost is to add, to multiply by what is not negative, and to take the larger or
//! smaller one. So such a cost is never less where an argument costs more, and the best term is made of best
//! terms. A product with a fraction is rounded up to a whole number of the parts that the cost is counted in.

use crate::rules::costs::read::Read;
use crate::rules::costs::unit::{Unit, denominators, read_fraction, times};
use crate::rules::expression::Expr;
use crate::rules::kinds::Kinds;
use crate::rules::read::expressions::{expect_literals, read_expr};
use crate::rules::variables::{VarId, Variables};
use crate::term::language::Language;
use crate::term::literal::Value;
use crate::text::sexpr::{ParseError, Sexpr};

/// Stands for a cost that is not known, or does not fit.
pub(crate) const UNKNOWN: u64 = u64::MAX;

/// The cost of an application, in which costs of arguments occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeCost {
    of: Part,
    variables: Variables,
    /// The arguments whose costs occur.
    pub(crate) counted: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// No cost occurs in it.
    Fixed(Expr),
    /// What an argument costs.
    Argument(usize),
    Join(Join, Box<[Part; 2]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
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

impl Part {
    fn value(
        &self,
        unit: Unit,
        read: &impl Fn(VarId) -> Option<Value>,
        cost: &impl Fn(usize) -> u64,
    ) -> u64 {
        match self {
            Part::Fixed(expr) => {
                expr.eval(read).and_then(|value| unit.parts(value)).unwrap_or(UNKNOWN)
            }
            Part::Argument(argument) => cost(*argument),
            // A number of times, and no number of parts.
            Part::Join(Join::Product, parts)
                if let [Part::Fixed(factor), of] | [of, Part::Fixed(factor)] = &**parts =>
            {
                match of.value(unit, read, cost) {
                    UNKNOWN => UNKNOWN,
                    parts => {
                        factor.eval(read).and_then(|factor| times(factor, parts)).unwrap_or(UNKNOWN)
                    }
                }
            }
            Part::Join(join, parts) => {
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

/// Whether `(cost ?a)` stands anywhere in an expression, and is no fact of that name.
pub(crate) fn speaks_of_costs(language: &Language, expression: &Sexpr) -> bool {
    let is_cost = |sexpr: &Sexpr| sexpr.atom() == Some("cost");
    expression.list().is_some_and(|items| {
        items.first().is_some_and(is_cost) && language.analysis_named("cost").is_none()
            || items.iter().any(|item| speaks_of_costs(language, item))
    })
}

/// Reads an expression in which `(cost ?a)` stands, of an operator whose argument `i` is the variable `i`.
pub(crate) fn read_whole(
    language: &Language,
    mut variables: Variables,
    expression: &Sexpr,
) -> Result<WholeCost, ParseError> {
    let mut counted = Vec::new();
    let of = read_part(language, &mut variables, expression, &mut counted)?;
    counted.sort_unstable();
    counted.dedup();
    Ok(WholeCost { of, variables, counted })
}

fn read_part(
    language: &Language,
    variables: &mut Variables,
    sexpr: &Sexpr,
    counted: &mut Vec<usize>,
) -> Result<Part, ParseError> {
    let at = |message: &str| Err(ParseError::new(sexpr.place(), message));
    if let Some(number) = sexpr.atom().and_then(read_fraction) {
        return Ok(Part::Fixed(Expr::Value(Value::Rational(number))));
    }
    let mut fractions = Vec::new();
    denominators(sexpr, &mut fractions);
    let items = sexpr.list().unwrap_or(&[]);
    let name = items.first().and_then(Sexpr::atom).unwrap_or("");
    let join = match name {
        "+" => Some(Join::Sum),
        "*" => Some(Join::Product),
        "max" => Some(Join::Larger),
        "min" => Some(Join::Smaller),
        _ => None,
    };
    let of_costs = speaks_of_costs(language, sexpr);
    if !of_costs && (fractions.is_empty() || join.is_none()) {
        let mut expr = read_expr(language, variables, sexpr)?;
        Kinds { language, variables }.fit(&mut expr, sexpr, None)?;
        let mut used = Vec::new();
        expr.each_var(&mut |var| used.push(var));
        expect_literals(language, variables, used, sexpr.place())?;
        return Ok(Part::Fixed(expr));
    }
    if name == "cost" {
        let argument = match items {
            [_, argument] => argument.atom().and_then(|atom| variables.get(atom)),
            _ => None,
        };
        return match argument {
            Some(VarId(argument)) => {
                counted.push(usize::from(argument));
                Ok(Part::Argument(usize::from(argument)))
            }
            None => at("expected (cost ?a), of an argument of the operator"),
        };
    }
    let Some(join) = join else {
        return at("costs of arguments may be added, multiplied and compared: expected one of \
                   + * max min, so that nothing costs less where an argument costs more");
    };
    let [_, parts @ ..] = items else { return at("expected an expression") };
    let mut parts = parts.iter().map(|part| read_part(language, variables, part, counted));
    let (Some(first), Some(second)) = (parts.next(), parts.next()) else {
        return at("expected two parts at least");
    };
    let mut of = Part::Join(join, Box::new([first?, second?]));
    for more in parts {
        of = Part::Join(join, Box::new([of, more?]));
    }
    Ok(of)
}
