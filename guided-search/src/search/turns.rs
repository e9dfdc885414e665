//! E-graphs of the same terms with one scheduler and the other in turn, and of more and more e-nodes: what
//! one scheduler finds early is found before the other has spent much.

use crate::options::schedulers::Schedulers;
use egraph::{Scheduler, StopReason};

/// How many times the e-nodes of the turn before a turn may have.
const LARGER: usize = 4;

/// Whose turn it is.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Of this size, the next one last.
    left: Vec<Scheduler>,
    /// Those that can grow further, the first one first.
    growing: Vec<Scheduler>,
    nodes: usize,
}

impl Turns {
    /// E-graphs of `nodes` e-nodes at first.
    pub fn new(schedulers: Schedulers, nodes: usize) -> Turns {
        let (first, other) = schedulers.in_turn();
        Turns { left: other.into_iter().chain([first]).collect(), growing: Vec::new(), nodes }
    }

    /// E-nodes of the next e-graph at most, if one can still grow further.
    pub fn nodes(&self) -> Option<usize> {
        match (self.left.is_empty(), self.growing.is_empty()) {
            (false, _) => Some(self.nodes),
            (true, false) => Some(self.nodes.saturating_mul(LARGER)),
            (true, true) => None,
        }
    }

    /// The scheduler of the next e-graph and its e-nodes at most, if one can still grow further.
    pub fn next(&mut self) -> Option<(Scheduler, usize)> {
        if self.left.is_empty() {
            self.left = std::mem::take(&mut self.growing);
            self.left.reverse();
            self.nodes = self.nodes.saturating_mul(LARGER);
        }
        Some((self.left.pop()?, self.nodes))
    }

    /// Why the last e-graph ended. It may not have more e-nodes than `most` in any turn.
    pub fn ended(&mut self, scheduler: Scheduler, stop: StopReason, most: usize) {
        match stop {
            StopReason::Nodes if self.nodes < most => self.growing.push(scheduler),
            // It would be the same under any scheduler.
            StopReason::Saturated => *self = Turns { left: vec![], growing: vec![], ..*self },
            _ => {}
        }
    }

    /// Whether there is no further turn.
    pub fn are_over(&self) -> bool {
        self.left.is_empty() && self.growing.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scheduler::{Backoff, Simple};

    #[test]
    fn those_that_can_grow_further_have_another_turn_with_more_e_nodes() {
        let mut turns = Turns::new(Schedulers::Auto, 10);
        let mut turn = |stop| {
            let next = turns.next()?;
            turns.ended(next.0, stop, 100);
            Some(next)
        };
        assert_eq!(turn(StopReason::Nodes), Some((Simple, 10)));
        assert_eq!(turn(StopReason::Nodes), Some((Backoff, 10)));
        assert_eq!(turn(StopReason::Iterations), Some((Simple, 40)));
        assert_eq!(turn(StopReason::Nodes), Some((Backoff, 40)));
        // As many as there may be.
        assert_eq!(turn(StopReason::Nodes), Some((Backoff, 160)));
        assert_eq!(turn(StopReason::Nodes), None);
    }

    #[test]
    fn how_large_the_next_one_is_is_known_before() {
        let mut turns = Turns::new(Schedulers::Auto, 10);
        while let Some(nodes) = turns.nodes() {
            let next = turns.next().unwrap();
            assert_eq!(next.1, nodes);
            turns.ended(next.0, StopReason::Nodes, 100);
        }
        assert!(turns.are_over() && turns.next().is_none());
    }

    #[test]
    fn nothing_comes_after_a_saturated_one() {
        let mut turns = Turns::new(Schedulers::Auto, 10);
        let (scheduler, _) = turns.next().unwrap();
        turns.ended(scheduler, StopReason::Saturated, 100);
        assert!(turns.are_over() && turns.next().is_none());
    }
}
