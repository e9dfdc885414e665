//! `cairn system import`: a rules file from an egglog program.

use crate::system::shown_finding::shown;
use anyhow::{Result, bail};
use egraph::{Finding, ParseError, Severity, import_egglog};
use std::io::Write;
use std::path::{Path, PathBuf};
use support::files::text::{read_bytes, text_of};
use support::files::whole_file::{FileKind, OutputFile, first_bytes};
use support::show::console::{note, print};
use support::show::numbers::counted;

const EXAMPLES: &str = "\
Examples:
  cairn system import math.egg --out math.rules --terms math-seeds.txt
  cairn system check math.rules

What is read: sort, datatype, constructor, function (without :merge), rewrite and birewrite with \
:when over integers and :ruleset, ruleset, let. Names and terms that are written down become \
lines of --terms. Commands, as run and check, are left out, and said to be. Whatever else there \
is, as rule or relation, is refused with its place, for a rules file can't say it.";

/// The arguments of `cairn system import`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ImportArgs {
    /// The egglog program
    #[arg(value_name = "FILE")]
    program: PathBuf,
    /// The rules file to write [default: the standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the program's terms to this file, one a line
    #[arg(long, value_name = "FILE")]
    terms: Option<PathBuf>,
}

/// How what is written begins, by which it is recognised.
const HEAD: &str = "; Imported by cairn from ";

const RULES: FileKind = FileKind { name: "an imported rules file", recognise: is_imported };
const TERMS: FileKind = FileKind { name: "a file of imported terms", recognise: is_imported };

fn is_imported(path: &Path) -> bool {
    first_bytes(path).is_ok_and(|text| text.starts_with(HEAD))
}

/// Runs the command.
///
/// # Errors
/// The program can't be read or says what rules files can't, or what the file system says.
pub fn run(args: &ImportArgs) -> Result<()> {
    let output = |path: &Option<PathBuf>, kind| {
        path.as_deref().map(|path| OutputFile::new(path, kind)).transpose()
    };
    let (out, terms) = (output(&args.out, RULES)?, output(&args.terms, TERMS)?);
    let name = args.program.display().to_string();
    let text = text_of(read_bytes(&args.program, "the egglog program")?, &args.program)?;
    let imported = match import_egglog(&text) {
        Ok(imported) => imported,
        Err(mistakes) => {
            let refusal = |mistake: &ParseError| Finding {
                severity: Severity::Error,
                place: mistake.place,
                message: mistake.message.clone(),
                notes: Vec::new(),
            };
            let findings: Vec<Finding> = mistakes.iter().map(refusal).collect();
            print(&shown(&name, &text, &findings))?;
            bail!("{name}: {}; nothing was written", counted(mistakes.len() as u64, "error"));
        }
    };
    for (place, what) in &imported.left_out {
        note(&format!("{name}:{place}: left out: {what}"));
    }
    let head = format!("{HEAD}{}.\n\n", name.escape_debug());
    let rules = head.clone() + &imported.rules;
    if let Some(file) = terms {
        let lines: String = imported.terms.iter().map(|term| format!("{term}\n")).collect();
        file.write(|file| Ok(file.write_all((head + &lines).as_bytes())?))?;
    }
    match out {
        Some(file) => file.write(|file| Ok(file.write_all(rules.as_bytes())?)),
        None => print(&rules),
    }
}
