//! Keys and values of the nodes written so far, for decoding step by step.
//!
//! What is computed of a node is put behind that of all others, in room that grows in place, and
//! every hypothesis has the list of its nodes. So a hypothesis that goes on in several ways copies
//! numbers of nodes, not keys and values, and one that is dropped costs nothing until the room is
//! full; then what is left is moved together.

use crate::network::ops::attention::inputs::Source;
use candle_core::{DType, Device, Result, Tensor};

/// The nodes of half-written guides, all of the same number of nodes.
#[derive(Default)]
pub struct Cache {
    /// Keys and values of all nodes, per decoder layer. `[capacity, 2d]`
    layers: Vec<Tensor>,
    capacity: usize,
    /// Nodes that are there.
    used: usize,
    /// The nodes of each guide.
    rows: Vec<Vec<u32>>,
    /// Where the nodes of the step at hand go.
    at: usize,
}

/// Where a layer's keys and values of a step go.
pub(crate) struct Past<'a> {
    room: &'a Tensor,
    at: usize,
    /// Nodes of each guide before the step.
    pub(crate) nodes: usize,
}

impl Past<'_> {
    /// Adds keys and values of a step, `[rows, 1, 2d]`; all that are there, `[capacity, 2d]`.
    pub(crate) fn extend(&self, kv: &Tensor) -> Result<Tensor> {
        let (rows, _, width) = kv.dims3()?;
        let kv = kv.reshape((rows, width))?.contiguous()?; // [rows, 2d]
        self.room.slice_set(&kv, 0, self.at)?;
        Ok(self.room.clone())
    }
}

impl Cache {
    /// Keeps the given guides, in the given order; one may be taken several times.
    pub fn select(&mut self, rows: &[u32]) {
        if self.rows.is_empty() {
            return; // Nothing is written yet.
        }
        self.rows = rows.iter().map(|row| self.rows[*row as usize].clone()).collect();
    }

    /// Makes room for one more node of each of `rows` guides in `layers` layers; the nodes that
    /// their queries see. `width` is that of keys and values together.
    pub(crate) fn begin(
        &mut self,
        layers: usize,
        rows: usize,
        width: usize,
        device: &Device,
    ) -> Result<Source> {
        if self.rows.is_empty() {
            (self.rows, self.used) = (vec![Vec::new(); rows], 0);
        }
        if self.used + rows > self.capacity {
            self.make_room(layers, rows, width, device)?;
        }
        self.at = self.used;
        self.used += rows;
        let mut nodes = Vec::with_capacity(rows * (self.rows[0].len() + 1));
        for (row, at) in self.rows.iter_mut().zip(self.at as u32..) {
            row.push(at);
            nodes.extend(&*row);
        }
        Ok(Source::Scattered(nodes))
    }

    /// Moves the nodes that are still needed together, into new room for twice their number.
    fn make_room(
        &mut self,
        layers: usize,
        rows: usize,
        width: usize,
        device: &Device,
    ) -> Result<()> {
        let mut kept: Vec<u32> = self.rows.iter().flatten().copied().collect();
        kept.sort_unstable();
        kept.dedup();
        for node in self.rows.iter_mut().flatten() {
            // All of them are among those kept.
            *node = kept.binary_search(node).unwrap_or_else(|place| place) as u32;
        }
        self.used = kept.len();
        self.capacity = 2 * kept.len() + 16 * rows;
        let mut roomier = Vec::with_capacity(layers);
        for layer in 0..layers {
            let room = Tensor::zeros((self.capacity, width), DType::F32, device)?;
            if let (Some(old), false) = (self.layers.get(layer), kept.is_empty()) {
                let kept = Tensor::new(&kept[..], device)?;
                room.slice_set(&old.index_select(&kept, 0)?, 0, 0)?;
            }
            roomier.push(room);
        }
        self.layers = roomier;
        Ok(())
    }

    /// Where layer `layer` puts the step that was begun last.
    pub(crate) fn past(&self, layer: usize) -> Past<'_> {
        let nodes = self.rows.first().map_or(0, |row| row.len() - 1);
        Past { room: &self.layers[layer], at: self.at, nodes }
    }
}
