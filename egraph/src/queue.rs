//! Matches that wait to be applied, in the order of their rules.

use crate::egraph::Id;
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

    /// The rule of the next match.
    pub fn next_rule(&self) -> Option<usize> {
        self.blocks.front().map(|block| block.rule)
    }

    /// Takes the next match.
    pub fn pop(&mut self, found: &mut Vec<Id>) {
        found.clear();
        let Some(block) = self.blocks.front() else { return };
        let stride = block.stride;
        found.extend_from_slice(&block.ids[self.at..self.at + stride]);
        self.at += stride;
        self.matches -= 1;
        self.ids -= stride;
        if self.at == block.ids.len() {
            self.blocks.pop_front();
            self.at = 0;
        }
    }

    /// Drops the last matches, `count` or all but the first. What is left does not depend on how
    /// the matches are spread over blocks.
    pub fn drop_last(&mut self, count: usize) {
        let mut count = count.min(self.matches.saturating_sub(1));
        self.matches -= count;
        while count > 0 {
            let first = if self.blocks.len() == 1 { self.at } else { 0 };
            let Some(block) = self.blocks.back_mut() else { return };
            let less = count.min((block.ids.len() - first) / block.stride) * block.stride;
            block.ids.truncate(block.ids.len() - less);
            count -= less / block.stride;
            self.ids -= less;
            if block.ids.is_empty() {
                self.blocks.pop_back();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut queue: Queue) -> Vec<(usize, Vec<u32>)> {
        let mut found = Vec::new();
        let mut matches = Vec::new();
        while let Some(rule) = queue.next_rule() {
            queue.pop(&mut found);
            matches.push((rule, found.iter().map(|id| id.0).collect()));
        }
        assert_eq!((queue.len(), queue.heap_bytes()), (0, 0));
        matches
    }

    #[test]
    fn the_last_matches_are_dropped_alike_however_they_lie() {
        let ids = |range: std::ops::Range<u32>| range.map(Id).collect::<Vec<_>>();
        for dropped in 0..8 {
            let mut one = Queue::default();
            one.push(3, 2, ids(0..6));
            one.push(5, 1, ids(6..9));
            let mut other = Queue::default();
            for (rule, stride, part) in [(3, 2, 0..2), (3, 2, 2..6), (5, 1, 6..7), (5, 1, 7..9)] {
                other.push(rule, stride, ids(part));
            }
            for queue in [&mut one, &mut other] {
                queue.pop(&mut Vec::new());
                queue.drop_last(dropped);
                assert_eq!(queue.len(), 5usize.saturating_sub(dropped).max(1));
            }
            let left = all(one);
            assert_eq!(left, all(other), "{dropped}");
            assert_eq!(left[0], (3, vec![2, 3]));
        }
    }
}
