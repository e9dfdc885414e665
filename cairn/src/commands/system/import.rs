//! `cairn system import`: a rules file from an egglog program.

use crate::commands::system::shown_finding::shown;
use anyhow::{Result, bail};
use egraph::{Finding, ParseError, Severity};
use interop::{Why, import_egglog};
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{FileKind, OutputFile, counted, first_bytes, note, print, read_bytes, text_of};

const EXAMPLES: &str = "\
Examples:
  cairn system import math.egg --out math.rules --terms math-seeds.txt
  cairn system import herbie.egg --out herbie.rules --partial
  cairn system check math.rules

What is taken over: sort, datatype, constructor, ruleset, let; rewrite, birewrite and union; rule, if it \
is a rewrite of one pattern or sets a value; function with :merge from terms to values, and relation over \
one term, as analyses; run-schedule, include, with-ruleset. Literals are i64, f64, BigRat, BigInt, bool and strings. Named terms \
and terms that stand alone become lines of --terms.

Commands such as check and extract are left out, with a note. All else, such as a relation between several \
terms or a sort of containers, can't be said in a rules file. It is refused with its place, and nothing is \
written. With --partial it is left out, together with what speaks of it, and each such thing is listed. \
With fewer rules, less can be proved, and nothing false.

Exit code: 0 if a rules file was written; 2 if something is refused without --partial, or if nothing can \
be taken over.";

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
    /// Write the equalities that the program checks to this file, a start and a target a line: tasks for
    /// `cairn evaluate`
    #[arg(long, value_name = "FILE")]
    checks: Option<PathBuf>,
    /// Take over what a rules file can say, and list what is left out
    #[arg(long)]
    partial: bool,
}

/// How what is written begins, by which it is recognised.
const HEAD: &str = "; Imported by cairn from ";

const RULES: FileKind = FileKind { name: "an imported rules file", recognise: is_imported };
const CHECKS: FileKind = FileKind { name: "a file of imported checks", recognise: is_imported };
const TERMS: FileKind = FileKind { name: "a file of imported terms", recognise: is_imported };

fn is_imported(path: &Path) -> bool {
    first_bytes(path).is_ok_and(|text| text.starts_with(HEAD))
}

/// # Errors
/// The program can't be read or says what rules files can't, or what the file system says.
pub fn run(args: &ImportArgs) -> Result<()> {
    let output = |path: &Option<PathBuf>, kind| {
        path.as_deref().map(|path| OutputFile::new(path, kind)).transpose()
    };
    let (out, terms) = (output(&args.out, RULES)?, output(&args.terms, TERMS)?);
    let checks = output(&args.checks, CHECKS)?;
    let name = args.program.display().to_string();
    let text = text_of(read_bytes(&args.program, "the egglog program")?, &args.program)?;
    let imported = match import_egglog(&text, &|file| included(&args.program, file)) {
        Ok(imported) => imported,
        Err(mistake) => return refuse(&name, &text, &[mistake], ""),
    };
    let refused = || imported.left_out.iter().filter(|left| left.why == Why::Refused);
    if !args.partial && refused().next().is_some() {
        let refused: Vec<ParseError> =
            refused().map(|left| ParseError::new(left.place, left.message.as_str())).collect();
        return refuse(&name, &text, &refused, "; --partial takes over the rest");
    }
    for left in &imported.left_out {
        note(&format!("{name}:{}: left out: {}", left.place, left.message));
    }
    if imported.declarations == 0 {
        bail!("{name}: nothing can be imported; nothing was written");
    }
    if args.partial {
        let missing = imported.left_out.iter().filter(|left| left.why != Why::Command).count();
        let taken = counted(imported.declarations as u64, "declaration");
        note(&format!("{name}: {taken} taken over, {missing} left out"));
    }
    let head = format!("{HEAD}{}.\n\n", name.escape_debug());
    let rules = head.clone() + &imported.rules;
    if let Some(file) = terms {
        let lines: String = imported.terms.iter().map(|term| format!("{term}\n")).collect();
        file.write(|file| Ok(file.write_all((head.clone() + &lines).as_bytes())?))?;
    }
    match checks {
        Some(file) => {
            let lines: String = imported
                .checks
                .iter()
                .map(|[start, target]| format!("{start} {target}\n"))
                .collect();
            file.write(|file| Ok(file.write_all((head + &lines).as_bytes())?))?;
        }
        None if imported.checks.is_empty() => {}
        None => {
            let equal = counted(imported.checks.len() as u64, "check");
            note(&format!("{name}: {equal} of equal terms: --checks FILE writes them"));
        }
    }
    match out {
        Some(file) => file.write(|file| Ok(file.write_all(rules.as_bytes())?)),
        None => print(&rules),
    }
}

/// The text of an included file, by its path from here or from the program.
fn included(program: &Path, file: &str) -> std::result::Result<String, String> {
    let beside = program.parent().map_or_else(|| PathBuf::from(file), |folder| folder.join(file));
    let path = if Path::new(file).is_file() { PathBuf::from(file) } else { beside };
    let text = read_bytes(&path, "the included file").and_then(|bytes| text_of(bytes, &path));
    text.map_err(|error| format!("{error:#}"))
}

/// Shows what is refused, as all that was found.
fn refuse(name: &str, text: &str, mistakes: &[ParseError], more: &str) -> Result<()> {
    let finding = |mistake: &ParseError| Finding {
        severity: Severity::Error,
        place: mistake.place,
        message: mistake.message.clone(),
        notes: Vec::new(),
    };
    let findings: Vec<Finding> = mistakes.iter().map(finding).collect();
    print(&shown(name, text, &findings))?;
    bail!("{name}: {}; nothing was written{more}", counted(mistakes.len() as u64, "error"));
}
