//! A rule, compiled: a program to find the matches of its left-hand side ([`Program`]), and a recipe for
//! its right-hand side ([`Recipe`]).
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
//!    e-node of every new node but the root ([`crate::building::term_function`]).
//!
//! The substitution is not stored: a variable is a child of a matched e-node. The proof forest
//! keeps 1 without the root, 2 and 3 for every effective union, and [`crate::proof::explain`] reads
//! them back ([`crate::building::bound_ids`]).

use crate::id::Id;
use crate::room::Room;
use crate::rules::compiled::program::{Program, Register};
use crate::rules::compiled::recipe::Recipe;
use crate::rules::pattern::Pattern;
use crate::rules::rule::{Rule, RuleId};
use crate::rules::variables::VarId;
use crate::term::language::AnalysisId;

/// New nodes in an instance of a right-hand side with functions at most. A match whose instance would have
/// more does not hold.
pub(crate) const MOST_NEW: usize = 2_000;

/// Where the e-node of a variable is found in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
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
    pub sources: Vec<Source>,
    /// What one application takes at most but for values of what it adds.
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

    /// What one application of a rule takes at most but for values of what it adds, which is known before it is compiled.
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
            nodes: added,
            leaves: rule.rhs.leaves(),
            // Each new e-node may be folded, and then has an edge that names all its children.
            bound: 1 + applications.max(1) + literals + added + added + slots,
            unions: 1,
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

    /// The facts among the ids of a match.
    pub fn facts_of<'m>(&self, found: &'m [Id]) -> &'m [Id] {
        &found[self.stride() - self.facts.len()..self.stride()]
    }
}
