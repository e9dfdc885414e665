//! E-nodes in flat arrays, hash-consed.
//!
//! All e-nodes take rows of one width, that of the operator with most arguments: a row is found
//! without looking up where it begins, and a slot tells its owner. `original` keeps the children
//! with which an e-node was added, so that every id is a term for ever; those in `rows` follow the
//! unions, beside the head that they are looked at with. Both are padded with [`PADDING`].

use crate::graph::hash_cons::{ABSENT, Memo};
use crate::id::Id;
use crate::term::language::Language;
use crate::term::leaves::Head;
use smallvec::SmallVec;
use std::ops::Range;

/// Fills a row behind the last child.
const PADDING: Id = Id(ABSENT);

/// The e-nodes of an e-graph, by id.
#[derive(Clone, Debug)]
pub(crate) struct NodeTable {
    width: usize,
    /// Numbers of arguments, by operator.
    arities: Vec<u32>,
    /// By e-node: the number of its head, then its canonical children.
    rows: Vec<Id>,
    original: Vec<Id>,
    /// Live e-nodes by head and canonical children.
    memo: Memo,
    /// How many these are, by operator.
    counts: Vec<u32>,
}

/// What stands at one place of several e-nodes that are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids<'a> {
    /// The e-nodes with which they are added where they are new.
    pub nodes: &'a [Id],
    /// The classes of these.
    pub classes: &'a [Id],
}

impl<'a> Ids<'a> {
    /// The first ones.
    #[inline]
    fn of(self, count: usize) -> Ids<'a> {
        Ids { nodes: &self.nodes[..count], classes: &self.classes[..count] }
    }
}

/// The hash of a row.
#[inline]
fn hash(row: &[Id]) -> u64 {
    // Two children at a time are multiplied; the two halves of the product make all bits depend on all others.
    const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;
    let mut hash = u64::from(row[0].0).wrapping_mul(FACTOR);
    for pair in row[1..].chunks(2) {
        let second = pair.get(1).map_or(0, |id| u64::from(id.0));
        let first = u64::from(pair[0].0) << 32;
        let product = u128::from(hash ^ first ^ second) * u128::from(FACTOR);
        hash = product as u64 ^ (product >> 64) as u64;
    }
    hash
}

/// Counts an e-node of an operator that comes into the hash-cons, or leaves it; leaves are not counted.
#[inline]
fn count(counts: &mut [u32], head: Head, more: i32) {
    if let Some(count) = counts.get_mut(head.0 as usize) {
        *count = count.wrapping_add_signed(more);
    }
}

#[inline]
fn hash_of(rows: &[Id], stride: usize, node: u32) -> u64 {
    // Mostly rows are narrow: then their length is known to the compiler.
    if stride == 3 {
        return hash(&rows.as_chunks::<3>().0[node as usize]);
    }
    let start = node as usize * stride;
    hash(&rows[start..start + stride])
}

impl NodeTable {
    pub fn new(language: &Language) -> NodeTable {
        let arities: Vec<u32> = language.operators.iter().map(|op| op.args.len() as u32).collect();
        NodeTable {
            width: arities.iter().copied().max().unwrap_or(0).max(1) as usize,
            counts: vec![0; arities.len()],
            arities,
            rows: Vec::new(),
            original: Vec::new(),
            memo: Memo::default(),
        }
    }

    /// Number of e-nodes ever added.
    pub fn len(&self) -> usize {
        // Where the width is known to the compiler nothing is divided.
        match self.width {
            2 => self.rows.len() / 3,
            _ => self.rows.len() / self.stride(),
        }
    }

    /// Number of e-nodes in the hash-cons.
    pub fn live(&self) -> usize {
        self.memo.len()
    }

    /// Numbers of e-nodes in the hash-cons, by operator.
    pub fn live_by_operator(&self) -> &[u32] {
        &self.counts
    }

    /// The rows, the e-nodes as terms, and the capacity of the hash-cons.
    pub fn stored(&self) -> (&Vec<Id>, &Vec<Id>, usize) {
        (&self.rows, &self.original, self.memo.capacity())
    }

    /// Takes e-nodes as they were stored; the hash-cons has none of them.
    pub fn read(&mut self, rows: Vec<Id>, original: Vec<Id>) {
        (self.rows, self.original) = (rows, original);
    }

    /// Words of a row.
    fn stride(&self) -> usize {
        1 + self.width
    }

    /// Slots of one e-node.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Bytes of the rows, of the e-nodes as terms, and of the hash-cons.
    pub fn heap_parts(&self) -> (usize, usize, usize) {
        let by_operator = self.arities.capacity() + self.counts.capacity();
        let rows = (self.rows.capacity() + by_operator) * size_of::<Id>();
        (rows, self.original.capacity() * size_of::<Id>(), self.memo.heap_bytes())
    }

    /// Bytes that room for `nodes` more e-nodes takes, the hash-cons left aside.
    pub fn bytes_for(&self, nodes: usize) -> usize {
        nodes * (1 + 2 * self.width) * size_of::<u32>()
    }

    /// E-nodes that fit without allocating.
    pub fn room(&self) -> usize {
        (self.rows.capacity() - self.rows.len()) / self.stride()
    }

    /// E-nodes that the hash-cons can take in without allocating.
    pub fn memo_room(&self) -> usize {
        self.memo.capacity() - self.memo.len()
    }

    /// Bytes that the hash-cons grows by to have room for `entries`.
    pub fn memo_growth(&self, entries: usize) -> usize {
        Memo::bytes_for(entries).saturating_sub(self.memo.heap_bytes())
    }

    pub fn reserve_exact(&mut self, nodes: usize) {
        self.rows.reserve_exact(nodes * self.stride());
        self.original.reserve_exact(nodes * self.width);
    }

    /// Gives back room for more e-nodes than so many, the hash-cons left aside.
    pub fn shrink_to(&mut self, nodes: usize) {
        self.rows.shrink_to(nodes * self.stride());
        self.original.shrink_to(nodes * self.width);
    }

    /// Gives the hash-cons room for `entries`; `live` tells which e-nodes are in it.
    pub fn rebuild_memo(&mut self, entries: usize, live: impl Fn(Id) -> bool) {
        let NodeTable { rows, memo, .. } = self;
        let is_live = |(n, _): &(usize, &_)| live(Id(*n as u32));
        // Mostly rows are narrow: then their length is known to the compiler.
        match self.width {
            2 => {
                let live = rows.as_chunks::<3>().0.iter().enumerate().filter(is_live);
                memo.rebuild(entries, live.map(|(n, row)| (hash(row), n as u32)));
            }
            width => {
                let rows = rows.chunks_exact(1 + width).enumerate();
                let live = rows.filter(|&(n, _)| live(Id(n as u32)));
                memo.rebuild(entries, live.map(|(n, row)| (hash(row), n as u32)));
            }
        }
    }

    /// As [`NodeTable::rebuild_memo`] of what [`NodeTable::read`] took.
    pub fn read_memo(&mut self, entries: usize, live: impl Fn(Id) -> bool + Copy) {
        let heads = self.rows.iter().step_by(self.stride()).enumerate();
        for (_, &Id(head)) in heads.filter(|&(n, _)| live(Id(n as u32))) {
            count(&mut self.counts, Head(head), 1);
        }
        self.rebuild_memo(entries, live);
    }

    pub fn head(&self, node: Id) -> Head {
        Head(self.rows[node.0 as usize * self.stride()].0)
    }

    fn arity(&self, head: Head) -> usize {
        // Leaves come after the operators.
        self.arities.get(head.0 as usize).map_or(0, |&arity| arity as usize)
    }

    /// The slots of an e-node's children.
    pub fn slots(&self, node: Id) -> std::ops::Range<usize> {
        let start = node.0 as usize * self.width;
        start..start + self.arity(self.head(node))
    }

    /// Calls `f` with each slot of some e-nodes with one head, and the class in it.
    #[inline]
    pub fn each_slot(&self, head: Head, nodes: Range<u32>, mut f: impl FnMut(usize, Id)) {
        let (arity, stride) = (self.arity(head), self.stride());
        let (first, rows) = (nodes.start as usize, &self.rows[nodes.start as usize * stride..]);
        for (i, row) in rows.chunks_exact(stride).take(nodes.len()).enumerate() {
            let slot = (first + i) * self.width;
            row[1..1 + arity].iter().enumerate().for_each(|(child, &id)| f(slot + child, id));
        }
    }

    /// The e-node that a slot belongs to, and which of its children the slot is.
    pub fn owner(&self, slot: u32) -> (Id, usize) {
        let width = self.width as u32;
        match width {
            2 => (Id(slot / 2), (slot % 2) as usize),
            _ => (Id(slot / width), (slot % width) as usize),
        }
    }

    pub fn children(&self, node: Id) -> &[Id] {
        let row = self.row(node.0);
        &row[1..1 + self.arity(Head(row[0].0))]
    }

    /// A canonical child of an e-node.
    #[inline]
    pub fn child_of(&self, node: Id, child: usize) -> Id {
        self.rows[node.0 as usize * self.stride() + 1 + child]
    }

    pub fn original_children(&self, node: Id) -> &[Id] {
        &self.original[self.slots(node)]
    }

    /// All rows, where they are those of two children; none elsewhere.
    pub fn binary_rows(&self) -> &[[Id; 3]] {
        if self.width == 2 { self.rows.as_chunks().0 } else { &[] }
    }

    /// The children with which all e-nodes were added, where there is [`NodeTable::binary_rows`]; none elsewhere.
    pub fn binary_terms(&self) -> &[[Id; 2]] {
        if self.width == 2 { self.original.as_chunks().0 } else { &[] }
    }

    /// One of the children with which an e-node was added.
    #[inline]
    pub fn original_child(&self, node: Id, child: usize) -> Id {
        self.original[node.0 as usize * self.width + child]
    }

    fn row(&self, node: u32) -> &[Id] {
        let start = node as usize * self.stride();
        &self.rows[start..start + self.stride()]
    }

    /// The e-node in the hash-cons with this head and these canonical children.
    #[inline]
    pub fn find(&self, head: Head, children: &[Id]) -> Option<Id> {
        self.find_or_hash(head, children).ok()
    }

    /// As [`NodeTable::find`]; the hash of what is not there is what [`NodeTable::push`] wants.
    #[inline]
    pub fn find_or_hash(&self, head: Head, children: &[Id]) -> Result<Id, u64> {
        // Mostly rows are narrow: then all lengths are known to the compiler.
        let head = Id(head.0);
        match (self.width, children) {
            (2, &[left, right]) => self.find_row([head, left, right]),
            (2, &[only]) => self.find_row([head, only, PADDING]),
            (1, &[only]) => self.find_row([head, only]),
            (3, &[left, right]) => self.find_row([head, left, right, PADDING]),
            _ => self.find_wide(head, children),
        }
    }

    fn find_wide(&self, head: Id, children: &[Id]) -> Result<Id, u64> {
        let mut row = SmallVec::<[Id; 8]>::from_elem(PADDING, self.stride());
        row[0] = head;
        row[1..1 + children.len()].copy_from_slice(children);
        let hash = hash(&row);
        self.memo.find(hash, |n| *self.row(n) == row[..]).map(Id).ok_or(hash)
    }

    #[inline]
    fn find_row<const STRIDE: usize>(&self, row: [Id; STRIDE]) -> Result<Id, u64> {
        let (rows, _) = self.rows.as_chunks::<STRIDE>();
        let hash = hash(&row);
        self.memo.find(hash, |n| rows[n as usize] == row).map(Id).ok_or(hash)
    }

    /// Whether [`NodeTable::find_many`] can be used.
    pub fn has_narrow_rows(&self) -> bool {
        self.width <= 2
    }

    /// As [`NodeTable::find`], for e-nodes with one head and at most two children each;
    /// right of an only child stands [`NodeTable::padding`], and so it does for nothing found.
    pub fn find_many(&self, head: Head, left: &[Id], right: &[Id], found: &mut [Id]) {
        let head = Id(head.0);
        let pairs = left.iter().zip(right).map(|(&left, &right)| [left, right]);
        match self.width {
            1 => self.find_rows(pairs, |[only, _]| [head, only], found),
            _ => self.find_rows(pairs, |[left, right]| [head, left, right], found),
        }
    }

    #[inline]
    fn find_rows<const STRIDE: usize>(
        &self,
        pairs: impl Iterator<Item = [Id; 2]>,
        row: impl Fn([Id; 2]) -> [Id; STRIDE],
        nodes: &mut [Id],
    ) {
        let (rows, _) = self.rows.as_chunks::<STRIDE>();
        // All words in any case: which of them differs nobody could guess.
        let same = |pair, n: u32| {
            let both = rows[n as usize].iter().zip(row(pair));
            both.fold(0, |different, (a, b)| different | (a.0 ^ b.0)) == 0
        };
        self.memo.find_many(pairs, |pair| hash(&row(pair)), same, nodes);
    }

    /// What stands behind the last child.
    pub const fn padding() -> Id {
        PADDING
    }

    /// Adds an e-node, which the hash-cons must not have, as [`NodeTable::find_or_hash`] says. There must be
    /// room in the hash-cons.
    pub fn push(&mut self, head: Head, original: &[Id], canonical: &[Id], hash: u64) -> Id {
        let node = Id(self.len() as u32);
        match (self.width, original, canonical) {
            (2, &[left, right], &[l, r]) => {
                self.rows.extend_from_slice(&[Id(head.0), l, r]);
                self.original.extend_from_slice(&[left, right]);
            }
            _ => {
                self.rows.push(Id(head.0));
                self.rows.extend_from_slice(canonical);
                self.rows.resize((node.0 as usize + 1) * self.stride(), PADDING);
                self.original.extend_from_slice(original);
                self.original.resize((node.0 as usize + 1) * self.width, PADDING);
            }
        }
        self.memo.insert(hash, node.0);
        count(&mut self.counts, head, 1);
        node
    }

    /// Finds e-nodes with one head and at most two children each, or adds them as [`NodeTable::push`] does, one after the
    /// other. There must be room in the hash-cons for all. Right of an only child stands [`NodeTable::padding`].
    pub fn find_or_push_many(&mut self, head: Head, children: [Ids<'_>; 2], nodes: &mut [Id]) {
        let before = self.len();
        match self.width {
            1 => self.find_or_push_rows(|[only, _]| [Id(head.0), only], children, nodes),
            _ => self.find_or_push_rows(|[l, r]| [Id(head.0), l, r], children, nodes),
        }
        let new = self.len() - before;
        count(&mut self.counts, head, new as i32);
    }

    #[inline]
    fn find_or_push_rows<const STRIDE: usize>(
        &mut self,
        row: impl Fn([Id; 2]) -> [Id; STRIDE],
        [left, right]: [Ids<'_>; 2],
        nodes: &mut [Id],
    ) {
        let count = nodes.len();
        let (left, right) = (left.of(count), right.of(count));
        let mut i = 0;
        while i < count {
            // Where all is known nothing changes, and everything stays in the processor's registers.
            let (rows, memo) = (self.rows.as_chunks::<STRIDE>().0, &self.memo);
            let (row, hash, group) = loop {
                let row = row([left.classes[i], right.classes[i]]);
                let hash = hash(&row);
                match memo.find_or_group(hash, |n| rows[n as usize] == row) {
                    Ok(found) => nodes[i] = Id(found),
                    Err(group) => break (row, hash, group),
                }
                i += 1;
                if i == count {
                    return;
                }
            };
            let new = rows.len() as u32;
            self.memo.insert_into(group, hash, new);
            self.rows.extend_from_slice(&row);
            self.original.extend_from_slice(&[left.nodes[i], right.nodes[i]][..STRIDE - 1]);
            nodes[i] = Id(new);
            i += 1;
        }
    }

    pub fn memo_insert(&mut self, node: Id) {
        let head = self.head(node);
        self.memo.insert(hash_of(&self.rows, self.stride(), node.0), node.0);
        count(&mut self.counts, head, 1);
    }

    /// Takes an e-node out of the hash-cons. Its canonical children must be those with which it
    /// came in.
    pub fn memo_remove(&mut self, node: Id) {
        let (rows, stride, head) = (&self.rows, self.stride(), self.head(node));
        let hash_of = |n| hash_of(rows, stride, n);
        self.memo.remove(hash_of(node.0), node.0, hash_of);
        count(&mut self.counts, head, -1);
    }

    /// The canonical child in a slot.
    pub fn child(&self, slot: usize) -> Id {
        self.rows[self.place(slot)]
    }

    /// Sets the canonical child in a slot, of an e-node that is not in the hash-cons.
    pub fn set_child(&mut self, slot: usize, class: Id) {
        let place = self.place(slot);
        self.rows[place] = class;
    }

    /// Where a slot lies in the rows.
    fn place(&self, slot: usize) -> usize {
        slot + slot / self.width + 1
    }
}
