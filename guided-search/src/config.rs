//! Presets for tasks and evaluation, as TOML files (read by [`support::read_toml`]).

use crate::methods::table::Method;
use crate::search::budget::Cap;
use crate::search::schedulers::Schedulers;
use crate::tasks::family::Family;
use egraph::ByteSize;
use serde::Deserialize;

/// A preset. Every value may be left out, and is overruled by its option on the command line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchConfig {
    /// How tasks are made.
    pub tasks: TasksConfig,
    /// How methods are compared.
    pub search: CompareConfig,
}

/// The section `[tasks]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TasksConfig {
    /// Links per chain.
    pub links: Option<u32>,
    /// E-nodes per link.
    pub link_nodes: Option<usize>,
    /// E-nodes under which no task may be provable.
    pub cap: Option<usize>,
    /// Memory of each e-graph.
    pub memory: Option<ByteSize>,
    /// Number of tasks.
    pub count: Option<usize>,
    /// How often the seeds are gone through.
    pub rounds: Option<u32>,
    /// The family of the seeds, if not both.
    pub family: Option<Family>,
}

/// The section `[search]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompareConfig {
    /// Cap on each e-graph.
    pub cap: Option<Cap>,
    /// Total work per task and method.
    pub work: Option<u64>,
    /// How e-graphs are grown.
    pub scheduler: Option<Schedulers>,
    /// Guides a side per request.
    pub guides: Option<usize>,
    /// Cap on the e-graph of an expansion.
    pub expansion: Option<Cap>,
    /// E-graphs of a walk.
    pub walk: Option<usize>,
    /// How many nodes larger than the smallest term of its side a frontier term may be.
    pub slack: Option<u64>,
    /// Of how many frontier terms a side the best are taken.
    pub drawn: Option<usize>,
    /// A model's terms are drawn from its likeliest tokens, of this probability together.
    pub nucleus: Option<f64>,
    /// Subtrees of less probability are left open.
    pub certain: Option<f64>,
    /// The methods to compare.
    pub methods: Option<Vec<Method>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_optional_and_typed() {
        let text = "[search]\ncap = \"64MiB\"\nmethods = [\"oracle\", \"descend\"]\n";
        let config = toml::from_str::<SearchConfig>(text).unwrap();
        assert_eq!(config.search.cap, Some(Cap::Memory(64 << 20)));
        assert_eq!(config.search.methods.map(|m| m.len()), Some(2));
        assert_eq!(config.tasks, TasksConfig::default());
    }
}
