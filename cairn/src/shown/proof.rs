//! How a proof is shown: shortened, checked again, as text or JSON, and written to a file.

use crate::inputs::args::NotProved;
use crate::shown::proved::{line, rules_of};
use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use egraph::{
    Bounds, Caps, FlatProof, Proof, Shortener, System, TermBank, check, proof_text, proof_to_json,
};
use guided_search::proof_page;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{FileKind, InputFile, Internal, OutputFile, counted, first_bytes, note, print};

/// The longest proof, and the largest terms, that are printed step by step.
pub const PRINTED: Caps = Caps { steps: 10_000, term_size: 10_000 };

/// The options of every command that shows a proof.
#[derive(Clone, Debug, clap::Args)]
pub struct ProofArgs {
    /// How the proof is printed
    #[arg(long, value_enum, default_value_t = ProofFormat::Text)]
    format: ProofFormat,
    /// Write the proof to this file, too; an earlier proof in it is replaced
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Show the proof as it was found, detours included
    #[arg(long)]
    no_shorten: bool,
}

/// How a proof is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProofFormat {
    /// One rewrite step a line
    Text,
    /// The proof file, as `cairn check` reads it
    Json,
    /// A page to look at
    Html,
}

/// Where a proof goes when it is found.
pub struct ProofOutput<'a> {
    args: &'a ProofArgs,
    file: Option<OutputFile>,
    /// The file of the system, where it is said how far the rules that are used are proved.
    rules: Option<&'a InputFile>,
}

impl ProofArgs {
    /// Looks whether the file can be written, before any work is done.
    ///
    /// # Errors
    /// As [`OutputFile::new`].
    pub fn output(&self) -> Result<ProofOutput<'_>> {
        let file = self.out.as_deref().map(proof_file).transpose()?;
        Ok(ProofOutput { args: self, file, rules: None })
    }
}

/// The file that a proof is written to; whatever else it holds is not replaced.
///
/// # Errors
/// As [`OutputFile::new`].
pub fn proof_file(path: &Path) -> Result<OutputFile> {
    let recognise = |path: &Path| {
        first_bytes(path).is_ok_and(|text| {
            text.trim_start().starts_with('{') && text.contains("\"cairn-proof\"")
        })
    };
    OutputFile::new(path, FileKind { name: "a proof", recognise })
}

impl<'a> ProofOutput<'a> {
    /// From now on says with each proof how far its rules are proved, if that is known of the system in a file.
    pub fn with_verdicts(&mut self, system: &'a InputFile) {
        self.rules = Some(system);
    }

    /// Shortens a checked proof, writes and prints it.
    ///
    /// # Errors
    /// What the file system says, or an internal fault: the checker refuses the shorter proof.
    pub fn show(&self, system: &System, bank: &mut TermBank, proof: &Proof) -> Result<()> {
        let shown = Shown::new(system, bank, proof, !self.args.no_shorten)?;
        if let Some(file) = &self.file {
            let json = proof_to_json(system, bank, &shown.proof);
            file.write(|file| Ok(file.write_all(json.as_bytes())?))?;
        }
        match self.args.format {
            ProofFormat::Json => {
                print(&(proof_to_json(system, bank, &shown.proof).trim_end().to_owned() + "\n"))
            }
            ProofFormat::Text => print(&shown.text(system, bank)),
            ProofFormat::Html => print(&proof_page(system, bank, shown.flat()?)?),
        }?;
        let about = self.rules.and_then(|file| rules_of(file, system, &shown.proof));
        about.and_then(|about| line(&about)).inspect(|line| note(line));
        Ok(())
    }

    /// Whether the output is one whole, for programs.
    pub fn is_json(&self) -> bool {
        self.args.format != ProofFormat::Text
    }
}

/// Steps of work that shortening a proof may take, some minutes; most take milliseconds.
const STEPS: u64 = 1 << 30;

/// A proof, and its single steps if they are not too many.
pub struct Shown {
    /// The proof, accepted by the checker.
    pub proof: Proof,
    flat: Result<FlatProof, String>,
    /// Steps before it was shortened.
    unshortened: usize,
}

impl Shown {
    /// Of a checked proof, shortened if asked for.
    ///
    /// # Errors
    /// An internal fault: the checker refuses the shorter proof.
    pub fn new(
        system: &System,
        bank: &mut TermBank,
        proof: &Proof,
        shorten: bool,
    ) -> Result<Shown> {
        let flat = match proof.flatten(bank, PRINTED) {
            Ok(flat) => flat,
            Err(reason) => {
                let (proof, flat) = (proof.clone(), Err(reason.to_string()));
                return Ok(Shown { proof, flat, unshortened: 0 });
            }
        };
        let unshortened = flat.steps.len();
        if !shorten {
            return Ok(Shown { proof: proof.clone(), flat: Ok(flat), unshortened });
        }
        // Where that takes too long, the proof is shown as it was found.
        let bounds = Bounds { steps: Some(STEPS), ..Bounds::default() };
        let shortened =
            bounds.hold(|| Shortener::new(system).shorten(bank, &flat, PRINTED.term_size));
        let flat = shortened.unwrap_or(flat);
        let shorter = flat.to_proof(bank);
        check(system, bank, &shorter)
            .map_err(|error| Internal::new(format!("a shortened proof was refused: {error}")))
            .context("use --no-shorten")?;
        if (shorter.start(), shorter.end()) != (proof.start(), proof.end()) {
            return Err(Internal::new("a shortened proof is of something else").into());
        }
        Ok(Shown { proof: shorter, flat: Ok(flat), unshortened })
    }

    /// The single steps.
    ///
    /// # Errors
    /// They are too many, or their terms too large.
    fn flat(&self) -> Result<&FlatProof> {
        self.flat.as_ref().map_err(|reason| {
            anyhow!("the proof can't be shown step by step: {reason}; write it with --out")
        })
    }

    /// How many single steps there are, if they are not too many.
    pub fn steps(&self) -> Option<u64> {
        self.flat.as_ref().ok().map(|flat| flat.steps.len() as u64)
    }

    /// One rewrite step a line, and how many there are.
    pub fn text(&self, system: &System, bank: &TermBank) -> String {
        match &self.flat {
            Ok(flat) => {
                let steps = counted(flat.steps.len() as u64, "step");
                let before = match self.unshortened {
                    same if same == flat.steps.len() => String::new(),
                    before => format!(", {before} before it was shortened"),
                };
                format!("{}; {steps}{before}\n", proof_text(system, bank, flat))
            }
            Err(reason) => format!(
                "A checked proof of {}; not printed step by step: {reason}. \
                 Write it with --out or --format json.\n",
                counted(self.proof.len() as u64, "node")
            ),
        }
    }
}

/// Shows that the two sides of a question equal different literals.
///
/// # Errors
/// [`NotProved`], which says so, or as [`ProofOutput::show`].
pub fn show_opposed(
    out: &ProofOutput<'_>,
    system: &System,
    bank: &mut TermBank,
    sides: &[Proof; 2],
) -> Result<()> {
    let [start, target] = sides;
    // A side that is a literal needs no proof. Of two proofs a file can hold one.
    for side in
        sides.iter().filter(|side| side.start() != side.end()).take(1 + usize::from(!out.is_json()))
    {
        out.show(system, bank, side)?;
    }
    let message = format!(
        "the start equals {}, the target {}: the terms are equal only if the rules are not sound",
        bank.display(start.end()),
        bank.display(target.end())
    );
    Err(NotProved(message).into())
}
