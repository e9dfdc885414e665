//! A match as numbers.

use egraph::{Kind, MatchView, OpId, Operators, System};
use serde::{Deserialize, Serialize};

/// Rows of tables that a match picks: of its rule, of the operator above it and the one above that, of
/// what stands beside it, and of what its first three variables stand for.
pub const PICKS: usize = 7;
/// Numbers of a match beside these.
pub const VALUES: usize = 30;
/// Sets of operators of a match.
pub const SETS: usize = 2;
/// Operators of a set.
pub const SET: usize = u64::BITS as usize;

/// A match as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Numbers {
    /// One row of each table.
    pub picks: [u16; PICKS],
    /// Of the order of 1.
    pub values: [f32; VALUES],
    /// The operators of the smallest terms of its side, and of the other one: a bit each.
    pub sets: [u64; SETS],
}

/// Rows of the tables of a system.
pub fn table_rows(system: &System) -> [usize; PICKS] {
    rows(system.rules.len(), system.language.operators.len())
}

/// Rows of the tables for so many rules and operators.
pub(crate) fn rows(rules: usize, operators: usize) -> [usize; PICKS] {
    let (above, kinds) = (1 + operators, 6 + operators);
    [rules, above, above, kinds, kinds, kinds, kinds]
}

/// What a match looks like.
pub fn numbers(seen: &MatchView) -> Numbers {
    let kind = |variable: Option<Kind>| match variable {
        None => 0,
        Some(Kind::Literal(None)) => 1,
        // −1, 0 and 1.
        Some(Kind::Literal(Some(value))) => (3 + i32::from(value).clamp(-1, 1)) as u16,
        Some(Kind::Variable) => 5,
        Some(Kind::Op(op)) => 6 + op.0 as u16,
    };
    let [a, b, c] = seen.variables.map(kind);
    let operator = |op: Option<OpId>| op.map_or(0, |op| 1 + op.0 as u16);
    let above = operator(seen.above.map(|above| above.op));
    let next = operator(seen.above.and_then(|above| above.next));
    let sibling = kind(seen.above.and_then(|above| above.sibling));
    let scaled = |n: i64, most: i64, unit: f32| n.clamp(-most, most) as f32 / unit;
    let size =
        |n: u64, most: i64, unit: f32| scaled(i64::try_from(n).unwrap_or(i64::MAX), most, unit);
    let flag = |flag: bool| if flag { 1.0 } else { 0.0 };
    let right = i64::try_from(seen.right).unwrap_or(i64::MAX);
    let least = i64::try_from(seen.least).unwrap_or(i64::MAX);
    let excess = |excess: Option<i64>| scaled(excess.unwrap_or(40), 40, 10.0);
    let common = |a: Operators, b: Operators| (a.0 & b.0).count_ones() as f32;
    let [own, other] = seen.around;
    let sizes = seen.variable_sizes.map(|n| size(u64::from(n), 60, 10.0));
    let values = [
        scaled(seen.excess, 40, 10.0),
        excess(seen.other_excess),
        flag(seen.other_excess.is_some()),
        size(seen.right, 60, 10.0),
        size(seen.least, 60, 10.0),
        size(seen.left, 60, 10.0),
        scaled(seen.excess_before, 40, 10.0),
        size(seen.waited, 20, 4.0),
        (seen.class_nodes as f32).ln(),
        size(u64::from(seen.missing), 10, 1.0),
        flag(seen.unites),
        scaled(least.saturating_sub(seen.excess_before), 100, 20.0),
        (seen.e_nodes as f32).ln() / 8.0,
        size(seen.iteration, 100, 10.0),
        size(seen.sides[0], 200, 50.0),
        size(seen.sides[1], 200, 50.0),
        size(u64::from(seen.literals), 10, 1.0),
        scaled(right.saturating_sub(least), 20, 5.0),
        excess(seen.united[0]),
        excess(seen.united[1]),
        flag(seen.united[1].is_some()),
        common(seen.brings, other),
        common(seen.brings, Operators(!other.0)),
        common(seen.drops, other),
        common(seen.drops, Operators(!other.0)),
        common(seen.brings, own),
        flag(seen.above.is_some_and(|above| above.argument > 0)),
        sizes[0],
        sizes[1],
        sizes[2],
    ];
    let sets = seen.around.map(|operators| operators.0);
    Numbers { picks: [seen.rule as u16, above, next, sibling, a, b, c], values, sets }
}
