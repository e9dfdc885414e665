//! What stands at nodes: operators, and the literals and variables of one bank or e-graph.

use crate::term::language::{Language, Leaf, LeafValue, OpId};
use rustc_hash::FxHashMap;

/// What stands at a node: an operator, or a literal or variable by its number in the leaf table
/// of the bank or e-graph that holds the node. Stored as one integer, operators first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Head(pub(crate) u32);

/// A [`Head`], taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node<'a> {
    /// An operator application.
    Op(OpId),
    /// A literal or variable.
    Leaf(&'a Leaf),
}

/// The literals and variables that occur in one bank or e-graph, numbered in order of arrival.
#[derive(Clone, Debug)]
pub struct Leaves {
    operators: u32,
    leaves: Vec<Leaf>,
    index: FxHashMap<Leaf, u32>,
    /// Bytes of the names of variables, which stand in both.
    names: usize,
}

impl Leaves {
    /// An empty table for a language.
    pub fn new(language: &Language) -> Self {
        Leaves {
            operators: language.operators.len() as u32,
            leaves: Vec::new(),
            index: FxHashMap::default(),
            names: 0,
        }
    }

    /// An empty table with room as [`Leaves::capacities`] says.
    pub(crate) fn with_room(language: &Language, [leaves, index]: [usize; 2]) -> Leaves {
        let mut empty = Leaves::new(language);
        // What is too much is left to be made when it is needed.
        let _ = empty.leaves.try_reserve_exact(leaves);
        let _ = empty.index.try_reserve(index);
        empty
    }

    /// For how many leaves there is room.
    pub(crate) fn capacities(&self) -> [usize; 2] {
        [self.leaves.capacity(), self.index.capacity()]
    }

    /// Number of leaves.
    pub(crate) fn len(&self) -> usize {
        self.leaves.len()
    }

    /// All of them, in order of arrival.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Leaf> {
        self.leaves.iter()
    }

    /// The head of `leaf`, if the table has it.
    pub fn get(&self, leaf: &Leaf) -> Option<Head> {
        self.index.get(leaf).map(|i| Head(self.operators + i))
    }

    /// The head of `leaf`, entered if new.
    pub fn intern(&mut self, leaf: &Leaf) -> Head {
        if let Some(head) = self.get(leaf) {
            return head;
        }
        let number = self.leaves.len() as u32;
        if let LeafValue::Variable(name) = &leaf.value {
            self.names += 2 * name.len();
        }
        self.leaves.push(leaf.clone());
        self.index.insert(leaf.clone(), number);
        Head(self.operators + number)
    }

    /// What a head stands for.
    pub fn node(&self, head: Head) -> Node<'_> {
        if head.0 < self.operators {
            Node::Op(OpId(head.0))
        } else {
            Node::Leaf(&self.leaves[(head.0 - self.operators) as usize])
        }
    }

    /// Bytes on the heap, by capacity (names of variables included).
    pub fn heap_bytes(&self) -> usize {
        // hashbrown keeps an eighth of its buckets free, and a byte beside each.
        let buckets = self.index.capacity() * 8 / 7;
        self.leaves.capacity() * size_of::<Leaf>()
            + buckets * (size_of::<(Leaf, u32)>() + 1)
            + self.names
    }

    /// For how many more there is room.
    pub(crate) fn room(&self) -> usize {
        let [leaves, index] = self.capacities();
        (leaves - self.leaves.len()).min(index - self.index.len())
    }

    /// Bytes that the table grows by at most where it is given room for that many more.
    pub(crate) fn growth(&self, more: usize) -> usize {
        // Both double at least, and the index has a power of two of places, four of them at least.
        let [leaves, index] = self.capacities();
        let leaves = (leaves + more).max(4);
        let places = 2 * ((index + more) * 8 / 7).max(4).next_power_of_two();
        leaves * size_of::<Leaf>() + places * (size_of::<(Leaf, u32)>() + 1)
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        self.leaves.reserve(more);
        self.index.reserve(more);
    }
}

impl From<OpId> for Head {
    fn from(op: OpId) -> Self {
        Head(op.0)
    }
}
