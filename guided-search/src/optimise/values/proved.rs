//! A proof that a term which has the values of the start equals it: both may have one normal form, and
//! small e-graphs grown from both sides may meet.

use crate::optimise::growth::Growth;
use crate::search::stage::Ends;
use crate::search::turns::Turns;
use anyhow::Result;
use egraph::TermId;

/// E-nodes of the first turn.
const FIRST_TURN: usize = 1_024;
/// So much work, in e-nodes, the proofs of all guesses may take that have another normal form, or none.
pub const MOST: u64 = 8_192;

/// Whether a term is proved to be equal to terms that are known to equal the start; the proof is kept. Once so much work was
/// spent, it has to have a known normal form.
pub fn is_proved(
    run: &mut Growth<'_>,
    guess: TermId,
    equals: &[TermId],
    work: u64,
) -> Result<bool> {
    let until = run.ledger.work.saturating_add(work);
    let mut guesses = vec![guess];
    guesses.extend(run.normal_form(guess).filter(|&form| form != guess));
    if run.is_known(guess) {
        return Ok(true);
    }
    let subterms = |&term: &TermId| run.bank.subterms(term).len();
    let nodes: usize = guesses.iter().chain(equals).map(subterms).sum();
    let mut turns = Turns::new(run.schedulers(), FIRST_TURN.max(2 * nodes));
    while let Some((scheduler, nodes)) = turns.next() {
        if run.over().is_some() || run.ledger.work >= until {
            break;
        }
        let mut config = run.config(run.cap(), scheduler);
        let most = config.limits.nodes.unwrap_or(usize::MAX);
        config.limits.nodes = Some(most.min(nodes));
        let ends = Ends { starts: equals, targets: &guesses, until: None };
        let stage = run.grow(ends, &config);
        if let Some((equal, guess)) = stage.met {
            run.connect(&stage, equal, guess)?;
            return Ok(true);
        }
        turns.ended(scheduler, stage.stop, most);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::answer::OptimiseSettings;
    use crate::options::budget::{Budget, Cap};
    use crate::options::schedulers::Schedulers;
    use egraph::{System, TermBank};
    use std::sync::Arc;

    /// Whether a guess is proved to equal a term, and the work that it took.
    fn proved(rules: &str, terms: [&str; 2], work: u64) -> (bool, u64) {
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let [start, guess] = terms.map(|text| bank.parse(text, None).unwrap());
        let budget = Budget { cap: Cap::Nodes(8_000), work, scheduler: Schedulers::Auto };
        let settings = OptimiseSettings::within(budget, 0);
        let mut run = Growth::new(&system, &mut bank, start, &settings);
        let form = run.normal_form(start);
        let equals: Vec<TermId> = [Some(start), form].into_iter().flatten().collect();
        let is_proved = is_proved(&mut run, guess, &equals, MOST).unwrap();
        assert_eq!(run.is_known(guess), is_proved);
        (is_proved, run.ledger.work)
    }

    const MBA: &str = include_str!("../../../../configs/systems/mba.rules");
    const WORDS: &str = "(sort W) (literal (bits 8) W) (variable W) (op + (W W) W) (op & (W W) W)
        (rewrite (+ ?a ?b) (+ ?b ?a))
        (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";

    #[test]
    fn one_normal_form_is_a_proof_without_an_e_graph() {
        let (is_proved, work) = proved(MBA, ["(+ (^ x y) (* 2 (& x y)))", "(+ x y)"], 100_000);
        assert!(is_proved && work < 200, "{work}");
    }

    #[test]
    fn e_graphs_from_both_sides_meet() {
        let sums = ["(+ a (+ b (+ c d)))", "(+ (+ d b) (+ c a))"];
        assert!(proved(WORDS, sums, 100_000).0);
        assert!(!proved(WORDS, sums, 10).0);
    }

    #[test]
    fn what_the_rules_do_not_say_is_not_proved_and_costs_little() {
        let start = "(& a (+ b (+ c (+ d (+ e (+ f (+ g h)))))))";
        let (is_proved, work) = proved(WORDS, [start, "(& b a)"], 1_000_000);
        assert!(!is_proved && work < 3 * MOST, "{work}");
    }
}
