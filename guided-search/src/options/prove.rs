//! How to search for a proof.

use crate::options::budget::{Budget, Cap};
use crate::options::schedulers::Schedulers;
use crate::options::{MOST, within};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// Guides that are asked for at a time.
const GUIDES: usize = 10;
/// E-graphs of a walk.
pub const WALK: usize = 32;
/// Nodes that a frontier term may be larger than the smallest one.
pub const SLACK: u64 = 4;
/// Frontier terms of which the best are taken.
const DRAWN: usize = 100;
/// The probability of the tokens that a model draws from.
pub const NUCLEUS: f64 = 0.95;
/// The probability below which part of a guide is left open.
const CERTAIN: f64 = 0.5;

/// How to search; what is not given comes from a preset or a default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct SearchOptions {
    /// Cap on each e-graph, in e-nodes (4000) or memory (64MiB) [default: 4000, or that of the tasks]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CAP"))]
    pub cap: Option<Cap>,
    /// Work for a question: e-nodes built, over all e-graphs [default: 80,000, or that of 2 e-graphs at
    /// the cap if that is more; for far chains 10 times links times e-nodes a link]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub work: Option<u64>,
    /// How matches are chosen: simple (all), backoff (not of rules that match too often), best-first (a
    /// few promising ones an iteration), auto for the first two in turn, or mixed for best-first and simple
    /// [default: auto, in an evaluation simple; `deep`, `ranked` and `portfolio` are always mixed]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub scheduler: Option<Schedulers>,
    /// Guides that are asked for at a time, on each side [default: 10]
    #[cfg_attr(feature = "clap", arg(long, value_name = "K"))]
    pub guides: Option<usize>,
    /// Cap on the e-graph of an expansion, from guides to guides [default: half of the cap, and at
    /// most 40,000 e-nodes or 4 MiB]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CAP"))]
    pub expansion: Option<Cap>,
    /// E-graphs after which a walk from guide to guide ends and another begins [default: 32]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub walk: Option<usize>,
    /// How many nodes larger than the smallest term of its side a frontier term may be [default: 4]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NODES"))]
    pub slack: Option<u64>,
    /// Frontier terms drawn on each side, for methods that then take the best of them [default: 100]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub drawn: Option<usize>,
    /// A model draws each token from the likeliest ones that together have this probability [default: 0.95]
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub nucleus: Option<f64>,
    /// Parts of a guide to which the model gives less than this probability are left open [default: 0.5]
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub certain: Option<f64>,
    /// The names of the methods to compare, in the preset of an evaluation.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub methods: Option<Vec<String>>,
}

/// The settings of a search, the same for all methods of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSettings {
    /// Cap, total work and scheduler.
    pub budget: Budget,
    /// Guides a side that are asked for at a time (K).
    pub guides: usize,
    /// The cap on the e-graph of an expansion.
    pub expansion: Cap,
    /// E-graphs after which a walk from pair to pair ends and another one begins.
    pub walk: usize,
    /// How many nodes larger than the smallest term of its side a frontier term may be.
    pub slack: u64,
    /// Of how many frontier terms a side the best are taken, where they are ranked.
    pub drawn: usize,
    /// What a model writes is drawn from its likeliest tokens, of this probability together.
    pub nucleus: f64,
    /// A subtree whose root a model gives less than this probability is left open where a guide is
    /// not reached.
    pub certain: f64,
    /// Seed of the random choices.
    pub seed: u64,
}

impl SearchOptions {
    /// What is given, and what a preset says of the rest.
    pub fn or(&self, preset: &SearchOptions) -> SearchOptions {
        SearchOptions {
            cap: self.cap.or(preset.cap),
            work: self.work.or(preset.work),
            scheduler: self.scheduler.or(preset.scheduler),
            guides: self.guides.or(preset.guides),
            expansion: self.expansion.or(preset.expansion),
            walk: self.walk.or(preset.walk),
            slack: self.slack.or(preset.slack),
            drawn: self.drawn.or(preset.drawn),
            nucleus: self.nucleus.or(preset.nucleus),
            certain: self.certain.or(preset.certain),
            methods: self.methods.as_ref().or(preset.methods.as_ref()).cloned(),
        }
    }

    /// The settings of a search for the proof of one question.
    ///
    /// # Errors
    /// A value is out of its bounds, or only an evaluation has the option.
    pub fn settle(&self, seed: u64) -> Result<SearchSettings> {
        ensure!(self.methods.is_none(), "methods: only an evaluation has several");
        self.within(Budget::of_question(self.cap, self.work, Schedulers::Auto), seed)
    }

    /// The settings with the cap and the work of a budget, and its scheduler, if none is given.
    pub(super) fn within(&self, budget: Budget, seed: u64) -> Result<SearchSettings> {
        let scheduler = self.scheduler.unwrap_or(budget.scheduler);
        let best = SearchSettings::within(Budget { scheduler, ..budget }, seed);
        let settings = SearchSettings {
            guides: self.guides.unwrap_or(best.guides),
            expansion: self.expansion.unwrap_or(best.expansion),
            walk: self.walk.unwrap_or(best.walk),
            slack: self.slack.unwrap_or(best.slack),
            drawn: self.drawn.unwrap_or(best.drawn),
            nucleus: self.nucleus.unwrap_or(best.nucleus),
            certain: self.certain.unwrap_or(best.certain),
            ..best
        };
        settings.check()?;
        Ok(settings)
    }
}

impl SearchSettings {
    /// The settings that are best on average, within a budget.
    pub fn within(budget: Budget, seed: u64) -> SearchSettings {
        SearchSettings {
            budget,
            guides: GUIDES,
            expansion: budget.cap.of_expansion(),
            walk: WALK,
            slack: SLACK,
            drawn: DRAWN,
            nucleus: NUCLEUS,
            certain: CERTAIN,
            seed,
        }
    }

    /// # Errors
    /// A number is out of its range, which is named.
    pub fn check(&self) -> Result<()> {
        self.budget.check()?;
        let SearchSettings { guides, walk, drawn, nucleus, certain, .. } = *self;
        for (name, number) in [("guides", guides), ("walk", walk), ("drawn", drawn)] {
            within(name, number, 1..=MOST)?;
        }
        for (name, part) in [("nucleus", nucleus), ("certain", certain)] {
            within(name, part, 0.0..=1.0)?;
        }
        Ok(())
    }

    /// Each of them: its option, what it is on a page, and its value.
    pub fn listed(&self) -> [(&'static str, &'static str, String); 11] {
        let Budget { cap, work, scheduler } = self.budget;
        let SearchSettings {
            guides, expansion, walk, slack, drawn, nucleus, certain, seed, ..
        } = self;
        [
            ("cap", "cap on each e-graph", cap.to_string()),
            ("work", "total work", work.to_string()),
            ("scheduler", "scheduler", scheduler.to_string()),
            ("guides", "guides a side per request", guides.to_string()),
            ("expansion", "cap on the e-graph of an expansion", expansion.to_string()),
            ("walk", "e-graphs of a walk", walk.to_string()),
            ("slack", "nodes above the smallest term", slack.to_string()),
            ("drawn", "frontier terms drawn to be ranked", drawn.to_string()),
            ("nucleus", "probability of the tokens that a model draws from", nucleus.to_string()),
            ("certain", "probability below which a subtree is left open", certain.to_string()),
            ("seed", "seed", seed.to_string()),
        ]
    }
}
