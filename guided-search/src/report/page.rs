//! A self-contained page about an evaluation: its result, tables, curves, proofs and settings.

use crate::evaluation::checked::check_proofs;
use crate::evaluation::comparison::COMPARISON_FILE;
use crate::evaluation::described::{Evaluation, RESULTS_FILE};
use crate::evaluation::results::Row;
use crate::methods::table::{Method, Role};
use crate::report::charts::{charts, style};
use crate::report::comparison::comparison_page;
use crate::report::proof::{RulesSaid, proof_section};
use crate::report::summary::summaries;
use crate::report::tables::{
    families_table, methods_table, reasons_table, settings_section, tasks_table,
};
use crate::report::verdict::{details, headline};
use crate::report::words::words;
use anyhow::{Context, Result, ensure};
use dataset_gen::system_of;
use egraph::System;
use jobs::Described;
use maud::{Markup, html};
use std::io::Write;
use std::path::Path;
use support::hash::of_file;
use support::{FileKind, OutputFile, counted, has_title, page, read_table, thousands};

/// How many proofs are shown.
const PROOFS: usize = 8;

/// What a page says of its numbers.
const SEALED: &str = "All other numbers are as `cairn evaluate` wrote them: evaluation.json and \
                      results.parquet have the hashes that they were sealed with.";
const UNSEALED: &str = "Whether the other numbers are as `cairn evaluate` wrote them can't be told: these \
                        results have no seal, for an earlier version wrote them.";

const TITLE: &str = "Cairn: guided equality saturation";

/// Writes the page about the results in `directory`, of methods or of optimisers, to `out`, which may hold an
/// earlier one; `said` is asked about the rules that its proofs use.
///
/// # Errors
/// A directory without whole results, a result or proof that can't be read, or a rewrite system
/// that is not that of the results; `out` holds something else; or what the file system says.
pub fn write_report(directory: &Path, out: &Path, said: &RulesSaid<'_>) -> Result<()> {
    ensure!(directory.is_dir(), "there is no directory {}", directory.display());
    let kind = FileKind { name: "a report", recognise: |path| has_title(path, TITLE) };
    let out = OutputFile::new(out, kind)?;
    let page = match directory.join(COMPARISON_FILE).is_file() {
        true => comparison_page(directory, TITLE, said)?,
        false => report(directory, said)?,
    };
    out.write(|file| Ok(file.write_all(page.as_bytes())?))
}

/// The page about the results in `directory` as text.
///
/// # Errors
/// A directory without whole results, a result or proof that can't be read, or a rewrite system
/// that is not that of the results.
pub fn report(directory: &Path, said: &RulesSaid<'_>) -> Result<String> {
    let evaluation = Evaluation::load(directory)?;
    let results = directory.join(RESULTS_FILE);
    ensure!(
        results.exists(),
        "{} is not finished: run `cairn evaluate` again to go on with it",
        directory.display()
    );
    let rows: Vec<Row> = read_table(&results)?;
    ensure!(!rows.is_empty(), "{} holds no result", results.display());
    let (system, _) = system_of(directory, &evaluation.tasks.system_hash)?;
    // The page says that all of them were accepted.
    let rules = check_proofs(directory, &system, &rows)?;
    if let Some(hash) = &evaluation.results_hash {
        ensure!(
            of_file(&results)?.0 == *hash,
            "{} is not as it was written: run `cairn evaluate` again, which takes what is finished from \
             the sealed rows",
            results.display()
        );
    }
    let proofs = proofs(directory, &system, &rows).context("cannot show the proofs")?;
    let css = include_str!("report.css").to_owned() + &style();
    let proofs = html! {
        @if let Some(said) = said(&system, &rules) { p.note { (said) } }
        (proofs)
    };
    Ok(page(TITLE, &css, &body(&evaluation, &rows, &proofs)))
}

fn body(evaluation: &Evaluation, rows: &[Row], proofs: &Markup) -> Markup {
    let all: Vec<&Row> = rows.iter().collect();
    let of_all = summaries(&all);
    let (work, ranker) = (evaluation.search.budget.work, evaluation.aids.ranker.is_some());
    html! {
        h1 { "Guided equality saturation" }
        p.verdict { (headline(&of_all, &all, ranker)) }
        (charts(&all, &of_all, work))
        (details(&of_all, &all, ranker))
        (introduction(evaluation))
        (words(evaluation))
        h2 { "All tasks (" (evaluation.task_count) ")" }
        (methods_table(&of_all))
        (families_table(rows, &of_all))
        @if rows.iter().any(|r| r.hard.is_some()) { (hard_tasks(rows, work, ranker)) }
        (reasons_table(rows, &of_all))
        (tasks_table(rows, &of_all))
        h2 { "Proofs" }
        (proofs)
        (settings(evaluation))
    }
}

fn introduction(evaluation: &Evaluation) -> Markup {
    let (origin, search) = (&evaluation.tasks, &evaluation.search);
    let failed: u64 = origin.failures.values().sum();
    let reason = |(reason, count): (&String, &u64)| format!("{reason} ({})", thousands(*count));
    let reasons: Vec<String> = origin.failures.iter().map(reason).collect();
    html! {
        p {
            (counted(evaluation.task_count as u64, "task")) ", each to prove that two terms are equal."
            @if origin.links > 0 {
                " The target lies at the end of a far chain of " (origin.links) " links from a \
                 held-out seed; each link ends at a frontier term of an e-graph of "
                (thousands(origin.link_nodes as u64)) " e-nodes, and one e-graph of "
                (thousands(origin.cap as u64)) " e-nodes can't connect the ends."
            }
            " Every method had the same cap on each e-graph (" (search.budget.cap) ") and the \
             same total work (" (thousands(search.budget.work)) " e-nodes ever built, over all \
             e-graphs), and " (counted(search.guides as u64, "guide")) " a side per request. Every \
             proof counted here was accepted by the checker, for this page once more. "
            (match evaluation.results_hash {
                Some(_) => SEALED,
                None => UNSEALED,
            })
        }
        @for doubt in evaluation.doubts() {
            p.note { b { (doubt) } }
        }
        @if failed > 0 {
            p.note {
                (thousands(failed)) " of " (thousands(origin.begun)) " chains that were begun came \
                 to nothing and are no tasks: " (reasons.join(", ")) "."
            }
        }
    }
}

fn hard_tasks(rows: &[Row], work: u64, ranker: bool) -> Markup {
    let hard: Vec<&Row> = rows.iter().filter(|r| r.hard == Some(true)).collect();
    let of_hard = summaries(&hard);
    html! {
        @if hard.is_empty() {
            h2 { "Hard tasks" }
            p {
                "None: one e-graph with all the work proves every task, so the work or the chains \
                 are too small to need guides."
            }
        } @else {
            h2 { "Hard tasks (" (of_hard[0].tasks) ")" }
            p.note {
                "Those that one e-graph with all the work can't prove. Filtering on a baseline \
                 favours the other methods; the unfiltered set above does not."
            }
            p.verdict { (headline(&of_hard, &hard, ranker)) }
            (charts(&hard, &of_hard, work))
            (details(&of_hard, &hard, ranker))
            (methods_table(&of_hard))
        }
    }
}

/// Proofs of some tasks: hard ones first, and those that go through waypoints.
fn proofs(directory: &Path, system: &System, rows: &[Row]) -> Result<Markup> {
    let preference = |row: &Row| match row.method.parse::<Method>().map(|m| m.role(false)) {
        Ok(Role::Learned) => 0,
        Ok(Role::Baseline) if !row.waypoints.is_empty() => 1,
        Ok(Role::Ceiling) => 2,
        _ => 3,
    };
    let mut solved: Vec<&Row> = rows.iter().filter(|r| r.solved).collect();
    solved.sort_by_key(|r| (r.hard != Some(true), preference(r), r.proof_steps));
    let mut shown: Vec<&Row> = Vec::new();
    for row in solved {
        if shown.len() < PROOFS && shown.iter().all(|s| s.task != row.task) {
            shown.push(row);
        }
    }
    let proof = |row: &&Row| proof_section(directory, system, row);
    let sections = shown.iter().map(proof).collect::<Result<Vec<Markup>>>()?;
    Ok(html! {
        @if sections.is_empty() {
            p { "No method proved any task." }
        } @else {
            p {
                "Read from top to bottom; each line follows from the one above by the rule beside \
                 it, applied to the marked subterm (← against its direction). Waypoints, at which \
                 a fresh e-graph was begun, stand out."
            }
            @for section in sections { (section) }
        }
    })
}

fn settings(evaluation: &Evaluation) -> Markup {
    let Evaluation { version, tasks, search, aids, command, .. } = evaluation;
    let mut pairs =
        vec![("version", version.clone()), ("rewrite system (SHA-256)", tasks.system_hash.clone())];
    pairs.extend(search.listed().map(|(option, name, value)| match option {
        "work" => (name, thousands(search.budget.work)),
        _ => (name, value),
    }));
    pairs.push(("seed of the tasks", tasks.seed.to_string()));
    let file = |(option, file, _): (_, Option<&str>, _)| Some((option, file?.to_owned()));
    pairs.extend(aids.listed().into_iter().filter_map(file));
    settings_section(&pairs, command)
}
