//! What LLVM IR and MLIR have in common: blocks of instructions on integers, each of which defines a value once.
//!
//! `instruction.rs` is what an instruction computes, `terms.rs` makes a term of it. `values.rs` makes terms of the values of blocks and says which may be
//! poison, `sound.rs` says where a better term has the value of a source that may be poison or undefined, `choose.rs` which
//! better terms are worth it, `plan.rs` which instructions come and go then. Text is up to the two languages.

mod choose;
mod instruction;
mod plan;
mod sound;
mod terms;
mod values;

pub use crate::ssa::choose::{Taken, choose};
pub use crate::ssa::instruction::{Computed, Instruction, Operand, simplified};
pub use crate::ssa::plan::{Edit, Made, New, Plan, Planner};
pub use crate::ssa::sound::Target;
pub use crate::ssa::values::{Block, blocks};
