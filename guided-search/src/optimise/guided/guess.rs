//! Guesses: a normal form is quickly found and long, and a model has learned what smaller terms have it. What it
//! writes is brought into the normal form, too: where both are the same, so are the terms, and the two ways there are the
//! proof. A wrong guess costs the work of its normal form, and nothing else.
//!
//! A polynomial may be a product of sums, which needs no model. And one is asked for the shape of a polynomial, too, where that is
//! another question: numbers are worked out.
//!
//! Parts of the best term are guessed as the whole is: one that is too long for the model, or too hard, has parts that
//! are not.

use crate::optimise::answer::Objective;
use crate::optimise::factors::divisor::Visits;
use crate::optimise::factors::shape::Shape;
use crate::optimise::factors::sums::product_of_sums;
use crate::optimise::growth::Growth;
use crate::optimise::guided::planner::Planner;
use anyhow::Result;
use egraph::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Questions in a row without a better term after which no more are asked.
const PATIENCE: u32 = 4;
/// The same for a part.
const PATIENCE_FOR_PART: u32 = 1;
/// The same for a shape.
const PATIENCE_FOR_SHAPE: u32 = 1;
/// Nodes of the smallest part that is asked for: e-graphs find what is smaller.
const LEAST_PART: u64 = 10;

/// What normal forms may become, a model that is asked for it, if there is one, and what it was asked.
pub(in crate::optimise) struct Guesses<'a> {
    objective: &'a Objective,
    model: Option<&'a dyn Planner>,
    /// The normal form of the start.
    form: TermId,
    /// Normal forms of parts that were asked for.
    asked: FxHashSet<TermId>,
}

/// What stands in the best term for what was asked, whose normal form is `form`, and whether that became better.
struct Asked {
    part: TermId,
    form: TermId,
    is_better: bool,
}

impl<'a> Guesses<'a> {
    /// Guesses terms whose normal form is `form`, which is known to equal the start.
    pub fn new(
        objective: &'a Objective,
        model: Option<&'a dyn Planner>,
        form: TermId,
    ) -> Guesses<'a> {
        Guesses { objective, model, form, asked: FxHashSet::from_iter([form]) }
    }

    /// Asks for terms that are better than the best one until no better ones come; each is noted. Whether one came.
    ///
    /// # Errors
    /// The model can't be run.
    pub fn whole(&self, run: &mut Growth<'_>) -> Result<bool> {
        let best = run.curve.last().map_or(self.form, |best| best.term);
        self.ask(run, best, self.form, PATIENCE)
    }

    /// Asks the model for what parts of the best term may become, the largest first, until all were asked for once; each
    /// better term is noted. Whether one came.
    ///
    /// # Errors
    /// The model can't be run.
    pub fn parts(&mut self, run: &mut Growth<'_>) -> Result<bool> {
        let mut is_better = false;
        if self.model.is_none() {
            return Ok(false);
        }
        while let Some((part, form)) = self.next_part(run) {
            is_better |= self.ask(run, part, form, PATIENCE_FOR_PART)?;
        }
        Ok(is_better)
    }

    /// The largest part of the best term that was not asked for, with its normal form.
    fn next_part(&mut self, run: &mut Growth<'_>) -> Option<(TermId, TermId)> {
        let best = run.curve.last()?.term;
        let mut parts = run.bank.subterms(best);
        parts.retain(|&part| part != best && run.bank.size(part) >= LEAST_PART);
        parts.sort_by_key(|&part| std::cmp::Reverse(run.bank.size(part)));
        for part in parts {
            if run.over().is_some() {
                return None;
            }
            let form = run.normal_form(part)?;
            if self.asked.insert(form) {
                return Some((part, form));
            }
        }
        None
    }

    /// Guesses terms whose normal form is `form`, which is that of a part of the best term: a product of sums, then what the model
    /// says of its shape, and of itself, until some questions in a row had no answer with which the best term became better. Each better
    /// one is noted. Whether one came.
    fn ask(&self, run: &mut Growth<'_>, part: TermId, form: TermId, patience: u32) -> Result<bool> {
        let mut asked = Asked { part, form, is_better: false };
        let mut visits = Visits::within(run.left());
        let product = product_of_sums(run.bank, form, &mut visits);
        run.ledger.work += visits.work();
        if let Some(product) = product {
            self.take(run, &mut asked, product);
        }
        let Some(model) = self.model else { return Ok(asked.is_better) };
        if let Some(shape) = Shape::of(run.bank, form) {
            let (question, mut seen) = (shape.question, FxHashSet::default());
            let fitted = |run: &mut Growth<'_>, answer| {
                let mut visits = Visits::within(run.left());
                let fitted = shape.fitted(run.bank, answer, &mut visits);
                run.ledger.work += visits.work();
                fitted.filter(|&fitted| seen.insert(fitted))
            };
            self.ask_about(run, model, &mut asked, (question, PATIENCE_FOR_SHAPE), fitted)?;
        }
        self.ask_about(run, model, &mut asked, (form, patience), |_, answer| Some(answer))?;
        Ok(asked.is_better)
    }

    /// Asks what `question` may become, which `term_of` makes a term that may have the place of the part.
    fn ask_about(
        &self,
        run: &mut Growth<'_>,
        model: &dyn Planner,
        asked: &mut Asked,
        (question, patience): (TermId, u32),
        mut term_of: impl FnMut(&mut Growth<'_>, TermId) -> Option<TermId>,
    ) -> Result<()> {
        let mut without = 0;
        for number in 0.. {
            if without == patience || run.over().is_some() {
                break;
            }
            without += 1;
            let most = run.bank.size(question);
            for answer in model.next(run.bank, question, question, most, number)? {
                let Some(term) = term_of(run, answer) else { continue };
                if self.take(run, asked, term) {
                    without = 0;
                }
            }
        }
        Ok(())
    }

    /// Puts a term in the place of the part, if the best term becomes better with it, and that is proved; whether it does.
    fn take(&self, run: &mut Growth<'_>, asked: &mut Asked, term: TermId) -> bool {
        let best = run.curve.last().cloned();
        let around = best.as_ref().map_or(asked.part, |best| best.term);
        let whole = run.bank.replace_all(around, FxHashMap::from_iter([(asked.part, term)]));
        let cost = self.objective.of_term(run.bank, whole);
        let is_better = cost.is_some_and(|cost| best.is_none_or(|best| cost < best.cost))
            && (whole == term || run.normal_form(term) == Some(asked.form))
            && run.normal_form(whole) == Some(self.form)
            && run.note_if_better(self.objective, whole);
        if is_better {
            (asked.part, asked.is_better) = (term, true);
        }
        is_better
    }
}

#[cfg(test)]
mod tests {
    use crate::optimise::answer::{Objective, OptimiseSettings};
    use crate::optimise::guided::planner::Planner;
    use crate::optimise::run::optimise;
    use crate::options::budget::{Budget, Cap};
    use crate::options::schedulers::Schedulers;
    use anyhow::Result;
    use egraph::{CostFunction, Sketch, System, TermBank, TermId, check, normalise};
    use rustc_hash::FxHashSet;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

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
        let scripted = Scripted(said.to_vec(), AtomicUsize::new(0));
        let (term, scripted) = best_by(start, scripted, work);
        (term, scripted.1.load(Ordering::Relaxed))
    }

    /// The best term with a model, and the model.
    fn best_by<P: Planner + 'static>(start: &str, model: P, work: u64) -> (String, Arc<P>) {
        let system = Arc::new(System::parse(RULES).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let start = bank.parse(start, None).unwrap();
        let cost = CostFunction::named(&system, "size").unwrap();
        let objective = Objective::tree(cost, Sketch::Any);
        let budget = Budget { cap: Cap::Nodes(50), work, scheduler: Schedulers::Auto };
        let model = Arc::new(model);
        let planner: Arc<dyn Planner> = model.clone();
        let settings =
            OptimiseSettings { planner: Some(planner), ..OptimiseSettings::within(budget, 0) };
        let outcome = optimise(&system, &mut bank, start, &objective, &settings).unwrap();
        let (best, proof) = (outcome.best().unwrap(), outcome.proof.as_ref().unwrap());
        check(&system, &bank, proof).unwrap();
        assert_eq!((proof.start(), proof.end()), (start, best.term));
        (bank.text(best.term), model)
    }

    /// No product of sums of variables.
    const CUBE: &str = "(+ (* x (* x (* x (* x (* x x))))) (+ (* (* y y) (* 3 (* x x)))
        (+ (* (* y y) y) (* (* x (* x (* x x))) (* 3 y)))))";

    /// Its normal form, the shape of that, and the smallest term with it.
    const FORM: &str = "(+ (* x (* x (* x (* x (* x x))))) (+ (* 3 (* x (* x (* x (* x y))))) \
        (+ (* 3 (* x (* x (* y y)))) (* y (* y y)))))";
    const SHAPE: &str = "(+ (* x (* x (* x (* x (* x x))))) (+ (* x (* x (* x (* x y)))) \
        (+ (* x (* x (* y y))) (* y (* y y)))))";
    const PRODUCT: &str = "(* (+ (* x x) y) (* (+ (* x x) y) (+ (* x x) y)))";

    #[test]
    fn a_right_guess_is_an_answer_with_a_proof() {
        let said = [PRODUCT];
        let (term, asked) = best(CUBE, &said, 1_000);
        let of_shape = super::PATIENCE_FOR_SHAPE;
        // What is multiplied with the first factor is asked for, too.
        let patience = of_shape + super::PATIENCE + of_shape + super::PATIENCE_FOR_PART;
        assert_eq!((term.as_str(), asked), (said[0], 1 + patience as usize));
    }

    /// Knows what some normal forms may become, and writes down what it was asked.
    #[derive(Debug)]
    struct Knows(&'static [[&'static str; 2]], Mutex<Vec<String>>);

    impl Planner for Knows {
        fn next(
            &self,
            bank: &mut TermBank,
            from: TermId,
            _: TermId,
            _: u64,
            _: u64,
        ) -> Result<Vec<TermId>> {
            let form = bank.text(from);
            let said = self.0.iter().find(|pair| pair[0] == form).map(|pair| pair[1]);
            self.1.lock().unwrap().push(form);
            said.map(|said| Ok(bank.parse(said, None)?)).into_iter().collect()
        }
    }

    #[test]
    fn what_is_left_of_a_guess_is_guessed_too() {
        const SQUARE: &str = "(+ (* x (* x (* x x))) (+ (* 2 (* x (* x y))) (* y y)))";
        const HALF: &str = "(* (+ (* x x) y) \
            (+ (* x (* x (* x x))) (+ (* 2 (* x (* x y))) (* y y))))";
        const OTHER: &str = "(* (+ (* x x) y) (+ (* x x) y))";
        let knows = Knows(&[[FORM, HALF], [SQUARE, OTHER]], Mutex::default());
        let (term, knows) = best_by(CUBE, knows, 1_000);
        assert_eq!(term, PRODUCT);
        let asked = |form| knows.1.lock().unwrap().iter().filter(|asked| *asked == form).count();
        let [patience, of_part] = [super::PATIENCE, super::PATIENCE_FOR_PART].map(|n| n as usize);
        assert_eq!([asked(FORM), asked(SQUARE)], [1 + patience, 1 + of_part]);
    }

    #[test]
    fn parts_are_guessed_where_the_whole_is_not() {
        let knows = || Knows(&[[FORM, PRODUCT]], Mutex::default());
        let start = format!("(* (* z z) (- z {CUBE}))");
        let (term, _) = best_by(&start, knows(), 2_000);
        assert_eq!(term, format!("(* (* z z) (- z {PRODUCT}))"));
        let (term, _) = best_by(&start, Knows(&[], Mutex::default()), 2_000);
        assert!(term.len() > start.len() / 2, "{term}");
    }

    /// Of another shape.
    const WRONG: &str = "(* (+ x 1) (* (+ y 1) (- x 1)))";

    #[test]
    fn a_wrong_guess_is_none_and_after_some_nobody_is_asked() {
        let knows = Knows(&[[SHAPE, WRONG], [FORM, WRONG]], Mutex::default());
        let (term, knows) = best_by(CUBE, knows, 1_000);
        assert!(term.len() > WRONG.len(), "{term}");
        let asked = knows.1.lock().unwrap();
        let [of_shape, of_whole] = [super::PATIENCE_FOR_SHAPE, super::PATIENCE].map(|n| n as usize);
        let (whole, parts) = asked.split_at(of_shape + of_whole);
        assert!(whole[..of_shape].iter().all(|asked| asked == SHAPE), "{asked:?}");
        assert!(whole[of_shape..].iter().all(|asked| asked == FORM), "{asked:?}");
        // Each part once, and its shape.
        let different: FxHashSet<&String> = parts.iter().collect();
        assert_eq!(different.len(), parts.len());
        assert!(!parts.is_empty() && !different.contains(&FORM.to_owned()), "{parts:?}");
    }

    #[test]
    fn numbers_that_a_model_can_not_work_out_are() {
        const QUADRATIC: &str = "(* (- (* 31 (* x x)) (* 77 y)) \
            (* (+ (* 58 (* x x)) (* 9 y)) (+ (* x x) (* 64 y))))";
        let system = System::parse(RULES).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let product = bank.parse(QUADRATIC, None).unwrap();
        let form = normalise(&system, &mut bank, product, 1_000).unwrap().term;
        let (expanded, most) = (bank.text(form), bank.size(product));
        let mut small = |known: &'static [[&str; 2]]| {
            let (term, _) = best_by(&expanded, Knows(known, Mutex::default()), 4_000);
            bank.parse(&term, None).map(|term| bank.size(term) <= most).unwrap()
        };
        assert!(small(&[[SHAPE, PRODUCT]]));
        assert!(!small(&[]));
    }

    #[test]
    fn the_work_of_guesses_counts() {
        let (_, asked) = best(CUBE, &[WRONG], 40);
        assert!(asked < super::PATIENCE as usize, "{asked}");
    }
}
