//! Rules, compiled: how to find the matches of a left-hand side, and how to build a right-hand
//! side from a match.
//!
//! A match is a run of ids, the *bound* ids, in this order:
//!
//! 1. the matched e-node of every application in the left-hand side, in pre-order (nullary
//!    operators excepted), or the matched class for a left-hand side that is a bare variable;
//! 2. for every variable that a condition or computation reads, the literal that it equals;
//! 3. once applied, the e-node of every application in the right-hand side but the root, in
//!    pre-order (nullary operators excepted).
//!
//! The substitution is not stored: a variable is a child of a matched e-node. The proof forest
//! keeps 1 without the root, 2 and 3 for every effective union, and [`crate::explain`] reads
//! them back through [`Rewrite::substitution`].

use crate::egraph::{EGraph, Id, Room};
use crate::forest::Reason;
use crate::language::{Leaf, LeafValue, LiteralKind, OpId, SortId, Value};
use crate::leaves::Head;
use crate::pattern::{Pattern, VarId, value_fits};
use crate::system::{Rule, RuleId};

/// A register of the matching machine; holds a class.
pub(crate) type Register = usize;

/// One step of the matching machine ([`crate::matching`]).
#[derive(Clone, Debug)]
pub(crate) enum Instruction {
    /// For each e-node of class `class` with head `op`: binds it, and its children to the
    /// registers from `children` on.
    Bind { class: Register, op: OpId, children: Register, arity: usize },
    /// Goes on if both registers hold the same class.
    Same(Register, Register),
    /// Goes on if the register holds the class of a literal or nullary operator.
    Constant(Register, Constant),
}

/// A pattern without children.
#[derive(Clone, Debug)]
pub(crate) enum Constant {
    Leaf(Leaf),
    Op(OpId),
}

impl Constant {
    /// Its e-node, if the e-graph has it. A node without children is never congruent to
    /// another, so that this is the same e-node for ever.
    pub fn node(&self, egraph: &EGraph) -> Option<Id> {
        match self {
            Constant::Leaf(leaf) => egraph.leaf_node(leaf),
            Constant::Op(op) => egraph.lookup_node(Head::from(*op), &[]),
        }
    }
}

/// Where the e-node of a variable is found in a match.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// Child `1` of bound e-node `0`.
    Child(usize, usize),
    /// A bound id itself.
    Bound(usize),
}

/// A rule, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Rewrite {
    pub rule: RuleId,
    /// The operator at the root of the left-hand side, which the first instruction has bound
    /// already; `None` for a bare variable or a constant.
    pub root: Option<OpId>,
    pub instructions: Vec<Instruction>,
    pub registers: usize,
    /// Number of bound e-nodes (part 1 of a match).
    pub nodes: usize,
    /// Registers of the variables that must be literals (part 2), with the variables.
    pub literals: Vec<(Register, VarId)>,
    sources: Vec<Source>,
    /// What one application takes at most.
    pub room: Room,
}

impl Rewrite {
    /// Compiles a rule.
    pub fn compile(rule: &Rule, id: RuleId) -> Rewrite {
        let mut rewrite = Rewrite {
            rule: id,
            root: None,
            instructions: Vec::new(),
            registers: 1,
            nodes: 0,
            literals: Vec::new(),
            sources: vec![Source::Bound(usize::MAX); rule.variables.names.len()],
            room: Room::default(),
        };
        let mut registers: Vec<Option<Register>> = vec![None; rule.variables.names.len()];
        match &rule.lhs {
            Pattern::Op(op, args) if !args.is_empty() => {
                rewrite.root = Some(*op);
                rewrite.compile_node(0, *op, args, &mut registers);
            }
            other => {
                rewrite.nodes = 1;
                match other {
                    Pattern::Var(var) => {
                        registers[var.0 as usize] = Some(0);
                        rewrite.sources[var.0 as usize] = Source::Bound(0);
                    }
                    constant => {
                        rewrite.instructions.push(Instruction::Constant(0, constant_of(constant)))
                    }
                }
            }
        }
        for var in rule.literal_vars() {
            // Every variable of a condition occurs on the left-hand side, which the parser sees to.
            if let Some(register) = registers[var.0 as usize] {
                rewrite.sources[var.0 as usize] =
                    Source::Bound(rewrite.nodes + rewrite.literals.len());
                rewrite.literals.push((register, var));
            }
        }
        let Room { nodes, slots, .. } = pattern_room(&rule.rhs);
        rewrite.room = Room {
            // Each new e-node may be folded, which adds a literal, an edge and a union.
            nodes: 2 * nodes,
            slots,
            // An edge is its tag, the number of bound ids, and these.
            bound: 2 + rewrite.stride() + nodes + 2 * nodes + slots,
            unions: 1 + nodes,
        };
        rewrite
    }

    /// Breadth first: all tests of a node's children come before its grandchildren are listed.
    fn compile_node(
        &mut self,
        class: Register,
        op: OpId,
        args: &[Pattern],
        registers: &mut [Option<Register>],
    ) {
        let node = self.nodes;
        self.nodes += 1;
        let children = self.registers;
        self.registers += args.len();
        self.instructions.push(Instruction::Bind { class, op, children, arity: args.len() });
        for (i, arg) in args.iter().enumerate() {
            match arg {
                Pattern::Var(var) => match registers[var.0 as usize] {
                    Some(bound) => self.instructions.push(Instruction::Same(bound, children + i)),
                    None => {
                        registers[var.0 as usize] = Some(children + i);
                        self.sources[var.0 as usize] = Source::Child(node, i);
                    }
                },
                Pattern::Op(_, args) if !args.is_empty() => {}
                constant => self
                    .instructions
                    .push(Instruction::Constant(children + i, constant_of(constant))),
            }
        }
        for (i, arg) in args.iter().enumerate() {
            if let Pattern::Op(op, args) = arg
                && !args.is_empty()
            {
                self.compile_node(children + i, *op, args, registers);
            }
        }
    }

    /// Ids of one match before it is applied.
    pub fn stride(&self) -> usize {
        self.nodes + self.literals.len()
    }

    /// The e-node of each variable in a match, by [`VarId`].
    pub fn substitution(&self, egraph: &EGraph, found: &[Id], ids: &mut Vec<Id>) {
        ids.clear();
        ids.extend(self.sources.iter().map(|source| match *source {
            Source::Child(node, child) => egraph.original_children(found[node])[child],
            Source::Bound(i) => found[i],
        }));
    }

    /// Applies a match: adds the right-hand side and unites it with the matched e-node. Returns
    /// whether that changed the equalities. `scratch` is room to work in.
    pub fn apply(
        &self,
        egraph: &mut EGraph,
        rule: &Rule,
        found: &[Id],
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch { substitution, bound } = scratch;
        self.substitution(egraph, found, substitution);
        bound.clear();
        bound.extend_from_slice(&found[1..]);
        let values = |var: VarId| egraph_literal(egraph, substitution[var.0 as usize]);
        // Computed before anything is added: they were decided when the match was found.
        let computed = compute(&rule.rhs, &values);
        let mut computed = computed.into_iter();
        let root = build(egraph, &rule.rhs, substitution, &mut computed, bound, true);
        egraph.union(found[0], root, Reason::Rule { rule: self.rule, bound })
    }
}

/// Buffers reused from one application to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    substitution: Vec<Id>,
    bound: Vec<Id>,
}

fn constant_of(pattern: &Pattern) -> Constant {
    match pattern {
        Pattern::Leaf(leaf) => Constant::Leaf(leaf.clone()),
        Pattern::Op(op, _) => Constant::Op(*op),
        Pattern::Var(_) | Pattern::Compute(..) => {
            unreachable!("a variable, or a computation on a left-hand side, is no constant")
        }
    }
}

/// The e-nodes and children of one instance of a pattern.
fn pattern_room(pattern: &Pattern) -> Room {
    match pattern {
        Pattern::Var(_) => Room::default(),
        Pattern::Leaf(_) | Pattern::Compute(..) => Room { nodes: 1, ..Room::default() },
        Pattern::Op(_, args) => {
            let own = Room { nodes: 1, slots: args.len(), ..Room::default() };
            args.iter().map(pattern_room).fold(own, |sum, arg| Room {
                nodes: sum.nodes + arg.nodes,
                slots: sum.slots + arg.slots,
                ..sum
            })
        }
    }
}

fn egraph_literal(egraph: &EGraph, id: Id) -> Option<Value> {
    match egraph.node(id) {
        crate::leaves::Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => Some(*value),
        _ => None,
    }
}

/// The literals of all computations of a right-hand side, from left to right; `None` for one
/// that has no value (a match with such a computation is dropped when it is found).
fn compute(pattern: &Pattern, values: &impl Fn(VarId) -> Option<Value>) -> Vec<Option<Value>> {
    match pattern {
        Pattern::Var(_) | Pattern::Leaf(_) => Vec::new(),
        Pattern::Op(_, args) => args.iter().flat_map(|arg| compute(arg, values)).collect(),
        Pattern::Compute(expr, _) => vec![expr.eval(values)],
    }
}

/// Every computation of a rule's right-hand side with the e-node of its value.
pub(crate) fn compute_all(egraph: &EGraph, rule: &Rule, substitution: &[Id]) -> Vec<(Pattern, Id)> {
    fn collect(
        pattern: &Pattern,
        egraph: &EGraph,
        values: &impl Fn(VarId) -> Option<Value>,
        found: &mut Vec<(Pattern, Id)>,
    ) {
        match pattern {
            Pattern::Var(_) | Pattern::Leaf(_) => {}
            Pattern::Op(_, args) => {
                args.iter().for_each(|arg| collect(arg, egraph, values, found));
            }
            Pattern::Compute(expr, sort) => {
                let leaf = |value| Leaf { sort: *sort, value: LeafValue::Literal(value) };
                let node = expr.eval(values).and_then(|value| egraph.leaf_node(&leaf(value)));
                found.extend(node.map(|node| (pattern.clone(), node)));
            }
        }
    }
    let mut found = Vec::new();
    let values = |var: VarId| egraph_literal(egraph, substitution[var.0 as usize]);
    collect(&rule.rhs, egraph, &values, &mut found);
    found
}

/// Whether every computation of a right-hand side has a value that fits its sort.
pub(crate) fn computes(
    pattern: &Pattern,
    kind: &impl Fn(SortId) -> Option<LiteralKind>,
    values: &impl Fn(VarId) -> Option<Value>,
) -> bool {
    match pattern {
        Pattern::Var(_) | Pattern::Leaf(_) => true,
        Pattern::Op(_, args) => args.iter().all(|arg| computes(arg, kind, values)),
        Pattern::Compute(expr, sort) => {
            let value = expr.eval(values);
            value.zip(kind(*sort)).is_some_and(|(value, kind)| value_fits(kind, value))
        }
    }
}

fn build(
    egraph: &mut EGraph,
    pattern: &Pattern,
    substitution: &[Id],
    computed: &mut impl Iterator<Item = Option<Value>>,
    bound: &mut Vec<Id>,
    root: bool,
) -> Id {
    match pattern {
        Pattern::Var(var) => substitution[var.0 as usize],
        Pattern::Leaf(leaf) => egraph.add_leaf(leaf),
        Pattern::Compute(_, sort) => {
            let value = computed.next().flatten().expect("a match whose computations have values");
            egraph.add_leaf(&Leaf { sort: *sort, value: LeafValue::Literal(value) })
        }
        Pattern::Op(op, args) => {
            let place = bound.len();
            if !root && !args.is_empty() {
                bound.push(Id(0));
            }
            let mut children = smallvec::SmallVec::<[Id; 6]>::new();
            for arg in args {
                children.push(build(egraph, arg, substitution, computed, bound, false));
            }
            let node = egraph.add(Head::from(*op), &children);
            if !root && !args.is_empty() {
                bound[place] = node;
            }
            node
        }
    }
}
