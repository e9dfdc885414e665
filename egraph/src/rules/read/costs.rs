//! Reads what a node costs: a number, an expression over the literals that its arguments equal, or one over
//! what they cost.

use crate::rules::costs::declared::{DeclaredCost, Weight};
use crate::rules::costs::unit::{denominators, read_fraction};
use crate::rules::costs::whole::{CostPart, Join, WholeCost};
use crate::rules::expression::Expr;
use crate::rules::kinds::Kinds;
use crate::rules::pattern::Pattern;
use crate::rules::read::expressions::{expect_literals, read_expr};
use crate::rules::read::patterns::{Side, read_pattern};
use crate::rules::variables::{VarId, Variables};
use crate::term::language::{Language, OpId};
use crate::term::literal::Value;
use crate::term::values::rational::Rational;
use crate::text::sexpr::{ParseError, Place, Sexpr};

/// Reads the number after `:cost`.
pub(crate) fn read_number(sexpr: &Sexpr) -> Result<Rational, ParseError> {
    let range = Rational::from(0)..=Rational::from(i64::from(u32::MAX));
    let number = sexpr.atom().and_then(read_fraction);
    number.filter(|number| range.contains(number)).ok_or_else(|| {
        let found = sexpr.atom().unwrap_or("(…)");
        let message =
            format!("expected a cost, 0 to {}, as 3, 0.5 or 1/3, found '{found}'", u32::MAX);
        ParseError::new(sexpr.place(), message)
    })
}

/// Reads the first two parts of `(cost (op ?a …) expression)`, for `cost`.
pub(crate) fn read_weight(
    language: &Language,
    cost: &mut DeclaredCost,
    form: &Sexpr,
    expression: &Sexpr,
) -> Result<(OpId, Weight), ParseError> {
    let mut variables = Variables::default();
    let read = read_pattern(language, &mut variables, form, None, Side::Left);
    let (op, args) = match (form, read) {
        // A bare variable has no sort; nor has it anything to do with a cost.
        (Sexpr::Atom(atom, place), _) if atom.starts_with('?') => return Err(no_form(*place)),
        (_, Ok(Pattern::Op(op, args))) => (op, args),
        (_, Ok(_)) => return Err(no_form(form.place())),
        (_, Err(mistake)) => return Err(mistake),
    };
    // So that the variable `i` is the argument `i`.
    let variable = |arg: &Pattern| matches!(arg, Pattern::Var(_));
    if !args.iter().all(variable) || variables.names.len() != args.len() {
        return Err(no_form(form.place()));
    }
    let at = expression.place();
    let mut fractions = Vec::new();
    denominators(expression, &mut fractions);
    fractions.iter().try_for_each(|&denominator| cost.refine(denominator, at))?;
    let of_costs = speaks_of_costs(language, expression);
    if of_costs || expression.list().is_some() && !fractions.is_empty() {
        // Numbers there have no kind; where more is done with fractions than with costs, they have that of what they
        // stand beside.
        match read_whole(language, variables.clone(), expression) {
            Err(mistake) if of_costs => return Err(mistake),
            Err(_) => {}
            Ok(whole) => return Ok((op, Weight::Whole(whole))),
        }
    }
    let mut expr = read_expr(language, &mut variables, expression)?;
    Kinds { language, variables: &variables }.fit(&mut expr, expression, None)?;
    let mut used = Vec::new();
    expr.each_var(&mut |var| used.push(var));
    expect_literals(language, &variables, used, at)?;
    match expr {
        Expr::Value(_) => Ok((op, Weight::Number(cost.parts(read_number(expression)?, at)?))),
        expr => Ok((op, Weight::Computed(expr, variables))),
    }
}

fn no_form(place: Place) -> ParseError {
    ParseError::new(place, "expected an operator over distinct variables, as (+ ?a ?b)")
}

/// Whether `(cost ?a)` stands anywhere in an expression, and is no fact of that name.
fn speaks_of_costs(language: &Language, expression: &Sexpr) -> bool {
    let is_cost = |sexpr: &Sexpr| sexpr.atom() == Some("cost");
    expression.list().is_some_and(|items| {
        items.first().is_some_and(is_cost) && language.analysis_named("cost").is_none()
            || items.iter().any(|item| speaks_of_costs(language, item))
    })
}

/// Reads an expression in which `(cost ?a)` stands, of an operator whose argument `i` is the variable `i`.
fn read_whole(
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
) -> Result<CostPart, ParseError> {
    let at = |message: &str| Err(ParseError::new(sexpr.place(), message));
    if let Some(number) = sexpr.atom().and_then(read_fraction) {
        return Ok(CostPart::Fixed(Expr::Value(Value::Rational(number))));
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
        return Ok(CostPart::Fixed(expr));
    }
    if name == "cost" {
        let argument = match items {
            [_, argument] => argument.atom().and_then(|atom| variables.get(atom)),
            _ => None,
        };
        return match argument {
            Some(VarId(argument)) => {
                counted.push(usize::from(argument));
                Ok(CostPart::Argument(usize::from(argument)))
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
    let mut of = CostPart::Join(join, Box::new([first?, second?]));
    for more in parts {
        of = CostPart::Join(join, Box::new([of, more?]));
    }
    Ok(of)
}
