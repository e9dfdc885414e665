//! What the words of the page mean.

use crate::evaluation::evaluate::Evaluation;
use maud::{Markup, html};
use support::show::numbers::thousands;

/// The words, folded.
pub fn words(evaluation: &Evaluation) -> Markup {
    let budget = &evaluation.search.budget;
    let cap = format!("the most that one e-graph may hold, here {} e-nodes or bytes", budget.cap);
    let cap = match budget.cap {
        crate::search::budget::Cap::Nodes(nodes) => {
            format!("the most e-nodes that one e-graph may hold, here {}", thousands(nodes as u64))
        }
        crate::search::budget::Cap::Memory(_) => cap,
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
                    ("cap (method)", "one e-graph up to the cap and nothing else"),
                    ("all-work", "one e-graph that may hold all of the work: the baseline without \
                      a cap"),
                    ("random, descend, nearest", "guides taken from the frontier of both sides \
                      without a model: by chance, by chance from the small ones, or those most like \
                      the other side"),
                    ("shared", "guides from the frontier of both sides with the fewest distinct \
                      subterms, those of the other side's term counted in"),
                    ("deep", "the same, in e-graphs that apply the most promising matches first, \
                      and in such as apply all, in turn"),
                    ("ranked", "the same, the order of matches learned from proofs (cairn learn)"),
                    ("smallest", "the smallest term of each side, until nothing becomes smaller"),
                    ("model", "guides that a trained model writes"),
                    ("select", "frontier terms of both sides that are most like what the model \
                      writes"),
                    ("oracle", "the true waypoints of the chain that made the task: what perfect \
                      guides would buy"),
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
            }
        }
    }
}
