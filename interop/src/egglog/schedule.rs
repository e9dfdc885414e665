//! What a program runs, as the schedule of a rules file.

use crate::egglog::names::Names;
use crate::egglog::output::Output;
use crate::egglog::refusal::{Result, refused};
use egraph::Sexpr;

/// `(run-schedule S …)`, `(run n)` or `(run ruleset n)`, as parts of a schedule.
pub(super) fn parts(names: &Names, out: &mut Output, command: &Sexpr) -> Result<Vec<String>> {
    let at = command.place();
    match command.list().unwrap_or(&[]) {
        [keyword, parts @ ..] if keyword.atom() == Some("run-schedule") => {
            parts.iter().map(|part| schedule(names, out, part)).collect()
        }
        [_, rest @ ..] => {
            let rest = without_until(out, rest);
            let (times, ruleset) = match rest {
                [times] => (times, String::new()),
                [ruleset, times] => (times, format!(" {}", written(names, ruleset)?)),
                _ => return Err(refused(at, "'run' of this form")),
            };
            Ok(vec![format!("(repeat {} (run{ruleset}))", written(names, times)?)])
        }
        [] => Ok(Vec::new()),
    }
}

fn schedule(names: &Names, out: &mut Output, sexpr: &Sexpr) -> Result<String> {
    let Some([head, rest @ ..]) = sexpr.list() else { return written(names, sexpr) };
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
            let ruleset = without_until(out, rest).iter().map(|part| written(names, part));
            let parts: Vec<String> =
                [Ok("run".to_owned())].into_iter().chain(ruleset).collect::<Result<_>>()?;
            Ok(format!("({})", parts.join(" ")))
        }
        "let-scheduler" | "run-with" => written(names, sexpr),
        other => Err(refused(sexpr.place(), &format!("'{other}' in a schedule"))),
    }
}

fn all(names: &Names, out: &mut Output, parts: &[Sexpr]) -> Result<String> {
    let parts = parts.iter().map(|part| schedule(names, out, part));
    Ok(parts.collect::<Result<Vec<_>>>()?.join(" "))
}

/// What stands before `:until`: schedules here have no goals.
fn without_until<'s>(out: &mut Output, parts: &'s [Sexpr]) -> &'s [Sexpr] {
    match parts.iter().position(|part| part.atom() == Some(":until")) {
        Some(until) => {
            out.leave_command(parts[until].place(), ":until");
            &parts[..until]
        }
        None => parts,
    }
}

/// As it stands there.
fn written(names: &Names, sexpr: &Sexpr) -> Result<String> {
    match sexpr {
        Sexpr::Atom(text, at) => {
            names.not_refused(text, *at)?;
            Ok(text.clone())
        }
        Sexpr::List(items, _) => {
            let items: Result<Vec<String>> =
                items.iter().map(|item| written(names, item)).collect();
            Ok(format!("({})", items?.join(" ")))
        }
    }
}
