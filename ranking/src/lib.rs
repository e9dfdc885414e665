//! A small network that says how promising a match is: best-first saturation with a learned order.
//!
//! The road of a match: [`numbers`](mod@numbers) (what it looks like) → `layers` with [`weights`] → its rank. [`fit`](fit::fit) makes
//! the weights from matches of which it is known whether a proof used them (`gradient`, `adamw`), and a [`Ranker`] is what
//! a file holds of them.
//!
//! [`AnyRanker`] has weights for every system: rows for its rules and operators come from what they look like (`features`, `laws`).
//!
//! What this crate must not know: how e-graphs grow, proofs, searching. It sees matches as numbers.

mod adamw;
pub mod any;
pub mod example;
mod features;
pub mod fit;
mod gradient;
mod laws;
mod layers;
pub mod numbers;
pub mod ranker;
pub mod weights;

pub use any::AnyRanker;
pub use example::Example;
pub use fit::{Course, Study, fit, fit_any};
pub use ranker::Ranker;
