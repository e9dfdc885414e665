//! What a program runs, as the schedule of a rules file.

use crate::egglog::names::Names;
use crate::egglog::output::Output;
use crate::egglog::refusal::{Result, refused};
use crate::egglog::scope::term;
use egraph::Sexpr;

/// `(run-schedule S …)`, `(run n)` or `(run ruleset n)`, as parts of a schedule.
pub(super) fn parts(names: &mut Names, out: &mut Output, command: &Sexpr) -> Result<Vec<String>> {
    let at = command.place();
    match command.list().unwrap_or(&[]) {
        [keyword, parts @ ..] if keyword.atom() == Some("run-schedule") => {
            parts.iter().map(|part| schedule(names, out, part)).collect()
        }
        [_, rest @ ..] => {
            let (rest, goal) = until(names, out, rest);
            let (times, ruleset) = match rest {
                [times] => (times, String::new()),
                [ruleset, times] => (times, format!(" {}", written(names, ruleset)?)),
                _ => return Err(refused(at, "'run' of this form")),
            };
            let run = format!("(repeat {} (run{ruleset}))", written(names, times)?);
            Ok(vec![ended(run, goal)])
        }
        [] => Ok(Vec::new()),
    }
}

fn schedule(names: &mut Names, out: &mut Output, sexpr: &Sexpr) -> Result<String> {
    let Some([head, rest @ ..]) = sexpr.list() else {
        let is_several = sexpr.atom().is_some_and(|name| names.combined.contains_key(name));
        let rules = written(names, sexpr)?;
        return Ok(if is_several { format!("(run {rules})") } else { rules });
    };
    match head.atom().unwrap_or("") {
        keyword @ ("seq" | "saturate") => {
            let parts = all(names, out, rest)?;
            Ok(format!("({keyword} {parts})"))
        }
        "repeat" if !rest.is_empty() => {
            let (times, parts) = (written(names, &rest[0])?, all(names, out, &rest[1..])?);
            Ok(format!("(repeat {times} {parts})"))
        }
        "run" => {
            let (rest, goal) = until(names, out, rest);
            let ruleset = rest.iter().map(|part| written(names, part));
            let parts: Vec<String> =
                [Ok("run".to_owned())].into_iter().chain(ruleset).collect::<Result<_>>()?;
            Ok(ended(format!("({})", parts.join(" ")), goal))
        }
        "let-scheduler" | "run-with" => written(names, sexpr),
        other => Err(refused(sexpr.place(), &format!("'{other}' in a schedule"))),
    }
}

fn all(names: &mut Names, out: &mut Output, parts: &[Sexpr]) -> Result<String> {
    let parts = parts.iter().map(|part| schedule(names, out, part));
    Ok(parts.collect::<Result<Vec<_>>>()?.join(" "))
}

/// What stands before `:until`, and the goal behind it. What is no goal here is left out alone, so that the rules are run.
fn until<'s>(
    names: &mut Names,
    out: &mut Output,
    parts: &'s [Sexpr],
) -> (&'s [Sexpr], Option<String>) {
    let Some(until) = parts.iter().position(|part| part.atom() == Some(":until")) else {
        return (parts, None);
    };
    let goal = goal(names, &parts[until], &parts[until + 1..]);
    (&parts[..until], goal.map_err(|refusal| out.leave(refusal)).ok())
}

/// That two terms are equal, or that one is there.
fn goal(names: &mut Names, keyword: &Sexpr, facts: &[Sexpr]) -> Result<String> {
    let other = || refused(keyword.place(), "':until' other than one equality of two terms");
    let [fact] = facts else { return Err(other()) };
    let [left, right] = match fact.list() {
        Some([equal, left, right]) if equal.atom() == Some("=") => [left, right],
        _ => [fact, fact],
    };
    // A term that was left out is said to be.
    let is_term = |sexpr: &Sexpr| {
        let head = sexpr.list().map_or(Some(sexpr), <[Sexpr]>::first).and_then(Sexpr::atom);
        head.is_some_and(|head| {
            names.constructors.contains_key(head)
                || names.is_term(head)
                || names.refused.contains(head)
        })
    };
    if !is_term(left) || !is_term(right) {
        return Err(other());
    }
    Ok(format!("(= {} {})", term(names, left)?, term(names, right)?))
}

fn ended(schedule: String, goal: Option<String>) -> String {
    match goal {
        Some(goal) => format!("(until {goal} {schedule})"),
        None => schedule,
    }
}

/// As it stands there.
fn written(names: &Names, sexpr: &Sexpr) -> Result<String> {
    match sexpr {
        Sexpr::Atom(text, at) => {
            names.not_refused(text, *at)?;
            Ok(names.combined.get(text).unwrap_or(text).clone())
        }
        Sexpr::List(items, _) => {
            let items: Result<Vec<String>> =
                items.iter().map(|item| written(names, item)).collect();
            Ok(format!("({})", items?.join(" ")))
        }
    }
}
