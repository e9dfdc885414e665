//! A run follows its schedule: iterations in the order that it says, again and again until nothing changes, a goal holds
//! or a limit is reached, behind which the next part goes on.

use crate::graph::seen::Seen;
use crate::rules::schedule::{Goal, Schedule};
use crate::saturation::best_first::Waiting;
use crate::saturation::progress::Sought;
use crate::saturation::run::{Run, Waits};
use crate::saturation::scheduler::Bans;
use crate::stop::{Limits, StopReason};
use std::ops::ControlFlow;

impl Run<'_> {
    /// Executes a whole schedule; whether all rules were run until they change nothing any more.
    pub(super) fn execute_all(&mut self, schedule: &Schedule) -> ControlFlow<StopReason, bool> {
        let (most, body) = match schedule {
            Schedule::Seq(body) if let Some((last, first)) = body.split_last() => {
                for schedule in first {
                    self.execute(schedule)?;
                }
                return self.execute_all(last);
            }
            Schedule::Saturate(body) => (u64::MAX, body),
            Schedule::Repeat(times, body) => (*times, body),
            other => return self.execute(other).map_continue(|_| false),
        };
        let (_, settled) = self.repeat(most, body)?;
        ControlFlow::Continue(settled && !self.unsettled && schedule.runs_all(&self.system.rules))
    }

    /// Runs schedules again and again until they change nothing, or so many times; whether they change
    /// nothing any more.
    fn repeat(&mut self, most: u64, body: &[Schedule]) -> ControlFlow<StopReason, (Waits, bool)> {
        let mut waits = None;
        for _ in 0..most {
            let before = self.done;
            waits = self.in_turn(body)?;
            if !self.done.changed_since(before) && waits.is_none() {
                return ControlFlow::Continue((waits, true));
            }
        }
        ControlFlow::Continue((waits, false))
    }

    /// Runs schedules one after the other. The schedulers that they begin end with them.
    pub(super) fn in_turn(&mut self, body: &[Schedule]) -> ControlFlow<StopReason, Waits> {
        let scope = self.bans.len();
        let mut waits: Waits = None;
        for schedule in body {
            let next = self.execute(schedule)?;
            self.unsettled |= next.is_some_and(|scheduler| scheduler >= scope);
            waits = waits.into_iter().chain(next).min();
        }
        let last = self.iterations.saturating_sub(2);
        self.unsettled |= self.bans.drain(scope..).any(|bans| bans.any_after(last));
        ControlFlow::Continue(waits.filter(|&scheduler| scheduler < scope))
    }

    fn execute(&mut self, schedule: &Schedule) -> ControlFlow<StopReason, Waits> {
        match schedule {
            Schedule::Run(rules, by) => self.iterate(rules, by.map_or(0, |place| place.0 + 1)),
            Schedule::LetScheduler(back_off) => {
                self.bans.push(Bans::new(Some(*back_off), self.system.rules.len()));
                ControlFlow::Continue(None)
            }
            Schedule::Saturate(body) => {
                self.repeat(u64::MAX, body).map_continue(|(waits, _)| waits)
            }
            Schedule::Repeat(times, body) => {
                self.repeat(*times, body).map_continue(|(waits, _)| waits)
            }
            Schedule::Seq(body) => self.in_turn(body),
            Schedule::Limit(limits, body) => self.limited(limits, body),
            Schedule::Until(goal, body) => self.until(goal, body),
            Schedule::Rebase(rebase) => self.rebase(rebase),
        }
    }
    /// Runs schedules within limits.
    pub(super) fn limited(
        &mut self,
        limits: &Limits,
        body: &[Schedule],
    ) -> ControlFlow<StopReason, Waits> {
        let own = self.limits.and(limits, self.iterations - 1);
        let watch = self.watch.within(limits.time);
        let limits = std::mem::replace(&mut self.limits, own.clone());
        let watch = std::mem::replace(&mut self.watch, watch);
        let visits = std::mem::take(&mut self.visits);
        let scope = self.bans.len();
        let ended = self.in_turn(body);
        self.limits = limits;
        self.watch = watch;
        self.visits = self.visits.saturating_add(visits);
        match ended {
            ControlFlow::Break(stop)
                if own.explain(stop, &self.limits)
                    || stop == StopReason::Time && self.watch.expired().is_none() =>
            {
                self.resume(scope)
            }
            other => other,
        }
    }

    /// Runs schedules until a goal holds.
    pub(super) fn until(
        &mut self,
        goal: &Goal,
        body: &[Schedule],
    ) -> ControlFlow<StopReason, Waits> {
        let Some(sought) = Sought::new(goal, self.egraph) else {
            return ControlFlow::Break(StopReason::Lost);
        };
        if sought.holds(self.egraph, &self.sides) {
            return ControlFlow::Continue(None);
        }
        let (scope, number) = (self.bans.len(), self.goals.len());
        self.goals.push(sought);
        let ended = self.in_turn(body);
        self.goals.truncate(number);
        if ended.is_break() && self.reached == Some(number) {
            self.reached = None;
            return self.resume(scope);
        }
        ended
    }

    /// Goes on where a part of a schedule was ended, whose schedulers begin behind `scope`.
    fn resume(&mut self, scope: usize) -> ControlFlow<StopReason, Waits> {
        self.bans.truncate(scope);
        self.unsettled = true;
        if self.cut {
            // What was found and left out is found again.
            self.forget_matches();
        }
        ControlFlow::Continue(None)
    }

    /// Everything is looked at again.
    pub(super) fn forget_matches(&mut self) {
        self.cut = false;
        *self.egraph.seen() = Seen::nothing(self.system.rules.len());
        self.waiting = self.waiting.take().map(|_| Waiting::new(&self.system));
    }
}
