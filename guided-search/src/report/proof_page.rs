//! One proof as a page.

use crate::report::proof_view::{CAPS, steps};
use anyhow::{Result, ensure};
use egraph::{FlatProof, System, TermBank};
use maud::html;
use support::show::numbers::{counted, thousands};
use support::show::page::page;

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
            "← is a rule from right to left."
        }
        (steps(system, bank, flat, &[]))
    };
    Ok(page("Cairn: a proof", include_str!("report.css"), &body))
}
