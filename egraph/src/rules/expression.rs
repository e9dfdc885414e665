//! Expressions over literals and facts, in conditions and where literals are computed.

use crate::rules::variables::VarId;
use crate::term::builtin::Builtin;
use crate::term::literal::{LiteralKind, Value};
use crate::term::values::scalar::Scalar;
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
        let scalar = self.scalar(literal);
        if scalar.is_other() { self.value(literal) } else { scalar.value() }
    }

    /// The value in two registers, [`Scalar::OTHER`] if one that is needed does not fit there.
    fn scalar(&self, literal: &impl Fn(VarId) -> Option<Value>) -> Scalar {
        match self {
            Expr::Value(value) => Scalar::of(*value),
            Expr::Var(var) => literal(*var).map_or(Scalar::NONE, Scalar::of),
            Expr::Apply(operator, args) => {
                let Some((a, more)) = args.split_first() else { return Scalar::NONE };
                let a = a.scalar(literal);
                if !a.is_value() {
                    return a;
                }
                let Some((b, more)) = more.split_first() else { return operator.unary(a) };
                let b = b.scalar(literal);
                if !b.is_value() {
                    return b;
                }
                match more {
                    [] => operator.binary(a, b),
                    [c] => {
                        let c = c.scalar(literal);
                        if c.is_value() { operator.ternary(a, b, c) } else { c }
                    }
                    _ => Scalar::NONE,
                }
            }
        }
    }

    /// The value of any kind.
    #[cold]
    fn value(&self, literal: &impl Fn(VarId) -> Option<Value>) -> Option<Value> {
        match self {
            Expr::Value(value) => Some(*value),
            Expr::Var(var) => literal(*var),
            Expr::Apply(operator, args) => match &args[..] {
                [a] => operator.eval(&[a.value(literal)?]),
                [a, b] => operator.eval(&[a.value(literal)?, b.value(literal)?]),
                [a, b, c] => {
                    operator.eval(&[a.value(literal)?, b.value(literal)?, c.value(literal)?])
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::values::bits::Width;
    use crate::term::values::rational::Rational;
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = Value> {
        let bits = |width| move |n| Value::word(Width::new(width).unwrap(), n);
        prop_oneof![
            (-3..4i64).prop_map(Value::Int),
            Just(Value::Int(i64::MIN)),
            any::<bool>().prop_map(Value::Bool),
            (-3..4i64).prop_map(bits(8)),
            (-3..4i64).prop_map(bits(16)),
            (-3..4i128).prop_map(|n| Value::Rational(Rational::new(n, 2).unwrap())),
        ]
    }

    fn expressions() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![
            values().prop_map(Expr::Value),
            (0..4u16).prop_map(|var| Expr::Var(VarId(var))),
        ];
        let names: Vec<&str> = EXPRESSION_OPERATORS.split(' ').collect();
        let names = [&names[..], &["select", "zext:16", "trunc:8", "concat", "shl"]].concat();
        let operators = prop::sample::select(names).prop_filter_map("an operator", Builtin::named);
        leaf.prop_recursive(3, 12, 4, move |part| {
            (operators.clone(), prop::collection::vec(part, 0..5))
                .prop_map(|(operator, args)| Expr::Apply(operator, args))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn registers_change_no_value(
            expr in expressions(),
            literals in prop::collection::vec(prop::option::weighted(0.9, values()), 4),
        ) {
            let literal = |VarId(var): VarId| literals[usize::from(var)];
            prop_assert_eq!(expr.eval(&literal), expr.value(&literal));
        }
    }
}
