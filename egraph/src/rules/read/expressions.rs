//! Expressions and conditions.

use crate::rules::expression::{Condition, EXPRESSION_OPERATORS, Expr};
use crate::rules::kinds::{Kinds, read_number};
use crate::rules::variables::{FactOf, VarId, Variables};
use crate::term::builtin::Builtin;
use crate::term::language::Language;
use crate::term::literal::LiteralKind;
use crate::text::sexpr::{ParseError, Place, Sexpr};
use crate::text::similar::did_you_mean;

/// Reads an expression over the literals that variables are bound to, and over their facts.
pub(crate) fn read_expr(
    language: &Language,
    variables: &mut Variables,
    sexpr: &Sexpr,
) -> Result<Expr, ParseError> {
    let at = |message: String| ParseError::new(sexpr.place(), message);
    match sexpr {
        Sexpr::Atom(atom, _) if atom.starts_with('?') || variables.get(atom).is_some() => {
            match variables.get(atom) {
                Some(var) => Ok(Expr::Var(var)),
                None => Err(at(format!("{atom} does not occur on the left-hand side"))),
            }
        }
        Sexpr::Atom(atom, _) => match read_number(atom) {
            Some(value) => Ok(Expr::Value(value)),
            None => Err(at(format!("expected a number or a pattern variable, found '{atom}'"))),
        },
        Sexpr::List(items, _) => {
            let name = items.first().and_then(Sexpr::atom).unwrap_or("");
            if let Some(analysis) = language.analysis_named(name) {
                let var = items.get(1).and_then(Sexpr::atom).and_then(|atom| variables.get(atom));
                let (Some(var), 2) = (var, items.len()) else {
                    let message =
                        format!("expected ({name} ?x), of a variable of the left-hand side");
                    return Err(at(message));
                };
                let fact = FactOf { analysis, var };
                return Ok(Expr::Var(variables.enter_fact(language, fact, sexpr.place())?));
            }
            let Some(operator) = operator(name) else {
                let analyses = language.analyses.iter().map(|analysis| analysis.name.as_str());
                let own = match analyses.clone().collect::<Vec<_>>().join(" ") {
                    none if none.is_empty() => none,
                    names => format!(", or one of the analyses {names}"),
                };
                let meant = did_you_mean(name, EXPRESSION_OPERATORS.split(' ').chain(analyses));
                return Err(at(format!(
                    "expected one of {EXPRESSION_OPERATORS}, or zext:N, sext:N or trunc:N{own}, found '{name}'{meant}"
                )));
            };
            let arities: &[usize] = match name {
                "abs" | "!" | "~" | "popcount" | "clz" | "ctz" => &[1],
                _ if operator.width().is_some() => &[1],
                "-" => &[1, 2],
                _ => &[2],
            };
            if !arities.contains(&(items.len() - 1)) {
                let message =
                    format!("'{name}' takes {} arguments, found {}", arities[0], items.len() - 1);
                return Err(at(message));
            }
            let args = items[1..]
                .iter()
                .map(|a| read_expr(language, variables, a))
                .collect::<Result<_, _>>()?;
            Ok(Expr::Apply(operator, args))
        }
    }
}

/// The operator of expressions that is called so: one of the list, or a conversion with the width of its result alone.
fn operator(name: &str) -> Option<Builtin> {
    let operator = Builtin::named(name)?;
    let is_conversion = || operator.width().is_some() && operator.name() != "extract";
    let is_known = EXPRESSION_OPERATORS.split(' ').any(|known| known == name)
        || is_conversion() && operator.to_string() == name;
    is_known.then_some(operator)
}

/// Reads one conjunct of a `:when`.
pub(crate) fn read_condition(
    language: &Language,
    variables: &mut Variables,
    sexpr: &Sexpr,
) -> Result<Condition, ParseError> {
    let at = |message: String| ParseError::new(sexpr.place(), message);
    let condition = match sexpr.list() {
        Some([head, arg]) if head.atom() == Some("const") => {
            match read_expr(language, variables, arg)? {
                Expr::Var(var) => Condition::Const(var),
                _ => return Err(at("expected (const ?x)".into())),
            }
        }
        Some(_) => {
            let mut expr = read_expr(language, variables, sexpr)?;
            Kinds { language, variables }.fit_only(&mut expr, sexpr, LiteralKind::Bool)?;
            Condition::Holds(expr)
        }
        None => return Err(at("expected a condition in parentheses; ':when' takes a list of them, as in :when ((const ?c) (!= ?c 0))".into())),
    };
    let mut used = Vec::new();
    condition.each_var(&mut |var| used.push(var));
    expect_literals(language, variables, used, sexpr.place())?;
    Ok(condition)
}

/// Refuses an expression at `place` over variables of sorts that have no literals.
pub(crate) fn expect_literals(
    language: &Language,
    variables: &Variables,
    used: Vec<VarId>,
    place: Place,
) -> Result<(), ParseError> {
    let sort = |var: &VarId| variables.sorts[var.0 as usize];
    match used.into_iter().rfind(|var| language.literal_kind(sort(var)).is_none()) {
        None => Ok(()),
        Some(var) => Err(ParseError::new(
            place,
            format!(
                "{} can never be a literal: sort {} has none",
                variables.names[var.0 as usize],
                language.sort_name(sort(&var))
            ),
        )),
    }
}
