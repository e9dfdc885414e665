//! Right-hand sides ([`Recipe`]): how to build one, and how to see that it is there already.

use crate::graph::egraph::EGraph;
use crate::graph::node_table::{Buffers, NodeTable};
use crate::id::Id;
use crate::matching::bound_ids::bound_value;
use crate::rules::compiled::recipe::{Application, Operand, Recipe};
use crate::rules::expression::value_fits;
use crate::rules::variables::VarId;
use crate::term::language::{Leaf, LeafValue};
use crate::term::literal::Value;
use smallvec::SmallVec;

/// What is there of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// All: the class that represents it.
    Class(Id),
    /// All but the root, whose two children these classes are.
    RootMissing(Id, Id),
    /// Less.
    Missing,
}

/// How much there is of an instance that may be there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Applications that are not there.
    pub missing: u32,
    /// The class that represents it, if that is known.
    pub class: Option<Id>,
}

/// The results of [`Recipe::lookup_many`], and room for it to work in.
#[derive(Debug, Default)]
pub(crate) struct LookupRoom {
    nodes: Vec<[Id; 3]>,
    buffers: Buffers,
    /// By application and instance.
    classes: Vec<Id>,
    pub results: Vec<Lookup>,
}

impl Recipe {
    /// The literals of the rule, by their numbers, where the e-graph has them.
    pub fn known_literals(&self, egraph: &EGraph) -> Vec<Option<Id>> {
        self.literals.iter().map(|leaf| egraph.leaf_node(leaf).map(|n| egraph.find(n))).collect()
    }

    /// Whether every computation has a value that fits its sort.
    pub fn computes(&self, egraph: &EGraph, values: &impl Fn(VarId) -> Option<Value>) -> bool {
        self.computed.iter().all(|(expr, sort)| {
            let kind = egraph.system().language.literal_kind(*sort);
            expr.eval(values).zip(kind).is_some_and(|(value, kind)| value_fits(kind, value))
        })
    }

    /// Whether [`Recipe::lookup_many`] can be used for an e-graph.
    pub fn is_narrow(&self, egraph: &EGraph) -> bool {
        let narrow = |application: &Application| matches!(application.args.len(), 1 | 2);
        egraph.table().has_narrow_rows()
            && self.computed.is_empty()
            && self.applications.iter().all(narrow)
    }

    /// As [`Recipe::lookup`], for many instances at a time: `class(i, var)` is the class of a
    /// variable in instance `i`.
    pub fn lookup_many(
        &self,
        egraph: &EGraph,
        instances: usize,
        class: impl Fn(usize, usize) -> Id,
        literals: &[Option<Id>],
        room: &mut LookupRoom,
    ) {
        let LookupRoom { nodes, buffers, classes, results } = room;
        results.clear();
        results.resize(instances, Lookup::Missing);
        classes.clear();
        let missing = NodeTable::padding();
        for (number, application) in self.applications.iter().enumerate() {
            nodes.clear();
            for i in 0..instances {
                let operand = |operand: Operand| match operand {
                    Operand::Var(var) => class(i, var),
                    Operand::Literal(literal) => literals[literal].unwrap_or(missing),
                    Operand::Application(n) => classes[n * instances + i],
                    Operand::Computed(_) => unreachable!("not narrow"),
                };
                let left = operand(application.args[0]);
                let right = application.args.get(1).map_or(missing, |&arg| operand(arg));
                nodes.push([Id(application.head.0), left, right]);
            }
            // Where a child is missing nothing is found, for no e-node has such a child.
            egraph.table().find_many(nodes, buffers);
            let found = buffers.found.iter();
            classes.extend(found.map(|node| node.map_or(missing, |node| egraph.find(Id(node)))));
            if number + 1 == self.applications.len() && application.args.len() == 2 {
                for (result, &[_, left, right]) in results.iter_mut().zip(&*nodes) {
                    if left != missing && right != missing {
                        *result = Lookup::RootMissing(left, right);
                    }
                }
            }
        }
        for (i, result) in results.iter_mut().enumerate() {
            let root = match self.root {
                Operand::Var(var) => class(i, var),
                Operand::Literal(literal) => literals[literal].unwrap_or(missing),
                Operand::Application(n) => classes[n * instances + i],
                Operand::Computed(_) => unreachable!("not narrow"),
            };
            if root != missing {
                *result = Lookup::Class(root);
            }
        }
    }

    /// Looks for the instance in an e-graph that does not change. `classes` are those of the
    /// variables, `literals` what [`Recipe::known_literals`] gave, `found` room to work in.
    pub fn lookup(
        &self,
        egraph: &EGraph,
        classes: impl Fn(usize) -> Id,
        values: &impl Fn(VarId) -> Option<Value>,
        literals: &[Option<Id>],
        found: &mut Vec<Id>,
    ) -> Lookup {
        found.clear();
        let operand = |operand: Operand, found: &[Id]| match operand {
            Operand::Var(var) => Some(classes(var)),
            Operand::Literal(i) => literals[i],
            Operand::Computed(i) => {
                let (expr, sort) = &self.computed[i];
                let value = LeafValue::Literal(expr.eval(values)?);
                egraph.leaf_node(&Leaf { sort: *sort, value }).map(|node| egraph.find(node))
            }
            Operand::Application(i) => Some(found[i]),
        };
        for (number, application) in self.applications.iter().enumerate() {
            let node = if let [left, right] = application.args[..] {
                let (left, right) = (operand(left, found), operand(right, found));
                let Some(args) = left.zip(right) else { return Lookup::Missing };
                let node = egraph.lookup_canonical(application.head, &[args.0, args.1]);
                if node.is_none() && number + 1 == self.applications.len() {
                    return Lookup::RootMissing(args.0, args.1);
                }
                node
            } else {
                let args = application.args.iter().map(|&arg| operand(arg, found));
                let args: Option<SmallVec<[Id; 4]>> = args.collect();
                args.and_then(|args| egraph.lookup_canonical(application.head, &args))
            };
            match node {
                Some(node) => found.push(egraph.find(node)),
                None => return Lookup::Missing,
            }
        }
        operand(self.root, found).map_or(Lookup::Missing, Lookup::Class)
    }

    /// Looks how much of the instance is there, in an e-graph that does not change. `classes` are
    /// those of the variables, `literals` what [`Recipe::known_literals`] gave, `found` room to work
    /// in. The values of computations are not looked at.
    pub fn extent(
        &self,
        egraph: &EGraph,
        classes: &[Id],
        literals: &[Option<Id>],
        found: &mut Vec<Id>,
    ) -> Extent {
        let absent = NodeTable::padding();
        let operand = |operand: Operand, found: &[Id]| match operand {
            Operand::Var(var) => classes[var],
            Operand::Literal(i) => literals[i].unwrap_or(absent),
            Operand::Computed(_) => absent,
            Operand::Application(i) => found[i],
        };
        found.clear();
        let mut missing = 0;
        for Application { head, args, .. } in &self.applications {
            let lookup = |args: &[Id]| match args.contains(&absent) {
                true => None,
                false => egraph.lookup_canonical(*head, args),
            };
            let node = match args[..] {
                [only] => lookup(&[operand(only, found)]),
                [left, right] => lookup(&[operand(left, found), operand(right, found)]),
                ref args => {
                    let args = args.iter().map(|&arg| operand(arg, found));
                    lookup(&args.collect::<SmallVec<[Id; 4]>>())
                }
            };
            missing += u32::from(node.is_none());
            found.push(node.map_or(absent, |node| egraph.find(node)));
        }
        let class = operand(self.root, found);
        Extent { missing, class: (class != absent).then_some(class) }
    }

    /// Adds the instance under a substitution, by variable, and facts, and appends the e-nodes of its
    /// places to `bound`. `added` is room to work in.
    pub fn build(
        &self,
        egraph: &mut EGraph,
        (substitution, facts): (&[Id], &[Id]),
        added: &mut Vec<Id>,
        bound: &mut Vec<Id>,
    ) -> Id {
        let start = bound.len();
        bound.resize(start + self.places, Id(0));
        added.clear();
        let operand = |egraph: &mut EGraph, operand: Operand, added: &[Id]| match operand {
            Operand::Var(var) => substitution[var],
            Operand::Literal(i) => egraph.add_leaf(&self.literals[i]),
            Operand::Computed(i) => {
                let (expr, sort) = &self.computed[i];
                let literal = |var: VarId| bound_value(egraph, substitution, facts, var);
                let value = expr.eval(&literal).expect("a match whose computations have values");
                egraph.add_leaf(&Leaf { sort: *sort, value: LeafValue::Literal(value) })
            }
            Operand::Application(i) => added[i],
        };
        for application in &self.applications {
            // Collected first: adding a literal changes the e-graph.
            let args: SmallVec<[Id; 4]> = match application.args[..] {
                [left, right] => {
                    let [left, right] = [left, right].map(|arg| operand(egraph, arg, added));
                    SmallVec::from_buf_and_len([left, right, Id(0), Id(0)], 2)
                }
                ref args => args.iter().map(|&arg| operand(egraph, arg, added)).collect(),
            };
            let node = egraph.add(application.head, &args);
            if let Some(place) = application.place {
                bound[start + place] = node;
            }
            added.push(node);
        }
        operand(egraph, self.root, added)
    }
}
