//! Values for the variables of a rule: all small ones, then random ones, many of them where sums
//! overflow, rounding turns and comparisons tip over.

use crate::review::values::{choices, random_of, small_value};
use crate::rules::expression::{Condition, Expr};
use crate::rules::pattern::Pattern;
use crate::rules::rule::Rule;
use crate::term::language::{Leaf, LeafValue};
use crate::term::literal::{LiteralKind, Value};
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
    /// Such that are no integers of 64 bits.
    named: Vec<Value>,
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
        let mut named = Vec::new();
        let mut note = |value| match value {
            Value::Int(n) => add(n),
            other => named.push(other),
        };
        for part in rule.lhs.parts().chain(rule.rhs.parts()) {
            match part {
                Pattern::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => note(*value),
                Pattern::Compute(expr, _) => each_number(expr, &mut note),
                _ => {}
            }
        }
        for condition in &rule.conditions {
            if let Condition::Holds(expr) = condition {
                each_number(expr, &mut note);
            }
        }
        let mut random = ChaCha8Rng::seed_from_u64(0);
        random.set_stream(stream);
        let mut assignments = Assignments { kinds, special, named, bound: 0, random };
        let fits = |bound: &u64| assignments.small(*bound).is_some_and(|all| all <= MOST_SMALL);
        assignments.bound = (1..=LARGEST_SMALL).rev().find(fits).unwrap_or(1);
        assignments
    }

    /// How many assignments there are of integers from minus `bound` to `bound`.
    fn small(&self, bound: u64) -> Option<u64> {
        self.kinds.iter().try_fold(1u64, |all, kind| all.checked_mul(choices(*kind, bound)))
    }

    /// How many assignments of small values come first.
    pub fn small_ones(&self) -> u64 {
        self.small(self.bound).unwrap_or(MOST_SMALL).min(MOST_SMALL)
    }

    /// Calls `f` with all of them, the small ones first, until it gives something.
    pub fn find<T>(mut self, mut f: impl FnMut(&[Value]) -> Option<T>) -> Option<T> {
        let mut values: Vec<Value> = Vec::new();
        for number in 0..self.small_ones() {
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
        if kind != LiteralKind::I64 {
            return random_of(kind, before, &self.named, random);
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

fn each_number(expr: &Expr, f: &mut impl FnMut(Value)) {
    match expr {
        Expr::Value(value) => f(*value),
        Expr::Var(_) => {}
        Expr::Apply(_, args) => args.iter().for_each(|arg| each_number(arg, f)),
    }
}
