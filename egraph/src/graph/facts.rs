//! The facts of classes: for every analysis of the system what is known of each class, and from what
//! that follows.
//!
//! Facts are numbered in the order in which they were found, and none is ever changed: the proof of one
//! needs facts of smaller numbers, and equalities that held when it was found ([`crate::graph::proof_forest`]
//! says why these are proved by older edges). A class has the last fact found for it.

use crate::id::Id;
use crate::rules::analysis::TransferId;
use crate::term::language::AnalysisId;
use crate::term::literal::Value;

/// Number of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FactId(pub u32);

/// Why a fact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because<'a> {
    /// A transfer at the e-node `at` itself. First the literals that it reads of arguments, then the
    /// facts ([`FactId`] as [`Id`]), both in the transfer's order.
    Transfer(TransferId, &'a [Id]),
    /// Two facts of equal terms merged, the older one first.
    Merged(FactId, FactId),
}

/// A fact about the term that the e-node `at` is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact<'a> {
    pub analysis: AnalysisId,
    pub at: Id,
    pub value: Value,
    pub because: Because<'a>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Id,
    analysis: AnalysisId,
    /// How many facts about its class came before it.
    rank: u16,
    value: Value,
    because: Why,
}

#[derive(Clone, Copy, Debug)]
enum Why {
    Transfer(TransferId, u32, u32),
    Merged(FactId, FactId),
}

/// A class that equals a part of itself may have ever better facts; after so many it keeps what it has.
const MOST_OF_A_CLASS: u16 = 64;
/// With a fact room is made for so many premises.
const PREMISES: usize = 4;

/// Facts by analysis and class.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// By analysis and id: one more than the number of the fact that the class of that root has.
    now: Vec<Vec<u32>>,
    entries: Vec<Entry>,
    /// What transfers read.
    premises: Vec<Id>,
    /// Classes whose facts have changed; their uses must be looked at. First those of this round, descending.
    changed: Vec<Id>,
    /// How many are of this round.
    round: usize,
    /// Bytes that the e-graph was allowed when room was made last.
    pub limit: usize,
}

/// A fact in words, for [`Stored`].
pub(crate) struct StoredFact {
    /// The e-node, the analysis, the rank; then 0, the transfer and where its premises begin and end, or 1 and two
    /// facts.
    pub words: [u32; 7],
    pub value: Value,
}

impl StoredFact {
    pub fn analysis(words: &[u32; 7]) -> usize {
        words[1] as usize
    }

    /// How many premises there are at least.
    pub fn premises(&self) -> usize {
        if self.words[3] == 0 { self.words[6] as usize } else { 0 }
    }

    /// Whether the fact of this number names an e-node, a transfer and older facts.
    pub fn is_sound(words: &[u32; 7], number: u32, nodes: usize, transfers: usize) -> bool {
        let &[at, _, rank, tag, a, b, c] = words;
        let follows = match tag {
            0 => (a as usize) < transfers && b <= c,
            1 => a < number && b < number,
            _ => false,
        };
        follows && (at as usize) < nodes && u16::try_from(rank).is_ok()
    }
}

/// Facts as they are stored.
pub(crate) struct Stored<'f> {
    pub now: &'f [Vec<u32>],
    pub facts: Vec<StoredFact>,
    pub premises: &'f Vec<Id>,
    /// Of the facts and of those that changed.
    pub capacities: [usize; 2],
    pub limit: usize,
}

impl Facts {
    /// All of them, where none waits to be looked at.
    pub fn stored(&self) -> Stored<'_> {
        let fact = |entry: &Entry| {
            let [tag, a, b, c] = match entry.because {
                Why::Transfer(TransferId(transfer), start, end) => [0, transfer, start, end],
                Why::Merged(FactId(old), FactId(new)) => [1, old, new, 0],
            };
            let (at, analysis) = (entry.at.0, u32::from(entry.analysis.0));
            let words = [at, analysis, u32::from(entry.rank), tag, a, b, c];
            StoredFact { words, value: entry.value }
        };
        Stored {
            now: &self.now,
            facts: self.entries.iter().map(fact).collect(),
            premises: &self.premises,
            capacities: [self.entries.capacity(), self.changed.capacity()],
            limit: self.limit,
        }
    }

    /// Takes facts as they were stored.
    pub fn read(
        &mut self,
        now: Vec<Vec<u32>>,
        facts: Vec<StoredFact>,
        premises: Vec<Id>,
        [entries, changed]: [usize; 2],
        limit: usize,
    ) {
        // What is too much is left to be made when it is needed.
        let _ = self.entries.try_reserve_exact(entries);
        let _ = self.changed.try_reserve_exact(changed);
        self.entries.extend(facts.into_iter().map(|StoredFact { words, value }| {
            let [at, analysis, rank, tag, a, b, c] = words;
            let because = match tag {
                0 => Why::Transfer(TransferId(a), b, c),
                _ => Why::Merged(FactId(a), FactId(b)),
            };
            let (analysis, rank) = (AnalysisId(analysis as u16), rank as u16);
            Entry { at: Id(at), analysis, rank, value, because }
        }));
        (self.now, self.premises, self.limit) = (now, premises, limit);
    }

    /// Whether each class has facts about itself.
    pub fn are_of_their_classes(&self, find: impl Fn(Id) -> Id) -> bool {
        (0..).zip(&self.now).all(|(analysis, now)| {
            (0..).zip(now).filter(|(_, fact)| **fact > 0).all(|(id, &fact)| {
                let fact = self.get(FactId(fact - 1));
                fact.analysis == AnalysisId(analysis) && find(fact.at) == find(Id(id))
            })
        })
    }

    pub fn new(analyses: usize) -> Facts {
        Facts {
            now: vec![Vec::new(); analyses],
            entries: Vec::new(),
            premises: Vec::new(),
            changed: Vec::new(),
            round: 0,
            limit: usize::MAX,
        }
    }

    /// The class whose uses are to be looked at next: those that have changed come in rounds, each once in a round, so that
    /// a fact that becomes better in steps is not passed on all the way up with each of them.
    pub fn next_changed(&mut self, find: impl Fn(Id) -> Id) -> Option<Id> {
        if self.round == 0 {
            self.changed.iter_mut().for_each(|class| *class = find(*class));
            self.changed.sort_unstable_by(|a, b| b.cmp(a));
            self.changed.dedup();
            self.round = self.changed.len();
        }
        let last = self.round.checked_sub(1)?;
        Some(find(self.changed[last]))
    }

    /// The uses of [`Facts::next_changed`] will have been looked at.
    pub fn take_changed(&mut self) {
        if let Some(last) = self.round.checked_sub(1) {
            self.changed.swap_remove(last);
            self.round = last;
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.now.iter().map(Vec::capacity).sum::<usize>() * size_of::<u32>()
            + self.entries.capacity() * size_of::<Entry>()
            + (self.premises.capacity() + self.changed.capacity()) * size_of::<Id>()
    }

    /// An e-node was added.
    pub fn extend_to(&mut self, len: usize) {
        self.now.iter_mut().for_each(|now| now.resize(len, 0));
    }

    /// Bytes that room for so many e-nodes and facts takes.
    pub fn bytes_for(&self, nodes: usize, facts: usize) -> usize {
        let fact = size_of::<Entry>() + (PREMISES + 1) * size_of::<Id>();
        self.now.len() * nodes * size_of::<u32>() + facts * fact
    }

    pub fn reserve_exact(&mut self, nodes: usize, facts: usize) {
        self.now.iter_mut().for_each(|now| now.reserve_exact(nodes));
        self.entries.reserve_exact(facts);
        self.premises.reserve_exact(facts * PREMISES);
        self.changed.reserve_exact(facts);
    }

    /// How many facts there is room for.
    pub fn room(&self) -> usize {
        let premises = (self.premises.capacity() - self.premises.len()) / PREMISES;
        let changed = self.changed.capacity() - self.changed.len();
        (self.entries.capacity() - self.entries.len()).min(premises).min(changed)
    }

    /// Number of facts ever found.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The fact of a root, if it has one.
    pub fn of(&self, AnalysisId(analysis): AnalysisId, root: Id) -> Option<FactId> {
        self.now[usize::from(analysis)][root.0 as usize].checked_sub(1).map(FactId)
    }

    fn set(&mut self, AnalysisId(analysis): AnalysisId, root: Id, FactId(fact): FactId) {
        self.now[usize::from(analysis)][root.0 as usize] = fact + 1;
    }

    pub fn value(&self, FactId(fact): FactId) -> Value {
        self.entries[fact as usize].value
    }

    pub fn get(&self, FactId(fact): FactId) -> Fact<'_> {
        let Entry { at, analysis, value, because, .. } = self.entries[fact as usize];
        let because = match because {
            Why::Transfer(transfer, start, end) => {
                Because::Transfer(transfer, &self.premises[start as usize..end as usize])
            }
            Why::Merged(old, new) => Because::Merged(old, new),
        };
        Fact { analysis, at, value, because }
    }

    /// Takes in what a transfer says of the e-node `at` in the class of `root`. `merge` gives the value
    /// that follows from an older and a newer one.
    pub fn found(
        &mut self,
        (root, at): (Id, Id),
        analysis: AnalysisId,
        value: Value,
        (transfer, premises): (TransferId, &[Id]),
        merge: impl Fn(Value, Value) -> Value,
    ) {
        let old = self.of(analysis, root);
        let (rank, merged) = match old {
            None => (0, value),
            Some(old) => {
                let entry = &self.entries[old.0 as usize];
                (entry.rank + 1, merge(entry.value, value))
            }
        };
        if rank >= MOST_OF_A_CLASS || old.is_some_and(|old| self.value(old) == merged) {
            return;
        }
        let start = self.premises.len() as u32;
        self.premises.extend_from_slice(premises);
        let because = Why::Transfer(transfer, start, self.premises.len() as u32);
        let mut new = self.enter(Entry { at, analysis, rank, value, because });
        if let Some(old) = old.filter(|_| merged != value) {
            let at = self.entries[old.0 as usize].at;
            let because = Why::Merged(old, new);
            new = self.enter(Entry { at, analysis, rank, value: merged, because });
        }
        self.set(analysis, root, new);
        self.changed.push(root);
    }

    /// The class of `absorbed` has become part of that of `kept`, two roots.
    pub fn united(
        &mut self,
        kept: Id,
        absorbed: Id,
        merge: impl Fn(AnalysisId, Value, Value) -> Value,
    ) {
        for analysis in (0..self.now.len() as u16).map(AnalysisId) {
            let (old, new) = (self.of(analysis, kept), self.of(analysis, absorbed));
            let Some(new) = new else { continue };
            let fact = match old {
                None => new,
                Some(old) => {
                    let (first, second) = (old.min(new), old.max(new));
                    let [a, b] = [first, second].map(|fact| self.entries[fact.0 as usize]);
                    let value = merge(analysis, a.value, b.value);
                    if value == self.value(old) {
                        continue;
                    } else if value == self.value(new) {
                        new
                    } else {
                        let rank = a.rank.max(b.rank).saturating_add(1);
                        let because = Why::Merged(first, second);
                        self.enter(Entry { at: a.at, analysis, rank, value, because })
                    }
                }
            };
            self.set(analysis, kept, fact);
            self.changed.push(kept);
        }
    }

    fn enter(&mut self, entry: Entry) -> FactId {
        self.entries.push(entry);
        FactId(self.entries.len() as u32 - 1)
    }
}
