//! `cairn seeds`: makes a file of random seeds.

use crate::inputs::args::{RunArgs, load_system};
use crate::inputs::shipped::SYSTEMS;
use anyhow::{Context, Result, bail, ensure};
use dataset_gen::Saturation;

use egraph::{
    ByteSize, Language, Leaf, LeafValue, Pattern, Scheduler, SortId, System, looks_numeric,
};
use num_bigint::BigUint;
use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;
use support::{InputFile, Progress, note, print};
use terms::{LeafSet, RandomTerms, SeedFile, SeedFilter, Source, Tally};

const EXAMPLES: &str = "\
Examples:
  # 1,000 terms of 15 nodes, of all sorts
  cairn seeds --system halide --size 15 --count 1000 --out seeds.txt

  # Conditions only, over two variables and the literals 0, 1 and 8, as CSV
  cairn seeds --system halide --size 15 --count 1000 --sort Bool \\
      --variables 2 --literals 0,1,8 --out seeds.csv

  # 50 of each odd size from 11 to 29 (there are none of even size) whose
  # e-graphs grow to 2,000 e-nodes, without those that equal a constant
  cairn seeds --system ring --sizes 11..29 --count 500 \\
      --least-nodes 2000 --out seeds.txt

Terms are counted exactly, and each well-sorted term of the size is equally likely. Terms that differ \
only in the names of their variables count as one. No term is drawn twice. The same arguments give \
the same file, whatever the number of threads, and a larger --count begins with the same terms of \
each size.";

/// Variables of a sort in a term, if nothing else is said.
const VARIABLES: usize = 4;
/// Literals of every sort that can have them, if nothing else is said, besides those in its rules.
const LITERALS: [&str; 4] = ["-1", "0", "1", "2"];
/// Parentheses are not read beyond a certain depth, and a term may be a chain.
const LARGEST: usize = egraph::MAX_DEPTH;
/// They are all in memory until the file is written.
const MOST_SEEDS: u64 = 100_000_000;

/// Draw random terms of exact size, each equally likely, as seeds
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("nodes of a term").args(["size", "sizes"]).required(true))]
pub struct SeedsArgs {
    /// Rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    /// Nodes of each term
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// Nodes of the terms, from A to B, each size equally often; sizes without terms are skipped, and
    /// a size of which too few terms pass has fewer
    #[arg(long, value_name = "A..B")]
    sizes: Option<Sizes>,
    /// Number of terms
    #[arg(long, value_name = "N")]
    count: u64,
    /// Sort of the terms [default: all]
    #[arg(long, value_name = "NAME")]
    sort: Option<String>,
    /// Distinct variables of a term at most, for each sort with variables [default: 4]
    #[arg(long, value_name = "N")]
    variables: Option<usize>,
    /// Literals, as -2,0,1/2, or none; each is used for every sort that can have it, 0 and 1 for truth
    /// values, too [default: -1,0,1,2 and those in the rules]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    literals: Option<Literals>,
    /// Keep only terms whose e-graphs grow to N e-nodes and that equal no constant, which is a
    /// literal or an operator without arguments
    #[arg(long, value_name = "N")]
    least_nodes: Option<usize>,
    /// Keep terms that equal a constant, too
    #[arg(long, requires = "least_nodes")]
    keep_constants: bool,
    /// Memory of each e-graph [default: 32MiB]
    #[arg(long, value_name = "SIZE", requires = "least_nodes")]
    memory: Option<ByteSize>,
    /// E-nodes of each e-graph at most [default: twice --least-nodes]
    #[arg(long, value_name = "N", requires = "least_nodes")]
    nodes: Option<usize>,
    /// Iterations of saturation of each e-graph at most
    #[arg(long, value_name = "N", requires = "least_nodes")]
    iterations: Option<u64>,
    /// simple, backoff for rules that match too often, or best-first [default: simple]
    #[arg(long, value_name = "NAME", requires = "least_nodes")]
    scheduler: Option<Scheduler>,
    /// Seed file to write, ending in .txt or .csv; an earlier one of this command is replaced
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    run: RunArgs,
}

/// The argument of `--sizes`: the least and the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes(pub usize, pub usize);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Sizes, String> {
        let ends = text.split_once("..").map(|(a, b)| (a.parse(), b.parse()));
        match ends {
            Some((Ok(a), Ok(b))) if a <= b => Ok(Sizes(a, b)),
            _ => Err("expected the least and the largest size, as 10..20".to_owned()),
        }
    }
}

/// The argument of `--literals`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literals(pub Vec<String>);

impl FromStr for Literals {
    type Err = String;

    fn from_str(text: &str) -> Result<Literals, String> {
        if text == "none" {
            return Ok(Literals(Vec::new()));
        }
        let number = |part: &str| {
            let part = part.trim();
            match looks_numeric(part) {
                true => Ok(part.to_owned()),
                false => Err(format!("expected numbers as -2,0,1/2, or none, found '{part}'")),
            }
        };
        text.split(',').map(number).collect::<Result<_, _>>().map(Literals)
    }
}

/// Runs the command: writes a file of random seeds and prints what became of the draws.
///
/// # Errors
/// Bad input, fewer terms of the one size than asked for, none at all, or what the file system says.
pub fn run(args: &SeedsArgs) -> Result<()> {
    let out = SeedFile::new(&args.out)?;
    let system = load_system(&args.system)?;
    ensure!(
        !system.language.has_binders(),
        "no random seeds are made for a system whose operators bind variables: expected another \
         --system, or seeds written by hand"
    );
    let filter = filter(args)?;
    let (least, largest) = match (args.size, args.sizes) {
        (Some(size), _) => (size, size),
        (None, Some(Sizes(least, largest))) => (least, largest),
        (None, None) => bail!("expected --size or --sizes"),
    };
    let option = if args.sizes.is_some() { "--sizes" } else { "--size" };
    for size in [least, largest] {
        ensure!((1..=LARGEST).contains(&size), "{option} {size}: expected 1 to {LARGEST} nodes");
    }
    ensure!(
        (1..=MOST_SEEDS).contains(&args.count),
        "--count {}: expected 1 to {MOST_SEEDS}",
        args.count
    );
    let roots = roots(&system.language, args.sort.as_deref())?;
    let leaves = LeafSet {
        variables: args.variables.unwrap_or(VARIABLES),
        literals: literals(&system, args.literals.as_ref())?,
    };
    ensure!(
        args.variables.unwrap_or(0) == 0 || !system.language.variables.is_empty(),
        "--variables {}: the system has no sort with variables",
        leaves.variables
    );
    let pool = args.run.run().build_pool()?;
    let terms = pool.install(|| RandomTerms::new(&system.language, &leaves, &roots, largest))?;
    let sizes: Vec<usize> =
        (least..=largest).filter(|&size| terms.count(size) > BigUint::ZERO).collect();
    ensure!(!sizes.is_empty(), "{}", no_term(&terms, &system.language, args, least, largest));
    if sizes[0] == 1 {
        readable(&system.language, &roots, &leaves, option)?;
    }
    let each = args.count / sizes.len() as u64;
    let more = args.count % sizes.len() as u64;
    ensure!(
        each > 0,
        "--count {}: expected at least {}, one for each size that has terms",
        args.count,
        sizes.len()
    );
    let source = Source { system, terms, filter, seed: args.run.run().seed };
    let progress = Progress::new("seeds", args.count, args.run.run().quiet);
    let mut all = Vec::new();
    let mut tallies = Vec::new();
    for (number, &size) in (0..).zip(&sizes) {
        let wanted = each + u64::from(number < more);
        let (found, tally) = pool.install(|| source.seeds(size, wanted, &progress));
        if let Some(lack) = tally.lack(wanted) {
            // Of several sizes the others are not given up for one.
            ensure!(least < largest, "{lack}");
            if !args.run.run().quiet {
                note(&lack);
            }
        }
        all.extend(found);
        tallies.push(tally);
    }
    progress.finish();
    ensure!(
        !all.is_empty(),
        "no term of {least} to {largest} nodes passes: ask for fewer --least-nodes"
    );
    out.write(&all, &origin(&source, &roots, &leaves, (least, largest), all.len()))?;
    print(&report(&tallies, args))
}

/// What is asked of a seed besides its size.
fn filter(args: &SeedsArgs) -> Result<Option<SeedFilter>> {
    let Some(least_nodes) = args.least_nodes else { return Ok(None) };
    let nodes = args.nodes.unwrap_or(least_nodes.saturating_mul(2));
    ensure!(least_nodes > 0, "--least-nodes 0: expected at least 1");
    ensure!(nodes >= least_nodes, "--nodes {nodes}: expected at least --least-nodes {least_nodes}");
    let default = Saturation::default();
    let saturation = Saturation {
        memory: args.memory.unwrap_or(default.memory),
        nodes: Some(nodes),
        iterations: args.iterations,
        scheduler: args.scheduler.unwrap_or(default.scheduler),
    };
    let (keep_constants, saturation) = (args.keep_constants, saturation.config());
    Ok(Some(SeedFilter { least_nodes, keep_constants, saturation }))
}

/// The sorts of the terms.
fn roots(language: &Language, sort: Option<&str>) -> Result<Vec<SortId>> {
    let Some(name) = sort else {
        return Ok((0..language.sorts.len()).map(|sort| SortId(sort as u16)).collect());
    };
    let sort = language.sort(name).with_context(|| {
        format!("--sort {name}: unknown sort, expected one of {}", language.sorts.join(", "))
    })?;
    Ok(vec![sort])
}

/// The literals of all sorts: those that were asked for, or the usual ones and those in the rules.
fn literals(system: &System, asked: Option<&Literals>) -> Result<Vec<Leaf>> {
    let language = &system.language;
    let mut found = Vec::new();
    let usual = LITERALS.map(str::to_owned);
    let numbers = asked.map_or(&usual[..], |Literals(numbers)| numbers);
    for number in numbers {
        let before = found.len();
        for &(kind, sort) in &language.literals {
            let Some(value) = kind.read(number) else { continue };
            found.push(Leaf { sort, value: LeafValue::Literal(value) });
        }
        ensure!(
            asked.is_none() || found.len() > before,
            "--literals: {number} is not a literal of any sort of the system"
        );
    }
    if asked.is_none() {
        for rule in &system.rules {
            found.extend(rule.lhs.parts().chain(rule.rhs.parts()).filter_map(|part| match part {
                Pattern::Leaf(leaf) => Some(leaf.clone()),
                _ => None,
            }));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// A lone leaf in a seed file has no context to say its sort: refuses those that would be read
/// back otherwise, or not at all.
fn readable(language: &Language, roots: &[SortId], leaves: &LeafSet, option: &str) -> Result<()> {
    let variable = |&sort: &SortId| Leaf { sort, value: LeafValue::Variable("x".to_owned()) };
    let variables = language.variables.iter().filter(|_| leaves.variables > 0).map(variable);
    let leaf = leaves
        .literals
        .iter()
        .cloned()
        .chain(variables)
        .filter(|leaf| roots.contains(&leaf.sort))
        .find(|leaf| language.leaf(&leaf.to_string(), None).as_ref() != Ok(leaf));
    match leaf {
        None => Ok(()),
        Some(leaf) => bail!(
            "{option} 1: a seed file can't say that a lone {leaf} is of sort {}: expected at least \
             2 nodes, or another --sort",
            language.sort_name(leaf.sort)
        ),
    }
}

fn no_term(
    terms: &RandomTerms,
    language: &Language,
    args: &SeedsArgs,
    least: usize,
    largest: usize,
) -> String {
    let of_sort = args.sort.as_ref().map_or(String::new(), |sort| format!(" of sort {sort}"));
    let nodes = match args.sizes {
        Some(_) => format!("--sizes {least}..{largest}: no term{of_sort} has {least} to {largest}"),
        None => format!("--size {least}: no term{of_sort} has {least}"),
    };
    let smaller = (1..least).rfind(|&size| terms.count(size) > BigUint::ZERO);
    let hint = match smaller {
        Some(size) => format!("the next smaller terms have {size}"),
        None if language.variables.is_empty() && language.literals.is_empty() => {
            "the system has neither variables nor literals".to_owned()
        }
        None => "nor fewer".to_owned(),
    };
    format!("{nodes} nodes; {hint}")
}

/// How the seeds were made, in lines.
fn origin(
    source: &Source,
    roots: &[SortId],
    leaves: &LeafSet,
    (least, largest): (usize, usize),
    found: usize,
) -> Vec<String> {
    let language = &source.system.language;
    let names = |sorts: &[SortId]| {
        sorts.iter().map(|&sort| language.sort_name(sort)).collect::<Vec<_>>().join(", ")
    };
    let sizes = if least == largest { least.to_string() } else { format!("{least} to {largest}") };
    let mut lines = vec![
        format!("{found} terms of {sizes} nodes; sorts: {}", names(roots)),
        format!("system: {}; seed: {}", source.system.hash, source.seed),
        match &language.variables[..] {
            [] => "variables: none, for no sort has any".to_owned(),
            sorts => format!("variables: at most {} of {}", leaves.variables, names(sorts)),
        },
    ];
    for &(_, sort) in &language.literals {
        let literals = leaves.literals.iter().filter(|leaf| leaf.sort == sort);
        let literals: Vec<_> = literals.map(Leaf::to_string).collect();
        lines.push(format!("literals of {}: {}", language.sort_name(sort), literals.join(", ")));
    }
    if let Some(SeedFilter { least_nodes, keep_constants, saturation }) = &source.filter {
        let constants = if *keep_constants { "kept" } else { "dropped" };
        let limits = &saturation.limits;
        let shown = |limit: Option<String>| limit.unwrap_or_else(|| "any".to_owned());
        lines.push(format!("e-nodes at least {least_nodes}; constants {constants}"));
        lines.push(format!(
            "limits: memory {}, e-nodes {}, iterations {}; scheduler {}",
            shown(limits.memory.map(|bytes| ByteSize(bytes).to_string())),
            shown(limits.nodes.map(|n| n.to_string())),
            shown(limits.iterations.map(|n| n.to_string())),
            saturation.scheduler
        ));
    }
    lines
}

fn report(tallies: &[Tally], args: &SeedsArgs) -> String {
    let mut text = String::new();
    let kept: u64 = tallies.iter().map(Tally::kept).sum();
    for tally in tallies {
        let _ = writeln!(
            text,
            "{} of {} terms of {} nodes: {} drawn{}",
            tally.kept(),
            rounded(&tally.terms),
            tally.size,
            tally.drawn,
            tally.dropped()
        );
    }
    let seeds = match kept {
        kept if kept < args.count => format!("only {kept} of {}", args.count),
        kept => kept.to_string(),
    };
    text + &format!("{seeds} seeds in {}\n", args.out.display())
}

/// A number in full, or its first digits and how many there are.
fn rounded(number: &BigUint) -> String {
    let digits = number.to_string();
    if digits.len() <= 12 {
        return digits;
    }
    format!("{}.{}e{}", &digits[..1], &digits[1..3], digits.len() - 1)
}
