//! Rules and operators as numbers that mean the same in every system: of a rule its shape, of an operator the laws
//! that it has and the part that it plays in the rules.

use crate::laws::{LAWS, Law, is_constant, laws};
use egraph::{Operator, Pattern, Rule, SortId, System, VarId, rules_with_a_way_back};

/// Numbers of an operator.
pub(crate) const OPERATOR: usize = LAWS + 16;
/// Numbers of a rule: of its shape, and of the operators at the roots of its sides.
pub(crate) const RULE: usize = SHAPE + 2 * OPERATOR;
/// Numbers of a rule's shape.
const SHAPE: usize = 26;

/// The numbers of the rules and operators of a system.
pub(crate) struct Features {
    /// By rule.
    pub(crate) rules: Vec<[f32; RULE]>,
    /// By operator.
    pub(crate) operators: Vec<[f32; OPERATOR]>,
}

impl Features {
    /// Of a system.
    pub(crate) fn of(system: &System) -> Features {
        let (laws, uses) = (laws(system), uses(system));
        let language = &system.language;
        let each = language.operators.iter().zip(&laws).zip(&uses);
        let operators: Vec<[f32; OPERATOR]> =
            each.map(|((op, laws), uses)| of_operator(system, op, laws, uses)).collect();
        let each = system.rules.iter().zip(rules_with_a_way_back(system));
        let rules = each.map(|(rule, two_way)| of_rule(rule, two_way, &laws, &operators)).collect();
        Features { rules, operators }
    }
}

/// In how many rules an operator stands where.
#[derive(Clone, Default)]
struct Uses {
    any: u32,
    brought: u32,
    dropped: u32,
    left_root: u32,
    right_root: u32,
}

fn uses(system: &System) -> Vec<Uses> {
    let mut all = vec![Uses::default(); system.language.operators.len()];
    for rule in &system.rules {
        let count = |side: &Pattern, op: usize| {
            side.parts().filter(|p| matches!(p, Pattern::Op(o, _) if o.0 as usize == op)).count()
        };
        for (op, uses) in all.iter_mut().enumerate() {
            let [left, right] = [&rule.lhs, &rule.rhs].map(|side| count(side, op));
            let root = |side: &Pattern| u32::from(root(side) == Some(op));
            uses.any += u32::from(left + right > 0);
            uses.brought += u32::from(right > left);
            uses.dropped += u32::from(left > right);
            uses.left_root += root(&rule.lhs);
            uses.right_root += root(&rule.rhs);
        }
    }
    all
}

/// The operator at the root of a pattern.
fn root(pattern: &Pattern) -> Option<usize> {
    match pattern {
        Pattern::Op(op, _) => Some(op.0 as usize),
        _ => None,
    }
}

fn flag(flag: bool) -> f32 {
    if flag { 1.0 } else { 0.0 }
}

fn of_operator(
    system: &System,
    op: &Operator,
    laws: &[bool; LAWS],
    uses: &Uses,
) -> [f32; OPERATOR] {
    let language = &system.language;
    let arity = op.args.len();
    let rules = system.rules.len().max(1) as f32;
    let share = |count: u32| count as f32 / rules;
    let literals = |sort: SortId| language.literal_kind(sort).is_some();
    let of_sort = language.operators.iter().filter(|other| other.result == op.result).count();
    let shape = [
        flag(arity == 0),
        flag(arity == 1),
        flag(arity == 2),
        flag(arity > 2),
        flag(op.args.iter().all(|sort| *sort == op.result)),
        flag(literals(op.result)),
        flag(op.args.iter().any(|sort| literals(*sort))),
        flag(op.builtin.is_some()),
        flag(!op.binds.is_empty()),
        (of_sort as f32).ln() / 2.0,
        (1.0 + uses.any as f32).ln() / 3.0,
        share(uses.any),
        share(uses.brought),
        share(uses.dropped),
        share(uses.left_root),
        share(uses.right_root),
    ];
    let mut all = [0.0; OPERATOR];
    all[..LAWS].copy_from_slice(&laws.map(flag));
    all[LAWS..].copy_from_slice(&shape);
    all
}

/// Occurrences of each variable on a side.
fn occurrences(rule: &Rule, side: &Pattern) -> Vec<u32> {
    let mut counts = vec![0; rule.variables.sorts.len()];
    side.each_var(&mut |var: VarId| counts[usize::from(var.0)] += 1);
    counts
}

fn depth(pattern: &Pattern) -> usize {
    1 + pattern.args().iter().map(depth).max().unwrap_or(0)
}

fn of_rule(
    rule: &Rule,
    two_way: bool,
    laws: &[[bool; LAWS]],
    operators: &[[f32; OPERATOR]],
) -> [f32; RULE] {
    let sides = [&rule.lhs, &rule.rhs];
    let [left, right] = sides.map(|side| occurrences(rule, side));
    let pairs = || left.iter().zip(&right);
    let sizes = sides.map(|side| side.parts().count() as f32);
    let depths = sides.map(|side| depth(side) as f32);
    let constants = sides.map(|side| side.parts().filter(|p| is_constant(p)).count() as f32);
    // By operator, how many more there are on the right.
    let mut more = vec![0i32; operators.len()];
    for (side, by) in sides.into_iter().zip([-1, 1]) {
        side.parts().filter_map(root).for_each(|op| more[op] += by);
    }
    let brought: i32 = more.iter().map(|by| (*by).max(0)).sum();
    let dropped: i32 = more.iter().map(|by| (-*by).max(0)).sum();
    let roots = sides.map(root);
    let same_root = roots[0].is_some() && roots[0] == roots[1];
    let same_counts = pairs().all(|(l, r)| l == r) && brought == 0 && dropped == 0;
    // The laws of the one operator that a rule moves about.
    let moves = |law: Law| same_counts && roots[0].is_some_and(|op| laws[op][law as usize]);
    let small = |n: f32| n / 4.0;
    let shape = [
        small(sizes[0]),
        small(sizes[1]),
        small(sizes[1] - sizes[0]),
        flag(sizes[1] > sizes[0]),
        flag(sizes[1] < sizes[0]),
        small(depths[0]),
        small(depths[1]),
        small(pairs().filter(|(l, _)| **l > 0).count() as f32),
        small(pairs().filter(|(l, r)| **l > 0 && **r == 0).count() as f32),
        small(pairs().map(|(l, r)| r.saturating_sub(*l) as f32).sum()),
        small(pairs().map(|(l, r)| l.saturating_sub(*r) as f32).sum()),
        flag(left.iter().any(|l| *l > 1)),
        small(brought as f32),
        small(dropped as f32),
        small(constants[0]),
        small(constants[1]),
        flag(rule.rhs.parts().any(|p| matches!(p, Pattern::Compute(..)))),
        flag(!rule.conditions.is_empty()),
        flag(same_counts),
        flag(moves(Law::Commutative) && sizes[0] <= 3.0),
        flag(moves(Law::Associative) && sizes[0] > 3.0),
        flag(two_way),
        flag(same_root),
        flag(roots[1].is_none()),
        flag(roots[0].is_none()),
        flag(is_constant(&rule.rhs)),
    ];
    let mut all = [0.0; RULE];
    all[..SHAPE].copy_from_slice(&shape);
    for (root, place) in roots.into_iter().zip([SHAPE, SHAPE + OPERATOR]) {
        if let Some(op) = root {
            all[place..place + OPERATOR].copy_from_slice(&operators[op]);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "(sort I) (literal i64 I) (variable I) (op f (I I) I) (op g (I I) I)
        (rewrite (f ?a ?b) (f ?b ?a))
        (rewrite (f (f ?a ?b) ?c) (f ?a (f ?b ?c)))
        (rewrite (f ?a (g ?b ?c)) (g (f ?a ?b) (f ?a ?c)))
        (rewrite (f ?a 0) 0)";

    /// Neither names nor the order of operators and rules are seen, nor how variables are called.
    #[test]
    fn names_and_order_do_not_matter() {
        let other = "(sort N) (literal i64 N) (variable N) (op plus (N N) N) (op times (N N) N)
            (rewrite (times ?x 0) 0)
            (rewrite (times ?x (plus ?y ?z)) (plus (times ?x ?y) (times ?x ?z)))
            (rewrite (times (times ?x ?y) ?z) (times ?x (times ?y ?z)))
            (rewrite (times ?q ?p) (times ?p ?q))";
        let [mut one, mut two] =
            [TEXT, other].map(|text| Features::of(&System::parse(text).unwrap()));
        two.operators.reverse();
        two.rules.reverse();
        assert_eq!(one.operators, two.operators);
        assert_eq!(one.rules, two.rules);
        // And they tell apart what is not the same.
        one.rules.dedup();
        assert_eq!((one.rules.len(), one.operators[0] == one.operators[1]), (4, false));
    }
}
