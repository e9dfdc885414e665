//! Presets for tasks and evaluation, as TOML files.

use crate::budget::Cap;
use crate::method::Method;
use anyhow::{Context, Result, anyhow};
use egraph::Scheduler;
use serde::Deserialize;
use std::path::Path;

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
    pub scheduler: Option<Scheduler>,
    /// Guides per request.
    pub guides: Option<usize>,
    /// Guides tried per question.
    pub attempts: Option<usize>,
    /// How often a question may be halved.
    pub depth: Option<u32>,
    /// The methods to compare.
    pub methods: Option<Vec<Method>>,
}

impl SearchConfig {
    /// Reads a preset.
    ///
    /// # Errors
    /// A file that can't be read, or a mistake in it, with file and line.
    pub fn load(path: &Path) -> Result<SearchConfig> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the configuration {}", path.display()))?;
        SearchConfig::parse(&text, &path.display().to_string())
    }

    /// Reads the text of a preset; `name` stands in messages.
    ///
    /// # Errors
    /// A mistake, with name and line.
    pub fn parse(text: &str, name: &str) -> Result<SearchConfig> {
        toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text[..start].matches('\n').count() + 1;
            anyhow!("{name}:{line}: {}", error.message())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_optional_and_typed() {
        let text = "[search]\ncap = \"64MiB\"\nmethods = [\"oracle\", \"both-sides\"]\n";
        let config = SearchConfig::parse(text, "x.toml").unwrap();
        assert_eq!(config.search.cap, Some(Cap::Memory(64 << 20)));
        assert_eq!(config.search.methods.map(|m| m.len()), Some(2));
        assert_eq!(config.tasks, TasksConfig::default());
    }

    #[test]
    fn mistakes_have_file_and_line() {
        let message = |text: &str| SearchConfig::parse(text, "x.toml").unwrap_err().to_string();
        let unknown = message("[tasks]\nlinks = 4\nlinkz = 5\n");
        assert!(unknown.starts_with("x.toml:3: unknown field `linkz`"), "{unknown}");
        assert!(message("[search]\nmethods = [\"magic\"]\n").starts_with("x.toml:2:"));
        assert!(message("[search]\ncap = -1\n").starts_with("x.toml:2:"));
    }
}
