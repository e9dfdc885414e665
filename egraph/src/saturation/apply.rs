//! Applying matches: what they say that is not known yet is added to the e-graph.

use crate::building::bound_ids::bound_value;
use crate::building::right_side::{Lookup, MANY};
use crate::building::term_function::Instance;
use crate::graph::egraph::EGraph;
use crate::graph::node_table::{Ids, NodeTable};
use crate::graph::proof_forest::Reason;
use crate::id::Id;
use crate::matching::all_rules::Matches;
use crate::matching::match_queue::MatchQueue;
use crate::matching::matches::Halt;
use crate::proof::explain::holds;
use crate::room::Room;
use crate::rules::compiled::recipe::Operand;
use crate::rules::compiled::rewrite::Rewrite;
use crate::rules::pattern::Pattern;
use crate::rules::rule::RuleId;
use crate::saturation::best_first::Waiting;
use crate::saturation::report::{Applied, RuleReport};
use crate::saturation::run::Run;
use crate::stop::StopReason;
use std::ops::RangeInclusive;

/// Matches are applied in runs of this many between looks at the clock.
const CLOCK_EVERY: usize = 1_024;

/// Matches that are taken from the queue together: the more, the more wait.
const TOGETHER: RangeInclusive<usize> = 64..=4_096;

impl Run<'_> {
    /// Applies matches until a limit. Those that wait take memory too: where that is what is
    /// lacking, the last ones are left out for the sake of the first.
    pub(super) fn apply(&mut self, matches: Matches) -> Applied {
        let system = self.system.clone();
        let memory = self.limits.memory.unwrap_or(usize::MAX);
        let most = self.most_nodes().unwrap_or(usize::MAX);
        let mut unions = vec![0; matches.rules.len()];
        let mut rules = Vec::new();
        let mut queue = MatchQueue::default();
        matches.queues.into_iter().for_each(|of_news| queue.append(of_news));
        for found in &matches.rules {
            let rule = RuleId(found.rule as u32);
            let (matches, new, banned) = (found.seen as u64, found.found as u64, found.refused());
            rules.push(RuleReport { rule, matches, new, unions: 0, banned });
        }
        let found = queue.len();
        let (mut done, mut clock) = (0, CLOCK_EVERY);
        let mut stop = None;
        let mut applier = Applier::default();
        let mut pace = Pace::new(self.egraph);
        let mut ids = Vec::new();
        'matches: loop {
            let together = (queue.len() / 32).clamp(*TOGETHER.start(), *TOGETHER.end());
            let Some(number) = queue.pop(together, &mut ids) else { break };
            let rewrite = &system.rewrites[rules[number].rule.0 as usize];
            let later = |waiting: &Waiting| waiting.heap_bytes() + Waiting::look_bytes(self.egraph);
            let later = self.waiting.as_ref().map_or(0, later);
            let waiting = ids.capacity() * size_of::<Id>() + later;
            let mut left = &ids[..];
            while let Some(found) = left.get(..rewrite.stride()) {
                if done >= clock {
                    clock = done + CLOCK_EVERY;
                    // Congruence closed now and then lets fewer e-nodes be built twice.
                    self.egraph.close();
                    if let Some(expired) = self.watch.expired() {
                        stop = Some(expired);
                        break 'matches;
                    }
                }
                let room = applier.room(self.egraph, rewrite, found);
                let matches = left.len() / rewrite.stride();
                let together = Applier::together(self.egraph, rewrite, matches);
                let by_nodes = most.checked_sub(self.egraph.node_count());
                let by_nodes =
                    by_nodes.map_or(0, |n| n.checked_div(room.nodes).unwrap_or(usize::MAX));
                let limit =
                    |queue: &MatchQueue| memory.saturating_sub(queue.heap_bytes() + waiting);
                let coming = |egraph: &EGraph| pace.coming(egraph, done, queue.len());
                let mut fits = match together.min(by_nodes) {
                    0 => 0,
                    most => self.egraph.reserve_many(room, most, coming, limit(&queue)),
                };
                if fits == 0 {
                    // What says nothing new needs no room.
                    if applier.says_nothing_new(self.egraph, rewrite, found) {
                        (done, left) = (done + 1, &left[rewrite.stride()..]);
                        continue;
                    }
                    stop = Some(if by_nodes == 0 { StopReason::Nodes } else { StopReason::Memory });
                    loop {
                        if by_nodes == 0 || queue.len() == 0 {
                            break 'matches;
                        }
                        queue.drop_last(queue.len() / 8 + 1);
                        let none = |_: &EGraph| Default::default();
                        fits = self.egraph.reserve_many(room, 1, none, limit(&queue));
                        if fits > 0 {
                            break;
                        }
                    }
                }
                let (found, later) = left.split_at(fits * rewrite.stride());
                unions[number] += applier.apply(self.egraph, rewrite, found);
                (done, left) = (done + fits, later);
            }
        }
        self.left_out = (found - done) as u64;
        self.cut |= self.left_out > 0 || stop.is_some() || matches.halted.is_some();
        for (rule, &unions) in rules.iter_mut().zip(&unions) {
            rule.unions = unions;
        }
        rules.retain(|rule| rule.matches > 0 || rule.banned);
        let stop = stop.or_else(|| match matches.halted? {
            Halt::Endless => Some(StopReason::Visits),
            // Best-first does without what it had no room for.
            Halt::Full if self.waiting.is_some() => None,
            Halt::Full => Some(self.no_room()),
            _ => self.watch.expired(),
        });
        Applied { unions: unions.iter().sum(), visits: matches.visits, rules, stop }
    }
}

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
            true => matches.min((egraph.built() as usize / 64).clamp(1, MANY)),
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
        let reason = Reason::Rule { rule: rewrite.rule, bound };
        debug_assert!(holds(egraph, found[0], root, reason));
        egraph.union(found[0], root, reason)
    }

    fn apply_many(&mut self, egraph: &mut EGraph, rewrite: &Rewrite, found: &[Id]) -> u64 {
        let Applier { places, bound, .. } = self;
        let (rhs, stride) = (&rewrite.rhs, rewrite.stride());
        let count = found.len() / stride;
        let first = place(rewrite, Operand::Application(0));
        places.resize((first + rhs.applications.len()).max(places.len()), NOTHING);
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
            let unions = egraph.unions();
            egraph.add_many(application.head, children, &mut nodes[..count]);
            classes.iter_mut().zip(&nodes[..count]).for_each(|(class, &n)| *class = egraph.find(n));
            if egraph.unions() > unions {
                // Constants were folded: what is added next is added under the classes as they are now.
                let all = before.iter_mut().flat_map(|place| &mut place.classes[..count]);
                all.filter(|class| **class != NodeTable::padding())
                    .for_each(|class| *class = egraph.find(*class));
            }
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
            let reason = Reason::Rule { rule: rewrite.rule, bound };
            debug_assert!(holds(egraph, found[0], root, reason));
            egraph.union(found[0], root, reason);
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

/// Small arrays are given room for so much more at once.
const LEAST: usize = 64;

impl Pace {
    pub fn new(egraph: &EGraph) -> Pace {
        Pace { done: 0, added: egraph.added() }
    }

    /// What `left` matches would add, when so many are done, if they added as much each as those since the last call. Half
    /// as much as there is at most, for the later ones have more often become known by the earlier ones.
    pub fn coming(&mut self, egraph: &EGraph, done: usize, left: usize) -> Room {
        let before = std::mem::replace(self, Pace { done, added: egraph.added() });
        let matches = (self.done - before.done).max(1) as u128;
        let most = |now: usize, before: usize| {
            let more = (now - before) as u128 * left as u128 / matches;
            usize::try_from(more).map_or(now / 2, |more| more.min(now / 2)).max(LEAST)
        };
        let nodes = most(self.added.nodes, before.added.nodes);
        Room { nodes, bound: most(self.added.bound, before.added.bound), ..Room::default() }
    }
}
