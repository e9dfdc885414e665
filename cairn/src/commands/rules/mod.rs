//! `cairn rules`: rules found from operators alone, rules that tasks lack, rules that follow from others, and what rules are worth on
//! tasks.

mod extend;
mod find;
mod prune;
mod tasks;
mod worth;

use anyhow::Result;
use clap::Subcommand;

/// The arguments of `cairn rules`.
#[derive(Clone, Debug, clap::Args)]
pub struct RulesArgs {
    #[command(subcommand)]
    command: RulesCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum RulesCommand {
    /// Find the rules of a language whose operators are built in
    Find(find::FindArgs),
    /// Add the rules that tasks lack which are not solved
    Extend(extend::ExtendArgs),
    /// Show which rules follow from the others, and leave them out
    Prune(prune::PruneArgs),
    /// Show what each rule is worth on tasks, and choose rules for them
    Worth(worth::WorthArgs),
}

/// Runs the command.
///
/// # Errors
/// Bad input.
pub fn run(args: &RulesArgs) -> Result<()> {
    match &args.command {
        RulesCommand::Find(args) => find::run(args),
        RulesCommand::Extend(args) => extend::run(args),
        RulesCommand::Prune(args) => prune::run(args),
        RulesCommand::Worth(args) => worth::run(args),
    }
}
