//! `cairn optimise --c-file`: what each function of a file of C returns, computed by the best term that equals it.

use crate::commands::answers::optimise::given::Given;
use crate::commands::answers::optimise::part_of_file::{Optimised, optimised};
use anyhow::{Result, anyhow};
use egraph::TermBank;
use interop::{CFile, CFunction, c_function, read_c_file};
use std::path::{Path, PathBuf};
use support::{OutputDir, counted, note, print, read_text, write_atomic};

/// A file of C.
#[derive(Clone, Debug, clap::Args)]
#[group(conflicts_with_all = ["goal", "first", "model", "exact_time"])]
pub struct CSource {
    /// A file of C with functions of integers without loops, for a system with words of several widths, as words: what
    /// each returns is computed by the best term, and the file is printed. --out is a directory for the file and the proofs
    #[arg(long, value_name = "FILE")]
    pub c_file: Option<PathBuf>,
}

/// The file that marks a directory of what was optimised.
const OPTIMISED: &str = "optimised.c";

/// Prints the file with better functions and a comment on each; writes it and the proofs into `out`.
///
/// # Errors
/// Bad input, or an internal fault.
pub fn run(path: &Path, out: Option<&Path>, given: &Given) -> Result<()> {
    let system = &given.system;
    let out = out.map(|out| OutputDir::create(out, OPTIMISED)).transpose()?;
    let text = read_text(path, "C")?;
    let mut bank = TermBank::new(system.language.clone());
    let file =
        read_c_file(&mut bank, &text).map_err(|mistake| anyhow!("{}:{mistake}", path.display()))?;
    let mut helpers: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    let mut better = 0;
    for (number, function) in file.functions.iter().enumerate() {
        let objective = given.objective(bank.sort(function.term))?;
        let found = optimised(system, &mut bank, function.term, &objective, &given.settings)?;
        let text = replaced(&bank, &file, function, &found, &mut helpers);
        if let (Ok(Some(_)), Some(proof), Some(out)) = (&text, &found.proof, &out) {
            write_atomic(&out.file(&format!("{number}.json")), proof.as_bytes())?;
        }
        let told = match &text {
            Err(why) => format!("{}; not taken: {why}", found.told),
            Ok(_) => found.told,
        };
        let text = text.unwrap_or_default();
        better += usize::from(text.is_some());
        let old = &file.text_of(function);
        texts.push(Some(format!("// {told}\n{}", text.as_deref().unwrap_or(old))));
    }
    helpers.sort();
    helpers.dedup();
    let first = match &helpers[..] {
        [] => String::new(),
        helpers => helpers.concat() + "\n",
    };
    let text = file.with(&texts, &first);
    if let Some(out) = &out {
        write_atomic(&out.file(OPTIMISED), text.as_bytes())?;
    }
    print(&text)?;
    note(&format!("{better} of {} written anew", counted(file.functions.len() as u64, "function")));
    Ok(())
}

/// The text of a function that returns the better term; `None` if there is no better one, an error if C can't say it.
fn replaced(
    bank: &TermBank,
    file: &CFile,
    function: &CFunction,
    found: &Optimised,
    helpers: &mut Vec<String>,
) -> Result<Option<String>, String> {
    if found.best == function.term {
        return Ok(None);
    }
    let (text, called) = c_function(bank, function, Some(file), found.best)?;
    helpers.extend(called.lines().map(|line| format!("{line}\n")));
    Ok(Some(text))
}
