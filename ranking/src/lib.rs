//! A small network that says how promising a match is: best-first saturation with a learned order.
//!
//! The road of a match: [`numbers`](mod@numbers) (what it looks like) → `layers` with [`weights`] → its rank. [`fit`](fit::fit) makes
//! the weights from matches of which it is known whether a proof used them (`gradient`, `adamw`), and a [`Ranker`] is what
//! a file holds of them.
//!
//! What this crate must not know: how e-graphs grow, proofs, searching. It sees matches as numbers.

mod adamw;
pub mod example;
pub mod fit;
mod gradient;
mod layers;
pub mod numbers;
pub mod ranker;
pub mod weights;

pub use example::Example;
pub use fit::fit;
pub use ranker::Ranker;
