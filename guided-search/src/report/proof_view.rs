//! A proof for readers: one line a step, the rewritten subterm marked, waypoints standing out.

use crate::evaluation::checked::proof_of;
use crate::evaluation::results::Row;
use anyhow::{Result, anyhow};
use egraph::{Caps, FlatProof, Justification, Node, System, TermBank, TermId};
use std::fmt::Write;
use std::path::Path;
use support::show::numbers::{counted, thousands};
use support::show::page::escape;

/// Longer proofs, or proofs through larger terms, are not shown step by step.
const CAPS: Caps = Caps { steps: 400, term_size: 400 };

/// Appends one proof, folded, to a page. It is checked once more.
///
/// # Errors
/// The proof's file can't be read, or is refused by the checker.
pub fn proof_section(
    page: &mut String,
    directory: &Path,
    system: &System,
    row: &Row,
) -> Result<()> {
    let mut bank = TermBank::new(system.language.clone());
    let proof = proof_of(directory, system, &mut bank, row)?;
    let sort = bank.sort(proof.start());
    let waypoints = row
        .waypoints
        .iter()
        .map(|text| bank.parse(text, Some(sort)).map_err(|e| anyhow!("waypoint '{text}': {e}")))
        .collect::<Result<Vec<_>>>()?;
    let _ = writeln!(
        page,
        "<details><summary><b>{}</b> by <b>{}</b>: {} in {}, {} work, {}</summary>\n<p class=\"ends\"><code>{}</code><br>= <code>{}</code></p>",
        escape(&row.task),
        escape(&row.method),
        stops(row.waypoints.len()),
        counted(row.e_graphs, "e-graph"),
        thousands(row.work),
        counted(row.proof_steps, "proof node"),
        escape(&bank.display_part(proof.start(), CAPS.term_size).to_string()),
        escape(&bank.display_part(proof.end(), CAPS.term_size).to_string())
    );
    match proof.flatten(&mut bank, CAPS) {
        Ok(flat) => steps(page, system, &bank, &flat, &waypoints),
        Err(reason) => {
            let _ = writeln!(
                page,
                "<p class=\"note\">Not shown step by step ({reason}); see <code>{}</code>.</p>",
                escape(&row.proof_file)
            );
        }
    }
    page.push_str("</details>\n");
    Ok(())
}

fn stops(waypoints: usize) -> String {
    match waypoints {
        0 => "without waypoints".to_owned(),
        1 => "over 1 waypoint".to_owned(),
        n => format!("over {n} waypoints"),
    }
}

fn steps(
    page: &mut String,
    system: &System,
    bank: &TermBank,
    flat: &FlatProof,
    waypoints: &[TermId],
) {
    page.push_str("<div class=\"scroll\"><ol class=\"proof\" start=\"0\">\n");
    for (i, &term) in flat.terms.iter().enumerate() {
        let class = if waypoints.contains(&term) { " class=\"waypoint\"" } else { "" };
        let _ = write!(page, "<li{class}><code>");
        // Marked is what the next step rewrites.
        let marked = flat.steps.get(i).map(|step| step.path.as_slice());
        term_html(page, bank, term, marked);
        page.push_str("</code>");
        if let Some(step) = flat.steps.get(i) {
            let rule = match &step.rule {
                Justification::Rule(rule) => system.rule(*rule).name.as_str(),
                Justification::Fold => "constant folding",
            };
            let arrow = if step.forward { "→" } else { "←" };
            let _ = write!(page, " <span class=\"rule\">{arrow} {}</span>", escape(rule));
        }
        page.push_str("</li>\n");
    }
    page.push_str("</ol></div>\n");
}

/// The term as an s-expression, with the subterm at `path` marked. The caps on flat proofs keep
/// terms so small that recursion is safe.
fn term_html(page: &mut String, bank: &TermBank, term: TermId, path: Option<&[u32]>) {
    if path.is_some_and(<[u32]>::is_empty) {
        page.push_str("<mark>");
    }
    match bank.node(term) {
        Node::Leaf(leaf) => page.push_str(&escape(&leaf.to_string())),
        Node::Op(op) => {
            let name = escape(&bank.language().op(op).name);
            let children = bank.children(term);
            if children.is_empty() {
                page.push_str(&name);
            } else {
                let _ = write!(page, "({name}");
                for (i, &child) in children.iter().enumerate() {
                    page.push(' ');
                    let below = match path {
                        Some([first, rest @ ..]) if *first as usize == i => Some(rest),
                        _ => None,
                    };
                    term_html(page, bank, child, below);
                }
                page.push(')');
            }
        }
    }
    if path.is_some_and(<[u32]>::is_empty) {
        page.push_str("</mark>");
    }
}
