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
use serde::{Deserialize, Serialize};
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

/// What a method needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing but the question.
    Nothing,
    /// A trained model.
    Model,
    /// A learned order of matches.
    Ranker,
    /// Nothing, but it uses a ranker if there is one.
    RankerIfAny,
    /// The chain that the task was made from.
    Chain,
    /// A file of guides.
    Guides,
}

impl Need {
    /// What is missing where it is not there, and how it is given; in a list of methods the same in brackets.
    pub fn words(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Need::Nothing | Need::RankerIfAny => return None,
            Need::Model => ("a model: give its directory with --model", " (needs --model)"),
            Need::Ranker => ("a ranker, and none is to be used", ""),
            Need::Chain => (
                "tasks with a known chain: it is for `cairn evaluate` and what `cairn tasks` makes",
                " (needs tasks of `cairn tasks`)",
            ),
            Need::Guides => (
                "a file of guides: give it to `cairn prove` with --expert",
                " (needs --expert of `cairn prove`)",
            ),
        })
    }
}

impl Aids<'_> {
    /// Which of them are there.
    pub fn available(&self) -> Vec<Need> {
        let there = [
            (Need::Model, self.model.is_some()),
            (Need::Ranker, self.ranker.is_some()),
            (Need::Chain, self.chain.is_some()),
            (Need::Guides, self.expert.is_some()),
        ];
        there.into_iter().filter(|(_, is_there)| *is_there).map(|(need, _)| need).collect()
    }
}

/// The files of aids, as results speak of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AidFiles {
    /// The directory of the model, if a method needs one.
    pub model: Option<String>,
    /// The hash of the model's files, if a method needs one.
    pub model_hash: Option<String>,
    /// The file of the ranker, if a method needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    /// SHA-256 of the ranker, if a method needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker_hash: Option<String>,
}

impl AidFiles {
    /// Each of them: its option, its file, and the hash of that.
    pub fn listed(&self) -> [(&'static str, Option<&str>, Option<&str>); 2] {
        let AidFiles { model, model_hash, ranker, ranker_hash } = self;
        [("model", model, model_hash), ("ranker", ranker, ranker_hash)]
            .map(|(option, file, hash)| (option, file.as_deref(), hash.as_deref()))
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
