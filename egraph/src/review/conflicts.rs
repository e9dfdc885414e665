//! Whether the rules contradict each other: small instances of their left-hand sides are saturated in
//! one e-graph. Where that makes two different literals equal, the proof says which rules did.
//!
//! Instances over variables come first: what contradicts itself for any terms is false. One over
//! literals may be a term that nobody means, as 0/0.

use crate::building::term_function::Instance;
use crate::review::finding::{Finding, Severity, rule_place};
use crate::review::values::{choices, small_value};
use crate::rules::read::Places;
use crate::{
    Caps, EGraph, FlatProof, Justification, Leaf, LeafValue, Limits, LiteralKind, OpId, Rule,
    SaturationConfig, Shortener, SortId, System, TermBank, TermId, explain, justification_name,
    saturate,
};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Integers of the instances run from minus this to this.
const LARGEST: u64 = 1;
/// Instances of a rule, and of all rules together.
const MOST_OF_A_RULE: u64 = 9;
const MOST: usize = 20_000;
/// Of more rules none are looked at: each is matched in every iteration.
const MOST_RULES: usize = 2_000;
/// Larger left-hand sides have no instance.
const LARGEST_PATTERN: usize = 40;
/// How far their e-graph is grown.
const LIMITS: Limits = Limits {
    memory: Some(64 << 20),
    nodes: Some(20_000),
    matches: None,
    visits: None,
    iterations: Some(4),
    work: None,
    time: None,
};
/// Longer contradictions are not shortened, nor shown step by step.
const CAPS: Caps = Caps { steps: 200, term_size: 200 };
/// Steps that are shown.
const MOST_SHOWN: usize = 12;

/// A contradiction, if one is found.
pub(super) fn finding(system: &Arc<System>, places: &Places) -> Option<Finding> {
    if system.rules.len() > MOST_RULES {
        return None;
    }
    let note = "a condition would keep the rules from terms that mean nothing; if these terms mean \
                something, a rule is false";
    contradiction(system, places, Leaves::of(system, true), Severity::Error).or_else(|| {
        let finding = contradiction(system, places, Leaves::of(system, false), Severity::Warning)?;
        Some(finding.note(note))
    })
}

fn contradiction(
    system: &Arc<System>,
    places: &Places,
    leaves: Leaves<'_>,
    severity: Severity,
) -> Option<Finding> {
    let mut bank = TermBank::new(system.language.clone());
    let mut egraph = EGraph::new(system.clone());
    let mut entered = 0;
    for rule in system.rules.iter().filter(|rule| rule.lhs.size() <= LARGEST_PATTERN) {
        for number in 0..leaves.instances(rule).unwrap_or(0) {
            let term = leaves.instance(&mut bank, rule, number);
            egraph.add_term(&bank, term);
            entered += 1;
        }
        if entered > MOST {
            break;
        }
    }
    let config = SaturationConfig { limits: LIMITS, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    let (a, b) = egraph.conflict()?;
    let (a, b) = (egraph.term(&mut bank, a), egraph.term(&mut bank, b));
    let proof = explain(&egraph, &mut bank, a, b)?.flatten(&mut bank, CAPS).ok()?;
    let proof = Shortener::new(system).shorten(&mut bank, &proof, CAPS.term_size);
    let first = proof.steps.iter().find_map(|step| match step.rule {
        Justification::Rule(rule) => Some(rule.0 as usize),
        Justification::Fold => None,
    })?;
    let message =
        format!("{} {} equal {}", subject(system, &proof), bank.display(a), bank.display(b));
    let finding = Finding::new(severity, rule_place(places, first), message);
    Some(steps(system, &bank, &proof).into_iter().fold(finding, Finding::note))
}

/// The rules of a proof, as the beginning of a sentence.
fn subject(system: &System, proof: &FlatProof) -> String {
    let mut names: Vec<String> = Vec::new();
    for step in &proof.steps {
        let name = match step.rule {
            Justification::Rule(_) => format!("'{}'", justification_name(system, step.rule)),
            Justification::Fold => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match &names[..] {
        [one] => format!("rule {one} makes"),
        [all @ .., last] => format!("rules {} and {last} together make", all.join(", ")),
        [] => String::new(),
    }
}

/// What equals what, and why, a line each.
fn steps(system: &System, bank: &TermBank, proof: &FlatProof) -> Vec<String> {
    let mut lines: Vec<String> = std::iter::zip(proof.terms.windows(2), &proof.steps)
        .take(MOST_SHOWN)
        .map(|(terms, step)| {
            let name = justification_name(system, step.rule);
            format!("{} is {}: {name}", bank.display(terms[0]), bank.display(terms[1]))
        })
        .collect();
    match proof.steps.len().saturating_sub(MOST_SHOWN) {
        0 => {}
        more => lines.push(format!("and so on, {more} more steps")),
    }
    lines
}

/// What variables stand for in instances, by sort.
struct Leaves<'s> {
    system: &'s System,
    /// Whether they are variables, of sorts that have some.
    variables: bool,
    /// An operator without arguments, for sorts that have neither literals nor variables.
    constants: Vec<Option<OpId>>,
}

impl Leaves<'_> {
    fn of(system: &System, variables: bool) -> Leaves<'_> {
        let language = &system.language;
        let mut constants = vec![None; language.sorts.len()];
        for (op, number) in language.operators.iter().zip(0..).filter(|(op, _)| op.args.is_empty())
        {
            constants[op.result.0 as usize].get_or_insert(OpId(number));
        }
        Leaves { system, variables, constants }
    }

    /// How many leaves of a sort there are to choose from.
    fn choices(&self, sort: SortId) -> u64 {
        match self.kind(sort) {
            Some(kind) => choices(kind, LARGEST),
            None if self.system.language.variables.contains(&sort) => 1,
            None => u64::from(self.constants[sort.0 as usize].is_some()),
        }
    }

    /// The literals of a sort, where leaves are literals.
    fn kind(&self, sort: SortId) -> Option<LiteralKind> {
        let language = &self.system.language;
        let variables = self.variables && language.variables.contains(&sort);
        language.literal_kind(sort).filter(|_| !variables)
    }

    /// What the variable called `name` (with its `?`) stands for.
    fn leaf(&self, bank: &mut TermBank, sort: SortId, name: &str, choice: u64) -> TermId {
        let value = match self.kind(sort) {
            Some(kind) => LeafValue::Literal(small_value(kind, choice)),
            None if self.system.language.variables.contains(&sort) => {
                LeafValue::Variable(name.trim_start_matches('?').to_owned())
            }
            None => {
                let constant = self.constants[sort.0 as usize];
                return bank.apply(constant.expect("a sort with a choice has a leaf"), &[]);
            }
        };
        bank.leaf(&Leaf { sort, value })
    }

    /// How many instances of a rule are looked at; `None` if a variable has nothing to stand for.
    fn instances(&self, rule: &Rule) -> Option<u64> {
        let sorts = &rule.variables.sorts[..rule.variables.patterns()];
        let all = sorts.iter().try_fold(1u64, |all, &sort| all.checked_mul(self.choices(sort)));
        all.or(Some(u64::MAX)).filter(|all| *all > 0).map(|all| all.min(MOST_OF_A_RULE))
    }

    fn instance(&self, bank: &mut TermBank, rule: &Rule, number: u64) -> TermId {
        let mut rest = number;
        let sorts = &rule.variables.sorts[..rule.variables.patterns()];
        let mut values = Vec::new();
        for (&sort, name) in sorts.iter().zip(&rule.variables.names) {
            let choices = self.choices(sort);
            values.push(self.leaf(bank, sort, name, rest % choices));
            rest /= choices;
        }
        Instance::of(bank, &rule.lhs, &values)
            .expect("it computes nothing, and is small")
            .enter(bank)
    }
}
