//! E-matching: the matches of one compiled rule in a rebuilt e-graph that an earlier search has
//! not seen, and that would change something.
//!
//! A match is new if one of its e-nodes has changed ([`crate::graph::changes`]). Each new match is found
//! once: from its first changed atom, with all atoms before that unchanged (semi-naive
//! evaluation, as in Zhang et al., *Better Together: Unifying Datalog and Equality Saturation*,
//! PLDI 2023). Most matches say what is known already; these are dropped here, where the e-graph
//! does not change and threads can share the work, unless they are few.

use crate::building::right_side::{LookupRoom, MANY};
use crate::graph::changes::Epoch;
use crate::graph::class_index::LongRuns;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::matching::delta_queries::{Begin, Candidates, DeltaQuery};
use crate::matching::matches::{Bounds, Found, Halt, Recent, Tally};
use crate::rules::compiled::program::{Atom, Instruction, Register, Start, Test};
use crate::rules::compiled::rewrite::Rewrite;
use crate::rules::rule::Rule;
use crate::rules::variables::VarId;
use crate::term::leaves::Head;
use crate::term::literal::Value;

/// One rule over one e-graph, ready to be searched for.
pub(crate) struct Search<'a> {
    pub(super) egraph: &'a EGraph,
    /// See [`crate::graph::node_table::NodeTable::binary_rows`].
    pub(super) rows: &'a [[Id; 3]],
    pub rewrite: &'a Rewrite,
    pub(super) rule: &'a Rule,
    /// Classes of the left-hand side's constants.
    constants: Vec<Id>,
    /// Classes of the right-hand side's literals, where there are such.
    pub(super) literals: Vec<Option<Id>>,
    /// What has been seen; nothing if `None`.
    seen: Option<Epoch>,
    /// Whether right-hand sides can be looked up many at a time.
    pub(super) narrow: bool,
    /// Whether moreover the e-nodes of a match are all that it binds, and they have two children.
    pub(super) plain: bool,
}

/// Room for searches of one e-graph to work in, one after the other.
#[derive(Debug, Default)]
pub(crate) struct SearchRoom {
    /// The registers, and behind them the e-nodes that are bound.
    pub(super) state: Vec<Id>,
    pub(super) looked_up: Vec<Id>,
    pub(super) ids: Vec<Id>,
    /// E-nodes for the root of a pattern below which there may be something new.
    roots: Vec<Id>,
    /// Matches that are kept in mind: their bound ids, by match.
    pub(super) pending: Vec<[Id; MANY]>,
    /// Their classes by variable.
    pub(super) classes: Vec<[Id; MANY]>,
    pub(super) lookups: LookupRoom,
    pub(super) recent: Recent,
    /// Of the e-graph as it is while they last.
    pub(super) runs: LongRuns,
}

/// Quotas and the clock are looked at once in so many matches, or e-nodes.
pub(super) const COUNT_EVERY: usize = 1_024;
pub(super) const LOOK_EVERY: usize = 4_096;

impl<'a> Search<'a> {
    /// `None` if the e-graph lacks an operator or a constant of the pattern, which then matches nowhere. Of a file with
    /// thousands of rules hardly any is over the operators of one e-graph.
    pub fn new(
        egraph: &'a EGraph,
        rewrite: &'a Rewrite,
        rule: &'a Rule,
        seen: Option<Epoch>,
    ) -> Option<Search<'a>> {
        if !rewrite.lhs.may_match(egraph.live_by_operator()) {
            return None;
        }
        let constants = rewrite.lhs.constants.iter().map(|constant| constant.node(egraph));
        let constants: Vec<Id> = constants.collect::<Option<_>>()?;
        // Where a constant got another class, e-nodes match that have not changed themselves.
        let seen = seen.filter(|&epoch| !constants.iter().any(|&c| egraph.changed_since(c, epoch)));
        let (rows, narrow) = (egraph.table().binary_rows(), rewrite.is_narrow(egraph));
        Some(Search {
            egraph,
            rows,
            rewrite,
            rule,
            constants: constants.into_iter().map(|node| egraph.class_of(node)).collect(),
            literals: rewrite.rhs.known_literals(egraph),
            seen,
            narrow,
            plain: narrow && !rows.is_empty() && rewrite.stride() == rewrite.nodes(),
        })
    }

    /// What this search takes as seen.
    pub fn seen(&self) -> Option<Epoch> {
        self.seen
    }

    /// The same search for all matches, new and old.
    pub fn unseen(&self) -> Search<'a> {
        let (constants, literals) = (self.constants.clone(), self.literals.clone());
        Search { constants, literals, seen: None, ..*self }
    }

    /// All delta queries, in the order of their results, with at most `most` e-nodes each.
    pub fn delta_queries<'c>(
        &self,
        candidates: &'c Candidates<'_>,
        most: usize,
    ) -> impl Iterator<Item = DeltaQuery<'c>> + use<'c, 'a> {
        candidates.delta_queries(&self.rewrite.lhs.atoms, self.seen, most)
    }

    /// Searches as one delta query says and appends to `found`.
    pub fn run(
        &self,
        query: DeltaQuery<'_>,
        bounds: &Bounds<'_>,
        room: &mut SearchRoom,
        found: &mut Found,
    ) {
        let lhs = &self.rewrite.lhs;
        let start = match query.begin {
            Begin::Changed(_) => query.first,
            Begin::Roots(_) | Begin::Classes => 0,
        };
        let program = lhs.start(start, self.rule);
        room.state.clear();
        room.state.resize(lhs.registers + lhs.bound(), Id(0));
        room.pending.resize(self.rewrite.stride().max(room.pending.len()), [Id(0); MANY]);
        room.recent.forget(query.begin.len());
        let mut machine = Machine {
            search: self,
            first: query.first,
            program: program.map_or(&[], |start| &start.instructions),
            tests: program.map_or(&[], |start| &start.tests),
            pending: 0,
            unlooked: 0,
            uncounted: Tally::default(),
            room,
            found,
            bounds,
        };
        match query.begin {
            Begin::Changed(nodes) | Begin::Roots(nodes) => {
                let mut roots = std::mem::take(&mut machine.room.roots);
                let nodes = match query.below {
                    None => nodes,
                    Some(below) => {
                        let may_hold = |node: &&Id| below.may_hold(self.egraph, **node);
                        roots.clear();
                        roots.extend(nodes.iter().filter(may_hold));
                        &roots
                    }
                };
                let turned = if start == 0 { lhs.turned(self.rule) } else { None };
                match turned {
                    Some(turned) => machine.try_roots(nodes, turned),
                    None => {
                        let nodes = nodes.iter().map(|&node| (node, true));
                        machine.try_each(nodes, start, |node| self.egraph.class_of(node), 0, false);
                    }
                }
                machine.room.roots = roots;
            }
            Begin::Classes => machine.all_classes(),
        }
        machine.note_pending();
        machine.count();
    }

    /// The literal of a variable's class; or, of a variable that stands for a fact, that fact of it.
    pub(super) fn value(&self, var: VarId, class: Id) -> Option<Value> {
        match self.rule.variables.fact(var) {
            None => self.egraph.literal(class),
            Some(fact) => self.egraph.fact(fact.analysis, class),
        }
    }

    /// A child of each of some e-nodes.
    #[inline]
    pub(super) fn children(&self, nodes: &[Id], child: usize, children: &mut [Id]) {
        let all = children.iter_mut().zip(nodes);
        match self.rows {
            [] => all.for_each(|(to, &node)| *to = self.egraph.table().child_of(node, child)),
            // Their places are known to the compiler.
            rows if child == 0 => all.for_each(|(to, &node)| *to = rows[node.0 as usize][1]),
            rows => all.for_each(|(to, &node)| *to = rows[node.0 as usize][2]),
        }
    }

    /// The e-nodes of a class with a head.
    #[inline]
    pub(super) fn members(&self, class: Id, head: Head, runs: &mut LongRuns) -> &'a [Id] {
        let egraph = self.egraph;
        egraph.index().class_with_head(class, head, |n| egraph.head(n), runs)
    }

    /// The facts that a match with these registers reads.
    pub(super) fn facts(&self, registers: &[Id]) -> impl Iterator<Item = Id> {
        let facts = self.rewrite.facts.iter();
        let facts = facts.map(|&(r, analysis)| self.egraph.fact_id(analysis, registers[r]));
        facts.flatten().map(|fact| Id(fact.0))
    }
}

pub(super) struct Machine<'a> {
    pub(super) search: &'a Search<'a>,
    first: usize,
    program: &'a [Instruction],
    tests: &'a [Test],
    /// Matches that are still to be looked at.
    pub(super) pending: usize,
    /// So many more times as many as are looked at together are kept without a look.
    pub(super) unlooked: usize,
    /// What the quotas do not know of yet.
    pub(super) uncounted: Tally,
    pub(super) room: &'a mut SearchRoom,
    pub(super) found: &'a mut Found,
    pub(super) bounds: &'a Bounds<'a>,
}

impl<'a> Machine<'a> {
    /// Tries a pattern that is a bare variable or a constant on the classes of its sort.
    fn all_classes(&mut self) {
        let Search { egraph, rewrite, rule, ref constants, .. } = *self.search;
        let sort = rule.lhs.sort(&egraph.system().language, &rule.variables);
        let fits = |&class: &Id| {
            if rewrite.lhs.constant_root {
                class == constants[0]
            } else {
                egraph.sort(class) == sort
            }
        };
        for class in egraph.classes().filter(fits) {
            self.room.state.fill(class);
            if self.holds() {
                self.matched();
            }
            if self.found.halted.is_some() {
                return;
            }
        }
    }

    /// Tries a pattern on e-nodes for its root, and of the two atoms below it the one first whose class is the smaller: of
    /// the other's e-nodes those that fit are looked up.
    fn try_roots(&mut self, nodes: &[Id], turned: &'a Start) {
        let Search { egraph, rewrite, .. } = *self.search;
        let orders = [(self.program, self.tests), (&turned.instructions[..], &turned.tests[..])];
        let children = rewrite.lhs.atoms[0].children;
        for &node in nodes {
            let members = orders.map(|(program, _)| match program.first() {
                Some(&Instruction::Down { class, .. }) => {
                    egraph.nodes(egraph.table().child_of(node, class - children)).len()
                }
                _ => 0,
            });
            (self.program, self.tests) = orders[usize::from(members[1] < members[0])];
            self.try_each(std::iter::once((node, true)), 0, |node| egraph.class_of(node), 0, false);
            if self.found.halted.is_some() {
                return;
            }
        }
    }

    pub(super) fn register(&self, register: usize) -> Id {
        self.room.state[register]
    }

    /// Binds an e-node to an atom.
    #[inline(always)] // into the one loop that does it
    fn bind(&mut self, atom: usize, bound: &Atom, node: Id, class: Id) {
        let Search { egraph, rewrite, rows, .. } = *self.search;
        let state = &mut self.room.state[..];
        if let Some(&[_, left, right]) = rows.get(node.0 as usize) {
            // Both, whatever the arity: there are two registers.
            state[bound.children] = left;
            state[bound.children + 1] = right;
        } else {
            let registers = &mut state[bound.children..bound.children + bound.arity];
            registers.copy_from_slice(egraph.children(node));
        }
        state[atom] = class;
        state[rewrite.lhs.registers + atom] = node;
    }

    /// Counts e-nodes that were tried.
    #[inline]
    pub(super) fn visited(&mut self, nodes: usize) {
        self.uncounted.visits += nodes;
        if self.uncounted.visits >= LOOK_EVERY {
            self.count();
        }
    }

    fn run(&mut self, mut at: usize) {
        let program = self.program;
        let egraph = self.search.egraph;
        while let Some(instruction) = program.get(at) {
            at += 1;
            match *instruction {
                Instruction::Same(a, b) => {
                    if self.register(a) != self.register(b) {
                        return;
                    }
                }
                Instruction::Constant(register, constant) => {
                    if self.register(register) != self.search.constants[constant] {
                        return;
                    }
                }
                Instruction::Literal(register) => {
                    if egraph.literal_node(self.register(register)).is_none() {
                        return;
                    }
                }
                Instruction::Test(number) => {
                    let Test { condition, registers } = &self.tests[number];
                    let class = |var: VarId| self.register(registers[usize::from(var.0)]);
                    let value = |var: VarId| self.search.value(var, class(var));
                    if !self.search.rule.conditions[*condition].holds(&value) {
                        return;
                    }
                }
                Instruction::Down { atom, class, head, known } => {
                    let class = self.register(class);
                    let nodes = self.search.members(class, head, &mut self.room.runs);
                    return self.down(nodes, atom, (class, head), known, at);
                }
                Instruction::Up { atom, head, from, child, known } => {
                    let known = known.map(|(child, register)| (child, self.register(register)));
                    let fitting = egraph.parents(self.register(from)).map(|(node, place)| {
                        let fits = place == child
                            && egraph.head(node) == head
                            && known.is_none_or(|(child, class)| {
                                egraph.table().child_of(node, child) == class
                            });
                        (node, fits)
                    });
                    self.try_each(fitting, atom, |node| egraph.class_of(node), at, true);
                    return;
                }
            }
        }
        self.matched();
    }

    /// Whether an e-node may be bound to an atom: those before the first changed one must be unchanged, and it must be
    /// changed.
    #[inline]
    pub(super) fn may_be(&self, atom: usize) -> impl Fn(Id) -> bool + use<'a> {
        let Search { egraph, seen, .. } = *self.search;
        let (seen, changed) = (seen.filter(|_| atom <= self.first), atom == self.first);
        move |node| seen.is_none_or(|epoch| egraph.changed_since(node, epoch) == changed)
    }

    /// Tries e-nodes of a class with a head on an atom of which a child may be known, and goes on with the program.
    fn down(
        &mut self,
        nodes: &'a [Id],
        atom: usize,
        (class, head): (Id, Head),
        known: Option<(usize, Register)>,
        next: usize,
    ) {
        let egraph = self.search.egraph;
        let Some((child, register)) = known else {
            self.try_each(nodes.iter().map(|&node| (node, true)), atom, |_| class, next, true);
            return;
        };
        // In a class of many e-nodes, those with a certain child are found faster
        // among the uses of that child.
        let known = self.register(register);
        if (egraph.weight(known) as usize) < nodes.len() / 2 {
            let fitting = egraph.parents(known).map(|(node, place)| {
                let fits =
                    place == child && egraph.head(node) == head && egraph.class_of(node) == class;
                (node, fits)
            });
            self.try_each(fitting, atom, |_| class, next, true);
        } else {
            let fits = |node: Id| egraph.table().child_of(node, child) == known;
            let fitting = nodes.iter().map(|&node| (node, fits(node)));
            self.try_each(fitting, atom, |_| class, next, true);
        }
    }

    /// Binds each of `nodes` that fits and may be bound to an atom, and goes on with the program. What was looked at and does
    /// not fit is counted where `count` says so.
    #[inline]
    fn try_each(
        &mut self,
        nodes: impl Iterator<Item = (Id, bool)>,
        atom: usize,
        class: impl Fn(Id) -> Id,
        next: usize,
        count: bool,
    ) {
        let Search { rewrite, .. } = *self.search;
        let bound = &rewrite.lhs.atoms[atom];
        let may_be = self.may_be(atom);
        let first = self.program.get(next).copied();
        let mut misfits = 0;
        if self.search.plain && !self.bounds.only_count {
            match first {
                None => return self.match_each(nodes, may_be, atom, count),
                Some(Instruction::Down { atom: last, class, head, known: None })
                    if rewrite.nodes() == 2 && next + 1 == self.program.len() =>
                {
                    let child = class - bound.children;
                    return self.match_pairs(nodes, may_be, (atom, child), (last, head), count);
                }
                Some(_) => {}
            }
        }
        for (node, fits) in nodes {
            if fits && may_be(node) {
                self.uncounted.visits += 1;
                self.bind(atom, bound, node, class(node));
                match first {
                    None => self.matched(),
                    // What mostly fails is looked at without a call.
                    Some(Instruction::Same(a, b)) if self.register(a) != self.register(b) => {}
                    Some(Instruction::Constant(register, constant))
                        if self.register(register) != self.search.constants[constant] => {}
                    Some(Instruction::Down { atom, class, head, known }) => {
                        let class = self.register(class);
                        let nodes = self.search.members(class, head, &mut self.room.runs);
                        // Mostly there are none: that is seen without a call.
                        if !nodes.is_empty() {
                            self.down(nodes, atom, (class, head), known, next + 1);
                        }
                    }
                    Some(_) => self.run(next),
                }
                if self.found.halted.is_some() {
                    return;
                }
            } else {
                misfits += 1;
            }
        }
        self.visited(if count { misfits } else { 0 });
    }

    /// Tells the quotas of what they do not know of yet, and looks at the clock.
    pub(super) fn count(&mut self) {
        let more = std::mem::take(&mut self.uncounted);
        self.found.tally += more;
        let halted = &mut self.found.halted;
        if !self.bounds.ids.take(more.kept * self.search.rewrite.stride()) {
            halted.get_or_insert(Halt::Full);
        }
        if !self.bounds.visits.take(more.visits) {
            halted.get_or_insert(Halt::Endless);
        }
        if self.found.tally.matches > self.bounds.matches {
            halted.get_or_insert(Halt::TooMany);
        }
        if self.bounds.watch.expired().is_some() {
            halted.get_or_insert(Halt::Expired);
        }
    }
}
