//! The formulas of built-in operators are held against Cairn's evaluation of them, by solvers, on random terms.

use crate::smt::solvers;
use egraph::{Bits, Builtin, Expr, LiteralKind, Value, VarId, Width, evaluate};
use interop::{Extent, Limits, Statement, Verdict, judge, query};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// All names of operators, as far as any kind has them.
const NAMES: &str = "+ - * / % min max abs & | ^ ~ << >> and or xor neg not shl shr < <= > >= == != && || ! /s %s >>s \
     <s <=s >s >=s mins maxs rotl rotr popcount clz ctz select concat zext:8 zext:64 sext:8 sext:64 \
     trunc:1 trunc:8 extract:0:8 extract:2:1 extract:24:8";
/// Without any assignment that is gone through, so that solvers are asked.
const LIMITS: Limits = Limits { time: Duration::from_secs(300), assignments: 0 };
/// Terms in a query, and queries of a kind.
const TERMS: usize = 12;
const QUERIES: usize = 6;

fn kinds() -> Vec<LiteralKind> {
    let words = [1, 3, 8, 32, 64].map(|bits| LiteralKind::Bits(Width::new(bits).unwrap()));
    let others = [LiteralKind::I64, LiteralKind::Bool, LiteralKind::Rational, LiteralKind::F64];
    [&others[..], &words[..]].concat()
}

/// The operators over a kind, with their other arguments and results.
fn operators(kind: LiteralKind) -> Vec<(&'static str, Vec<LiteralKind>, LiteralKind)> {
    let mut found = Vec::new();
    for name in NAMES.split_whitespace() {
        let word = LiteralKind::Bits(Width::new(8).unwrap());
        for args in [
            vec![kind],
            vec![kind, kind],
            vec![kind, LiteralKind::I64],
            vec![kind, word],
            vec![LiteralKind::Bool, kind, kind],
        ] {
            let Some(result) = Builtin::named(name).and_then(|known| known.on(&args)) else {
                continue;
            };
            if !found.contains(&(name, args.clone(), result)) {
                found.push((name, args, result));
            }
        }
    }
    found
}

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn literal(&mut self, kind: LiteralKind) -> Value {
        let small = self.below(9) as i64 - 4;
        match kind {
            LiteralKind::Bool => Value::Bool(small > 0),
            LiteralKind::Bits(width) => match self.below(3) {
                0 => Value::word(width, small),
                1 => Value::word(width, i64::from(width.bits()) + small),
                _ => Value::Bits(Bits::new(width, self.below(1 << 31) << self.below(34))),
            },
            LiteralKind::I64 => match self.below(4) {
                0 => Value::Int(i64::MIN >> self.below(3)),
                1 => Value::Int(i64::MAX >> self.below(60)),
                _ => Value::Int(small),
            },
            LiteralKind::Rational => {
                let denominator = 1 + self.below(6);
                kind.read(&format!("{small}/{denominator}")).unwrap()
            }
            LiteralKind::F64 => {
                let text = ["0.0", "0.1", "1.5", "-3.0", "1e300", "5e-324", "0.3", "-1e-17"];
                kind.read(text[self.below(8) as usize]).unwrap()
            }
        }
    }

    /// A term of a kind whose parts have values, with its own, if it has one.
    fn term(&mut self, kind: LiteralKind, over: LiteralKind, depth: u32) -> (Expr, Option<Value>) {
        let all = operators(over);
        let fitting: Vec<_> = all.iter().filter(|(_, _, result)| *result == kind).collect();
        if depth == 0 || fitting.is_empty() {
            let value = self.literal(kind);
            return (Expr::Value(value), Some(value));
        }
        loop {
            let (name, args, _) = &fitting[self.below(fitting.len() as u64) as usize];
            // The bits of integers have no formula.
            if over == LiteralKind::I64 && ["&", "|", "^"].contains(name) {
                continue;
            }
            let mut terms = Vec::new();
            let mut values = Vec::new();
            for &arg in args {
                let inner = if arg == over { over } else { arg };
                let (term, value) = loop {
                    let (term, value) = self.term(arg, inner, depth - 1);
                    if let Some(value) = value {
                        break (term, value);
                    }
                };
                terms.push(term);
                values.push(value);
            }
            return (apply(name, terms), evaluate(name, &values));
        }
    }
}

fn apply(name: &str, args: impl Into<Vec<Expr>>) -> Expr {
    Expr::Apply(Builtin::named(name).unwrap(), args.into())
}

/// That a term has a value.
fn equals(term: Expr, value: Value) -> Expr {
    match value {
        Value::Bool(true) => term,
        Value::Bool(false) => apply("!", [term]),
        value => apply("==", [term, Expr::Value(value)]),
    }
}

fn ground(left: Expr, right: Value) -> Statement {
    Statement {
        names: Vec::new(),
        kinds: Vec::new(),
        literals: Vec::new(),
        conditions: Vec::new(),
        computed: Vec::new(),
        left,
        right: Expr::Value(right),
    }
}

#[test]
fn terms_have_the_values_that_formulas_say_and_no_others() {
    let Some(solvers) = solvers() else { return };
    let verdict = |statement| judge(&statement, &solvers, LIMITS, &AtomicBool::new(false));
    let mut random = Random(1);
    for kind in kinds() {
        for _ in 0..QUERIES {
            let (mut all, mut none) = (Vec::new(), Vec::new());
            while all.len() < TERMS {
                let depth = 1 + random.below(2) as u32;
                // What some operator makes of the kind: itself, a truth value, a word of another width.
                let made = operators(kind);
                let of = made[random.below(made.len() as u64) as usize].2;
                let (term, Some(value)) = random.term(of, kind, depth) else { continue };
                let other = random.literal(of);
                all.push(equals(term.clone(), value));
                if other != value {
                    none.push(equals(term, other));
                }
            }
            let both =
                |name, terms: Vec<Expr>| terms.into_iter().reduce(|a, b| apply(name, [a, b]));
            let all = both("&&", all).unwrap();
            let shown = query(&ground(all.clone(), Value::Bool(true)), Extent::Unbounded, false);
            let found = verdict(ground(all, Value::Bool(true)));
            assert!(matches!(found, Verdict::Proved(_)), "{kind}: {found:?}\n{}", shown.unwrap());
            if let Some(none) = both("||", none) {
                let found = verdict(ground(none, Value::Bool(false)));
                assert!(matches!(found, Verdict::Proved(_)), "{kind}: {found:?}");
            }
        }
    }
}

#[test]
fn what_has_no_value_is_undefined_in_the_formula_too() {
    let Some(solvers) = solvers() else { return };
    let bits = LiteralKind::Bits(Width::new(8).unwrap());
    let literal = |kind: LiteralKind, text: &str| Expr::Value(kind.read(text).unwrap());
    for (name, kind, a, second, b) in [
        ("/", LiteralKind::Rational, "1", LiteralKind::Rational, "0"),
        ("/", LiteralKind::F64, "1", LiteralKind::F64, "0"),
        ("<<", LiteralKind::I64, "0", LiteralKind::I64, "64"),
        (">>", LiteralKind::I64, "1", LiteralKind::I64, "-1"),
        ("shl", bits, "1", LiteralKind::I64, "-1"),
        ("shr", bits, "1", LiteralKind::I64, "-9"),
    ] {
        // The first argument is a variable, so that there is an assignment to be found.
        let term = apply(name, [Expr::Var(VarId(0)), literal(second, b)]);
        let statement = Statement {
            names: vec!["?a".to_owned()],
            kinds: vec![kind],
            literals: vec![true],
            conditions: vec![apply("==", [Expr::Var(VarId(0)), literal(kind, a)])],
            ..ground(term, kind.read(a).unwrap())
        };
        let verdict = judge(&statement, &solvers, LIMITS, &AtomicBool::new(false));
        let Verdict::Refuted(found) = verdict else { panic!("{name} {kind}: {verdict:?}") };
        assert!(found.shown.contains("has no value"), "{}", found.shown);
        // Both sides have none: they are the same.
        let same = Statement { right: statement.left.clone(), ..statement };
        let verdict = judge(&same, &solvers, LIMITS, &AtomicBool::new(false));
        assert!(matches!(verdict, Verdict::Proved(_)), "{name} {kind}: {verdict:?}");
    }
}

#[test]
fn every_operator_has_a_formula_but_the_bits_of_integers() {
    for kind in kinds() {
        for (name, args, result) in operators(kind) {
            let kinds = args;
            let args: Vec<Expr> = (0..kinds.len()).map(|i| Expr::Var(VarId(i as u16))).collect();
            let right = match result {
                LiteralKind::Bool => Value::Bool(true),
                _ => Random(1).literal(result),
            };
            let names = vec!["?a".to_owned(); kinds.len()];
            let literals = vec![false; kinds.len()];
            let left = apply(name, args);
            let statement = Statement { names, kinds, literals, ..ground(left, right) };
            let made = query(&statement, Extent::Unbounded, false);
            let bits = kind == LiteralKind::I64 && ["&", "|", "^"].contains(&name);
            assert_eq!(made.is_err(), bits, "{name} on {kind}: {made:?}");
        }
    }
}
