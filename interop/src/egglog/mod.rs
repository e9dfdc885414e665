//! Egglog programs as rules files, as far as they say what is equal.
//!
//! A variable is an atom there, and `?x` here; a literal has a sort of its own, `i64` or `f64`; strings are
//! variables of a sort `String`, and constants where rules name them; a function to values is an analysis.
//! What a rules file can't say is left out, and so is what speaks of it.

mod declarations;
mod diagonal;
mod facts;
mod literals;
mod names;
mod opened;
mod output;
mod refusal;
mod rules;
mod schedule;
mod scope;
mod strings;

pub use crate::egglog::opened::Include;
pub use crate::egglog::output::{Imported, LeftOut, Why};

use crate::egglog::declarations::declare;
use crate::egglog::names::{Names, atom};
use crate::egglog::opened::opened;
use crate::egglog::output::Output;
use crate::egglog::refusal::{Result, mistaken};
use crate::egglog::scope::term;
use crate::egglog::strings::as_atoms;
use egraph::{ParseError, Place, Sexpr, did_you_mean, parse_all};

/// Commands, which say nothing about what is equal.
const COMMANDS: [&str; 18] = [
    "check",
    "delete",
    "extract",
    "fail",
    "output",
    "panic",
    "pop",
    "print",
    "print-function",
    "print-size",
    "print-stats",
    "prove",
    "prove-exists",
    "push",
    "query-extract",
    "set-option",
    "simplify",
    "subsume",
];
/// What is understood besides.
const UNDERSTOOD: [&str; 17] = [
    "datatype",
    "datatype*",
    "sort",
    "constructor",
    "function",
    "relation",
    "include",
    "rewrite",
    "birewrite",
    "rule",
    "ruleset",
    "let",
    "union",
    "set",
    "run",
    "run-schedule",
    "with-ruleset",
];

/// Translates the text of an egglog program; `include` reads the files that it includes.
///
/// # Errors
/// Parentheses that don't fit. All else is left out, and said to be.
pub fn import_egglog(
    text: &str,
    include: Include<'_>,
) -> std::result::Result<Imported, ParseError> {
    let program = parse_all(&as_atoms(text))?;
    let mut names = Names::default();
    let mut out = Output::default();
    let program = opened(program, include, &mut names, &mut out);
    // Names may be used before they are declared in what follows.
    let declared: Vec<bool> =
        program.iter().map(|item| declare(&mut names, &mut out, item)).collect();
    rules::note_what_follows(&mut names, &program);
    let scheduled = program.iter().find(|item| says_how(item)).map(Sexpr::place);
    out.is_scheduled = scheduled.is_some();
    for (item, _) in program.iter().zip(declared).filter(|(_, declared)| !declared) {
        if let Err(refusal) = command(&mut names, &mut out, item) {
            out.leave(refusal);
        }
    }
    if let (Some(at), false) = (scheduled, out.schedule.is_empty()) {
        out.lines.push((format!("(schedule {})", out.schedule.join(" ")), at));
    }
    Ok(out.finish(names.declarations()))
}

/// A part of a program that declares no name.
fn command(names: &mut Names, out: &mut Output, item: &Sexpr) -> Result<()> {
    let at = item.place();
    let parts = item.list().unwrap_or(&[]);
    let Some(keyword) = parts.first().and_then(Sexpr::atom) else {
        return Err(mistaken(at, "expected a command or declaration in parentheses"));
    };
    match (keyword, &parts[1..]) {
        ("let", [name, named]) => {
            let text = term(names, named).inspect_err(|_| {
                names.refused.extend(name.atom().map(str::to_owned));
            })?;
            let is_term = text.starts_with('(') || names.constructors.contains_key(&text);
            names.name_term(atom(name, "a name")?, text.clone());
            out.terms.extend(is_term.then_some(text));
            Ok(())
        }
        ("rewrite" | "birewrite", parts) => rules::rewrite(names, out, keyword, parts, at),
        ("rule", parts) => rules::rule(names, out, parts, at),
        ("union" | "set", [_, _]) => rules::act(names, out, item),
        (relation, [_]) if names.relations.contains(relation) => rules::act(names, out, item),
        ("run", _) if !out.is_scheduled => {
            out.leave_command(at, "run");
            Ok(())
        }
        ("run" | "run-schedule", _) => {
            let parts = schedule::parts(names, out, item)?;
            out.schedule.extend(parts);
            Ok(())
        }
        ("check", facts) if !facts.is_empty() => {
            check(names, out, facts, at);
            Ok(())
        }
        (command, _) if COMMANDS.contains(&command) => {
            out.leave_command(at, command);
            Ok(())
        }
        (constructor, _) if names.constructors.contains_key(constructor) => {
            let text = term(names, item)?;
            out.terms.push(text);
            Ok(())
        }
        (keyword, _) => {
            names.not_refused(keyword, at)?;
            if UNDERSTOOD.contains(&keyword) {
                return Err(mistaken(at, format!("expected more after '{keyword}'")));
            }
            let meant = did_you_mean(keyword, UNDERSTOOD.into_iter().chain(COMMANDS));
            let message =
                format!("'{keyword}' can't be imported: a rules file has no such thing{meant}");
            Err(mistaken(at, message))
        }
    }
}

/// Equalities of terms that the program checks, if it checks nothing else.
fn check(names: &mut Names, out: &mut Output, facts: &[Sexpr], at: Place) {
    let mut equal = Vec::new();
    for fact in facts {
        let ends = match fact.list() {
            Some([equal, a, b]) if equal.atom() == Some("=") => [a, b],
            _ => return out.leave_command(at, "check"),
        };
        match ends.map(|end| term(names, end)) {
            [Ok(a), Ok(b)] => equal.push([a, b]),
            _ => return out.leave_command(at, "check"),
        }
    }
    out.checks.extend(equal);
}

/// A program with `run-schedule` or a goal has a schedule: all that it runs, in order. Where it only says how often
/// everything is run, that is for the command line to say.
fn says_how(item: &Sexpr) -> bool {
    let parts = item.list().unwrap_or(&[]);
    match parts.first().and_then(Sexpr::atom) {
        Some("run-schedule") => true,
        Some("run") => parts.iter().any(|part| part.atom() == Some(":until")),
        _ => false,
    }
}
