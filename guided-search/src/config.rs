//! Presets for tasks and evaluation, as TOML files (read by [`support::files::toml::read_toml`]).

use crate::search::budget::{Cap, Schedulers};
use crate::sources::method::Method;
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
    /// Number of tasks.
    pub count: Option<usize>,
    /// How often the seeds are gone through.
    pub rounds: Option<u32>,
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
    /// Guides per request.
    pub guides: Option<usize>,
    /// Guides tried per question.
    pub attempts: Option<usize>,
    /// How often a question may be halved.
    pub depth: Option<u32>,
    /// The methods to compare.
    pub methods: Option<Vec<Method>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_optional_and_typed() {
        let text = "[search]\ncap = \"64MiB\"\nmethods = [\"oracle\", \"both-sides\"]\n";
        let config = toml::from_str::<SearchConfig>(text).unwrap();
        assert_eq!(config.search.cap, Some(Cap::Memory(64 << 20)));
        assert_eq!(config.search.methods.map(|m| m.len()), Some(2));
        assert_eq!(config.tasks, TasksConfig::default());
    }
}
