//! The innermost loops of a search: the last one or two atoms of a pattern, whose matches are kept in mind.

use crate::building::right_side::MANY;
use crate::id::Id;
use crate::matching::machine::{COUNT_EVERY, LOOK_EVERY, Machine, Search, SearchRoom};
use crate::term::leaves::Head;

impl Machine<'_> {
    /// As [`Machine::try_each`], of the last atom of a pattern: keeps each match in mind.
    #[inline]
    pub(super) fn match_each(
        &mut self,
        nodes: impl Iterator<Item = (Id, bool)>,
        may_be: impl Fn(Id) -> bool,
        atom: usize,
        count: bool,
    ) {
        let Search { rewrite, .. } = *self.search;
        let mut nodes = nodes.into_iter();
        loop {
            let begin = self.pending;
            let SearchRoom { state, pending, .. } = &mut *self.room;
            // What does not fit is overwritten by the next one, rather than skipped: nobody could guess which.
            let (column, mut end, mut tried) = (&mut pending[atom], begin, 0);
            for (node, fits) in nodes.by_ref().take(MANY - begin) {
                column[end % MANY] = node;
                end += usize::from(fits && may_be(node));
                tried += 1;
            }
            for (other, column) in pending[..rewrite.nodes()].iter_mut().enumerate() {
                if other != atom {
                    // One by one: they are a few.
                    let bound = state[rewrite.lhs.registers + other];
                    (begin..end).for_each(|i| column[i % MANY] = bound);
                }
            }
            self.pending = end;
            self.count_matches(end - begin);
            if end == MANY {
                self.note_pending();
            }
            self.visited(if count { tried } else { end - begin });
            if tried < MANY - begin || self.found.halted.is_some() {
                return;
            }
        }
    }

    /// As [`Machine::try_each`], of the first of two atoms, with any e-node of a head for the last one: goes through both
    /// without a call in between.
    #[inline]
    pub(super) fn match_pairs(
        &mut self,
        mut nodes: impl Iterator<Item = (Id, bool)>,
        may_be: impl Fn(Id) -> bool,
        (atom, child): (usize, usize),
        (last, head): (usize, Head),
        count: bool,
    ) {
        let (search, may_be_last) = (self.search, self.may_be(last));
        let (mut node, mut members) = (Id(0), [].iter());
        loop {
            let begin = self.pending;
            let SearchRoom { pending, runs, .. } = &mut *self.room;
            let columns = pending.get_disjoint_mut([atom, last]).expect("two atoms");
            let (mut end, mut visits, mut is_done) = (begin, 0, false);
            // Where nothing matches the clock is looked at all the same.
            while end < MANY && !is_done && visits < LOOK_EVERY {
                for &member in members.by_ref() {
                    // As in [`Machine::match_each`].
                    (columns[0][end], columns[1][end]) = (node, member);
                    end += usize::from(may_be_last(member));
                    if end == MANY {
                        break;
                    }
                }
                if end < MANY {
                    is_done = match nodes.next() {
                        Some((candidate, fits)) if fits && may_be(candidate) => {
                            node = candidate;
                            let class = search.rows[node.0 as usize][1 + child];
                            let all = search.members(class, head, runs);
                            members = all.iter();
                            visits += 1 + all.len();
                            false
                        }
                        Some(_) => {
                            visits += usize::from(count);
                            false
                        }
                        None => true,
                    };
                }
            }
            self.pending = end;
            self.count_matches(end - begin);
            if end == MANY {
                self.note_pending();
            }
            self.visited(visits);
            if is_done || self.found.halted.is_some() {
                return;
            }
        }
    }

    /// Counts matches whose conditions hold.
    #[inline]
    pub(super) fn count_matches(&mut self, matches: usize) {
        self.uncounted.matches += matches;
        if self.uncounted.matches >= COUNT_EVERY {
            self.count();
        }
    }
}
