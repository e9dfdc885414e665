//! What this crate promises, seen from outside.

mod examples_run;
mod learning_is_repeatable;
mod methods_answer;
mod optimising_ends_in_a_proof;
mod searches_end_in_one_answer;
mod shared;
