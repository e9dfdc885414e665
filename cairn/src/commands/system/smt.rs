//! `cairn system check --smt`: each rule over built-in operators is put to solvers.

use crate::commands::system::verdict_lines::{refuted, summary};
use crate::inputs::signals::Signals;
use crate::inputs::solvers::solvers;
use crate::inputs::verdicts::{Known, Verdicts, Word, beside, says};
use anyhow::{Result, anyhow, bail};
use egraph::{Finding, Place, Rule, System, Width};
use guided_search::Seconds;
use interop::{Limits, Solver, Statement, Verdict, go_through, judge};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{InputFile, Progress, counted, in_order, note};

/// Seconds that a solver has for a query.
const QUERY_TIME: u64 = 10;
/// Assignments that are gone through at most, for each width.
const ASSIGNMENTS: u64 = 1 << 24;
/// Words up to so many bits are gone through.
const SMALL: u64 = 8;
/// Wider ones that solvers are asked about.
const WIDE: [u64; 3] = [16, 32, 64];

/// The options of rules as queries.
#[derive(Clone, Debug, clap::Args)]
pub struct SmtArgs {
    /// Put each rule over built-in operators to z3, cvc5 and bitwuzla, as far as they are found: proved, refuted
    /// or unknown
    #[arg(long)]
    pub smt: bool,
    /// Ask again what was asked before
    #[arg(long, requires = "smt")]
    anew: bool,
    /// A solver to ask, by its path; several are asked one after the other [default: z3, cvc5 and bitwuzla where the
    /// PATH has them]
    #[arg(long, value_name = "PROGRAM", requires = "smt")]
    solver: Vec<PathBuf>,
    /// Seconds for a query, of which a rule has six at most for each solver and width [default: 10]
    #[arg(long, value_name = "SECONDS", requires = "smt")]
    query_time: Option<Seconds>,
    /// Ask about words at the widths of the rules alone, and not whether rules are true at others, too
    #[arg(long, requires = "smt")]
    own_width: bool,
    /// Keep the verdicts in this file [default: beside the rules file, as my.proved.json; of a shipped one nowhere]
    #[arg(long, value_name = "FILE", requires = "smt")]
    verdicts: Option<PathBuf>,
    /// Number of rules that are asked about at a time [default: all processors]
    #[arg(long, value_name = "N", requires = "smt")]
    threads: Option<usize>,
}

/// What came of it.
pub struct Asked {
    /// Rules that are false.
    pub findings: Vec<Finding>,
    /// The rest, for reading.
    pub summary: String,
}

/// Asks about the rules of a system, which stand at these places, and keeps the verdicts.
///
/// # Errors
/// No solver can be asked, the file of verdicts can't be used, or the command was interrupted.
pub fn ask(args: &SmtArgs, file: &InputFile, system: &System, places: &[Place]) -> Result<Asked> {
    let beside = || match file {
        InputFile::Carried(_) => None,
        InputFile::Path(rules) => Some(beside(rules)),
    };
    let path = args.verdicts.clone().or_else(beside);
    let output = path.as_deref().map(Verdicts::output).transpose()?;
    let before = match (&path, args.anew) {
        (_, true) => None,
        (Some(path), false) => Verdicts::read(path)
            .map_err(|error| anyhow!("{error:#}: remove it, or ask anew with --anew"))?,
        (None, false) => Verdicts::of_system(file)?,
    };
    let run = Asking {
        solvers: some_solvers(args)?,
        limits: Limits {
            time: args.query_time.map_or(Duration::from_secs(QUERY_TIME), |Seconds(time)| time),
            assignments: ASSIGNMENTS,
        },
        own_width: args.own_width,
        before: before.map_or_else(HashMap::new, by_statement),
        signals: Signals::catch()?,
    };
    let threads =
        args.threads.or_else(|| std::thread::available_parallelism().ok().map(Into::into));
    let begin = Instant::now();
    let progress = Progress::new("rules", system.rules.len() as u64, false);
    let known = in_order(system.rules.len(), threads.unwrap_or(1), |number| {
        let known = run.known(system, &system.rules[number]);
        progress.advance(1);
        Ok(known)
    })?;
    progress.finish();
    let asked = known.iter().flatten().filter(|known| run.is_new(known)).count();
    let known: Vec<Known> = known.into_iter().flatten().collect();
    if let Some(output) = &output {
        Verdicts::of(known.clone()).write(output)?;
    }
    if run.signals.asked.load(Ordering::SeqCst) {
        let kept = if output.is_some() { ": the same command asks the rest" } else { "" };
        return Err(run.signals.interrupted(format!("stopped{kept}")).into());
    }
    note(&format!(
        "{} asked in {:.1} s",
        counted(asked as u64, "rule"),
        begin.elapsed().as_secs_f64()
    ));
    Ok(Asked { findings: refuted(system, places, &known), summary: summary(system, &known) })
}

/// The solvers that are named, or those that are found, of which there must be one.
fn some_solvers(args: &SmtArgs) -> Result<Vec<Solver>> {
    let found = solvers(&args.solver)?;
    if found.is_empty() {
        bail!(
            "--smt: no solver was found: expected z3, cvc5 or bitwuzla on the PATH (Debian: apt-get install z3; \
             PyPI: pip install z3-solver), or the path of one with --solver"
        );
    }
    Ok(found)
}

fn by_statement(verdicts: Verdicts) -> HashMap<String, Known> {
    let with_hash = |known: Known| Some((known.says.clone()?, known));
    verdicts.rules.into_iter().filter_map(with_hash).collect()
}

/// Who is asked, and what is known already.
struct Asking {
    solvers: Vec<Solver>,
    limits: Limits,
    own_width: bool,
    before: HashMap<String, Known>,
    signals: Signals,
}

impl Asking {
    /// What is known of a rule, asked if need be; `None` if the command was interrupted first.
    fn known(&self, system: &System, rule: &Rule) -> Option<Known> {
        let asked: &AtomicBool = &self.signals.asked;
        let empty = |verdict, says| Known {
            rule: rule.name.clone(),
            says,
            verdict,
            by: String::new(),
            why: String::new(),
            widths: BTreeMap::new(),
        };
        let statement = match Statement::of(system, rule) {
            Ok(statement) => statement,
            Err(why) => return Some(Known { why, ..empty(Word::NotExpressible, None) }),
        };
        let says = says(&statement);
        if let Some(before) = self.before.get(&says).filter(|before| self.stands(before)) {
            return Some(Known { rule: rule.name.clone(), ..before.clone() });
        }
        if asked.load(Ordering::SeqCst) {
            return self.before.get(&says).cloned();
        }
        let verdict = judge(&statement, &self.solvers, self.limits, asked);
        let widths = self.widths(&statement);
        if asked.load(Ordering::SeqCst) {
            return self.before.get(&says).cloned();
        }
        let empty = |word| Known { widths, ..empty(word, Some(says)) };
        Some(match verdict {
            Verdict::Proved(by) => Known { by, ..empty(Word::Proved) },
            Verdict::Refuted(found) => {
                Known { by: found.by, why: found.shown, ..empty(Word::Refuted) }
            }
            Verdict::Unknown(why) => Known { by: self.who(), why, ..empty(Word::Unknown) },
            Verdict::NotExpressible(why) => Known { why, ..empty(Word::NotExpressible) },
        })
    }

    /// Whether an earlier verdict needs no asking: what is proved, and what the same solvers don't know. What is
    /// false is looked at again, for its assignment.
    fn stands(&self, before: &Known) -> bool {
        match before.verdict {
            Word::Proved => true,
            Word::Unknown => before.by == self.who(),
            Word::Refuted | Word::NotExpressible => false,
        }
    }

    /// Whether this is not what was known before.
    fn is_new(&self, known: &Known) -> bool {
        let before = known.says.as_ref().map(|says| self.before.get(says));
        before.is_some_and(|before| before.is_none_or(|before| !self.stands(before)))
    }

    /// Who is asked, and for how long.
    fn who(&self) -> String {
        let names: Vec<String> = self.solvers.iter().map(Solver::to_string).collect();
        format!("{} ({} s)", names.join(", "), self.limits.time.as_secs_f64())
    }

    /// A rule over words at other widths: small ones gone through, and wider ones asked about.
    fn widths(&self, statement: &Statement) -> BTreeMap<Word, Vec<u32>> {
        let mut found: BTreeMap<Word, Vec<u32>> = BTreeMap::new();
        let declared = statement.width().filter(|_| !self.own_width);
        let all = (1..=SMALL).chain(WIDE).filter_map(Width::new);
        for width in all.filter(|width| declared.is_some() && Some(*width) != declared) {
            let Some(said) = statement.at_width(width) else { continue };
            let asked = u64::from(width.bits()) >= SMALL;
            let word = match go_through(&said, ASSIGNMENTS, &self.signals.asked) {
                Some(Ok(_)) => Word::Proved,
                Some(Err(_)) => Word::Refuted,
                None if asked => {
                    match judge(&said, &self.solvers, self.limits, &self.signals.asked) {
                        Verdict::Proved(_) => Word::Proved,
                        Verdict::Refuted(_) => Word::Refuted,
                        Verdict::Unknown(_) | Verdict::NotExpressible(_) => Word::Unknown,
                    }
                }
                None => continue,
            };
            found.entry(word).or_default().push(width.bits());
        }
        found
    }
}
