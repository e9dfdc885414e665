//! What can be told of rules and operators by looking at them.

use crate::review::finding::{Finding, Severity, rule_place};
use crate::rules::pattern::Pattern;
use crate::rules::read::Places;
use crate::rules::rule::RuleId;
use crate::rules::schedule::Schedule;
use crate::rules::system::System;
use crate::term::language::{Language, SortId};
use crate::term::literal::{LiteralKind, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names of values that a literal would say better, by the kind of literal.
const TRUTH_NAMES: [&str; 4] = ["true", "false", "tt", "ff"];
const NUMBER_NAMES: [&str; 11] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
/// Operators that are built in over truth values.
const TRUTH_OPERATORS: [&str; 3] = ["&&", "||", "!"];

pub(super) fn findings(system: &System, places: &Places) -> Vec<Finding> {
    let mut findings = Vec::new();
    let inhabited = inhabited_sorts(&system.language);
    let strategy = |(name, _): &(String, _)| system.read_strategy(name).ok();
    let strategies: Vec<Schedule> = system.strategies.iter().filter_map(strategy).collect();
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    for (i, rule) in system.rules.iter().enumerate() {
        let (name, place) = (&rule.name, rule_place(places, i));
        let warning = |message: String| Finding::new(Severity::Warning, place, message);
        if let Some(reason) = never_matches(system, &strategies, RuleId(i as u32), &inhabited) {
            findings.push(warning(format!("rule '{name}' never matches: {reason}")));
        }
        if rule.lhs == rule.rhs {
            findings
                .push(warning(format!("rule '{name}' does nothing: its two sides are the same")));
        }
        if let Pattern::Var(var) = rule.lhs {
            let sort = system.language.sort_name(rule.variables.sorts[var.0 as usize]);
            let message = format!("rule '{name}' matches every term of sort {sort}");
            let note = "in every iteration it adds to every e-class; \
                        a condition, or an operator on the left, would say where it is wanted";
            findings.push(warning(message).note(note));
        }
        // Variables are numbered as they come, so that rules that are equal up to their names are equal.
        let mut conditions: Vec<String> =
            rule.conditions.iter().map(|c| format!("{c:?}")).collect();
        conditions.sort();
        let key = format!("{:?} {:?} {conditions:?} {:?}", rule.lhs, rule.rhs, rule.ruleset);
        let Some(&before) = known.get(&key) else {
            known.insert(key, i);
            continue;
        };
        if rule_place(places, before) == place {
            let message =
                format!("the two directions of '{}' are one rule", system.rules[before].name);
            findings.push(warning(message).note("write rewrite instead of birewrite"));
        } else {
            let before_name = &system.rules[before].name;
            let message =
                format!("rule '{name}' is rule '{before_name}' again, up to names of variables");
            let note = format!("'{before_name}' stands at {}", rule_place(places, before));
            findings.push(warning(message).note(note));
        }
    }
    findings.extend(literals_by_name(&system.language, places));
    findings
}

/// Why a left-hand side can't match, or its rule is never run.
fn never_matches(
    system: &System,
    strategies: &[Schedule],
    id: RuleId,
    inhabited: &[bool],
) -> Option<String> {
    let rule = system.rule(id);
    let language = &system.language;
    let empty = |sort: SortId| {
        let name = language.sort_name(sort);
        (!inhabited[sort.0 as usize]).then(|| {
            format!("there is no term of sort {name}: it has no literal, variable or constant")
        })
    };
    let mut sorts = rule.lhs.parts().map(|part| part.sort(language, &rule.variables));
    let never_run = || {
        // What brings terms into their normal form is no business of a schedule.
        let schedule = system
            .schedule
            .as_ref()
            .filter(|_| rule.ruleset.is_none() || rule.ruleset != system.normal_form)?;
        let ruleset = rule.ruleset.map(|set| &system.rulesets[set.0 as usize]);
        let runs = |schedule: &Schedule| schedule.runs(id, rule);
        (!runs(schedule) && !strategies.iter().any(runs)).then(|| match ruleset {
            Some(ruleset) => format!("the schedule never runs its ruleset {ruleset}"),
            None => "the schedule runs rulesets only, and it belongs to none".to_owned(),
        })
    };
    sorts.find_map(empty).or_else(never_run)
}

/// By sort: whether it has a term.
fn inhabited_sorts(language: &Language) -> Vec<bool> {
    let leaves = |sort: usize| {
        let sort = SortId(sort as u16);
        language.literal_kind(sort).is_some()
            || language.variables.contains(&sort)
            // Under its binder.
            || language.bound_sorts().contains(&sort)
    };
    let mut inhabited: Vec<bool> = (0..language.sorts.len()).map(leaves).collect();
    loop {
        let before = inhabited.clone();
        for op in &language.operators {
            if op.args.iter().all(|sort| inhabited[sort.0 as usize]) {
                inhabited[op.result.0 as usize] = true;
            }
        }
        if inhabited == before {
            return inhabited;
        }
    }
}

/// Operators without arguments that are named like a literal which their sort has, or should have.
fn literals_by_name(language: &Language, places: &Places) -> Vec<Finding> {
    let is = |names: &[&str], name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name));
    let of_truth = language.operators.iter().filter(|op| is(&TRUTH_OPERATORS, &op.name));
    let truth_sorts: FxHashSet<SortId> = of_truth.map(|op| op.result).collect();
    let mut findings = Vec::new();
    for (i, op) in language.operators.iter().enumerate().filter(|(_, op)| op.args.is_empty()) {
        let sort = language.sort_name(op.result);
        let kind = language.literal_kind(op.result);
        let note = match kind {
            Some(kind) if kind != LiteralKind::Bool && is(&NUMBER_NAMES, &op.name) => {
                let number = NUMBER_NAMES.iter().position(|n| n.eq_ignore_ascii_case(&op.name));
                let value = Value::of_integer(kind, number.unwrap_or(0) as i64);
                let Some(value) = value else { continue };
                format!("sort {sort} has literals, and {value} is one")
            }
            Some(LiteralKind::Bool) if is(&TRUTH_NAMES, &op.name) => {
                format!("sort {sort} has the literals 0 and 1")
            }
            None if truth_sorts.contains(&op.result) && is(&TRUTH_NAMES, &op.name) => {
                format!("(literal bool {sort}) gives the literals 0 and 1, which are computed with")
            }
            _ => continue,
        };
        let message = format!("operator '{}' should be a literal", op.name);
        let place = places.operators[i];
        findings.push(Finding::new(Severity::Warning, place, message).note(note));
    }
    findings
}
