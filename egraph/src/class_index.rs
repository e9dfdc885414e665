//! E-nodes sorted by class and by operator, in flat arrays, made anew by each rebuild.

use crate::egraph::Id;
use crate::leaves::Head;

/// Where the e-nodes of each class, and of each operator, are.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassIndex {
    /// `nodes[starts[c]..starts[c + 1]]` are the e-nodes of class `c`, sorted by head, then id.
    starts: Vec<u32>,
    nodes: Vec<Id>,
    /// The same for operators; leaves are not indexed.
    op_starts: Vec<u32>,
    op_nodes: Vec<Id>,
}

impl ClassIndex {
    pub fn heap_bytes(&self) -> usize {
        (self.starts.capacity()
            + self.nodes.capacity()
            + self.op_starts.capacity()
            + self.op_nodes.capacity())
            * size_of::<u32>()
    }

    /// Makes room for an index over `ids` ids, so that a later rebuild allocates nothing.
    pub fn reserve(&mut self, ids: usize) {
        self.starts.reserve_exact((ids + 1).saturating_sub(self.starts.len()));
        self.nodes.reserve_exact(ids.saturating_sub(self.nodes.len()));
        self.op_nodes.reserve_exact(ids.saturating_sub(self.op_nodes.len()));
    }

    /// Indexes the `live` e-nodes among ids `0..ids`.
    pub fn build(
        &mut self,
        ids: usize,
        operators: usize,
        live: impl Fn(Id) -> bool,
        class: impl Fn(Id) -> Id,
        head: impl Fn(Id) -> Head,
    ) {
        let all = || (0..ids as u32).map(Id).filter(|&id| live(id));
        fill(&mut self.starts, &mut self.nodes, ids, all(), |id| class(id).0);
        let applications = || all().filter(|&id| (head(id).0 as usize) < operators);
        fill(&mut self.op_starts, &mut self.op_nodes, operators, applications(), |id| head(id).0);
        for class in 0..ids {
            let (start, end) = (self.starts[class] as usize, self.starts[class + 1] as usize);
            if end - start > 1 {
                self.nodes[start..end].sort_unstable_by_key(|&id| (head(id), id));
            }
        }
    }

    /// All e-nodes of a class.
    pub fn class(&self, class: Id) -> &[Id] {
        match self.starts.get(class.0 as usize + 1) {
            Some(&end) => &self.nodes[self.starts[class.0 as usize] as usize..end as usize],
            None => &[],
        }
    }

    /// The e-nodes of a class with this head.
    pub fn class_with_head(&self, class: Id, head: Head, head_of: impl Fn(Id) -> Head) -> &[Id] {
        let nodes = self.class(class);
        let start = nodes.partition_point(|&id| head_of(id) < head);
        let count = nodes[start..].iter().take_while(|&&id| head_of(id) == head).count();
        &nodes[start..start + count]
    }

    /// All e-nodes with this operator, by id.
    pub fn operator(&self, op: usize) -> &[Id] {
        match self.op_starts.get(op + 1) {
            Some(&end) => &self.op_nodes[self.op_starts[op] as usize..end as usize],
            None => &[],
        }
    }
}

/// A counting sort of `items` by `key < keys` into `sorted`, stable.
fn fill(
    starts: &mut Vec<u32>,
    sorted: &mut Vec<Id>,
    keys: usize,
    items: impl Iterator<Item = Id> + Clone,
    key: impl Fn(Id) -> u32,
) {
    starts.clear();
    starts.resize(keys + 1, 0);
    for id in items.clone() {
        starts[key(id) as usize + 1] += 1;
    }
    for k in 0..keys {
        starts[k + 1] += starts[k];
    }
    sorted.clear();
    sorted.resize(starts[keys] as usize, Id(0));
    // Fills each run from its start; `starts[k]` is the end of run k afterwards, i.e. shifted by
    // one place, and shifted back below.
    for id in items {
        let place = &mut starts[key(id) as usize];
        sorted[*place as usize] = id;
        *place += 1;
    }
    for k in (0..keys).rev() {
        starts[k + 1] = starts[k];
    }
    starts[0] = 0;
}
