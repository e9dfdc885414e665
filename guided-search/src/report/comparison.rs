//! What a comparison of optimisers came to: a table, and a page.

use crate::evaluation::comparison::Comparison;
use crate::evaluation::statistics::{mcnemar, wilcoxon};
use crate::optimise::many::check_proofs_of;
use crate::optimise::optimisers::Optimiser;
use crate::optimise::summary::{OptimisedSummary, left};
use crate::optimise::table::OptimisedRow;
use crate::report::charts::figure;
use crate::report::proof::RulesSaid;
use crate::report::tables::{settings_section, table};
use anyhow::{Context, Result};
use dataset_gen::system_of;
use jobs::Described;
use maud::{Markup, html};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;
use support::svg_chart::{Axis, Chart, Series, Shape};
use support::{counted, page, thousands};

/// What one optimiser did, alone and against the reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OptimiserSummary {
    /// The optimiser.
    pub optimiser: Optimiser,
    /// On its own.
    pub alone: OptimisedSummary,
    /// Against the reference; none for the reference itself.
    pub paired: Option<Paired>,
}

/// The reference against an optimiser, term by term.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Paired {
    /// Terms that the reference made cheaper than this optimiser did,
    pub better: usize,
    /// and the other way round.
    pub worse: usize,
    /// Two-sided p of the sign test.
    pub sign: f64,
    /// Two-sided p of Wilcoxon's signed ranks of the logarithms of the shares.
    pub wilcoxon: f64,
    /// What the reference leaves for what this optimiser leaves: the geometric mean.
    pub ratio: f64,
}

/// One summary an optimiser. The reference of the pairs is the last learned optimiser, or the last.
pub fn optimiser_summaries(
    optimisers: &[Optimiser],
    rows: &[Vec<OptimisedRow>],
) -> Vec<OptimiserSummary> {
    let last = optimisers.len().saturating_sub(1);
    let reference = optimisers.iter().rposition(|optimiser| optimiser.ranked).unwrap_or(last);
    let summary = |(i, &optimiser): (usize, &Optimiser)| OptimiserSummary {
        optimiser,
        alone: OptimisedSummary::of(&rows[i]),
        paired: (i != reference).then(|| paired(&rows[reference], &rows[i])),
    };
    optimisers.iter().enumerate().map(summary).collect()
}

fn paired(reference: &[OptimisedRow], other: &[OptimisedRow]) -> Paired {
    let log = |row: &OptimisedRow| row.log_left(u64::MAX);
    let both = reference.iter().zip(other).filter_map(|(a, b)| log(a).zip(log(b)));
    let differences: Vec<f64> = both.map(|(a, b)| a - b).collect();
    let better = differences.iter().filter(|&&d| d < 0.0).count();
    let worse = differences.iter().filter(|&&d| d > 0.0).count();
    let mean = differences.iter().sum::<f64>() / differences.len().max(1) as f64;
    Paired {
        better,
        worse,
        sign: mcnemar(better, worse),
        wilcoxon: wilcoxon(&differences),
        ratio: mean.exp(),
    }
}

/// The columns of the table, after the names of the optimisers; `cost` is what terms cost.
fn head(cost: &str) -> [String; 8] {
    let left = format!("{cost} left %");
    ["cheaper", left.as_str(), "median work", "better", "worse", "p sign", "p ranks", "ratio"]
        .map(str::to_owned)
}

fn cells(OptimiserSummary { alone, paired, .. }: &OptimiserSummary) -> [String; 8] {
    let cheaper = format!("{}/{}", alone.cheaper, alone.terms);
    let (left, work) = (format!("{:.1}", 100.0 * alone.left), thousands(alone.work));
    let nothing = || ["–", "", "", "", ""].map(str::to_owned);
    let [better, worse, sign, ranks, ratio] = paired.map_or_else(nothing, |p| {
        let [sign, ranks] = [p.sign, p.wilcoxon].map(probability);
        [p.better.to_string(), p.worse.to_string(), sign, ranks, format!("{:.3}", p.ratio)]
    });
    [cheaper, left, work, better, worse, sign, ranks, ratio]
}

/// For a terminal; `cost` is what terms cost.
pub fn optimisers_table(summaries: &[OptimiserSummary], cost: &str) -> String {
    let line = |name: &str, [a, b, c, d, e, f, g, h]: [String; 8]| {
        let line = format!("{name:<11} {a:>9} {b:>13} {c:>12} {d:>7} {e:>6} {f:>8} {g:>9} {h:>8}");
        format!("{}\n", line.trim_end())
    };
    let lines = summaries.iter().map(|s| line(s.optimiser.name, cells(s)));
    std::iter::once(line("optimiser", head(cost))).chain(lines).collect()
}

fn probability(p: f64) -> String {
    if p < 0.001 { format!("{p:.0e}") } else { format!("{p:.3}") }
}

const EXPLAINED: &str = "Better and worse: terms that the optimiser without these numbers made cheaper, or left dearer, than the \
     optimiser of the line did; p of the sign test and of Wilcoxon's signed ranks, two-sided; ratio: what it leaves of the \
     cost for what the other leaves, the geometric mean over the terms. Less is better.";

/// The page about the comparison in `directory`. Every proof is checked once more.
///
/// # Errors
/// A comparison that is not finished, a table or proof that is not as it was, another rewrite system.
pub fn comparison_page(directory: &Path, title: &str, said: &RulesSaid<'_>) -> Result<String> {
    let comparison = Comparison::load(directory)?;
    let rows = comparison.rows(directory)?.with_context(|| {
        format!(
            "{} is not finished: run `cairn evaluate` again to go on with it",
            directory.display()
        )
    })?;
    let (system, _) = system_of(directory, &comparison.system_hash)?;
    let mut rules = BTreeSet::new();
    for (optimiser, rows) in comparison.optimisers.iter().zip(&rows) {
        rules.extend(check_proofs_of(&directory.join(optimiser.name), &system, rows)?);
    }
    let colours = |o: &Optimiser| format!(".o-{o} {{ --c: {}; }}\n", o.colour);
    let style: String = comparison.optimisers.iter().map(colours).collect();
    let css = include_str!("report.css").to_owned() + &style;
    Ok(page(title, &css, &body(&comparison, &rows, said(&system, &rules))))
}

fn class(optimiser: Optimiser) -> String {
    format!("o-{optimiser} {}", if optimiser.ranked { "learned" } else { "baseline" })
}

fn body(comparison: &Comparison, rows: &[Vec<OptimisedRow>], said: Option<String>) -> Markup {
    let Comparison { optimisers, cost, .. } = comparison;
    let summaries = optimiser_summaries(optimisers, rows);
    let mut settings = vec![
        ("version", comparison.version.clone()),
        ("rewrite system (SHA-256)", comparison.system_hash.clone()),
        ("terms (SHA-256)", comparison.terms_hash.clone()),
        ("seed", comparison.seed.to_string()),
    ];
    settings.extend(comparison.ranker.clone().map(|ranker| ("ranker", ranker)));
    html! {
        h1 { "Optimisers on the same terms" }
        p {
            (counted(comparison.terms as u64, "term")) ", " (thousands(comparison.work)) " work a term (e-nodes ever \
             built) in e-graphs of at most " (comparison.cap) ". Cost: " (cost) ". Every result has a proof, which \
             the checker accepted, for this page once more."
        }
        (chart(comparison, rows))
        (table(
            &html! { th { "optimiser" } @for name in head(cost) { th.n { (name) } } },
            &html! {
                @for s in &summaries {
                    tr class=(class(s.optimiser)) {
                        td { span.swatch {} b { (s.optimiser) } small { (s.optimiser.what) } }
                        @for cell in cells(s) { td.n { (cell) } }
                    }
                }
            }
        ))
        p.note { (EXPLAINED) }
        @if let Some(said) = said { p.note { (said) } }
        (settings_section(&settings, &comparison.command))
    }
}

/// Per cent of the cost that is left over work.
fn chart(comparison: &Comparison, rows: &[Vec<OptimisedRow>]) -> Markup {
    let line = |(optimiser, rows): (&Optimiser, &Vec<OptimisedRow>)| {
        let budget = comparison.work;
        let mut works: Vec<u64> =
            rows.iter().flat_map(|row| row.curve_work.iter().copied()).collect();
        works.extend([0, budget]);
        works.retain(|&work| work <= budget);
        works.sort_unstable();
        works.dedup();
        // As many as can be seen.
        let step = works.len().div_ceil(600).max(1);
        let last = works.len() - 1;
        let kept = works.into_iter().enumerate().filter(|&(i, _)| i % step == 0 || i == last);
        let points = kept.map(|(_, work)| (work as f64, 100.0 * left(rows, work))).collect();
        Series { name: optimiser.to_string(), class: class(*optimiser), points }
    };
    let lines: Vec<Series> = comparison.optimisers.iter().zip(rows).map(line).collect();
    let x = Axis::numbers("work: e-nodes ever built", (0.0, comparison.work as f64), 1.0);
    let y = Axis::per_cent("of the cost left");
    let chart =
        Chart::new(x, y, 340, "per cent of the cost left over work").lines(Shape::Steps, &lines);
    figure(
        &chart,
        &lines,
        "Per cent of the cost that is left with a given work a term: the geometric mean over the terms.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::table::row;

    #[test]
    fn the_learned_optimiser_is_compared_with_each_other_one() {
        let names = ["mixed", "ranked", "simple"];
        let optimisers = names.map(|name| name.parse::<Optimiser>().unwrap());
        let rows_of = |costs: [u64; 4]| -> Vec<OptimisedRow> {
            let costs = costs.into_iter().enumerate();
            costs.map(|(i, cost)| row(&i.to_string(), Some(16), &[(0, 16), (5, cost)])).collect()
        };
        let rows = [rows_of([8, 8, 8, 16]), rows_of([4, 4, 8, 16]), rows_of([16, 16, 4, 16])];
        let summaries = optimiser_summaries(&optimisers, &rows);
        assert_eq!(summaries[1].paired, None);
        let [mixed, simple] = [0, 2].map(|i| summaries[i].paired.unwrap());
        assert_eq!((mixed.better, mixed.worse), (2, 0));
        assert!((mixed.ratio - f64::sqrt(0.5)).abs() < 1e-9);
        assert_eq!((simple.better, simple.worse), (2, 1));
        let text = optimisers_table(&summaries, "size");
        assert_eq!(text.lines().count(), 4);
        assert!(text.contains("size left %"), "{text}");
    }
}
