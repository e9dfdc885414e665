//! What terms are optimised with: the rewrite system, what is looked for, and what was learned.

use crate::inputs::aids::RankerArgs;
use crate::inputs::args::{
    DeviceChoice, load_model, load_system_with_text, named_cost, of_flag, read_ranker,
    read_strategy,
};
use crate::inputs::shipped::own_ranker_of;
use crate::inputs::shipped_models::model_parser;
use anyhow::{Result, anyhow};
use egraph::{MatchOrder, Scheduler, Sketch, SortId, System};
use guided_search::{
    Beside, GuideWriter, Objective, OptimiseAim, OptimiseOptions, OptimiseSettings, Planner,
    WrittenPlan, quoted,
};
use model::content_hash;
use ranking::Ranker;
use std::path::PathBuf;
use std::sync::Arc;
use support::InputFile;

/// What was learned.
#[derive(Clone, Debug, clap::Args)]
pub struct Learned {
    /// A model that was trained on what leads to goals (see `cairn plans`): where the goal is a term or `(contains
    /// TERM)`, it writes what may come next, stage by stage. Without a goal, a model that was trained on what normal
    /// forms may become (see `cairn guesses`): it writes terms, and those that have the same normal form are answers;
    /// so it does for parts of the best term
    #[arg(long, value_name = "DIR", value_parser = model_parser())]
    model: Option<PathBuf>,
    /// Where the model computes
    #[arg(long, value_enum, default_value_t, requires = "model")]
    device: DeviceChoice,
    #[command(flatten)]
    ranker: RankerArgs,
}

/// What all terms are optimised with.
pub struct Given {
    /// The rewrite system, and the text that it was read from.
    pub system: Arc<System>,
    pub system_text: String,
    /// What is looked for.
    pub aim: OptimiseAim,
    pub settings: OptimiseSettings,
    pub ranker: Option<Arc<Ranker>>,
    /// What the model is known by, and how many terms it writes at a time.
    pub model: Option<(String, usize)>,
    /// The model.
    pub writer: Option<Arc<dyn GuideWriter>>,
}

impl Given {
    /// Reads what the arguments name.
    ///
    /// # Errors
    /// A file that can't be read, or options that do not go together.
    pub fn read(
        file: &InputFile,
        options: &OptimiseOptions,
        learned: &Learned,
        goals: bool,
        seed: u64,
    ) -> Result<Given> {
        let (system, system_text) = load_system_with_text(file)?;
        let aim = options.settle(Beside {
            ranker: learned.ranker.given.is_some(),
            writer: learned.model.is_some(),
            goals,
            normal_form: system.normal_form.is_some(),
        });
        let aim = aim.map_err(of_flag)?;
        let is_used = aim.limits.budget.scheduler.has(Scheduler::BestFirst);
        let ranker = is_used.then(|| learned.ranker.or(|| own_ranker_of(&system))).flatten();
        let ranker = ranker.map(|file| read_ranker(&file, &system)).transpose()?;
        let terms = options.guides();
        let (mut planner, mut model, mut writer) = (None, None, None);
        if let Some(directory) = &learned.model {
            let read: Arc<dyn GuideWriter> =
                Arc::new(load_model(directory, &system, learned.device)?);
            let plan = WrittenPlan { model: read.clone(), terms, seed };
            planner = Some(Arc::new(plan) as Arc<dyn Planner>);
            writer = Some(read);
            model = Some((content_hash(directory)?, terms));
        }
        let settings = OptimiseSettings {
            order: ranker.clone().map(|ranker| ranker as Arc<dyn MatchOrder>),
            planner,
            strategy: read_strategy(&system, aim.strategy.as_deref())?,
            ..OptimiseSettings::within(aim.limits, seed)
        };
        Ok(Given { system, system_text, aim, settings, ranker, model, writer })
    }

    /// What the best term of a sort is.
    ///
    /// # Errors
    /// The system has no such cost, the goal is no sketch, or they do not go together.
    pub fn objective(&self, sort: SortId) -> Result<Objective> {
        let cost = named_cost(&self.system, &self.aim.cost)?;
        let sketch = match &self.aim.goal {
            None => Sketch::Any,
            Some(text) => Sketch::parse(&self.system.language, text, Some(sort))
                .map_err(|mistake| anyhow!("--goal {}: {mistake}", quoted(text)))?,
        };
        Objective::new(&self.aim, cost, sketch)
    }
}
