//! What is to be proved: questions, tasks, far chains, seeds that training has not seen. It must not
//! know how they are searched.

pub(crate) mod chains;
pub(crate) mod family;
pub(crate) mod gather;
pub(crate) mod held_out;
pub(crate) mod inspect;
pub(crate) mod job;
pub(crate) mod origin;
pub(crate) mod outside;
pub(crate) mod question;
pub(crate) mod scale;
pub(crate) mod task;
pub(crate) mod task_set;
