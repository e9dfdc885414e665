//! `cairn completions`: what a shell needs to complete commands and options.

use anyhow::Result;
use clap::Command;
use clap_complete::Shell;
use support::print;

const EXAMPLES: &str = "\
Examples:
  # For bash, read at the next login
  cairn completions bash > ~/.local/share/bash-completion/completions/cairn

  # For fish
  cairn completions fish > ~/.config/fish/completions/cairn.fish";

/// The arguments of `cairn completions`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Runs the command, for this program.
///
/// # Errors
/// The standard output can't be written.
pub fn run(args: &CompletionsArgs, mut program: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "cairn", &mut script);
    print(&String::from_utf8(script)?)
}
