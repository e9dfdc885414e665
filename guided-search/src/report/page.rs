//! A self-contained page about an evaluation: table, curves, proofs and settings.

use crate::evaluation::checked::check_proofs;
use crate::evaluation::evaluate::{Evaluation, RESULTS_FILE};
use crate::evaluation::results::{Row, read_results};
use crate::evaluation::statistics::{median, wilson};
use crate::report::proof_view::proof_section;
use crate::sources::method::Method;
use anyhow::{Context, Result, ensure};
use dataset_gen::dataset::info::system_of;
use egraph::System;
use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use support::files::whole_file::{FileKind, OutputFile};
use support::show::chart::{Series, Shape, chart};
use support::show::numbers::thousands;
use support::show::page::{escape, has_title, page};

/// How many proofs are shown.
const PROOFS: usize = 8;

/// What one method did on a set of tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The method's name.
    pub method: String,
    /// Tasks it was tried on.
    pub tasks: usize,
    /// Tasks it proved.
    pub solved: usize,
    /// Median work over the tasks it proved.
    pub median_work: Option<f64>,
    /// Median e-graphs over the tasks it proved.
    pub median_e_graphs: Option<f64>,
    /// Median nodes of its proofs.
    pub median_steps: Option<f64>,
    /// Mean seconds per task, the model included.
    pub seconds: f64,
    /// Mean seconds per task in the model.
    pub model_seconds: f64,
}

/// One summary per method, in the order of the rows.
pub fn summaries(rows: &[&Row]) -> Vec<Summary> {
    method_names(rows)
        .into_iter()
        .map(|method| {
            let own: Vec<&Row> = rows.iter().filter(|r| r.method == method).copied().collect();
            let solved: Vec<&Row> = own.iter().filter(|r| r.solved).copied().collect();
            let of_solved = |value: fn(&Row) -> u64| {
                median(&mut solved.iter().map(|r| value(r) as f64).collect::<Vec<_>>())
            };
            let mean = |value: fn(&Row) -> f64| {
                own.iter().map(|r| value(r)).sum::<f64>() / own.len().max(1) as f64
            };
            Summary {
                tasks: own.len(),
                solved: solved.len(),
                median_work: of_solved(|r| r.work),
                median_e_graphs: of_solved(|r| r.e_graphs),
                median_steps: of_solved(|r| r.proof_steps),
                seconds: mean(|r| r.seconds),
                model_seconds: mean(|r| r.model_seconds),
                method,
            }
        })
        .collect()
}

fn method_names(rows: &[&Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        if !names.contains(&row.method) {
            names.push(row.method.clone());
        }
    }
    names
}

/// The summaries as a table for a terminal.
pub fn text_table(summaries: &[Summary]) -> String {
    let mut text = format!(
        "{:<18} {:>9} {:>7} {:>15} {:>12} {:>9}\n",
        "method", "solved", "%", "95 % interval", "median work", "s/task"
    );
    for s in summaries {
        let (low, high) = wilson(s.solved, s.tasks);
        let _ = writeln!(
            text,
            "{:<18} {:>9} {:>7.1} {:>15} {:>12} {:>9.2}",
            s.method,
            format!("{}/{}", s.solved, s.tasks),
            percent(s.solved, s.tasks),
            format!("{:.0} to {:.0}", 100.0 * low, 100.0 * high),
            s.median_work.map_or("-".to_owned(), |w| thousands(w as u64)),
            s.seconds
        );
    }
    text
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Writes the page about the results in `directory` to `out`, which may hold an earlier one.
///
/// # Errors
/// As [`report`]; `out` holds something else; or what the file system says.
pub fn write_report(directory: &Path, out: &Path) -> Result<()> {
    let kind = FileKind { name: "a report", recognise: |path| has_title(path, TITLE) };
    let out = OutputFile::new(out, kind)?;
    let page = report(directory)?;
    out.write(|file| Ok(file.write_all(page.as_bytes())?))
}

/// The page about the results in `directory` as text.
///
/// # Errors
/// A directory without whole results, a result or proof that can't be read, or a rewrite system
/// that is not that of the results.
pub fn report(directory: &Path) -> Result<String> {
    let evaluation = Evaluation::load(directory)?;
    let results = directory.join(RESULTS_FILE);
    ensure!(
        results.exists(),
        "{} is not finished: run `cairn evaluate` again to go on with it",
        directory.display()
    );
    let rows = read_results(&results)?;
    ensure!(!rows.is_empty(), "{} holds no result", results.display());
    let (system, _) = system_of(directory, &evaluation.tasks.system_hash)?;
    // The page says that all of them were accepted.
    check_proofs(directory, &system, &rows)?;
    let mut body = String::new();
    introduction(&mut body, &evaluation);
    let all: Vec<&Row> = rows.iter().collect();
    let hard: Vec<&Row> = rows.iter().filter(|r| r.hard == Some(true)).collect();
    set_section(&mut body, "All tasks", &all, &evaluation);
    if all.iter().any(|r| r.hard.is_some()) {
        if hard.is_empty() {
            body.push_str(
                "<h2>Hard tasks</h2>\n<p>None: one e-graph with all the work proves every task, \
                 so the work or the chains are too small to need guides.</p>\n",
            );
        } else {
            set_section(&mut body, "Hard tasks", &hard, &evaluation);
            body.push_str(
                "<p class=\"note\">Hard are the tasks that one e-graph with all the work can't \
                 prove. Filtering on a baseline favours the other methods; the unfiltered set \
                 above does not.</p>\n",
            );
        }
    }
    proofs(&mut body, directory, &system, &rows).context("cannot show the proofs")?;
    settings(&mut body, &evaluation);
    Ok(page(TITLE, include_str!("report.css"), &body))
}

const TITLE: &str = "Cairn: guided equality saturation";

fn introduction(page: &mut String, evaluation: &Evaluation) {
    let origin = &evaluation.tasks;
    page.push_str("<h1>Guided equality saturation</h1>\n");
    let tasks = thousands(evaluation.task_count as u64);
    if origin.links > 0 {
        let _ = writeln!(
            page,
            "<p>{tasks} tasks, each to prove that two terms are equal. The target lies at the end \
             of a far chain of {} links from a held-out seed; each link ends at a frontier term of \
             an e-graph of {} e-nodes, and one e-graph of {} e-nodes can't connect the ends.</p>",
            origin.links,
            thousands(origin.link_nodes as u64),
            thousands(origin.cap as u64)
        );
        let failed: u64 = origin.failures.values().sum();
        if failed > 0 {
            let _ = writeln!(
                page,
                "<p class=\"note\">{} of {} chains that were begun came to nothing and are no \
                 tasks: {}.</p>",
                thousands(failed),
                thousands(origin.begun),
                origin
                    .failures
                    .iter()
                    .map(|(reason, count)| format!("{} ({})", escape(reason), thousands(*count)))
                    .collect::<Vec<_>>()
                    .join(", ")
            );
        }
    } else {
        let _ = writeln!(page, "<p>{tasks} tasks, each to prove that two terms are equal.</p>");
    }
    let _ = writeln!(
        page,
        "<p>Every method had the same cap on each e-graph ({}) and the same total work ({} e-nodes \
         ever built, over all e-graphs), {} guides per request and {} attempts per question. Every \
         proof counted here was accepted by the checker.</p>",
        escape(&evaluation.budget.cap.to_string()),
        thousands(evaluation.budget.work),
        evaluation.guides,
        evaluation.attempts
    );
}

fn class(method: &str) -> String {
    format!("m-{}", escape(method))
}

fn set_section(page: &mut String, title: &str, rows: &[&Row], evaluation: &Evaluation) {
    let summaries = summaries(rows);
    let tasks = summaries.iter().map(|s| s.tasks).max().unwrap_or(0);
    let _ = writeln!(page, "<h2>{title} ({tasks})</h2>");
    page.push_str(
        "<div class=\"scroll\"><table>\n<thead><tr><th></th><th>method</th><th class=\"n\">solved</th>\
         <th class=\"n\">%</th><th class=\"n\">95 % interval</th><th></th>\
         <th class=\"n\">median work</th><th class=\"n\">e-graphs</th>\
         <th class=\"n\">proof nodes</th><th class=\"n\">s per task</th>\
         <th class=\"n\">of these model</th></tr></thead>\n<tbody>\n",
    );
    for s in &summaries {
        let (low, high) = wilson(s.solved, s.tasks);
        let description = s.method.parse::<Method>().map(Method::description).unwrap_or_default();
        let number =
            |value: Option<f64>| value.map_or("–".to_owned(), |v| thousands(v.round() as u64));
        let _ = writeln!(
            page,
            "<tr class=\"{}\"><td><span class=\"swatch\"></span></td>\
             <td><b>{}</b> <small>{}</small></td><td class=\"n\">{}/{}</td>\
             <td class=\"n\">{:.1}</td><td class=\"n\">{:.0} – {:.0}</td><td>{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{:.2}</td><td class=\"n\">{:.2}</td></tr>",
            class(&s.method),
            escape(&s.method),
            escape(description),
            s.solved,
            s.tasks,
            percent(s.solved, s.tasks),
            100.0 * low,
            100.0 * high,
            bar(s.solved, s.tasks),
            number(s.median_work),
            number(s.median_e_graphs),
            number(s.median_steps),
            s.seconds,
            s.model_seconds
        );
    }
    page.push_str("</tbody></table></div>\n");
    page.push_str("<figure>\n");
    let curves: Vec<Series> =
        summaries.iter().map(|s| solved_by_work(rows, &s.method, evaluation.budget.work)).collect();
    let range = (0.0, evaluation.budget.work as f64);
    page.push_str(&chart("work: e-nodes ever built", range, Shape::Steps, &curves));
    legend(page, &summaries);
    page.push_str("<figcaption>Per cent solved within a given work.</figcaption>\n</figure>\n");
    links_chart(page, rows, &summaries);
}

/// A bar with its interval, in the table.
fn bar(solved: usize, tasks: usize) -> String {
    let (low, high) = wilson(solved, tasks);
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 120 14\" aria-hidden=\"true\">\
         <rect class=\"track\" x=\"0\" y=\"4\" width=\"120\" height=\"6\"/>\
         <rect class=\"fill\" x=\"0\" y=\"4\" width=\"{:.1}\" height=\"6\"/>\
         <path class=\"whisker\" d=\"M{:.1} 1V13M{:.1} 7H{:.1}M{:.1} 1V13\"/></svg>",
        1.2 * percent(solved, tasks),
        120.0 * low,
        120.0 * low,
        120.0 * high,
        120.0 * high
    )
}

fn legend(page: &mut String, summaries: &[Summary]) {
    page.push_str("<p class=\"legend\">");
    for s in summaries {
        let _ = write!(
            page,
            "<span class=\"{}\"><span class=\"swatch\"></span>{}</span> ",
            class(&s.method),
            escape(&s.method)
        );
    }
    page.push_str("</p>\n");
}

/// Per cent of the tasks solved with at most so much work.
fn solved_by_work(rows: &[&Row], method: &str, budget: u64) -> Series {
    let own: Vec<&&Row> = rows.iter().filter(|r| r.method == method).collect();
    let mut works: Vec<u64> = own.iter().filter(|r| r.solved).map(|r| r.work).collect();
    works.sort_unstable();
    let mut points = vec![(0.0, 0.0)];
    for (i, &work) in works.iter().enumerate() {
        points.push((work as f64, percent(i + 1, own.len())));
    }
    points.push((budget as f64, percent(works.len(), own.len())));
    Series { name: method.to_owned(), class: class(method), points }
}

/// Per cent solved by the length of the chain, if there are several lengths.
fn links_chart(page: &mut String, rows: &[&Row], summaries: &[Summary]) {
    let mut lengths: Vec<u32> = rows.iter().map(|r| r.links).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let (Some(&low), Some(&high)) = (lengths.first(), lengths.last()) else { return };
    if low == high {
        return;
    }
    let series: Vec<Series> = summaries
        .iter()
        .map(|s| Series {
            name: s.method.clone(),
            class: class(&s.method),
            points: lengths
                .iter()
                .map(|&links| {
                    let own = rows.iter().filter(|r| r.method == s.method && r.links == links);
                    let (solved, all) =
                        own.fold((0, 0), |(s, n), r| (s + usize::from(r.solved), n + 1));
                    (f64::from(links), percent(solved, all))
                })
                .collect(),
        })
        .collect();
    page.push_str("<figure>\n");
    let range = (f64::from(low), f64::from(high));
    page.push_str(&chart("links of the chain", range, Shape::Dots, &series));
    legend(page, summaries);
    page.push_str("<figcaption>Per cent solved by length of the chain.</figcaption>\n</figure>\n");
}

/// Proofs of some tasks: hard ones first, and of the methods that use guides.
fn proofs(page: &mut String, directory: &Path, system: &System, rows: &[Row]) -> Result<()> {
    let preference = |row: &Row| match row.method.parse::<Method>() {
        Ok(Method::Model(_) | Method::Select(_)) => 0,
        Ok(Method::Random(_) | Method::BothSides(_) | Method::Nearest(_)) => 1,
        Ok(Method::Oracle) => 2,
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
    page.push_str("<h2>Proofs</h2>\n");
    if shown.is_empty() {
        page.push_str("<p>No method proved any task.</p>\n");
        return Ok(());
    }
    page.push_str(
        "<p>Read from top to bottom; each line follows from the one above by the rule beside it, \
         applied to the marked subterm (← against its direction). Waypoints, at which a fresh \
         e-graph was begun, stand out.</p>\n",
    );
    for row in shown {
        proof_section(page, directory, system, row)?;
    }
    Ok(())
}

fn settings(page: &mut String, evaluation: &Evaluation) {
    page.push_str("<h2>Settings</h2>\n<dl>\n");
    let mut entry = |name: &str, value: &str| {
        let _ = writeln!(page, "<dt>{name}</dt><dd>{}</dd>", escape(value));
    };
    entry("version", &evaluation.version);
    entry("rewrite system (SHA-256)", &evaluation.tasks.system_hash);
    entry("cap on each e-graph", &evaluation.budget.cap.to_string());
    entry("total work", &thousands(evaluation.budget.work));
    entry("scheduler", &evaluation.budget.scheduler.to_string());
    entry("guides per request", &evaluation.guides.to_string());
    entry("attempts per question", &evaluation.attempts.to_string());
    entry("depth of halving", &evaluation.depth.to_string());
    entry("seed", &evaluation.seed.to_string());
    entry("seed of the tasks", &evaluation.tasks.seed.to_string());
    if let Some(model) = &evaluation.model {
        entry("model", model);
    }
    page.push_str("</dl>\n<p>Done with</p>\n<pre>");
    page.push_str(&escape(&evaluation.command));
    page.push_str("</pre>\n");
}
