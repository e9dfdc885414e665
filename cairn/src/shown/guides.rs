//! How guides are shown on their way to a search.

use egraph::{TermBank, TermId};
use guided_search::{GuideRequest, GuideSet, Waypoint};
use support::{counted, note, thousands};

/// Nodes of a term that are printed at most: there are many, and their outlines say enough.
const NODES: u64 = 60;

/// Prints a request and its answer: the pair whose e-graph did not connect it, what stands in the class
/// of either side, and what is only proposed.
pub fn show_guides(request: &GuideRequest<'_>, guides: &GuideSet, bank: &TermBank) {
    let text = |term: TermId| bank.display_part(term, NODES).to_string();
    let e_nodes = thousands(request.e_nodes() as u64);
    note(&format!(
        "request {}: an e-graph of {e_nodes} e-nodes did not connect",
        request.number + 1
    ));
    note(&format!("    {}\n    {}", text(request.start()), text(request.target())));
    for (side, terms) in ["start", "target"].into_iter().zip(&guides.reached) {
        list(&format!("in the class of its {side}"), terms.iter().map(|&term| text(term)));
    }
    let proposed = guides.proposals.iter().map(|proposal| match &proposal.waypoint {
        Waypoint::Term(term) => text(*term),
        Waypoint::Sketch(sketch) => sketch.display(bank.language()).to_string(),
    });
    list("proposed, to be looked up in every e-graph", proposed);
}

fn list(what: &str, terms: impl ExactSizeIterator<Item = String>) {
    if terms.len() > 0 {
        note(&format!("  {} {what}:", counted(terms.len() as u64, "guide")));
        terms.for_each(|term| note(&format!("    {term}")));
    }
}
