//! Every rule of `mba.rules` holds for words of 64 bits: both sides are evaluated, with the arithmetic of this file,
//! on bits set and not and on random words. And its normal form tells linear expressions apart.

use crate::common::shipped;
use egraph::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn apply(name: &str, args: &[u64]) -> u64 {
    match (name, args) {
        ("&", [a, b]) => a & b,
        ("|", [a, b]) => a | b,
        ("^", [a, b]) => a ^ b,
        ("+", [a, b]) => a.wrapping_add(*b),
        ("-", [a, b]) => a.wrapping_sub(*b),
        ("*", [a, b]) => a.wrapping_mul(*b),
        ("~", [a]) => !a,
        ("neg", [a]) => a.wrapping_neg(),
        other => panic!("{other:?}"),
    }
}

fn word(value: Value) -> u64 {
    value.to_string().parse().unwrap()
}

fn bits(word: u64) -> Value {
    Value::Bits(Bits::new(Width::new(64).unwrap(), word))
}

fn value(system: &System, pattern: &Pattern, env: &[u64]) -> u64 {
    match pattern {
        Pattern::Var(var) => env[usize::from(var.0)],
        Pattern::Leaf(leaf) => match leaf.value {
            LeafValue::Literal(value) => word(value),
            _ => panic!("a variable of the language in a rule"),
        },
        Pattern::Op(op, args) => {
            let args: Vec<u64> = args.iter().map(|arg| value(system, arg, env)).collect();
            apply(&system.language.op(*op).name, &args)
        }
        Pattern::Compute(expr, _) => {
            word(expr.eval(&|var| Some(bits(env[usize::from(var.0)]))).unwrap())
        }
        Pattern::Function(..) => panic!("a function on terms"),
    }
}

/// Whether both sides are the same on every assignment for which the conditions hold, and how many these are.
fn holds(system: &System, rule: &Rule) -> (bool, usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut same, mut seen) = (true, 0);
    for round in 0..60_000u64 {
        let mut draw = || match rng.random_range(0..4) {
            0 if round % 2 == 0 => rng.random::<u64>(),
            1 if round % 2 == 0 => rng.random_range(0u64..2).wrapping_neg(),
            // Multiples of each other among them.
            _ => rng.random_range(0u64..7).wrapping_sub(3),
        };
        let env: Vec<u64> = rule.variables.names.iter().map(|_| draw()).collect();
        let literal = |var: VarId| Some(bits(env[usize::from(var.0)]));
        if rule.conditions.iter().all(|condition| condition.holds(&literal)) {
            seen += 1;
            same &= value(system, &rule.lhs, &env) == value(system, &rule.rhs, &env);
        }
    }
    (same, seen)
}

#[test]
fn both_sides_of_every_rule_are_the_same_word() {
    let system = shipped("mba");
    for rule in &system.rules {
        let (same, seen) = holds(&system, rule);
        assert!(same && seen >= 100, "{}: {seen} assignments", rule.name);
    }
}

#[test]
fn rules_that_look_right_are_caught() {
    let language =
        "(sort W) (op & (W W) W) (op | (W W) W) (op + (W W) W) (op * (W W) W) (op ~ (W) W)
        (literal (bits 64) W) (analysis constant)";
    for wrong in [
        "(rewrite (+ ?a ?b) (| ?a ?b))",
        "(rewrite (~ (+ ?a ?b)) (+ (~ ?a) (~ ?b)))",
        "(rewrite (+ (* ?c ?a) (* ?d (& ?a ?b))) (* ?c (& ?a (~ ?b))) :when ((const ?c) (== ?d ?c)))",
    ] {
        let system = System::parse(&format!("{language} {wrong}")).unwrap();
        assert!(!holds(&system, &system.rules[0]).0, "not caught: {wrong}");
    }
}

/// The value of an expression over x and y for which each bit of both words is one of the four rows of the truth
/// table, so that a sum of multiples of bitwise terms is told by four numbers.
fn signature(system: &System, bank: &TermBank, t: TermId) -> [u64; 4] {
    fn at(system: &System, bank: &TermBank, t: TermId, xy: [u64; 2]) -> u64 {
        match bank.node(t) {
            Node::Leaf(leaf) => match &leaf.value {
                LeafValue::Literal(value) => word(*value),
                _ => xy[usize::from(leaf.to_string() == "y")],
            },
            Node::Op(op) => {
                let args: Vec<u64> =
                    bank.children(t).iter().map(|&c| at(system, bank, c, xy)).collect();
                apply(&system.language.op(op).name, &args)
            }
        }
    }
    // 0 and −1 are the words of which all bits are the same.
    [[0, 0], [0, !0], [!0, 0], [!0, !0]].map(|xy| at(system, bank, t, xy))
}

#[test]
fn linear_expressions_are_equal_where_their_normal_forms_are() {
    let system = shipped("mba");
    let bitwise =
        ["x", "y", "(~ x)", "(& x y)", "(| x (~ y))", "(^ x y)", "(~ (& x y))", "(& (~ x) y)"];
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut bank = TermBank::new(system.language.clone());
    let mut found: Vec<([u64; 4], TermId)> = Vec::new();
    for _ in 0..400 {
        let mut sum = String::from("0");
        for _ in 0..rng.random_range(1..5) {
            let (c, b) =
                (rng.random_range(0u64..5).wrapping_sub(2), rng.random_range(0..bitwise.len()));
            sum = format!("(+ {sum} (* {c} {}))", bitwise[b]);
        }
        let term = bank.parse(&sum, None).unwrap();
        // Above a sum, so that a bitwise term and the sum that it equals have one form.
        let term = bank.parse(&format!("(+ {} (* 3 x))", bank.display(term)), None).unwrap();
        let form = normalise(&system, &mut bank, term, 100_000).unwrap();
        assert!(form.complete);
        check(&system, &bank, &form.proof).unwrap();
        found.push((signature(&system, &bank, term), form.term));
    }
    for (i, a) in found.iter().enumerate() {
        for b in &found[..i] {
            assert_eq!(a.0 == b.0, a.1 == b.1, "{} {}", bank.display(a.1), bank.display(b.1));
        }
    }
}
