//! What a search does, as its directory says it, and how it ended.

use crate::options::FindAim;
use jobs::Described;
use serde::{Deserialize, Serialize};

/// What a search does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// What is looked for.
    pub aim: FindAim,
    /// Of all random choices.
    pub seed: u64,
    /// The file that it begins with, and its SHA-256.
    pub language: (String, String),
    /// The file of tables and its SHA-256, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<(String, String)>,
    /// Who is asked.
    pub solvers: Vec<String>,
    /// Its own name, for the file.
    pub kind: String,
}

impl Described for Description {
    const KIND: &'static str = "a search for rules";
    const WHAT: &'static str = "rules that were looked for";
    const INPUT: &'static str = "operators";
    const FILE: &'static str = "search.json";
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All stages are finished.
    All {
        /// How many there are.
        stages: usize,
    },
    /// It came to a limit, or was stopped.
    Early {
        /// How many stages are finished.
        finished: usize,
        /// How many there are.
        stages: usize,
        /// Why.
        why: &'static str,
    },
}
