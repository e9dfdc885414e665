//! `cairn optimise` writes GELU without tanh and without powers, and what it writes is GELU within 0.001
//! from -4 to 4: the formula with tanh, and x Φ(x).

use crate::common::cairn;
use egraph::{Sexpr, parse_one};
use std::collections::HashMap;
use std::f64::consts::PI;

/// The value of a term over + - * / and these names.
fn value(term: &Sexpr, names: &HashMap<&str, f64>) -> f64 {
    match term {
        Sexpr::Atom(atom, _) => match (names.get(&**atom), atom.split_once('/')) {
            (Some(value), _) => *value,
            (None, Some((a, b))) => a.parse::<f64>().unwrap() / b.parse::<f64>().unwrap(),
            (None, None) => atom.parse().expect("an integer"),
        },
        Sexpr::List(items, _) => {
            let [name, a, b] = &items[..] else { panic!("two arguments") };
            let (a, b) = (value(a, names), value(b, names));
            match name.atom() {
                Some("+") => a + b,
                Some("-") => a - b,
                Some("*") => a * b,
                Some("/") => a / b,
                other => panic!("{other:?} is not there on every machine"),
            }
        }
    }
}

/// x Φ(x), by the series of the error function.
fn exact(x: f64) -> f64 {
    let z = x / 2f64.sqrt();
    let (mut term, mut sum) = (z, z);
    for n in 1..120 {
        term *= -z * z / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    x * (1.0 + 2.0 / PI.sqrt() * sum) / 2.0
}

fn with_tanh(x: f64) -> f64 {
    x / 2.0 * (1.0 + ((2.0 / PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
}

#[test]
fn gelu_is_within_a_thousandth() {
    let directory = tempfile::tempdir().unwrap();
    for shared in [&[][..], &["--shared"]] {
        let mut command = cairn(&directory);
        command.args(["optimise", "--system", "gelu", "--term", "(gelu x)", "--cost", "cost"]);
        command.args(["--work", "20000"]).args(shared);
        let output = command.assert().success().get_output().stdout.clone();
        let text = String::from_utf8(output).unwrap();
        let term = text.lines().find_map(|line| line.strip_prefix("best term: ")).expect(&text);
        let term = parse_one(term).unwrap();
        // Equal parts are written once, each before it is used.
        let parts: Vec<Sexpr> = text
            .lines()
            .filter(|l| l.starts_with("(let "))
            .map(|l| parse_one(l).unwrap())
            .collect();
        assert_eq!(parts.is_empty(), shared.is_empty(), "{text}");
        let largest =
            text.lines().filter(|l| l.starts_with("(let ") || l.starts_with("best term: "));
        assert!(shared.is_empty() || largest.map(str::len).max() < Some(120), "{text}");
        for step in -4_000..=4_000 {
            let x = f64::from(step) / 1_000.0;
            let mut names = HashMap::from([("x", x)]);
            for part in &parts {
                let [_, Sexpr::Atom(name, _), part] = part.list().unwrap() else {
                    panic!("{text}")
                };
                let found = value(part, &names);
                names.insert(name, found);
            }
            let found = value(&term, &names);
            for (name, expected) in [("with tanh", with_tanh(x)), ("exact", exact(x))] {
                assert!((found - expected).abs() < 1e-3, "{x}: {found}, {name} {expected}");
            }
        }
    }
}
