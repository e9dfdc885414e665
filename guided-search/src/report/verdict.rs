//! The result of an evaluation in plain sentences, whoever wins.

use crate::evaluation::results::Row;
use crate::evaluation::statistics::{bootstrap, mcnemar};
use crate::methods::table::{Method, Role};
use crate::report::summary::Summary;
use maud::{Markup, html};
use std::collections::BTreeMap;
use support::show::numbers::counted;

/// Which method solved most of a set of tasks: of those that learned next to those that did not. `ranker`:
/// whether methods had one.
pub fn verdict(summaries: &[Summary], rows: &[&Row], ranker: bool) -> Markup {
    let best = |role| best(summaries, role, ranker);
    let (learned, baseline) = (best(Role::Learned), best(Role::Baseline));
    html! {
        p.verdict {
            @match (learned.first(), baseline.first()) {
                (None, None) => "No method was compared that has to find its way by itself.",
                (Some(l), Some(b)) if l.solved == 0 && b.solved == 0 => {
                    "No method solved any of the " (counted(l.tasks as u64, "task"))
                    ", with learning or without."
                }
                (Some(l), Some(b)) if l.solved > b.solved => {
                    (names(&learned)) ", which learned from proofs, solved the most: " (share(l, true))
                    "; the best baseline, which learns nothing, " (names(&baseline)) ", solved "
                    (share(b, false)) ". Learning won here, " (certainty(rows, l, b)) "."
                }
                (Some(l), Some(b)) if l.solved < b.solved => {
                    (names(&baseline)) ", a baseline that learns nothing, solved the most: "
                    (share(b, true)) "; the best of what was learned, " (names(&learned))
                    ", solved " (share(l, false)) ". Learning lost here, " (certainty(rows, b, l)) "."
                }
                (Some(l), Some(_)) => {
                    (names(&learned)) ", which learned from proofs, and " (names(&baseline))
                    ", the best baseline, solved equally many: " (share(l, true))
                    ". Learning bought nothing here."
                }
                (Some(only), None) => {
                    (names(&learned)) " solved the most: " (share(only, true))
                    ". No baseline was tried beside it."
                }
                (None, Some(only)) => {
                    (names(&baseline)) " solved the most: " (share(only, true))
                    ". No method that learned anything was tried."
                }
            }
        }
        @if let (Some(l), Some(b)) = (learned.first(), baseline.first()) {
            p {
                "Task by task: " b { (l.method) } " alone solved " (alone(rows, l, b)) ", "
                b { (b.method) } " alone " (alone(rows, b, l)) "."
                @for ceiling in best(Role::Ceiling) {
                    " The ceiling, " b { (ceiling.method) } ", which is told true waypoints, solved "
                    (ceiling.solved) "."
                }
            }
        }
    }
}

/// The methods of a role that solved most: several, if they solved equally many.
fn best(summaries: &[Summary], role: Role, ranker: bool) -> Vec<&Summary> {
    let is_of_role =
        |s: &&Summary| s.method.parse::<Method>().is_ok_and(|m| m.role(ranker) == role);
    let of_role = || summaries.iter().filter(is_of_role);
    let most = of_role().map(|s| s.solved).max();
    of_role().filter(|s| Some(s.solved) == most).collect()
}

fn names(methods: &[&Summary]) -> Markup {
    html! {
        @for (i, method) in methods.iter().enumerate() {
            @if i > 0 { (if i + 1 == methods.len() { " and " } else { ", " }) }
            b { (method.method) }
        }
    }
}

fn share(s: &Summary, whole: bool) -> String {
    let (low, high) = s.interval();
    let of = if whole { format!(" of {}", counted(s.tasks as u64, "task")) } else { String::new() };
    let interval = if whole { "95 % interval " } else { "" };
    format!("{}{of} ({:.1} %, {interval}{low:.0} to {high:.0} %)", s.solved, s.rate())
}

/// Whether it may be chance that one method solved more than another, of the same tasks.
fn certainty(rows: &[&Row], more: &Summary, less: &Summary) -> String {
    let p = mcnemar(alone(rows, more, less), alone(rows, less, more));
    let (low, high) = bootstrap(&differences(rows, more, less), 0);
    let chance = if p < 0.05 { "and that is hardly chance" } else { "but that may be chance" };
    format!(
        "{chance} (McNemar's exact test on the same tasks: p = {p:.2}{}; difference {:.1} to {:.1} points by a \
         bootstrap over seeds)",
        if p < 0.005 { format!(", {p:.0e}") } else { String::new() },
        100.0 * low,
        100.0 * high
    )
}

/// By seed: how many tasks more one method solved than another, and of how many.
fn differences(rows: &[&Row], one: &Summary, other: &Summary) -> Vec<(f64, usize)> {
    let mut seeds: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for row in rows {
        let seed = seeds.entry(&row.seed_id).or_default();
        let solved = f64::from(row.solved);
        if row.method == one.method {
            seed.0 += solved;
            seed.1 += 1;
        } else if row.method == other.method {
            seed.0 -= solved;
        }
    }
    seeds.into_values().filter(|&(_, tasks)| tasks > 0).collect()
}

/// Tasks that `one` solved and `other` did not.
fn alone(rows: &[&Row], one: &Summary, other: &Summary) -> usize {
    let solved = |method: &str, task: &str| {
        rows.iter().any(|r| r.method == method && r.task == task && r.solved)
    };
    rows.iter()
        .filter(|r| r.method == one.method && r.solved && !solved(&other.method, &r.task))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::results::row;
    use crate::report::summary::summaries;

    fn said(methods: &[(&str, usize)]) -> String {
        let task = |i: usize| format!("t-{i}");
        let rows: Vec<Row> = (0..40)
            .flat_map(|i| methods.iter().map(move |&(m, solved)| row(&task(i), m, i < solved)))
            .collect();
        let rows: Vec<&Row> = rows.iter().collect();
        verdict(&summaries(&rows), &rows, true).into_string().replace("<b>", "").replace("</b>", "")
    }

    #[test]
    fn it_is_said_whoever_wins_and_whether_it_may_be_chance() {
        let lost = said(&[("cap", 0), ("all-work", 33), ("model", 29), ("oracle", 40)]);
        assert!(
            lost.contains("all-work, a baseline that learns nothing, solved the most: 33 of 40")
        );
        assert!(lost.contains("Learning lost here, but that may be chance (McNemar"), "{lost}");
        assert!(lost.contains("The ceiling, oracle, which is told true waypoints, solved 40"));
        let won = said(&[("all-work", 10), ("model", 39), ("select", 39)]);
        assert!(
            won.contains("model and select, which learned from proofs, solved the most: 39 of 40")
        );
        assert!(won.contains("Learning won here, and that is hardly chance"), "{won}");
        assert!(said(&[("all-work", 9), ("model", 9)]).contains("solved equally many: 9 of 40"));
        assert!(said(&[("all-work", 0), ("model", 0)]).contains("No method solved any of the 40"));
        assert!(said(&[("all-work", 9)]).contains("No method that learned anything was tried"));
        assert!(said(&[("model", 9)]).contains("No baseline was tried"));
        assert!(said(&[("oracle", 9)]).contains("No method was compared"));
    }
}
