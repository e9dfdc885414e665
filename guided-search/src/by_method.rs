//! The search of a method, by the method's name.

use crate::search::answer::{Answer, Question, SearchSettings};
use crate::search::baselines::all_work;
use crate::search::prove::prove;
use crate::search::schedulers::Schedulers;
use crate::sources::descend::DescendGuides;
use crate::sources::guide_source::{GuideSource, NoGuides};
use crate::sources::learned::ranked::RankedGuides;
use crate::sources::learned::select::SelectGuides;
use crate::sources::learned::written::ModelGuides;
use crate::sources::method::Method;
use crate::sources::nearest::NearestGuides;
use crate::sources::oracle::Oracle;
use crate::sources::shared::SharedGuides;
use crate::sources::smallest::SmallestGuides;
use crate::sources::watched::{Watched, Watcher};
use anyhow::{Context, Result};
use egraph::{System, TermBank, TermId};
use model::GuideModel;
use model::ranking::ranker::Ranker;
use std::sync::Arc;

/// What methods may draw on beside the question.
#[derive(Clone, Copy, Default)]
pub struct Aids<'a> {
    /// The trained model, if there is one.
    pub model: Option<&'a GuideModel>,
    /// The learned order of matches, if there is one.
    pub ranker: Option<&'a Arc<Ranker>>,
    /// The task's chain, start and target included: for the oracle alone.
    pub chain: &'a [TermId],
    /// Who is shown the guides.
    pub watcher: Option<&'a Watcher<'a>>,
}

/// Answers a question by a method.
///
/// # Errors
/// The method needs a model and there is none, a fault of the model, or an internal fault.
pub fn answer(
    method: Method,
    system: &Arc<System>,
    bank: &mut TermBank,
    question: Question,
    settings: &SearchSettings,
    aids: Aids<'_>,
) -> Result<Answer> {
    let SearchSettings { slack, drawn, seed, .. } = *settings;
    let task = question.number;
    let model = || aids.model.with_context(|| format!("method '{method}' needs a model"));
    let mut source: Box<dyn GuideSource + '_> = match method {
        // The one method that is no guided search.
        Method::AllWork => return all_work(system, bank, question.ends, &settings.budget),
        Method::Cap => Box::new(NoGuides),
        Method::Random => Box::new(DescendGuides { seed, task, slack: u64::MAX }),
        Method::Descend => Box::new(DescendGuides { seed, task, slack }),
        Method::Smallest => Box::new(SmallestGuides),
        Method::Nearest => Box::new(NearestGuides { seed, task, slack, drawn }),
        Method::Shared | Method::Deep => Box::new(SharedGuides { seed, task, slack, drawn }),
        Method::Ranked => {
            let ranker =
                aids.ranker.with_context(|| format!("method '{method}' needs a ranker"))?;
            let guides = SharedGuides { seed, task, slack, drawn };
            Box::new(RankedGuides { guides, ranker: ranker.clone() })
        }
        Method::Model => {
            let (model, certain) = (model()?, settings.certain);
            Box::new(ModelGuides { model, seed, task, slack, certain, nucleus: settings.nucleus })
        }
        Method::Select => {
            let (model, nucleus) = (model()?, settings.nucleus);
            Box::new(SelectGuides { model, seed, task, slack, drawn, nucleus })
        }
        Method::Oracle => Box::new(Oracle { chain: aids.chain.to_vec() }),
    };
    let mut settings = *settings;
    if matches!(method, Method::Deep | Method::Ranked) {
        settings.budget.scheduler = Schedulers::Mixed;
    }
    match aids.watcher {
        None => prove(system, bank, question, source.as_mut(), &settings),
        Some(watcher) => {
            let mut watched = Watched { source: source.as_mut(), watcher };
            prove(system, bank, question, &mut watched, &settings)
        }
    }
}
