//! The program `cairn`.

use std::process::ExitCode;
use support::EndsInWords;

#[global_allocator]
static ALLOCATOR: EndsInWords = EndsInWords;

fn main() -> ExitCode {
    ExitCode::from(cairn::program(std::env::args_os()))
}
