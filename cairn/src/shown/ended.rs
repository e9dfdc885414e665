//! Why an optimiser ended, in a sentence.

use crate::shown::one_way::one_way;
use egraph::System;
use guided_search::{Ended, Outcome};
use support::{counted, counted_as, thousands};

/// What was spent, and why it ended; `shared` says whether equal parts of a term count once.
pub fn spent(outcome: &Outcome, system: &System, shared: bool) -> String {
    let ledger = &outcome.ledger;
    format!(
        "{}; {} work, {}",
        explained(outcome, system, shared),
        thousands(ledger.work),
        counted(ledger.e_graphs, "e-graph")
    )
}

fn explained(outcome: &Outcome, system: &System, shared: bool) -> String {
    // Looks at all rules.
    let one_way = || one_way(system, "a term that equals it may cost less, and not be derived");
    match outcome.ended {
        // Folding goes one way, too: no e-graph has all that a literal could be computed from.
        Ended::Saturated
            if !shared && !system.language.constant_folding && one_way().is_empty() =>
        {
            "the rules derive nothing else from the start; all of them go both ways, so no term that they make \
             equal costs less"
                .to_owned()
        }
        Ended::Saturated => format!("the rules derive nothing else from the start{}", one_way()),
        Ended::Proved => format!(
            "the rules derive nothing else from the start, and none of it costs less{}",
            one_way()
        ),
        Ended::Least => "no term costs less".to_owned(),
        Ended::Smallest { classes, of_all_operators } => format!(
            "no smaller term{} has the same values ({} looked through)",
            if of_all_operators { "" } else { " of + - * & | ^ ~ neg, or of operators of the term," },
            counted_as(classes, "class of smaller terms", "classes of smaller terms")
        ),
        Ended::Settled => "nothing is left to start over from".to_owned(),
        Ended::Large => "the start alone fills an e-graph (see --cap)".to_owned(),
        Ended::Patience => {
            let found = outcome.best().map_or(0, |best| best.work);
            let since = thousands(outcome.ledger.work.saturating_sub(found));
            format!("no better term came in {since} more work (see --patience)")
        }
        Ended::Work => "the work is spent".to_owned(),
        Ended::Time => "the time is over".to_owned(),
        Ended::Cancelled => "somebody asked to stop".to_owned(),
        Ended::Conflict => "a rule is not sound".to_owned(),
        Ended::Reached => "a term satisfies the goal".to_owned(),
        Ended::Strategy => "the strategy is done".to_owned(),
        Ended::Lost => {
            "a phase of the strategy did not come to its goal, or no cost is known".to_owned()
        }
        Ended::Cap => "an e-graph came to the cap, or a proof to the memory that goes with it".to_owned(),
    }
}
