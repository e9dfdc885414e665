//! How far chains are made.

use anyhow::{Result, ensure};
use egraph::ByteSize;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Memory of an e-graph: as other commands have it.
const MEMORY: ByteSize = ByteSize(256 << 20);
/// The e-graph that must not prove a task has so many times the e-nodes of a link.
const TIMES_A_LINK: usize = 4;
/// An e-node takes at least so many bytes with its explanation, about.
const LEAST_BYTES_PER_NODE: usize = 64;

/// How to make tasks; what is not given comes from a preset or a default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(deny_unknown_fields, default)]
pub struct TaskOptions {
    /// Links per chain [default: 8]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub links: Option<u32>,
    /// E-nodes of a link's e-graph [default: as in the file of --without, or 1000 to 100, as the seeds allow]
    #[cfg_attr(feature = "clap", arg(long, value_name = "L"))]
    pub link_nodes: Option<usize>,
    /// Only targets beyond one e-graph of N e-nodes: it does not prove them equal to their seeds [default: 4 L]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", alias = "cap"))]
    #[serde(alias = "cap")]
    pub beyond: Option<usize>,
    /// At most so much memory for each e-graph, as 64MiB or 1GiB; each thread grows one at a time
    /// [default: 256MiB]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE"))]
    pub memory: Option<ByteSize>,
    /// Number of tasks [default: 100]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub count: Option<usize>,
    /// How often the seeds are gone through, with other random choices [default: 4]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub rounds: Option<u32>,
    /// Only seeds that equal a constant, theorem, or only the others, identity [default: both]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub family: Option<Family>,
}

/// How to make far chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainSettings {
    /// Links per chain (n), at least 1.
    pub links: u32,
    /// E-nodes of the e-graph of a link (L).
    pub link_nodes: usize,
    /// E-nodes under which the target must not be provable from the seed.
    pub beyond: usize,
    /// Bytes that each e-graph may have.
    pub memory: usize,
    /// How many chains are wanted.
    pub count: usize,
    /// How often the seeds are gone through for more, with other random choices.
    pub rounds: u32,
    /// The family that the seeds are to be of, if not both.
    pub family: Option<Family>,
    /// Seed of the random choices.
    pub seed: u64,
}

impl TaskOptions {
    /// What is given, and what a preset says of the rest.
    pub fn or(&self, preset: &TaskOptions) -> TaskOptions {
        TaskOptions {
            links: self.links.or(preset.links),
            link_nodes: self.link_nodes.or(preset.link_nodes),
            beyond: self.beyond.or(preset.beyond),
            memory: self.memory.or(preset.memory),
            count: self.count.or(preset.count),
            rounds: self.rounds.or(preset.rounds),
            family: self.family.or(preset.family),
        }
    }

    /// The settings of chains, with links of `link_nodes` e-nodes where none are given; not checked.
    pub fn settle(&self, link_nodes: usize, seed: u64) -> ChainSettings {
        let new = ChainSettings::new(self.link_nodes.unwrap_or(link_nodes), seed);
        ChainSettings {
            links: self.links.unwrap_or(new.links),
            beyond: self.beyond.unwrap_or(new.beyond),
            memory: self.memory.map_or(new.memory, |memory| memory.0),
            count: self.count.unwrap_or(new.count),
            rounds: self.rounds.unwrap_or(new.rounds),
            family: self.family,
            ..new
        }
    }
}

impl ChainSettings {
    /// The reference setting, with links of `link_nodes` e-nodes.
    pub fn new(link_nodes: usize, seed: u64) -> ChainSettings {
        ChainSettings {
            links: 8,
            link_nodes,
            beyond: link_nodes.saturating_mul(TIMES_A_LINK),
            memory: MEMORY.0,
            count: 100,
            rounds: 4,
            family: None,
            seed,
        }
    }

    /// # Errors
    /// A value out of its range.
    pub fn check(&self) -> Result<()> {
        ensure!(self.links > 0, "links: a chain has at least 1");
        ensure!(self.link_nodes > 0, "link_nodes: a link's e-graph has at least 1 e-node");
        ensure!(self.beyond > 0, "beyond: expected at least 1 e-node");
        ensure!(self.count > 0, "count: expected at least 1 task");
        ensure!(self.rounds > 0, "rounds: expected at least 1");
        let most = self.memory / LEAST_BYTES_PER_NODE;
        for (name, nodes) in [("link_nodes", self.link_nodes), ("beyond", self.beyond)] {
            ensure!(
                nodes <= most,
                "{name}: an e-graph of {nodes} e-nodes takes more memory than the {} that each may have; \
                 expected at most {most}, or more --memory",
                ByteSize(self.memory)
            );
        }
        Ok(())
    }
}

/// A family of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// The seed is found to equal a constant: a literal or an operator without arguments.
    Theorem,
    /// It is not.
    Identity,
}

impl Family {
    /// Both of them.
    pub const ALL: [Family; 2] = [Family::Theorem, Family::Identity];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Family::Theorem => "theorem",
            Family::Identity => "identity",
        }
    }

    /// What it is, for a report.
    pub fn description(self) -> &'static str {
        match self {
            Family::Theorem => "the seed equals a constant",
            Family::Identity => "the seed is not found to equal a constant",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(text: &str) -> Result<Family, String> {
        let named = Family::ALL.into_iter().find(|family| family.name() == text);
        named.ok_or_else(|| format!("expected theorem or identity, found '{text}'"))
    }
}
