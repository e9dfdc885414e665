//! `cairn system`: rewrite systems as files: what is wrong with one, and one from an egglog program.

mod check;
mod import;
mod shown_finding;
mod smt;
mod verdict_lines;

use anyhow::Result;
use clap::Subcommand;

/// The arguments of `cairn system`.
#[derive(Clone, Debug, clap::Args)]
pub struct SystemArgs {
    #[command(subcommand)]
    command: SystemCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum SystemCommand {
    /// Show all that is wrong, or likely to be wrong, with a rules file
    Check(check::CheckArgs),
    /// Make a rules file from an egglog program
    Import(import::ImportArgs),
}

/// # Errors
/// Bad input.
pub fn run(args: &SystemArgs) -> Result<()> {
    match &args.command {
        SystemCommand::Check(args) => check::run(args),
        SystemCommand::Import(args) => import::run(args),
    }
}
