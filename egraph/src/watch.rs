//! When to stop because of the time, or because somebody asks for it.

use crate::saturate::StopReason;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A deadline and a flag, looked at now and then.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    deadline: Option<Instant>,
    cancel: Option<Arc<AtomicBool>>,
}

impl Watch {
    /// Begins now.
    pub fn new(time: Option<Duration>, cancel: Option<Arc<AtomicBool>>) -> Watch {
        // A limit beyond what the clock can express is none.
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Watch { deadline, cancel }
    }

    /// Why to stop now, if one has to.
    pub fn expired(&self) -> Option<StopReason> {
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Relaxed)) {
            return Some(StopReason::Cancelled);
        }
        self.deadline.is_some_and(|at| Instant::now() >= at).then_some(StopReason::Time)
    }
}
