//! Led by another than cost: a strategy, a planner's sketches towards a goal, guesses of the answer.

pub(crate) mod distance;
pub(crate) mod goals;
pub(crate) mod guess;
pub(crate) mod plan;
pub(crate) mod planner;
pub(crate) mod strategy;
