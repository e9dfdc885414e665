//! Optimising, any time: a fresh e-graph is grown from the best term known, the best term of its class is
//! extracted, and the next e-graph begins there.
//!
//! An e-graph may have few e-nodes at first and four times as many from turn to turn up to the cap, with
//! each scheduler, until it holds something better: most steps need a small one. The start and its normal form have
//! turns as the best term has: what leads away from them may not lead back to what a small e-graph of theirs holds.
//! When even the largest hold nothing better, the optimiser walks: it starts
//! over from random frontier terms that are hardly larger than the best term, and from better ones that
//! these lead to, until the work is spent. While no term satisfies a goal, every other e-graph may leave terms several
//! times as large as the goal, and when nothing is left, the optimiser begins anew with other ones.
//!
//! A normal form may be a product of sums. A model that is there may write the way to a goal, or where there is none, what a normal form may become.

use crate::optimise::answer::{Ended, Objective, OptimiseSettings, Outcome};
use crate::optimise::begun::Early;
use crate::optimise::expansion::{Expanded, Leaving, ToExpand};
use crate::optimise::growth::Growth;
use crate::optimise::guided::guess::Guesses;
use crate::optimise::guided::plan::follow_planner;
use crate::optimise::guided::planner::Goal;
use crate::optimise::guided::strategy::follow_strategy;
use crate::optimise::values::proved::{MOST, is_proved};
use crate::optimise::values::smaller::{Smaller, look, look_at_sums};
use crate::options::prove::WALK;
use crate::search::randomness::stream;
use crate::search::stage::bounded;
use crate::search::turns::Turns;
use crate::search::walking::agenda::{Agenda, WALKS};
use crate::search::walking::ahead::{Ahead, Crew};
use anyhow::Result;
use egraph::{Extracted, SaturationConfig, Sketch, StopReason, System, TermBank, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The best term that equals `start`, as far as the budget goes.
///
/// # Errors
/// [`Internal`](support::Internal), when a proof is refused by the checker.
pub fn optimise(
    system: &Arc<System>,
    bank: &mut TermBank,
    start: TermId,
    objective: &Objective,
    settings: &OptimiseSettings,
) -> Result<Outcome> {
    let bounds = settings.limits.budget.bounds(settings.deadline, settings.cancel.as_ref());
    let threads = settings.pool.as_ref().map_or(1, |pool| pool.current_num_threads());
    let mut optimiser = Optimiser {
        start,
        system,
        objective,
        shared: Arc::new(objective.clone()),
        settings,
        crew: Crew::new(bounds.clone(), threads),
        smallest: bank.size(start),
        run: Growth::new(system, bank, start, settings),
        form: None,
        guesses: None,
        smaller: None,
        put_together: FxHashSet::default(),
        work_of_proofs: MOST,
        turns: FxHashMap::default(),
        early: Early::default(),
        expanded: FxHashSet::default(),
        walked: 0,
        agenda: Agenda::new(WALK, stream(settings.seed, 0, 0, u64::MAX - 2)),
        left: false,
    };
    if let Some(cost) = objective.of_term(optimiser.run.bank, start) {
        optimiser.run.note(start, cost);
    }
    let ended = match bounded(&bounds, || optimiser.optimise())? {
        Ok(ended) => ended,
        Err(StopReason::Cancelled) => Ended::Cancelled,
        Err(StopReason::Time) => Ended::Time,
        // A proof, or what is extracted, takes more than an e-graph under the cap.
        Err(StopReason::Memory) => Ended::Cap,
        Err(_) => Ended::Work,
    };
    let ended = match ended {
        Ended::Patience | Ended::Work | Ended::Settled if optimiser.run.is_too_large() => {
            Ended::Large
        }
        ended => ended,
    };
    // Nobody wants what was begun and not seen.
    drop(optimiser.crew);
    optimiser.run.outcome(start, ended)
}

/// An optimiser at work.
pub(super) struct Optimiser<'a> {
    pub(super) start: TermId,
    system: &'a Arc<System>,
    objective: &'a Objective,
    /// The same, for those who work ahead.
    shared: Arc<Objective>,
    pub(super) settings: &'a OptimiseSettings,
    pub(super) run: Growth<'a>,
    pub(super) crew: Crew,
    /// Nodes of the smallest term found.
    pub(super) smallest: u64,
    /// The normal form, if the system has one and it was found.
    pub(super) form: Option<TermId>,
    /// What the normal form may become: products of sums, and what a model says, if there is one.
    guesses: Option<Guesses<'a>>,
    /// By term that e-graphs are grown from in turns: which of them come next.
    pub(super) turns: FxHashMap<TermId, Turns>,
    /// Those that were begun before their turn.
    pub(super) early: Early,
    /// Terms that e-graphs were grown from up to the cap, or one while walking.
    pub(super) expanded: FxHashSet<TermId>,
    /// E-graphs that were begun while walking.
    pub(super) walked: u64,
    /// What is left to walk to.
    pub(super) agenda: Agenda<TermId>,
    /// What is known of smaller terms than the first best one, once they were looked through.
    smaller: Option<Smaller>,
    /// Terms whose sums were put together anew.
    put_together: FxHashSet<TermId>,
    /// What the proofs of guesses may still take.
    work_of_proofs: u64,
    /// Whether there was anything to walk to since the search began anew.
    pub(super) left: bool,
}

/// What one or more e-graphs came to.
pub(super) enum Found {
    /// A better term.
    Better,
    /// No better term.
    Nothing,
    /// The end.
    Over(Ended),
}

impl Optimiser<'_> {
    fn optimise(&mut self) -> Result<Ended> {
        if let Some(strategy) = &self.settings.strategy {
            return follow_strategy(&mut self.run, strategy, self.start, self.objective);
        }
        match self.run.curve.is_empty() {
            false if self.settings.limits.first => return Ok(Ended::Reached),
            false if self.is_least() => return Ok(Ended::Least),
            _ => {}
        }
        if let Some(ended) = self.plan()? {
            return Ok(ended);
        }
        self.form = self.run.normal_form(self.best_term());
        if let Some(form) = self.form {
            self.run.note_if_better(self.objective, form);
            if let Sketch::Any = &self.objective.sketch {
                let model = self.settings.planner.as_deref();
                let mut guesses = Guesses::new(self.objective, model, form);
                if guesses.whole(&mut self.run)? {
                    guesses.parts(&mut self.run)?;
                }
                self.guesses = Some(guesses);
            }
        }
        self.run.be_patient();
        loop {
            let at = self.best_term();
            let mut found = self.look_for_smaller()?;
            if matches!(found, Found::Nothing) {
                found = self.in_turns(at)?;
            }
            if matches!(found, Found::Nothing) {
                found = self.guess_parts()?;
            }
            if matches!(found, Found::Nothing) {
                found = self.walk()?;
            }
            match found {
                // It was not grown up to the cap.
                Found::Better => self.agenda.push_behind(at),
                Found::Nothing if self.run.curve.is_empty() && self.left => {
                    self.turns.clear();
                    self.early = Early::default();
                    self.expanded.clear();
                    self.left = false;
                }
                Found::Nothing => return Ok(Ended::Settled),
                Found::Over(ended) => return Ok(ended),
            }
        }
    }

    /// Asks the model, if there is one, what parts of the best term may become.
    fn guess_parts(&mut self) -> Result<Found> {
        let is_better = match &mut self.guesses {
            Some(guesses) => guesses.parts(&mut self.run)?,
            None => false,
        };
        Ok(if is_better { Found::Better } else { Found::Nothing })
    }

    /// Begins the e-graph of a term; where to go on from it is asked with a number that tells it from others.
    pub(super) fn begin(
        &mut self,
        at: TermId,
        config: SaturationConfig,
        number: Option<u64>,
    ) -> Ahead<Expanded> {
        let mut bank = TermBank::new(self.system.language.clone());
        let term = bank.import(self.run.bank, at);
        let best = self.run.curve.last().map(|best| best.cost.clone());
        let to_expand = ToExpand {
            system: self.system.clone(),
            objective: self.shared.clone(),
            at,
            apart: (bank, term),
            config,
            until_goal: self.is_until_goal(),
            is_start: at == self.start,
            leaving: number.map(|number| (self.leaving(number), best)),
        };
        self.crew.begin(|cancel| to_expand.expand(cancel))
    }

    /// What is left to go on from after an e-graph of this number.
    pub(super) fn leaving(&self, number: u64) -> Leaving {
        let bank = &self.run.bank;
        Leaving {
            start: bank.size(self.start),
            best: self.run.curve.last().map(|best| bank.size(best.term)),
            smallest: self.smallest,
            least: self.objective.sketch.least_size(),
            number,
            seed: self.settings.seed,
        }
    }

    /// Whether the first term that satisfies a goal ends an e-graph.
    pub(super) fn is_until_goal(&self) -> bool {
        self.run.curve.is_empty() && self.objective.sketch != Sketch::Any
    }

    /// Threads that are needed for several e-graphs at a time do not help in one of them.
    pub(super) fn share_threads(&self, config: &mut SaturationConfig, is_alone: bool) {
        if !is_alone && self.crew.threads() <= WALKS {
            config.pool = None;
        }
    }

    /// Sees what became of a term: books it and keeps what is better.
    pub(super) fn see(&mut self, expanded: &Expanded) -> Result<Found> {
        let Expanded { at, stage, is_whole, best, bank, .. } = expanded;
        self.run.book(stage, self.run.bank.size(*at));
        if stage.stop == StopReason::Conflict {
            return Ok(Found::Over(Ended::Conflict));
        }
        let before = self.run.curve.last();
        let better = best.as_ref().filter(|best| before.is_none_or(|old| best.cost < old.cost));
        let is_better = better.is_some();
        if let Some(Extracted { term, cost, .. }) = better {
            let term = self.run.bank.import(bank, *term);
            self.run.connect(stage, *at, term)?;
            self.run.learn_from(stage, *at, term)?;
            self.run.note(term, cost.clone());
        }
        Ok(match is_better {
            true if self.settings.limits.first => Found::Over(Ended::Reached),
            true if self.is_least() => Found::Over(Ended::Least),
            _ if *is_whole => {
                let least = best.as_ref().is_some_and(|best| best.least);
                let proved = self.objective.way.is_shared() && least;
                Found::Over(if proved { Ended::Proved } else { Ended::Saturated })
            }
            true => Found::Better,
            false => self.run.over().map_or(Found::Nothing, Found::Over),
        })
    }

    /// Follows the planner, if there is one and no term is known that satisfies the goal; the end, if it came.
    fn plan(&mut self) -> Result<Option<Ended>> {
        let Some(planner) = self.settings.planner.as_deref() else { return Ok(None) };
        let goal = Goal::of(&self.objective.sketch, self.run.bank);
        let Some(goal) = goal.filter(|_| self.run.curve.is_empty()) else { return Ok(None) };
        let ended = follow_planner(&mut self.run, self.start, goal, self.objective, planner)?;
        Ok(ended.filter(|ended| *ended != Ended::Reached || self.settings.limits.first))
    }

    /// Whether no term whatever could cost less than the best one.
    fn is_least(&self) -> bool {
        let least = self.objective.cost.least();
        self.run.curve.last().is_some_and(|best| best.cost == least)
    }

    /// Whether it is known that no term is smaller than the best one; or a smaller one that has the same values is proved
    /// to be equal.
    fn look_for_smaller(&mut self) -> Result<Found> {
        let Objective { cost, way, sketch } = self.objective;
        let is_asked = *sketch == Sketch::Any && !way.is_shared() && cost.counts_nodes();
        let Some(best) = self.run.curve.last().filter(|_| is_asked && self.run.over().is_none())
        else {
            return Ok(Found::Nothing);
        };
        if self.is_least() {
            return Ok(Found::Over(Ended::Least));
        }
        let (best, most) = (best.term, self.run.bank.size(best.term) - 1);
        let smaller = match &mut self.smaller {
            Some(smaller) => smaller,
            none => {
                let mut rng = stream(self.settings.seed, 0, 0, u64::MAX - 3);
                let smaller = look(self.run.bank, self.start, most, &mut rng);
                self.run.ledger.work += smaller.work;
                none.insert(smaller)
            }
        };
        if let Some(classes) = smaller.none(most) {
            let of_all_operators = smaller.of_all_operators;
            return Ok(Found::Over(Ended::Smallest { classes, of_all_operators }));
        }
        let guess = smaller.same.take().filter(|&guess| self.run.bank.size(guess) <= most);
        let Some(guess) = guess.or_else(|| self.smaller_sums(best)) else {
            return Ok(Found::Nothing);
        };
        let equals: Vec<TermId> = [Some(best), self.form].into_iter().flatten().collect();
        let before = self.run.ledger.work;
        let is_proved = is_proved(&mut self.run, guess, &equals, self.work_of_proofs)?;
        let spent = self.run.ledger.work - before;
        self.work_of_proofs = self.work_of_proofs.saturating_sub(spent);
        let is_better = is_proved && self.run.note_if_better(self.objective, guess);
        Ok(if is_better { Found::Better } else { Found::Nothing })
    }

    /// A smaller term with the values of the best one, whose sums were put together anew; the start's were already.
    fn smaller_sums(&mut self, best: TermId) -> Option<TermId> {
        if best == self.start || !self.put_together.insert(best) {
            return None;
        }
        let mut rng = stream(self.settings.seed, 0, 0, u64::MAX - 3);
        let (found, work) = look_at_sums(self.run.bank, best, &mut rng);
        self.run.ledger.work += work;
        found
    }

    fn best_term(&self) -> TermId {
        self.run.curve.last().map_or(self.start, |best| best.term)
    }
}
