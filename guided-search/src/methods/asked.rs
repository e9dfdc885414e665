//! What a method is asked, and what it may draw on.

use crate::methods::expert::ExpertGuides;
use crate::methods::guide_writer::GuideWriter;
use crate::methods::watched::{Watched, Watcher};
use crate::options::prove::SearchSettings;
use crate::options::schedulers::Schedulers;
use crate::search::answer::{Answer, Question};
use crate::search::guide_source::GuideSource;
use anyhow::Result;
use egraph::{System, TermBank, TermId};
use ranking::Ranker;
use std::sync::Arc;

/// What methods may draw on beside the question.
#[derive(Clone, Copy, Default)]
pub struct Aids<'a> {
    /// The trained model, if there is one.
    pub model: Option<&'a dyn GuideWriter>,
    /// The learned order of matches, if there is one.
    pub ranker: Option<&'a Arc<Ranker>>,
    /// The task's chain, start and target included, if it is known: for the oracle alone.
    pub chain: Option<&'a [TermId]>,
    /// An expert's guides, if there are any.
    pub expert: Option<&'a ExpertGuides>,
    /// Who is shown the guides.
    pub watcher: Option<&'a Watcher<'a>>,
}

/// What there is for methods to draw on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Available {
    /// A model.
    pub model: bool,
    /// A ranker.
    pub ranker: bool,
    /// The chains that the tasks were made from.
    pub chain: bool,
    /// A file of guides.
    pub guides: bool,
}

impl Aids<'_> {
    /// Which of them are there.
    pub fn available(&self) -> Available {
        Available {
            model: self.model.is_some(),
            ranker: self.ranker.is_some(),
            chain: self.chain.is_some(),
            guides: self.expert.is_some(),
        }
    }
}

/// How guides are searched with.
pub type Search = for<'a> fn(
    &Arc<System>,
    &mut TermBank,
    Question<'a>,
    &mut dyn GuideSource,
    &SearchSettings,
) -> Result<Answer>;

/// A question to a method.
pub struct Asked<'a> {
    /// The rewrite system.
    pub system: &'a Arc<System>,
    /// The terms.
    pub bank: &'a mut TermBank,
    /// The question.
    pub question: Question<'a>,
    /// How to search.
    pub settings: SearchSettings,
    /// What may be used.
    pub aids: Aids<'a>,
}

impl Asked<'_> {
    /// Has it searched with the guides of `source`, in e-graphs grown as `schedulers` say, or else as the settings
    /// say.
    ///
    /// # Errors
    /// A fault of the source, or an internal fault.
    pub fn search(
        &mut self,
        search: Search,
        source: &mut dyn GuideSource,
        schedulers: Option<Schedulers>,
    ) -> Result<Answer> {
        let mut settings = self.settings;
        settings.budget.scheduler = schedulers.unwrap_or(settings.budget.scheduler);
        match self.aids.watcher {
            None => search(self.system, self.bank, self.question, source, &settings),
            Some(watcher) => {
                let mut watched = Watched { source, watcher };
                search(self.system, self.bank, self.question, &mut watched, &settings)
            }
        }
    }
}
