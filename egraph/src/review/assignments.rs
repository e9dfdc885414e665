//! Values for the variables of a rule: all small ones, then random ones, many of them where sums
//! overflow, rounding turns and comparisons tip over.

use crate::rules::pattern::{Condition, Expr, Pattern};
use crate::rules::system::Rule;
use crate::term::language::{LeafValue, LiteralKind, Value};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// At most this many assignments of small values.
const MOST_SMALL: u64 = 20_000;
/// Small integers are at most this large.
const LARGEST_SMALL: u64 = 9;
/// Random assignments of a rule.
const RANDOM: u64 = 4_000;

/// The assignments of a rule.
pub(super) struct Assignments<'r> {
    kinds: &'r [LiteralKind],
    /// Numbers that the rule speaks of, and such at the ends of what there is.
    special: Vec<i64>,
    /// Small integers run from minus this to this.
    bound: u64,
    random: ChaCha8Rng,
}

impl<'r> Assignments<'r> {
    /// Of a rule whose variables have literals of these kinds; `stream` makes random ones its own.
    pub fn of(rule: &Rule, kinds: &'r [LiteralKind], stream: u64) -> Assignments<'r> {
        let mut special = vec![i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX];
        for power in [31, 32, 62] {
            special.extend([(1 << power) - 1, 1 << power, -(1 << power), -(1 << power) - 1]);
        }
        let mut add =
            |n: i64| special.extend([n.checked_sub(1), Some(n), n.checked_add(1)].iter().flatten());
        each_literal(&rule.lhs, &mut add);
        each_literal(&rule.rhs, &mut add);
        for condition in &rule.conditions {
            if let Condition::Holds(expr) = condition {
                each_number(expr, &mut add);
            }
        }
        let mut random = ChaCha8Rng::seed_from_u64(0);
        random.set_stream(stream);
        let mut assignments = Assignments { kinds, special, bound: 0, random };
        let fits = |bound: &u64| assignments.small(*bound).is_some_and(|all| all <= MOST_SMALL);
        assignments.bound = (1..=LARGEST_SMALL).rev().find(fits).unwrap_or(1);
        assignments
    }

    /// How many assignments there are of integers from minus `bound` to `bound`.
    fn small(&self, bound: u64) -> Option<u64> {
        self.kinds.iter().try_fold(1u64, |all, kind| all.checked_mul(choices(*kind, bound)))
    }

    /// Calls `f` with all of them, the small ones first, until it gives something.
    pub fn find<T>(mut self, mut f: impl FnMut(&[Value]) -> Option<T>) -> Option<T> {
        let mut values: Vec<Value> = Vec::new();
        for number in 0..self.small(self.bound).unwrap_or(MOST_SMALL).min(MOST_SMALL) {
            let mut rest = number;
            values.clear();
            for &kind in self.kinds {
                let choices = choices(kind, self.bound);
                values.push(small_value(kind, rest % choices));
                rest /= choices;
            }
            if let Some(found) = f(&values) {
                return Some(found);
            }
        }
        for round in 0..if self.kinds.is_empty() { 0 } else { RANDOM } {
            values.clear();
            for at in 0..self.kinds.len() {
                // Later values are neighbours of earlier ones, so both orders are wanted.
                let kind = self.kinds[if round % 2 == 0 { at } else { self.kinds.len() - 1 - at }];
                let value = self.random_value(kind, &values);
                values.push(value);
            }
            if round % 2 == 1 {
                values.reverse();
            }
            if let Some(found) = f(&values) {
                return Some(found);
            }
        }
        None
    }

    fn random_value(&mut self, kind: LiteralKind, before: &[Value]) -> Value {
        let random = &mut self.random;
        if kind == LiteralKind::Bool {
            return Value::Bool(random.random());
        }
        let others: Vec<i64> = before.iter().filter_map(|value| value.int()).collect();
        Value::Int(match random.random_range(0..7) {
            0 => random.random_range(-3..=3),
            1 => random.random_range(-20..=20),
            2 => random.random_range(-1_000..=1_000),
            3 => (1 << random.random_range(0..40)) * [1, -1][random.random_range(0..2usize)],
            4 => self.special[random.random_range(0..self.special.len())],
            _ if others.is_empty() => random.random_range(-(1 << 30)..=1 << 30),
            _ => {
                let other = others[random.random_range(0..others.len())];
                let multiple = other.wrapping_mul(random.random_range(-4..=4));
                multiple.wrapping_add(random.random_range(-1..=1))
            }
        })
    }
}

fn choices(kind: LiteralKind, bound: u64) -> u64 {
    match kind {
        LiteralKind::Bool => 2,
        LiteralKind::I64 => 2 * bound + 1,
    }
}

/// 0, 1, -1, 2, -2 …
fn small_value(kind: LiteralKind, number: u64) -> Value {
    match kind {
        LiteralKind::Bool => Value::Bool(number == 1),
        LiteralKind::I64 => {
            let size = number.div_ceil(2) as i64;
            Value::Int(if number % 2 == 1 { size } else { -size })
        }
    }
}

fn each_literal(pattern: &Pattern, f: &mut impl FnMut(i64)) {
    match pattern {
        Pattern::Op(_, args) | Pattern::Function(_, args) => {
            args.iter().for_each(|arg| each_literal(arg, f));
        }
        Pattern::Leaf(leaf) => {
            if let LeafValue::Literal(Value::Int(n)) = leaf.value {
                f(n);
            }
        }
        Pattern::Compute(expr, _) => each_number(expr, f),
        Pattern::Var(_) => {}
    }
}

fn each_number(expr: &Expr, f: &mut impl FnMut(i64)) {
    match expr {
        Expr::Value(Value::Int(n)) => f(*n),
        Expr::Value(_) | Expr::Var(_) => {}
        Expr::Apply(_, args) => args.iter().for_each(|arg| each_number(arg, f)),
    }
}
