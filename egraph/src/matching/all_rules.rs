//! The search phase of an iteration: new matches of all rules, alone or by a pool of threads.

use crate::graph::changes::Epoch;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::matching::begin::{Candidates, Part};
use crate::matching::machine::Search;
use crate::matching::matches::{Bounds, Found, Halt, News, Quota};
use crate::stop::Watch;
use rayon::ThreadPool;
use rayon::prelude::*;

/// A rule to be searched for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub rule: usize,
    /// What its last search has seen.
    pub seen: Option<Epoch>,
    /// With more matches than this, old ones included, they are too many and come to nothing.
    pub match_limit: usize,
    /// At most so many matches have been seen before.
    pub before: usize,
}

impl Room {
    /// Quotas of ids, and of visits.
    fn quotas(self) -> (Quota, Quota) {
        (Quota::new(self.bytes / size_of::<Id>()), Quota::new(self.visits))
    }
}

/// What was found for one rule.
#[derive(Debug, Default)]
pub(crate) struct RuleMatches {
    pub rule: usize,
    /// By [`News`]: blocks of matches, see [`crate::matching::compiled_rule`].
    pub blocks: [Vec<Vec<Id>>; News::COUNT],
    /// Matches seen, those included that would change nothing.
    pub seen: usize,
    /// Matches found.
    pub found: usize,
    /// Whether these were too many; there are none, then.
    pub refused: bool,
}

/// What was found for all rules.
#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub rules: Vec<RuleMatches>,
    /// Why there may be more that were not found; not [`Halt::TooMany`].
    pub halted: Option<Halt>,
}

/// So many changed e-nodes are searched from at a time, by one thread.
const PART: usize = 512;
/// With fewer changed e-nodes than this, over all rules, threads cost more than they bring.
const WORTHWHILE: usize = 8_192;

/// How much a search may find, over all rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Bytes for matches, and for the lists of changes to find them by.
    pub bytes: usize,
    /// E-nodes that may be tried for an atom of a pattern.
    pub visits: usize,
}

/// Searches for all requests in their order. What there is no room for, the last matches, is left
/// out. The result is the same with and without `pool`.
pub(crate) fn search(
    egraph: &EGraph,
    requests: &[Request],
    room: Room,
    pool: Option<&ThreadPool>,
    watch: &Watch,
) -> Matches {
    let system = egraph.system().clone();
    let searches: Vec<(Request, Search<'_>)> = requests
        .iter()
        .filter_map(|request| {
            let rewrite = &system.rewrites[request.rule];
            let rule = &system.rules[request.rule];
            Some((*request, Search::new(egraph, rewrite, rule, request.seen)?))
        })
        .collect();
    let candidates = Candidates::new(egraph, searches.iter().map(|(_, search)| search.seen()));
    let bytes = room.bytes.saturating_sub(candidates.heap_bytes());
    let room = Room { bytes, ..room };
    let threads = pool.and_then(|pool| by_threads(&searches, &candidates, room, pool, watch));
    threads.unwrap_or_else(|| alone(&searches, &candidates, room, watch))
}

fn alone(
    searches: &[(Request, Search<'_>)],
    candidates: &Candidates,
    room: Room,
    watch: &Watch,
) -> Matches {
    let (all_ids, all_visits) = room.quotas();
    let mut matches = Matches::default();
    for (request, search) in searches {
        let own = Quota::new(request.match_limit);
        let (ids, visits) = (&all_ids, &all_visits);
        let bounds = Bounds { ids, visits, matches: &own, watch, only_count: false };
        let mut found = Found::default();
        for part in search.parts(candidates, PART) {
            search.run(part, &bounds, &mut found);
            if found.halted.is_some() {
                break;
            }
        }
        matches.halted = found.halted.filter(|&halt| halt != Halt::TooMany);
        let taken = found.blocks.iter().flatten().map(Vec::len).sum();
        let rule = collect(request, search, candidates, watch, vec![found]);
        if rule.refused {
            all_ids.give_back(taken);
        }
        matches.rules.push(rule);
        if matches.halted.is_some() {
            break;
        }
    }
    matches
}

/// `None` if there are too few changes for it to pay, or if the matches do not fit in the room:
/// which of them are left out must not depend on who was first.
fn by_threads(
    searches: &[(Request, Search<'_>)],
    candidates: &Candidates,
    room: Room,
    pool: &ThreadPool,
    watch: &Watch,
) -> Option<Matches> {
    let mut parts: Vec<(usize, Part<'_>)> = Vec::new();
    for (i, (_, search)) in searches.iter().enumerate() {
        parts.extend(search.parts(candidates, PART).map(|part| (i, part)));
    }
    let nodes: usize = parts.iter().map(|(_, part)| part.begin.len()).sum();
    if nodes < WORTHWHILE || pool.current_num_threads() < 2 {
        return None;
    }
    let (ids, visits) = &room.quotas();
    let own: Vec<Quota> =
        searches.iter().map(|(request, _)| Quota::new(request.match_limit)).collect();
    let found: Vec<Found> = pool.install(|| {
        let run = |&(i, part): &(usize, Part<'_>)| {
            let mut found = Found::default();
            let bounds = Bounds { ids, visits, matches: &own[i], watch, only_count: false };
            searches[i].1.run(part, &bounds, &mut found);
            found.blocks.iter_mut().flatten().for_each(Vec::shrink_to_fit);
            found
        };
        parts.par_iter().map(run).collect()
    });
    let halts = |halt| found.iter().any(|f| f.halted == Some(halt));
    if halts(Halt::Full) || halts(Halt::Endless) {
        return None;
    }
    let mut matches = Matches::default();
    if halts(Halt::Expired) {
        matches.halted = Some(Halt::Expired);
    }
    let mut found = parts.iter().map(|&(i, _)| i).zip(found).peekable();
    for (i, (request, search)) in searches.iter().enumerate() {
        let mut of_rule = Vec::new();
        while let Some((_, part)) = found.next_if(|(rule, _)| *rule == i) {
            of_rule.push(part);
        }
        matches.rules.push(collect(request, search, candidates, watch, of_rule));
    }
    Some(matches)
}

fn collect(
    request: &Request,
    search: &Search<'_>,
    candidates: &Candidates,
    watch: &Watch,
    mut parts: Vec<Found>,
) -> RuleMatches {
    let stride = search.rewrite.stride();
    let blocks: [Vec<Vec<Id>>; News::COUNT] = std::array::from_fn(|news| {
        parts.iter_mut().flat_map(|part| part.blocks[news].drain(..)).collect()
    });
    let seen: usize = parts.iter().map(|part| part.matches).sum();
    let refused = seen > request.match_limit
        || seen.saturating_add(request.before) > request.match_limit
            && counts_more(search, candidates, watch, request.match_limit);
    let mut matches = RuleMatches { rule: request.rule, seen, refused, ..Default::default() };
    if refused {
        // How many more there are depends on when the search stopped, which is of no interest.
        matches.found = request.match_limit + 1;
        matches.seen = matches.found;
    } else {
        matches.found = blocks.iter().flatten().map(|block| block.len() / stride).sum();
        matches.blocks = blocks;
    }
    matches
}

/// Whether a rule has more matches than `limit`, old ones included.
fn counts_more(search: &Search<'_>, candidates: &Candidates, watch: &Watch, limit: usize) -> bool {
    let (all, matches) = (Quota::new(usize::MAX), Quota::new(limit));
    let bounds = Bounds { ids: &all, visits: &all, matches: &matches, watch, only_count: true };
    let all = search.unseen();
    let mut found = Found::default();
    all.parts(candidates, PART).any(|part| {
        all.run(part, &bounds, &mut found);
        found.halted.is_some()
    }) && found.halted == Some(Halt::TooMany)
}
