//! `cairn optimise --term` or `--c`: the best terms as they were found, and a proof of the last.

use crate::commands::answers::optimise::given::Given;
use crate::inputs::args::{NotProved, note_unread};
use crate::shown::ended::spent;
use crate::shown::lets::with_lets;
use crate::shown::proof::{PRINTED, Shown, proof_file};
use crate::shown::proved::{self, line, rules_of};
use anyhow::{Result, anyhow, ensure};
use clap::ValueEnum;
use egraph::{Amount, CostFunction, System, TermBank, TermId, proof_to_json};
use guided_search::{Best, Ended, Outcome, optimise, picture, quoted};
use interop::{CFunction, CType, c_function, c_text, read_c, read_c_expression};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{FileKind, InputFile, OutputFile, first_bytes, note, print};

/// A term, and how the answer is shown.
#[derive(Clone, Debug, clap::Args)]
#[group(conflicts_with_all = ["ManyTerms", "MlirFile", "LlvmFile", "CSource"])]
pub struct OneTerm {
    /// The term to begin with
    #[arg(
        long,
        value_name = "TERM",
        allow_negative_numbers = true,
        required_unless_present_any = ["terms", "tasks", "c", "mlir", "llvm", "c_file"]
    )]
    term: Option<String>,
    /// The term to begin with, as an expression of C, for systems over words of bits or integers; the best term is shown in
    /// C, too. With words of several widths, as words has them, all of C's operators on integers, casts, and declarations
    /// before it: 'uint8_t x; int y; x + y > 0 ? x : 0'
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, conflicts_with = "term")]
    c: Option<String>,
    /// The type of names in --c that are not declared, where words have several widths
    #[arg(long, value_name = "TYPE", default_value = "uint32_t", value_parser = c_type, requires = "c")]
    c_type: CType,
    /// A table and the proof step by step, or one JSON object
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Draw cost against work into this file, as SVG; an earlier SVG in it is replaced
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Show the proof as it was found, detours included
    #[arg(long)]
    no_shorten: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Table,
    /// For programs
    Json,
}

/// A type of C by its name.
fn c_type(text: &str) -> Result<CType, String> {
    CType::named(text)
        .ok_or_else(|| "expected uint8_t to uint64_t, int8_t to int64_t, or bool".to_owned())
}

const PICTURE: FileKind = FileKind {
    name: "an SVG",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.trim_start().starts_with("<svg")),
};

/// Finds the best term, and shows it; writes the proof into `out`.
///
/// # Errors
/// Bad input, a goal that is not reached ([`NotProved`]), or an internal fault.
pub fn run(
    args: &OneTerm,
    out: Option<&Path>,
    file: &InputFile,
    given: &Given,
    quiet: bool,
) -> Result<()> {
    let system = &given.system;
    let out = out.map(proof_file).transpose()?;
    let picture_file =
        args.picture.as_ref().map(|path| OutputFile::new(path, PICTURE)).transpose()?;
    let mut bank = TermBank::new(system.language.clone());
    let (start, function) = start(args, &mut bank)?;
    let objective = given.objective(bank.sort(start))?;
    if let Some(model) = given.writer.as_deref().filter(|_| !quiet) {
        note_unread(model, &bank, [start; 2])?;
    }
    let outcome = optimise(system, &mut bank, start, &objective, &given.settings)?;
    let rows = Rows {
        outcome: &outcome,
        cost: &objective.cost,
        bank: &bank,
        system,
        shared: given.aim.shared,
        c: args.c.is_some(),
        function: function.as_ref(),
    };
    let proved = outcome.ended != Ended::Lost;
    let proof = outcome.proof.as_ref().filter(|_| proved);
    match (args.format, proof) {
        (Format::Table, None) => print(&rows.table())?,
        (Format::Json, None) => print(&format!("{}\n", rows.json()))?,
        (format, Some(proof)) => {
            let (table, mut object) = (rows.table(), rows.json());
            let shown = Shown::new(system, &mut bank, proof, !args.no_shorten)?;
            let json = proof_to_json(system, &bank, &shown.proof);
            let about = rules_of(file, system, &shown.proof);
            if let Some(file) = &out {
                file.write(|file| Ok(file.write_all(json.as_bytes())?))?;
            }
            if format == Format::Json {
                object["proof"] = serde_json::from_str(&json)?;
                if let Some(about) = &about {
                    object["rules"] = proved::object(about);
                }
                print(&format!("{object}\n"))?;
            } else {
                print(&format!("{table}{}", shown.text(system, &bank)))?;
            }
            about.filter(|_| !quiet).and_then(|about| line(&about)).inspect(|line| note(line));
        }
    }
    if let Some(file) = &picture_file {
        let svg = picture(&outcome, &objective.cost);
        file.write(|file| Ok(file.write_all(svg.as_bytes())?))?;
    }
    ensure!(
        outcome.ended != Ended::Conflict,
        "two different literals became equal: a rule of the system is not sound"
    );
    if proof.is_some() {
        return Ok(());
    }
    let spent = spent(&outcome, system, given.aim.shared);
    Err(NotProved(match outcome.ended {
        Ended::Lost => format!("the strategy did not come to its end ({spent})"),
        _ if given.aim.goal.is_some() => format!("the goal was not reached ({spent})"),
        _ => {
            let reason = unknown_cost(&objective.cost, &bank, start);
            format!("no term with a known cost was found{reason} ({spent})")
        }
    })
    .into())
}

/// The term that is asked for.
fn start(args: &OneTerm, bank: &mut TermBank) -> Result<(TermId, Option<CFunction>)> {
    let (option, text, read) = match (&args.c, &args.term) {
        (Some(text), _) => {
            let typed = read_c_expression(bank, text, args.c_type).transpose();
            let read = match typed {
                Some(function) => function.map(|function| (function.term, Some(function))),
                None => read_c(bank, text).map(|term| (term, None)),
            };
            ("--c", text.as_str(), read)
        }
        (None, term) => {
            let text = term.as_deref().unwrap_or_default();
            ("--term", text, bank.parse(text, None).map(|term| (term, None)))
        }
    };
    read.map_err(|mistake| anyhow!("{option} {}: {mistake}", quoted(text)))
}

/// Why the cost of a term is not known, as the end of a sentence.
fn unknown_cost(cost: &CostFunction, bank: &TermBank, term: TermId) -> String {
    let unknown = |part: &TermId| cost.of_term(bank, *part).is_none();
    // Each comes after its parts, whose costs are known.
    bank.subterms(term).into_iter().find(unknown).map_or_else(String::new, |part| {
        format!(
            ": that of {} is computed from literals or facts of its arguments, which it lacks, or \
             does not fit in 64 bits",
            quoted(&bank.display_part(part, PRINTED.term_size).to_string())
        )
    })
}

/// The best terms as they were found.
struct Rows<'a> {
    outcome: &'a Outcome,
    cost: &'a CostFunction,
    bank: &'a TermBank,
    system: &'a System,
    /// Whether equal parts of a term count once: then they are shown once.
    shared: bool,
    /// Whether terms are shown in C as well.
    c: bool,
    /// The expression of C with its types, where there are several.
    function: Option<&'a CFunction>,
}

impl Rows<'_> {
    fn text(&self, term: TermId) -> String {
        self.bank.display_part(term, PRINTED.term_size).to_string()
    }

    /// A term in C, and the definitions of functions that it calls.
    fn in_c(&self, term: TermId) -> Result<(String, String), String> {
        match self.function {
            Some(function) => c_function(self.bank, function, None, term),
            None => Ok((c_text(self.bank, term, PRINTED.term_size)?, String::new())),
        }
    }

    /// Cost against work, and the best term.
    fn table(&self) -> String {
        let mut text = format!("{:>14} {:>9} {:>9}  cost\n", "work", "e-graphs", "size");
        for Best { work, e_graphs, term, cost } in &self.outcome.curve {
            let (size, cost) = (self.bank.size(*term), self.cost.text(cost));
            text += &format!("{work:>14} {e_graphs:>9} {size:>9}  {cost}\n");
        }
        text += &format!("ended: {}\n", spent(self.outcome, self.system, self.shared));
        if let Some(best) = self.outcome.best() {
            text += &if self.shared {
                with_lets(self.bank, best.term, "best term: ")
            } else {
                format!("best term: {}\n", self.text(best.term))
            };
            if self.c {
                text += &match self.in_c(best.term) {
                    Ok((c, helpers)) => format!("best in C: {c}\n{helpers}"),
                    Err(why) => format!("best in C: not shown: {why}\n"),
                };
            }
        }
        text
    }

    fn json(&self) -> Value {
        let number = |cost: Amount| match cost.denominator {
            1 => json!(cost.numerator),
            _ => json!(cost.value()),
        };
        let Outcome { curve, ended, ledger, .. } = self.outcome;
        let row = |best: &Best| {
            let values: Vec<_> =
                self.cost.names().into_iter().zip(self.cost.asked(&best.cost)).collect();
            let values: serde_json::Map<String, Value> =
                values.into_iter().map(|(name, cost)| (name.to_owned(), number(cost))).collect();
            let mut row = json!({
                "work": best.work,
                "e_graphs": best.e_graphs,
                "cost": values,
                "size": self.bank.size(best.term),
                "term": self.text(best.term),
            });
            if self.c {
                row["c"] = json!(self.in_c(best.term).ok().map(|(c, _)| c));
            }
            row
        };
        json!({
            "best": curve.iter().map(row).collect::<Vec<_>>(),
            "ended": ended.to_string(),
            "work": ledger.work,
            "e_graphs": ledger.e_graphs,
            "peak_bytes": ledger.peak_bytes,
        })
    }
}
