//! The number of an e-node, which is also the name of its class.

/// An e-node. An e-class is named by its canonical e-node, see [`crate::EGraph::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);
