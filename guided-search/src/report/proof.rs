//! A proof for readers: one line a step, the rewritten subterm marked, waypoints standing out.

use crate::evaluation::checked::proof_of;
use crate::evaluation::results::Row;
use anyhow::{Result, anyhow, ensure};
use egraph::{
    Caps, DisplayPattern, FlatProof, FlatStep, Justification, Node, Pattern, Rule, RuleId, System,
    TermBank, TermId,
};
use maud::{Markup, html};
use std::collections::BTreeSet;
use std::path::Path;
use support::{counted, page, thousands};

/// Longer proofs, or proofs through larger terms, are not shown step by step.
const CAPS: Caps = Caps { steps: 400, term_size: 400 };

/// Says in a sentence how far rules are proved themselves, if that is known.
pub type RulesSaid<'a> = dyn Fn(&System, &BTreeSet<RuleId>) -> Option<String> + 'a;

/// The page of a checked proof.
///
/// # Errors
/// A term is too large for a page.
pub fn proof_page(system: &System, bank: &TermBank, flat: &FlatProof) -> Result<String> {
    let largest = flat.terms.iter().map(|&term| bank.size(term)).max().unwrap_or(0);
    let most = CAPS.term_size;
    ensure!(
        largest <= most,
        "a term has {} nodes: a page shows {most} at most",
        thousands(largest)
    );
    let (start, end) = (flat.terms[0], flat.terms[flat.terms.len() - 1]);
    let body = html! {
        h1 { "A proof" }
        p.ends { code { (bank.display(start)) } br; "= " code { (bank.display(end)) } }
        p {
            (counted(flat.steps.len() as u64, "step")) ", accepted by the checker, with the rewrite system "
            code { (system.hash.get(..12).unwrap_or_default()) } ". What the next step rewrites is marked; "
            "← is a rule from right to left. A rule opens what the step makes of the marked part."
        }
        (steps(system, bank, flat, &[]))
    };
    Ok(page("Cairn: a proof", include_str!("report.css"), &body))
}

/// One proof, folded. It is checked once more.
///
/// # Errors
/// The proof's file can't be read, or is refused by the checker.
pub fn proof_section(directory: &Path, system: &System, row: &Row) -> Result<Markup> {
    let mut bank = TermBank::new(system.language.clone());
    let proof = proof_of(directory, system, &mut bank, row)?;
    let sort = bank.sort(proof.start());
    let waypoints = row
        .waypoints
        .iter()
        .map(|text| bank.parse(text, Some(sort)).map_err(|e| anyhow!("waypoint '{text}': {e}")))
        .collect::<Result<Vec<_>>>()?;
    let flat = proof.flatten(&mut bank, CAPS);
    let end = |term| bank.display_part(term, CAPS.term_size).to_string();
    Ok(html! {
        details {
            summary {
                b { (row.task) } " by " b { (row.method) } ": " (stops(row.waypoints.len())) " in "
                (counted(row.e_graphs, "e-graph")) ", " (thousands(row.work)) " work, "
                (counted(row.proof_steps, "proof node"))
            }
            p.ends { code { (end(proof.start())) } br; "= " code { (end(proof.end())) } }
            @match &flat {
                Ok(flat) => (steps(system, &bank, flat, &waypoints)),
                Err(reason) => p.note {
                    "Not shown step by step (" (reason) "); see " code { (row.proof_file) } "."
                },
            }
        }
    })
}

fn stops(waypoints: usize) -> String {
    match waypoints {
        0 => "without waypoints".to_owned(),
        1 => "over 1 waypoint".to_owned(),
        n => format!("over {n} waypoints"),
    }
}

fn steps(system: &System, bank: &TermBank, flat: &FlatProof, waypoints: &[TermId]) -> Markup {
    html! {
        div.scroll {
            ol.proof start="0" {
                @for (i, &term) in flat.terms.iter().enumerate() {
                    @let step = flat.steps.get(i);
                    li.waypoint[waypoints.contains(&term)] {
                        // Marked is what the next step rewrites.
                        code { (term_html(bank, term, step.map(|step| step.path.as_slice()))) }
                        @if let Some(step) = step {
                            " " (step_html(system, bank, step, [term, flat.terms[i + 1]]))
                        }
                    }
                }
            }
        }
    }
}

/// The rule of a step between two terms, which opens both sides, with the part that changes marked, and the rule itself.
fn step_html(system: &System, bank: &TermBank, step: &FlatStep, ends: [TermId; 2]) -> Markup {
    let (name, rule) = match step.rule {
        Justification::Rule(rule) => (system.rule(rule).name.as_str(), Some(system.rule(rule))),
        Justification::Fold => ("constant folding", None),
    };
    html! {
        details.step {
            summary.rule { (if step.forward { "→ " } else { "← " }) (name) }
            @if let Some(rule) = rule {
                p { code { (side(system, rule, &rule.lhs)) } " = " code { (side(system, rule, &rule.rhs)) } }
            }
            @for term in ends { p { code { (term_html(bank, term, Some(&step.path))) } } }
        }
    }
}

fn side(system: &System, rule: &Rule, pattern: &Pattern) -> String {
    let language = &system.language;
    DisplayPattern { language, variables: &rule.variables, pattern }.to_string()
}

/// The term as an s-expression, with the subterm at `path` marked. The caps on flat proofs keep
/// terms so small that recursion is safe.
fn term_html(bank: &TermBank, term: TermId, path: Option<&[u32]>) -> Markup {
    let text = html! {
        @match bank.node(term) {
            Node::Leaf(leaf) => (leaf),
            Node::Op(op) if bank.children(term).is_empty() => (bank.language().op(op).name),
            Node::Op(op) => {
                "(" (bank.language().op(op).name)
                @for (i, &child) in bank.children(term).iter().enumerate() {
                    " "
                    @match path {
                        Some([first, rest @ ..]) if *first as usize == i => {
                            (term_html(bank, child, Some(rest)))
                        }
                        _ => (term_html(bank, child, None)),
                    }
                }
                ")"
            }
        }
    };
    if path.is_some_and(<[u32]>::is_empty) {
        html! { mark { (text) } }
    } else {
        text
    }
}
