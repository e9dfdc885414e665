//! The charts of the page: solved against work, and by the length of the chain.

use crate::evaluation::results::Row;
use crate::methods::table::{Method, Role};
use crate::report::summary::{Summary, percent};
use maud::{Markup, html};
use support::svg_chart::{Axis, Chart, Series, Shape};

/// The classes of a method in the style sheet: its own, and what it is for.
pub fn class(method: &str) -> String {
    let role = match method.parse::<Method>().map(|method| method.role(false)) {
        Ok(Role::Learned) => "learned",
        Ok(Role::Ceiling) => "ceiling",
        Ok(Role::Baseline) | Err(_) => "baseline",
    };
    format!("m-{method} {role}")
}

/// The colours of the methods, which are the same in every report, as CSS.
pub fn style() -> String {
    Method::all().map(|m| format!(".m-{m} {{ --c: {}; }}\n", m.colour())).collect()
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

/// A chart with the names of its lines.
pub fn figure(chart: &Chart, lines: &[Series], caption: &str) -> Markup {
    html! {
        figure {
            (chart.markup())
            p.legend {
                @for line in lines {
                    span class=(line.class) { span.swatch {} (line.name) } " "
                }
            }
            figcaption { (caption) }
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
    figure(&chart, &lines, "Per cent of the tasks solved within a given work.")
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
    figure(&chart, &lines, "Per cent of the tasks solved, by the length of the chain.")
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
    fn every_method_has_its_colour_by_its_own_class() {
        assert_eq!(class("cap"), "m-cap baseline");
        assert_eq!(class("oracle"), "m-oracle ceiling");
        assert_eq!(class("model"), "m-model learned");
        let style = style();
        assert_eq!(style.lines().count(), Method::all().count());
        assert!(style.starts_with(".m-cap { --c: #"), "{style}");
    }
}
