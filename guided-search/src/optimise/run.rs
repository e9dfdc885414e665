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
use crate::optimise::growth::Growth;
use crate::optimise::guided::guess::Guesses;
use crate::optimise::guided::plan::follow_planner;
use crate::optimise::guided::planner::Goal;
use crate::optimise::guided::strategy::follow_strategy;
use crate::optimise::values::proved::{MOST, is_proved};
use crate::optimise::values::smaller::{Smaller, look, look_at_sums};
use crate::options::budget::Budget;
use crate::options::prove::{SLACK, WALK};
use crate::search::frontier_terms;
use crate::search::randomness::stream;
use crate::search::stage::{Ends, Side, Stage, bounded};
use crate::search::turns::Turns;
use crate::search::walking::agenda::Agenda;
use anyhow::Result;
use egraph::{
    Extracted, SaturationConfig, Scheduler, Sketch, StopReason, System, TermBank, TermId,
    extract_smallest,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// E-nodes of the first turn.
const FIRST_TURN: usize = 1_024;
/// Bytes that the matches of one iteration may take for each e-node that the e-graph may have.
const BYTES_OF_MATCHES: usize = 24;
/// Frontier terms that an e-graph is asked for.
const DRAWN: usize = 10;

/// Of the last iteration of an e-graph that ends at its limit half of the matches, and more, are found in vain: those that do
/// not fit into a limit on matches are not looked for.
fn leave_matches_out(config: &mut SaturationConfig) {
    if config.scheduler != Scheduler::BestFirst {
        let nodes = config.limits.nodes;
        config.limits.matches = nodes.map(|nodes| nodes.saturating_mul(BYTES_OF_MATCHES));
    }
}

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
    let mut optimiser = Optimiser {
        start,
        objective,
        settings,
        smallest: bank.size(start),
        run: Growth::new(system, bank, start, settings),
        form: None,
        guesses: None,
        smaller: None,
        put_together: FxHashSet::default(),
        work_of_proofs: MOST,
        turns: FxHashMap::default(),
        expanded: FxHashSet::default(),
        agenda: Agenda::new(WALK, stream(settings.seed, 0, 0, u64::MAX - 2)),
        left: false,
    };
    if let Some(cost) = objective.of_term(optimiser.run.bank, start) {
        optimiser.run.note(start, cost);
    }
    let bounds = settings.limits.budget.bounds(settings.deadline, settings.cancel.as_ref());
    let ended = match bounded(&bounds, || optimiser.optimise())? {
        Ok(ended) => ended,
        Err(StopReason::Cancelled) => Ended::Cancelled,
        Err(StopReason::Time) => Ended::Time,
        // A proof, or what is extracted, takes more than an e-graph under the cap.
        Err(StopReason::Memory) => Ended::Cap,
        Err(_) => Ended::Work,
    };
    optimiser.run.outcome(start, ended)
}

struct Optimiser<'a> {
    start: TermId,
    objective: &'a Objective,
    settings: &'a OptimiseSettings,
    run: Growth<'a>,
    /// Nodes of the smallest term found.
    smallest: u64,
    /// The normal form, if the system has one and it was found.
    form: Option<TermId>,
    /// What the normal form may become: products of sums, and what a model says, if there is one.
    guesses: Option<Guesses<'a>>,
    /// By term that e-graphs are grown from in turns: which of them come next.
    turns: FxHashMap<TermId, Turns>,
    /// Terms that e-graphs were grown from up to the cap, or one while walking.
    expanded: FxHashSet<TermId>,
    /// What is left to walk to.
    agenda: Agenda<TermId>,
    /// What is known of smaller terms than the first best one, once they were looked through.
    smaller: Option<Smaller>,
    /// Terms whose sums were put together anew.
    put_together: FxHashSet<TermId>,
    /// What the proofs of guesses may still take.
    work_of_proofs: u64,
    /// Whether there was anything to walk to since the search began anew.
    left: bool,
}

/// What one or more e-graphs came to.
enum Found {
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
                    self.expanded.clear();
                    self.left = false;
                }
                Found::Nothing => return Ok(Ended::Settled),
                Found::Over(ended) => return Ok(ended),
            }
        }
    }

    /// Grows e-graphs from the start, from the best term and from the normal form, the smaller ones first, up to the
    /// cap, until one holds a better term. None is grown twice. What one e-graph at the cap has of the start is never
    /// missed.
    fn in_turns(&mut self, best: TermId) -> Result<Found> {
        let Budget { cap, scheduler, .. } = self.settings.limits.budget;
        let mut from = vec![self.start];
        for term in [Some(best), self.form].into_iter().flatten() {
            if !from.contains(&term) {
                from.push(term);
            }
        }
        from.retain(|term| !self.expanded.contains(term));
        for &term in &from {
            // An e-graph of which the term takes most has no room for what equals it.
            let nodes = FIRST_TURN.max(2 * self.run.bank.subterms(term).len());
            self.turns.entry(term).or_insert_with(|| Turns::new(scheduler, nodes));
        }
        let next = |turns: &FxHashMap<TermId, Turns>| {
            from.iter().copied().filter_map(|t| Some((turns[&t].nodes()?, t))).min_by_key(|t| t.0)
        };
        while let Some((_, at)) = next(&self.turns) {
            let Some((scheduler, nodes)) = self.turns.get_mut(&at).and_then(Turns::next) else {
                break;
            };
            let mut config = self.run.config(cap, scheduler);
            let most = config.limits.nodes.unwrap_or(usize::MAX);
            config.limits.nodes = Some(most.min(nodes));
            if at != self.start || nodes < most {
                leave_matches_out(&mut config);
            }
            let (found, stage) = self.step(at, &config)?;
            if let (Some(stage), Some(turns)) = (&stage, self.turns.get_mut(&at)) {
                turns.ended(scheduler, stage.stop, most);
                if turns.are_over() && !matches!(found, Found::Over(_)) {
                    self.expanded.insert(at);
                    self.leave(stage)?;
                }
            }
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
        }
        Ok(Found::Nothing)
    }

    /// Starts over from one term after the other that e-graphs left, until one leads to a better one.
    fn walk(&mut self) -> Result<Found> {
        let cap = self.settings.limits.budget.cap.of_expansion();
        let (first, other) = self.settings.limits.budget.scheduler.in_turn();
        while let Some(at) = self.agenda.pop(0) {
            if !self.expanded.insert(at) {
                continue;
            }
            let turn = if self.run.ledger.e_graphs.is_multiple_of(2) { None } else { other };
            let mut config = self.run.config(cap, turn.unwrap_or(first));
            leave_matches_out(&mut config);
            let (found, stage) = self.step(at, &config)?;
            let (Found::Nothing, Some(stage)) = (&found, stage) else { return Ok(found) };
            self.leave(&stage)?;
        }
        Ok(Found::Nothing)
    }

    /// Asks the model, if there is one, what parts of the best term may become.
    fn guess_parts(&mut self) -> Result<Found> {
        let is_better = match &mut self.guesses {
            Some(guesses) => guesses.parts(&mut self.run)?,
            None => false,
        };
        Ok(if is_better { Found::Better } else { Found::Nothing })
    }

    /// One e-graph, if nothing says that it is over, and what comes of it.
    fn step(&mut self, at: TermId, config: &SaturationConfig) -> Result<(Found, Option<Stage>)> {
        if let Some(ended) = self.run.over() {
            return Ok((Found::Over(ended), None));
        }
        let sketch = &self.objective.sketch;
        let until = self.run.curve.is_empty() && *sketch != Sketch::Any;
        let stage = self.run.grow(Ends::alone(&at, until.then_some(sketch)), config);
        if stage.stop == StopReason::Conflict {
            return Ok((Found::Over(Ended::Conflict), None));
        }
        // Nothing else can be derived from the start.
        let whole = stage.stop == StopReason::Saturated && at == self.start;
        let found = self.objective.extract(&stage, self.run.bank, whole);
        let before = self.run.curve.last();
        let least = found.as_ref().is_some_and(|found| found.least);
        let better = found.filter(|found| before.is_none_or(|best| found.cost < best.cost));
        let is_better = better.is_some();
        if let Some(Extracted { term, cost, .. }) = better {
            self.run.connect(&stage, at, term)?;
            self.run.learn_from(&stage, term)?;
            self.run.note(term, cost);
        }
        let found = match is_better {
            true if self.settings.limits.first => Found::Over(Ended::Reached),
            true if self.is_least() => Found::Over(Ended::Least),
            _ if whole => {
                let proved = self.objective.way.is_shared() && least;
                Found::Over(if proved { Ended::Proved } else { Ended::Saturated })
            }
            true => Found::Better,
            // Where to go on is not looked for if nothing goes on.
            false => self.run.over().map_or(Found::Nothing, Found::Over),
        };
        Ok((found, Some(stage)))
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

    /// Draws frontier terms to walk to.
    fn leave(&mut self, stage: &Stage) -> Result<()> {
        let bank = &mut *self.run.bank;
        if let Some(class) = stage.egraph.lookup(bank, stage.starts[0]) {
            let smallest = extract_smallest(&stage.egraph, bank, class);
            self.smallest = self.smallest.min(bank.size(smallest));
        }
        let start = bank.size(self.start);
        let shrink = !self.run.ledger.e_graphs.is_multiple_of(2);
        // As trees, terms that share their parts may be larger than can be counted.
        let (more, twice) = (u64::saturating_add, |size: u64| size.saturating_mul(2));
        let limits = match self.run.curve.last() {
            Some(best) => {
                let near = bank.size(best.term).max(self.smallest);
                [more(near, SLACK), more(near, 5 * SLACK), twice(near.max(start))]
            }
            // The way to a goal may lead through small terms or through large ones.
            None if shrink => {
                [more(self.smallest, SLACK), more(self.smallest, 5 * SLACK), twice(start)]
            }
            None => {
                let near = self.objective.sketch.least_size().max(start);
                [more(near, 5 * SLACK), twice(near), twice(twice(near))]
            }
        };
        let mut rng = stream(self.settings.seed, 0, self.run.ledger.e_graphs, 3);
        let mut terms =
            frontier_terms::sample_first(stage, bank, Side::Start, limits, DRAWN, &mut rng);
        terms.retain(|term| !self.expanded.contains(term));
        for &term in &terms {
            // The proof is found now: the e-graph will be gone.
            self.run.connect(stage, stage.starts[0], term)?;
        }
        self.left |= !terms.is_empty();
        self.agenda.push(0, terms);
        Ok(())
    }
}
