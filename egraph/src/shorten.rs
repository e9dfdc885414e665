//! Shorter flat proofs, found on terms alone.
//!
//! A proof read from an e-graph makes detours: it goes through whatever terms were united first.
//! It is shortened in three ways, at every position from the root down:
//!
//! - *Commutation*: a rewrite below a variable of a later rule is postponed until after that
//!   rule, so that rewrites which undo each other meet and are cut as loops (a term that a proof
//!   visits twice), and those whose subterm a rule drops disappear.
//! - *Decomposition*: rewrites in different children are independent proofs, shortened each for
//!   itself on its smaller terms.
//! - *Search* ([`search`]): the shortest way through the terms that are a few rewrites away from
//!   the proof.
//!
//! Only the result matters: whoever uses it has it checked. Everything is deterministic, and
//! bounded by counts, never by time.

mod fingerprints;
mod moves;
mod search;

use crate::proof::{FlatProof, FlatStep, Justification};
use crate::system::{RuleId, System};
use crate::term::{TermBank, TermId};
use moves::{Moves, bindings};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Shortens proofs of one system over one bank; what was found out about terms is kept.
pub struct Shortener<'s> {
    system: &'s System,
    moves: Moves,
    graph: search::Graph,
    /// How proofs were shortened: by start and, for each step, its rule and the term after it.
    solved: FxHashMap<Box<[u32]>, Box<[Move]>>,
    /// Keys and moves in `solved`.
    remembered: usize,
}

/// Child indices from the root.
type Path = SmallVec<[u32; 8]>;

/// One rewrite of a term: its subterm `from` at `path` becomes `to`.
#[derive(Clone, Debug)]
struct Move {
    path: Path,
    rule: Justification,
    forward: bool,
    from: TermId,
    to: TermId,
}

/// Larger terms are not searched.
const MAX_TERM: u64 = 400;
/// Longer proofs, in steps, are cut and decomposed only.
const MAX_STEPS: usize = 400;
/// Beyond this many, what was found out is forgotten.
const LARGE: usize = 1_000_000;
/// How often one position is gone over, as long as that helps.
const ROUNDS: usize = 3;
/// Longer proofs, in steps, are gone over once.
const AGAIN: usize = 24;

impl<'s> Shortener<'s> {
    /// For proofs of this system.
    pub fn new(system: &'s System) -> Self {
        Shortener {
            system,
            moves: Moves::new(system),
            graph: search::Graph::default(),
            solved: FxHashMap::default(),
            remembered: 0,
        }
    }

    /// A proof with the same ends and at most as many steps. If some term on the shorter way has
    /// more than `max_size` nodes, the proof stays as it is. What comes out does not depend on
    /// the proofs shortened before. All proofs must be of one bank.
    ///
    /// # Panics
    /// Perhaps, if `proof` is one that [`crate::check_flat`] refuses.
    pub fn shorten(&mut self, bank: &mut TermBank, proof: &FlatProof, max_size: u64) -> FlatProof {
        self.moves.forget_if_large();
        if self.remembered > LARGE {
            self.remembered = 0;
            self.solved.clear();
        }
        let moves = proof.steps.iter().zip(&proof.terms).zip(&proof.terms[1..]);
        let moves: Vec<Move> = moves
            .map(|((step, &before), &after)| {
                let at = |t| bank.subterm(t, &step.path).expect("a position of the term");
                Move {
                    path: step.path.iter().copied().collect(),
                    rule: step.rule,
                    forward: step.forward,
                    from: at(before),
                    to: at(after),
                }
            })
            .collect();
        let found = self.solve(bank, proof.terms[0], moves);
        if found.len() >= proof.steps.len() {
            return proof.clone();
        }
        let flat = self.flat(bank, proof.terms[0], &found);
        let fits = flat.terms.iter().all(|&t| bank.size(t) <= max_size);
        if fits { flat } else { proof.clone() }
    }

    fn flat(&self, bank: &mut TermBank, start: TermId, moves: &[Move]) -> FlatProof {
        let terms = replay(bank, start, moves);
        let step = |m: &Move| {
            let left = if m.forward { m.from } else { m.to };
            let substitution = match m.rule {
                Justification::Rule(rule) => bindings(bank, self.system.rule(rule), left),
                Justification::Fold => Vec::new(),
            };
            FlatStep { rule: m.rule, forward: m.forward, path: m.path.to_vec(), substitution }
        };
        FlatProof { steps: moves.iter().map(step).collect(), terms }
    }

    /// Shortens a proof from `start`, or remembers how it was shortened before.
    fn solve(&mut self, bank: &mut TermBank, start: TermId, moves: Vec<Move>) -> Vec<Move> {
        let (moves, terms) = cut_loops(bank, start, moves);
        if moves.len() < 2 {
            return moves;
        }
        let rule = |m: &Move| match m.rule {
            Justification::Rule(RuleId(rule)) => rule << 1 | u32::from(m.forward),
            Justification::Fold => u32::MAX << 1 | u32::from(m.forward),
        };
        let mut key = vec![start.0];
        key.extend(moves.iter().zip(&terms[1..]).flat_map(|(m, t)| [rule(m), t.0]));
        if let Some(known) = self.solved.get(&key[..]) {
            return known.to_vec();
        }
        let found = self.solve_new(bank, start, moves);
        self.remembered += key.len() + found.len();
        self.solved.insert(key.into(), found.clone().into());
        found
    }

    fn solve_new(&mut self, bank: &mut TermBank, start: TermId, moves: Vec<Move>) -> Vec<Move> {
        let mut best = moves;
        for round in 0..ROUNDS {
            if best.len() < 2 || round > 0 && best.len() > AGAIN {
                break;
            }
            let mut moves = best.clone();
            postpone(self.system, bank, &mut moves);
            let roots = moves.iter().rposition(|m| m.path.is_empty()).map_or(0, |i| i + 1);
            let tail = moves.split_off(roots);
            let head = self.between_roots(bank, start, moves);
            let (mut head, terms) = cut_loops(bank, start, head);
            let middle = terms[terms.len() - 1];
            if head.len() > 1 && head.len() <= MAX_STEPS && bank.size(start) <= MAX_TERM {
                head = self.search(bank, &terms, head);
            }
            head.extend(self.by_child(bank, middle, tail));
            let (found, _) = cut_loops(bank, start, head);
            if found.len() >= best.len() {
                break;
            }
            best = found;
            if roots == 0 {
                // All the rest was settled below.
                break;
            }
        }
        best
    }

    /// Shortens what lies between rewrites of the root.
    fn between_roots(&mut self, bank: &mut TermBank, start: TermId, moves: Vec<Move>) -> Vec<Move> {
        let mut done = Vec::with_capacity(moves.len());
        let mut block = Vec::new();
        let mut block_start = start;
        for m in moves {
            if m.path.is_empty() {
                let inner = std::mem::take(&mut block);
                done.extend(self.by_child(bank, block_start, inner));
                block_start = m.to;
                done.push(m);
            } else {
                block.push(m);
            }
        }
        done.extend(self.by_child(bank, block_start, block));
        done
    }

    /// Shortens a proof that nowhere rewrites the root: a proof per child.
    fn by_child(&mut self, bank: &mut TermBank, start: TermId, moves: Vec<Move>) -> Vec<Move> {
        if moves.len() < 2 {
            return moves;
        }
        let mut of_child: Vec<Vec<Move>> = vec![Vec::new(); bank.children(start).len()];
        for mut m in moves {
            let child = m.path.remove(0);
            of_child[child as usize].push(m);
        }
        let mut solved = Vec::new();
        for (i, moves) in of_child.into_iter().enumerate() {
            if moves.is_empty() {
                continue;
            }
            let child = bank.children(start)[i];
            let moves = self.solve(bank, child, moves);
            let end = end_of(bank, child, &moves);
            solved.push((i128::from(bank.size(end)) - i128::from(bank.size(child)), i, moves));
        }
        // Those that make the term smaller first, so that no term becomes larger than need be.
        solved.sort_by_key(|&(growth, i, _)| (growth, i));
        let mut done = Vec::new();
        for (_, i, moves) in solved {
            done.extend(moves.into_iter().map(|mut m| {
                m.path.insert(0, i as u32);
                m
            }));
        }
        done
    }
}

/// The term at which a proof ends.
fn end_of(bank: &mut TermBank, start: TermId, moves: &[Move]) -> TermId {
    let replaced = |t, m: &Move| bank.replace(t, &m.path, m.to).expect("a position of the term");
    moves.iter().fold(start, replaced)
}

/// The terms of a proof, the start first.
fn replay(bank: &mut TermBank, start: TermId, moves: &[Move]) -> Vec<TermId> {
    let mut terms = Vec::with_capacity(moves.len() + 1);
    terms.push(start);
    for m in moves {
        let last = terms[terms.len() - 1];
        terms.push(bank.replace(last, &m.path, m.to).expect("a position of the proof's own term"));
    }
    terms
}

/// Drops what lies between two visits to the same term. Also returns the terms, start first.
fn cut_loops(bank: &mut TermBank, start: TermId, moves: Vec<Move>) -> (Vec<Move>, Vec<TermId>) {
    let mut terms = vec![start];
    let mut kept: Vec<Move> = Vec::with_capacity(moves.len());
    let mut visited = FxHashMap::from_iter([(start, 0)]);
    for m in moves {
        let last = terms[terms.len() - 1];
        let t = bank.replace(last, &m.path, m.to).expect("a position of the proof's own term");
        if let Some(&at) = visited.get(&t) {
            terms.drain(at + 1..).for_each(|cut| {
                visited.remove(&cut);
            });
            kept.truncate(at);
        } else {
            visited.insert(t, terms.len());
            terms.push(t);
            kept.push(m);
        }
    }
    (kept, terms)
}

/// Moves rewrites below the root behind the rewrites of the root, as far as each can go.
fn postpone(system: &System, bank: &mut TermBank, moves: &mut Vec<Move>) {
    if moves.iter().all(|m| m.path.is_empty()) || moves.iter().all(|m| !m.path.is_empty()) {
        return;
    }
    let mut i = moves.len();
    while i > 0 {
        i -= 1;
        if moves[i].path.is_empty() {
            continue;
        }
        let mut at = i;
        while at + 1 < moves.len() {
            let next = &moves[at + 1];
            if !next.path.is_empty() {
                if comparable(&next.path, &moves[at].path) {
                    break;
                }
                moves.swap(at, at + 1);
                at += 1;
                continue;
            }
            match moves::carried(system, bank, next, &moves[at]) {
                None => break,
                Some((before, after, path)) => {
                    // The root is rewritten first, with what the subterm was before.
                    let root = Move { from: before, to: after, ..moves[at + 1].clone() };
                    let mut m = std::mem::replace(&mut moves[at], root);
                    match path {
                        Some(path) => {
                            m.path = path;
                            moves[at + 1] = m;
                            at += 1;
                        }
                        None => {
                            moves.remove(at + 1);
                            break;
                        }
                    }
                }
            }
        }
    }
}

fn comparable(a: &[u32], b: &[u32]) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_flat;
    use crate::flatten::Caps;
    use crate::{EGraph, Limits, SaturationConfig, explain, saturate};
    use std::ops::ControlFlow;
    use std::sync::Arc;

    #[test]
    fn proofs_are_right_even_if_different_terms_have_one_fingerprint() {
        let text = "(sort S) (op + (S S) S) (variable S)
            (rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)";
        let system = Arc::new(System::parse(text).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let start = bank.parse("(+ a (+ b (+ c (+ d e))))", None).unwrap();
        let mut egraph = EGraph::new(system.clone());
        let root = egraph.add_term(&bank, start);
        let limits = Limits { iterations: Some(4), ..Default::default() };
        let config = SaturationConfig { limits, ..Default::default() };
        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        let nodes = egraph.nodes(egraph.find(root)).to_vec();
        let terms: Vec<TermId> = nodes.iter().map(|&n| egraph.term(&mut bank, n)).collect();
        // The fewer bits, the more collisions; with none missing there should be none.
        let lengths = [0, 56, 60, 63].map(|missing_bits| {
            let mut shortener = Shortener::new(&system);
            shortener.moves.fingerprints.missing_bits = missing_bits;
            let mut steps = 0;
            for &end in &terms {
                let proof = explain(&egraph, &mut bank, start, end).unwrap();
                let flat = proof.flatten(&mut bank, Caps { steps: 500, term_size: 300 }).unwrap();
                let short = shortener.shorten(&mut bank, &flat, 300);
                check_flat(&system, &bank, &short).unwrap();
                assert_eq!((short.terms[0], *short.terms.last().unwrap()), (start, end));
                assert!(short.steps.len() <= flat.steps.len());
                steps += short.steps.len();
            }
            steps
        });
        assert!(lengths[1..].iter().all(|&some| some > lengths[0]), "{lengths:?}");
    }
}
