//! The search for rules: its stages, one stage, all of them, and what comes of it as a rules file.

pub mod conditional;
pub mod description;
pub mod run;
pub mod stage;
pub mod stages;
pub mod written;
