//! How the weights are found: used matches beside others of their e-graphs ([`lists`]) → how the weights would rank them better
//! ([`gradient`](mod@gradient)) → steps ([`adamw`]).

mod adamw;
pub mod fit;
mod gradient;
mod lists;
