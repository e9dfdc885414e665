//! The equations of `tensor.rules`, evaluated on matrices of random shapes.

use crate::common;
use egraph::{Condition, Pattern, Rule, System, Value, VarId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rows of numbers, all of one length; of no shape where an operation does not fit.
type Matrix = Vec<Vec<i64>>;

fn product(a: &Matrix, b: &Matrix) -> Option<Matrix> {
    let cell = |row: &Vec<i64>, j: usize| (0..b.len()).map(|k| row[k] * b[k][j]).sum();
    let rows = a.iter().map(|row| (0..b[0].len()).map(|j| cell(row, j)).collect());
    (a[0].len() == b.len()).then(|| rows.collect())
}

fn evaluate(system: &System, pattern: &Pattern, values: &[Matrix]) -> Option<Matrix> {
    let (op, args) = match pattern {
        Pattern::Var(VarId(var)) => return Some(values[usize::from(*var)].clone()),
        Pattern::Op(op, args) => (system.language.op(*op).name.as_str(), args),
        _ => unreachable!("no rule has literals"),
    };
    let args: Vec<Matrix> =
        args.iter().map(|arg| evaluate(system, arg, values)).collect::<Option<_>>()?;
    match (op, &args[..]) {
        ("*", [a, b]) => product(a, b),
        ("+", [a, b]) if (a.len(), a[0].len()) == (b.len(), b[0].len()) => {
            let sum =
                |(a, b): (&Vec<i64>, &Vec<i64>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
            Some(a.iter().zip(b).map(sum).collect())
        }
        ("hstack", [a, b]) if a.len() == b.len() => {
            Some(a.iter().zip(b).map(|(a, b)| [&a[..], b].concat()).collect())
        }
        ("vstack", [a, b]) if a[0].len() == b[0].len() => Some([&a[..], b].concat()),
        ("transpose", [a]) => {
            Some((0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect())
        }
        _ => None,
    }
}

fn condition_holds(system: &System, rule: &Rule, condition: &Condition, values: &[Matrix]) -> bool {
    condition.holds(&|var| {
        let fact = rule.variables.fact(var).expect("conditions read shapes only");
        let matrix = &values[usize::from(fact.var.0)];
        let size = match system.language.analysis(fact.analysis).name.as_str() {
            "rows" => matrix.len(),
            _ => matrix[0].len(),
        };
        Some(Value::Int(size as i64))
    })
}

#[test]
fn rules_are_equations_of_matrices_whose_shapes_fit() {
    let system = common::shipped("tensor");
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for rule in &system.rules {
        let mut compared = 0;
        for _ in 0..60_000 {
            let matrix = |rng: &mut ChaCha8Rng| {
                let (rows, cols) = (rng.random_range(1..3), rng.random_range(1..3));
                (0..rows).map(|_| (0..cols).map(|_| rng.random_range(-9..10)).collect()).collect()
            };
            let values: Vec<Matrix> =
                (0..rule.variables.patterns()).map(|_| matrix(&mut rng)).collect();
            // The left-hand side is a term of the user's, whose shapes fit.
            let Some(left) = evaluate(&system, &rule.lhs, &values) else { continue };
            if rule.conditions.iter().all(|c| condition_holds(&system, rule, c, &values)) {
                let right = evaluate(&system, &rule.rhs, &values);
                assert_eq!(Some(left), right, "{} of {values:?}", rule.name);
                compared += 1;
            }
        }
        assert!(compared > 100, "{}: {compared}", rule.name);
    }
}
