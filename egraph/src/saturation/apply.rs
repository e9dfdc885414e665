//! Applying matches: what they say that is not known yet is added to the e-graph.

use crate::graph::egraph::EGraph;
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::matching::right_side::{LookupRoom, MANY};
use crate::matching::term_function::Instance;
use crate::room::Room;
use crate::rules::compiled::rewrite::Rewrite;
use crate::rules::pattern::Pattern;
use crate::rules::rule::RuleId;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Applies matches one after the other, and looks at many of one rule before: most of them have
/// become known by what was applied since they were found.
#[derive(Default)]
pub(crate) struct Applier {
    /// By match that was looked at: whether it says nothing new. Empty if they were not.
    known: Vec<bool>,
    /// The rule of the last ones, and how many times more its matches are not looked at: few of them were known.
    rule: Option<RuleId>,
    unlooked: usize,
    /// By thread. Too small to be counted as memory.
    rooms: Vec<Mutex<LookRoom>>,

    // Of one match: the e-nodes of its variables, its bound ids, the e-nodes added for it.
    substitution: Vec<Id>,
    bound: Vec<Id>,
    added: Vec<Id>,
    /// The right-hand side, if there are functions on terms in it.
    instance: Option<Instance<Id>>,
}

/// Where less than one in so many matches of a rule was known, as many runs of them are not looked at.
const FEW: usize = 4;

/// Room to look at matches in.
#[derive(Default)]
struct LookRoom {
    /// By variable: its classes.
    classes: Vec<[Id; MANY]>,
    lookups: LookupRoom,
}

/// Matches that one thread looks at at a time.
const PART: usize = MANY;

impl Applier {
    /// As [`Applier::look`], unless that is hardly worth while.
    pub fn look_if_worthwhile(
        &mut self,
        egraph: &EGraph,
        rewrite: &Rewrite,
        ids: &[Id],
        pool: Option<&ThreadPool>,
    ) {
        if self.rule.replace(rewrite.rule) != Some(rewrite.rule) {
            self.unlooked = 0;
        }
        if let Some(left) = self.unlooked.checked_sub(1) {
            self.unlooked = left;
            self.known.clear();
            return;
        }
        self.look(egraph, rewrite, ids, pool);
        if self.known.iter().filter(|&&known| known).count() < self.known.len() / FEW {
            self.unlooked = FEW;
        }
    }

    /// Looks at matches of a rule, runs of [`Rewrite::stride`] ids, if they can be looked at many at a time. What is
    /// found does not depend on `pool`.
    pub fn look(
        &mut self,
        egraph: &EGraph,
        rewrite: &Rewrite,
        ids: &[Id],
        pool: Option<&ThreadPool>,
    ) {
        let (stride, count) = (rewrite.stride(), ids.len() / rewrite.stride());
        self.known.clear();
        if !rewrite.is_narrow(egraph) {
            return;
        }
        self.known.reserve_exact(count);
        self.known.resize(count, false);
        let literals = rewrite.rhs.known_literals(egraph);
        let threads = pool.map_or(1, ThreadPool::current_num_threads);
        self.rooms.resize_with(threads.max(self.rooms.len()), Mutex::default);
        let run = |room: usize, known: &mut [bool], ids: &[Id]| {
            // Each thread has its own: nobody waits, and nobody has left it locked.
            let mut room = self.rooms[room].lock().unwrap_or_else(PoisonError::into_inner);
            look_at_part(egraph, rewrite, &literals, ids, known, &mut room);
        };
        match pool.filter(|_| threads > 1 && count > PART) {
            Some(pool) => pool.install(|| {
                let parts = self.known.par_chunks_mut(PART).zip(ids.par_chunks(PART * stride));
                parts.for_each(|(known, ids)| {
                    run(rayon::current_thread_index().unwrap_or(0), known, ids);
                });
            }),
            None => {
                let parts = self.known.chunks_mut(PART).zip(ids.chunks(PART * stride));
                parts.for_each(|(known, ids)| run(0, known, ids));
            }
        }
    }

    /// Whether the last matches were looked at.
    pub fn has_looked(&self) -> bool {
        !self.known.is_empty()
    }

    /// Whether the match of this number was looked at and said nothing new.
    pub fn is_known(&self, number: usize) -> bool {
        self.known.get(number) == Some(&true)
    }

    /// What applying a match takes at most; it is to be applied next.
    #[inline]
    pub fn room(&mut self, egraph: &EGraph, rewrite: &Rewrite, found: &[Id]) -> Room {
        match &rewrite.functions {
            None => rewrite.room,
            Some(functions) => self.room_with_functions(egraph, rewrite, functions, found),
        }
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

    /// Applies a match whose room was asked for: adds the right-hand side and unites it with the matched e-node. Returns
    /// whether that changed the equalities.
    pub fn apply(&mut self, egraph: &mut EGraph, rewrite: &Rewrite, found: &[Id]) -> bool {
        let Applier { substitution, bound, added, instance, .. } = self;
        rewrite.substitution(egraph, found, substitution);
        bound.clear();
        bound.extend_from_slice(&found[1..]);
        let root = match instance.take() {
            None => {
                let facts = rewrite.facts_of(found);
                rewrite.rhs.build(egraph, (substitution, facts), added, bound)
            }
            Some(instance) => instance.build(egraph, bound),
        };
        egraph.union(found[0], root, Reason::Rule { rule: rewrite.rule, bound })
    }
}

/// Looks at some matches, [`PART`] at most.
fn look_at_part(
    egraph: &EGraph,
    rewrite: &Rewrite,
    literals: &[Option<Id>],
    ids: &[Id],
    known: &mut [bool],
    LookRoom { classes, lookups }: &mut LookRoom,
) {
    let (count, sources) = (known.len(), &rewrite.sources);
    classes.resize(classes.len().max(sources.len()), [Id(0); MANY]);
    for &var in &rewrite.rhs.variables {
        rewrite.classes_of_variable(egraph, var, ids, &mut classes[var][..count]);
    }
    rewrite.rhs.lookup_many(egraph, count, |var| &classes[var][..count], literals, lookups);
    let found = ids.chunks_exact(rewrite.stride()).zip(lookups.classes());
    for (known, (ids, &class)) in known.iter_mut().zip(found) {
        *known = class == egraph.find(ids[0]);
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
