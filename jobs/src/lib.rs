//! Long work that can be resumed: the work consists of numbered items, each of which depends on its number alone and is stored
//! when it is done, by one process or in parts by independent processes.
//!
//! A command declares once what its items are ([`Job`]), what its run does ([`Described`]), and what it makes of finished items.
//! This crate provides resuming ([`Job::run`]), parts ([`Job::part`]) and their merging ([`Parts`]). A file in the directory of a
//! run describes the run; a directory of another run is refused, and stays as it is.
//!
//! ```
//! use jobs::{Job, Parts, Shard};
//!
//! # fn main() -> anyhow::Result<()> {
//! let squares = Job {
//!     kind: "squares",
//!     items: ("numbers", 10),
//!     settings: "of the first numbers",
//!     told: None,
//!     beside: None,
//!     work: |number| Ok(number * number),
//! };
//! let place = tempfile::tempdir()?;
//! let paths = [0, 1, 2].map(|index| place.path().join(format!("part-{index}")));
//! for (out, index) in paths.iter().zip(0..) {
//!     squares.part((Shard { index, count: 3 }, out), None, true)?;
//! }
//! let merged = Parts::open(&paths)?.each(true, |_, square: u64| Ok(square))?;
//! assert_eq!(merged, squares.run(true, |_| None, |_, square| Ok(square))?);
//! # Ok(())
//! # }
//! ```
//!
//! What this crate must not know: what items are; terms, data sets, searches, the command line.

mod described;
mod each;
mod job;
mod journal;
mod part;
mod parts;
mod rows;
mod shard;
mod whole_journal;

pub use described::Described;
pub use each::each;
pub use job::{Enough, Job, Kept, Outcome, make_part};
pub use journal::Journal;
pub use part::{PART_FILE, Part, load_parts};
pub use parts::Parts;
pub use rows::{PROOFS, ROWS, found_row, read_row, row_file, write_row};
pub use shard::Shard;
