//! Which rules of a file follow from its others: one after the other is left out, the last one first, if it follows. In the end each
//! that is left out is proved again, from those that stay. A rule that reads literals follows if it does for each of some choices
//! of these, or of all where there are few.

use crate::options::PruneAim;
use crate::rules::following::reached;
use crate::rules::instances::{Choice, Choices, literals_of, sides_at};
use anyhow::{Context, Result, anyhow};
use egraph::{
    Rule, RuleChoice, System, TermBank, Value, check, explain, forms, forms_of_rules,
    proof_to_json, text_without,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::Progress;

/// What is known of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// It follows from rules that stay.
    Follows {
        /// The names of those that its proofs use.
        from: Vec<String>,
        /// What was proved: one proof, or one for each choice of literals.
        proofs: Vec<Followed>,
        /// Whether that is all that the rule says: no literals are read, or all choices of these were gone through.
        all: bool,
    },
    /// It does not follow within the limit.
    Needed,
    /// It can't be tried, and why.
    NotTried(String),
}

/// That a rule follows, or one of its instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// Steps of the proof.
    pub steps: usize,
    /// The proof, from the file without those that follow.
    pub proof: String,
}

/// What came of all rules.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// In the order of the file.
    pub rules: Vec<(String, Need)>,
    /// The file without those that follow.
    pub text: String,
}

/// Looks which rules of a file follow from its others within a limit. The file without them begins with `head`, and proofs are
/// about it. With `asked` it ends soon, and there is nothing.
///
/// # Errors
/// It is no rules file, or an internal fault: the checker refuses a proof.
pub fn prune(
    (name, text, head): (&str, &str, &str),
    aim: PruneAim,
    quiet: bool,
    asked: &AtomicBool,
) -> Result<Option<Pruned>> {
    let read =
        |text: &str| System::parse(text).map(Arc::new).map_err(|error| anyhow!("{name}:{error}"));
    let system = read(text)?;
    let forms = forms(text).map_err(|error| anyhow!("{name}:{error}"))?;
    let of_rule = forms_of_rules(text, &forms);
    let with = With { aim, literals: literals_of(&system) };
    let mut left_out = vec![false; forms.len()];
    let mut why = vec![None; forms.len()];
    let progress = Progress::new("rules", system.rules.len() as u64, quiet);
    for form in (0..forms.len()).rev() {
        let rules: Vec<&Rule> = rules_of(&system, &of_rule, form);
        if asked.load(Ordering::SeqCst) {
            return Ok(None);
        }
        if rules.is_empty() {
            continue;
        }
        left_out[form] = true;
        let follows = match rules.iter().find_map(|rule| cannot_be_tried(&system, rule, &with)) {
            Some(reason) => Err(reason),
            None => match System::parse(&text_without(text, &forms, &left_out)) {
                Ok(others) => Ok(all_follow(&Arc::new(others), &rules, &with)),
                Err(error) => Err(format!("without it the file is refused: {}", error.message)),
            },
        };
        left_out[form] = follows == Ok(true);
        why[form] = follows.err();
        progress.advance(rules.len() as u64);
    }
    progress.finish();
    // What was followed from rules that were left out later is proved anew, or stays.
    loop {
        let rest = head.to_owned() + &text_without(text, &forms, &left_out);
        let others = read(&rest)?;
        let mut found: Vec<(String, Need)> = Vec::new();
        let mut back = None;
        for (rule, form) in system.rules.iter().zip(&of_rule) {
            let need = match (*form, form.and_then(|form| why[form].clone())) {
                (Some(form), None) if left_out[form] => match proved(&others, rule, &with)? {
                    Some(follows) => follows,
                    None => {
                        back = Some(form);
                        break;
                    }
                },
                (Some(_), None) => Need::Needed,
                (_, reason) => {
                    Need::NotTried(reason.unwrap_or_else(|| "it has no form of its own".into()))
                }
            };
            found.push((rule.name.clone(), need));
        }
        match back {
            Some(form) => left_out[form] = false,
            None => return Ok(Some(Pruned { rules: found, text: rest })),
        }
    }
}

fn rules_of<'s>(system: &'s System, of_rule: &[Option<usize>], form: usize) -> Vec<&'s Rule> {
    let all = system.rules.iter().zip(of_rule);
    all.filter(|(_, of)| **of == Some(form)).map(|(rule, _)| rule).collect()
}

/// How it is tried.
struct With {
    aim: PruneAim,
    /// Of the whole file.
    literals: Vec<Value>,
}

/// The choices of literals that are looked at, and whether these are all that the rule says.
fn choices_of(bank: &TermBank, rule: &Rule, with: &With) -> (Vec<Choice>, bool) {
    match Choices::of(bank, rule, with.aim.instances, &with.literals) {
        Choices::One => (vec![Choice::new()], true),
        Choices::All(all) => (all, true),
        Choices::Some(some) => (some, false),
    }
}

/// Why it can't be tried whether a rule follows.
fn cannot_be_tried(system: &System, rule: &Rule, with: &With) -> Option<String> {
    if rule.ruleset.is_some() && rule.ruleset == system.normal_form {
        return Some("it is a rule of the normal form".to_owned());
    }
    if rule.variables.patterns() < rule.variables.names.len() {
        return Some("it reads facts".to_owned());
    }
    if with.aim.instances == 0 && !rule.literal_vars().is_empty() {
        return Some("it reads literals".to_owned());
    }
    let mut bank = TermBank::new(system.language.clone());
    let (choices, _) = choices_of(&bank, rule, with);
    if choices.is_empty() {
        return Some("no literals were found of which its conditions hold".to_owned());
    }
    let are_terms = choices.iter().all(|choice| sides_at(&mut bank, rule, choice).is_some());
    let reason = "its sides are no terms: it binds, has a function on terms, or variables of a sort without variables";
    (!are_terms).then(|| reason.to_owned())
}

fn all_follow(others: &Arc<System>, rules: &[&Rule], with: &With) -> bool {
    rules.iter().all(|rule| {
        let mut bank = TermBank::new(others.language.clone());
        choices_of(&bank, rule, with).0.iter().all(|choice| {
            let sides = sides_at(&mut bank, rule, choice);
            sides.is_some_and(|sides| {
                reached((others, RuleChoice::All), &bank, sides, with.aim.reach).is_some()
            })
        })
    })
}

/// The proofs of a rule from others, checked.
fn proved(others: &Arc<System>, rule: &Rule, with: &With) -> Result<Option<Need>> {
    let mut bank = TermBank::new(others.language.clone());
    let (choices, all) = choices_of(&bank, rule, with);
    let mut from: BTreeSet<String> = BTreeSet::new();
    let mut proofs = Vec::new();
    for choice in choices {
        let Some((left, right)) = sides_at(&mut bank, rule, &choice) else { return Ok(None) };
        let all = (others, RuleChoice::All);
        let Some(egraph) = reached(all, &bank, (left, right), with.aim.reach) else {
            return Ok(None);
        };
        let proof = explain(&egraph, &mut bank, left, right).context("equal terms have a proof")?;
        check(others, &bank, &proof)
            .map_err(|error| anyhow!("a proof of {} is refused: {error}", rule.name))?;
        from.extend(proof.rules().into_iter().map(|rule| others.rule(rule).name.clone()));
        let json = proof_to_json(others, &bank, &proof);
        proofs.push(Followed { steps: proof.len(), proof: json });
    }
    Ok(Some(Need::Follows { from: from.into_iter().collect(), proofs, all }))
}
