//! A small network that says how promising a match is: best-first saturation with a learned order.
//!
//! The path of a match: [`numbers`](mod@numbers) (its features) → `layers` with [`weights`] → its rank. [`fit`] fits
//! the weights to matches that are labelled by whether a proof used them (`fitting`). A [`Ranker`] is the content of
//! a ranker file.
//!
//! [`AnyRanker`] has weights for every system: it computes the table rows of rules and operators from their shape and laws (`features`, `laws`).
//!
//! What this crate must not know: how e-graphs grow, proofs, searching. It sees matches as numbers.

pub mod any;
pub mod content;
pub mod example;
mod features;
mod fitting;
mod laws;
mod layers;
pub mod numbers;
pub mod ranker;
pub mod weights;

pub use any::AnyRanker;
pub use content::{Content, Unknown};
pub use example::Example;
pub use fitting::fit::{Passes, Study, fit, fit_any};
pub use ranker::{LearnedOn, Ranker};
