//! Applying matches: what they say that is not known yet is added to the e-graph.

use crate::graph::egraph::EGraph;
use crate::graph::node_table::{Ids, NodeTable};
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::matching::bound_ids::bound_value;
use crate::matching::right_side::{Lookup, MANY};
use crate::matching::term_function::Instance;
use crate::room::Room;
use crate::rules::compiled::recipe::Operand;
use crate::rules::compiled::rewrite::Rewrite;
use crate::rules::pattern::Pattern;

/// Applies matches of one rule, many at a time where that can be: first all of their right-hand sides are added, level by
/// level, then each is united with the matched e-node. So the processor goes through a few arrays at a time, and of most
/// matches, which have become known by what was applied since they were found, it is seen on the way.
#[derive(Default)]
pub(crate) struct Applier {
    /// Of many matches: what stands at each place of the right-hand sides, by [`place`].
    places: Vec<Place>,

    // Of one match: the e-nodes of its variables, its bound ids, the e-nodes added for it.
    substitution: Vec<Id>,
    bound: Vec<Id>,
    added: Vec<Id>,
    /// The right-hand side, if there are functions on terms in it.
    instance: Option<Instance<Id>>,
}

/// E-nodes by match, and their classes.
#[derive(Clone)]
struct Place {
    nodes: [Id; MANY],
    classes: [Id; MANY],
}

const NOTHING: Place =
    Place { nodes: [NodeTable::padding(); MANY], classes: [NodeTable::padding(); MANY] };

impl Place {
    fn ids(&self, matches: usize) -> Ids<'_> {
        Ids { nodes: &self.nodes[..matches], classes: &self.classes[..matches] }
    }
}

/// Where an operand stands among the places of a rule: nothing first, then variables, literals, applications.
fn place(rewrite: &Rewrite, operand: Operand) -> usize {
    let (variables, literals) = (rewrite.sources.len(), rewrite.rhs.literals.len());
    match operand {
        Operand::Var(var) => 1 + var,
        Operand::Literal(literal) => 1 + variables + literal,
        Operand::Application(number) => 1 + variables + literals + number,
        Operand::Computed(_) => unreachable!("not narrow"),
    }
}

impl Applier {
    /// How many of some matches are applied together: few where there is little, since there must be room for all that
    /// they may add.
    pub fn together(egraph: &EGraph, rewrite: &Rewrite, matches: usize) -> usize {
        match rewrite.is_narrow(egraph) {
            true => matches.min((egraph.built() as usize / 64).clamp(8, MANY)),
            false => 1,
        }
    }

    /// Whether a match says nothing new, if that can be seen.
    #[cold]
    pub fn says_nothing_new(&self, egraph: &EGraph, rewrite: &Rewrite, found: &[Id]) -> bool {
        if !rewrite.is_narrow(egraph) {
            return false;
        }
        let (mut classes, literals) = (Vec::new(), rewrite.rhs.known_literals(egraph));
        rewrite.classes(egraph, found, &mut classes);
        let class = |var: usize| classes[var];
        let found_class = rewrite.rhs.lookup(egraph, class, &|_| None, &literals, &mut Vec::new());
        found_class == Lookup::Class(egraph.find(found[0]))
    }

    /// What applying a match takes at most; it is to be applied next.
    #[inline]
    pub fn room(&mut self, egraph: &EGraph, rewrite: &Rewrite, found: &[Id]) -> Room {
        egraph.room_with_values(match &rewrite.functions {
            None => rewrite.room,
            Some(functions) => self.room_with_functions(egraph, rewrite, functions, found),
        })
    }

    #[cold]
    fn room_with_functions(
        &mut self,
        egraph: &EGraph,
        rewrite: &Rewrite,
        functions: &Pattern,
        found: &[Id],
    ) -> Room {
        rewrite.substitution(egraph, found, &mut self.substitution);
        let instance = Instance::of(egraph, functions, &self.substitution);
        // Which e-nodes a match binds says all, so that what it had when it was found it still has.
        let instance = instance.expect("a match whose functions have values");
        self.instance.insert(instance).room(rewrite.stride())
    }

    /// Applies matches, runs of [`Rewrite::stride`] ids, as many as [`Applier::together`] says, whose room was asked for: adds
    /// the right-hand sides and unites them with the matched e-nodes. Returns how many of these unions changed the
    /// equalities.
    pub fn apply(&mut self, egraph: &mut EGraph, rewrite: &Rewrite, found: &[Id]) -> u64 {
        match rewrite.is_narrow(egraph) {
            true => self.apply_many(egraph, rewrite, found),
            false => u64::from(self.apply_one(egraph, rewrite, found)),
        }
    }

    fn apply_one(&mut self, egraph: &mut EGraph, rewrite: &Rewrite, found: &[Id]) -> bool {
        let Applier { substitution, bound, added, instance, .. } = self;
        bound.clear();
        bound.extend_from_slice(&found[1..]);
        let root = match instance.take() {
            None => {
                if !rewrite.rhs.computed.is_empty() {
                    rewrite.substitution(egraph, found, substitution);
                }
                let facts = rewrite.facts_of(found);
                let variable = |egraph: &EGraph, var| rewrite.variable(egraph, found, var);
                let value = |egraph: &EGraph, var| bound_value(egraph, substitution, facts, var);
                rewrite.rhs.build(egraph, variable, value, added, bound)
            }
            Some(instance) => instance.build(egraph, bound),
        };
        egraph.union(found[0], root, Reason::Rule { rule: rewrite.rule, bound })
    }

    fn apply_many(&mut self, egraph: &mut EGraph, rewrite: &Rewrite, found: &[Id]) -> u64 {
        let Applier { places, bound, .. } = self;
        let (rhs, stride) = (&rewrite.rhs, rewrite.stride());
        let count = found.len() / stride;
        let first = place(rewrite, Operand::Application(0));
        places.resize((first + rhs.applications.len()).max(places.len()), NOTHING);
        places[0].classes[..count].fill(NodeTable::padding());
        for &var in &rhs.variables {
            let Place { nodes, classes } = &mut places[place(rewrite, Operand::Var(var))];
            let room = (&mut nodes[..count], &mut classes[..count]);
            rewrite.variable_of_many(egraph, var, found, room);
        }
        for (number, literal) in rhs.literals.iter().enumerate() {
            let node = egraph.add_leaf(literal);
            let Place { nodes, classes } = &mut places[place(rewrite, Operand::Literal(number))];
            nodes[..count].fill(node);
            classes[..count].fill(egraph.find(node));
        }
        for (number, application) in rhs.applications.iter().enumerate() {
            let (before, rest) = places.split_at_mut(first + number);
            let child = |i: usize| application.args.get(i).map_or(0, |&arg| place(rewrite, arg));
            let children = [0, 1].map(|i| before[child(i)].ids(count));
            let Place { nodes, classes } = &mut rest[0];
            egraph.add_many(application.head, children, &mut nodes[..count]);
            classes.iter_mut().zip(&nodes[..count]).for_each(|(class, &n)| *class = egraph.find(n));
        }
        let roots = &places[place(rewrite, rhs.root)].nodes;
        let mut unions = 0;
        for (i, (found, &root)) in found.chunks_exact(stride).zip(roots).enumerate() {
            if egraph.find(found[0]) == egraph.find(root) {
                continue;
            }
            bound.clear();
            // One by one: they are a few.
            found[1..].iter().for_each(|&id| bound.push(id));
            let start = bound.len();
            bound.resize(start + rhs.places, Id(0));
            for (number, application) in rhs.applications.iter().enumerate() {
                if let Some(place) = application.place {
                    bound[start + place] = places[first + number].nodes[i];
                }
            }
            egraph.union(found[0], root, Reason::Rule { rule: rewrite.rule, bound });
            unions += 1;
        }
        unions
    }
}

/// How fast an e-graph grows while matches are applied, from where its arrays stood when they had to grow the last time:
/// they are given room for what is likely to come, rather than being moved for each eighth that they grow by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Matches done by then, those included that said nothing new.
    done: usize,
    added: Room,
}

impl Pace {
    pub fn new(egraph: &EGraph) -> Pace {
        Pace { done: 0, added: egraph.added() }
    }

    /// Half of what `left` matches would add, when so many are done, if they added as much each as those since the last call;
    /// for the later ones have more often become known by the earlier ones. A quarter of what there is at most.
    pub fn coming(&mut self, egraph: &EGraph, done: usize, left: usize) -> Room {
        let before = std::mem::replace(self, Pace { done, added: egraph.added() });
        let matches = 2 * (self.done - before.done).max(1) as u128;
        let most = |now: usize, before: usize| {
            let more = (now - before) as u128 * left as u128 / matches;
            usize::try_from(more).map_or(now / 4, |more| more.min(now / 4))
        };
        let nodes = most(self.added.nodes, before.added.nodes);
        Room { nodes, bound: most(self.added.bound, before.added.bound), ..Room::default() }
    }
}
