//! Which rules of a file follow from its others: one after the other is left out, the last one first, if it follows. In the end each
//! that is left out is proved again, from those that stay.

use crate::rules::following::{Reach, reached, sides};
use anyhow::{Context, Result, anyhow};
use egraph::{
    Rule, System, TermBank, check, explain, forms, forms_of_rules, proof_to_json, text_without,
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
        /// The names of those that its proof uses.
        from: Vec<String>,
        /// Steps of the proof.
        steps: usize,
        /// The proof, from the file without those that follow.
        proof: String,
    },
    /// It does not follow within the limit.
    Needed,
    /// It can't be tried, and why.
    NotTried(String),
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
    reach: Reach,
    quiet: bool,
    asked: &AtomicBool,
) -> Result<Option<Pruned>> {
    let read =
        |text: &str| System::parse(text).map(Arc::new).map_err(|error| anyhow!("{name}:{error}"));
    let system = read(text)?;
    let forms = forms(text).map_err(|error| anyhow!("{name}:{error}"))?;
    let of_rule = forms_of_rules(text, &forms);
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
        let follows = match rules.iter().find_map(|rule| cannot_be_tried(&system, rule)) {
            Some(reason) => Err(reason),
            None => match System::parse(&text_without(text, &forms, &left_out)) {
                Ok(others) => Ok(all_follow(&Arc::new(others), &rules, reach)),
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
                (Some(form), None) if left_out[form] => match proved(&others, rule, reach)? {
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

/// Why it can't be tried whether a rule follows.
fn cannot_be_tried(system: &System, rule: &Rule) -> Option<String> {
    if !rule.conditions.is_empty() {
        return Some("it has a condition".to_owned());
    }
    if rule.ruleset.is_some() && rule.ruleset == system.normal_form {
        return Some("it is a rule of the normal form".to_owned());
    }
    let mut bank = TermBank::new(system.language.clone());
    let reason =
        "its sides are no terms: it binds, computes, or has variables of a sort without variables";
    sides(&mut bank, rule).is_none().then(|| reason.to_owned())
}

fn all_follow(others: &Arc<System>, rules: &[&Rule], reach: Reach) -> bool {
    rules.iter().all(|rule| {
        let mut bank = TermBank::new(others.language.clone());
        sides(&mut bank, rule).is_some_and(|sides| reached(others, &bank, sides, reach).is_some())
    })
}

/// The proof of a rule from others, checked.
fn proved(others: &Arc<System>, rule: &Rule, reach: Reach) -> Result<Option<Need>> {
    let mut bank = TermBank::new(others.language.clone());
    let Some((left, right)) = sides(&mut bank, rule) else { return Ok(None) };
    let Some(egraph) = reached(others, &bank, (left, right), reach) else { return Ok(None) };
    let proof = explain(&egraph, &mut bank, left, right).context("equal terms have a proof")?;
    check(others, &bank, &proof)
        .map_err(|error| anyhow!("a proof of {} is refused: {error}", rule.name))?;
    let used = proof.rules().into_iter().map(|rule| others.rule(rule).name.clone());
    let from: BTreeSet<String> = used.collect();
    let json = proof_to_json(others, &bank, &proof);
    Ok(Some(Need::Follows { from: from.into_iter().collect(), steps: proof.len(), proof: json }))
}
