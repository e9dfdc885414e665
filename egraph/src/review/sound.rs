//! Whether rules are true, by evaluation of both sides.
//!
//! An operator has a meaning where it is built in ([`crate::term::builtin`]): an equation that such
//! operators refute is false whatever else the language has. What has no value, as a sum that does not
//! fit in 64 bits, refutes nothing.

use crate::review::assignments::Assignments;
use crate::review::finding::{Evaluated, Finding, Severity, rule_place};
use crate::rules::pattern::{DisplayPattern, Pattern};
use crate::rules::read::Places;
use crate::rules::rule::Rule;
use crate::rules::system::System;
use crate::term::language::{Language, LeafValue};
use crate::term::literal::{LiteralKind, Value};
use crate::text::sexpr::Place;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// What came of one rule.
enum Outcome {
    /// Its sides agree on so many assignments. On some others, of which one is given, only the right
    /// one has a value.
    Holds { compared: u64, undefined: Option<Undefined> },
    /// They have these values where the variables have those.
    Differs { values: Vec<Value>, left: Value, right: Value },
    /// No assignment meets its conditions, of so many.
    NeverApplies(u64),
    /// An operator has no meaning; its conditions can be met.
    Unknown,
}

/// Values of variables for which the left-hand side has none, and that of the right.
struct Undefined {
    values: Vec<Value>,
    right: Value,
}

pub(super) fn findings(system: &System, places: &Places, findings: &mut Vec<Finding>) -> Evaluated {
    let rules = system.rules.par_iter().enumerate();
    let outcomes: Vec<Outcome> =
        rules.map(|(i, rule)| evaluate_rule(system, rule, i as u64)).collect();
    let mut evaluated = Evaluated::default();
    for (i, outcome) in outcomes.into_iter().enumerate() {
        let (rule, place) = (&system.rules[i], rule_place(places, i));
        match outcome {
            Outcome::Holds { compared, undefined } => {
                evaluated.rules += 1;
                evaluated.assignments += compared;
                let warning = undefined.map(|found| no_value(system, rule, &found, place));
                findings.extend(warning);
            }
            Outcome::Differs { values, left, right } => {
                evaluated.rules += 1;
                findings.push(counterexample(system, rule, &values, left, right, place));
            }
            Outcome::NeverApplies(tried) => {
                let message =
                    format!("rule '{}' never matches: its conditions contradict", rule.name);
                let note = format!("none of {tried} assignments of literals meets all of them");
                findings.push(Finding::new(Severity::Warning, place, message).note(note));
            }
            Outcome::Unknown => {}
        }
    }
    let mut without: Vec<String> = Vec::new();
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for rule in &system.rules {
        for name in without_meaning(&system.language, rule) {
            if seen.insert(name) {
                without.push(name.to_owned());
            }
        }
    }
    Evaluated { without_meaning: without, ..evaluated }
}

fn counterexample(
    system: &System,
    rule: &Rule,
    values: &[Value],
    left: Value,
    right: Value,
    place: Place,
) -> Finding {
    let show = |pattern| DisplayPattern {
        language: &system.language,
        variables: &rule.variables,
        pattern,
    };
    let message = format!("rule '{}' is false", rule.name);
    let at = assigned(rule, values);
    Finding::new(Severity::Error, place, message).note(format!(
        "{} is {left}, and {} is {right}{at}",
        show(&rule.lhs),
        show(&rule.rhs)
    ))
}

fn no_value(system: &System, rule: &Rule, found: &Undefined, place: Place) -> Finding {
    let Undefined { values, right } = found;
    let language = &system.language;
    let lhs = DisplayPattern { language, variables: &rule.variables, pattern: &rule.lhs };
    let at = assigned(rule, values);
    let message = format!("rule '{}' gives a value to what has none", rule.name);
    Finding::new(Severity::Warning, place, message)
        .note(format!("{lhs} has no value{at}, and the rule makes it {right}"))
        .note("another rule may make it something else; a condition would say where it holds")
}

/// Which values the variables have, as the end of a sentence.
fn assigned(rule: &Rule, values: &[Value]) -> String {
    let pairs = rule.variables.names.iter().zip(values);
    let values: Vec<String> = pairs.map(|(name, value)| format!("{name} = {value}")).collect();
    match &values[..] {
        [] => String::new(),
        all => format!(" where {}", all.join(", ")),
    }
}

/// The kinds of the rule's variables, where all have literals.
fn kinds(language: &Language, rule: &Rule) -> Option<Vec<LiteralKind>> {
    rule.variables.sorts.iter().map(|sort| language.literal_kind(*sort)).collect()
}

fn evaluate_rule(system: &System, rule: &Rule, stream: u64) -> Outcome {
    let language = &system.language;
    let mut known = without_meaning(language, rule).next().is_none();
    // Variables that no condition reads may stand for anything, and are not looked at.
    let any = |sort| language.literal_kind(sort).unwrap_or(LiteralKind::Bool);
    let kinds = match kinds(language, rule) {
        Some(kinds) => kinds,
        None => {
            known = false;
            rule.variables.sorts.iter().map(|&sort| any(sort)).collect()
        }
    };
    if !known && rule.conditions.is_empty() {
        return Outcome::Unknown;
    }
    let (mut tried, mut applied, mut compared) = (0, 0, 0);
    // Of a literal an analysis knows what its transfers say; of what else a class may know, nothing.
    let with_facts = |values: &[Value]| {
        let mut values = values.to_vec();
        for (i, of) in (rule.variables.patterns()..).zip(&rule.variables.facts) {
            let literal = values[usize::from(of.var.0)];
            values[i] = system.analyses.of_literal(language, of.analysis, literal)?;
        }
        Some(values)
    };
    let mut known_facts = rule.variables.facts.is_empty();
    let assignments = Assignments::of(rule, &kinds, stream);
    // What has no value at larger ones may just not fit.
    let small = assignments.small_ones();
    let mut undefined = None;
    let found = assignments.find(|values| {
        tried += 1;
        let values = &with_facts(values)?[..];
        known_facts = true;
        let literal = |var: crate::rules::variables::VarId| Some(values[var.0 as usize]);
        if !rule.conditions.iter().all(|condition| condition.holds(&literal)) {
            return None;
        }
        applied += 1;
        if !known {
            return Some(Outcome::Unknown);
        }
        let right = eval(language, &rule.rhs, values)?;
        let Some(left) = eval(language, &rule.lhs, values) else {
            if tried <= small && undefined.is_none() {
                undefined = Some(Undefined { values: values.to_vec(), right });
            }
            return None;
        };
        compared += 1;
        (left != right).then(|| Outcome::Differs { values: values.to_vec(), left, right })
    });
    match found {
        Some(outcome) => outcome,
        None if !known_facts => Outcome::Unknown,
        None if applied == 0 => Outcome::NeverApplies(tried),
        None => Outcome::Holds { compared, undefined },
    }
}

/// The operators and functions of a rule that have no meaning.
fn without_meaning<'l>(language: &'l Language, rule: &Rule) -> impl Iterator<Item = &'l str> {
    rule.lhs.parts().chain(rule.rhs.parts()).filter_map(|part| match part {
        Pattern::Op(op, _) => {
            let op = language.op(*op);
            op.builtin.is_none().then_some(&*op.name)
        }
        Pattern::Function(function, _) => Some(function.name()),
        Pattern::Var(_) | Pattern::Leaf(_) | Pattern::Compute(..) => None,
    })
}

fn eval(language: &Language, pattern: &Pattern, values: &[Value]) -> Option<Value> {
    match pattern {
        Pattern::Var(var) => Some(values[var.0 as usize]),
        Pattern::Leaf(leaf) => match leaf.value {
            LeafValue::Literal(value) => Some(value),
            LeafValue::Variable(_) | LeafValue::Bound(_) => None,
        },
        Pattern::Op(op, args) => {
            let args: Option<SmallVec<[Value; 2]>> =
                args.iter().map(|arg| eval(language, arg, values)).collect();
            language.op(*op).builtin?.eval(&args?)
        }
        Pattern::Compute(expr, _) => expr.eval(&|var| Some(values[var.0 as usize])),
        Pattern::Function(..) => None,
    }
}
