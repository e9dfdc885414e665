//! Expressions over literals and facts, in conditions and where literals are computed.

use crate::rules::variables::VarId;
use crate::term::builtin::Builtin;
use crate::term::literal::{LiteralKind, Value};
use std::fmt;

/// An expression over the literals that variables are bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A literal.
    Value(Value),
    /// The literal bound to a variable, or the value of a fact.
    Var(VarId),
    /// A built-in operator (see [`crate::term::builtin`]).
    Apply(Builtin, Vec<Expr>),
}

impl Expr {
    /// The value under `literal`; `None` where a variable is not bound to a literal, kinds do
    /// not fit or the result does not fit in 64 bits.
    pub fn eval(&self, literal: &impl Fn(VarId) -> Option<Value>) -> Option<Value> {
        match self {
            Expr::Value(value) => Some(*value),
            Expr::Var(var) => literal(*var),
            Expr::Apply(operator, args) => match &args[..] {
                [a] => operator.eval(&[a.eval(literal)?]),
                [a, b] => operator.eval(&[a.eval(literal)?, b.eval(literal)?]),
                [a, b, c] => operator.eval(&[a.eval(literal)?, b.eval(literal)?, c.eval(literal)?]),
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

/// The operators of conditions and computed literals.
pub(crate) const EXPRESSION_OPERATORS: &str = "+ - * / % min max abs & | ^ ~ << >> < <= > >= == != && || ! /s %s >>s <s <=s >s >=s mins maxs rotl rotr popcount clz ctz";

/// Whether values of this kind belong to a sort with these literals.
pub(crate) fn value_fits(kind: LiteralKind, value: Value) -> bool {
    value.kind() == kind
}

/// Displays an expression as an s-expression.
pub struct DisplayExpr<'a> {
    /// Names by variable.
    pub names: &'a [String],
    /// The expression.
    pub expr: &'a Expr,
}

impl fmt::Display for DisplayExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expr {
            Expr::Value(value) => value.fmt(f),
            Expr::Var(var) => f.write_str(&self.names[var.0 as usize]),
            Expr::Apply(operator, args) => {
                write!(f, "({operator}")?;
                for expr in args {
                    write!(f, " {}", DisplayExpr { expr, ..*self })?;
                }
                f.write_str(")")
            }
        }
    }
}
