//! `cairn generate`.

use crate::inputs::args::RunArgs;
use crate::inputs::shipped::{DATASETS, SEEDS, SYSTEMS};
use crate::inputs::signals::end_with;
use crate::shown::part::print_part;
use anyhow::{Context, Result, bail};
use dataset_gen::{Config, DatasetInfo, generate, generate_part, summary};
use egraph::{ByteSize, Scheduler};
use jobs::Shard;
use std::path::PathBuf;
use support::{InputFile, give_back_large_blocks, note, print, read_toml, thousands};

const GENERATE_EXAMPLES: &str = "\
Examples:
  # The shipped preset for a first try, in a few seconds
  cairn generate --config quickstart --out data/quickstart

  # The first 100 terms of a CSV file (column `expression`), 32 MiB each
  cairn generate --system halide --seeds seeds.csv --limit 100 \\
      --memory 32MiB --out data/halide-100

  # Other random choices, smaller terms, longer proofs
  cairn generate --config default --seed 7 --max-size 40 --max-steps 400 \\
      --out data/halide-7

  # Two chains a seed, each of four e-graphs and further than one can prove
  cairn generate --config default --memory 4MiB --chains 2 --links 4 --far \\
      --out data/chains

  # One of eight parts of the work, and the parts together
  cairn generate --config default --shard 0/8 --out parts/0
  cairn merge parts/* --out data/halide

The directory appears when all of it is there: data/*.parquet (triples), proofs/*.parquet, \
README.md (the dataset card), system.rules and dataset_info.json. A run that was stopped goes on \
where it was when it is started again with the same arguments. The same arguments give the same \
bytes, whatever the number of threads.

Configuration is TOML, every key optional; flags go before it. configs/dataset/default.toml in the \
repository has every key.";

/// Make a dataset of (start, guide, target) triples from seed terms
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = GENERATE_EXAMPLES)]
pub struct GenerateArgs {
    /// Directory to make; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Configuration: a file, or a shipped preset by its name, default or quickstart
    #[arg(long, value_name = "FILE", value_parser = DATASETS.parser())]
    config: Option<InputFile>,
    /// Rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: Option<InputFile>,
    /// Seed terms: text with a term a line, .csv with a column `expression`, or Parquet with a column `term`;
    /// or shipped ones by their name, as halide
    #[arg(long, value_name = "FILE", value_parser = SEEDS.parser())]
    seeds: Option<InputFile>,
    /// Use only the first N seeds
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Memory of each e-graph, as 32MiB
    #[arg(long, value_name = "SIZE")]
    memory: Option<ByteSize>,
    /// E-nodes of each e-graph
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Iterations of saturation of each e-graph
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// simple, backoff for rules that match too often, or best-first
    #[arg(long, value_name = "NAME")]
    scheduler: Option<Scheduler>,
    /// E-classes to sample per seed: its own and those of its largest subterms
    #[arg(long, value_name = "N")]
    classes: Option<usize>,
    /// Distinct terms to draw per class
    #[arg(long, value_name = "N")]
    terms: Option<usize>,
    /// Largest size of a drawn term
    #[arg(long, value_name = "NODES")]
    max_size: Option<u32>,
    /// Pairs of terms to explain per class
    #[arg(long, value_name = "N")]
    pairs: Option<usize>,
    /// Chains of proofs across fresh e-graphs per seed
    #[arg(long, value_name = "N")]
    chains: Option<u32>,
    /// E-graphs of a chain
    #[arg(long, value_name = "N")]
    links: Option<u32>,
    /// End chains at terms that one e-graph can't prove equal to the seed
    #[arg(long)]
    far: bool,
    /// Drop proofs with more steps
    #[arg(long, value_name = "N")]
    max_steps: Option<usize>,
    /// Halve proofs until a segment has fewer steps
    #[arg(long, value_name = "N")]
    cutoff: Option<usize>,
    /// Make only part I of N of the work, for `cairn merge`: I/N, I from 0 to N-1
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    run: RunArgs,
}

impl GenerateArgs {
    /// The configuration file, if any, with the flags put over it.
    ///
    /// # Errors
    /// The file can't be read or has a mistake.
    pub fn resolve(&self) -> Result<Config> {
        fn set<T: Clone>(value: &mut T, flag: &Option<T>) {
            if let Some(flag) = flag {
                *value = flag.clone();
            }
        }
        fn set_option<T: Clone>(value: &mut Option<T>, flag: &Option<T>) {
            if flag.is_some() {
                *value = flag.clone();
            }
        }
        let mut config = match &self.config {
            Some(file) => read_toml(file)?,
            None => Config::default(),
        };
        // A configuration may name shipped files, too.
        for (key, shipped, file) in
            [("system", &SYSTEMS, &mut config.system), ("seeds", &SEEDS, &mut config.seeds)]
        {
            if let Some(InputFile::Path(path)) = file {
                let name = path.clone().into_os_string();
                let context = || format!("{key} = \"{}\"", path.display());
                *file = Some(shipped.resolve(name).with_context(context)?);
            }
        }
        set_option(&mut config.system, &self.system);
        set_option(&mut config.seeds, &self.seeds);
        set_option(&mut config.limit, &self.limit);
        set(&mut config.saturation.memory, &self.memory);
        set_option(&mut config.saturation.nodes, &self.nodes);
        set_option(&mut config.saturation.iterations, &self.iterations);
        set(&mut config.saturation.scheduler, &self.scheduler);
        set(&mut config.sampling.classes, &self.classes);
        set(&mut config.sampling.terms, &self.terms);
        set(&mut config.sampling.max_size, &self.max_size);
        set(&mut config.proofs.pairs, &self.pairs);
        set(&mut config.chains.count, &self.chains);
        set(&mut config.chains.links, &self.links);
        config.chains.far |= self.far;
        let of_chains = [("--links", self.links.is_some()), ("--far", self.far)];
        let given = of_chains.into_iter().find(|(_, given)| *given);
        if let (Some((option, _)), 0) = (given, config.chains.count) {
            bail!("{option} is about chains, and none are made: expected --chains from 1 on");
        }
        set(&mut config.proofs.max_steps, &self.max_steps);
        set(&mut config.splitting.cutoff, &self.cutoff);
        Ok(config)
    }
}

/// Runs the command: makes a dataset and prints the sizes of its splits.
///
/// # Errors
/// As [`dataset_gen::generate`].
pub fn run(args: &GenerateArgs) -> Result<()> {
    give_back_large_blocks();
    end_with(format!(
        "stopped: what came of the seeds so far is kept beside {}, and the same command goes on from there",
        args.out.display()
    ))?;
    make(args)
}

/// The same, as part of another command.
///
/// # Errors
/// As [`run`].
pub fn make(args: &GenerateArgs) -> Result<()> {
    let config = args.resolve()?;
    if let Some(shard) = args.shard {
        let outcome = generate_part(&config, shard, &args.out, &args.run.run())?;
        return print_part((shard, &args.out), outcome, "seeds");
    }
    let info = generate(&config, &args.out, &args.run.run())?;
    if let Some(warning) = mostly_too_long(&info)
        && !args.run.run().quiet
    {
        note(&warning);
    }
    print(&summary(&info, &args.out))
}

/// What to say where more than half of the explained pairs were dropped for their length.
fn mostly_too_long(info: &DatasetInfo) -> Option<String> {
    let (explained, dropped) = (info.cairn.totals.proofs.proofs, info.cairn.totals.proofs.too_long);
    (dropped > explained / 2).then(|| {
        format!(
            "{} % of {} explained pairs were dropped, as their proofs have more than {} steps: \
             --max-steps keeps longer ones, and smaller e-graphs (--memory) have shorter ones",
            (100.0 * dropped as f64 / explained as f64).round(),
            thousands(explained),
            info.cairn.config.proofs.max_steps
        )
    })
}
