//! Rules, compiled: a program to find the matches of a left-hand side ([`crate::matching::plan`]), and a
//! recipe for the right-hand side ([`crate::matching::right_side`]).
//!
//! A match is a run of ids, the *bound* ids, in this order:
//!
//! 1. the matched e-node of every application in the left-hand side, in pre-order (nullary
//!    operators excepted), or the matched class for a left-hand side that is a bare variable or
//!    has no children;
//! 2. for every variable that a condition or computation reads, the literal that it equals;
//!    then for every other variable that is lowered, the child of a matched e-node that it is, or where
//!    that has no value the representative of its class; then for every fact that is read its number,
//!    which is no id;
//! 3. once applied, the e-node of every application in the right-hand side but the root, in
//!    pre-order (nullary operators excepted); with functions on terms in the right-hand side, the
//!    e-node of every new node but the root ([`crate::matching::term_function`]).
//!
//! The substitution is not stored: a variable is a child of a matched e-node. The proof forest
//! keeps 1 without the root, 2 and 3 for every effective union, and [`crate::proof::explain`] reads
//! them back through [`Rewrite::substitution`].

use crate::graph::egraph::{EGraph, Room};
use crate::graph::facts::FactId;
use crate::id::Id;
use crate::matching::plan::{Program, Register};
use crate::matching::right_side::Recipe;
use crate::matching::term_function::MOST_NEW;
use crate::rules::pattern::Pattern;
use crate::rules::system::{Rule, RuleId};
use crate::rules::variables::VarId;
use crate::term::language::{AnalysisId, Leaf, LeafValue, OpId, Value};
use crate::term::leaves::Head;

/// A pattern without children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Leaf(Leaf),
    Op(OpId),
}

impl Constant {
    /// # Panics
    /// The pattern is a variable or a computation, or has children.
    pub fn of(pattern: &Pattern) -> Constant {
        match pattern {
            Pattern::Leaf(leaf) => Constant::Leaf(leaf.clone()),
            Pattern::Op(op, args) if args.is_empty() => Constant::Op(*op),
            _ => unreachable!("not a constant"),
        }
    }

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub lhs: Program,
    /// Means nothing where `functions` says something.
    pub rhs: Recipe,
    /// The right-hand side, if there are functions on terms in it.
    pub functions: Option<Pattern>,
    /// Registers of the variables that must be literals (part 2), with the variables.
    pub literals: Vec<(Register, VarId)>,
    /// Registers of the variables whose facts are read (part 2), with the analyses.
    pub facts: Vec<(Register, AnalysisId)>,
    /// Registers of the variables that are lowered and need be no literals, and what they stand for as in
    /// [`Program::place`].
    pub lowered: Vec<(Register, Option<(usize, usize)>)>,
    /// By [`VarId`].
    sources: Vec<Source>,
    /// What one application takes at most.
    pub room: Room,
}

impl Rewrite {
    /// Compiles a rule.
    pub fn compile(rule: &Rule, id: RuleId) -> Rewrite {
        let lhs = Program::compile(rule);
        let nodes = lhs.bound();
        let literal_vars = rule.literal_vars();
        let mut lowered_vars = rule.rhs.lowered();
        lowered_vars.retain(|var| !literal_vars.contains(var));
        let sources = (0..rule.variables.patterns()).map(|var| {
            if let Some(i) = lowered_vars.iter().position(|low| usize::from(low.0) == var) {
                return Source::Bound(nodes + literal_vars.len() + i);
            }
            match literal_vars.iter().position(|literal| usize::from(literal.0) == var) {
                Some(i) => Source::Bound(nodes + i),
                None => match lhs.place(var) {
                    Some((node, child)) => Source::Child(node, child),
                    None => Source::Bound(0),
                },
            }
        });
        let sources: Vec<Source> = sources.collect();
        let literals: Vec<(Register, VarId)> =
            literal_vars.iter().map(|&var| (lhs.register(usize::from(var.0)), var)).collect();
        let facts = rule.variables.facts.iter();
        let facts =
            facts.map(|fact| (lhs.register(usize::from(fact.var.0)), fact.analysis)).collect();
        let vars = lowered_vars.iter().map(|var| usize::from(var.0));
        let lowered = vars.map(|var| (lhs.register(var), lhs.place(var))).collect();
        let functions = rule.rhs.has_functions().then(|| rule.rhs.clone());
        let rhs = match functions {
            None => Recipe::compile(&rule.rhs),
            Some(_) => Recipe::compile(&Pattern::Var(VarId(0))),
        };
        Rewrite {
            rule: id,
            lhs,
            rhs,
            functions,
            literals,
            lowered,
            facts,
            sources,
            room: Rewrite::room(rule),
        }
    }

    /// What one application of a rule takes at most, which is known before it is compiled.
    pub fn room(rule: &Rule) -> Room {
        let (applications, _) = rule.lhs.applications();
        // All that is built, and the children of it.
        let (added, slots) = match rule.rhs.has_functions() {
            // What a match really takes is known before it is applied.
            true => (MOST_NEW / 2, rule.variables.names.len()),
            false => (rule.rhs.size() - rule.rhs.variables(), rule.rhs.applications().1),
        };
        let literals = rule.literal_vars().len() + rule.variables.facts.len();
        Room {
            // Each new e-node may be folded, which adds a literal, an edge and a union.
            nodes: 2 * added,
            bound: 1 + applications.max(1) + literals + added + added + slots,
            unions: 1 + added,
            facts: 0,
        }
    }

    /// Number of bound e-nodes (part 1 of a match).
    pub fn nodes(&self) -> usize {
        self.lhs.bound()
    }

    /// Ids of one match before it is applied.
    pub fn stride(&self) -> usize {
        self.nodes() + self.literals.len() + self.lowered.len() + self.facts.len()
    }

    /// Whether right-hand sides can be looked up many at a time.
    pub fn is_narrow(&self, egraph: &EGraph) -> bool {
        self.functions.is_none() && self.rhs.is_narrow(egraph)
    }

    /// The facts among the ids of a match.
    pub fn facts_of<'m>(&self, found: &'m [Id]) -> &'m [Id] {
        &found[self.stride() - self.facts.len()..self.stride()]
    }

    /// The e-node of each pattern variable in a match, by [`VarId`].
    #[inline]
    pub fn substitution(&self, egraph: &EGraph, found: &[Id], ids: &mut Vec<Id>) {
        ids.clear();
        ids.extend(self.sources.iter().map(|source| match *source {
            Source::Child(node, child) => egraph.original_children(found[node])[child],
            Source::Bound(i) => found[i],
        }));
    }

    /// The classes of the variables in many matches, one variable after the other: that of `var`
    /// in match `i` of `count` is at `var * count + i`. So no branch is taken match by match.
    pub fn classes_of_variables(&self, egraph: &EGraph, matches: &[Id], classes: &mut Vec<Id>) {
        classes.clear();
        for source in &self.sources {
            let matches = matches.chunks_exact(self.stride());
            match *source {
                Source::Child(node, child) => classes.extend(
                    matches.map(|ids| egraph.find(egraph.original_children(ids[node])[child])),
                ),
                Source::Bound(i) => classes.extend(matches.map(|ids| egraph.find(ids[i]))),
            }
        }
    }
}

/// The value of an e-node that is a literal.
pub(crate) fn literal_value(egraph: &EGraph, id: Id) -> Option<Value> {
    match egraph.node(id) {
        crate::term::leaves::Node::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => {
            Some(*value)
        }
        _ => None,
    }
}

/// The value that a match binds a variable to: of a pattern variable that is a literal, or of a fact.
/// `substitution` has the e-nodes of pattern variables, `facts` the numbers of facts.
pub(crate) fn bound_value(
    egraph: &EGraph,
    substitution: &[Id],
    facts: &[Id],
    VarId(var): VarId,
) -> Option<Value> {
    let var = usize::from(var);
    match var.checked_sub(substitution.len()) {
        None => literal_value(egraph, substitution[var]),
        Some(fact) => Some(egraph.facts()?.value(FactId(facts[fact].0))),
    }
}

/// Every computation of a rule's right-hand side with the e-node of its value.
pub(crate) fn compute_all(
    egraph: &EGraph,
    rule: &Rule,
    substitution: &[Id],
    facts: &[Id],
) -> Vec<(Pattern, Id)> {
    fn collect(
        pattern: &Pattern,
        egraph: &EGraph,
        values: &impl Fn(VarId) -> Option<Value>,
        found: &mut Vec<(Pattern, Id)>,
    ) {
        match pattern {
            Pattern::Var(_) | Pattern::Leaf(_) => {}
            // Computed with all of the right-hand side.
            Pattern::Function(..) => {}
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
    let values = |var: VarId| bound_value(egraph, substitution, facts, var);
    collect(&rule.rhs, egraph, &values, &mut found);
    found
}
