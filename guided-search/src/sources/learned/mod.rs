//! Guides of a trained model: written freely, or what was drawn chosen by what it writes. They must not know
//! how it was trained.

pub mod ranked;
pub mod select;
pub mod written;
