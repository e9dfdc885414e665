//! An e-graph as a page: its classes, what they cost, the best term; a small one is drawn.

use crate::commands::export::drawing::{drawing, name};
use egraph::{BestTerms, CostFunction, Id, TermBank};
use maud::{Markup, html};
use support::{counted, counted_as, page};

/// The title of the page.
pub const TITLE: &str = "Cairn: an e-graph";

/// More classes are not listed.
const MOST_CLASSES: usize = 2_000;
/// More e-nodes of a class are not listed.
const MOST_NODES: usize = 50;
/// Nodes of a term that are written.
const TERM_SIZE: u64 = 200;
/// Those of the best term of a class in the list.
const LINE_SIZE: u64 = 16;

const STYLE: &str = include_str!("egraph.css");

/// The page of a rebuilt e-graph; `roots` are the classes that it was grown from.
pub fn egraph_page(
    best: &BestTerms<'_>,
    bank: &mut TermBank,
    cost: &CostFunction,
    roots: &[Id],
) -> String {
    let egraph = best.egraph();
    let best_terms: Vec<(Id, String, String)> = roots
        .iter()
        .map(|&class| {
            let term = best.term(bank, class);
            let text = term.map_or("none of a known cost".to_owned(), |term| {
                bank.display_part(term, TERM_SIZE).to_string()
            });
            (class, text, cost_text(best, cost, class))
        })
        .collect();
    let body = html! {
        h1 { "An e-graph" }
        p {
            (counted(egraph.node_count() as u64, "e-node")) " in "
            (counted_as(egraph.class_count() as u64, "e-class", "e-classes")) ", grown with the rewrite system "
            code { (egraph.system().hash.get(..12).unwrap_or_default()) }
            ". Costs: " (cost.names().join(", ")) "."
        }
        h2 { "Best terms" }
        div.scroll {
            table {
                tr { th { "class" } th { "cost" } th { "term" } }
                @for (class, text, cost) in &best_terms {
                    tr { td { (link(*class)) } td.n { (cost) } td { code { (text) } } }
                }
            }
        }
        @if let Some(drawing) = drawing(best, roots) {
            h2 { "Drawn" }
            p.note {
                "A box is an e-class, with the cost of its best term; an e-node of a best term is "
                "marked. Lines lead from an e-node down to the classes of its arguments, and up "
                "where it is part of a cycle."
            }
            div.scroll { (drawing) }
        }
        h2 { "Classes" }
        p.note { "A class opens its e-nodes; that of the best term is marked. A number leads to its class." }
        (classes(best, bank, cost))
    };
    page(TITLE, STYLE, &body)
}

/// A line for each class, which opens its e-nodes; a link to a class opens it.
fn classes(best: &BestTerms<'_>, bank: &mut TermBank, cost: &CostFunction) -> Markup {
    let egraph = best.egraph();
    let rest = egraph.class_count().saturating_sub(MOST_CLASSES);
    let mut line = |class: Id| {
        let term = best.term(bank, class);
        let term = term.map(|term| bank.display_part(term, LINE_SIZE).to_string());
        let sort = egraph.system().language.sort_name(egraph.sort(class));
        let size = counted(egraph.nodes(class).len() as u64, "e-node");
        html! {
            b { (class.0) } " " span.soft { (sort) ", cost " (cost_text(best, cost, class)) ", " (size) } " "
            @if let Some(term) = term { code { (term) } }
        }
    };
    html! {
        @for class in egraph.classes().take(MOST_CLASSES) {
            details.class {
                summary { (line(class)) }
                div id=(format!("c{}", class.0)) { (nodes(best, class)) }
            }
        }
        @if rest > 0 { p.note { "And " (counted_as(rest as u64, "more class", "more classes")) "." } }
    }
}

/// What a class holds, and what is known of it.
fn nodes(best: &BestTerms<'_>, class: Id) -> Markup {
    let egraph = best.egraph();
    let nodes = egraph.nodes(class);
    html! {
        @if !egraph.system().analyses.is_empty() { p.note { (egraph.facts_text(class)) } }
        @for &node in nodes.iter().take(MOST_NODES) {
            span.enode.best[best.node(class) == Some(node)] {
                (name(best, node))
                @for &child in egraph.children(node) { " " (link(child)) }
            }
        }
        @if nodes.len() > MOST_NODES { span.note { "and " (nodes.len() - MOST_NODES) " more" } }
    }
}

fn cost_text(best: &BestTerms<'_>, cost: &CostFunction, class: Id) -> String {
    best.cost(class).map_or("none".to_owned(), |found| cost.text(&found))
}

fn link(class: Id) -> Markup {
    html! { a href=(format!("#c{}", class.0)) { (class.0) } }
}
