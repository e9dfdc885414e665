//! A stage: one fresh e-graph grown from one or both sides of a question, until they meet or a shape is
//! there, and the proofs that it holds.

use anyhow::Result;
use egraph::{
    Bounds, Chosen, EGraph, History, Id, Leaf, LeafValue, Past, Proof, Rebased, SaturationConfig,
    Scheduler, Sketch, StopReason, System, TermBank, TermId, explain, follow, saturate,
    sketch_satisfied,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use support::Internal;

/// A proof may take so many times the memory of its e-graph.
const MEMORY_OF_PROOF: usize = 4;
/// And of the smallest e-graph.
const LEAST_OF_PROOF: usize = 64 << 20;

/// Why an equality is not proved that an e-graph holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the proof of what an e-graph holds takes more memory than it may")]
pub struct TooLarge;

/// Work that somebody else did for a search came to its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("work ended early: {0}")]
pub struct Ended(pub StopReason);

/// Does what a search does, within its bounds; instead of a result why it ended early, if it did.
///
/// # Errors
/// Those of the work, but for [`TooLarge`] and [`Ended`].
pub fn bounded<T>(
    bounds: &Bounds,
    work: impl FnOnce() -> Result<T>,
) -> Result<std::result::Result<T, StopReason>> {
    match bounds.hold(work) {
        Err(reason) => Ok(Err(reason)),
        Ok(Err(error)) if error.is::<TooLarge>() => Ok(Err(StopReason::Memory)),
        Ok(Err(error)) => match error.downcast() {
            Ok(Ended(reason)) => Ok(Err(reason)),
            Err(error) => Err(error),
        },
        Ok(Ok(done)) => Ok(Ok(done)),
    }
}

/// What a stage is grown from, and what ends it before its limits do.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// The terms of the start's side, at least one.
    pub starts: &'a [TermId],
    /// The terms of the target's side: if one of them equals a start, that is the end.
    pub targets: &'a [TermId],
    /// If a term that equals the first start satisfies this, that is the end, too.
    pub until: Option<&'a Sketch>,
}

impl<'a> Ends<'a> {
    /// Both sides, one term each.
    pub fn of(question: &'a [TermId; 2]) -> Ends<'a> {
        Ends { starts: &question[..1], targets: &question[1..], until: None }
    }

    /// One side alone.
    pub fn alone(start: &'a TermId, until: Option<&'a Sketch>) -> Ends<'a> {
        Ends { starts: std::slice::from_ref(start), targets: &[], until }
    }
}

/// An e-graph that was grown from two sides. All terms of a side are known to be equal.
#[derive(Debug)]
pub struct Stage {
    /// The e-graph at the end.
    pub egraph: EGraph,
    /// What the e-graph was one iteration earlier, if asked for and if there was one.
    pub before: Option<Past>,
    /// The terms of the start's side; where a strategy started over, those that this e-graph was grown from.
    pub starts: Vec<TermId>,
    /// The terms of the target's side, likewise; may be empty.
    pub targets: Vec<TermId>,
    /// The e-graphs before this one, where a strategy started over.
    pub rebased: Vec<Rebased>,
    /// A term of each side, equal in the e-graph.
    pub met: Option<(TermId, TermId)>,
    /// A term of each side that equal different literals.
    pub opposed: Option<(TermId, TermId)>,
    /// Why growth ended.
    pub stop: StopReason,
    /// The matches that best-first chose, if they were to be logged.
    pub chosen: Vec<Chosen>,
}

/// The two sides of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The side of the start.
    Start,
    /// The side of the target.
    Target,
}

/// Both of them.
pub const SIDES: [Side; 2] = [Side::Start, Side::Target];

impl Stage {
    /// Grows a fresh e-graph from the terms of both sides until they meet, or the sketch holds, or the sides
    /// equal different literals, or `config` ends it. What it was an iteration before is kept on request.
    pub fn grow(
        system: &Arc<System>,
        bank: &mut TermBank,
        ends: Ends<'_>,
        config: &SaturationConfig,
        keep_before: bool,
    ) -> Stage {
        let Ends { starts, targets, until } = ends;
        let mut egraph = EGraph::new(system.clone());
        let mut past = Earlier::new(config, keep_before);
        let report =
            follow(&mut egraph, bank, [starts, targets], config, &mut |egraph, iteration| {
                let starts = &iteration.sides[0];
                let over = is_decided(egraph, &iteration.sides)
                    || until.is_some_and(|s| sketch_satisfied(egraph, egraph.find(starts[0]), s));
                past.see(egraph, over);
                if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        let [start_ids, target_ids] = &report.sides;
        let now = |side: usize, terms: &[TermId]| match report.rebased.last() {
            Some(last) => last.proofs[side].iter().map(Proof::end).collect(),
            None => terms.to_vec(),
        };
        let (starts, targets) = (now(0, starts), now(1, targets));
        // Two different literals became equal: nothing in this e-graph says anything.
        let sound = report.stop != StopReason::Conflict;
        let terms = |(s, t): (usize, usize)| (starts[s], targets[t]);
        let met = meeting(&egraph, start_ids, target_ids).filter(|_| sound).map(terms);
        let opposed = opposition(&egraph, start_ids, target_ids).filter(|_| sound).map(terms);
        // What was seen before is of another e-graph where a strategy started over.
        let before = if report.rebased.is_empty() { past.of(&egraph) } else { None };
        Stage {
            egraph,
            before,
            starts,
            targets,
            rebased: report.rebased,
            met,
            opposed,
            stop: report.stop,
            chosen: report.chosen,
        }
    }

    /// The terms of both sides in an e-graph that has not grown yet.
    pub fn of_terms(system: &Arc<System>, bank: &TermBank, ends: Ends<'_>) -> Stage {
        let mut egraph = EGraph::new(system.clone());
        for &term in ends.starts.iter().chain(ends.targets) {
            egraph.add_term(bank, term);
        }
        egraph.rebuild();
        Stage {
            egraph,
            before: None,
            starts: ends.starts.to_vec(),
            targets: ends.targets.to_vec(),
            rebased: Vec::new(),
            met: None,
            opposed: None,
            stop: StopReason::Nodes,
            chosen: Vec::new(),
        }
    }

    /// The classes of the terms of both sides.
    pub fn sides(&self, bank: &TermBank) -> [Vec<Id>; 2] {
        [&self.starts, &self.targets]
            .map(|terms| terms.iter().filter_map(|&term| self.egraph.lookup(bank, term)).collect())
    }

    /// Grows on until the sides, which `config` names, meet, or equal different literals, or after the iteration that has
    /// built `mark` e-nodes in all, or as `config` says. What it was an iteration before is kept on request.
    pub fn go_on(&mut self, config: &SaturationConfig, mark: u64, keep_before: bool) {
        let [starts, targets] = &config.sides;
        let mut past = Earlier::new(config, keep_before);
        let report = saturate(&mut self.egraph, config, &mut |egraph, _| {
            let over = is_decided(egraph, &config.sides);
            past.see(egraph, over);
            match over || egraph.built() >= mark {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        self.stop = report.stop;
        // Two different literals became equal: nothing in this e-graph says anything.
        if self.stop != StopReason::Conflict {
            let terms = |(s, t): (usize, usize)| (self.starts[s], self.targets[t]);
            self.met = meeting(&self.egraph, starts, targets).map(terms);
            self.opposed = opposition(&self.egraph, starts, targets).map(terms);
        }
        self.before = past.of(&self.egraph);
    }

    /// The same of a pair, whose terms are the same in another bank.
    pub fn of_pair(self, pair: [TermId; 2]) -> Stage {
        let [start, target] = pair;
        let both = |(_, _)| (start, target);
        let (met, opposed) = (self.met.map(both), self.opposed.map(both));
        Stage { starts: vec![start], targets: vec![target], met, opposed, ..self }
    }

    /// A copy that can be grown otherwise; it does not know what it was before.
    pub fn fork(&self) -> Stage {
        let Stage { egraph, starts, targets, met, opposed, stop, .. } = self;
        let (rebased, chosen) = (self.rebased.clone(), Vec::new());
        Stage {
            egraph: egraph.clone(),
            before: None,
            starts: starts.clone(),
            targets: targets.clone(),
            rebased,
            met: *met,
            opposed: *opposed,
            stop: *stop,
            chosen,
        }
    }

    /// The proof of an equality that the stage holds.
    ///
    /// # Errors
    /// [`Internal`], when there is no explanation; [`TooLarge`], when it takes far more memory than the e-graph.
    pub fn explain(&self, bank: &mut TermBank, from: TermId, to: TermId) -> Result<Proof> {
        let memory = self.egraph.heap_bytes().saturating_mul(MEMORY_OF_PROOF).max(LEAST_OF_PROOF);
        let bounds = Bounds { memory: Some(memory), ..Bounds::default() };
        let found = bounds.hold(|| explain(&self.egraph, bank, from, to));
        found.map_err(|_| TooLarge)?.ok_or_else(|| {
            let (from, to) = (bank.display(from), bank.display(to));
            let message = format!("no explanation for {from} = {to}, which the e-graph holds");
            Internal::new(message).into()
        })
    }

    /// The proofs that lead from a term that the first e-graph was grown from to the one that this e-graph was.
    pub fn legs(&self, side: Side, term: usize) -> impl DoubleEndedIterator<Item = &Proof> {
        self.rebased.iter().map(move |before| &before.proofs[side as usize][term])
    }

    /// The proof that a term equals the literal of its class.
    ///
    /// # Errors
    /// [`Internal`], when there is none.
    pub fn explain_literal(&self, bank: &mut TermBank, term: TermId) -> Result<Proof> {
        let class = self.egraph.lookup(bank, term);
        let value = class.and_then(|class| self.egraph.literal(class));
        let value = value.ok_or_else(|| Internal::new("a class that had a literal has none"))?;
        let literal = bank.leaf(&Leaf { sort: bank.sort(term), value: LeafValue::Literal(value) });
        self.explain(bank, term, literal)
    }

    /// The classes of a side, ascending and distinct.
    pub fn classes(&self, bank: &TermBank, side: Side) -> Vec<Id> {
        let class = |&term: &TermId| self.egraph.lookup(bank, term);
        let mut classes: Vec<Id> = self.terms(side).iter().filter_map(class).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// The terms of a side.
    pub fn terms(&self, side: Side) -> &[TermId] {
        match side {
            Side::Start => &self.starts,
            Side::Target => &self.targets,
        }
    }

    /// The term of `side` that `term` equals in this e-graph, if any.
    pub fn equal_to(&self, bank: &TermBank, side: Side, term: TermId) -> Option<TermId> {
        let class = self.egraph.lookup(bank, term)?;
        self.terms(side).iter().copied().find(|&t| self.egraph.lookup(bank, t) == Some(class))
    }

    /// Whether the last iteration of this stage found `term`: the e-graph before it did not
    /// represent the term on that side.
    pub fn is_frontier(&self, bank: &TermBank, side: Side, term: TermId) -> bool {
        self.before.as_ref().is_some_and(|before| {
            let class = |term| before.lookup(&self.egraph, bank, term);
            let found = class(term);
            found.is_none() || self.terms(side).iter().all(|&term| class(term) != found)
        })
    }
}

/// What an e-graph was before it found its last terms: an iteration earlier, or where iterations are
/// small, as best-first does them, when it had half of the e-nodes that it may have.
struct Earlier {
    history: Option<History>,
    /// E-nodes up to which states are kept.
    most: usize,
}

impl Earlier {
    pub fn new(config: &SaturationConfig, keep: bool) -> Earlier {
        let (back, most) = match (config.scheduler, config.limits.nodes) {
            (Scheduler::BestFirst, Some(nodes)) => (0, nodes / 2),
            _ => (1, usize::MAX),
        };
        Earlier { history: keep.then(|| History::new(back)), most }
    }

    /// Sees the e-graph after an iteration.
    pub fn see(&mut self, egraph: &EGraph, over: bool) {
        if let Some(history) = &mut self.history
            && !over
            && egraph.node_count() <= self.most
        {
            history.record(egraph);
        }
    }

    pub fn of(self, egraph: &EGraph) -> Option<Past> {
        let snapshot = self.history?.earlier()?;
        Some(Past::new(egraph, snapshot))
    }
}

/// Whether nothing more is asked of the two sides: they meet, or equal different literals.
fn is_decided(egraph: &EGraph, [starts, targets]: &[Vec<Id>; 2]) -> bool {
    meeting(egraph, starts, targets).is_some() || opposition(egraph, starts, targets).is_some()
}

fn meeting(egraph: &EGraph, starts: &[Id], targets: &[Id]) -> Option<(usize, usize)> {
    starts.iter().enumerate().find_map(|(s, &start)| {
        let class = egraph.find(start);
        let t = targets.iter().position(|&target| egraph.find(target) == class)?;
        Some((s, t))
    })
}

/// A start and a target that are known to equal different literals.
fn opposition(egraph: &EGraph, starts: &[Id], targets: &[Id]) -> Option<(usize, usize)> {
    let literal = |ids: &[Id]| {
        ids.iter().enumerate().find_map(|(i, &id)| egraph.literal(id).map(|value| (i, value)))
    };
    let ((s, start), (t, target)) = (literal(starts)?, literal(targets)?);
    (start != target).then_some((s, t))
}
