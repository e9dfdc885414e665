//! `cairn any`: a ranker for every system, from what `cairn learn` kept of many.

use crate::inputs::args::{RunArgs, load_system, of_flag};
use crate::inputs::shipped::SYSTEMS;
use anyhow::{Context, Result, anyhow, ensure};
use guided_search::{AnyOptions, AnySettings, Studied, studied};
use ranking::{AnyRanker, Passes, Study, fit_any};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use support::{FileKind, InputFile, OutputFile, counted, print};
use terms::SeenSeeds;

const EXAMPLES: &str = "\
Examples:
  # What was learned on two systems, for a third
  cairn learn --system prop --tasks prop.parquet \\
      --validation prop-validation.parquet --out learned/prop
  cairn learn --system ring --tasks ring.parquet \\
      --validation ring-validation.parquet --out learned/ring
  cairn any prop=learned/prop ring=learned/ring --out any.json
  cairn evaluate --system my.rules --tasks test.parquet \\
      --methods deep,ranked --ranker any.json --out results

  # Better than its order: learn on the third from there
  cairn learn --system my.rules --from any.json --tasks mine.parquet \\
      --validation my-validation.parquet --out learned/mine

It sees rules by their shape and operators by the laws that rules give them, so that it has an order for the \
matches of any system. It is not fitted to a system's own names, and refuses no task but those that it has seen.";

/// The arguments of `cairn any`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct AnyArgs {
    /// A rewrite system, a file or a shipped one by its name, and the directory of `cairn learn` on it
    #[arg(value_name = "SYSTEM=DIR")]
    learned: Vec<String>,
    /// A directory of systems that nobody will ask about, as drawn ones: each NAME.rules with what was learned in
    /// NAME/, if anything was. Their seeds are not kept; may be given several times
    #[arg(long, value_name = "DIR")]
    drawn: Vec<PathBuf>,
    /// Use only the first N of the drawn systems of each directory of which something was learned
    #[arg(long, value_name = "N", requires = "drawn")]
    first: Option<usize>,
    #[command(flatten)]
    options: AnyOptions,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

const ANY: FileKind = FileKind { name: "a ranker for any system", recognise };

fn recognise(path: &Path) -> bool {
    let read = std::fs::read_to_string(path);
    read.is_ok_and(|text| AnyRanker::read(&path.display().to_string(), &text).is_ok())
}

/// A system and the directory of what was learned on it.
struct Learned {
    system: InputFile,
    directory: PathBuf,
    /// Whether the seeds that it has seen are kept.
    asked: bool,
}

pub fn run(args: &AnyArgs) -> Result<()> {
    let AnySettings { examples: most, epochs } = args.options.settle().map_err(of_flag)?;
    let out = OutputFile::new(&args.out, ANY)?;
    let mut all = args.learned.iter().map(|pair| named(pair)).collect::<Result<Vec<_>>>()?;
    for folder in &args.drawn {
        all.extend(drawn(folder, args.first)?);
    }
    ensure!(!all.is_empty(), "nothing to learn from: expected SYSTEM=DIR, or --drawn");
    let (mut systems, mut examples, mut seen) = (Vec::new(), Vec::new(), BTreeMap::new());
    for Learned { system, directory, asked } in &all {
        let system = load_system(system)?;
        let Studied { examples: of_system, seen: of_seeds } = studied(directory, &system)?;
        if *asked {
            // A system may have been learned on more than once.
            seen.entry(system.hash.clone())
                .and_modify(|seen: &mut SeenSeeds| seen.extend(&of_seeds))
                .or_insert(of_seeds);
        }
        let stride = of_system.len().div_ceil(most).max(1);
        examples.push(of_system.into_iter().step_by(stride).collect::<Vec<_>>());
        systems.push(system);
    }
    let count: usize = examples.iter().map(Vec::len).sum();
    let pairs = systems.iter().zip(&examples);
    let studies: Vec<Study> = pairs.map(|(system, examples)| Study { system, examples }).collect();
    let run = args.run.run();
    let passes = Passes { epochs, seed: run.seed, quiet: run.quiet };
    let weights = run.build_pool()?.install(|| fit_any(&studies, &passes))?;
    let origin = format!(
        "cairn {} any: {}, {} examples",
        env!("CARGO_PKG_VERSION"),
        counted(all.len() as u64, "system"),
        count
    );
    let any = AnyRanker::new(weights, origin, seen);
    let text = any.text()?;
    out.write(|file| Ok(file.write_all(text.as_bytes())?))?;
    print(&format!(
        "{} of {} in {}\n",
        counted(count as u64, "example"),
        counted(all.len() as u64, "system"),
        args.out.display()
    ))
}

/// What `SYSTEM=DIR` says.
fn named(pair: &str) -> Result<Learned> {
    let (system, directory) = pair
        .rsplit_once('=')
        .with_context(|| format!("{pair}: expected SYSTEM=DIR, as prop=learned/prop"))?;
    let system = SYSTEMS.resolve(system.into()).map_err(|error| anyhow!("{system}: {error}"))?;
    Ok(Learned { system, directory: directory.into(), asked: true })
}

/// The systems of a directory that have something learned beside them, in order of their names.
fn drawn(folder: &Path, first: Option<usize>) -> Result<Vec<Learned>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rules"));
    files.sort();
    let learned = files.into_iter().filter_map(|file| {
        let directory = file.with_extension("");
        let system = InputFile::Path(file);
        directory.join(guided_search::RANKER_FILE).exists().then_some(Learned {
            system,
            directory,
            asked: false,
        })
    });
    Ok(learned.take(first.unwrap_or(usize::MAX)).collect())
}
