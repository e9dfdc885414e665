//! Matches that wait to be applied, in the order of their rules.

use crate::id::Id;
use std::collections::VecDeque;

/// Matches of one rule, one after the other.
#[derive(Debug)]
struct Block {
    rule: usize,
    /// Ids of one match.
    stride: usize,
    ids: Vec<Id>,
}

/// Blocks of matches, given back one by one as they are done.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    blocks: VecDeque<Block>,
    /// Where the next match begins in the first block.
    at: usize,
    matches: usize,
    ids: usize,
}

impl Queue {
    /// Appends matches of a rule: runs of `stride` ids.
    pub fn push(&mut self, rule: usize, stride: usize, ids: Vec<Id>) {
        if !ids.is_empty() {
            self.matches += ids.len() / stride;
            self.ids += ids.len();
            self.blocks.push_back(Block { rule, stride, ids });
        }
    }

    /// Number of matches.
    pub fn len(&self) -> usize {
        self.matches
    }

    /// Bytes that the matches take.
    pub fn heap_bytes(&self) -> usize {
        self.ids * size_of::<Id>()
    }

    /// Takes the next matches, all of one rule and `most` at most; returns the rule. Which ones
    /// these are does not depend on how the matches are spread over blocks.
    pub fn pop(&mut self, most: usize, found: &mut Vec<Id>) -> Option<usize> {
        found.clear();
        let Block { rule, stride, .. } = *self.blocks.front()?;
        // At once: its capacity must not depend on the blocks either.
        found.reserve_exact(most.min(self.matches) * stride);
        let mut wanted = most;
        while wanted > 0
            && let Some(block) = self.blocks.front().filter(|block| block.rule == rule)
        {
            let end = block.ids.len().min(self.at + wanted * block.stride);
            let taken = &block.ids[self.at..end];
            found.extend_from_slice(taken);
            wanted -= taken.len() / block.stride;
            self.matches -= taken.len() / block.stride;
            self.ids -= taken.len();
            self.at = end;
            if end == block.ids.len() {
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
        while count > 0 {
            let first = if self.blocks.len() == 1 { self.at } else { 0 };
            let Some(block) = self.blocks.back_mut() else { return };
            let less = count.min((block.ids.len() - first) / block.stride) * block.stride;
            block.ids.truncate(block.ids.len() - less);
            count -= less / block.stride;
            self.ids -= less;
            if block.ids.len() == first {
                self.blocks.pop_back();
                if self.blocks.is_empty() {
                    self.at = 0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut queue: Queue, most: usize) -> Vec<(usize, Vec<u32>)> {
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
            let mut one = Queue::default();
            one.push(3, 2, ids(0..8));
            one.push(5, 1, ids(8..11));
            let mut other = Queue::default();
            for (rule, stride, part) in [(3, 2, 0..4), (3, 2, 4..8), (5, 1, 8..9), (5, 1, 9..11)] {
                other.push(rule, stride, ids(part));
            }
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
