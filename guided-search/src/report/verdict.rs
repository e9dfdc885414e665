//! The result of an evaluation in plain sentences, whoever wins.

use crate::evaluation::results::Row;
use crate::evaluation::statistics::{bootstrap, mcnemar};
use crate::methods::asked::Need;
use crate::methods::table::{Method, Role};
use crate::report::summary::{Summary, median_text};
use maud::{Markup, html};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use support::counted;

/// The result in one sentence: which method solved most of a set of tasks, of those that learned next to
/// those that did not, and which needed less work. Nobody wins by what may be chance. `ranker`: whether
/// methods had one.
pub fn headline(summaries: &[Summary], rows: &[&Row], ranker: bool) -> String {
    let best = |role| best(summaries, role, ranker);
    let (learned, baseline) = (best(Role::Learned), best(Role::Baseline));
    match (learned.first(), baseline.first()) {
        (None, None) => "No method was compared that has to find its way by itself.".to_owned(),
        (Some(l), Some(b)) if l.solved == 0 && b.solved == 0 => {
            let tasks = counted(l.tasks as u64, "task");
            format!("No method solved any of the {tasks}, with learning or without.")
        }
        (Some(l), Some(b)) => {
            let [less, more] = less_work(rows, l, b);
            let ahead = l.solved.cmp(&b.solved).then(less.cmp(&more));
            let sure = mcnemar(alone(rows, l, b), alone(rows, b, l)) < CHANCE
                // Fewer tasks with less work, or more with more, is no win by work.
                || (less.cmp(&more) == ahead && mcnemar(less, more) < CHANCE);
            let verdict = match (ahead, sure) {
                (Ordering::Greater, true) => "Learning wins",
                (Ordering::Less, true) => "Learning loses",
                (Ordering::Greater, false) => "Learning is ahead, perhaps by chance",
                (Ordering::Less, false) => "Learning is behind, perhaps by chance",
                (Ordering::Equal, _) => "Learning buys nothing here",
            };
            let counts = if l.solved == b.solved {
                let both = [learned.as_slice(), baseline.as_slice()].concat();
                format!("{} {} each", names(&both), solve(&both))
            } else {
                let (learned, solve) = (names(&learned), solve(&learned));
                let baseline = names(&baseline);
                format!(
                    "{learned} {solve}, and {baseline}, the best without learning, {}",
                    b.solved
                )
            };
            let (l, b) = (&l.method, &b.method);
            format!("{verdict}: {counts}; {l} needs less work on {less} of them, {b} on {more}.")
        }
        (Some(_), None) => {
            let no = "No search without learning was tried.";
            format!("The most is what {} {}. {no}", names(&learned), solve(&learned))
        }
        (None, Some(_)) => {
            let no = "No method that learned anything was tried.";
            format!("The most is what {} {}. {no}", names(&baseline), solve(&baseline))
        }
    }
}

/// A difference that chance alone makes less often than this is not called chance.
const CHANCE: f64 = 0.05;

/// How certain the headline is, task by task; what the transformer buys; and the ceiling.
pub fn details(summaries: &[Summary], rows: &[&Row], ranker: bool) -> Markup {
    let best = |role| best(summaries, role, ranker);
    let (learned, baseline) = (best(Role::Learned), best(Role::Baseline));
    let (Some(&l), Some(&b)) = (learned.first(), baseline.first()) else { return html! {} };
    let (more, less) = if l.solved < b.solved { (b, l) } else { (l, b) };
    let [low, high] = less_work(rows, l, b);
    html! {
        p {
            b { (l.method) } " solved " (share(l)) ", with a median work of " (median_work(l)) " e-nodes; "
            b { (b.method) } " " (share(b)) ", with " (median_work(b)) ". That one needs less work on "
            (low) " tasks and the other on " (high) " is " (chance(mcnemar(low, high))) " (sign test). "
            b { (l.method) } " alone solved " (alone(rows, l, b)) ", " b { (b.method) } " alone "
            (alone(rows, b, l))
            @if more.solved > less.solved { ", which is " (certainty(rows, more, less)) }
            "."
            @if let Some(of_model) = best_of_model(summaries) {
                " What a trained transformer writes (" b { (of_model.method) } ") solved " (of_model.solved)
                @if of_model.solved > b.solved {
                    ", more than any search without it that learned nothing."
                } @else {
                    ": here it buys nothing over " b { (b.method) } "."
                }
            }
            @for ceiling in best(Role::Ceiling) {
                " The ceiling, " b { (ceiling.method) } ", which is told true waypoints, solved "
                (ceiling.solved) "."
            }
        }
    }
}

/// The best of the methods that a trained model writes for.
fn best_of_model(summaries: &[Summary]) -> Option<&Summary> {
    let needs_model =
        |s: &&Summary| s.method.parse::<Method>().is_ok_and(|m| m.needs() == Need::Model);
    // The first of those that solved equally many.
    summaries.iter().filter(needs_model).rev().max_by_key(|s| s.solved)
}

fn median_work(s: &Summary) -> String {
    s.median_work.map_or_else(|| "no".to_owned(), median_text)
}

/// The methods of a role that solved most: several, if they solved equally many.
fn best(summaries: &[Summary], role: Role, ranker: bool) -> Vec<&Summary> {
    let is_of_role =
        |s: &&Summary| s.method.parse::<Method>().is_ok_and(|m| m.role(ranker) == role);
    let of_role = || summaries.iter().filter(is_of_role);
    let most = of_role().map(|s| s.solved).max();
    of_role().filter(|s| Some(s.solved) == most).collect()
}

fn names(methods: &[&Summary]) -> String {
    let names: Vec<&str> = methods.iter().map(|method| method.method.as_str()).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// That one of these, or each of several, solves so many of the tasks.
fn solve(methods: &[&Summary]) -> String {
    let verb = if methods.len() == 1 { "solves" } else { "solve" };
    let s = methods[0];
    format!("{verb} {} of {}", s.solved, counted(s.tasks as u64, "task"))
}

fn share(s: &Summary) -> String {
    let (low, high) = s.interval();
    format!("{} ({:.1} %, 95 % interval {low:.0} to {high:.0} %)", s.solved, s.rate())
}

/// Whether it may be chance that one method solved more than another, of the same tasks.
fn certainty(rows: &[&Row], more: &Summary, less: &Summary) -> String {
    let p = mcnemar(alone(rows, more, less), alone(rows, less, more));
    let (low, high) = bootstrap(&differences(rows, more, less), 0);
    format!(
        "{} (McNemar's exact test; difference {:.1} to {:.1} points by a bootstrap over seeds)",
        chance(p),
        100.0 * low,
        100.0 * high
    )
}

/// A p-value in words and as a number.
fn chance(p: f64) -> String {
    let words = if p < CHANCE { "hardly chance" } else { "perhaps chance" };
    match p {
        p if p < 0.005 => format!("{words}, p = {p:.0e}"),
        p => format!("{words}, p = {p:.2}"),
    }
}

/// On how many tasks `one` needed less work than `other`, and the other way round. A task that is not
/// solved needs more than one that is.
fn less_work(rows: &[&Row], one: &Summary, other: &Summary) -> [usize; 2] {
    let mut works: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.solved) {
        for (i, method) in [one, other].into_iter().enumerate() {
            if row.method == method.method {
                works.entry(&row.task).or_insert([u64::MAX; 2])[i] = row.work;
            }
        }
    }
    let count = |less: Ordering| works.values().filter(|[a, b]| a.cmp(b) == less).count();
    [count(Ordering::Less), count(Ordering::Greater)]
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
        let summaries = summaries(&rows);
        let details = details(&summaries, &rows, true).into_string();
        headline(&summaries, &rows, true) + " " + &details.replace("<b>", "").replace("</b>", "")
    }

    #[test]
    fn it_is_said_whoever_wins_and_whether_it_may_be_chance() {
        let lost = said(&[("cap", 0), ("all-work", 33), ("model", 29), ("oracle", 40)]);
        let sentence = "Learning is behind, perhaps by chance: model solves 29 of 40 tasks, and all-work, the best without learning, \
                        33; model needs less work on 0 of them, all-work on 4.";
        assert!(lost.starts_with(sentence), "{lost}");
        assert!(lost.contains("which is perhaps chance, p = 0.12 (McNemar"), "{lost}");
        assert!(lost.contains("(model) solved 29: here it buys nothing over all-work."), "{lost}");
        assert!(lost.contains("The ceiling, oracle, which is told true waypoints, solved 40"));
        let won = said(&[("all-work", 10), ("ranked", 39), ("model", 39)]);
        let sentence = "Learning wins: ranked and model solve 39 of 40 tasks, and all-work, the best without \
                        learning, 10;";
        assert!(won.starts_with(sentence), "{won}");
        assert!(won.contains("which is hardly chance, p = 4e-9 (McNemar"), "{won}");
        assert!(won.contains("(model) solved 39, more than any search without it"), "{won}");
        assert!(
            said(&[("all-work", 33), ("model", 9)]).starts_with("Learning loses: model solves 9")
        );
        let ahead = said(&[("all-work", 2), ("ranked", 3)]);
        assert!(ahead.starts_with("Learning is ahead, perhaps by chance: ranked solves 3 of"));
        let even = said(&[("all-work", 9), ("ranked", 9)]);
        assert!(
            even.starts_with(
                "Learning buys nothing here: ranked and all-work solve 9 of 40 tasks each;"
            ),
            "{even}"
        );
        assert!(!even.contains("transformer") && !even.contains("McNemar"), "{even}");
        assert!(said(&[("all-work", 0), ("model", 0)]).contains("No method solved any of the 40"));
        assert!(said(&[("all-work", 9)]).contains("No method that learned anything was tried"));
        assert!(said(&[("model", 9)]).contains("No search without learning was tried"));
        assert!(said(&[("oracle", 9)]).contains("No method was compared"));
    }
}
