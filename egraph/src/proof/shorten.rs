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
//! Only the result matters: its users have it checked. Everything is deterministic, and
//! bounded by counts, never by time.

mod fingerprints;
mod moves;
mod search;
mod walk;

use crate::proof::dag::{FlatProof, FlatStep, Justification, Steps};
use crate::rules::rule::RuleId;
use crate::rules::system::System;
use crate::term::bank::{TermBank, TermId};
use moves::{Moves, bindings};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use walk::{Move, Walk};

/// Shortens proofs of one system over one bank; what was found out about terms is kept.
pub struct Shortener<'s> {
    system: &'s System,
    moves: Moves,
    graph: search::Graph,
    /// How proofs were shortened: by start and, for each step, its rule and the term after it.
    solved: FxHashMap<Box<[u32]>, Walk>,
    /// Keys and moves in `solved`.
    remembered: usize,
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
        if proof.steps.iter().any(|step| !step.because.is_empty()) {
            return self.shorten_between_facts(bank, proof, max_size);
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
        let found = self.solve(bank, Walk { moves, terms: proof.terms.clone() });
        if found.moves.len() >= proof.steps.len() {
            return proof.clone();
        }
        let fits = found.terms.iter().all(|&t| bank.size(t) <= max_size);
        if fits { self.flat(bank, found) } else { proof.clone() }
    }

    /// Shortens what lies between steps that rest on facts; those stay.
    fn shorten_between_facts(
        &mut self,
        bank: &mut TermBank,
        proof: &FlatProof,
        max_size: u64,
    ) -> FlatProof {
        let part = |steps: Range<usize>, facts: Steps| FlatProof {
            terms: proof.terms[steps.start..=steps.end].to_vec(),
            steps: proof.steps[steps].to_vec(),
            facts,
        };
        let rests = |&i: &usize| !proof.steps[i].because.is_empty();
        let mut parts = Vec::new();
        let mut from = 0;
        for at in (0..proof.steps.len()).filter(rests) {
            parts.push(self.shorten(bank, &part(from..at, Steps::default()), max_size));
            parts.push(part(at..at + 1, proof.facts.clone()));
            from = at + 1;
        }
        let last = part(from..proof.steps.len(), Steps::default());
        parts.push(self.shorten(bank, &last, max_size));
        FlatProof::concatenated(parts)
    }

    fn flat(&self, bank: &TermBank, walk: Walk) -> FlatProof {
        let step = |m: &Move| {
            let left = if m.forward { m.from } else { m.to };
            let substitution = match m.rule {
                Justification::Rule(rule) => bindings(bank, self.system.rule(rule), left),
                Justification::Fold => Vec::new(),
            };
            let (path, because) = (m.path.to_vec(), Vec::new());
            FlatStep { rule: m.rule, forward: m.forward, path, substitution, because }
        };
        let steps = walk.moves.iter().map(step).collect();
        FlatProof { steps, terms: walk.terms, facts: Steps::default() }
    }

    /// Shortens a proof, or remembers how it was shortened before.
    fn solve(&mut self, bank: &mut TermBank, walk: Walk) -> Walk {
        let walk = walk.without_loops();
        if walk.moves.len() < 2 {
            return walk;
        }
        let rule = |m: &Move| match m.rule {
            Justification::Rule(RuleId(rule)) => rule << 1 | u32::from(m.forward),
            Justification::Fold => u32::MAX << 1 | u32::from(m.forward),
        };
        let mut key = vec![walk.terms[0].0];
        key.extend(walk.moves.iter().zip(&walk.terms[1..]).flat_map(|(m, t)| [rule(m), t.0]));
        if let Some(known) = self.solved.get(&key[..]) {
            return known.clone();
        }
        let found = self.solve_new(bank, walk);
        self.remembered += key.len() + found.moves.len();
        self.solved.insert(key.into(), found.clone());
        found
    }

    fn solve_new(&mut self, bank: &mut TermBank, walk: Walk) -> Walk {
        let mut best = walk;
        for round in 0..ROUNDS {
            let steps = best.moves.len();
            if steps < 2 || round > 0 && steps > AGAIN {
                break;
            }
            let mut walk = best.clone();
            postpone(self.system, bank, &mut walk);
            let roots = walk.moves.iter().rposition(|m| m.path.is_empty()).map_or(0, |i| i + 1);
            let mut head = self.between_roots(bank, &walk, roots).without_loops();
            let size = bank.size(head.terms[0]);
            if (2..=MAX_STEPS).contains(&head.moves.len()) && size <= MAX_TERM {
                head = self.graph.shortest(&mut self.moves, self.system, bank, head);
            }
            head.append(self.by_child(bank, walk.part(roots..walk.moves.len())));
            let found = head.without_loops();
            if found.moves.len() >= steps {
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

    /// Shortens what lies between rewrites of the root in the first `end` moves.
    fn between_roots(&mut self, bank: &mut TermBank, walk: &Walk, end: usize) -> Walk {
        let mut done = Walk::at(walk.terms[0]);
        let mut from = 0;
        for (i, m) in walk.moves[..end].iter().enumerate().filter(|(_, m)| m.path.is_empty()) {
            done.append(self.by_child(bank, walk.part(from..i)));
            done.push(m.clone(), walk.terms[i + 1]);
            from = i + 1;
        }
        done.append(self.by_child(bank, walk.part(from..end)));
        done
    }

    /// Shortens a proof that nowhere rewrites the root: a proof per child.
    fn by_child(&mut self, bank: &mut TermBank, walk: Walk) -> Walk {
        if walk.moves.len() < 2 {
            return walk;
        }
        let start = walk.terms[0];
        let mut of_child: Vec<Walk> = bank.children(start).iter().map(|&c| Walk::at(c)).collect();
        for (mut m, &after) in walk.moves.into_iter().zip(&walk.terms[1..]) {
            let child = m.path.remove(0) as usize;
            of_child[child].push(m, bank.children(after)[child]);
        }
        let mut solved = Vec::new();
        for (i, walk) in of_child.into_iter().enumerate().filter(|(_, w)| !w.moves.is_empty()) {
            let walk = self.solve(bank, walk);
            let size = |term| i128::from(bank.size(term));
            solved.push((size(walk.end()) - size(walk.terms[0]), i, walk));
        }
        // Those that make the term smaller first, so that no term becomes larger than need be.
        solved.sort_by_key(|&(growth, i, _)| (growth, i));
        let head = bank.head(start);
        let mut children: SmallVec<[TermId; 6]> = bank.children(start).into();
        let mut done = Walk::at(start);
        for (_, i, walk) in solved {
            for (mut m, &after) in walk.moves.into_iter().zip(&walk.terms[1..]) {
                m.path.insert(0, i as u32);
                children[i] = after;
                done.push(m, bank.add(head, &children));
            }
        }
        done
    }
}

/// Moves rewrites below the root behind the rewrites of the root, as far as each can go.
fn postpone(system: &System, bank: &mut TermBank, walk: &mut Walk) {
    let roots = walk.moves.iter().filter(|m| m.path.is_empty()).count();
    if roots == 0 || roots == walk.moves.len() {
        return;
    }
    let Some(Moved { first, after }) = postpone_moves(system, bank, &mut walk.moves) else {
        return;
    };
    let unmoved = walk.terms.split_off(walk.terms.len() - after);
    walk.terms.truncate(first + 1);
    for m in &walk.moves[first..walk.moves.len() - after] {
        let last = walk.terms[walk.terms.len() - 1];
        let next = bank.replace(last, &m.path, m.to);
        walk.terms.push(next.expect("a position of the proof's own term"));
    }
    walk.terms.extend(unmoved);
}

/// What of a proof has changed: all but the moves before the first one, and so many at the end.
struct Moved {
    first: usize,
    after: usize,
}

/// As [`postpone`], of the moves alone; none if none was moved or dropped.
fn postpone_moves(system: &System, bank: &mut TermBank, moves: &mut Vec<Move>) -> Option<Moved> {
    let mut changed: Option<Moved> = None;
    let mut last_root = moves.iter().rposition(|m| m.path.is_empty())?;
    for i in (0..moves.len()).rev() {
        if moves[i].path.is_empty() {
            continue;
        }
        let mut at = i;
        while let Some(root) = next_root(moves, at, last_root) {
            let Some((before, after, path)) =
                moves::carried(system, bank, &moves[root], &moves[at])
            else {
                break;
            };
            // The root is rewritten first, with what the subterm was before; what is between them is elsewhere, and
            // stays before the root.
            moves[at..=root].rotate_left(1);
            let (root, m) = (root - 1, root);
            (moves[root].from, moves[root].to) = (before, after);
            let behind = moves.len() - 1 - m;
            let so_far = changed.get_or_insert(Moved { first: at, after: behind });
            so_far.first = so_far.first.min(at);
            so_far.after = so_far.after.min(behind);
            if last_root == m {
                last_root = root;
            }
            match path {
                Some(path) => {
                    moves[m].path = path;
                    at = m;
                }
                None => {
                    moves.remove(m);
                    if last_root > m {
                        last_root -= 1;
                    }
                    break;
                }
            }
        }
    }
    changed
}

/// The next rewrite of the root behind a move, if there is none before it of a subterm that has to do with the move's.
fn next_root(moves: &[Move], at: usize, last_root: usize) -> Option<usize> {
    let path = &moves[at].path;
    for (i, m) in moves.iter().enumerate().take(last_root + 1).skip(at + 1) {
        if m.path.is_empty() {
            return Some(i);
        }
        if comparable(&m.path, path) {
            return None;
        }
    }
    None
}

fn comparable(a: &[u32], b: &[u32]) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::check::check_flat;
    use crate::proof::flatten::Caps;
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
