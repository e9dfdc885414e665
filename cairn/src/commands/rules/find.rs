//! `cairn rules find`: the rules of a language whose operators are built in, or said by tables.

use crate::inputs::args::{RunArgs, of_flag};
use crate::inputs::shipped::SYSTEMS;
use crate::inputs::signals::Signals;
use crate::inputs::solvers::solvers;
use anyhow::Result;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;
use support::{InputFile, counted, note, print, read_text, text_of};
use synthesis::{Ended, FindOptions, TablesFile, find};

const EXAMPLES: &str = "\
Examples:
  cairn rules find words.rules --out found
  cairn rules find words.rules --out found --size 5 --one-size 7 \\
      --condition-size 5 --literals '0 1 2'
  cairn rules find signs.rules --tables signs.json --out found

The language is a rules file: sorts, built-in operators, literals, variables. Rules that it has are \
known, and stay. The rules that are found are in found.rules of the directory, behind the language.

Terms are enumerated by size, those of one operator first, then of two, then of all. Of the terms \
that the rules so far make equal there is one, and terms are compared by their values at many inputs. \
What has equal values and does not follow from the rules so far is proved: by all assignments, \
or by z3, cvc5 and bitwuzla, whichever are on the PATH. What is refuted never becomes a rule.

A stage that is finished is not done again: the same command goes on with a search that was stopped, or that \
came to its --time or --work.";

/// The arguments of `cairn rules find`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct FindArgs {
    /// The language: a .rules file, or a shipped one by its name, as mba
    #[arg(value_name = "FILE", value_parser = SYSTEMS.parser())]
    language: InputFile,
    /// The directory for what is found; it is new, or of the same search
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What operators compute that are not built in, and the values of sorts without literals, in JSON
    #[arg(long, value_name = "FILE")]
    tables: Option<PathBuf>,
    #[command(flatten)]
    options: FindOptions,
    /// A solver to ask, by its path; several are asked one after the other [default: z3, cvc5 and bitwuzla where the
    /// PATH has them]
    #[arg(long, value_name = "PROGRAM", conflicts_with = "no_solver")]
    solver: Vec<PathBuf>,
    /// Ask no solver: what has too many assignments is not proved
    #[arg(long)]
    no_solver: bool,
    #[command(flatten)]
    run: RunArgs,
}

/// Runs the command.
///
/// # Errors
/// Bad input, what the file system says, or the command was interrupted.
pub fn run(args: &FindArgs) -> Result<()> {
    let (aim, ends) = args.options.settle().map_err(of_flag)?;
    let text = text_of(args.language.read("the language")?, args.language.path())?;
    let name = args.language.to_string();
    let tables = match &args.tables {
        Some(path) => Some((path.display().to_string(), read_text(path, "the tables")?)),
        None => None,
    };
    let tables = tables.as_ref().map(|(name, text)| TablesFile { name, text });
    let solvers = if args.no_solver { Vec::new() } else { solvers(&args.solver)? };
    let (run, signals) = (args.run.run(), Signals::catch()?);
    let begin = Instant::now();
    let with = (&run, signals.asked.clone());
    let pool = run.build_pool()?;
    let found =
        pool.install(|| find((&name, &text), tables, (&aim, ends), solvers, with, &args.out))?;
    let unproved = found.rules.iter().filter(|(_, rule)| !rule.proved).count() as u64;
    let rules = counted(found.rules.len() as u64, "rule");
    let how = match unproved {
        0 => "all proved".to_owned(),
        some => format!("{some} not proved"),
    };
    note(&format!(
        "{} looked at in {:.1} s",
        counted(found.terms, "term"),
        begin.elapsed().as_secs_f64()
    ));
    let file = found.file.display();
    print(&format!("{file}: {rules}, {how}\n"))?;
    if !found.unknown.is_empty() {
        let open = counted(found.unknown.len() as u64, "candidate");
        print(&format!("{open} neither proved nor refuted: at the end of that file\n"))?;
    }
    if let Ended::Early { finished, stages, .. } = found.ended {
        let early = format!("{finished} of {stages} stages are finished: the same command goes on");
        if signals.asked.load(Ordering::SeqCst) {
            return Err(signals.interrupted(format!("stopped; {early}")).into());
        }
        note(&early);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command};

    #[test]
    fn help_says_what_options_are_that_are_not_given() {
        let (aim, _) = FindOptions::default().settle().unwrap();
        let help = FindOptions::augment_args(Command::new("find").term_width(200)).render_help();
        let help = help.to_string();
        for (option, value) in [
            ("--size", aim.sizes.all.to_string()),
            ("--condition-size", aim.sizes.conditional.to_string()),
            ("--variables", aim.variables.to_string()),
            ("--inputs", aim.inputs.to_string()),
            ("--iterations", aim.reach.iterations.to_string()),
            ("--nodes", aim.reach.nodes.to_string()),
            ("--query-time", aim.query_time.to_string()),
        ] {
            let line = help.lines().find(|line| line.trim().starts_with(&format!("{option} ")));
            let said = line.unwrap_or_else(|| panic!("{option}: {help}"));
            let default = said.split_once("[default: ").unwrap().1.trim_end_matches(']');
            assert_eq!(default.split(',').next().unwrap(), value, "{option}");
        }
    }
}
