//! What searches find, and how much they may find.

use crate::building::right_side::Lookup;
use crate::id::Id;
use crate::matching::match_queue::MatchQueue;
use crate::stop::Watch;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a match would bring. They are applied in this order, for the more is known to be equal,
/// the fewer e-nodes are built that turn out to be congruent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The right-hand side is there, in another class.
    Equality,
    /// All of it but the root is there.
    Node,
    /// Less is there.
    Nodes,
}

impl News {
    pub const COUNT: usize = 3;
}

/// Matches, in the order of their first changed e-nodes.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// By what there is of the right-hand side.
    pub queues: [MatchQueue; News::COUNT],
    /// What has been done for it.
    pub tally: Tally,
    /// Whether the search ended before it had found all.
    pub halted: Option<Halt>,
}

impl Found {
    /// Ids in all matches.
    pub fn ids(&self) -> usize {
        self.queues.iter().map(MatchQueue::ids).sum()
    }
}

/// What searches have done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// E-nodes tried for an atom.
    pub visits: usize,
    /// Matches whose conditions hold, those included that would change nothing.
    pub matches: usize,
    /// Those that were kept.
    pub kept: usize,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.visits += more.visits;
        self.matches += more.matches;
        self.kept += more.kept;
    }
}

/// Why a search ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// There was no room for more matches.
    Full,
    /// More e-nodes would have to be tried than may be.
    Endless,
    /// There are more matches than the rule may have.
    TooMany,
    /// Time is over, or somebody asked to stop.
    Expired,
}

/// How much there may be of something, over all searches that share it.
pub(crate) struct Quota {
    limit: usize,
    used: AtomicUsize,
}

impl Quota {
    pub fn new(limit: usize) -> Quota {
        Quota { limit, used: AtomicUsize::new(0) }
    }

    /// Takes so much; false if that is more than there may be.
    pub fn take(&self, more: usize) -> bool {
        self.used.fetch_add(more, Relaxed).saturating_add(more) <= self.limit
    }

    /// Gives so much back.
    pub fn give_back(&self, less: usize) {
        self.used.fetch_sub(less, Relaxed);
    }
}

/// What a search may find and for how long.
pub(crate) struct Bounds<'a> {
    /// Ids that matches may take, over all rules.
    pub ids: &'a Quota,
    /// E-nodes that may be tried for an atom, over all rules.
    pub visits: &'a Quota,
    /// Matches that one part of a search may have, those included that would change nothing.
    pub matches: usize,
    /// The rule's number, under which its matches are kept.
    pub rule: usize,
    pub watch: &'a Watch,
    /// Whether matches are counted and nothing else.
    pub only_count: bool,
    /// Whether none is kept that says nothing new.
    pub looks_at_all: bool,
}

const NO_ID: Id = Id(u32::MAX);

/// What was noted lately: that a class equals another, or holds an e-node with two children. Many
/// matches come to the same, and one of them is enough. What is forgotten does no harm.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    places: Vec<[Id; 3]>,
    /// How many places there will be, all of them empty, once one is wanted: many searches find nothing to note.
    wanted: Option<usize>,
}

impl Recent {
    /// Forgets all, and makes room for the matches that begin with so many e-nodes.
    pub fn forget(&mut self, nodes: usize) {
        // Four places for each; 48 KiB at most, which fits in a core's own cache.
        self.wanted = Some((4 * nodes).next_power_of_two().min(1 << 12));
    }

    /// What a match of a class would bring; nothing if that is known, or was noted lately.
    #[inline]
    pub fn news(&mut self, lookup: Lookup, class: Id) -> Option<News> {
        let (known, news) = match lookup {
            Lookup::Class(other) if other == class => return None,
            Lookup::Class(other) => {
                (self.contains_or_insert([class, other, NO_ID]), News::Equality)
            }
            Lookup::RootMissing(left, right) => {
                (self.contains_or_insert([class, left, right]), News::Node)
            }
            Lookup::Missing => (false, News::Nodes),
        };
        (!known).then_some(news)
    }

    fn contains_or_insert(&mut self, addition: [Id; 3]) -> bool {
        if let Some(places) = self.wanted.take() {
            self.places.clear();
            self.places.resize(places, [NO_ID; 3]);
        }
        let mix = |hash: u32, id: Id| (hash.rotate_left(5) ^ id.0).wrapping_mul(0x9e37_79b9);
        let hash = addition.into_iter().fold(0, mix) >> 16;
        let mask = self.places.len() - 1;
        let place = &mut self.places[hash as usize & mask];
        std::mem::replace(place, addition) == addition
    }
}
