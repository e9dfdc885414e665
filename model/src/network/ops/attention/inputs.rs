//! What attention is told beside its tensors: how a width is divided into heads, where keys are, and which
//! of them a query sees.

use crate::geometry::positions::NodePlace;
use crate::geometry::relations::{Buckets, Relation};
use crate::network::ops::tensors::OnGpu;

/// How a layer's width is divided into heads, and what they see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Width of all heads together.
    pub width: usize,
    /// Number of heads; divides the width.
    pub count: usize,
    /// The relation of every head in self-attention; empty if there are none.
    pub relations: Vec<Relation>,
    /// How differences are numbered.
    pub buckets: Buckets,
    /// Whether queries and keys of self-attention are rotated by their places in pre-order.
    pub rope: bool,
}

impl Heads {
    /// Width of a head.
    pub fn each(&self) -> usize {
        self.width / self.count
    }

    /// 1 / √(terms · e), with three terms in the scores if there are relations and one if not.
    pub fn scale(&self, relations: bool) -> f32 {
        let terms = if relations { 3.0 } else { 1.0 };
        1.0 / (terms * self.each() as f32).sqrt()
    }
}

/// The places of the nodes of a batch of trees, from which relations are computed.
#[derive(Clone, Debug)]
pub struct Places {
    /// Keys come first in a row, then what only queries are. `[batch, row]`
    pub places: Vec<NodePlace>,
    /// Length of a row.
    pub row: usize,
    /// Query i is the node at `first_query + i` of its row.
    pub first_query: usize,
}

/// Where the keys and values of a batch row are.
#[derive(Clone, Debug)]
pub enum Source {
    /// In its own row.
    Own,
    /// In the given row: several may share one. Has no gradient. `[batch]`
    Rows(Vec<u32>),
    /// Scattered over a tensor `[nodes, 2d]`, at the given nodes. Has no gradient, and there is one
    /// query per row. `[batch, keys]`
    Scattered(Vec<u32>),
}

/// Which keys a query sees, and how they are related to it.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// Rows of the batch.
    pub batch: usize,
    /// Queries per row, padding included.
    pub queries: usize,
    /// Keys per row, padding included.
    pub keys: usize,
    /// Queries of each row that are not padding; what is computed of others is zero. `[batch]`
    pub query_lengths: Vec<usize>,
    /// Keys of each row that are not padding. `[batch]`, each at least 1.
    pub key_lengths: Vec<usize>,
    /// Whether query i sees only the keys up to i.
    pub causal: bool,
    /// Where the nodes stand; `None` in cross-attention.
    pub places: Option<Places>,
    /// Where keys and values are.
    pub source: Source,
    /// The same on a GPU.
    pub on_gpu: OnGpu,
}

impl Geometry {
    /// How many keys query `i` of row `b` sees: the first ones.
    pub fn seen(&self, b: usize, i: usize) -> usize {
        self.sight(b).seen(i)
    }

    /// What the loops need to know of the queries of row `b`.
    pub(crate) fn sight(&self, b: usize) -> Sight<'_> {
        Sight {
            queries: self.query_lengths[b],
            keys: self.key_lengths[b],
            causal: self.causal,
            places: self.places.as_ref().map(|p| {
                let row = &p.places[b * p.row..][..p.row];
                (&row[p.first_query..], &row[..self.keys])
            }),
        }
    }
}

/// What the queries of a batch row see.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    /// n, m: queries and keys that are not padding.
    pub(crate) queries: usize,
    pub(crate) keys: usize,
    /// Whether query i sees only the keys up to i.
    pub(crate) causal: bool,
    /// Places of queries and keys, at least as many as there are.
    pub(crate) places: Option<(&'a [NodePlace], &'a [NodePlace])>,
}

impl Sight<'_> {
    /// How many keys query `i` sees: the first ones.
    pub(crate) fn seen(&self, i: usize) -> usize {
        if self.causal { self.keys.min(i + 1) } else { self.keys }
    }
}
