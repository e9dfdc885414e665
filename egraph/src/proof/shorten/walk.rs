//! A proof as its rewrites and the terms between them.

use crate::proof::dag::Justification;
use crate::term::bank::TermId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// Child indices from the root.
pub(super) type Path = SmallVec<[u32; 8]>;

/// One rewrite of a term: its subterm `from` at `path` becomes `to`.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub path: Path,
    pub rule: Justification,
    pub forward: bool,
    pub from: TermId,
    pub to: TermId,
}

/// A proof: its moves, and its terms, of which there is one more.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub moves: Vec<Move>,
    pub terms: Vec<TermId>,
}

impl Walk {
    /// No step from a term.
    pub fn at(term: TermId) -> Walk {
        Walk { moves: Vec::new(), terms: vec![term] }
    }

    pub fn end(&self) -> TermId {
        self.terms[self.moves.len()]
    }

    pub fn push(&mut self, m: Move, after: TermId) {
        self.moves.push(m);
        self.terms.push(after);
    }

    /// Goes on with a proof that starts at the end of this one.
    pub fn append(&mut self, other: Walk) {
        debug_assert_eq!(self.end(), other.terms[0], "proofs that do not meet");
        self.moves.extend(other.moves);
        self.terms.extend_from_slice(&other.terms[1..]);
    }

    pub fn part(&self, moves: Range<usize>) -> Walk {
        let terms = self.terms[moves.start..=moves.end].to_vec();
        Walk { moves: self.moves[moves].to_vec(), terms }
    }

    /// Drops what lies between two visits to the same term.
    pub fn without_loops(self) -> Walk {
        let mut kept = Walk::at(self.terms[0]);
        let mut visited = FxHashMap::from_iter([(self.terms[0], 0)]);
        for (m, &term) in self.moves.into_iter().zip(&self.terms[1..]) {
            if let Some(&at) = visited.get(&term) {
                kept.terms.drain(at + 1..).for_each(|cut| {
                    visited.remove(&cut);
                });
                kept.moves.truncate(at);
            } else {
                visited.insert(term, kept.terms.len());
                kept.push(m, term);
            }
        }
        kept
    }
}
