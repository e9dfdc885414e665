//! Where guides come from: the trait, the methods by name, and one file a source. They must not know
//! how a search spends its work.

pub mod both_sides;
pub mod expert;
pub mod guide_source;
pub mod method;
pub mod model_source;
pub mod nearest;
pub mod oracle;
pub mod random;
pub mod randomness;
pub mod select;
pub mod tree_distance;

use crate::sources::guide_source::{GuideSource, NoGuides};
use crate::sources::method::Method;
use anyhow::{Context, Result};
use egraph::TermId;
use model::GuideModel;

/// What the sources of a comparison may draw on.
pub struct SourceContext<'a> {
    /// The trained model, if there is one.
    pub model: Option<&'a GuideModel>,
    /// The task's chain, start and target included: for the oracle alone.
    pub chain: &'a [TermId],
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of the task.
    pub task: u64,
}

/// The source of a method.
///
/// # Errors
/// The method needs a model and there is none.
pub fn for_method<'a>(
    method: Method,
    context: &SourceContext<'a>,
) -> Result<Box<dyn GuideSource + 'a>> {
    let (seed, task) = (context.seed, context.task);
    Ok(match method {
        Method::Cap | Method::AllWork => Box::new(NoGuides),
        Method::Random(_) => Box::new(random::RandomGuides { seed, task }),
        Method::BothSides(_) => Box::new(both_sides::BothSides { seed, task }),
        Method::Nearest(_) => Box::new(nearest::NearestGuides { seed, task }),
        Method::Model(_) => {
            let model =
                context.model.with_context(|| format!("method '{method}' needs a model"))?;
            Box::new(model_source::ModelGuides { model, seed, task })
        }
        Method::Select(_) => {
            let model =
                context.model.with_context(|| format!("method '{method}' needs a model"))?;
            Box::new(select::SelectGuides { model, seed, task })
        }
        Method::Oracle => Box::new(oracle::Oracle { chain: context.chain.to_vec() }),
    })
}
