//! Guesses: a normal form is quickly found and long, and a model has learned what smaller terms have it. What it
//! writes is brought into the normal form, too: where both are the same, so are the terms, and the two ways there are the
//! proof. A wrong guess costs the work of its normal form, and nothing else.

use crate::optimise::answer::Objective;
use crate::optimise::growth::Growth;
use crate::optimise::guided::planner::Planner;
use anyhow::Result;
use egraph::TermId;

/// Questions in a row without a better term after which no more are asked.
const PATIENCE: u32 = 4;

/// Asks for terms whose normal form is `form`, which is known to equal the start, until no better ones come; each
/// better one is noted.
pub(in crate::optimise) fn guess(
    run: &mut Growth<'_>,
    form: TermId,
    objective: &Objective,
    model: &dyn Planner,
) -> Result<()> {
    let mut without = 0;
    for number in 0.. {
        if without == PATIENCE || run.over().is_some() {
            break;
        }
        without += 1;
        let most = run.bank.size(form);
        for term in model.next(run.bank, form, form, most, number)? {
            let cost = objective.of_term(run.bank, term);
            let is_better =
                cost.is_some_and(|cost| run.curve.last().is_none_or(|best| cost < best.cost));
            if is_better && run.normal_form(term) == Some(form) {
                run.note_if_better(objective, term);
                without = 0;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::optimise::answer::{Objective, OptimiseSettings};
    use crate::optimise::guided::planner::Planner;
    use crate::optimise::run::optimise;
    use crate::options::budget::{Budget, Cap};
    use crate::options::schedulers::Schedulers;
    use anyhow::Result;
    use egraph::{CostFunction, Sketch, System, TermBank, TermId, check};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const RULES: &str = include_str!("../../../../configs/systems/polynomials.rules");

    /// Says one of these for each question, and then the last one again.
    #[derive(Debug)]
    struct Scripted(Vec<&'static str>, AtomicUsize);

    impl Planner for Scripted {
        fn next(
            &self,
            bank: &mut TermBank,
            from: TermId,
            to: TermId,
            most: u64,
            _: u64,
        ) -> Result<Vec<TermId>> {
            assert_eq!((from, most), (to, bank.size(from)));
            let number = self.1.fetch_add(1, Ordering::Relaxed).min(self.0.len() - 1);
            Ok(vec![bank.parse(self.0[number], None)?])
        }
    }

    /// The best term, where the search is allowed that many e-nodes and rule steps, and how often the model was asked.
    fn best(start: &str, said: &[&'static str], work: u64) -> (String, usize) {
        let system = Arc::new(System::parse(RULES).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let start = bank.parse(start, None).unwrap();
        let cost = CostFunction::named(&system, "size").unwrap();
        let objective = Objective::tree(cost, Sketch::Any);
        let budget = Budget { cap: Cap::Nodes(50), work, scheduler: Schedulers::Auto };
        let scripted = Arc::new(Scripted(said.to_vec(), AtomicUsize::new(0)));
        let planner: Arc<dyn Planner> = scripted.clone();
        let settings =
            OptimiseSettings { planner: Some(planner), ..OptimiseSettings::within(budget, 0) };
        let outcome = optimise(&system, &mut bank, start, &objective, &settings).unwrap();
        let (best, proof) = (outcome.best().unwrap(), outcome.proof.as_ref().unwrap());
        check(&system, &bank, proof).unwrap();
        assert_eq!((proof.start(), proof.end()), (start, best.term));
        (bank.text(best.term), scripted.1.load(Ordering::Relaxed))
    }

    const CUBE: &str =
        "(+ (* x (* x x)) (+ (* (* y y) (* 3 x)) (+ (* (* y y) y) (* (* x x) (* 3 y)))))";

    #[test]
    fn a_right_guess_is_an_answer_with_a_proof() {
        let said = ["(* (+ x y) (* (+ x y) (+ x y)))"];
        let (term, asked) = best(CUBE, &said, 400);
        assert_eq!((term.as_str(), asked), (said[0], 1 + super::PATIENCE as usize));
    }

    #[test]
    fn a_wrong_guess_is_none_and_after_some_nobody_is_asked() {
        let said = ["(* (+ x y) (* (+ x y) (- x y)))", "x"];
        let (term, asked) = best(CUBE, &said, 400);
        assert!(term.len() > said[0].len(), "{term}");
        assert_eq!(asked, super::PATIENCE as usize);
    }

    #[test]
    fn the_work_of_guesses_counts() {
        let (_, asked) = best(CUBE, &["(* (+ x y) (* (+ x y) (- x y)))"], 40);
        assert!(asked < super::PATIENCE as usize, "{asked}");
    }
}
