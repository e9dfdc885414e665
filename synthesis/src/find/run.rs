//! All stages, one after the other, in a directory: what is finished is in a journal there, so that nothing is done twice.

use crate::find::description::{Description, Ended};
use crate::find::stage::{Search, Spent, Staged};
use crate::find::stages::stages;
use crate::find::written::rules_file;
use crate::language::tables::TablesFile;
use crate::language::{Language, Variable};
use crate::options::{Ends, FindAim};
use crate::rules::following::{Reach, reached};
use crate::rules::found::Found;
use crate::rules::instances::sides;
use crate::rules::proving::Prover;
use crate::rules::tabled::refuting;
use crate::rules::theory::Theory;
use crate::values::inputs::Inputs;
use anyhow::{Result, anyhow, bail};
use egraph::{RuleChoice, RuleId, TermBank};
use interop::Solver;
use jobs::{Described, Journal};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use support::{Progress, Run, hash, write_atomic};

/// The file of finished stages.
const STAGES: &str = "stages.jsonl";
/// The file of the rules.
const RULES: &str = "found.rules";

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The rules, with their names.
    pub rules: Vec<(String, Found)>,
    /// Candidates that nobody could prove or refute.
    pub unknown: Vec<String>,
    /// Terms that were looked at by this process.
    pub terms: u64,
    /// How it ended.
    pub ended: Ended,
    /// The file with the rules.
    pub file: PathBuf,
}

/// A finished stage, as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    rules: Vec<Found>,
    /// Inputs, as literals.
    inputs: Vec<Vec<String>>,
    unknown: Vec<String>,
}

/// Looks for rules of the rules file `text`, and leaves them in the directory `out`, on as many threads as the current rayon
/// pool has. What an earlier process has finished there is not done again; with `asked` it ends soon.
///
/// # Errors
/// The file is no language of built-in operators, `out` holds something else, or what the file system says.
pub fn find(
    (name, text): (&str, &str),
    tables: Option<TablesFile<'_>>,
    (aim, ends): (&FindAim, Ends),
    solvers: Vec<Solver>,
    (run, asked): (&Run, Arc<AtomicBool>),
    out: &Path,
) -> Result<Outcome> {
    let language = Language::read((name, text), tables, aim.variables, aim.literals.as_deref())?;
    let language = Arc::new(language);
    let mut known = language.known().iter();
    if let Some((rule, refuted)) =
        known.find_map(|rule| Some((rule, refuting(&language, rule, &asked)?)))
    {
        let named = rule.variables.names.iter().zip(refuted);
        let at: Vec<String> = named
            .map(|(name, (sort, value))| format!("{name} = {}", language.named(sort, value)))
            .collect();
        bail!("{name}: rule '{}' is false by the tables, where {}", rule.name, at.join(", "));
    }
    let named = |name: &str, text: &str| {
        let short = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        (short.escape_debug().to_string(), hash::sha256(text.as_bytes()))
    };
    let description = Description {
        aim: aim.clone(),
        seed: run.seed,
        language: named(name, text),
        tables: tables.map(|file| named(file.name, file.text)),
        solvers: solvers.iter().map(Solver::to_string).collect(),
        kind: "cairn-rules".to_owned(),
    };
    let mut files = vec![("language.rules", text.as_bytes())];
    files.extend(tables.map(|file| ("tables.json", file.text.as_bytes())));
    let directory = description.begin(out, &files, &[])?;
    let journal = Journal::read(&directory.file(STAGES), true)?;
    let time = Duration::from_secs_f64(aim.query_time);
    let prover = Prover::new(language.clone(), solvers, time, asked);
    let mut search = Search {
        theory: Theory::new(language.clone()),
        inputs: Inputs::of(&language, aim.inputs, run.seed),
        prover: &prover,
        reach: aim.reach,
        unproved: aim.unproved,
        sizes: aim.sizes,
        unknown: Vec::new(),
        spent: Spent {
            terms: 0,
            most: ends.work,
            until: ends.time.and_then(|time| Instant::now().checked_add(time)),
        },
    };
    let stages = stages(&language, aim.sizes);
    let progress = Progress::new("stages", stages.len() as u64, run.quiet);
    let mut unknown = Vec::new();
    let mut finished = 0;
    for (number, &stage) in (0..).zip(&stages) {
        if let Some(kept) = journal.item::<Kept>(number)? {
            again(&mut search, &language, kept, &mut unknown)?;
            progress.found(1);
        } else {
            if search.spent.is_over() || prover.is_stopped() {
                break;
            }
            let staged = search.stage(stage)?;
            let Staged { rules, inputs, unknown: open, cut } = staged;
            unknown.extend(open.iter().cloned());
            if cut {
                break;
            }
            let written =
                |values: &Vec<egraph::Value>| values.iter().map(|v| v.to_string()).collect();
            let kept = Kept { rules, inputs: inputs.iter().map(written).collect(), unknown: open };
            journal.append(number, &serde_json::to_string(&kept)?)?;
            progress.message(format!("{} rules", search.theory.found.len()));
            progress.advance(1);
        }
        finished += 1;
    }
    progress.finish();
    let ended = match finished == stages.len() {
        true => Ended::All { stages: finished },
        false => {
            let why = if prover.is_stopped() { "stopped" } else { "limit" };
            Ended::Early { finished, stages: stages.len(), why }
        }
    };
    let (terms, mut theory) = (search.spent.terms, search.theory);
    leave_out_unneeded(&mut theory, aim.reach)?;
    let file = directory.file(RULES);
    let text = rules_file(&description, text, &theory, &ended, &unknown);
    write_atomic(&file, text.as_bytes())?;
    Ok(Outcome { rules: theory.found, unknown, terms, ended, file })
}

/// What a finished stage has found is known again.
fn again(
    search: &mut Search<'_>,
    language: &Language,
    kept: Kept,
    unknown: &mut Vec<String>,
) -> Result<()> {
    for found in kept.rules {
        search.theory.add(found)?;
    }
    for input in kept.inputs {
        let read = |(text, variable): (&String, &Variable)| {
            variable.kind.read(text).ok_or_else(|| anyhow!("{STAGES}: '{text}' is no input"))
        };
        let values: Vec<_> =
            input.iter().zip(&language.variables).map(read).collect::<Result<_>>()?;
        search.inputs.push(&values);
    }
    unknown.extend(kept.unknown);
    Ok(())
}

/// Leaves out rules that the others do, from each side that they rewrite, the last ones first. Rules with a condition stay.
fn leave_out_unneeded(theory: &mut Theory, reach: Reach) -> Result<()> {
    let system = theory.system.clone();
    let mut left_out: FxHashSet<String> = FxHashSet::default();
    let mut others: Vec<RuleId> = (0..system.rules.len() as u32).map(RuleId).collect();
    for (name, _) in theory.found.iter().rev().filter(|(_, found)| found.when.is_none()) {
        let names = [name.clone(), format!("{name}-rev")];
        let rules = names.each_ref().map(|name| system.rule_named(name));
        let rest: Vec<RuleId> =
            others.iter().copied().filter(|&rule| !rules.contains(&Some(rule))).collect();
        let chosen: Arc<[RuleId]> = rest.clone().into();
        let follows = |rule: RuleId| {
            let mut bank = TermBank::new(system.language.clone());
            let sides = sides(&mut bank, system.rule(rule));
            let some = (&system, RuleChoice::These(chosen.clone()));
            sides.is_some_and(|sides| reached(some, &bank, sides, reach).is_some())
        };
        if rules.into_iter().flatten().all(follows) {
            left_out.insert(name.clone());
            others = rest;
        }
    }
    theory.leave_out(&left_out)
}
