//! Expressions over literals and facts, in conditions and where literals are computed.

use crate::rules::kinds::{Kinds, read_number};
use crate::rules::variables::{FactOf, VarId, Variables};
use crate::term::builtin::evaluate;
use crate::term::language::{Language, LiteralKind, Value};
use crate::text::sexpr::{ParseError, Place, Sexpr};
use crate::text::similar::did_you_mean;
use std::fmt;

/// An expression over the literals that variables are bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A literal.
    Value(Value),
    /// The literal bound to a variable, or the value of a fact.
    Var(VarId),
    /// A built-in operator, by name (see [`crate::term::builtin`]).
    Apply(String, Vec<Expr>),
}

impl Expr {
    /// The value under `literal`; `None` where a variable is not bound to a literal, kinds do
    /// not fit or the result does not fit in 64 bits.
    pub fn eval(&self, literal: &impl Fn(VarId) -> Option<Value>) -> Option<Value> {
        match self {
            Expr::Value(value) => Some(*value),
            Expr::Var(var) => literal(*var),
            Expr::Apply(name, args) => match &args[..] {
                [a] => evaluate(name, &[a.eval(literal)?]),
                [a, b] => evaluate(name, &[a.eval(literal)?, b.eval(literal)?]),
                _ => None,
            },
        }
    }

    /// Calls `f` for every variable.
    pub fn each_var(&self, f: &mut impl FnMut(VarId)) {
        match self {
            Expr::Value(_) => {}
            Expr::Var(var) => f(*var),
            Expr::Apply(_, args) => args.iter().for_each(|a| a.each_var(f)),
        }
    }
}

/// One conjunct of a `:when`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `(const ?c)`: bound to a literal.
    Const(VarId),
    /// An expression that must evaluate to true; an expression without value does not hold.
    Holds(Expr),
}

impl Condition {
    /// Whether the condition holds under `literal`.
    pub fn holds(&self, literal: &impl Fn(VarId) -> Option<Value>) -> bool {
        match self {
            Condition::Const(var) => literal(*var).is_some(),
            Condition::Holds(expr) => expr.eval(literal) == Some(Value::Bool(true)),
        }
    }

    /// Calls `f` for every variable, all of which must be bound to literals.
    pub fn each_var(&self, f: &mut impl FnMut(VarId)) {
        match self {
            Condition::Const(var) => f(*var),
            Condition::Holds(expr) => expr.each_var(f),
        }
    }
}

/// The operators of conditions, with their numbers of arguments.
pub(crate) const EXPRESSION_OPERATORS: &str =
    "+ - * / % min max abs & | ^ ~ << >> < <= > >= == != && || !";

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
            if !EXPRESSION_OPERATORS.split(' ').any(|op| op == name) {
                let analyses = language.analyses.iter().map(|analysis| analysis.name.as_str());
                let meant = did_you_mean(name, EXPRESSION_OPERATORS.split(' ').chain(analyses));
                return Err(at(format!(
                    "expected one of {EXPRESSION_OPERATORS}, found '{name}'{meant}"
                )));
            }
            let arities: &[usize] = match name {
                "abs" | "!" | "~" => &[1],
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
            Ok(Expr::Apply(name.to_owned(), args))
        }
    }
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
        None => return Err(at("expected a condition like (const ?c) or (!= ?c 0)".into())),
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

/// Whether values of this kind belong to a sort with these literals.
pub(crate) fn value_fits(kind: LiteralKind, value: Value) -> bool {
    value.kind() == kind
}

/// Displays an expression as an s-expression.
pub(crate) struct DisplayExpr<'a> {
    pub variables: &'a Variables,
    pub expr: &'a Expr,
}

impl fmt::Display for DisplayExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expr {
            Expr::Value(value) => value.fmt(f),
            Expr::Var(var) => f.write_str(&self.variables.names[var.0 as usize]),
            Expr::Apply(name, args) => {
                write!(f, "({name}")?;
                for expr in args {
                    write!(f, " {}", DisplayExpr { expr, ..*self })?;
                }
                f.write_str(")")
            }
        }
    }
}
