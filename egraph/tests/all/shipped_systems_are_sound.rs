//! Every rule of the shipped systems over integers and truth values is an equation of
//! mathematical integers: both sides are evaluated, on all small values and on many random ones.
//!
//! The evaluator is this file's own and shares nothing with `egraph::term::builtin`. Fractions and
//! matrices are in `shipped_algebra_is_sound.rs`. `tiling.rules` is in neither: its terms are
//! functions.

use crate::common::{shipped, wrong_rules};
use egraph::{Condition, Expr, Language, LeafValue, Pattern, Rule, System, Value};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;

const SYSTEMS: [&str; 7] = ["halide", "prop", "prop-test", "ring", "bitvectors", "sums", "horner"];
/// Small values run from -SMALL to SMALL, fewer where a rule has many variables.
const SMALL: i128 = 9;
const MAX_EXHAUSTIVE: u64 = 250_000;
const RANDOM: usize = 12_000;

/// The value of an operator; truth values are 0 and 1. `None` where 128 bits are too few.
fn apply(name: &str, args: &[i128]) -> Option<i128> {
    let truth = |b: bool| Some(i128::from(b));
    match (name, args) {
        ("+", [a, b]) => a.checked_add(*b),
        ("-", [a, b]) => a.checked_sub(*b),
        ("-", [a]) => a.checked_neg(),
        ("*", [a, b]) => a.checked_mul(*b),
        ("/", [a, b]) => Some(quotient_and_remainder(*a, *b).0),
        ("%", [a, b]) => Some(quotient_and_remainder(*a, *b).1),
        ("min", [a, b]) => Some(if a < b { *a } else { *b }),
        ("max", [a, b]) => Some(if a < b { *b } else { *a }),
        ("abs", [a]) => Some(if *a < 0 { -a } else { *a }),
        ("<", [a, b]) => truth(a < b),
        ("<=", [a, b]) => truth(a <= b),
        (">", [a, b]) => truth(a > b),
        (">=", [a, b]) => truth(a >= b),
        ("==", [a, b]) => truth(a == b),
        ("!=", [a, b]) => truth(a != b),
        ("&&" | "&", [a, b]) => truth(*a == 1 && *b == 1),
        ("||" | "|", [a, b]) => truth(*a == 1 || *b == 1),
        ("->", [a, b]) => truth(*a == 0 || *b == 1),
        ("!" | "~", [a]) => truth(*a == 0),
        // Words without an end: two's complement.
        ("and", [a, b]) => Some(a & b),
        ("or", [a, b]) => Some(a | b),
        ("xor", [a, b]) => Some(a ^ b),
        ("not", [a]) => Some(!a),
        ("neg", [a]) => a.checked_neg(),
        ("shl", [a, n]) => a.checked_mul(2i128.checked_pow(u32::try_from(*n).ok()?)?),
        ("zero", []) => Some(0),
        ("one", []) => Some(1),
        ("ones", []) => Some(-1),
        ("Zero", []) => Some(0),
        ("Succ", [a]) => a.checked_add(1),
        ("pow", [a, b]) => a.checked_pow(u32::try_from(*b).ok()?),
        _ => panic!("no meaning for {name} of {} arguments", args.len()),
    }
}

/// The q and r of a = bq + r with 0 <= r < |b|, from the definition; zeros for b = 0.
fn quotient_and_remainder(a: i128, b: i128) -> (i128, i128) {
    if b == 0 {
        return (0, 0);
    }
    let mut q = a / b;
    while a - b * q < 0 {
        q -= b.signum();
    }
    assert!((0..b.abs()).contains(&(a - b * q)), "{a} by {b}");
    (q, a - b * q)
}

fn number(value: Value) -> i128 {
    match value {
        Value::Bool(b) => b.into(),
        other => other.whole().expect("a whole number"),
    }
}

fn eval_expr(expr: &Expr, env: &[i128]) -> Option<i128> {
    match expr {
        Expr::Value(value) => Some(number(*value)),
        Expr::Var(var) => Some(env[var.0 as usize]),
        Expr::Apply(name, args) => {
            let args: Option<Vec<i128>> = args.iter().map(|a| eval_expr(a, env)).collect();
            apply(name.name(), &args?)
        }
    }
}

fn eval(language: &Language, pattern: &Pattern, env: &[i128]) -> Option<i128> {
    match pattern {
        Pattern::Var(var) => Some(env[var.0 as usize]),
        Pattern::Leaf(leaf) => match &leaf.value {
            LeafValue::Literal(value) => Some(number(*value)),
            LeafValue::Variable(_) | LeafValue::Bound(_) => panic!("variable {leaf} in a rule"),
        },
        Pattern::Op(op, args) => {
            let args: Option<Vec<i128>> = args.iter().map(|a| eval(language, a, env)).collect();
            apply(&language.op(*op).name, &args?)
        }
        Pattern::Compute(expr, _) => eval_expr(expr, env),
        Pattern::Function(..) => panic!("a function on terms"),
    }
}

/// Whether `env` is an instance of the rule: its conditions hold and both sides have a value.
/// The values of an instance must agree, or the rule is wrong: `Err` says where.
fn instance(language: &Language, rule: &Rule, env: &[i128]) -> Result<bool, String> {
    let holds = |c: &Condition| match c {
        Condition::Const(_) => true,
        Condition::Holds(expr) => eval_expr(expr, env) == Some(1),
    };
    if !rule.conditions.iter().all(holds) {
        return Ok(false);
    }
    match (eval(language, &rule.lhs, env), eval(language, &rule.rhs, env)) {
        (Some(left), Some(right)) if left == right => Ok(true),
        (Some(left), Some(right)) => {
            let names = rule.variables.names.iter().zip(env);
            let at: Vec<String> = names.map(|(name, v)| format!("{name} = {v}")).collect();
            Err(format!("{}: {left} is not {right} at {}", rule.name, at.join(", ")))
        }
        _ => Ok(false),
    }
}

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq)]
enum Domain {
    Truth,
    Natural,
    Integer,
}

impl Domain {
    /// The small values: how many there are, and the least.
    fn small(self, bound: i128) -> (i128, i128) {
        match self {
            Domain::Truth => (2, 0),
            Domain::Natural => (bound + 1, 0),
            Domain::Integer => (2 * bound + 1, -bound),
        }
    }
}

fn domains(language: &Language, rule: &Rule) -> Vec<Domain> {
    let domain = |sort: &_| match language.sort_name(*sort) {
        "Bool" => Domain::Truth,
        "Nat" => Domain::Natural,
        _ => Domain::Integer,
    };
    rule.variables.sorts.iter().map(domain).collect()
}

/// Every assignment of small values, as few as keep the number of assignments in bounds.
fn check_small(language: &Language, rule: &Rule) -> Result<(), String> {
    let domains = domains(language, rule);
    let assignments =
        |bound: i128| domains.iter().map(|d| d.small(bound).0 as u64).product::<u64>();
    let bound = (1..=SMALL).rev().find(|b| assignments(*b) <= MAX_EXHAUSTIVE).unwrap_or(1);
    for number in 0..assignments(bound) {
        let mut rest = i128::from(number);
        let mut digit = |domain: &Domain| {
            let (base, low) = domain.small(bound);
            let value = rest % base + low;
            rest /= base;
            value
        };
        let env: Vec<i128> = domains.iter().map(&mut digit).collect();
        instance(language, rule, &env)?;
    }
    Ok(())
}

/// Small, medium and large numbers, powers of two, and neighbours of multiples of the numbers
/// drawn before: where rounding and strict comparisons go wrong.
fn random_value(rng: &mut ChaCha8Rng, before: &[i128]) -> i128 {
    match rng.random_range(0..6) {
        0 => rng.random_range(-3..=3),
        1 => rng.random_range(-20..=20),
        2 => rng.random_range(-1_000..=1_000),
        3 => rng.random_range(-(1i128 << 30)..=1 << 30),
        4 => (1 << rng.random_range(0..12)) * [1, -1][rng.random_range(0..2usize)],
        _ if before.is_empty() => rng.random_range(-3..=3),
        _ => {
            let other = before[rng.random_range(0..before.len())];
            other * rng.random_range(-4..=4) + rng.random_range(-1..=1)
        }
    }
}

/// Random assignments; gives the number of those that were instances.
fn check_random(language: &Language, rule: &Rule, stream: u64) -> Result<usize, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(0x5eed);
    rng.set_stream(stream);
    let domains = domains(language, rule);
    let mut instances = 0;
    for round in 0..RANDOM {
        // Neighbours are of numbers drawn before: draw in both orders.
        let backwards = round % 2 == 1;
        let mut env: Vec<i128> = Vec::new();
        for i in 0..domains.len() {
            let value = match domains[if backwards { domains.len() - 1 - i } else { i }] {
                Domain::Truth => rng.random_range(0..=1),
                Domain::Natural => random_value(&mut rng, &env).abs(),
                Domain::Integer => random_value(&mut rng, &env),
            };
            env.push(value);
        }
        if backwards {
            env.reverse();
        }
        instances += usize::from(instance(language, rule, &env)?);
    }
    Ok(instances)
}

fn check(language: &Language, rule: &Rule, stream: u64) -> Result<usize, String> {
    check_small(language, rule)?;
    check_random(language, rule, stream)
}

#[test]
fn both_sides_of_every_rule_have_the_same_value() {
    let mut wrong = Vec::new();
    for name in SYSTEMS {
        let system = shipped(name);
        let check = |rule: &Rule, stream| check(&system.language, rule, stream);
        wrong.extend(wrong_rules(name, system.rules.iter(), check));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Words of 32 bits are evaluated by what `egraph` itself computes, which has tests of its own.
#[test]
fn every_rule_of_words_is_evaluated_and_none_refuted() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../configs/systems/words.rules");
    let review = egraph::review(&std::fs::read_to_string(path).unwrap());
    assert_eq!(review.findings, []);
    assert_eq!(review.evaluated.rules, shipped("words").rules.len());
    assert_eq!(review.evaluated.without_meaning, [] as [String; 0]);
}

#[test]
fn rules_of_words_that_look_right_are_caught() {
    let words = "(sort Word) (sort Nat) (op not (Word) Word) (op and (Word Word) Word)
        (op or (Word Word) Word) (op neg (Word) Word) (op + (Word Word) Word)
        (op shl (Word Nat) Word) (literal i64 Nat) (variable Word)";
    for rule in [
        "(rewrite (not ?a) (neg ?a))",
        "(rewrite (+ ?a ?b) (or ?a ?b))",
        "(rewrite (shl (not ?a) ?n) (not (shl ?a ?n)))",
        "(rewrite (not (and ?a ?b)) (and (not ?a) (not ?b)))",
        "(rewrite (and ?a (+ ?b ?c)) (+ (and ?a ?b) (and ?a ?c)))",
    ] {
        let system = System::parse(&format!("{words}\n{rule}")).unwrap();
        assert!(check(&system.language, &system.rules[0], 0).is_err(), "not caught: {rule}");
    }
}

#[test]
fn rules_that_look_right_are_caught() {
    let halide = shipped("halide");
    for rule in [
        // Division by zero.
        "(rewrite (/ ?a ?a) 1)",
        "(rewrite (/ (* ?y ?x) ?x) ?y)",
        "(rewrite (* (/ ?a ?b) ?b) (- ?a (% ?a ?b)))",
        "(rewrite (+ (/ ?a ?b) ?c) (/ (+ ?a (* ?b ?c)) ?b))",
        // Signs.
        "(rewrite (% (* -1 ?x) ?c) (* -1 (% ?x ?c)))",
        "(rewrite (/ (* -1 ?a) ?b) (* -1 (/ ?a ?b)))",
        "(rewrite (* (min ?x ?y) ?c) (min (* ?x ?c) (* ?y ?c)) :when ((const ?c)))",
        "(rewrite (/ (/ ?x ?a) ?b) (/ ?x (compute (* ?a ?b))) :when ((const ?a) (const ?b)))",
        "(rewrite (/ (* ?x ?a) ?b) (/ ?x (compute (/ ?b ?a)))
                  :when ((const ?a) (!= ?a 0) (== (% ?b ?a) 0)))",
        // Off by one.
        "(rewrite (< ?x ?y) (<= ?x ?y))",
        "(rewrite (< ?d (% ?x ?c)) 0 :when ((!= ?c 0) (>= ?d (- (abs ?c) 2))))",
        "(rewrite (<= ?x (* (/ (+ ?x ?d) ?c) ?c)) 1 :when ((> ?c 0) (>= ?d (- ?c 2))))",
        "(rewrite (&& (< ?a ?x) (< ?x ?b)) 0 :when ((<= (- ?b ?a) 2)))",
        // Truth values.
        "(rewrite (! (&& ?p ?q)) (&& (! ?p) (! ?q)))",
    ] {
        let text = format!("{}\n{rule}", declarations());
        let system = System::parse(&text).unwrap_or_else(|e| panic!("{rule}: {e}"));
        assert_eq!(system.language, halide.language, "the declarations of halide.rules");
        assert!(check(&system.language, &system.rules[0], 0).is_err(), "not caught: {rule}");
    }
}

/// The declarations of `halide.rules`, without its rules.
fn declarations() -> &'static str {
    "(sort Int) (sort Bool)
     (op + (Int Int) Int) (op - (Int Int) Int) (op * (Int Int) Int)
     (op / (Int Int) Int) (op % (Int Int) Int) (op min (Int Int) Int) (op max (Int Int) Int)
     (op < (Int Int) Bool) (op <= (Int Int) Bool) (op > (Int Int) Bool) (op >= (Int Int) Bool)
     (op == (Int Int) Bool) (op != (Int Int) Bool)
     (op && (Bool Bool) Bool) (op || (Bool Bool) Bool) (op ! (Bool) Bool)
     (literal i64 Int) (literal bool Bool) (variable Int) (analysis constant)"
}

#[test]
fn every_system_has_its_rules() {
    let count = |name| shipped(name).rules.len();
    assert!(count("halide") >= 60, "{}", count("halide"));
    assert!(count("prop") >= 25);
    assert_eq!(count("prop-test"), 13);
    assert!(count("bitvectors") >= 60);
    assert_eq!(count("tiling"), 5);
    assert!(count("ring") >= 15);
    assert!(count("math") >= 50);
    assert_eq!(count("math-test"), 36);
    assert_eq!(count("sums"), 3);
    assert_eq!(count("matrix-chain"), 2);
    assert_eq!(count("horner"), 11);
    assert_eq!(count("gelu"), 13);
    assert_eq!(count("tensor"), 22);
    assert_eq!(count("bounds"), 28);
}
