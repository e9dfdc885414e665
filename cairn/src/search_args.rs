//! The options of a search, for the commands that search.

use guided_search::{Budget, Cap, CompareConfig, Schedulers, SearchSettings};

/// How to search; what is not given comes from a preset or a default.
#[derive(Clone, Debug, clap::Args)]
pub struct SearchArgs {
    /// Cap on each e-graph, in e-nodes (4000) or memory (64MiB) [default: 4000, or that of the tasks]
    #[arg(long, value_name = "CAP")]
    pub cap: Option<Cap>,
    /// Work for a question: e-nodes built, over all e-graphs [default: 80,000, or that of 2 e-graphs at
    /// the cap if that is more; for far chains 10 times links times e-nodes a link]
    #[arg(long, value_name = "N")]
    pub work: Option<u64>,
    /// How matches are chosen: simple (all), backoff (not of rules that match too often), best-first (a
    /// few promising ones an iteration), auto for the first two in turn, or mixed for best-first and simple
    /// [default: auto, in an evaluation simple; `deep`, `ranked` and `portfolio` are always mixed]
    #[arg(long, value_name = "NAME")]
    pub scheduler: Option<Schedulers>,
    /// Guides that are asked for at a time, on each side [default: 10]
    #[arg(long, value_name = "K")]
    pub guides: Option<usize>,
    /// Cap on the e-graph of an expansion, from guides to guides [default: half of the cap, and at
    /// most 40,000 e-nodes or 4 MiB]
    #[arg(long, value_name = "CAP")]
    pub expansion: Option<Cap>,
    /// E-graphs after which a walk from guide to guide ends and another begins [default: 32]
    #[arg(long, value_name = "N")]
    pub walk: Option<usize>,
    /// How many nodes larger than the smallest term of its side a frontier term may be [default: 4]
    #[arg(long, value_name = "NODES")]
    pub slack: Option<u64>,
    /// Frontier terms drawn on each side, for methods that then take the best of them [default: 100]
    #[arg(long, value_name = "N")]
    pub drawn: Option<usize>,
    /// A model draws each token from the likeliest ones that together have this probability [default: 0.95]
    #[arg(long, value_name = "P")]
    pub nucleus: Option<f64>,
    /// Parts of a guide to which the model gives less than this probability are left open [default: 0.5]
    #[arg(long, value_name = "P")]
    pub certain: Option<f64>,
}

impl SearchArgs {
    /// Puts what is given in the place of what a preset says.
    pub fn overrule(&self, preset: &mut CompareConfig) {
        preset.cap = self.cap.or(preset.cap);
        preset.work = self.work.or(preset.work);
        preset.scheduler = self.scheduler.or(preset.scheduler);
        preset.guides = self.guides.or(preset.guides);
        preset.expansion = self.expansion.or(preset.expansion);
        preset.walk = self.walk.or(preset.walk);
        preset.slack = self.slack.or(preset.slack);
        preset.drawn = self.drawn.or(preset.drawn);
        preset.nucleus = self.nucleus.or(preset.nucleus);
        preset.certain = self.certain.or(preset.certain);
    }
}

/// Settings with all that a preset says; `budget` is what it may leave open.
pub fn settings(preset: &CompareConfig, budget: Budget, seed: u64) -> SearchSettings {
    let budget = Budget {
        cap: preset.cap.unwrap_or(budget.cap),
        work: preset.work.unwrap_or(budget.work),
        scheduler: preset.scheduler.unwrap_or(budget.scheduler),
    };
    let best = SearchSettings::within(budget, seed);
    SearchSettings {
        guides: preset.guides.unwrap_or(best.guides),
        expansion: preset.expansion.unwrap_or(best.expansion),
        walk: preset.walk.unwrap_or(best.walk),
        slack: preset.slack.unwrap_or(best.slack),
        drawn: preset.drawn.unwrap_or(best.drawn),
        nucleus: preset.nucleus.unwrap_or(best.nucleus),
        certain: preset.certain.unwrap_or(best.certain),
        ..best
    }
}
