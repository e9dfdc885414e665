//! Small expressions over one or two literals, and what may have to hold of these.

use crate::values::conditions::{POWER_OF_TWO, condition, holds};
use crate::values::inputs::random;
use egraph::{Bits, Builtin, DisplayExpr, Expr, LiteralKind, Value, VarId};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Values of the literals that are tried.
const TRIES: usize = 16;
/// The literals by their numbers.
const NAMES: [&str; 2] = ["?c1", "?c2"];

/// An expression as a rules file has it.
pub fn text(expr: &Expr) -> String {
    DisplayExpr { names: &NAMES.map(str::to_owned), expr }.to_string()
}

/// What an expression comes to.
pub fn value(expr: &Expr, of: &[Value]) -> Option<Value> {
    expr.eval(&|VarId(number)| of.get(usize::from(number)).copied())
}

/// Whether an expression depends on a literal.
pub fn reads(expr: &Expr) -> bool {
    let mut found = false;
    expr.each_var(&mut |_| found = true);
    found
}

/// A number of a kind.
fn number(kind: LiteralKind, value: i64) -> Option<Value> {
    match kind {
        LiteralKind::Bits(width) => {
            Some(Value::Bits(Bits::new(width, value as u64 & width.largest())))
        }
        LiteralKind::I64 | LiteralKind::Rational => kind.read(&value.to_string()),
        LiteralKind::Bool | LiteralKind::F64 => None,
    }
}

/// Expressions of at most five nodes over so many literals, the small ones first.
pub fn expressions(kind: LiteralKind, literals: usize) -> Vec<Expr> {
    let (unary, binary): (&[&str], &[&str]) = match kind {
        LiteralKind::Bits(_) => {
            (&["~", "ctz", "popcount"], &["+", "-", "<<", ">>", "*", "/", "&", "|", "^"])
        }
        LiteralKind::I64 => (&[], &["+", "-", "*", "/", "%", "min", "max"]),
        LiteralKind::Rational => (&[], &["+", "-", "*", "/"]),
        LiteralKind::Bool | LiteralKind::F64 => return Vec::new(),
    };
    let builtins = |names: &[&str]| -> Vec<Builtin> {
        names.iter().filter_map(|name| Builtin::named(name)).collect()
    };
    let (unary, binary) = (builtins(unary), builtins(binary));
    let mut leaves: Vec<Expr> = (0..literals).map(|l| Expr::Var(VarId(l as u16))).collect();
    let width = match kind {
        LiteralKind::Bits(width) => Some(i64::from(width.bits())),
        _ => None,
    };
    let numbers = [0, 1, 2].into_iter().chain(width).chain(width.map(|width| width - 1));
    leaves.extend(numbers.filter_map(|value| number(kind, value)).map(Expr::Value));
    let one = |a: &Expr| -> Vec<Expr> {
        unary.iter().map(|&op| Expr::Apply(op, vec![a.clone()])).collect()
    };
    let both = |a: &Expr, b: &Expr| -> Vec<Expr> {
        binary.iter().map(|&op| Expr::Apply(op, vec![a.clone(), b.clone()])).collect()
    };
    let mut two: Vec<Expr> = leaves.iter().flat_map(one).collect();
    two.extend(leaves.iter().flat_map(|a| leaves.iter().flat_map(|b| both(a, b))));
    two.retain(reads);
    let mut three: Vec<Expr> = two.iter().flat_map(one).collect();
    three.extend(two.iter().flat_map(|a| leaves.iter().flat_map(|b| both(a, b))));
    three.extend(leaves.iter().flat_map(|a| two.iter().flat_map(|b| both(a, b))));
    leaves.into_iter().chain(two).chain(three).collect()
}

/// What may have to hold of each of the literals, and some values for which it does.
pub struct Premise {
    /// As conditions of a rule; empty where nothing has to hold.
    pub says: String,
    /// Values of the literals.
    pub samples: Vec<Vec<Value>>,
}

/// The premises that hold of some literals and are tried for others, the weakest first.
pub fn premises(kind: LiteralKind, literals: &[Value]) -> Vec<Premise> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut drawn: Vec<Vec<Value>> = Vec::new();
    for round in 0..8 * TRIES {
        let mut draw = || match (kind, round % 4) {
            // Powers of two are rare otherwise.
            (LiteralKind::Bits(width), 0) => {
                let power = 1u64 << (round as u32 / 4 % width.bits());
                Value::Bits(Bits::new(width, power))
            }
            _ => random(kind, &mut rng),
        };
        drawn.push(literals.iter().map(|_| draw()).collect());
    }
    let mut forms = vec![String::new(), "(!= _ 0)".to_owned()];
    match kind {
        LiteralKind::Bits(width) => {
            // Twice as much has no more bits than a word.
            forms.push(format!("(< _ {})", 1 + (width.largest() >> 2)));
            forms.push(format!("(< _ {})", width.bits()));
            forms.push(POWER_OF_TWO.to_owned());
        }
        _ => forms.push("(> _ 0)".to_owned()),
    }
    let premise = |form: String| {
        let said = condition(&form, kind);
        let fits = |of: &[Value]| {
            said.as_ref().is_none_or(|said| of.iter().all(|value| holds(said, &[*value])))
        };
        let samples = drawn.iter().filter(|of| fits(of)).take(TRIES).cloned().collect();
        let of_each = NAMES[..literals.len()].iter().map(|name| form.replace('_', name));
        let says: Vec<String> = of_each.filter(|says| !says.is_empty()).collect();
        fits(literals).then(|| Premise { says: says.join(" "), samples })
    };
    forms.into_iter().filter_map(premise).collect()
}
