//! Searches, and rules looked at by going through all assignments.

use egraph::{Condition, LeafValue, LiteralKind, Pattern, Rule, System, Value, VarId, evaluate};
use std::path::Path;
use std::sync::Arc;
use support::Run;
use synthesis::{FindOptions, Outcome, TablesFile, find};

/// Looks for rules without any solver, in a directory.
pub fn search(
    language: &str,
    options: &FindOptions,
    seed: u64,
    threads: usize,
    out: &Path,
) -> Outcome {
    let run = Run { threads: Some(threads), seed, quiet: true };
    look((language, None), options, &run, out)
}

/// The same with tables, on one thread.
pub fn search_with(
    language: &str,
    tables: Option<TablesFile<'_>>,
    options: &FindOptions,
    out: &Path,
) -> Outcome {
    let run = Run { threads: Some(1), seed: 0, quiet: true };
    look((language, tables), options, &run, out)
}

fn look(
    (language, tables): (&str, Option<TablesFile<'_>>),
    options: &FindOptions,
    run: &Run,
    out: &Path,
) -> Outcome {
    let (aim, ends) = options.settle().unwrap();
    let pool = run.build_pool().unwrap();
    let with = (run, Arc::default());
    let find = || find(("words.rules", language), tables, (&aim, ends), Vec::new(), with, out);
    pool.install(find).unwrap()
}

/// The rules that were found, as a system.
pub fn system(outcome: &Outcome) -> (System, String) {
    let text = std::fs::read_to_string(&outcome.file).unwrap();
    (System::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")), text)
}

/// A language over words of so many bits, with these operators.
pub fn words(bits: u32, operators: &str) -> String {
    let unary = ["~", "neg"];
    let declared: String = operators
        .split_whitespace()
        .map(|op| format!("(op {op} ({}) W)\n", if unary.contains(&op) { "W" } else { "W W" }))
        .collect();
    format!("(sort W)\n{declared}(literal (bits {bits}) W)\n(variable W)\n(analysis constant)\n")
}

/// The value of a side.
fn value(system: &System, side: &Pattern, values: &[Value]) -> Option<Value> {
    match side {
        Pattern::Var(VarId(var)) => Some(values[usize::from(*var)]),
        Pattern::Leaf(leaf) => match leaf.value {
            LeafValue::Literal(value) => Some(value),
            _ => panic!("a variable in a rule"),
        },
        Pattern::Op(op, args) => {
            let args: Vec<Value> =
                args.iter().map(|arg| value(system, arg, values)).collect::<Option<_>>()?;
            evaluate(&system.language.op(*op).name, &args)
        }
        _ => panic!("a rule that was found computes nothing"),
    }
}

/// An assignment of words or truth values on which a rule is false, looked for among all.
pub fn refutation(system: &System, rule: &Rule) -> Option<Vec<Value>> {
    let kinds: Vec<LiteralKind> = rule
        .variables
        .sorts
        .iter()
        .map(|&sort| system.language.literal_kind(sort).unwrap())
        .collect();
    let choices = |kind: &LiteralKind| match kind {
        LiteralKind::Bits(width) => width.largest() + 1,
        LiteralKind::Bool => 2,
        _ => panic!("too many values"),
    };
    let all: u64 = kinds.iter().map(choices).product();
    (0..all).find_map(|mut number| {
        let mut values = Vec::new();
        for kind in &kinds {
            let word = number % choices(kind);
            number /= choices(kind);
            values.push(match kind {
                LiteralKind::Bits(width) => Value::word(*width, word as i64),
                _ => Value::Bool(word == 1),
            });
        }
        let literal = |VarId(var): VarId| Some(values[usize::from(var)]);
        let applies = rule.conditions.iter().all(|condition: &Condition| condition.holds(&literal));
        let sides = [&rule.lhs, &rule.rhs].map(|side| value(system, side, &values));
        (applies && sides[0] != sides[1]).then_some(values)
    })
}
