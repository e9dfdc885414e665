//! `cairn man`: the help as pages for man(1).

use anyhow::{Context, Result};
use clap::Command;
use clap::builder::Resettable;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io::Write;
use std::path::PathBuf;
use support::{FileKind, OutputFile, first_bytes, print};

const EXAMPLES: &str = "\
Examples:
  # Read the page of the program
  cairn man | man -l -

  # Install all of them: cairn.1, and one for each command, as cairn-prove.1
  cairn man --out ~/.local/share/man/man1

Earlier pages of cairn are replaced, and nothing else.";

/// The arguments of `cairn man`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ManArgs {
    /// The directory for the pages of the program and of all commands; it is made if need be
    /// [default: the page of the program alone, on the standard output]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const PAGE: FileKind = FileKind {
    name: "a manual page of cairn",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.contains("\n.TH cairn")),
};

/// Runs the command, for this program.
///
/// # Errors
/// A file that is no page of cairn is in the way, or what the file system says.
pub fn run(args: &ManArgs, program: Command) -> Result<()> {
    let mut pages = pages(program)?;
    let Some(directory) = &args.out else {
        return print(&String::from_utf8(pages.swap_remove(0).1)?);
    };
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make {}", directory.display()))?;
    let outputs = pages
        .into_iter()
        .map(|(name, page)| Ok((OutputFile::new(&directory.join(name), PAGE)?, page)))
        .collect::<Result<Vec<_>>>()?;
    for (output, page) in &outputs {
        output.write(|file| Ok(file.write_all(page)?))?;
    }
    print(&format!("{} pages in {}\n", outputs.len(), directory.display()))
}

/// Names and contents of all pages, that of the program first.
fn pages(program: Command) -> Result<Vec<(String, Vec<u8>)>> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    commands(&program)
        .into_iter()
        .map(|command| {
            let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
            let notes = if text.is_empty() { Roff::new() } else { notes(&text) };
            let command = command.after_long_help(Resettable::Reset);
            let man = Man::new(command)
                .source(concat!("cairn ", env!("CARGO_PKG_VERSION")))
                .manual("Cairn");
            let mut page = Vec::new();
            man.render(&mut page)?;
            notes.to_writer(&mut page)?;
            Ok((man.get_filename(), page))
        })
        .collect()
}

/// The program, its commands, and theirs.
pub fn commands(program: &Command) -> Vec<Command> {
    let below = program.get_subcommands().flat_map(commands);
    std::iter::once(program.clone()).chain(below).collect()
}

/// What stands below the help: paragraphs, and examples, which are indented and stay as they are.
fn notes(text: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["NOTES"]);
    for line in text.lines() {
        let example = line.starts_with(' ');
        roff.control(if example { "nf" } else { "fi" }, []);
        roff.text([roman(line)]);
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_that_is_recognised() {
        let directory = tempfile::tempdir().unwrap();
        let all = pages(<crate::Cairn as clap::CommandFactory>::command()).unwrap();
        assert_eq!(all[0].0, "cairn.1");
        assert!(all.iter().any(|(name, _)| name == "cairn-prove.1"));
        assert!(all.iter().any(|(name, _)| name == "cairn-system-check.1"));
        for (name, page) in all {
            let path = directory.path().join(name);
            std::fs::write(&path, page).unwrap();
            assert!((PAGE.recognise)(&path), "{}", path.display());
        }
    }
}
