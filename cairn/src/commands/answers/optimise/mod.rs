//! `cairn optimise`: the best term that equals a given one, with a proof; or that of each of many terms, or of each value of
//! a function of MLIR or LLVM IR.

pub(crate) mod c_file;
pub(crate) mod given;
pub(crate) mod llvm;
pub(crate) mod many_terms;
pub(crate) mod mlir;
pub(crate) mod one_term;
pub(crate) mod part_of_file;
pub(crate) mod values;

use crate::inputs::args::{RunArgs, keep_to_cap};
use crate::inputs::shipped::SYSTEMS;
use anyhow::Result;
use c_file::CSource;
use given::{Given, Learned};
use guided_search::{OptimiseOptions, Seconds};
use llvm::LlvmFile;
use many_terms::ManyTerms;
use mlir::MlirFile;
use one_term::OneTerm;
use std::path::PathBuf;
use std::sync::Arc;
use support::InputFile;

const EXAMPLES: &str = "\
Examples:
  # The smallest equal term
  cairn optimise --system math --term '(+ (* a b) (+ (* a c) 0))' --cost size

  # An expression of C, and the best one in C
  cairn optimise --system words --c 'x + y - 2*(x & y)'

  # Fewest nodes where equal parts count once, and a picture
  cairn optimise --system ring --term '(* (+ a b) (+ (* a a) (* a b)))' \\
      --shared --picture cost.svg

  # Many terms, in the order that was learned (see `cairn learn --seeds`)
  cairn optimise --system my.rules --terms terms.txt --out optimised \\
      --ranker ranker/ranker.json --scheduler mixed --cap 8000 --work 40000

  # The best term of a shape, and a proof for `cairn check`
  cairn optimise --system tiling --term '(m (* n1 32) (m (* n2 32) f))' \\
      --goal '(contains (m n1 (m n2 (m 32 (m 32 f)))))' --out proof.json

  # Where e-graphs see no way down: a model guesses (see `cairn guesses`)
  cairn optimise --system polynomials --cost size --model polynomials \\
      --term '(+ (* x x) (+ (* 3 x) 2))'

  # Functions of C
  cairn optimise --system words --c-file f.c --cost cycles --out optimised

  # A function of MLIR
  mlir-opt --mlir-print-op-generic f.mlir > generic.mlir
  cairn optimise --system arith --mlir generic.mlir | mlir-opt

  # Its integers of all widths; mlir-opt reads what is not in the generic form
  cairn optimise --system words --mlir f.mlir

A strategy ends when a term satisfies the goal. `(phase :goal SKETCH S …)` in it ends in the iteration where \
its own sketch first holds, and the cheapest term that satisfies it is where the next e-graph begins.

Costs are size, depth, and those that the rewrite system declares, `cost` among them; several with \
commas between are compared one after the other, and 3*cost+size is a sum of two.

Exit code 3: no term that satisfies the goal, or the one of a phase, was found; with --terms, for one of them.";

/// The arguments of `cairn optimise`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct OptimiseArgs {
    /// The rewrite system: a .rules file, or a shipped one by its name, as halide
    #[arg(long, value_name = "FILE", value_parser = SYSTEMS.parser())]
    system: InputFile,
    #[command(flatten)]
    one: OneTerm,
    #[command(flatten)]
    many: ManyTerms,
    #[command(flatten)]
    mlir: MlirFile,
    #[command(flatten)]
    llvm: LlvmFile,
    #[command(flatten)]
    source: CSource,
    #[command(flatten)]
    options: OptimiseOptions,
    #[command(flatten)]
    learned: Learned,
    /// Seconds at most (not reproducible); not with --terms
    #[arg(long, value_name = "SECONDS")]
    time: Option<Seconds>,
    /// Write the proof to this file, too; an earlier proof in it is replaced. With --terms, a directory
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
}

/// # Errors
/// Bad input, a goal that is not reached ([`NotProved`](crate::inputs::args::NotProved)), or an internal fault.
pub fn run(args: &OptimiseArgs) -> Result<()> {
    let run = args.run.run();
    let goals = args.many.tasks.is_some();
    let mut given = Given::read(&args.system, &args.options, &args.learned, goals, run.seed)?;
    keep_to_cap(given.aim.limits.budget.cap, given.model.is_some());
    if let (Some(_), Some(out)) = (args.many.file(), &args.out) {
        return many_terms::run(&args.many, &given, out, &run);
    }
    let pool = Arc::new(run.build_pool()?);
    given.settings.deadline = args.time.and_then(Seconds::from_now);
    given.settings.pool = Some(pool.clone());
    let out = args.out.as_deref();
    pool.install(|| match (&args.mlir.mlir, &args.source.c_file, &args.llvm.llvm) {
        (Some(file), ..) => mlir::run(file, out, &args.system, &given),
        (_, Some(file), _) => c_file::run(file, out, &given),
        (.., Some(file)) => llvm::run(file, out, &given),
        _ => one_term::run(&args.one, out, &args.system, &given, run.quiet),
    })
}
