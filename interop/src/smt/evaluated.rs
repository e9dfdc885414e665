//! Both sides of a rule, evaluated as Cairn evaluates operators on literals.

use super::statement::Statement;
use egraph::{Builtin, Expr, Value};

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lack {
    /// The value does not fit: beyond 64 bits, or no finite double.
    TooLarge,
    /// There is none: a division by zero, a shift by an amount that is not one.
    Undefined,
}

/// What came of both sides under an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// A condition does not hold, or a literal can't be computed.
    DoesNotApply,
    /// Both have this value, or neither has one.
    Same,
    /// What a side needs does not fit, so that nothing can be said.
    TooLarge,
    /// The sides differ: their values, `None` of one that has none.
    Differs(Option<Value>, Option<Value>),
}

/// Compares both sides under an assignment: values by variable.
pub fn compare(statement: &Statement, values: &[Value]) -> Compared {
    let holds = |expr| value(expr, values) == Ok(Value::Bool(true));
    let applies = statement.conditions.iter().all(holds)
        && statement.computed.iter().all(|expr| value(expr, values).is_ok());
    if !applies {
        return Compared::DoesNotApply;
    }
    match (value(&statement.left, values), value(&statement.right, values)) {
        (Err(Lack::TooLarge), _) | (_, Err(Lack::TooLarge)) => Compared::TooLarge,
        (left, right) if left == right => Compared::Same,
        (left, right) => Compared::Differs(left.ok(), right.ok()),
    }
}

fn value(expr: &Expr, values: &[Value]) -> Result<Value, Lack> {
    match expr {
        Expr::Value(value) => Ok(*value),
        Expr::Var(var) => Ok(values[usize::from(var.0)]),
        Expr::Apply(operator, args) => match &args[..] {
            [a] => apply(*operator, &[value(a, values)]),
            [a, b] => apply(*operator, &[value(a, values), value(b, values)]),
            [a, b, c] => apply(*operator, &[a, b, c].map(|arg| value(arg, values))),
            _ => Err(Lack::Undefined),
        },
    }
}

/// The value of a built-in operator at these arguments.
///
/// # Errors
/// Why it has none.
pub fn apply(operator: Builtin, args: &[Result<Value, Lack>]) -> Result<Value, Lack> {
    match *args {
        [a] => operator.eval(&[a?]).ok_or(Lack::TooLarge),
        [Ok(a), Ok(b)] => operator.eval(&[a, b]).ok_or_else(|| lack(operator.name(), b)),
        // What has no value at all has none either where a number is too large.
        [a, b] => Err(a.err().max(b.err()).unwrap_or(Lack::Undefined)),
        [Ok(a), Ok(b), Ok(c)] => operator.eval(&[a, b, c]).ok_or(Lack::Undefined),
        [a, b, c] => Err(a.err().max(b.err()).max(c.err()).unwrap_or(Lack::Undefined)),
        _ => Err(Lack::Undefined),
    }
}

/// Why an operator has no value, whose second argument is this.
fn lack(name: &str, second: Value) -> Lack {
    let undefined = match (name, second) {
        ("/", Value::Rational(b)) => b == 0.into(),
        ("/", Value::Float(b)) => b.value() == 0.0,
        ("<<" | ">>", Value::Int(b)) => !(0..64).contains(&b),
        ("shl" | "shr", Value::Int(b)) => b < 0,
        _ => false,
    };
    if undefined { Lack::Undefined } else { Lack::TooLarge }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::statement::Statement;
    use egraph::System;

    const INTEGERS: &str =
        "(sort Int) (op + (Int Int) Int) (op << (Int Int) Int) (op / (Int Int) Int)
        (literal i64 Int) (variable Int) ";
    const FRACTIONS: &str = "(sort Int) (op * (Int Int) Int) (op / (Int Int) Int)
        (literal rational Int) (variable Int) ";

    fn compared(language: &str, rule: &str, values: &[Value]) -> Compared {
        let system = System::parse(&format!("{language}{rule}")).unwrap();
        compare(&Statement::of(&system, &system.rules[0]).unwrap(), values)
    }

    #[test]
    fn what_has_no_value_is_told_from_what_does_not_fit() {
        let int = |values: &[i64]| values.iter().map(|n| Value::Int(*n)).collect::<Vec<_>>();
        let later = "(rewrite (+ ?a ?b) (+ ?b (+ ?a 1)))";
        assert_eq!(compared(INTEGERS, later, &int(&[i64::MAX, 1])), Compared::TooLarge);
        assert!(matches!(compared(INTEGERS, later, &int(&[1, 1])), Compared::Differs(..)));
        let shift = "(rewrite (<< 1 ?a) 0)";
        let differs = |value| Compared::Differs(None, Some(Value::Int(value)));
        assert_eq!(compared(INTEGERS, shift, &int(&[-1])), differs(0));
        assert_eq!(compared(INTEGERS, shift, &int(&[63])), Compared::TooLarge);
        let when = "(rewrite (/ ?a ?a) 1 :when ((!= ?a 0)))";
        assert_eq!(compared(INTEGERS, when, &int(&[0])), Compared::DoesNotApply);
        assert_eq!(compared(INTEGERS, when, &int(&[7])), Compared::Same);
    }

    #[test]
    fn a_value_for_what_has_none_is_a_difference_and_none_on_both_sides_is_not() {
        let zero = [Value::Rational(0.into()); 2];
        let cancel = "(rewrite (/ (* ?a ?b) ?b) ?a)";
        assert_eq!(compared(FRACTIONS, cancel, &zero), Compared::Differs(None, Some(zero[0])));
        let moved = "(rewrite (/ ?a ?b) (* ?a (/ 1 ?b)))";
        assert_eq!(compared(FRACTIONS, moved, &zero), Compared::Same);
    }
}
