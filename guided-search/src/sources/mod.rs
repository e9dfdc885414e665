//! Where guides come from: the trait, the methods by name, and one file a source. They must not know
//! how a search spends its work.

pub mod descend;
pub mod expert;
pub mod guide_source;
pub mod learned;
pub mod method;
pub mod nearest;
pub mod oracle;
pub mod randomness;
pub mod shared;
pub mod smallest;
pub mod tree_distance;
pub mod watched;
