//! Applying matches: what they say that is not known yet is added to the e-graph.

use crate::graph::egraph::EGraph;
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::matching::bound_ids::bound_value;
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
    /// Whether matches say nothing new, of those looked at last: from the first number on, and before the second; empty
    /// if these were not looked at.
    known: Vec<bool>,
    from: usize,
    until: usize,
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

/// Matches that are looked at before they are applied: by more together threads gain more, and of fewer more are seen to be
/// known. What is known depends on it, for until congruence is closed again what was there may not be found, so that it
/// must not depend on threads.
const AHEAD: usize = 256;
/// Matches that one thread looks at at a time.
const PART: usize = MANY;

impl Applier {
    /// Other matches of a rule come.
    pub fn begin(&mut self, rewrite: &Rewrite) {
        if self.rule.replace(rewrite.rule) != Some(rewrite.rule) {
            self.unlooked = 0;
        }
        self.known.clear();
        (self.from, self.until) = (0, 0);
    }

    /// Whether the match of this number, the next one, is known to say nothing new. Of matches that do so, not all are
    /// found.
    pub fn is_known(
        &mut self,
        egraph: &EGraph,
        rewrite: &Rewrite,
        ids: &[Id],
        number: usize,
        pool: Option<&ThreadPool>,
    ) -> bool {
        if number == self.until {
            self.look_on(egraph, rewrite, ids, pool.filter(|pool| pool.current_num_threads() > 1));
        }
        self.known.get(number - self.from) == Some(&true)
    }

    /// Looks at the next matches, runs of [`Rewrite::stride`] ids, unless that is hardly worth while, or they can't be
    /// looked at many at a time.
    fn look_on(
        &mut self,
        egraph: &EGraph,
        rewrite: &Rewrite,
        ids: &[Id],
        pool: Option<&ThreadPool>,
    ) {
        let stride = rewrite.stride();
        let count = AHEAD.min(ids.len() / stride - self.until);
        self.from = self.until;
        self.until += count;
        self.known.clear();
        if let Some(left) = self.unlooked.checked_sub(1) {
            self.unlooked = left;
            return;
        }
        if !rewrite.is_narrow(egraph) {
            return;
        }
        self.known.resize(count, false);
        let literals = rewrite.rhs.known_literals(egraph);
        let threads = pool.map_or(1, ThreadPool::current_num_threads);
        self.rooms.resize_with(threads.max(self.rooms.len()), Mutex::default);
        let run = |room: usize, known: &mut [bool], ids: &[Id]| {
            // Each thread has its own: nobody waits, and nobody has left it locked.
            let mut room = self.rooms[room].lock().unwrap_or_else(PoisonError::into_inner);
            look_at_part(egraph, rewrite, &literals, ids, known, &mut room);
        };
        let ids = &ids[self.from * stride..self.until * stride];
        match pool.filter(|_| count > PART) {
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
        if self.known.iter().filter(|&&known| known).count() < count / FEW {
            self.unlooked = FEW;
        }
    }

    /// Whether a match says nothing new, if that can be seen.
    #[cold]
    pub fn says_nothing_new(&self, egraph: &EGraph, rewrite: &Rewrite, found: &[Id]) -> bool {
        let (mut known, literals) = ([false], rewrite.rhs.known_literals(egraph));
        if rewrite.is_narrow(egraph) {
            look_at_part(egraph, rewrite, &literals, found, &mut known, &mut LookRoom::default());
        }
        known[0]
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
        bound.clear();
        // One by one: they are a few.
        found[1..].iter().for_each(|&id| bound.push(id));
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
