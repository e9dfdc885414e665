//! The rewrites that apply to a term, by matching on terms.

use super::fingerprints::Fingerprints;
use super::walk::{Move, Path};
use crate::bounds::count_step;
use crate::building::on_terms::{folded, instance, matched};
use crate::proof::dag::Justification;
use crate::proof::dense::DenseMap;
use crate::rules::pattern::Pattern;
use crate::rules::rule::{Rule, RuleId};
use crate::rules::system::System;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A term that is one rewrite away from another. No bank need have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    /// Of the whole term.
    pub fingerprint: u64,
    /// Number of nodes, as [`TermBank::size`].
    pub size: u64,
    site: Site,
}

/// Where a neighbour differs.
#[derive(Clone, Copy, Debug)]
enum Site {
    /// At the root, by the rewrite at `.0` in [`Moves::rewrites`].
    Root(u32),
    /// In child `.0`, whose neighbour this is, at `.1` in [`Moves::found`].
    Child(u32, u32),
}

/// A rewrite of a term at its root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rewrite {
    pub to: TermId,
    pub rule: Justification,
    pub forward: bool,
}

/// The rewrites of terms at their roots, each term's once, and for one search at a time all
/// their neighbours.
pub(super) struct Moves {
    /// Rules by the operator at the root of the side that is matched, with the direction.
    by_operator: Vec<Vec<(RuleId, bool)>>,
    /// Rules whose matched side is a literal.
    of_literals: Vec<(RuleId, bool)>,

    /// Runs of `rewrites` by term.
    at_root: FxHashMap<TermId, (u32, u32)>,
    rewrites: Vec<Rewrite>,
    pub fingerprints: Fingerprints,

    // Of one search.
    /// Where a subterm was seen last, and whether in all terms so far: see [`Moves::begin`].
    shared: DenseMap,
    last: u32,
    /// Runs of `found` by term.
    of_term: FxHashMap<TermId, (u32, u32)>,
    found: Vec<Neighbour>,
    todo: Vec<TermId>,
}

/// Beyond this many rewrites they are forgotten before the next proof.
const LARGE: usize = 4_000_000;

impl Moves {
    pub fn new(system: &System) -> Self {
        let mut by_operator = vec![Vec::new(); system.language.operators.len()];
        let mut of_literals = Vec::new();
        for (i, rule) in system.rules.iter().enumerate() {
            for forward in [true, false] {
                let (source, _) = sides(rule, forward);
                // What a function gave does not tell what it was given.
                if !binds_all(rule, source) || source.has_functions() {
                    continue;
                }
                let entry = (RuleId(i as u32), forward);
                match source {
                    Pattern::Op(op, _) => by_operator[op.0 as usize].push(entry),
                    Pattern::Leaf(_) => of_literals.push(entry),
                    // A variable matches everywhere and makes every term grow.
                    Pattern::Var(_) | Pattern::Compute(..) | Pattern::Function(..) => {}
                }
            }
        }
        Moves {
            by_operator,
            of_literals,
            at_root: FxHashMap::default(),
            rewrites: Vec::new(),
            fingerprints: Fingerprints::default(),
            shared: DenseMap::default(),
            last: 0,
            of_term: FxHashMap::default(),
            found: Vec::new(),
            todo: Vec::new(),
        }
    }

    pub fn forget_if_large(&mut self) {
        if self.rewrites.len() > LARGE {
            self.rewrites.clear();
            self.at_root.clear();
        }
    }

    /// Begins a search among terms like these. A subterm that all of them have is left as it is:
    /// neighbours differ elsewhere.
    pub fn begin(&mut self, bank: &TermBank, terms: &[TermId]) {
        self.found.clear();
        self.of_term.clear();
        self.shared.clear();
        self.last = terms.len() as u32 - 1;
        for (i, &t) in (0u32..).zip(terms) {
            self.todo.push(t);
            while let Some(s) = self.todo.pop() {
                let in_all = match self.shared.get(s.0) {
                    Some(seen) if seen >> 1 == i => continue,
                    Some(seen) => seen & 1 == 1 && (seen >> 1) + 1 == i,
                    None => i == 0,
                };
                self.shared.insert(s.0, i << 1 | u32::from(in_all));
                self.todo.extend_from_slice(bank.children(s));
            }
        }
    }

    fn is_shared(&self, t: TermId) -> bool {
        self.shared.get(t.0) == Some(self.last << 1 | 1)
    }

    /// The indices of the neighbours of `t` in this search, for [`Moves::get`].
    pub fn of(&mut self, system: &System, bank: &mut TermBank, t: TermId) -> (u32, u32) {
        if let Some(&known) = self.of_term.get(&t) {
            return known;
        }
        // Subterms first, without recursion.
        let mut todo = std::mem::take(&mut self.todo);
        todo.push(t);
        while let Some(&s) = todo.last() {
            count_step();
            let before = todo.len();
            if !self.of_term.contains_key(&s) {
                let open = |c: &&TermId| !self.of_term.contains_key(c) && !self.is_shared(**c);
                todo.extend(bank.children(s).iter().filter(open));
                if todo.len() > before {
                    continue;
                }
                let run = self.find(system, bank, s);
                self.of_term.insert(s, run);
            }
            todo.pop();
        }
        self.todo = todo;
        self.of_term[&t]
    }

    pub fn get(&self, index: u32) -> Neighbour {
        self.found[index as usize]
    }

    /// The rewrite by which the neighbour at `index` differs, and where.
    pub fn place(&self, index: u32) -> (Path, Rewrite) {
        let mut path = Path::new();
        let mut site = self.found[index as usize].site;
        loop {
            match site {
                Site::Root(rewrite) => return (path, self.rewrites[rewrite as usize]),
                Site::Child(child, index) => {
                    path.push(child);
                    site = self.found[index as usize].site;
                }
            }
        }
    }

    fn find(&mut self, system: &System, bank: &mut TermBank, t: TermId) -> (u32, u32) {
        let start = self.found.len();
        let (from, to) = match self.at_root.get(&t) {
            Some(&known) => known,
            None => {
                let run = self.rewrite(system, bank, t);
                self.at_root.insert(t, run);
                run
            }
        };
        for rewrite in from..to {
            let to = self.rewrites[rewrite as usize].to;
            let fingerprint = self.fingerprints.of(bank, to);
            let site = Site::Root(rewrite);
            self.found.push(Neighbour { fingerprint, size: bank.size(to), site });
        }
        let (head, size) = (bank.head(t), bank.size(t));
        let children = bank.children(t);
        let prints = children.iter().map(|&c| self.fingerprints.of(bank, c));
        let prints: SmallVec<[u64; 6]> = prints.collect();
        for (i, &child) in children.iter().enumerate() {
            if self.is_shared(child) {
                continue;
            }
            let others = size.saturating_sub(bank.size(child));
            let before = self.fingerprints.begun(head, prints[..i].iter().copied());
            let (from, to) = self.of_term[&child];
            for index in from..to {
                let Neighbour { fingerprint, size, .. } = self.found[index as usize];
                let after = [fingerprint].into_iter().chain(prints[i + 1..].iter().copied());
                self.found.push(Neighbour {
                    fingerprint: self.fingerprints.ended(before, after),
                    size: others.saturating_add(size),
                    site: Site::Child(i as u32, index),
                });
            }
        }
        (start as u32, self.found.len() as u32)
    }

    /// Finds the rewrites of `t` at its root.
    fn rewrite(&mut self, system: &System, bank: &mut TermBank, t: TermId) -> (u32, u32) {
        let start = self.rewrites.len();
        let rules = match bank.node(t) {
            Node::Op(op) => &self.by_operator[op.0 as usize],
            Node::Leaf(_) => &self.of_literals,
        };
        for &(id, forward) in rules {
            if let Some(to) = rewrite(bank, system.rule(id), forward, t)
                && to != t
            {
                self.rewrites.push(Rewrite { to, rule: Justification::Rule(id), forward });
            }
        }
        if let Some(to) = folded(&system.language, bank, t) {
            self.rewrites.push(Rewrite { to, rule: Justification::Fold, forward: true });
        }
        (start as u32, self.rewrites.len() as u32)
    }
}

/// The side of a rule that is matched, and the other.
fn sides(rule: &Rule, forward: bool) -> (&Pattern, &Pattern) {
    if forward { (&rule.lhs, &rule.rhs) } else { (&rule.rhs, &rule.lhs) }
}

fn binds_all(rule: &Rule, source: &Pattern) -> bool {
    (0..rule.variables.names.len()).all(|v| occurrences(source, VarId(v as u16)) > 0)
}

/// How often a pattern has the variable, not counting what computations and functions read.
fn occurrences(pattern: &Pattern, var: VarId) -> usize {
    match pattern {
        Pattern::Var(v) => usize::from(*v == var),
        Pattern::Op(_, args) => args.iter().map(|arg| occurrences(arg, var)).sum(),
        Pattern::Leaf(_) | Pattern::Compute(..) | Pattern::Function(..) => 0,
    }
}

/// Whether a function on terms reads the variable.
fn is_read(pattern: &Pattern, var: VarId) -> bool {
    let mut read = false;
    for part in pattern.parts().filter(|part| matches!(part, Pattern::Function(..))) {
        part.each_var(&mut |v| read |= v == var);
    }
    read
}

/// `t` rewritten at its root.
fn rewrite(bank: &mut TermBank, rule: &Rule, forward: bool, t: TermId) -> Option<TermId> {
    let (source, target) = sides(rule, forward);
    let bound = matched(bank, rule, source, t)?;
    // What a computation stood for when its side was matched, it must compute.
    if !forward && instance(bank, source, &bound) != Some(t) {
        return None;
    }
    instance(bank, target, &bound)
}

/// The terms by variable with which the left-hand side of `rule` is `t`.
pub(super) fn bindings(bank: &TermBank, rule: &Rule, t: TermId) -> Vec<TermId> {
    matched(bank, rule, &rule.lhs, t).expect("a step that was found").into_vec()
}

/// How the rewrite `below` at a deeper position can follow the rewrite `root` of the root that
/// now comes after it: the ends of `root` when it comes first, and where `below` then applies,
/// `None` if nowhere, because `root` drops its subterm. `None` if that would change what `root`
/// needs, or make several rewrites of one.
pub(super) fn carried(
    system: &System,
    bank: &mut TermBank,
    root: &Move,
    below: &Move,
) -> Option<(TermId, TermId, Option<Path>)> {
    let Justification::Rule(id) = root.rule else { return None };
    let rule = system.rule(id);
    let (source, target) = sides(rule, root.forward);
    let mut at = source;
    let mut rest = &below.path[..];
    let var = loop {
        match at {
            Pattern::Var(var) => break *var,
            Pattern::Op(_, args) => {
                let (&child, inner) = rest.split_first()?;
                at = args.get(child as usize)?;
                rest = inner;
            }
            Pattern::Leaf(_) | Pattern::Compute(..) | Pattern::Function(..) => return None,
        }
    };
    let literals = &system.rewrites[id.0 as usize].literals;
    if is_read(source, var) || is_read(target, var) {
        return None;
    }
    if occurrences(source, var) != 1 || literals.iter().any(|&(_, literal)| literal == var) {
        return None;
    }
    let others = occurrences(target, var);
    if others > 1 {
        return None;
    }
    let before = bank.replace(root.from, &below.path, below.from)?;
    match others {
        0 => Some((before, root.to, None)),
        _ => {
            let mut path = Path::new();
            position(target, var, &mut path);
            path.extend_from_slice(rest);
            let after = bank.replace(root.to, &path, below.from)?;
            Some((before, after, Some(path)))
        }
    }
}

/// Appends the position of the variable in a pattern; whether there is one.
fn position(pattern: &Pattern, var: VarId, path: &mut Path) -> bool {
    match pattern {
        Pattern::Var(v) => *v == var,
        Pattern::Op(_, args) => args.iter().enumerate().any(|(i, arg)| {
            path.push(i as u32);
            position(arg, var, path) || {
                path.pop();
                false
            }
        }),
        Pattern::Leaf(_) | Pattern::Compute(..) | Pattern::Function(..) => false,
    }
}
