//! What is to be proved: questions, tasks, far chains, seeds that training has not seen. It must not
//! know how they are searched.

pub mod chains;
pub mod family;
pub mod held_out;
pub mod inspect;
pub mod origin;
mod outside;
pub mod question;
pub mod scale;
pub mod task;
