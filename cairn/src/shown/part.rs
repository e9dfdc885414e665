//! What a command with `--shard` says of its part.

use anyhow::Result;
use jobs::{Outcome, Shard};
use std::path::Path;
use support::print;

/// Prints what was done for a part, whose items are called `items`, in the directory `out`.
///
/// # Errors
/// Nothing can be printed.
pub fn print_part((shard, out): (Shard, &Path), outcome: Outcome, items: &str) -> Result<()> {
    let done = match outcome {
        Outcome::Made { items: count } => format!("{count} {items}"),
        Outcome::Already => "was there already".to_owned(),
    };
    print(&format!("part {shard}: {done}\n{}\n", out.display()))
}
