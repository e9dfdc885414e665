//! `cairn rules prune`: which rules of a file follow from the others.

use crate::inputs::args::of_flag;
use crate::inputs::shipped::SYSTEMS;
use crate::inputs::signals::Signals;
use crate::shown::file_names::file_names;
use crate::shown::proof::proof_file;
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{
    FileKind, InputFile, OutputFile, counted, first_bytes, own_directory, print, text_of,
};
use synthesis::{Need, PruneOptions, Pruned, prune};

const EXAMPLES: &str = "\
Examples:
  cairn rules prune my.rules
  cairn rules prune my.rules --out fewer.rules --proofs proofs
  cairn check proofs/add-zero.json --system fewer.rules

A rule follows if its two sides become equal in one e-graph of both, by the rules that stay. The last \
rules of the file are tried first. Each rule that follows has a proof from those that stay, which `cairn check` \
accepts. A rule that reads literals, in conditions or to compute others, has to follow at some choices of these \
(--instances), those of the file, the ends of what there is and random ones, and has a proof for each. Rules with binders or facts, \
and those of a normal form, are not tried.";

/// The arguments of `cairn rules prune`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct PruneArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// Write the rules file without the rules that follow
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the proofs into this directory, a file for each rule that follows
    #[arg(long, value_name = "DIR")]
    proofs: Option<PathBuf>,
    #[command(flatten)]
    options: PruneOptions,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

/// How what is written begins, by which it is recognised.
const HEAD: &str = "; Rules that follow from the others were left out by cairn from ";

const RULES: FileKind = FileKind {
    name: "a pruned rules file",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with(HEAD)),
};

/// Runs the command.
///
/// # Errors
/// Bad input, what the file system says, or the command was interrupted.
pub fn run(args: &PruneArgs) -> Result<()> {
    let aim = args.options.settle().map_err(of_flag)?;
    let out = args.out.as_deref().map(|path| OutputFile::new(path, RULES)).transpose()?;
    let text = text_of(args.system.read("the rewrite system")?, args.system.path())?;
    let (name, signals) = (args.system.to_string(), Signals::catch()?);
    let head = format!("{HEAD}{}.\n", name.escape_debug());
    let pruned = prune((&name, &text, &head), aim, args.quiet, &signals.asked)?;
    let Some(pruned) = pruned else {
        return Err(signals.interrupted("stopped: nothing was written".to_owned()).into());
    };
    if let Some(directory) = &args.proofs {
        write_proofs(directory, &pruned)?;
    }
    if let Some(out) = out {
        out.write(|file| Ok(file.write_all(pruned.text.as_bytes())?))?;
    }
    print(&table(&pruned))
}

fn write_proofs(directory: &Path, pruned: &Pruned) -> Result<()> {
    own_directory(directory)?;
    let mut all: Vec<(String, &str)> = Vec::new();
    for (name, need) in &pruned.rules {
        let Need::Follows { proofs, .. } = need else { continue };
        all.extend((1..).zip(proofs).map(|(number, followed)| {
            let name = match proofs.len() {
                1 => name.clone(),
                _ => format!("{name}-{number}"),
            };
            (name, followed.proof.as_str())
        }));
    }
    let names = file_names(all.iter().map(|(name, _)| name.as_str()));
    for (name, (_, proof)) in names.iter().zip(&all) {
        let file = directory.join(format!("{name}.json"));
        proof_file(&file)?.write(|file| Ok(file.write_all(proof.as_bytes())?))?;
    }
    Ok(())
}

/// A line for each rule that follows or was not tried, and how many there are of each kind.
fn table(pruned: &Pruned) -> String {
    let width = pruned.rules.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let (mut lines, mut follow, mut not_tried) = (String::new(), 0u64, 0u64);
    for (name, need) in &pruned.rules {
        let said = match need {
            Need::Follows { from, proofs, all } => {
                follow += 1;
                let most = proofs.iter().map(|followed| followed.steps).max().unwrap_or(0);
                let steps = counted(most as u64, "step");
                let from = if from.is_empty() { "no rule".to_owned() } else { from.join(", ") };
                match (proofs.len() as u64, all) {
                    (1, true) => format!("follows from {from} ({steps})"),
                    (some, all) => {
                        let all = if *all { "all " } else { "" };
                        let some = counted(some, "choice");
                        format!("follows from {from} ({steps} at most, {all}{some} of literals)")
                    }
                }
            }
            Need::NotTried(why) => {
                not_tried += 1;
                format!("not tried: {why}")
            }
            Need::Needed => continue,
        };
        lines += &format!("{name:width$}  {said}\n");
    }
    let rules = counted(pruned.rules.len() as u64, "rule");
    let needed = pruned.rules.len() as u64 - follow - not_tried;
    lines
        + &format!("{rules}: {follow} follow from others, {needed} do not, {not_tried} not tried\n")
}
