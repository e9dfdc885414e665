//! Best first: all matches wait in one place, and in every iteration the most promising of them are
//! applied, a few in proportion to the e-graph. So an e-graph of the same size goes much deeper where it
//! is worth while than with all matches of every iteration.

use crate::extract::best::LeastSizes;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::matching::all_rules::{Matches, RuleMatches};
use crate::rules::pattern::Pattern;
use crate::rules::system::System;
use crate::saturation::match_order::{Kind, MatchOrder, MatchView};
use crate::saturation::surroundings::Surroundings;
use crate::term::language::Value;
use crate::term::leaves::Node;

/// Matches applied in an iteration at least,
const LEAST: usize = 30;
/// and one for so many e-nodes; with them all that rank as the last of these. More of them make
/// iterations fewer and worse.
const NODES_PER_MATCH: usize = 20;

/// Matches looked at together.
const TOGETHER: usize = 4_096;

/// Matches that were found and not applied yet.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// By match: the rule, and the iteration in which it was found.
    found: Vec<(u32, u32)>,
    /// Their ids, one after the other.
    ids: Vec<Id>,
    /// Whether some were given up for lack of room.
    pub gave_up: bool,
}

/// What a choice is made by.
pub(crate) struct Choice<'a> {
    pub egraph: &'a EGraph,
    pub system: &'a System,
    /// What the e-graph was grown from; if nothing is said, every class.
    pub sides: &'a [Vec<Id>; 2],
    pub order: &'a dyn MatchOrder,
    /// Number of the iteration.
    pub iteration: u64,
    /// Whether a rule may run now.
    pub runs: &'a dyn Fn(usize) -> bool,
    /// Bytes that matches may take, those that wait included.
    pub room: usize,
}

/// A match that is applied, and what was seen of it before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The matched e-node, and the other ids that the rule binds.
    pub(crate) ids: Box<[Id]>,
    /// What was seen.
    pub seen: MatchView,
}

impl Waiting {
    /// Bytes that the matches take.
    pub fn heap_bytes(&self) -> usize {
        self.found.capacity() * size_of::<(u32, u32)>() + self.ids.capacity() * size_of::<Id>()
    }

    /// Takes in what was found in an iteration.
    pub fn take_in(&mut self, found: &mut Matches, system: &System, iteration: u64) {
        let mut ids = Vec::new();
        for queue in &mut found.queues {
            while let Some(number) = queue.pop(TOGETHER, &mut ids) {
                let rule = found.rules[number].rule;
                let count = ids.len() / system.rewrites[rule].stride();
                let iteration = u32::try_from(iteration).unwrap_or(u32::MAX);
                self.found.extend(std::iter::repeat_n((rule as u32, iteration), count));
                self.ids.extend_from_slice(&ids);
            }
        }
    }

    /// The most promising matches, which then wait no more; what each of them looks like comes into
    /// `log`, if there is one. What has become known since it was found is forgotten.
    pub fn choose(&mut self, choice: &Choice<'_>, log: Option<&mut Vec<Chosen>>) -> Matches {
        let (seen, kept) = self.look(choice);
        let mut ranks = Vec::with_capacity(seen.len());
        choice.order.rank(&seen, &mut ranks);
        let runs = |i: usize| (choice.runs)(seen[i].rule as usize);
        let mut order: Vec<usize> = (0..seen.len()).filter(|&i| runs(i)).collect();
        let wanted = LEAST.max(choice.egraph.node_count() / NODES_PER_MATCH).min(order.len());
        let last = wanted.checked_sub(1).map(|last| {
            let by_rank = |&a: &usize, &b: &usize| ranks[b].total_cmp(&ranks[a]);
            ranks[*order.select_nth_unstable_by(last, by_rank).1]
        });
        let is_chosen = |i: usize| runs(i) && last.is_some_and(|last| ranks[i] >= last);
        order.clear();
        let mut matches = Matches::default();
        order.extend((0..seen.len()).filter(|&i| is_chosen(i)));
        // In the order of the rules, as elsewhere.
        order.sort_by_key(|&i| seen[i].rule);
        let ids = |i: usize| &self.ids[kept[i].1..kept[i].1 + stride(choice, seen[i].rule)];
        for &i in &order {
            let rule = seen[i].rule as usize;
            if matches.rules.last().is_none_or(|last| last.rule != rule) {
                matches.rules.push(RuleMatches { rule, seen: 0, found: 0, refused: false });
            }
            let number = matches.rules.len() - 1;
            matches.rules[number].seen += 1;
            matches.rules[number].found += 1;
            matches.queues[0].push(number, ids(i));
        }
        if let Some(log) = log {
            log.extend(order.iter().map(|&i| Chosen { ids: ids(i).into(), seen: seen[i] }));
        }
        self.keep(choice, &seen, &kept, &ranks, is_chosen);
        matches
    }

    /// What the matches look like, and where each is: its number and where its ids begin. Those that
    /// would change nothing are left out.
    fn look(&self, choice: &Choice<'_>) -> (Vec<MatchView>, Vec<(usize, usize)>) {
        let view = View::new(choice);
        let (mut seen, mut kept) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (i, &(rule, found)) in self.found.iter().enumerate() {
            let stride = stride(choice, rule);
            let waited = choice.iteration.saturating_sub(u64::from(found));
            if let Some(view) = view.of(rule, &self.ids[at..at + stride], waited) {
                seen.push(view);
                kept.push((i, at));
            }
            at += stride;
        }
        (seen, kept)
    }

    /// Keeps what was not chosen, as far as there is room: the most promising.
    fn keep(
        &mut self,
        choice: &Choice<'_>,
        seen: &[MatchView],
        kept: &[(usize, usize)],
        ranks: &[f32],
        is_chosen: impl Fn(usize) -> bool,
    ) {
        let mut left: Vec<usize> = (0..seen.len()).filter(|&i| !is_chosen(i)).collect();
        let bytes = |i: usize| (2 + stride(choice, seen[i].rule)) * size_of::<Id>();
        // Half of the room: the other is for what is found next.
        let room = choice.room / 2;
        if left.iter().map(|&i| bytes(i)).sum::<usize>() > room {
            left.sort_by(|&a, &b| ranks[b].total_cmp(&ranks[a]).then(a.cmp(&b)));
            let mut taken = 0;
            left.retain(|&i| {
                taken += bytes(i);
                taken <= room
            });
            left.sort_unstable();
            self.gave_up = true;
        }
        let mut ids = 0;
        for (place, &i) in left.iter().enumerate() {
            let ((from, at), stride) = (kept[i], stride(choice, seen[i].rule));
            self.found[place] = self.found[from];
            self.ids.copy_within(at..at + stride, ids);
            ids += stride;
        }
        self.found.truncate(left.len());
        self.ids.truncate(ids);
        if self.ids.capacity() > 4 * self.ids.len() {
            self.found.shrink_to_fit();
            self.ids.shrink_to_fit();
        }
    }
}

fn stride(choice: &Choice<'_>, rule: u32) -> usize {
    choice.system.rewrites[rule as usize].stride()
}

/// The e-graph as an order of matches sees it.
struct View<'a> {
    choice: &'a Choice<'a>,
    sizes: LeastSizes<'a>,
    /// None where nothing is said of sides.
    sides: Option<[Surroundings; 2]>,
    /// By rule: the literals of its right-hand side.
    literals: Vec<Vec<Option<Id>>>,
}

impl<'a> View<'a> {
    fn new(choice: &'a Choice<'a>) -> View<'a> {
        let sizes = LeastSizes::of(choice.egraph);
        let sides = choice.sides.iter().any(|side| !side.is_empty()).then(|| {
            [0, 1].map(|side| Surroundings::new(choice.egraph, &sizes, &choice.sides[side]))
        });
        let rewrites = choice.system.rewrites.iter();
        let literals = rewrites.map(|rewrite| rewrite.rhs.known_literals(choice.egraph)).collect();
        View { choice, sizes, sides, literals }
    }

    /// What a match looks like; none if it would change nothing.
    fn of(&self, rule: u32, ids: &[Id], waited: u64) -> Option<MatchView> {
        let Choice { egraph, system, iteration, .. } = *self.choice;
        let number = rule as usize;
        let class = egraph.find(ids[0]);
        let mut classes = Vec::new();
        system.rewrites[number].substitution(egraph, ids, &mut classes);
        classes.iter_mut().for_each(|id| *id = egraph.find(*id));
        let size = |class: Id| self.sizes.size(class);
        let rhs = &system.rewrites[number].rhs;
        let right = rhs.measure(egraph, &classes, &self.literals[number], size);
        if right.class == Some(class) {
            return None;
        }
        let least = size(class);
        let signed = |nodes: u64| i64::try_from(nodes).unwrap_or(i64::MAX / 4);
        let alone = (-signed(least), None);
        let [first, second] = match &self.sides {
            None => [Some(alone), None],
            Some(sides) => {
                let around = |side: &Surroundings| {
                    side.of(class).map(|around| (around.excess, around.above))
                };
                let mut around = [around(&sides[0]), around(&sides[1])];
                around.sort_by_key(|around| around.map_or(i64::MAX, |(excess, _)| excess));
                around
            }
        };
        // What stands in no term of a side comes last.
        let (around, above) = first.unwrap_or((i64::from(u32::MAX), None));
        let kinds = classes.iter().map(|&class| kind(egraph, class));
        let mut variables = [None; 3];
        for (place, kind) in variables.iter_mut().zip(kinds.clone()) {
            *place = Some(kind);
        }
        Some(MatchView {
            rule,
            above,
            variables,
            literals: kinds.filter(|kind| matches!(kind, Kind::Literal(_))).count() as u32,
            excess: around.saturating_add(signed(right.size)),
            other_excess: second.map(|(around, _)| around.saturating_add(signed(right.size))),
            excess_before: around.saturating_add(signed(least)),
            right: right.size,
            left: pattern_size(&system.rules[number].lhs, &|var| size(classes[var])),
            least,
            waited,
            class_nodes: egraph.nodes(class).len() as u32,
            missing: right.missing as u32,
            unites: right.class.is_some(),
            e_nodes: egraph.node_count() as u64,
            iteration,
            sides: self.sides.as_ref().map_or([0; 2], |[a, b]| [a.least, b.least]),
        })
    }
}

/// Nodes of the smallest instance of a pattern.
fn pattern_size(pattern: &Pattern, variable: &impl Fn(usize) -> u64) -> u64 {
    match pattern {
        Pattern::Var(var) => variable(usize::from(var.0)),
        Pattern::Leaf(_) | Pattern::Compute(..) => 1,
        Pattern::Op(_, args) => {
            args.iter().fold(1, |sum, arg| sum.saturating_add(pattern_size(arg, variable)))
        }
    }
}

fn kind(egraph: &EGraph, class: Id) -> Kind {
    match egraph.literal(class) {
        Some(Value::Int(value @ -1..=1)) => return Kind::Literal(Some(value as i8)),
        Some(_) => return Kind::Literal(None),
        None => {}
    }
    let nodes = egraph.nodes(class).iter().map(|&node| egraph.node(node));
    let mut first = None;
    for node in nodes {
        match node {
            Node::Leaf(_) => return Kind::Variable,
            Node::Op(op) => first = first.or(Some(op)),
        }
    }
    first.map_or(Kind::Variable, Kind::Op)
}
