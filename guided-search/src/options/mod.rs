//! What can be asked for: a struct for the options of each command, with their names, sentences, bounds and defaults, and what
//! they come to. The program reads them with clap (feature `clap`), presets and the Python package with serde. It must not know
//! how anything is searched.
//!
//! An option that is not given is `None`; `settle` puts the default in its place, and refuses what is out of bounds.
//! Defaults that help names, as `[default: 4]`, are held against those by a test.

pub(crate) mod budget;
pub(crate) mod evaluate;
pub(crate) mod learn;
pub(crate) mod optimise;
pub(crate) mod patience;
pub(crate) mod prove;
pub(crate) mod schedulers;
pub(crate) mod seconds;
pub(crate) mod tasks;

use anyhow::{Result, ensure};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// What a term costs, if nothing else is said: the cost of this name.
pub const COST: &str = "cost";

/// More guides, draws or e-graphs of a walk than a search has any use for.
const MOST: usize = 1_000;

/// Refuses the value of an option that is out of its bounds.
fn within<T: PartialOrd + Display>(name: &str, value: T, bounds: RangeInclusive<T>) -> Result<()> {
    let (least, most) = (bounds.start(), bounds.end());
    ensure!(bounds.contains(&value), "{name} {value}: expected {least} to {most}");
    Ok(())
}
