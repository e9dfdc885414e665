//! `cairn evaluate --terms`: optimisers on the same terms, under the same limits.

use crate::commands::measured::evaluate::EvaluateArgs;
use crate::inputs::aids::Wanted;
use crate::inputs::args::{load_system_with_text, named_cost, of_flag};
use crate::inputs::verdicts::Verdicts;
use anyhow::{Result, ensure};
use egraph::{Sketch, TermBank};
use guided_search::{
    COST, Comparison, Objective, OptimiseSettings, Optimiser, Terms, compare_optimisers,
    optimiser_summaries, optimisers_table, refuse_seen_terms,
};
use support::{InputFile, print};
use terms::load_seeds_with_hash;

pub fn run(args: &EvaluateArgs, file: &InputFile) -> Result<()> {
    let run = args.run.run();
    let budget = args.search.settle_on_terms().map_err(of_flag)?;
    let names = args.cost.as_deref().unwrap_or(COST);
    let (system, system_text) = load_system_with_text(&args.system)?;
    let mut bank = TermBank::new(system.language.clone());
    let (terms, terms_hash) = load_seeds_with_hash(file, &system, &mut bank, None)?;
    let cost = named_cost(&system, names)?;
    let objective = &Objective::tree(cost, Sketch::Any);
    let asked = args.optimisers.as_ref();
    let wanted = Wanted {
        used: asked.is_none_or(|names| names.iter().any(|optimiser| optimiser.ranked)),
        by_default: asked.is_none(),
    };
    let found = args.aids.read_ranker(&system, wanted, run.quiet, |ranker| {
        refuse_seen_terms("the ranker", &terms, &mut bank, &ranker.seen)
    })?;
    let found = found.map(|(file, ranker, ())| (file, ranker));
    let possible = || Optimiser::all().filter(|o| found.is_some() || !o.ranked).collect();
    let optimisers: Vec<Optimiser> = args.optimisers.clone().unwrap_or_else(possible);
    ensure!(!optimisers.is_empty(), "no optimiser to compare");
    for (i, optimiser) in optimisers.iter().enumerate() {
        ensure!(!optimisers[..i].contains(optimiser), "optimiser '{optimiser}' is given twice");
        ensure!(
            found.is_some() || !optimiser.ranked,
            "the optimiser '{optimiser}' needs a ranker: leave out --no-ranker"
        );
    }
    let is_used = optimisers.iter().any(|optimiser| optimiser.ranked);
    ensure!(
        is_used || args.aids.ranker.given.is_none(),
        "--ranker is for the optimiser 'ranked', which is not among --optimisers"
    );
    let (ranker_file, ranker) = found.filter(|_| is_used).unzip();
    let mut comparison = Comparison {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        terms_hash,
        terms: terms.len(),
        cost: names.to_owned(),
        optimisers,
        cap: budget.cap,
        work: budget.work,
        ranker: ranker_file.map(|file| file.to_string()),
        ranker_hash: ranker.as_ref().map(|ranker| ranker.hash()).transpose()?,
        seed: run.seed,
        command: String::new(),
        results: Vec::new(),
    };
    comparison.command = command(args, file, &comparison);
    let settings = &OptimiseSettings::within(budget, run.seed);
    let (system, bank, terms) = (&system, &bank, &terms[..]);
    let (system_text, goals) = (system_text.as_str(), None);
    let terms = Terms { system, system_text, bank, terms, objective, goals, settings };
    let (out, ranker) = (&args.out, ranker.as_ref());
    let rows = run
        .build_pool()?
        .install(|| compare_optimisers(&comparison, &terms, ranker, out, run.quiet))?;
    Verdicts::keep_with_results(&args.system, out);
    let summaries = optimiser_summaries(&comparison.optimisers, &rows);
    print(&format!("{}results in {}\n", optimisers_table(&summaries, names), out.display()))
}

/// The command that does this comparison, every setting spelt out.
fn command(args: &EvaluateArgs, file: &InputFile, comparison: &Comparison) -> String {
    let Comparison { optimisers, cost, cap, work, ranker, seed, .. } = comparison;
    let names: Vec<&str> = optimisers.iter().map(|optimiser| optimiser.name).collect();
    let ranker = ranker.as_ref().map_or(String::new(), |file| format!(" --ranker {file}"));
    format!(
        "cairn evaluate --system {} --terms {}{ranker} --optimisers {} --cost {cost} --cap {cap} --work {work} \
         --seed {seed} --out {}",
        args.system,
        file,
        names.join(","),
        args.out.display()
    )
}
