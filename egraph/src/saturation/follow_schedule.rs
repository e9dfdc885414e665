//! A run follows its schedule: iterations in the order that it says, again and again until nothing changes.

use crate::rules::schedule::Schedule;
use crate::saturation::run::{Effect, Run};
use crate::saturation::scheduler::Bans;
use crate::stop::StopReason;
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
    fn repeat(&mut self, most: u64, body: &[Schedule]) -> ControlFlow<StopReason, (Effect, bool)> {
        let mut effect = Effect::default();
        for _ in 0..most {
            let last = self.in_turn(body)?;
            effect = Effect { changed: effect.changed | last.changed, waits: last.waits };
            if !last.changed && last.waits.is_none() {
                return ControlFlow::Continue((effect, true));
            }
        }
        ControlFlow::Continue((effect, false))
    }

    /// Runs schedules one after the other. The schedulers that they begin end with them.
    fn in_turn(&mut self, body: &[Schedule]) -> ControlFlow<StopReason, Effect> {
        let scope = self.bans.len();
        let mut effect = Effect::default();
        for schedule in body {
            let next = self.execute(schedule)?;
            self.unsettled |= next.waits.is_some_and(|scheduler| scheduler >= scope);
            let waits = effect.waits.into_iter().chain(next.waits).min();
            effect = Effect { changed: effect.changed | next.changed, waits };
        }
        let last = self.iterations.saturating_sub(2);
        self.unsettled |= self.bans.drain(scope..).any(|bans| bans.any_after(last));
        effect.waits = effect.waits.filter(|&scheduler| scheduler < scope);
        ControlFlow::Continue(effect)
    }

    fn execute(&mut self, schedule: &Schedule) -> ControlFlow<StopReason, Effect> {
        match schedule {
            Schedule::Run(rules, by) => self.iterate(*rules, by.map_or(0, |place| place.0 + 1)),
            Schedule::LetScheduler(back_off) => {
                self.bans.push(Bans::new(Some(*back_off), self.system.rules.len()));
                ControlFlow::Continue(Effect::default())
            }
            Schedule::Saturate(body) => self.repeat(u64::MAX, body).map_continue(|(done, _)| done),
            Schedule::Repeat(times, body) => {
                self.repeat(*times, body).map_continue(|(done, _)| done)
            }
            Schedule::Seq(body) => self.in_turn(body),
        }
    }
}
