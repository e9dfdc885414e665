//! An e-graph as bytes, and back: what goes on from the one comes to the same as what goes on from the other.
//!
//! The bytes are `cairn e-graph 1` and a line feed, the parts one after the other, and the SHA-256 of all that. Numbers are little-endian; an array is
//! its capacity, its length, and its words of 32 bits. Capacities are kept because limits on memory go by them. What can be made
//! again is not there: the hash-cons and the index of classes.
//!
//! Reading refuses what was damaged or cut off, and arrays that do not fit each other. A file of this kind that somebody made up may
//! still say false things; the checker, which knows no e-graph, accepts no proof of them.

use super::EGraph;
use crate::graph::changes::Epoch;
use crate::graph::facts::StoredFact;
use crate::graph::seen::Seen;
use crate::id::Id;
use crate::rules::system::System;
use crate::term::language::{Leaf, LeafValue, SortId};
use crate::term::leaves::{Leaves, Node};
use crate::term::literal::LiteralKind;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::sync::Arc;

const MAGIC: &[u8] = b"cairn e-graph 1\n";
const HASH: usize = 32;

/// Why bytes are no e-graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotStored(String);

type Result<T> = std::result::Result<T, NotStored>;

fn no<T>(why: impl Into<String>) -> Result<T> {
    Err(NotStored(why.into()))
}

/// Whether bytes begin as those of an e-graph do.
pub fn begins_as_egraph(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

impl EGraph {
    /// The rebuilt e-graph as bytes, with e-nodes that it was grown from; `rules` is the text of its system.
    ///
    /// # Errors
    /// The text is that of another system, or the e-graph was not rebuilt since it changed.
    pub fn to_bytes(&self, rules: &str, roots: &[Id]) -> Result<Vec<u8>> {
        if !System::parse(rules).is_ok_and(|system| system.hash == self.system.hash) {
            return no("the rules are not those of the e-graph");
        }
        let stale =
            self.stale_uses.len() + self.new_literals.len() + self.new_representatives.len();
        if stale > 0 || self.index.ids() != self.nodes.len() {
            return no("the e-graph was not rebuilt");
        }
        let mut out = Writer(MAGIC.to_vec());
        out.text(rules);
        out.leaves(&self.leaves);
        let (rows, original, memo) = self.nodes.stored();
        out.ids(rows);
        out.ids(original);
        out.number(memo as u64);
        let (now, stamps) = self.stamps.stored();
        out.0.push(now);
        out.number(stamps.capacity() as u64);
        out.number(stamps.len() as u64);
        out.0.extend_from_slice(stamps);
        out.words(self.classes.stored());
        let [to, why] = self.forest.stored();
        out.words(to);
        out.words(why);
        out.ids(self.forest.stored_bound());
        let [last, next] = self.uses.stored();
        out.words(last);
        out.words(next);
        self.index.capacities().into_iter().for_each(|capacity| out.number(capacity as u64));
        out.number(self.literals.capacity() as u64);
        let mut literals: Vec<(Id, Id)> = self.literals.iter().map(|(&k, &v)| (k, v)).collect();
        literals.sort_unstable();
        let literals: Vec<u32> = literals.into_iter().flat_map(|(k, v)| [k.0, v.0]).collect();
        out.words(&literals);
        let (a, b) = self.conflict.map_or((u32::MAX, u32::MAX), |(a, b)| (a.0, b.0));
        out.words(&vec![a, b]);
        out.words(&self.loose);
        out.ids(&self.representatives);
        for capacity in [
            self.stale_uses.capacity(),
            self.new_literals.capacity(),
            self.new_representatives.capacity(),
        ] {
            out.number(capacity as u64);
        }
        if let Some(facts) = &self.facts {
            let stored = facts.stored();
            out.number(stored.limit as u64);
            stored.now.iter().for_each(|now| out.words(now));
            stored.capacities.into_iter().for_each(|capacity| out.number(capacity as u64));
            out.number(stored.facts.len() as u64);
            for fact in &stored.facts {
                fact.words.iter().for_each(|word| out.0.extend(word.to_le_bytes()));
                out.text(&fact.value.to_string());
            }
            out.ids(stored.premises);
        }
        out.number(self.seen.epochs.len() as u64);
        for (i, epoch) in self.seen.epochs.iter().enumerate() {
            // No epoch is 0.
            out.0.push(epoch.map_or(0, |epoch| epoch.number()));
            out.number(self.seen.matches[i] as u64);
            out.number(u64::from(self.seen.bans[i].0));
            out.number(self.seen.bans[i].1);
        }
        out.ids(&roots.to_vec());
        let hash = Sha256::digest(&out.0);
        out.0.extend_from_slice(&hash);
        Ok(out.0)
    }

    /// The e-graph that [`EGraph::to_bytes`] wrote, and the e-nodes that it was grown from.
    ///
    /// # Errors
    /// What the bytes are instead.
    pub fn from_bytes(bytes: &[u8]) -> Result<(EGraph, Vec<Id>)> {
        if !begins_as_egraph(bytes) {
            return no("expected an e-graph that `cairn saturate --save` wrote, of this version");
        }
        let Some(end) = bytes.len().checked_sub(HASH).filter(|&end| end >= MAGIC.len()) else {
            return no("the file is cut off");
        };
        let (content, hash) = bytes.split_at(end);
        if Sha256::digest(content)[..] != *hash {
            return no("the file was changed, or is cut off: its hash is another one");
        }
        let mut all = Reader(&content[MAGIC.len()..]);
        let system = System::parse(all.text()?).or_else(|e| no(format!("its rules: {e}")))?;
        let mut egraph = EGraph::new(Arc::new(system));
        egraph.told = true;
        egraph.read(&mut all)?;
        let roots = all.ids()?;
        if roots.iter().any(|root| u64::from(root.0) >= egraph.built()) {
            return no("it was grown from what is not there");
        }
        match all.0 {
            [] => Ok((egraph, roots)),
            _ => no("something stands behind the e-graph"),
        }
    }

    fn read(&mut self, all: &mut Reader<'_>) -> Result<()> {
        let system = Arc::clone(&self.system);
        let language = &system.language;
        self.leaves = all.leaves(&system)?;
        let heads = language.operators.len() + self.leaves.len();
        let (rows, original) = (all.ids()?, all.ids()?);
        let nodes = original.len() / self.nodes.width();
        let most = most_room(nodes);
        let memo = all.count(most)?;
        if rows.len() != nodes * (1 + self.nodes.width())
            || original.len() != nodes * self.nodes.width()
        {
            return no("its e-nodes have no rows");
        }
        self.nodes.read(rows, original);
        if self.ids().any(|id| self.head(id).0 as usize >= heads) {
            return no("an e-node has an operator that is not there");
        }
        for id in self.ids() {
            if !self.nodes.original_children(id).iter().all(|child| child.0 < id.0) {
                return no("an e-node is no term");
            }
            let within = |child: &Id| (child.0 as usize) < nodes;
            let expected: &[SortId] = match self.node(id) {
                Node::Op(op) => &language.op(op).args,
                Node::Leaf(_) => &[],
            };
            let canonical = self.nodes.children(id);
            let sorts = canonical.iter().zip(self.nodes.original_children(id)).zip(expected);
            let fits = |((&a, &b), &sort): ((&Id, &Id), &SortId)| {
                self.sort(a) == sort && self.sort(b) == sort
            };
            if !canonical.iter().all(within) || !sorts.into_iter().all(fits) {
                return no("an e-node has arguments of other sorts");
            }
        }
        let now = all.byte()?;
        let capacity = all.count(MOST)?;
        let count = all.count(all.0.len())?;
        let mut stamps = with_room(capacity.max(count));
        stamps.extend_from_slice(all.take(count)?);
        self.stamps.read(now, stamps);
        self.classes.read(all.words()?);
        self.forest.read([all.words()?, all.words()?], all.ids()?);
        self.uses.read([all.words()?, all.words()?]);
        let lengths = [self.stamps.stored().1.len(), self.classes.stored().len()];
        let [to, why] = self.forest.stored();
        let [last, next] = self.uses.stored();
        if lengths.iter().chain(&[to.len(), why.len(), last.len()]).any(|&len| len != nodes)
            || next.len() != nodes * self.nodes.width()
            || !self.classes.is_sound()
            || !self.forest.is_sound(system.rules.len())
            || !self.uses.is_sound()
        {
            return no("its parts do not fit each other");
        }
        let same = |&a: &Id, &b: &Id| self.find(a) == self.find(b);
        let made_with = |id| self.nodes.children(id).iter().zip(self.nodes.original_children(id));
        if self.ids().any(|id| !self.stamps.is_dead(id) && !self.classes.is_compressed(id))
            || self.ids().any(|id| self.sort(id) != self.sort(self.find(id)))
            || self.ids().any(|id| made_with(id).any(|(a, b)| !same(a, b)))
            || self.ids().any(|id| self.forest.edge(id).is_some_and(|edge| !same(&id, &edge.to)))
            || self.ids().any(|id| {
                self.nodes
                    .children(id)
                    .iter()
                    .any(|&c| !self.classes.is_root(c) && !self.stamps.is_dead(id))
            })
        {
            return no("its classes do not fit its e-nodes");
        }
        self.class_count = self.ids().filter(|&id| self.classes.is_root(id)).count();
        // Its e-nodes and its uses.
        let most = nodes * (1 + self.nodes.width());
        let weight = |id| self.classes.weight(id) as usize;
        if self.ids().any(|id| self.classes.is_root(id) && weight(id) > most) {
            return no("a class has more uses than there are");
        }
        if self.ids().filter(|&id| self.forest.edge(id).is_none()).count() != self.class_count {
            return no("a class has no proof");
        }
        let stamps = &self.stamps;
        self.nodes.read_memo(memo, |node| !stamps.is_dead(node));
        let capacities = [all.count(most)?, all.count(most)?];
        self.index.reserve_as(capacities);
        let capacity = all.count(most)?;
        let literals = all.words()?;
        self.literals = FxHashMap::with_capacity_and_hasher(capacity, Default::default());
        let is_id = |&id: &u32| (id as usize) < nodes;
        if !literals.iter().all(is_id) {
            return no("a class has a literal that is not there");
        }
        for pair in literals.chunks_exact(2) {
            self.literals.insert(Id(pair[0]), Id(pair[1]));
        }
        if let [a, b] = all.words()?[..]
            && is_id(&a)
            && is_id(&b)
        {
            self.conflict = Some((Id(a), Id(b)));
        }
        (self.loose, self.representatives) = (all.words()?, all.ids()?);
        let bound = if self.binds { nodes } else { 0 };
        if self.loose.len() != bound
            || self.representatives.len() != bound
            || !self.representatives.iter().all(|id| is_id(&id.0))
        {
            return no("what binds variables does not fit its e-nodes");
        }
        self.stale_uses = with_room(all.count(MOST)?);
        self.new_literals = with_room(all.count(MOST)?);
        self.new_representatives = with_room(all.count(MOST)?);
        self.read_facts(all, nodes)?;
        let rules = all.count(system.rules.len())?;
        if rules != 0 && rules != system.rules.len() {
            return no("it knows of other rules");
        }
        self.seen = Seen::nothing(rules);
        for rule in 0..rules {
            self.seen.epochs[rule] = Epoch::of_number(all.byte()?);
            self.seen.matches[rule] = all.count(usize::MAX)?;
            let times = u32::try_from(all.number()?).or_else(|_| no("a number is too large"))?;
            self.seen.bans[rule] = (times, all.number()?);
        }
        let EGraph { index, nodes, stamps, classes, .. } = self;
        let live = |id| !stamps.is_dead(id);
        index.build(nodes.len(), live, |id| classes.find(id), |id| nodes.head(id));
        self.broken().map_or(Ok(()), no)
    }

    fn read_facts(&mut self, all: &mut Reader<'_>, nodes: usize) -> Result<()> {
        let Some(facts) = &mut self.facts else { return Ok(()) };
        let limit = all.count(usize::MAX)?;
        let analyses = &self.system.language.analyses;
        let now = analyses.iter().map(|_| all.words()).collect::<Result<Vec<_>>>()?;
        let most = most_room(nodes);
        let capacities = [all.count(most)?, all.count(most)?];
        let count = all.count(all.0.len())?;
        let mut entries = Vec::new();
        for number in 0..count as u32 {
            let mut words = [0; 7];
            for word in &mut words {
                *word = all.word()?;
            }
            let text = all.text()?;
            let analysis = analyses.get(StoredFact::analysis(&words));
            let kind = analysis.and_then(|a| self.system.language.literal_kind(a.values));
            let Some(value) = kind.and_then(|kind| kind.read(text)) else {
                return no("a fact has no value");
            };
            let transfers = self.system.analyses.transfers();
            if !StoredFact::is_sound(&words, number, nodes, transfers) {
                return no("a fact follows from what is not there");
            }
            entries.push(StoredFact { words, value });
        }
        let premises = all.ids()?;
        let within =
            |now: &Vec<u32>| now.len() == nodes && now.iter().all(|&f| f as usize <= count);
        if !now.iter().all(within) || entries.iter().any(|fact| fact.premises() > premises.len()) {
            return no("facts do not fit its e-nodes");
        }
        facts.read(now, entries, premises, capacities, limit);
        if !facts.are_of_their_classes(|id| self.classes.find(id)) {
            return no("a class has the fact of another");
        }
        Ok(())
    }
}

/// No capacity is larger: nothing is allocated for a number that cannot be.
const MOST: usize = 1 << 36;

/// Nor is a table, which is there as soon as it is made, larger than one of so many e-nodes ever becomes.
fn most_room(nodes: usize) -> usize {
    64 * (nodes + 1024)
}

fn with_room<T>(capacity: usize) -> Vec<T> {
    let mut all = Vec::new();
    // What is too much for the machine is not there, and grows as it is needed.
    let _ = all.try_reserve_exact(capacity);
    all
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    fn words(&mut self, words: &Vec<u32>) {
        self.array(words, |&word| word);
    }

    fn ids(&mut self, ids: &Vec<Id>) {
        self.array(ids, |id| id.0);
    }

    fn array<T>(&mut self, all: &Vec<T>, word: impl Fn(&T) -> u32) {
        self.number(all.capacity() as u64);
        self.number(all.len() as u64);
        all.iter().for_each(|one| self.0.extend(word(one).to_le_bytes()));
    }

    fn leaves(&mut self, leaves: &Leaves) {
        leaves.capacities().into_iter().for_each(|capacity| self.number(capacity as u64));
        self.number(leaves.len() as u64);
        for leaf in leaves.all() {
            self.0.extend(leaf.sort.0.to_le_bytes());
            let (tag, text) = match &leaf.value {
                LeafValue::Literal(value) => (0, value.to_string()),
                LeafValue::Variable(name) => (1, name.clone()),
                LeafValue::Bound(index) => (2, index.to_string()),
            };
            self.0.push(tag);
            self.text(&text);
        }
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let Some((taken, rest)) = self.0.split_at_checked(count) else {
            return no("the file is cut off");
        };
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn word(&mut self) -> Result<u32> {
        let bytes = self.take(4)?.first_chunk().copied().unwrap_or_default();
        Ok(u32::from_le_bytes(bytes))
    }

    fn number(&mut self) -> Result<u64> {
        let bytes = self.take(8)?.first_chunk().copied().unwrap_or_default();
        Ok(u64::from_le_bytes(bytes))
    }

    /// A number that is at most `most`.
    fn count(&mut self, most: usize) -> Result<usize> {
        let number = usize::try_from(self.number()?).ok().filter(|&number| number <= most);
        number.map_or_else(|| no("a number is too large"), Ok)
    }

    fn text(&mut self) -> Result<&'b str> {
        let count = self.count(self.0.len())?;
        std::str::from_utf8(self.take(count)?).or_else(|_| no("a text is no UTF-8"))
    }

    fn words(&mut self) -> Result<Vec<u32>> {
        self.array(|word| word)
    }

    fn ids(&mut self) -> Result<Vec<Id>> {
        self.array(Id)
    }

    fn array<T>(&mut self, of: impl Fn(u32) -> T) -> Result<Vec<T>> {
        let capacity = self.count(MOST)?;
        let count = self.count(self.0.len() / 4)?;
        let mut all = with_room(capacity.max(count));
        let words = self.take(4 * count)?.as_chunks().0;
        all.extend(words.iter().map(|&word| of(u32::from_le_bytes(word))));
        Ok(all)
    }

    fn leaves(&mut self, system: &System) -> Result<Leaves> {
        let language = &system.language;
        let capacities = [self.count(MOST)?, self.count(MOST)?];
        let count = self.count(self.0.len())?;
        let mut leaves = Leaves::with_room(language, capacities);
        for _ in 0..count {
            let sort = SortId(u16::from_le_bytes(self.take(2)?.try_into().unwrap_or_default()));
            let kind = (usize::from(sort.0) < language.sorts.len())
                .then(|| language.literal_kind(sort))
                .flatten();
            let (tag, text) = (self.byte()?, self.text()?);
            let value = match tag {
                0 => kind.and_then(|kind: LiteralKind| kind.read(text)).map(LeafValue::Literal),
                1 if language.variables.contains(&sort) => {
                    Some(LeafValue::Variable(text.to_owned()))
                }
                2 => text.parse().ok().map(LeafValue::Bound),
                _ => None,
            };
            let Some(value) = value else { return no("a literal or variable is none") };
            leaves.intern(&Leaf { sort, value });
        }
        if leaves.len() == count { Ok(leaves) } else { no("a literal or variable stands twice") }
    }
}
