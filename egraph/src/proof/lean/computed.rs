//! Values that Lean does not compute by itself.
//!
//! Sums of fractions are opaque in Lean, so that `1/2 + 1/3` and `5/6` are not the same to it until its kernel
//! has evaluated both. So where a rule or a fold computes a fraction, its hypothesis binds the result, with a
//! premise that says what it is.

use crate::proof::lean::Lean;
use crate::proof::lean::words::{decided, kind_name, operator, quoted};
use crate::rules::expression::Expr;
use crate::rules::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::rules::variables::VarId;
use crate::term::bank::TermId;
use crate::term::language::{Language, OpId};
use crate::term::literal::{LiteralKind, Value};
use std::fmt::Write;

/// The expressions of a rule that compute a fraction, in order.
pub(super) fn of<'r>(language: &Language, rule: &'r Rule) -> impl Iterator<Item = &'r Expr> {
    let mut found = Vec::new();
    collect(language, &rule.rhs, &mut found);
    found.into_iter()
}

fn collect<'r>(language: &Language, pattern: &'r Pattern, found: &mut Vec<&'r Expr>) {
    match pattern {
        Pattern::Op(_, args) => args.iter().for_each(|arg| collect(language, arg, found)),
        Pattern::Compute(expr, sort)
            if language.literal_kind(*sort) == Some(LiteralKind::Rational) =>
        {
            found.push(expr);
        }
        _ => {}
    }
}

/// What the result of the computation of a number is called; no pattern variable is called so.
pub(super) fn name(number: usize) -> String {
    quoted(&format!("computed {number}"))
}

/// What the result of this expression of the rule is called.
pub(super) fn name_of(language: &Language, rule: &Rule, expr: &Expr) -> String {
    let number = of(language, rule).position(|computed| std::ptr::eq(computed, expr));
    name(number.unwrap_or(0))
}

impl Lean<'_> {
    /// The kind of numbers that an expression computes with.
    pub(super) fn kind_of(&self, rule: &Rule, expr: &Expr) -> LiteralKind {
        match expr {
            Expr::Value(value) => value.kind(),
            Expr::Var(var) => self.kind(rule.variables.sorts[usize::from(var.0)]),
            Expr::Apply(_, args) => {
                args.first().map_or(LiteralKind::I64, |arg| self.kind_of(rule, arg))
            }
        }
    }

    /// Whether fractions occur in an expression.
    pub(super) fn is_of_fractions(&self, rule: &Rule, expr: &Expr) -> bool {
        match expr {
            Expr::Apply(_, args) => args.iter().any(|arg| self.is_of_fractions(rule, arg)),
            leaf => self.kind_of(rule, leaf) == LiteralKind::Rational,
        }
    }

    /// A condition, together with what must not be zero for it to have a value.
    pub(super) fn condition(&mut self, rule: &Rule, expr: &Expr) -> String {
        let mut divisors = Vec::new();
        self.divisors(rule, expr, &mut divisors);
        let condition = self.proposition(rule, expr);
        divisors.into_iter().fold(condition, |all, divisor| format!("({divisor} ≠ 0 ∧ {all})"))
    }

    fn divisors(&mut self, rule: &Rule, expr: &Expr, found: &mut Vec<String>) {
        let Expr::Apply(name, args) = expr else { return };
        args.iter().for_each(|arg| self.divisors(rule, arg, found));
        if let ("/", [_, divisor]) = (name.as_str(), &args[..])
            && self.kind_of(rule, expr) == LiteralKind::Rational
        {
            let divisor = self.number(rule, divisor);
            found.push(divisor);
        }
    }

    /// What the fractions are that a rule computes.
    pub(super) fn computed_premises(&mut self, rule: &Rule, text: &mut String) {
        for (number, expr) in of(&self.system.language, rule).enumerate() {
            let mut divisors = Vec::new();
            self.divisors(rule, expr, &mut divisors);
            let equation = format!("({} = {})", name(number), self.number(rule, expr));
            let premise = divisors
                .into_iter()
                .fold(equation, |all, divisor| format!("({divisor} ≠ 0 ∧ {all})"));
            let _ = write!(text, " {premise} →");
        }
    }

    /// The fractions that an instance of a rule computes.
    pub(super) fn computed_values(&self, rule: &Rule, substitution: &[TermId]) -> Vec<Value> {
        let literal = |var: VarId| self.bank.literal(substitution[usize::from(var.0)]);
        of(&self.system.language, rule).filter_map(|expr| expr.eval(&literal)).collect()
    }

    /// The result and the premise of the evaluation of an operator, which Lean computes where it can.
    pub(super) fn fold_premise(&mut self, op: OpId, names: &[String], text: &mut String) -> String {
        let of = self.system.language.op(op);
        match (self.kind(of.result), names) {
            (kind @ LiteralKind::Rational, _) => {
                let _ = write!(text, " (r : {})", kind_name(kind));
                let value = operator(kind, &of.name, names).unwrap_or_default();
                match (of.name.as_str(), names) {
                    ("/", [_, divisor]) => format!(" ({divisor} ≠ 0 ∧ (r = {value})) →"),
                    _ => format!(" (r = {value}) →"),
                }
            }
            (LiteralKind::Bits(_), [_, amount]) if matches!(&*of.name, "shl" | "shr") => {
                format!(" (0 ≤ {amount}) →")
            }
            _ => String::new(),
        }
    }

    /// What proves the premise, at these arguments.
    pub(super) fn fold_proofs(&self, op: OpId, args: &[Value]) -> String {
        let of = self.system.language.op(op);
        match self.kind(of.result) {
            LiteralKind::Rational => {
                let value = of.builtin.and_then(|builtin| builtin.eval(args));
                let value = value.map_or(String::new(), super::lean_value);
                format!(" {value}{}", decided(true))
            }
            LiteralKind::Bits(_) if matches!(&*of.name, "shl" | "shr") => decided(false).to_owned(),
            _ => String::new(),
        }
    }
}
