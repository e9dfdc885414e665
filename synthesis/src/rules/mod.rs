//! Rules that were found: as text, proved, and what follows from them.

pub mod following;
pub mod found;
pub mod generality;
pub mod instances;
pub mod known;
pub mod proving;
pub mod tabled;
pub mod theory;
