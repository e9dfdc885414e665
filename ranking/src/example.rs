//! What a ranker learns from.

use crate::numbers::Numbers;
use serde::{Deserialize, Serialize};

/// A match that was applied while an e-graph grew in which a proof was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// Which e-graph.
    pub e_graph: u32,
    /// Whether the proof uses the match.
    pub used: bool,
    /// What the match looked like.
    pub seen: Numbers,
}
