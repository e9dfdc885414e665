//! The options of a search and of tasks, for the commands that have them, and presets of them.

use egraph::ByteSize;
use guided_search::{Budget, Cap, ChainSettings, Family, Method, Schedulers, SearchSettings};
use serde::Deserialize;

/// A preset, as a TOML file. Every value may be left out, and is overruled by its option on the command line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Preset {
    /// How tasks are made.
    pub tasks: TaskArgs,
    /// How methods are compared.
    pub search: SearchArgs,
}

/// How to make tasks; what is not given comes from a preset or a default.
#[derive(Clone, Debug, Default, PartialEq, clap::Args, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaskArgs {
    /// Links per chain [default: 8]
    #[arg(long, value_name = "N")]
    pub links: Option<u32>,
    /// E-nodes of a link's e-graph [default: as in the file of --without, or 1000 to 100, as the seeds allow]
    #[arg(long, value_name = "L")]
    pub link_nodes: Option<usize>,
    /// Leave out targets that one e-graph of N e-nodes proves equal to their seeds [default: 4 L]
    #[arg(long, value_name = "N")]
    pub cap: Option<usize>,
    /// At most so much memory for each e-graph, as 64MiB or 1GiB; each thread grows one at a time
    /// [default: 256MiB]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<ByteSize>,
    /// Number of tasks [default: 100]
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// How often the seeds are gone through, with other random choices [default: 4]
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// Only seeds that equal a constant, theorem, or only the others, identity [default: both]
    #[arg(long, value_name = "NAME")]
    pub family: Option<Family>,
}

/// How to search; what is not given comes from a preset or a default.
#[derive(Clone, Debug, Default, PartialEq, clap::Args, Deserialize)]
#[serde(deny_unknown_fields, default)]
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
    /// The methods to compare, in an evaluation.
    #[arg(skip)]
    pub methods: Option<Vec<Method>>,
}

impl TaskArgs {
    /// What is given, and what a preset says of the rest.
    pub fn or(&self, preset: &TaskArgs) -> TaskArgs {
        TaskArgs {
            links: self.links.or(preset.links),
            link_nodes: self.link_nodes.or(preset.link_nodes),
            cap: self.cap.or(preset.cap),
            memory: self.memory.or(preset.memory),
            count: self.count.or(preset.count),
            rounds: self.rounds.or(preset.rounds),
            family: self.family.or(preset.family),
        }
    }

    /// The settings of chains, with links of `link_nodes` e-nodes.
    pub fn settings(&self, link_nodes: usize, seed: u64) -> ChainSettings {
        let new = ChainSettings::new(link_nodes, seed);
        ChainSettings {
            links: self.links.unwrap_or(new.links),
            cap: self.cap.unwrap_or(new.cap),
            memory: self.memory.map_or(new.memory, |memory| memory.0),
            count: self.count.unwrap_or(new.count),
            rounds: self.rounds.unwrap_or(new.rounds),
            family: self.family,
            ..new
        }
    }
}

impl SearchArgs {
    /// What is given, and what a preset says of the rest.
    pub fn or(&self, preset: &SearchArgs) -> SearchArgs {
        SearchArgs {
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
}

/// Settings with all that a preset says but for its cap and work, which `budget` has; its scheduler is what the preset may
/// leave open.
pub fn settings(preset: &SearchArgs, budget: Budget, seed: u64) -> SearchSettings {
    let scheduler = preset.scheduler.unwrap_or(budget.scheduler);
    let budget = Budget { scheduler, ..budget };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_optional_and_typed() {
        let text = "[search]\ncap = \"64MiB\"\nmethods = [\"oracle\", \"descend\"]\n";
        let config = toml::from_str::<Preset>(text).unwrap();
        assert_eq!(config.search.cap, Some(Cap::Memory(64 << 20)));
        assert_eq!(config.search.methods.map(|m| m.len()), Some(2));
        assert_eq!(config.tasks, TaskArgs::default());
    }
}
