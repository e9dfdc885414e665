//! Matches that wait to be applied, in the order of their rules.
//!
//! Those of all rules lie one after the other in large blocks, which are given back one by one as
//! they are done. Blocks of this size the C library can be told to map one by one (see
//! `support::allocator`), so that what is given back really leaves the process: small ones would
//! stay in its heap, between others.

use crate::building::right_side::MANY;
use crate::id::Id;
use std::collections::VecDeque;

/// Matches of one rule in a row.
#[derive(Debug)]
struct Run {
    rule: usize,
    /// Ids of one match.
    stride: usize,
    matches: usize,
}

/// Matches by rule, which are taken from the front and dropped from the back.
#[derive(Debug)]
pub(crate) struct MatchQueue {
    /// Ids in a block at least.
    least: usize,
    runs: VecDeque<Run>,
    /// The ids of all runs. No match lies in two blocks.
    blocks: VecDeque<Vec<Id>>,
    /// Where the next match begins in the first block.
    at: usize,
    matches: usize,
    ids: usize,
}

/// Ids in a block at most: 128 KiB with the C library's note of its size, so that it takes whole
/// pages.
const BLOCK: usize = (1 << 15) - 4;
/// Ids in a block at least, where there are few.
const SMALL: usize = 1 << 6;
/// A new block takes up to one in so many of the ids that are there, since what stays empty in it is
/// charged to no limit.
const SHARE: usize = 16;

impl Default for MatchQueue {
    fn default() -> MatchQueue {
        MatchQueue::with_least(SMALL)
    }
}

impl MatchQueue {
    /// A queue that others are taken out of again and again. Its blocks are large from the first on: those that
    /// grow step by step would leave the heap of a process that grows an e-graph beside it in pieces.
    pub fn passing() -> MatchQueue {
        MatchQueue::with_least(BLOCK)
    }

    fn with_least(least: usize) -> MatchQueue {
        let (runs, blocks) = Default::default();
        MatchQueue { least, runs, blocks, at: 0, matches: 0, ids: 0 }
    }

    /// Takes all matches out of a passing queue, none of which has been taken before. A block that is mostly empty stays,
    /// for what comes next.
    pub fn take_out(&mut self) -> MatchQueue {
        let mut out = std::mem::replace(self, MatchQueue::passing());
        if let Some(last) = out.blocks.back_mut().filter(|last| last.len() < BLOCK / 2) {
            let copy = last.as_slice().into();
            let mut large = std::mem::replace(last, copy);
            large.clear();
            self.blocks.push_back(large);
        }
        out
    }

    /// Appends a match of a rule.
    pub fn push(&mut self, rule: usize, ids: &[Id]) {
        self.note(rule, ids.len(), 1);
        let block = self.block_for(ids.len());
        block.extend_from_slice(ids);
    }

    /// Appends matches of a rule: some of those whose ids stand in columns.
    pub fn push_columns(&mut self, rule: usize, columns: &[[Id; MANY]], mut some: &[u8]) {
        let stride = columns.len();
        while !some.is_empty() {
            let block = self.block_for(stride);
            let (start, room) = (block.len(), (block.capacity() - block.len()) / stride);
            let (now, later) = some.split_at(room.min(some.len()));
            block.resize(start + now.len() * stride, Id(0));
            for (place, column) in columns.iter().enumerate() {
                let matches = block[start..].chunks_exact_mut(stride);
                matches
                    .zip(now)
                    .for_each(|(ids, &number)| ids[place] = column[usize::from(number)]);
            }
            self.note(rule, stride, now.len());
            some = later;
        }
    }

    /// Notes matches that come behind all others.
    fn note(&mut self, rule: usize, stride: usize, matches: usize) {
        match self.runs.back_mut() {
            Some(run) if run.rule == rule => run.matches += matches,
            _ => self.runs.push_back(Run { rule, stride, matches }),
        }
        self.matches += matches;
        self.ids += matches * stride;
    }

    /// The last block, with room for a match.
    fn block_for(&mut self, stride: usize) -> &mut Vec<Id> {
        if self.blocks.back().is_none_or(|block| block.capacity() - block.len() < stride) {
            self.add_block(stride);
        }
        self.blocks.back_mut().expect("a block has been added")
    }

    /// Adds a block with room for so many ids at least.
    fn add_block(&mut self, wanted: usize) {
        // Nothing more comes into the last one.
        if let Some(last) = self.blocks.back_mut().filter(|b| b.capacity() - b.len() > SMALL) {
            last.shrink_to_fit();
        }
        let size = (self.ids / SHARE).clamp(self.least, BLOCK).max(wanted);
        self.blocks.push_back(Vec::with_capacity(size));
    }

    /// Appends all matches of another queue, none of which has been taken.
    pub fn append(&mut self, mut other: MatchQueue) {
        for run in other.runs {
            match self.runs.back_mut() {
                Some(last) if last.rule == run.rule => last.matches += run.matches,
                _ => self.runs.push_back(run),
            }
        }
        self.matches += other.matches;
        while let Some(block) = other.blocks.pop_front() {
            let fits = |last: &Vec<Id>| last.capacity() - last.len() >= block.len();
            if block.len() < BLOCK / 2 && !self.blocks.back().is_some_and(fits) {
                self.add_block(block.len());
            }
            self.ids += block.len();
            match self.blocks.back_mut() {
                Some(last) if fits(last) => last.extend_from_slice(&block),
                last => {
                    // Nothing comes behind what it holds.
                    last.into_iter().for_each(Vec::shrink_to_fit);
                    self.blocks.push_back(block);
                }
            }
        }
    }

    /// Only the matches of some rules.
    pub fn keep(mut self, rules: impl Fn(usize) -> bool) -> MatchQueue {
        let mut kept = MatchQueue::default();
        let mut found = Vec::new();
        while let Some(stride) = self.runs.front().map(|run| run.stride)
            && let Some(rule) = self.pop(BLOCK / stride, &mut found)
        {
            if rules(rule) {
                found.chunks_exact(stride).for_each(|ids| kept.push(rule, ids));
            }
        }
        kept
    }

    /// Number of matches.
    pub fn len(&self) -> usize {
        self.matches
    }

    /// Number of ids.
    pub fn ids(&self) -> usize {
        self.ids
    }

    /// Bytes that the matches take.
    pub fn heap_bytes(&self) -> usize {
        self.ids * size_of::<Id>()
    }

    /// Takes the next matches, all of one rule and `most` at most; returns the rule. Which ones
    /// these are does not depend on how the matches are spread over blocks.
    pub fn pop(&mut self, most: usize, found: &mut Vec<Id>) -> Option<usize> {
        found.clear();
        let run = self.runs.front_mut()?;
        let Run { rule, stride, .. } = *run;
        // At once: its capacity must not depend on the blocks either.
        found.reserve_exact(most.min(self.matches) * stride);
        let mut wanted = most.min(run.matches);
        run.matches -= wanted;
        if run.matches == 0 {
            self.runs.pop_front();
        }
        self.matches -= wanted;
        self.ids -= wanted * stride;
        while wanted > 0
            && let Some(block) = self.blocks.front()
        {
            // What is left of a block is of this rule, or it has all that are wanted.
            let taken = wanted.min((block.len() - self.at) / stride);
            let end = self.at + taken * stride;
            found.extend_from_slice(&block[self.at..end]);
            wanted -= taken;
            self.at = end;
            if end == block.len() {
                self.blocks.pop_front();
                self.at = 0;
            }
        }
        Some(rule)
    }

    /// Drops the last matches, `count` or all. What is left does not depend on how
    /// the matches are spread over blocks.
    pub fn drop_last(&mut self, count: usize) {
        let mut count = count.min(self.matches);
        self.matches -= count;
        while count > 0
            && let Some(run) = self.runs.back_mut()
        {
            let stride = run.stride;
            let mut less = count.min(run.matches);
            count -= less;
            run.matches -= less;
            if run.matches == 0 {
                self.runs.pop_back();
            }
            self.ids -= less * stride;
            while less > 0 {
                let first = if self.blocks.len() == 1 { self.at } else { 0 };
                let Some(block) = self.blocks.back_mut() else { return };
                let dropped = less.min((block.len() - first) / stride);
                block.truncate(block.len() - dropped * stride);
                less -= dropped;
                if block.len() == first {
                    self.blocks.pop_back();
                    if self.blocks.is_empty() {
                        self.at = 0;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_queues_are_joined_and_sifted() {
        let mut expected: Vec<Vec<Id>> = vec![Vec::new(); 3];
        let mut all = MatchQueue::default();
        for (round, rule) in [(0, 0), (1, 0), (2, 1), (3, 2)] {
            let mut part = MatchQueue::default();
            for n in 0..30_000 {
                let found = [round, n, round ^ n].map(Id);
                expected[rule].extend_from_slice(&found);
                part.push(rule, &found);
            }
            assert!(part.blocks.iter().all(|block| block.capacity() <= BLOCK));
            all.append(part);
        }
        let room: usize = all.blocks.iter().map(Vec::capacity).sum();
        assert!(room - all.ids() <= 2 * BLOCK, "{room} for {}", all.ids());
        let mut all = all.keep(|rule| rule != 1);
        assert_eq!((all.len(), all.ids()), (90_000, 270_000));
        let mut found = Vec::new();
        let mut taken: Vec<Vec<Id>> = vec![Vec::new(); 3];
        while let Some(rule) = all.pop(4_096, &mut found) {
            taken[rule].extend_from_slice(&found);
        }
        expected[1].clear();
        assert!(taken == expected);
    }

    #[test]
    fn what_is_taken_out_in_pieces_is_what_was_put_in() {
        let (mut passing, mut all) = (MatchQueue::passing(), MatchQueue::default());
        let mut expected = Vec::new();
        // Few, many, none, and one and a half blocks at once.
        for (round, matches) in [3, 1_000, 0, BLOCK / 2, 5].into_iter().enumerate() {
            for n in 0..matches as u32 {
                let found = [round as u32, n, n / 7].map(Id);
                expected.extend_from_slice(&found);
                passing.push(round, &found);
            }
            assert!(passing.blocks.iter().all(|block| block.capacity() >= BLOCK));
            let out = passing.take_out();
            assert_eq!((passing.len(), passing.ids(), passing.blocks.len() <= 1), (0, 0, true));
            // What waits takes no more than it holds.
            let room: usize = out.blocks.iter().map(Vec::capacity).sum();
            assert!(room - out.ids() <= BLOCK / 2, "{room} for {}", out.ids());
            all.append(out);
        }
        let (mut found, mut taken, mut rules) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(rule) = all.pop(700, &mut found) {
            taken.extend_from_slice(&found);
            rules.push(rule);
        }
        rules.dedup();
        assert!(taken == expected);
        assert_eq!(rules, [0, 1, 3, 4]);
    }

    fn all(mut queue: MatchQueue, most: usize) -> Vec<(usize, Vec<u32>)> {
        let mut found = Vec::new();
        let mut matches = Vec::new();
        while let Some(rule) = queue.pop(most, &mut found) {
            matches.push((rule, found.iter().map(|id| id.0).collect()));
        }
        assert_eq!((queue.len(), queue.heap_bytes()), (0, 0));
        matches
    }

    #[test]
    fn matches_come_and_are_dropped_alike_however_they_lie() {
        let ids = |range: std::ops::Range<u32>| range.map(Id).collect::<Vec<_>>();
        for (dropped, most) in (0..8).flat_map(|dropped| [(dropped, 1), (dropped, 2), (dropped, 9)])
        {
            let part = |rule, stride, range| {
                let mut queue = MatchQueue::default();
                ids(range).chunks(stride).for_each(|found| queue.push(rule, found));
                queue
            };
            let mut one = part(3, 2, 0..8);
            ids(8..11).iter().for_each(|&id| one.push(5, &[id]));
            let mut other = MatchQueue::default();
            for (rule, stride, range) in [(3, 2, 0..4), (3, 2, 4..8), (5, 1, 8..9), (5, 1, 9..11)] {
                // A block for each.
                let size = range.len();
                other.blocks.push_back(Vec::with_capacity(size));
                other.append(part(rule, stride, range));
            }
            assert_eq!((one.blocks.len(), other.blocks.len()), (1, 4));
            for queue in [&mut one, &mut other] {
                assert_eq!(queue.pop(1, &mut Vec::new()), Some(3));
                queue.drop_last(dropped);
                assert_eq!(queue.len(), 6usize.saturating_sub(dropped));
            }
            let left = all(one, most);
            assert_eq!(left, all(other, most), "{dropped} {most}");
            assert_eq!(left.first().is_some_and(|(_, ids)| ids[0] == 2), dropped < 6);
        }
    }
}
