//! The query whose answer `unsat` says that a rule is true: an assignment is looked for for which the rule applies
//! and its sides differ.

use super::hints::{complements, hints};
use super::operators::{Formula, Formulas, all, fits, sort};
use super::statement::Statement;
use egraph::{Expr, LiteralKind};

/// What integers are taken to fit in 64 bits. It makes no difference where there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Nothing: the conditions are those of mathematics. What is proved so holds in particular where the rule
    /// applies.
    Unbounded,
    /// What the rule reads and computes, so that it applies: no more is asked for than has to be.
    Applies,
    /// Both sides, too: what Cairn can evaluate.
    Evaluates,
}

impl Extent {
    /// From the strongest to the weakest statement; there is one for those without integers.
    pub fn of(statement: &Statement) -> &'static [Extent] {
        match has(statement, |kind| kind == LiteralKind::I64) {
            true => &[Extent::Unbounded, Extent::Applies, Extent::Evaluates],
            false => &[Extent::Unbounded],
        }
    }
}

/// The queries of a statement, from the strongest to the weakest: what integers are taken to fit in, and whether there are hints.
/// The statement is true if the answer to one of them is `unsat`.
///
/// # Errors
/// As [`query`].
pub fn queries(statement: &Statement) -> Result<Vec<String>, String> {
    let mut found: Vec<String> = Vec::new();
    for &extent in Extent::of(statement) {
        for hinted in [false, true] {
            let text = query(statement, extent, hinted)?;
            if found.last() != Some(&text) {
                found.push(text);
            }
        }
    }
    Ok(found)
}

/// The query of a statement, as text of SMT-LIB 2.
///
/// The two sides differ where one has a value and the other has none, or both have different ones. Where a value
/// that a double must be is not finite, nothing is asked. With hints come facts of arithmetic, which change no answer, and words
/// that are combined bit by bit are sums of conjunctions.
///
/// # Errors
/// An operator that has no formula, as a part of a sentence.
pub fn query(statement: &Statement, extent: Extent, hinted: bool) -> Result<String, String> {
    let mut formulas = Formulas::new(&statement.kinds, hinted);
    let mut premises: Vec<String> = Vec::new();
    for expr in statement.conditions.iter().chain(&statement.computed) {
        let Formula { value, defined, fits, finite } = formulas.of(expr)?;
        premises.extend(defined);
        premises.extend(finite);
        if extent != Extent::Unbounded {
            premises.extend(fits);
        }
        if statement.conditions.contains(expr) {
            premises.push(value);
        }
    }
    let left = formulas.of(&statement.left)?;
    let right = formulas.of(&statement.right)?;
    premises.extend([&left.finite[..], &right.finite[..]].concat());
    if extent == Extent::Evaluates {
        premises.extend([&left.fits[..], &right.fits[..]].concat());
    }
    for (i, kind) in statement.kinds.iter().enumerate() {
        let read = statement.literals[i] && extent == Extent::Applies;
        if *kind == LiteralKind::I64 && (read || extent == Extent::Evaluates) {
            premises.push(fits(&format!("v{i}")));
        }
    }
    let mut lines = vec!["(set-option :produce-models true)".to_owned()];
    lines.push(format!("(set-logic {})", logic(statement)));
    for (i, kind) in statement.kinds.iter().enumerate() {
        lines.extend(declared(i, *kind));
    }
    lines.extend(formulas.definitions);
    if hinted {
        let mut facts = hints(&formulas.divisions, &formulas.products);
        facts.append(&mut formulas.facts);
        facts.extend(complements(&formulas.combined));
        lines.extend(facts.into_iter().map(|fact| format!("(assert {fact})")));
    }
    let mut seen: Vec<&String> = Vec::new();
    for premise in &premises {
        if !seen.contains(&premise) {
            lines.push(format!("(assert {premise})"));
            seen.push(premise);
        }
    }
    let same = format!("(= {} {})", left.value, right.value);
    let same = match (all(left.defined), all(right.defined)) {
        (None, None) => same,
        (Some(one), None) | (None, Some(one)) => format!("(and {one} {same})"),
        (Some(a), Some(b)) => format!("(and (= {a} {b}) (=> {a} {same}))"),
    };
    lines.push(format!("(assert (not {same}))"));
    lines.push("(check-sat)".to_owned());
    if !statement.kinds.is_empty() {
        let names: Vec<String> = (0..statement.kinds.len()).map(|i| asked(statement, i)).collect();
        lines.push(format!("(get-value ({}))", names.join(" ")));
    }
    Ok(lines.join("\n") + "\n")
}

/// What is asked for the value of a variable.
fn asked(statement: &Statement, i: usize) -> String {
    let bits = if statement.kinds[i] == LiteralKind::F64 { "bits" } else { "v" };
    format!("{bits}{i}")
}

/// A variable; a double by its bits, which solvers show alike, finite and not -0.0.
fn declared(i: usize, kind: LiteralKind) -> Vec<String> {
    match kind {
        LiteralKind::F64 => vec![
            format!("(declare-const bits{i} (_ BitVec 64))"),
            format!("(define-fun v{i} () {} ((_ to_fp 11 53) bits{i}))", sort(kind)),
            format!("(assert (not (or (fp.isNaN v{i}) (fp.isInfinite v{i}))))"),
            format!("(assert (not (= bits{i} #x8000000000000000)))"),
        ],
        kind => vec![format!("(declare-const v{i} {})", sort(kind))],
    }
}

/// Whether literals or variables of a kind occur.
pub(super) fn has(statement: &Statement, wanted: impl Fn(LiteralKind) -> bool) -> bool {
    let mut found = statement.kinds.iter().any(|kind| wanted(*kind));
    let mut todo: Vec<_> = statement.expressions().collect();
    while let Some(expr) = todo.pop() {
        match expr {
            Expr::Value(value) => found |= wanted(value.kind()),
            Expr::Var(_) => {}
            Expr::Apply(_, args) => todo.extend(args),
        }
    }
    found
}

/// The smallest logic that has what is said, for which solvers have their best procedures.
fn logic(statement: &Statement) -> &'static str {
    let integers = has(statement, |kind| kind == LiteralKind::I64);
    let reals = has(statement, |kind| kind == LiteralKind::Rational);
    let doubles = has(statement, |kind| kind == LiteralKind::F64);
    let words = has(statement, |kind| matches!(kind, LiteralKind::Bits(_)));
    match (integers, reals, doubles, words) {
        (true, false, false, false) => "QF_NIA",
        (false, true, false, false) => "QF_NRA",
        (false, false, true, false) => "QF_BVFP",
        (false, false, false, _) => "QF_BV",
        _ => "ALL",
    }
}
