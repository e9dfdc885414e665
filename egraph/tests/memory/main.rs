//! What takes how much memory. A program of its own, for its allocator counts.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/counting.rs"]
mod counting;

/// The tests run one after the other, for they share the count.
static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());

mod functions_on_terms_keep_to_limits;
mod limits_hold_inside_an_iteration;
mod rule_files_take_little_memory_and_time;
