//! The tables of the page: methods, why they failed, and task by task.

use crate::evaluation::results::Row;
use crate::methods::table::Method;
use crate::options::tasks::Family;
use crate::report::charts::{bar, class};
use crate::report::summary::{Summary, median_text};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};
use support::thousands;

/// A table of more tasks is folded.
const OPEN: usize = 12;

/// A table that is moved to and fro where it is wider than the page.
pub fn table(head: &Markup, rows: &Markup) -> Markup {
    html! { div.scroll { table { thead { tr { (head) } } tbody { (rows) } } } }
}

/// A line per method.
pub fn methods_table(summaries: &[Summary]) -> Markup {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), median_text);
    html! {
        (table(
            &html! {
                th { "method" }
                th.n { "solved" } th.n { "%" } th.n { "95 % interval" } th {}
                th.n { "work" } th.n { "e-graphs" } th.n { "proof nodes" }
                th.n { "seconds" } th.n { "in the model" }
            },
            &html! {
                @for s in summaries {
                    @let (low, high) = s.interval();
                    tr class=(class(&s.method)) {
                        td { span.swatch {} b { (s.method) } small { (description(&s.method)) } }
                        td.n { (s.solved) "/" (s.tasks) }
                        td.n { (format!("{:.1}", s.rate())) }
                        td.n { (format!("{low:.0}–{high:.0}")) }
                        td { (bar(s)) }
                        td.n { (number(s.median_work)) }
                        td.n { (number(s.median_e_graphs)) }
                        td.n { (number(s.median_steps)) }
                        td.n { (format!("{:.2}", s.seconds)) }
                        td.n { (format!("{:.2}", s.model_seconds)) }
                    }
                }
            }
        ))
        p.note {
            "Work, e-graphs and proof nodes are medians over the tasks that the method solved; \
             seconds are means over all tasks."
        }
    }
}

/// How many tasks of each family the methods solved, where there is more than one: a line per family,
/// a column per method.
pub fn families_table(rows: &[Row], summaries: &[Summary]) -> Markup {
    let families: BTreeSet<Option<Family>> = rows.iter().map(|row| row.family).collect();
    let counts = |family: Option<Family>, method: &str, solved: bool| {
        let of =
            |row: &&Row| row.family == family && row.method == method && (row.solved || !solved);
        count(rows.iter().filter(of))
    };
    html! {
        @if families.len() > 1 {
            h2 { "Solved by family" }
            (table(
                &html! {
                    th { "family" } th.n { "tasks" }
                    @for s in summaries { th.n { (s.method) } }
                },
                &html! {
                    @for &family in &families {
                        tr {
                            td {
                                b { (family.map_or("–", Family::name)) }
                                small { (family.map_or("not known", Family::description)) }
                            }
                            td.n { (counts(family, &summaries[0].method, false)) }
                            @for s in summaries { td.n { (counts(family, &s.method, true)) } }
                        }
                    }
                }
            ))
            @if rows.iter().any(|row| row.hard.is_some()) {
                p.note { "In brackets: how many of them are hard." }
            }
        }
    }
}

/// How many there are, and in brackets how many of them are hard, if that was tried.
fn count<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let (mut all, mut hard) = (0, None);
    for row in rows {
        all += 1;
        hard = row.hard.map(|is| hard.unwrap_or(0) + u32::from(is)).or(hard);
    }
    hard.map_or_else(|| all.to_string(), |hard| format!("{all} ({hard})"))
}

fn description(method: &str) -> &'static str {
    method.parse::<Method>().map(Method::sentence).unwrap_or_default()
}

/// Why methods did not solve tasks: a line per method, a column per reason.
pub fn reasons_table(rows: &[Row], summaries: &[Summary]) -> Markup {
    let mut counts: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.solved) {
        *counts.entry(&row.reason).or_default().entry(&row.method).or_default() += 1;
    }
    html! {
        h2 { "Why tasks were not solved" }
        @if counts.is_empty() {
            p { "Every method solved every task." }
        } @else {
            (table(
                &html! {
                    th { "method" } th.n { "solved" }
                    @for reason in counts.keys() { th.n { (reason) } }
                },
                &html! {
                    @for s in summaries {
                        tr {
                            td { b { (s.method) } } td.n { (s.solved) }
                            @for of_reason in counts.values() {
                                td.n {
                                    @match of_reason.get(s.method.as_str()) {
                                        Some(count) => (count),
                                        None => "–",
                                    }
                                }
                            }
                        }
                    }
                }
            ))
            dl { @for reason in counts.keys() { dt { (reason) } dd { (meaning(reason)) } } }
        }
    }
}

fn meaning(reason: &str) -> &'static str {
    match reason {
        "work" => "all of the work was spent",
        "guides" => "the cap was reached and no guide was left to try",
        "saturated" => "the e-graph was complete, and the two terms had not met in it",
        "schedule" => "the schedule of the rewrite system came to its end",
        "conflict" => "two different literals became equal: a rule is not sound",
        _ => "as the search gave it",
    }
}

/// The settings of a comparison, and the command that does it.
pub fn settings_section(pairs: &[(&str, String)], command: &str) -> Markup {
    html! {
        h2 { "Settings" }
        dl {
            @for (name, value) in pairs { dt { (name) } dd { (value) } }
        }
        p { "Done with" }
        pre { (command) }
    }
}

/// What every method spent on every task.
pub fn tasks_table(rows: &[Row], summaries: &[Summary]) -> Markup {
    let mut tasks: Vec<(&Row, BTreeMap<&str, &Row>)> = Vec::new();
    for row in rows {
        match tasks.last_mut() {
            Some((first, of_task)) if first.task == row.task => {
                of_task.insert(&row.method, row);
            }
            _ => tasks.push((row, BTreeMap::from([(row.method.as_str(), row)]))),
        }
    }
    let several_lengths = tasks.windows(2).any(|pair| pair[0].0.links != pair[1].0.links);
    html! {
        h2 { "Task by task" }
        details open[tasks.len() <= OPEN] {
            summary { "The work of every method on each of " (tasks.len()) " tasks" }
            p.note {
                "A number is the work with which the task was solved; otherwise the reason stands \
                 there. A task in italics is hard."
            }
            div.scroll {
                table.tasks {
                    thead {
                        tr {
                            th { "task" }
                            @if several_lengths { th.n { "links" } }
                            @for s in summaries { th.n { (s.method) } }
                        }
                    }
                    tbody {
                        @for (first, of_task) in &tasks {
                            tr {
                                td { @if first.hard == Some(true) { i { (first.task) } } @else { (first.task) } }
                                @if several_lengths { td.n { (first.links) } }
                                @for s in summaries { (cell(of_task.get(s.method.as_str()).copied())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(row: Option<&Row>) -> Markup {
    html! {
        @match row {
            Some(row) if row.solved => td.n.yes { (thousands(row.work)) },
            Some(row) => td.n.no { (row.reason) },
            None => td {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::results;
    use crate::report::summary::summaries;

    fn families(rows: &[Row]) -> String {
        let all: Vec<&Row> = rows.iter().collect();
        families_table(rows, &summaries(&all)).into_string()
    }

    #[test]
    fn families_stand_apart_where_there_are_several_with_hard_tasks_in_brackets() {
        let row = |task, method, solved, family| Row {
            family,
            hard: Some(task == "b"),
            ..results::row(task, method, solved)
        };
        let (theorem, identity) = (Some(Family::Theorem), Some(Family::Identity));
        let mut rows = vec![
            row("a", "cap", true, theorem),
            row("a", "model", true, theorem),
            row("b", "cap", false, theorem),
            row("b", "model", true, theorem),
        ];
        assert_eq!(families(&rows), "");
        rows.extend([row("c", "cap", false, identity), row("c", "model", true, identity)]);
        let page = families(&rows);
        let cells = |cells: [&str; 3]| cells.map(|c| format!("<td class=\"n\">{c}</td>")).concat();
        assert!(page.contains(&cells(["2 (1)", "1 (0)", "2 (1)"])), "{page}");
        assert!(page.contains(&cells(["1 (0)", "0", "1 (0)"])), "{page}");
        rows.iter_mut().for_each(|row| row.hard = None);
        assert!(families(&rows).contains(&cells(["2", "1", "2"])));
    }
}
