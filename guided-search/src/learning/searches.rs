//! The searches of a round: an item is a search, those that are learned from before those of validation.

use crate::learning::kept::Learning;
use crate::learning::practice::{Found, Order, Practice, Searched};
use anyhow::Result;
use egraph::System;
use jobs::Job;
use ranking::Ranker;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is learned, on what.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// What is learned from, and how.
    pub learning: &'a Learning,
    /// The rewrite system.
    pub system: &'a Arc<System>,
    /// The searches.
    pub practice: &'a dyn Practice,
    /// The ranker to go on from.
    pub from: Option<&'a Arc<Ranker>>,
}

/// What the parts become.
pub const ROUND_PART: &str = "a round of learning";

/// What all searches of a round depend on.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundSettings {
    /// What is learned.
    pub learning: Learning,
    /// The number of the round.
    pub round: u32,
    /// SHA-256 of the ranker that orders the matches; round 0 has none of its own.
    pub ranker: Option<String>,
    /// Searches that are learned from.
    pub training: u64,
}

/// The searches of a round.
pub struct Searches {
    /// What they depend on.
    pub settings: RoundSettings,
    /// The numbers of those that are learned from.
    training: Vec<u32>,
    order: Order,
}

impl Searches {
    /// Of the round after those that found this, ordered by a ranker, whose file has a hash from round 1 on.
    pub fn after(
        before: &[Vec<Found>],
        course: &Course<'_>,
        ranker: Option<Arc<Ranker>>,
        hash: Option<String>,
    ) -> Searches {
        let (learning, round) = (course.learning.clone(), before.len() as u32);
        let is_last = round == learning.rounds;
        let training = if is_last { Vec::new() } else { course.practice.training(before) };
        let of_training = training.len() as u64;
        let settings = RoundSettings { learning, round, ranker: hash, training: of_training };
        Searches { settings, training, order: ranker.map(|ranker| ranker as _) }
    }

    /// As a job.
    pub fn job<'a>(
        &'a self,
        practice: &'a dyn Practice,
    ) -> Job<'a, &'a RoundSettings, impl Fn(u64) -> Result<Searched> + Sync + 'a> {
        let of_training = self.settings.training;
        Job {
            kind: ROUND_PART,
            items: ("searches", of_training + u64::from(practice.validation())),
            settings: &self.settings,
            told: None,
            beside: None,
            work: move |item| match self.training.get(item as usize) {
                Some(&number) => practice.train(number, &self.order),
                None => practice.validate((item - of_training) as u32, &self.order),
            },
        }
    }
}
