//! Which laws the rules of a system give its operators, as they are read off the rules; what only follows from
//! several of them is not looked for.

use egraph::{OpId, Pattern, System, VarId};

/// A law that an operator may have, or its part in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Law {
    /// f(a, b) = f(b, a)
    Commutative,
    /// f(f(a, b), c) = f(a, f(b, c))
    Associative,
    /// f(a, a) = a
    Idempotent,
    /// f(a, e) = a
    HasUnit,
    /// f(a, z) = z
    HasZero,
    /// f(a, a) = e
    Cancels,
    /// f(a, g(a)) = e, for f
    HasInverse,
    /// for g
    Inverts,
    /// g(g(a)) = a
    Involution,
    /// f(a, g(b, c)) = g(f(a, b), f(a, c)), for f
    Distributes,
    /// for g
    DistributedOver,
    /// f(a, g(a, b)) = a, for f
    Absorbs,
    /// for g
    Absorbed,
    /// h(f(a, b)) = g(h(a), h(b)), for h
    Homomorphism,
    /// for f and g
    Mapped,
    /// f(a, …) = a term without f, with all variables different
    Defined,
}

/// Laws that there are.
pub(crate) const LAWS: usize = 16;

/// By operator: which laws it has.
pub(crate) fn laws(system: &System) -> Vec<[bool; LAWS]> {
    let mut laws = vec![[false; LAWS]; system.language.operators.len()];
    for rule in &system.rules {
        for (left, right) in [(&rule.lhs, &rule.rhs), (&rule.rhs, &rule.lhs)] {
            let mut has = |op: OpId, law: Law| laws[op.0 as usize][law as usize] = true;
            match left {
                Pattern::Op(f, args) => match &args[..] {
                    [a] => unary(*f, a, right, &mut has),
                    [a, b] => binary(*f, [a, b], right, &mut has),
                    _ => {}
                },
                _ => continue,
            }
            if is_definition(left, right) {
                let Pattern::Op(f, _) = left else { continue };
                has(*f, Law::Defined);
            }
        }
    }
    laws
}

/// Laws that begin with f(a).
fn unary(f: OpId, a: &Pattern, right: &Pattern, has: &mut impl FnMut(OpId, Law)) {
    match (applied::<1>(a), applied::<2>(a)) {
        (Some((g, [x])), _) if g == f && is_var(x) && right == x => has(f, Law::Involution),
        (_, Some((g, [x, y]))) if is_var(x) && is_var(y) => {
            let Some((to, images)) = applied::<2>(right) else { return };
            let mapped = |image: &Pattern, of: &Pattern| {
                applied::<1>(image).is_some_and(|(h, [z])| h == f && z == of)
            };
            let [p, q] = images;
            if mapped(p, x) && mapped(q, y) || mapped(p, y) && mapped(q, x) {
                has(f, Law::Homomorphism);
                [g, to].into_iter().for_each(|op| has(op, Law::Mapped));
            }
        }
        _ => {}
    }
}

/// Laws that begin with f(a, b).
fn binary(f: OpId, [a, b]: [&Pattern; 2], right: &Pattern, has: &mut impl FnMut(OpId, Law)) {
    if a == b && is_var(a) {
        if right == a {
            has(f, Law::Idempotent);
        } else if is_constant(right) {
            has(f, Law::Cancels);
        }
        return;
    }
    if let Some((g, [c, d])) = applied::<2>(right)
        && g == f
    {
        if is_var(a) && is_var(b) && (c, d) == (b, a) {
            has(f, Law::Commutative);
        }
        if let (Some((left, [x, y])), Some((inner, [z, w]))) = (applied::<2>(a), applied::<2>(d))
            && left == f
            && inner == f
            && [x, y, b].into_iter().all(is_var)
            && (x, y, b) == (c, z, w)
        {
            has(f, Law::Associative);
        }
    }
    for (one, other) in [(a, b), (b, a)] {
        if is_constant(other) && is_var(one) {
            if right == one {
                has(f, Law::HasUnit);
            } else if right == other {
                has(f, Law::HasZero);
            }
        }
        if let Some((g, [x])) = applied::<1>(other)
            && is_var(one)
            && x == one
            && is_constant(right)
        {
            has(f, Law::HasInverse);
            has(g, Law::Inverts);
        }
        let Some((g, [x, y])) = applied::<2>(other) else { continue };
        if is_var(one) && g != f && right == one && (x == one || y == one) {
            has(f, Law::Absorbs);
            has(g, Law::Absorbed);
        }
        if let Some((to, [p, q])) = applied::<2>(right)
            && to == g
            && g != f
            && [one, x, y].into_iter().all(is_var)
        {
            let product = |product: &Pattern, of: &Pattern| {
                applied::<2>(product).is_some_and(|(op, [u, v])| {
                    op == f && ((u, v) == (one, of) || (u, v) == (of, one))
                })
            };
            if product(p, x) && product(q, y) {
                has(f, Law::Distributes);
                has(g, Law::DistributedOver);
            }
        }
    }
}

/// Whether `right` says what an operator over different variables is, without the operator.
fn is_definition(left: &Pattern, right: &Pattern) -> bool {
    let Pattern::Op(f, args) = left else { return false };
    let vars: Vec<VarId> = args.iter().filter_map(var).collect();
    let different = (1..vars.len()).all(|i| !vars[..i].contains(&vars[i]));
    let without = || !right.parts().any(|part| matches!(part, Pattern::Op(g, _) if g == f));
    !args.is_empty() && vars.len() == args.len() && different && right.args().len() > 1 && without()
}

fn var(pattern: &Pattern) -> Option<VarId> {
    match pattern {
        Pattern::Var(var) => Some(*var),
        _ => None,
    }
}

fn is_var(pattern: &Pattern) -> bool {
    var(pattern).is_some()
}

/// Whether there is one such term: a literal, or an operator without arguments.
pub(crate) fn is_constant(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Leaf(_) => true,
        Pattern::Op(_, args) => args.is_empty(),
        _ => false,
    }
}

/// The operator and the arguments of a pattern that has so many.
fn applied<const N: usize>(pattern: &Pattern) -> Option<(OpId, [&Pattern; N])> {
    let Pattern::Op(op, args) = pattern else { return None };
    let args: Vec<&Pattern> = args.iter().collect();
    Some((*op, args.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rules: &str) -> Vec<(String, Vec<Law>)> {
        use Law::*;
        let all = [
            Commutative,
            Associative,
            Idempotent,
            HasUnit,
            HasZero,
            Cancels,
            HasInverse,
            Inverts,
            Involution,
            Distributes,
            DistributedOver,
            Absorbs,
            Absorbed,
            Homomorphism,
            Mapped,
            Defined,
        ];
        assert_eq!(all.len(), LAWS);
        let operators = "(op f (I I) I) (op g (I I) I) (op h (I) I) (op e () I)";
        let text = format!("(sort I) (literal i64 I) (variable I) {operators} {rules}");
        let system = System::parse(&text).unwrap();
        let named = |(op, laws): (usize, [bool; LAWS])| {
            let has = all.into_iter().filter(|law| laws[*law as usize]).collect::<Vec<_>>();
            (!has.is_empty()).then(|| (system.language.operators[op].name.clone(), has))
        };
        laws(&system).into_iter().enumerate().filter_map(named).collect()
    }

    #[test]
    fn each_law_is_read_off_a_rule_in_either_direction() {
        use Law::*;
        type Has<'a> = (&'a str, &'a [Law]);
        let cases: [(&str, &[Has<'_>]); 14] = [
            ("(f ?a ?b) (f ?b ?a)", &[("f", &[Commutative])]),
            ("(f ?a (f ?b ?c)) (f (f ?a ?b) ?c)", &[("f", &[Associative])]),
            ("(f ?a ?a) ?a", &[("f", &[Idempotent])]),
            ("(f 1 ?a) ?a", &[("f", &[HasUnit])]),
            ("(f ?a e) e", &[("f", &[HasZero])]),
            ("(f ?a ?a) 0", &[("f", &[Cancels])]),
            ("(f (h ?a) ?a) 0", &[("f", &[HasInverse]), ("h", &[Inverts])]),
            ("(h (h ?a)) ?a", &[("h", &[Involution])]),
            (
                "(f ?a (g ?b ?c)) (g (f ?a ?b) (f ?a ?c))",
                &[("f", &[Distributes]), ("g", &[DistributedOver])],
            ),
            (
                "(g (f ?b ?a) (f ?c ?a)) (f (g ?b ?c) ?a)",
                &[("f", &[Distributes]), ("g", &[DistributedOver])],
            ),
            ("(f (g ?b ?a) ?a) ?a", &[("f", &[Absorbs]), ("g", &[Absorbed])]),
            (
                "(h (f ?a ?b)) (g (h ?b) (h ?a))",
                &[("f", &[Mapped]), ("g", &[Mapped]), ("h", &[Homomorphism])],
            ),
            ("(f ?a ?b) (g ?a (h ?b))", &[("f", &[Defined])]),
            ("(f ?a (h ?b)) (f (h ?a) ?b)", &[]),
        ];
        for (rule, expected) in cases {
            let expected: Vec<(String, Vec<Law>)> =
                expected.iter().map(|(op, laws)| ((*op).to_owned(), laws.to_vec())).collect();
            assert_eq!(of(&format!("(rewrite {rule})")), expected, "{rule}");
        }
    }
}
