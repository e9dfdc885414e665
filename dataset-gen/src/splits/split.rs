//! The splits of a dataset.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A part of a dataset. The order is that of the names in the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// To learn from.
    Train,
    /// To watch the learning.
    Validation,
    /// To measure at the end.
    Test,
}

impl Split {
    /// All splits.
    pub const ALL: [Split; 3] = [Split::Train, Split::Validation, Split::Test];

    /// `train`, `validation` or `test`.
    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Validation => "validation",
            Split::Test => "test",
        }
    }

    /// How the names of the split's files of triples begin, in the dataset's directory.
    pub fn data(self) -> String {
        format!("data/{}", self.name())
    }

    /// How the names of the split's files of proofs begin, in the dataset's directory.
    pub fn proofs(self) -> String {
        format!("proofs/{}", self.name())
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
