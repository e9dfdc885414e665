//! The rules of the shipped systems over fractions, real functions and matrices, evaluated on random
//! values.
//!
//! The calculus of `math.rules` and `math-test.rules` is formal and not evaluated, nor are the two rules of
//! `gelu.rules` that approximate.

use crate::common::{shipped, wrong_rules};
use egraph::{Condition, Expr, Language, LeafValue, Pattern, Rule, System, Value};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const RANDOM: usize = 20_000;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fraction(i128, i128);

impl Fraction {
    /// Division is total: anything by zero is zero. `None` where 128 bits are too few.
    fn new(numerator: i128, denominator: i128) -> Option<Fraction> {
        if denominator == 0 {
            return Some(Fraction(0, 1));
        }
        let (mut a, mut b) = (numerator.checked_abs()?, denominator.checked_abs()?);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let common = a * denominator.signum();
        Some(Fraction(numerator / common, denominator / common))
    }

    /// A power with a whole exponent; negative ones are inverted.
    fn power(self, exponent: Fraction) -> Option<Fraction> {
        let Fraction(exponent, 1) = exponent else { return None };
        let n = u32::try_from(exponent.abs()).ok()?;
        let (top, bottom) = (self.0.checked_pow(n)?, self.1.checked_pow(n)?);
        if exponent < 0 { Fraction::new(bottom, top) } else { Fraction::new(top, bottom) }
    }
}

fn apply(name: &str, args: &[Fraction]) -> Option<Fraction> {
    let &[x, y] = args else { panic!("{name} is not evaluated") };
    let (Fraction(a, b), Fraction(c, d)) = (x, y);
    let sum = |c: i128| {
        let (ad, cb) = (a.checked_mul(d)?, c.checked_mul(b)?);
        Fraction::new(ad.checked_add(cb)?, b.checked_mul(d)?)
    };
    match name {
        "+" => sum(c),
        "-" => sum(-c),
        "*" => Fraction::new(a.checked_mul(c)?, b.checked_mul(d)?),
        "div" => Fraction::new(a.checked_mul(d)?, b.checked_mul(c)?),
        "pow" => x.power(y),
        _ => panic!("{name} is not evaluated"),
    }
}

fn eval(language: &Language, pattern: &Pattern, env: &[Fraction]) -> Option<Fraction> {
    match pattern {
        Pattern::Var(var) => Some(env[var.0 as usize]),
        Pattern::Leaf(leaf) => match leaf.value {
            LeafValue::Literal(Value::Int(i)) => Some(Fraction(i.into(), 1)),
            _ => panic!("not a number: {leaf}"),
        },
        Pattern::Op(op, args) => {
            let args: Option<Vec<_>> = args.iter().map(|a| eval(language, a, env)).collect();
            apply(&language.op(*op).name, &args?)
        }
        Pattern::Compute(expr, _) => Some(Fraction(compute(expr, env)?, 1)),
        Pattern::Function(..) => panic!("a function on terms"),
    }
}

/// The value of a computation on whole numbers; those that conditions compare have one.
fn compute(expr: &Expr, env: &[Fraction]) -> Option<i128> {
    match expr {
        Expr::Value(Value::Int(n)) => Some(i128::from(*n)),
        Expr::Value(Value::Rational(q)) if q.denominator() == 1 => Some(q.numerator().into()),
        Expr::Var(x) => (env[x.0 as usize].1 == 1).then_some(env[x.0 as usize].0),
        Expr::Apply(name, args) => {
            let args: Option<Vec<i128>> = args.iter().map(|a| compute(a, env)).collect();
            match (name.name(), &args?[..]) {
                ("+", [a, b]) => a.checked_add(*b),
                ("-", [a, b]) => a.checked_sub(*b),
                ("*", [a, b]) => a.checked_mul(*b),
                ("/", [a, b]) => Some(if *b == 0 { 0 } else { a.div_euclid(*b) }),
                ("%", [a, b]) => Some(if *b == 0 { 0 } else { a.rem_euclid(*b) }),
                _ => panic!("not evaluated: {name}"),
            }
        }
        Expr::Value(_) => panic!("not a number"),
    }
}

/// Conditions compare two computations.
fn holds(condition: &Condition, env: &[Fraction]) -> bool {
    match condition {
        Condition::Const(_) => true,
        Condition::Holds(Expr::Apply(name, args)) => {
            let value = |i: usize| compute(&args[i], env).expect("a literal is a whole number");
            match name.name() {
                "!=" => value(0) != value(1),
                "==" => value(0) == value(1),
                "<" => value(0) < value(1),
                ">" => value(0) > value(1),
                ">=" => value(0) >= value(1),
                _ => panic!("not evaluated: {name}"),
            }
        }
        Condition::Holds(_) => panic!("not a comparison"),
    }
}

/// Small numbers, whole ones where a literal is needed, and often elsewhere.
fn random_env(rng: &mut ChaCha8Rng, rule: &Rule) -> Vec<Fraction> {
    let literals = rule.literal_vars();
    let value = |var| {
        let numerator = rng.random_range(-6..=6);
        let whole = literals.iter().any(|v| v.0 as usize == var) || rng.random_range(0..3) > 0;
        let denominator = if whole { 1 } else { rng.random_range(1..=5) };
        Fraction::new(numerator, denominator).expect("small numbers")
    };
    (0..rule.variables.names.len()).map(value).collect()
}

/// The number of instances tried, or what is wrong.
fn check(language: &Language, rule: &Rule) -> Result<usize, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(0x5eed);
    let mut instances = 0;
    for _ in 0..RANDOM {
        let env = random_env(&mut rng, rule);
        if !rule.conditions.iter().all(|c| holds(c, &env)) {
            continue;
        }
        match (eval(language, &rule.lhs, &env), eval(language, &rule.rhs, &env)) {
            (Some(left), Some(right)) if left == right => instances += 1,
            (Some(left), Some(right)) => {
                return Err(format!("{}: {left:?} is not {right:?} at {env:?}", rule.name));
            }
            _ => {}
        }
    }
    Ok(instances)
}

#[test]
fn both_sides_of_every_rule_of_algebra_have_the_same_value() {
    let mut wrong = Vec::new();
    for name in ["math", "math-test"] {
        let system = shipped(name);
        let rules = system.rules.iter().filter(|rule| rule.ruleset.is_none());
        wrong.extend(wrong_rules(name, rules, |rule, _| check(&system.language, rule)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_of_algebra_that_look_right_are_caught() {
    for rule in [
        "(rewrite (div ?a ?a) 1)",
        "(rewrite (* ?a (div 1 ?a)) 1)",
        "(rewrite (* (pow ?a ?b) (pow ?a ?c)) (pow ?a (+ ?b ?c)))",
        "(rewrite (- ?a ?b) (- ?b ?a))",
        "(rewrite (* ?a (pow ?a -1)) 1)",
        "(rewrite (* ?x (pow ?x ?n)) (pow ?x (compute (+ ?n 1))) :when ((const ?n)))",
        "(rewrite (* (pow ?x ?m) (pow ?x ?n)) (pow ?x (compute (+ ?m ?n)))
                  :when ((const ?m) (const ?n)))",
        "(rewrite (div ?a ?c) (compute (/ ?a ?c)) :when ((const ?a) (const ?c)))",
    ] {
        let text = format!(
            "(sort R) (op + (R R) R) (op - (R R) R) (op * (R R) R) (op div (R R) R)
             (op pow (R R) R) (literal i64 R) {rule}"
        );
        let system = System::parse(&text).unwrap_or_else(|e| panic!("{rule}: {e}"));
        assert!(check(&system.language, &system.rules[0]).is_err(), "not caught: {rule}");
    }
}

/// The value of a term of real functions; square roots of negative numbers are not evaluated.
fn real(language: &Language, pattern: &Pattern, env: &[Fraction]) -> f64 {
    match pattern {
        Pattern::Var(var) => env[var.0 as usize].0 as f64 / env[var.0 as usize].1 as f64,
        Pattern::Leaf(leaf) => match leaf.value {
            LeafValue::Literal(Value::Int(i)) => i as f64,
            LeafValue::Literal(Value::Rational(q)) => q.numerator() as f64 / q.denominator() as f64,
            _ => panic!("not a number: {leaf}"),
        },
        Pattern::Op(op, args) => {
            let args: Vec<f64> = args.iter().map(|a| real(language, a, env)).collect();
            match (language.op(*op).name.as_str(), &args[..]) {
                ("+", [a, b]) => a + b,
                ("-", [a, b]) => a - b,
                ("*", [a, b]) => a * b,
                ("div" | "/", [_, b]) if *b == 0.0 => 0.0,
                ("div" | "/", [a, b]) => a / b,
                ("pow", [a, b]) => a.powf(*b),
                ("tanh", [a]) => a.tanh(),
                ("sin", [a]) => a.sin(),
                ("cos", [a]) => a.cos(),
                ("ln", [a]) => a.ln(),
                ("sqrt", [a]) => a.sqrt(),
                (name, _) => panic!("{name} is not evaluated"),
            }
        }
        Pattern::Function(..) => panic!("a function on terms"),
        Pattern::Compute(expr, _) => {
            compute(expr, env).expect("small whole numbers have a value") as f64
        }
    }
}

/// Whether both sides come to the same number, as far as floating point tells.
fn holds_for_reals(language: &Language, rule: &Rule) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(0x5eed);
    (0..1_000).all(|_| {
        let env = random_env(&mut rng, rule);
        let difference = real(language, &rule.lhs, &env) - real(language, &rule.rhs, &env);
        !rule.conditions.iter().all(|c| holds(c, &env)) || difference.abs() < 1e-9
    })
}

#[test]
fn both_sides_of_every_rule_of_real_functions_have_the_same_value() {
    let system = shipped("math");
    let mut rules = 0;
    for rule in &system.rules {
        if rule.ruleset.is_some_and(|set| system.rulesets[set.0 as usize] == "functions") {
            assert!(holds_for_reals(&system.language, rule), "{}", rule.name);
            rules += 1;
        }
    }
    assert!(rules >= 8, "{rules}");
    let gelu = shipped("gelu");
    for rule in gelu.rules.iter().filter(|rule| rule.ruleset.is_none()) {
        assert!(holds_for_reals(&gelu.language, rule), "{}", rule.name);
    }
    // What these two are is said in the file.
    let approximate = gelu.rules.iter().filter(|rule| rule.ruleset.is_some());
    assert_eq!(Vec::from_iter(approximate.map(|rule| &rule.name)), ["gelu", "pade"]);
    for wrong in ["(rewrite (sin (* -1 ?x)) (sin ?x))", "(rewrite (* (sqrt ?x) (sqrt ?x)) ?x)"] {
        let text = format!(
            "(sort R) (op * (R R) R) (op sin (R) R) (op sqrt (R) R) (literal i64 R) {wrong}"
        );
        let system = System::parse(&text).unwrap();
        assert!(!holds_for_reals(&system.language, &system.rules[0]), "not caught: {wrong}");
    }
}

type Matrix = [[i128; 2]; 2];

fn product(pattern: &Pattern, env: &[Matrix]) -> Matrix {
    match pattern {
        Pattern::Var(var) => env[var.0 as usize],
        Pattern::Op(_, args) => {
            let (a, b) = (product(&args[0], env), product(&args[1], env));
            let entry = |i: usize, j: usize| a[i][0] * b[0][j] + a[i][1] * b[1][j];
            [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
        }
        _ => panic!("neither a matrix nor a product"),
    }
}

fn holds_for_matrices(rule: &Rule) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(0x5eed);
    let mut entry = || rng.random_range(-9..=9);
    (0..1_000).all(|_| {
        let matrix = |_| [[entry(), entry()], [entry(), entry()]];
        let env: Vec<Matrix> = (0..rule.variables.names.len()).map(matrix).collect();
        product(&rule.lhs, &env) == product(&rule.rhs, &env)
    })
}

#[test]
fn both_sides_of_every_rule_of_matrix_chains_are_the_same_matrix() {
    assert!(shipped("matrix-chain").rules.iter().all(holds_for_matrices));
    let wrong = "(sort M) (op * (M M) M) (rewrite (* ?a ?b) (* ?b ?a))";
    assert!(!holds_for_matrices(&System::parse(wrong).unwrap().rules[0]));
}
