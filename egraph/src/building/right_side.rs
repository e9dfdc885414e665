//! Right-hand sides ([`Recipe`]): how to build one, and how to see that it is there already.

use crate::graph::egraph::EGraph;
use crate::graph::node_table::NodeTable;
use crate::id::Id;
use crate::rules::compiled::recipe::{Application, Operand, Recipe};
use crate::rules::expression::value_fits;
use crate::rules::variables::VarId;
use crate::term::language::{Leaf, LeafValue};
use crate::term::literal::Value;
use smallvec::SmallVec;

/// Instances that are looked up together.
pub(crate) const MANY: usize = 64;

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

/// The results of [`Recipe::lookup_many`], by instance, and room for it to work in.
#[derive(Debug)]
pub(crate) struct LookupRoom {
    /// By application: the classes that represent it.
    applications: Vec<[Id; MANY]>,
    /// Children that are the same in all instances.
    constants: [[Id; MANY]; 2],
    /// Children of the application that was looked for last.
    children: [[Id; MANY]; 2],
    /// The classes of the instances, and the children that their roots would have.
    found: [Id; MANY],
    is_pair: bool,
}

impl Default for LookupRoom {
    fn default() -> LookupRoom {
        let (constants, children) = ([NOTHING; 2], [NOTHING; 2]);
        LookupRoom { applications: Vec::new(), constants, children, found: NOTHING, is_pair: false }
    }
}

impl LookupRoom {
    /// By instance: the class that represents it, or [`NodeTable::padding`].
    #[inline]
    pub fn classes(&self) -> &[Id] {
        &self.found
    }

    /// What is there of an instance.
    #[inline]
    pub fn result(&self, i: usize) -> Lookup {
        let missing = NodeTable::padding();
        let [left, right] = [self.children[0][i], self.children[1][i]];
        match self.found[i] {
            class if class != missing => Lookup::Class(class),
            _ if self.is_pair && left != missing && right != missing => {
                Lookup::RootMissing(left, right)
            }
            _ => Lookup::Missing,
        }
    }
}

const NOTHING: [Id; MANY] = [NodeTable::padding(); MANY];

/// What stands at a place of some instances; `room` is for what is the same in all of them.
fn ids_of<'o, 'c: 'o>(
    operand: Operand,
    classes: &impl Fn(usize) -> &'c [Id],
    known: &'o [[Id; MANY]],
    literals: &[Option<Id>],
    room: &'o mut [Id; MANY],
) -> &'o [Id] {
    match operand {
        Operand::Var(var) => classes(var),
        Operand::Literal(literal) => {
            room.fill(literals[literal].unwrap_or(NodeTable::padding()));
            &room[..]
        }
        Operand::Application(number) => &known[number],
        Operand::Computed(_) => unreachable!("not narrow"),
    }
}

/// Where less than one in so many has a child that is missing, all are looked for.
const FEW: usize = 4;

/// Looks for an application with these children in some instances, where both are there.
fn find_present(
    egraph: &EGraph,
    application: &Application,
    left: &[Id],
    right: &[Id],
    nodes: &mut [Id],
) {
    let (missing, head) = (NodeTable::padding(), application.head);
    if application.args.iter().all(|arg| matches!(arg, Operand::Var(_))) {
        return egraph.table().find_many(head, left, right, nodes);
    }
    let is_unary = application.args.len() == 1;
    let is_there =
        |(&left, &right): (&Id, &Id)| (left != missing) & (is_unary | (right != missing));
    let there: usize = left.iter().zip(right).map(|pair| usize::from(is_there(pair))).sum();
    if there >= left.len() - left.len() / FEW {
        // Nothing has a child that is missing: those are looked for in vain.
        return egraph.table().find_many(head, left, right, nodes);
    }
    let (mut places, mut count) = ([0u8; MANY], 0);
    let (mut lefts, mut rights, mut found) = ([missing; MANY], [missing; MANY], [missing; MANY]);
    for (i, (&left, &right)) in left.iter().zip(right).enumerate() {
        (places[count], lefts[count], rights[count]) = (i as u8, left, right);
        count += usize::from(is_there((&left, &right)));
    }
    egraph.table().find_many(head, &lefts[..count], &rights[..count], &mut found[..count]);
    nodes.fill(missing);
    for (&place, &node) in places.iter().zip(&found[..count]) {
        nodes[usize::from(place)] = node;
    }
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

    /// As [`Recipe::lookup`], for at most [`MANY`] instances at a time; `classes` gives those of a variable.
    pub fn lookup_many<'c>(
        &self,
        egraph: &EGraph,
        instances: usize,
        classes: impl Fn(usize) -> &'c [Id],
        literals: &[Option<Id>],
        room: &mut LookupRoom,
    ) {
        let missing = NodeTable::padding();
        let LookupRoom { applications: all, constants, children, found, is_pair } = room;
        all.resize(all.len().max(self.applications.len()), [missing; MANY]);
        *is_pair = false;
        for (number, application) in self.applications.iter().enumerate() {
            let (known, nodes) = all.split_at_mut(number);
            let [first, second] = &mut *constants;
            let left = ids_of(application.args[0], &classes, known, literals, first);
            let right = match application.args.get(1) {
                Some(&arg) => ids_of(arg, &classes, known, literals, second),
                None => &NOTHING,
            };
            let (left, right) = (&left[..instances], &right[..instances]);
            let nodes = &mut nodes[0][..instances];
            find_present(egraph, application, left, right, nodes);
            for node in nodes.iter_mut().filter(|node| **node != missing) {
                *node = egraph.class_of(*node);
            }
            if number + 1 == self.applications.len() {
                children[0][..instances].copy_from_slice(left);
                children[1][..instances].copy_from_slice(right);
                *is_pair = application.args.len() == 2;
            }
        }
        let root = ids_of(self.root, &classes, all, literals, &mut constants[0]);
        found[..instances].copy_from_slice(&root[..instances]);
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

    /// Adds the instance of a match, and appends the e-nodes of its places to `bound`. `variable` gives the e-node of a
    /// variable, `value` what computations read; `added` is room to work in.
    #[inline]
    pub fn build(
        &self,
        egraph: &mut EGraph,
        variable: impl Fn(&EGraph, usize) -> Id,
        value: impl Fn(&EGraph, VarId) -> Option<Value>,
        added: &mut Vec<Id>,
        bound: &mut Vec<Id>,
    ) -> Id {
        let start = bound.len();
        bound.resize(start + self.places, Id(0));
        added.clear();
        let operand = |egraph: &mut EGraph, operand: Operand, added: &[Id]| match operand {
            Operand::Var(var) => variable(egraph, var),
            Operand::Literal(i) => egraph.add_leaf(&self.literals[i]),
            Operand::Computed(i) => {
                let (expr, sort) = &self.computed[i];
                let value = expr.eval(&|var| value(egraph, var));
                let value = value.expect("a match whose computations have values");
                egraph.add_leaf(&Leaf { sort: *sort, value: LeafValue::Literal(value) })
            }
            Operand::Application(i) => added[i],
        };
        for application in &self.applications {
            // Collected first: adding a literal changes the e-graph.
            let args = application.args.iter().map(|&arg| operand(egraph, arg, added));
            let args: SmallVec<[Id; 4]> = args.collect();
            let node = egraph.add(application.head, &args);
            if let Some(place) = application.place {
                bound[start + place] = node;
            }
            added.push(node);
        }
        operand(egraph, self.root, added)
    }
}
