//! Which kind of literals an expression computes with.
//!
//! A variable has the kind of its sort's literals, and operators join arguments of one kind. A number
//! has no kind of its own: it takes that of what it stands beside, else the one that its place asks
//! for, as `1` in `(+ ?a 1)` is a fraction if `?a` is one. Where nothing says it, `1` is an integer, `1/2` a
//! fraction and `1.5` a double. Kinds are never converted.

use crate::rules::expression::Expr;
use crate::rules::variables::Variables;
use crate::term::builtin::Builtin;
use crate::term::language::Language;
use crate::term::literal::{LiteralKind, Value};
use crate::term::values::bits::{Bits, Width};
use crate::text::sexpr::{ParseError, Sexpr};

/// The number that an atom is, before its kind is known.
pub(crate) fn read_number(atom: &str) -> Option<Value> {
    let large = |atom| Width::new(64).and_then(|width| Bits::read(width, atom)).map(Value::Bits);
    LiteralKind::I64
        .read(atom)
        .or_else(|| large(atom))
        .or_else(|| LiteralKind::Rational.read(atom))
        .or_else(|| LiteralKind::F64.read(atom))
}

/// What is known of the variables of an expression.
#[derive(Clone, Copy)]
pub(crate) struct Kinds<'a> {
    pub language: &'a Language,
    pub variables: &'a Variables,
}

impl Kinds<'_> {
    /// Gives numbers in `expr`, which was read from `sexpr`, the kind of their places, and says which
    /// kind the whole has; `None` where a variable has a sort without literals. Without operators the
    /// place decides: it `wanted` this kind.
    ///
    /// # Errors
    /// Two kinds in one place, an operator that the kind hasn't, or a number that is none of the kind.
    pub fn fit(
        self,
        expr: &mut Expr,
        sexpr: &Sexpr,
        wanted: Option<LiteralKind>,
    ) -> Result<Option<LiteralKind>, ParseError> {
        let at = |message: String| ParseError::new(sexpr.place(), message);
        match expr {
            Expr::Value(value) => {
                let kind = wanted.or_else(|| number_kind(*value)).unwrap_or(LiteralKind::I64);
                let atom = sexpr.atom().unwrap_or("");
                *value = kind.read(atom).ok_or_else(|| {
                    at(format!("'{atom}' is not a literal of kind {kind} ({})", kind.described()))
                })?;
                Ok(Some(kind))
            }
            Expr::Apply(operator, args) => {
                let operator = *operator;
                let items = sexpr.list().unwrap_or(&[]);
                if let Some(to) = operator.width().map(LiteralKind::Bits) {
                    return match self.fit(&mut args[0], &items[1], None)? {
                        Some(from) if operator.on(&[from]).is_none() => {
                            Err(at(format!("'{operator}' makes no {to} of a {from}")))
                        }
                        _ => Ok(Some(to)),
                    };
                }
                let kind = self.kind_of_arguments(operator, args, wanted);
                for (arg, item) in args.iter_mut().zip(items.iter().skip(1)) {
                    let found = self.fit(arg, item, kind)?;
                    expect(kind, found, item)?;
                }
                let Some(kind) = kind else { return Ok(None) };
                let kinds = vec![kind; args.len()];
                operator.on(&kinds).map(Some).ok_or_else(|| {
                    at(format!("'{operator}' has no meaning on literals of kind {kind}"))
                })
            }
            other => Ok(self.kind(other)),
        }
    }

    /// As [`Kinds::fit`], for an expression in a place that takes no other kind than this.
    ///
    /// # Errors
    /// As there, and an expression of another kind.
    pub fn fit_only(
        self,
        expr: &mut Expr,
        sexpr: &Sexpr,
        wanted: LiteralKind,
    ) -> Result<(), ParseError> {
        let found = self.fit(expr, sexpr, Some(wanted))?;
        expect(Some(wanted), found, sexpr)
    }

    /// The kind that all arguments of an operator must have, whose result should be of `wanted`.
    fn kind_of_arguments(
        self,
        operator: Builtin,
        args: &[Expr],
        wanted: Option<LiteralKind>,
    ) -> Option<LiteralKind> {
        if is_connective(operator) {
            return Some(LiteralKind::Bool);
        }
        // A comparison may be wanted to be true, which says nothing of what it compares.
        let wanted = wanted.filter(|_| !is_comparison(operator));
        let known = args.iter().find_map(|arg| self.kind(arg)).or(wanted);
        let unknown_variable = |arg: &Expr| matches!(arg, Expr::Var(_)) && self.kind(arg).is_none();
        match known {
            None if args.iter().any(unknown_variable) => None,
            known => known.or_else(|| args.iter().find_map(of_numbers)).or(Some(LiteralKind::I64)),
        }
    }

    /// The kind that an expression has by itself; numbers have none.
    fn kind(self, expr: &Expr) -> Option<LiteralKind> {
        match expr {
            Expr::Value(_) => None,
            Expr::Var(var) => self.language.literal_kind(self.variables.sorts[usize::from(var.0)]),
            Expr::Apply(operator, _) if is_connective(*operator) || is_comparison(*operator) => {
                Some(LiteralKind::Bool)
            }
            Expr::Apply(operator, args) => match operator.width() {
                Some(width) => Some(LiteralKind::Bits(width)),
                None => args.iter().find_map(|arg| self.kind(arg)),
            },
        }
    }
}

fn is_connective(operator: Builtin) -> bool {
    matches!(operator.name(), "&&" | "||" | "!")
}

fn is_comparison(operator: Builtin) -> bool {
    let name = operator.name();
    matches!(name.strip_suffix('s').unwrap_or(name), "<" | "<=" | ">" | ">=" | "==" | "!=")
}

/// The kind that the way in which a number is written says.
fn number_kind(value: Value) -> Option<LiteralKind> {
    match value {
        Value::Rational(_) | Value::Float(_) => Some(value.kind()),
        Value::Int(_) | Value::Bool(_) | Value::Bits(_) => None,
    }
}

fn of_numbers(expr: &Expr) -> Option<LiteralKind> {
    match expr {
        Expr::Value(value) => number_kind(*value),
        Expr::Apply(_, args) => args.iter().find_map(of_numbers),
        _ => None,
    }
}

fn expect(
    expected: Option<LiteralKind>,
    found: Option<LiteralKind>,
    sexpr: &Sexpr,
) -> Result<(), ParseError> {
    match (expected, found) {
        (Some(expected), Some(found)) if expected != found => Err(ParseError::new(
            sexpr.place(),
            format!("expected a literal of kind {expected}, but this is of kind {found}"),
        )),
        _ => Ok(()),
    }
}
