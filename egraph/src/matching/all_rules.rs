//! The search phase of an iteration: new matches of all rules, alone or by a pool of threads.

use crate::graph::changes::Epoch;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::matching::delta_queries::{Candidates, DeltaQuery};
use crate::matching::machine::{Search, SearchRoom};
use crate::matching::match_queue::MatchQueue;
use crate::matching::matches::{Bounds, Found, Halt, News, Quota, Tally};
use crate::stop::Watch;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A rule to be searched for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub rule: usize,
    /// What its last search has seen.
    pub seen: Option<Epoch>,
    /// With more matches than this, old ones included, they are too many and come to nothing.
    pub match_limit: usize,
    /// At most so many of the matches that there are have been seen before.
    pub before: usize,
    /// Whether none is to be found that says nothing new.
    pub exact: bool,
}

/// What was found for one rule.
#[derive(Debug)]
pub(crate) struct RuleMatches {
    pub rule: usize,
    /// Matches seen, those included that would change nothing.
    pub seen: usize,
    /// Matches found.
    pub found: usize,
    /// At most so many matches there are, old ones included; nothing where these are too many, and come to nothing.
    pub all: Option<usize>,
}

impl RuleMatches {
    /// Whether there were too many.
    pub fn refused(&self) -> bool {
        self.all.is_none()
    }
}

/// What was found for all rules.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub rules: Vec<RuleMatches>,
    /// By [`News`]: the matches, under the indices of their rules in `rules`.
    pub queues: [MatchQueue; News::COUNT],
    /// E-nodes tried for an atom of a pattern.
    pub visits: usize,
    /// Why there may be more that were not found; not [`Halt::TooMany`].
    pub halted: Option<Halt>,
}

/// E-nodes that a delta query begins with at most; a thread runs one at a time. Where a rule turns
/// out to have too many matches, this is decided after a delta query, so that what has been tried
/// by then does not depend on threads.
const QUERY_NODES: usize = 512;
/// With fewer changed e-nodes than this, over all rules, threads cost more than they bring.
const WORTHWHILE: usize = 8_192;
/// With more ids than this in matches that wait for an earlier delta query, no thread begins another:
/// what one that runs ahead holds in small blocks stays in the process's heap.
const AHEAD: usize = 1 << 18;
/// So long at most: it is better to hold more than to wait for what may never come.
const PATIENCE: Duration = Duration::from_secs(1);

/// How much a search may find, over all rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchRoom {
    /// Bytes for matches, and for the lists of changes to find them by.
    pub bytes: usize,
    /// E-nodes that may be tried for an atom of a pattern.
    pub visits: usize,
}

/// What all searches of an iteration share.
struct Shared<'a> {
    searches: Vec<(Request, Search<'a>)>,
    candidates: Candidates<'a>,
    ids: Quota,
    visits: Quota,
    watch: &'a Watch,
}

impl Shared<'_> {
    /// Runs a delta query of the rule with this number.
    fn run(&self, rule: usize, query: DeltaQuery<'_>, room: &mut SearchRoom, found: &mut Found) {
        let (request, search) = &self.searches[rule];
        let looks_at_all = request.exact;
        let bounds = Bounds { looks_at_all, ..self.bounds(rule, request.match_limit) };
        search.run(query, &bounds, room, found);
    }

    fn bounds(&self, rule: usize, matches: usize) -> Bounds<'_> {
        let Shared { ids, visits, watch, .. } = self;
        Bounds { ids, visits, matches, rule, watch, only_count: false, looks_at_all: true }
    }

    /// An upper bound on the matches of a rule, those of earlier searches included, after this search found what `tally`
    /// says; `None` if the rule has more than its limit. The second value says why counting ended early, if it did.
    fn all_matches(&self, rule: usize, tally: &mut Tally) -> (Option<usize>, Option<Halt>) {
        let (request, search) = &self.searches[rule];
        let limit = request.match_limit;
        // Where nothing counts as seen all have been found now.
        let before = search.seen().map_or(0, |_| request.before);
        let most = tally.matches.saturating_add(before);
        if tally.matches > limit || most <= limit {
            return ((most <= limit).then_some(most), None);
        }
        let all = search.unseen();
        let bounds = Bounds { only_count: true, ..self.bounds(rule, limit) };
        let (mut room, mut found) = (SearchRoom::default(), Found::default());
        for query in all.delta_queries(&self.candidates, QUERY_NODES) {
            all.run(query, &bounds, &mut room, &mut found);
            if found.halted.is_some() {
                break;
            }
        }
        tally.visits += found.tally.visits;
        match found.halted {
            None => (Some(found.tally.matches), None),
            Some(Halt::TooMany) => (None, None),
            halt => (Some(most), halt),
        }
    }

    /// `all`: what [`Shared::all_matches`] says.
    fn report(&self, rule: usize, tally: Tally, all: Option<usize>) -> RuleMatches {
        let request = &self.searches[rule].0;
        // How many more there are depends on when the search stopped, which is of no interest.
        let most = request.match_limit.saturating_add(1);
        let [seen, found] = all.map_or([most; 2], |_| [tally.matches, tally.kept]);
        RuleMatches { rule: request.rule, seen, found, all }
    }
}

/// Searches for all requests in their order. What there is no room for, the last matches, is left
/// out. The result is the same with and without `pool`.
pub(crate) fn search(
    egraph: &EGraph,
    requests: &[Request],
    room: MatchRoom,
    pool: Option<&ThreadPool>,
    watch: &Watch,
) -> Matches {
    let system = egraph.system().clone();
    // At once: an e-graph is often so small that moving them as they become more would take longer than the searches.
    let mut searches: Vec<(Request, Search<'_>)> = Vec::with_capacity(requests.len());
    searches.extend(requests.iter().filter_map(|request| {
        let rewrite = &system.rewrites[request.rule];
        let rule = &system.rules[request.rule];
        Some((*request, Search::new(egraph, rewrite, rule, request.seen)?))
    }));
    let candidates = Candidates::new(egraph, searches.iter().map(|(_, search)| search.seen()));
    let bytes = room.bytes.saturating_sub(candidates.heap_bytes());
    let quotas = || (Quota::new(bytes / size_of::<Id>()), Quota::new(room.visits));
    let (ids, visits) = quotas();
    let mut shared = Shared { searches, candidates, ids, visits, watch };
    if let Some(matches) = pool.and_then(|pool| by_threads(&shared, pool)) {
        return matches;
    }
    (shared.ids, shared.visits) = quotas();
    alone(&shared)
}

fn alone(shared: &Shared<'_>) -> Matches {
    let rules = Vec::with_capacity(shared.searches.len());
    let mut matches = Matches { rules, ..Matches::default() };
    let (mut room, mut found) = (SearchRoom::default(), Found::default());
    for (rule, (request, search)) in shared.searches.iter().enumerate() {
        let before: [(usize, usize); News::COUNT] =
            std::array::from_fn(|news| (found.queues[news].len(), found.queues[news].ids()));
        let mut tally = Tally::default();
        for query in search.delta_queries(&shared.candidates, QUERY_NODES) {
            found.tally = Tally::default();
            shared.run(rule, query, &mut room, &mut found);
            tally += found.tally;
            if found.halted.is_some() || tally.matches > request.match_limit {
                break;
            }
        }
        matches.halted = found.halted.take().filter(|&halt| halt != Halt::TooMany);
        let (all, halted) = shared.all_matches(rule, &mut tally);
        matches.halted = matches.halted.or(halted);
        if all.is_none() {
            for (queue, (matches, ids)) in found.queues.iter_mut().zip(before) {
                shared.ids.give_back(queue.ids() - ids);
                queue.drop_last(queue.len() - matches);
            }
        }
        matches.visits += tally.visits;
        matches.rules.push(shared.report(rule, tally, all));
        if matches.halted.is_some() {
            break;
        }
    }
    matches.queues = found.queues;
    matches
}

/// `None` if there are too few changes for it to pay, or if the matches do not fit in the room:
/// which of them are left out must not depend on who was first.
fn by_threads(shared: &Shared<'_>, pool: &ThreadPool) -> Option<Matches> {
    let mut queries: Vec<(usize, DeltaQuery<'_>)> = Vec::new();
    for (i, (_, search)) in shared.searches.iter().enumerate() {
        queries
            .extend(search.delta_queries(&shared.candidates, QUERY_NODES).map(|query| (i, query)));
    }
    let nodes: usize = queries.iter().map(|(_, query)| query.begin.len()).sum();
    let threads = pool.current_num_threads();
    if nodes < WORTHWHILE || threads < 2 {
        return None;
    }
    let refused: Vec<AtomicBool> = shared.searches.iter().map(|_| false.into()).collect();
    let ended = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    let tallies = vec![Tally::default(); shared.searches.len()];
    let inbox = Mutex::new(Inbox { tallies, ..Inbox::default() });
    let taken_in = Condvar::new();
    let lock = || inbox.lock().unwrap_or_else(PoisonError::into_inner);
    // Queries are begun in their order. So while results wait for an earlier one, some thread is at
    // it, and waits for none itself.
    let work = || {
        let mut room = SearchRoom::default();
        let mut queues = std::array::from_fn(|_| MatchQueue::passing());
        while !ended.load(Relaxed) {
            let is_ahead = |inbox: &mut Inbox| inbox.ahead > AHEAD;
            drop(taken_in.wait_timeout_while(lock(), PATIENCE, is_ahead));
            let number = next.fetch_add(1, Relaxed);
            let Some(&(rule, query)) = queries.get(number) else { break };
            let mut found = Found { queues, ..Found::default() };
            if !refused[rule].load(Relaxed) {
                shared.run(rule, query, &mut room, &mut found);
            }
            queues = found.queues;
            found.queues = queues.each_mut().map(MatchQueue::take_out);
            let mut inbox = lock();
            if let Some(halt) = found.halted.filter(|&halt| halt != Halt::TooMany) {
                ended.store(true, Relaxed);
                inbox.halted = Some(halt);
            }
            inbox.ahead += found.ids();
            inbox.waiting.insert(number, found);
            inbox.take_in(shared, &queries, &refused);
            taken_in.notify_all();
        }
    };
    pool.in_place_scope(|scope| {
        (1..threads).for_each(|_| scope.spawn(|_| work()));
        work();
    });
    let Inbox { mut tallies, queues, halted, .. } =
        inbox.into_inner().unwrap_or_else(PoisonError::into_inner);
    if matches!(halted, Some(Halt::Full | Halt::Endless)) {
        return None;
    }
    let mut matches = Matches { queues, halted, ..Matches::default() };
    let count = |(rule, tally): (usize, &mut Tally)| shared.all_matches(rule, tally);
    let all: Vec<_> = pool.install(|| tallies.par_iter_mut().enumerate().map(count).collect());
    for (rule, (tally, (all, halted))) in tallies.into_iter().zip(all).enumerate() {
        if matches!(halted, Some(Halt::Full | Halt::Endless)) {
            return None;
        }
        matches.halted = halted.or(matches.halted);
        matches.visits += tally.visits;
        matches.rules.push(shared.report(rule, tally, all));
    }
    if matches.rules.iter().any(RuleMatches::refused) {
        matches.queues =
            matches.queues.map(|queue| queue.keep(|rule| !matches.rules[rule].refused()));
    }
    Some(matches)
}

/// Where threads put what they have found.
#[derive(Default)]
struct Inbox {
    /// By number of the delta query: what waits for an earlier one.
    waiting: BTreeMap<usize, Found>,
    /// Ids in what waits.
    ahead: usize,
    /// The delta query that is to be taken in next.
    next: usize,
    queues: [MatchQueue; News::COUNT],
    tallies: Vec<Tally>,
    /// Why the search ended early.
    halted: Option<Halt>,
}

impl Inbox {
    /// Takes in what waits, in the order of the delta queries.
    fn take_in(
        &mut self,
        shared: &Shared<'_>,
        queries: &[(usize, DeltaQuery<'_>)],
        refused: &[AtomicBool],
    ) {
        while let Some(found) = self.waiting.remove(&self.next) {
            let (rule, _) = queries[self.next];
            self.next += 1;
            self.ahead -= found.ids();
            let tally = &mut self.tallies[rule];
            let limit = shared.searches[rule].0.match_limit;
            // What comes behind the query that had too many was not to be looked for.
            if tally.matches > limit {
                continue;
            }
            *tally += found.tally;
            if tally.matches > limit {
                refused[rule].store(true, Relaxed);
                continue;
            }
            self.queues.iter_mut().zip(found.queues).for_each(|(all, new)| all.append(new));
        }
    }
}
