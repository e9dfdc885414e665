//! When each e-node changed last: what a search that has seen the e-graph before must look at.
//!
//! An e-node *changes* when it is added, when a child of it gets another canonical class, when
//! its own class is absorbed by another, and when a child of it comes to equal a literal. A match
//! all of whose e-nodes are unchanged since a rule's last search was found by that search.

use crate::id::Id;

/// The stamp of an e-node that was found congruent to another.
const DEAD: u8 = u8::MAX;
/// Stamps that are looked at together.
const RUN: usize = 64;
/// By how much stamps are lowered when the epoch has no room left.
const SHIFT: u8 = 126;

/// A moment between two iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Epoch(u8);

impl Epoch {
    /// The same moment after stamps have been lowered by `shift`; `None` if it is too long ago to
    /// be told from others.
    pub fn lowered(self, shift: u8) -> Option<Epoch> {
        self.0.checked_sub(shift).map(Epoch)
    }

    /// As a number that is not 0.
    pub fn number(self) -> u8 {
        self.0.saturating_add(1)
    }

    /// The epoch with this number.
    pub fn of_number(number: u8) -> Option<Epoch> {
        number.checked_sub(1).map(Epoch)
    }
}

/// Stamps by e-node.
#[derive(Clone, Debug)]
pub(crate) struct Stamps {
    now: Epoch,
    stamps: Vec<u8>,
}

impl Stamps {
    pub fn new() -> Stamps {
        Stamps { now: Epoch(1), stamps: Vec::new() }
    }

    pub fn heap_bytes(&self) -> usize {
        self.stamps.capacity()
    }

    /// The epoch and all stamps.
    pub fn stored(&self) -> (u8, &Vec<u8>) {
        (self.now.0, &self.stamps)
    }

    /// Takes them as they were stored.
    pub fn read(&mut self, now: u8, stamps: Vec<u8>) {
        (self.now, self.stamps) = (Epoch(now.clamp(1, DEAD - 1)), stamps);
    }

    pub fn reserve_exact(&mut self, nodes: usize) {
        self.stamps.reserve_exact(nodes);
    }

    pub fn shrink_to(&mut self, nodes: usize) {
        self.stamps.shrink_to(nodes);
    }

    /// New e-nodes, up to `len` e-nodes.
    pub fn extend_to(&mut self, len: usize) {
        self.stamps.resize(len, self.now.0);
    }

    /// Notes that an e-node has changed.
    pub fn touch(&mut self, node: Id) {
        let stamp = &mut self.stamps[node.0 as usize];
        if *stamp != DEAD {
            *stamp = self.now.0;
        }
    }

    pub fn kill(&mut self, node: Id) {
        self.stamps[node.0 as usize] = DEAD;
    }

    pub fn is_dead(&self, node: Id) -> bool {
        self.stamps[node.0 as usize] == DEAD
    }

    /// Whether a live e-node has changed since the end of `epoch`.
    #[inline]
    pub fn changed_since(&self, node: Id, epoch: Epoch) -> bool {
        self.stamps[node.0 as usize] > epoch.0
    }

    /// The live e-nodes that have changed since the end of `epoch`, by id.
    pub fn later_than(&self, epoch: Epoch) -> impl Iterator<Item = Id> + '_ {
        let is_later = move |&stamp: &u8| (stamp > epoch.0) & (stamp != DEAD);
        // Often few have changed: a run of stamps is looked at as a whole first.
        let runs = self.stamps.chunks(RUN).enumerate();
        let runs =
            runs.filter(move |(_, run)| run.iter().fold(false, |any, stamp| any | is_later(stamp)));
        runs.flat_map(move |(number, run)| {
            let later = run.iter().enumerate().filter(move |&(_, stamp)| is_later(stamp));
            later.map(move |(i, _)| Id((number * RUN + i) as u32))
        })
    }

    /// The moment that a search made now will have seen.
    pub fn now(&self) -> Epoch {
        self.now
    }

    /// Ends the epoch: what changes from here on is new to those who have searched. Returns by
    /// how much stamps had to be lowered, for [`Epoch::lowered`].
    pub fn advance(&mut self) -> u8 {
        let shift = if self.now.0 == DEAD - 1 { SHIFT } else { 0 };
        if shift > 0 {
            for stamp in self.stamps.iter_mut().filter(|stamp| **stamp != DEAD) {
                *stamp = stamp.saturating_sub(shift);
            }
            self.now.0 -= shift;
        }
        self.now.0 += 1;
        shift
    }
}

/// Applications that have changed since an epoch, by operator, class and id.
#[derive(Debug)]
pub(crate) struct Changes {
    starts: Vec<u32>,
    nodes: Vec<Id>,
}

impl Changes {
    /// Sorts `nodes` by operator and keeps the order of nodes with the same operator. `counts` says how often each operator
    /// occurs. Leaves have no operator and are left out.
    pub fn collect(
        nodes: impl Iterator<Item = Id>,
        counts: &[u32],
        operator: impl Fn(Id) -> usize,
    ) -> Changes {
        let mut starts = Vec::with_capacity(counts.len() + 1);
        starts.push(0);
        let mut end = 0;
        starts.extend(counts.iter().map(|count| {
            end += count;
            end
        }));
        let mut sorted = vec![Id(0); end as usize];
        let mut places = starts.clone();
        for node in nodes {
            let operator = operator(node);
            if operator < counts.len() {
                sorted[places[operator] as usize] = node;
                places[operator] += 1;
            }
        }
        Changes { starts, nodes: sorted }
    }

    /// The e-nodes among them for which `changed` holds.
    pub fn later(&self, changed: impl Fn(&Id) -> bool) -> Changes {
        let mut nodes = Vec::with_capacity(self.nodes.iter().filter(|node| changed(node)).count());
        let mut starts = Vec::with_capacity(self.starts.len());
        starts.push(0);
        for op in 0..self.starts.len() - 1 {
            nodes.extend(self.operator(op).iter().copied().filter(&changed));
            starts.push(nodes.len() as u32);
        }
        Changes { starts, nodes }
    }

    /// The e-nodes with an operator.
    pub fn operator(&self, op: usize) -> &[Id] {
        &self.nodes[self.starts[op] as usize..self.starts[op + 1] as usize]
    }

    pub fn heap_bytes(&self) -> usize {
        (self.starts.capacity() + self.nodes.capacity()) * size_of::<u32>()
    }
}
