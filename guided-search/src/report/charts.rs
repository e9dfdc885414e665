//! The charts of the page: solved against work, and by the length of the chain.

use crate::evaluation::results::Row;
use crate::report::summary::{Role, Summary, percent};
use crate::sources::method::Method;
use maud::{Markup, html};
use support::show::svg_chart::{Axis, Chart, Series, Shape};

/// Colours in the style sheet of pages.
const COLOURS: usize = 14;

/// The classes of a method in the style sheet: its colour, which is the same in every report, and
/// what it is for.
pub fn class(method: &str) -> String {
    let place = Method::ALL.iter().position(|m| m.name() == method).unwrap_or(0);
    let role = match Role::of(method) {
        Role::Baseline => "baseline",
        Role::Learned => "learned",
        Role::Ceiling => "ceiling",
    };
    format!("m{} {role}", place % COLOURS)
}

/// A bar with its interval, in a table.
pub fn bar(s: &Summary) -> Markup {
    let (low, high) = s.interval();
    let whisker = format!(
        "M{:.1} 1V13M{0:.1} 7H{:.1}M{1:.1} 1V13",
        (1.2 * low).max(0.5),
        (1.2 * high).min(119.5)
    );
    html! {
        svg.bar viewBox="0 0 120 14" aria-hidden="true" {
            rect.track x="0" y="4" width="120" height="6" {}
            rect.fill x="0" y="4" width=(format!("{:.1}", 1.2 * s.rate())) height="6" {}
            path.whisker d=(whisker) {}
        }
    }
}

/// The charts of a set of tasks; none of a single task.
pub fn charts(rows: &[&Row], summaries: &[Summary], work: u64) -> Markup {
    let several = rows.iter().any(|row| row.task != rows[0].task);
    html! {
        @if several {
            (solved_by_work(rows, summaries, work))
            (solved_by_links(rows, summaries))
        }
    }
}

fn legend(summaries: &[Summary]) -> Markup {
    html! {
        p.legend {
            @for s in summaries {
                span class=(class(&s.method)) { span.swatch {} (s.method) } " "
            }
        }
    }
}

/// Per cent of the tasks solved with at most so much work.
fn solved_by_work(rows: &[&Row], summaries: &[Summary], budget: u64) -> Markup {
    let line = |s: &Summary| {
        let own = rows.iter().filter(|r| r.method == s.method && r.solved);
        let mut works: Vec<u64> = own.map(|r| r.work).collect();
        works.sort_unstable();
        let mut points = vec![(0.0, 0.0)];
        let solved = |(i, work)| (work as f64, percent(i + 1, s.tasks));
        points.extend(works.into_iter().enumerate().map(solved));
        points.push((budget as f64, s.rate()));
        Series { name: s.method.clone(), class: class(&s.method), points }
    };
    let lines: Vec<Series> = summaries.iter().map(line).collect();
    let x = Axis::numbers("work: e-nodes ever built", (0.0, budget as f64), 1.0);
    let y = Axis::per_cent("solved");
    let chart = Chart::new(x, y, 340, "per cent solved over work").lines(Shape::Steps, &lines);
    html! {
        figure {
            (chart.markup())
            (legend(summaries))
            figcaption { "Per cent of the tasks solved within a given work." }
        }
    }
}

/// Per cent solved by the length of the chain, if there are several lengths.
fn solved_by_links(rows: &[&Row], summaries: &[Summary]) -> Markup {
    let mut lengths: Vec<u32> = rows.iter().map(|r| r.links).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let [low, .., high] = lengths[..] else { return html! {} };
    let line = |s: &Summary| {
        let point = |&links: &u32| {
            let own = rows.iter().filter(|r| r.method == s.method && r.links == links);
            let (solved, all) = own.fold((0, 0), |(s, n), r| (s + usize::from(r.solved), n + 1));
            (f64::from(links), percent(solved, all))
        };
        let points = lengths.iter().map(point).collect();
        Series { name: s.method.clone(), class: class(&s.method), points }
    };
    let lines: Vec<Series> = summaries.iter().map(line).collect();
    let x = Axis::numbers("links of the chain", (low.into(), high.into()), 1.0);
    let y = Axis::per_cent("solved");
    let chart = Chart::new(x, y, 340, "per cent solved over links").lines(Shape::Dots, &lines);
    html! {
        figure {
            (chart.markup())
            (legend(summaries))
            figcaption { "Per cent of the tasks solved, by the length of the chain." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::results;
    use crate::report::summary::summaries;

    fn row(task: &str, links: u32) -> Row {
        Row { links, ..results::row(task, "model", true) }
    }

    #[test]
    fn no_chart_is_drawn_of_one_task_or_of_one_length() {
        let charts_of = |rows: &[Row]| {
            let rows: Vec<&Row> = rows.iter().collect();
            charts(&rows, &summaries(&rows), 10).into_string().matches("<svg").count()
        };
        assert_eq!(charts_of(&[row("a", 4)]), 0);
        assert_eq!(charts_of(&[row("a", 4), row("b", 4)]), 1);
        assert_eq!(charts_of(&[row("a", 4), row("b", 5)]), 2);
    }

    #[test]
    fn a_method_has_the_same_colour_in_every_report_and_another_than_its_neighbours() {
        assert_eq!(class("cap"), "m0 baseline");
        assert_eq!(class("oracle"), format!("m{} ceiling", (Method::ALL.len() - 1) % COLOURS));
        assert!(class("model").ends_with(" learned"));
    }
}
