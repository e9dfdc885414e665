//! An expert's stages: for each a sketch that ends it, the rulesets that run in it, limits and a cost.

use crate::optimise::answer::{Ended, Extracted, Objective, OptimiseSettings, Outcome};
use crate::optimise::growth::Growth;
use crate::search::budget::Cap;
use crate::search::schedulers::Schedulers;
use anyhow::{Context, Result, anyhow, ensure};
use egraph::{
    RuleChoice, RulesetId, Schedule, Sketch, SortId, StopReason, System, TermBank, TermId,
};
use serde::Deserialize;
use std::sync::Arc;
use support::{InputFile, read_toml};

/// A file of stages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StagesFile {
    stage: Vec<StageText>,
}

/// A stage as it stands in a file. What is left out is as it is for the whole plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StageText {
    sketch: Option<String>,
    rulesets: Option<Vec<String>>,
    cap: Option<Cap>,
    iterations: Option<u64>,
    scheduler: Option<Schedulers>,
    cost: Option<String>,
}

/// One e-graph of a plan.
#[derive(Clone, Debug)]
pub struct PlannedStage {
    /// The best term of the class, which satisfies the sketch, is where the next stage begins. The e-graph
    /// ends in the iteration where the sketch first holds.
    pub objective: Objective,
    /// The system, with the schedule of this stage.
    pub system: Arc<System>,
    /// The cap on its e-graph.
    pub cap: Cap,
    /// Iterations at most.
    pub iterations: Option<u64>,
    /// How it is grown; with both, one after the other until the sketch holds.
    pub scheduler: Schedulers,
}

/// Reads a file of stages for terms of a sort; `objective` and `settings` are what they may leave open.
///
/// # Errors
/// The file can't be read, holds no stage, or one with a sketch, ruleset or cost that is none; with the
/// file's name, and the number of the stage.
pub fn load_stages(
    file: &InputFile,
    system: &Arc<System>,
    sort: SortId,
    objective: &Objective,
    settings: &OptimiseSettings,
) -> Result<Vec<PlannedStage>> {
    let StagesFile { stage } = read_toml(file)?;
    ensure!(!stage.is_empty(), "{file} holds no stage: expected at least one [[stage]]");
    let read = |(number, text): (usize, StageText)| {
        text.read(system, sort, objective, settings)
            .with_context(|| format!("{file}: stage {number}"))
    };
    (1..).zip(stage).map(read).collect()
}

impl StageText {
    fn read(
        self,
        system: &Arc<System>,
        sort: SortId,
        objective: &Objective,
        settings: &OptimiseSettings,
    ) -> Result<PlannedStage> {
        let mut objective = Objective { sketch: Sketch::Any, ..objective.clone() };
        if let Some(text) = self.sketch {
            objective.sketch = Sketch::parse(&system.language, &text, Some(sort))
                .map_err(|mistake| anyhow!("sketch '{text}': {mistake}"))?;
        }
        if let Some(names) = self.cost {
            objective.cost = egraph::CostFunction::named(system, &names)
                .map_err(|wrong| anyhow!("cost: {wrong}"))?;
            objective.check()?;
        }
        let system = match self.rulesets {
            None => system.clone(),
            Some(names) => Arc::new(restricted(system, &names)?),
        };
        Ok(PlannedStage {
            objective,
            system,
            cap: self.cap.unwrap_or(settings.budget.cap),
            iterations: self.iterations,
            scheduler: self.scheduler.unwrap_or(settings.budget.scheduler),
        })
    }
}

/// A system that runs these rulesets only, one after the other, until nothing changes.
fn restricted(system: &System, names: &[String]) -> Result<System> {
    ensure!(!names.is_empty(), "rulesets: expected at least one");
    let run = |name: &String| {
        let found = system.rulesets.iter().position(|ruleset| ruleset == name);
        let found = found.with_context(|| format!("unknown ruleset '{name}'"))?;
        Ok(Schedule::run(RuleChoice::Ruleset(RulesetId(found as u32))))
    };
    let all = names.iter().map(run).collect::<Result<_>>()?;
    let mut system = system.clone();
    system.schedule = Some(Schedule::Saturate(all));
    Ok(system)
}

/// Follows a plan: each stage is one fresh e-graph, or one with either scheduler, and begins with the term
/// that the stage before ended with.
///
/// # Errors
/// [`Internal`](support::Internal), when a proof is refused by the checker.
pub fn follow(
    system: &Arc<System>,
    bank: &mut TermBank,
    start: TermId,
    stages: &[PlannedStage],
    settings: &OptimiseSettings,
) -> Result<Outcome> {
    let mut run = Growth::new(system, bank, start, settings);
    let mut at = start;
    for (number, stage) in (1..).zip(stages) {
        match reach(&mut run, at, stage)? {
            Ok(term) => at = term,
            Err(ended) => {
                let ended = ended.unwrap_or(Ended::Stage(number));
                return run.outcome(start, ended);
            }
        }
    }
    run.outcome(start, Ended::Reached)
}

/// The term that a stage ends with; otherwise why there is none, if it is not that its e-graphs did not
/// come to its sketch.
fn reach(
    run: &mut Growth<'_>,
    at: TermId,
    stage: &PlannedStage,
) -> Result<std::result::Result<TermId, Option<Ended>>> {
    let sketch = &stage.objective.sketch;
    let until = (*sketch != Sketch::Any).then_some(sketch);
    let (first, other) = stage.scheduler.in_turn();
    // Without a sketch there is nothing that the other scheduler could reach.
    let other = other.filter(|_| until.is_some());
    for scheduler in [Some(first), other].into_iter().flatten() {
        if let Some(ended) = run.over() {
            return Ok(Err(Some(ended)));
        }
        let mut config = run.config(stage.cap, scheduler);
        config.limits.iterations = stage.iterations;
        let grown = run.grow(Some(&stage.system), at, until, &config);
        if grown.stop == StopReason::Conflict {
            return Ok(Err(Some(Ended::Conflict)));
        }
        if let Some(Extracted { term, cost, .. }) = stage.objective.extract(&grown, run.bank, false)
        {
            run.connect(&grown, term)?;
            run.note(term, cost);
            return Ok(Ok(term));
        }
    }
    Ok(Err(run.over()))
}
