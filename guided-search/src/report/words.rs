//! What the words of the page mean.

use crate::evaluation::described::Evaluation;
use crate::methods::table::Method;
use crate::options::budget::Cap;
use maud::{Markup, html};
use support::thousands;

/// The words, folded.
pub fn words(evaluation: &Evaluation) -> Markup {
    let budget = &evaluation.search.budget;
    let cap = format!("the most that one e-graph may hold, here {} e-nodes or bytes", budget.cap);
    let cap = match budget.cap {
        Cap::Nodes(nodes) => {
            format!("the most e-nodes that one e-graph may hold, here {}", thousands(nodes as u64))
        }
        Cap::Memory(_) => cap,
    };
    let work = format!(
        "all e-nodes ever built for a task, summed over its e-graphs, those grown to find a guide \
         included; every method may spend {}",
        thousands(budget.work)
    );
    html! {
        details {
            summary { "What the words on this page mean" }
            dl {
                @for (word, meaning) in [
                    ("task", "two terms, a start and a target, that are to be proved equal"),
                    ("e-graph", "a set of terms with all their rewritings found so far; e-nodes \
                      are its size"),
                    ("cap", &cap),
                    ("work", &work),
                    ("guide", "a term or sketch on the way from start to target, at which a fresh \
                      e-graph is begun"),
                    ("waypoint", "a guide that the proof goes through"),
                    ("expansion", "a fresh e-graph, grown from a term of each side"),
                    ("frontier", "terms that an e-graph reached in its last iteration"),
                    ("far chain", "how a task was made: from a seed, link by link, each link \
                      ending at a frontier term of a fresh e-graph"),
                    ("theorem, identity", "the families of tasks: those whose seed was found to equal a \
                      constant, and the others"),
                    ("hard", "a task that all-work does not solve"),
                    ("p", "how likely chance alone would make a difference at least as large, of two \
                      methods of which neither is better, on the same tasks (McNemar's exact test)"),
                    ("95 % interval", "where the true rate may lie, by Wilson's score, if these \
                      tasks are a random sample"),
                ] {
                    dt { (word) } dd { (meaning) }
                }
                @for method in Method::all() {
                    dt { "method " (method) } dd { (method.sentence()) }
                }
            }
        }
    }
}
