//! `cairn system check`: all that is wrong, or likely to be wrong, with a rules file.

use crate::commands::system::shown_finding::shown;
use crate::commands::system::smt::{SmtArgs, ask};
use crate::inputs::mlir_file::load_table;
use crate::inputs::shipped::SYSTEMS;
use anyhow::{Result, bail};
use egraph::{Review, Severity, review};
use support::{InputFile, counted, print, text_of, thousands};

const EXAMPLES: &str = "\
Examples:
  cairn system check my.rules
  cairn system check halide
  cairn system check my.rules --smt

Errors are mistakes, which are all shown at once, and rules that are false. Where all operators of a \
rule are built in, both sides are evaluated on thousands of assignments: small literals first, then \
random ones and those at the ends of 64 bits. If the sides differ on one, it is shown.

Rules contradict each other if they make two literals equal. To find that, small instances of the \
left-hand sides are saturated in one e-graph, and a contradiction is shown with its proof. It is an error \
if it holds for variables, and a warning if it takes certain literals, as 0/0.

Warnings are also rules that give a value to what has none, as a division by zero; rules that never \
match, match everything, do nothing, or are there twice up to the names of their variables; and \
operators that should be literals.

A rule without a counterexample may still be false. With --smt each rule over built-in operators is put to \
z3, cvc5 and bitwuzla, whichever are on the PATH: proved, refuted (an error, with an assignment that Cairn has evaluated), or \
unknown, with the reason. The verdicts are kept beside the file, and only rules that are new are asked \
about the next time. `prove` and `optimise` then say whether the rules that they used are proved.

Exit code 2: there are errors, or warnings with \
--strict.";

/// Operators that are not evaluated are named up to this many.
const MOST_NAMES: usize = 20;

/// The arguments of `cairn system check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CheckArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// Refuse a file with warnings, too
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    smt: SmtArgs,
}

/// # Errors
/// The file can't be read, or there are errors in it.
pub fn run(args: &CheckArgs) -> Result<()> {
    let text = text_of(args.system.read("the rewrite system")?, args.system.path())?;
    let name = args.system.to_string();
    let mut review = review(&text);
    let mut verdicts = String::new();
    if let Some(system) = review.system.as_ref().filter(|_| args.smt.smt) {
        let asked = ask(&args.smt, &args.system, system, &review.rules)?;
        review.findings.extend(asked.findings);
        verdicts = asked.summary;
    }
    print(&shown(&name, &text, &review.findings))?;
    print(&verdicts)?;
    let count = |severity| {
        review.findings.iter().filter(|finding| finding.severity == severity).count() as u64
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let found = match (errors, warnings) {
        (0, 0) => "nothing to report".to_owned(),
        (0, warnings) => counted(warnings, "warning"),
        (errors, 0) => counted(errors, "error"),
        (errors, warnings) => {
            format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
        }
    };
    if let Some(system) = review.system.as_ref().filter(|system| !system.mlir.is_empty()) {
        load_table(&args.system, system)?;
    }
    if errors > 0 || (args.strict && warnings > 0) {
        bail!("{name}: {found}");
    }
    print(&format!("{name}: {}; {found}\n", summary(&review)))
}

/// What there is, and how much of it was evaluated.
fn summary(review: &Review) -> String {
    let rules = review.system.as_ref().map_or(0, |system| system.rules.len());
    let evaluated = &review.evaluated;
    let mut summary = counted(rules as u64, "rule");
    if evaluated.rules > 0 {
        let assignments = counted(evaluated.assignments, "assignment");
        summary += &format!(", {} evaluated on {assignments}", evaluated.rules);
    }
    if !evaluated.without_meaning.is_empty() {
        let names = &evaluated.without_meaning;
        let shown = names[..names.len().min(MOST_NAMES)].join(" ");
        let more = match names.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            more => format!(" and {} more", thousands(more as u64)),
        };
        summary += &format!("; not evaluated, for they are not built in: {shown}{more}");
    }
    summary
}
