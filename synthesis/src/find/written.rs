//! The rules file that comes of a search: what made it, the file that it began with, and the rules that were found.

use crate::find::description::{Description, Ended};
use crate::options::Sizes;
use crate::rules::theory::Theory;
use std::fmt::Write;

/// The text of the file; `before` is the file that the search began with, and `unknown` are the candidates of which nothing is known.
pub fn rules_file(
    description: &Description,
    before: &str,
    theory: &Theory,
    ended: &Ended,
    unknown: &[String],
) -> String {
    let Description { aim, seed, language, tables, solvers, .. } = description;
    let mut text = String::new();
    let mut line = |said: String| _ = writeln!(text, "; {said}");
    line(format!("Rules found by cairn {} from {}", env!("CARGO_PKG_VERSION"), language.0));
    line(match tables {
        None => format!("(SHA-256 {}).", language.1),
        Some((tables, hash)) => {
            format!("(SHA-256 {}), with the tables of {tables} (SHA-256 {hash}).", language.1)
        }
    });
    let Sizes { one, two, three, all, conditional } = aim.sizes;
    line(format!(
        "Sides have at most {one} nodes with one operator, {two} with two{}, {all} with all{}; {} variables of each sort, literals {}.",
        match three {
            0 => String::new(),
            size => format!(", {size} with three"),
        },
        match conditional {
            0 => String::new(),
            size => format!(", {size} with a condition"),
        },
        aim.variables,
        aim.literals.as_ref().map_or("0 1".to_owned(), |literals| literals.join(" ")),
    ));
    line(format!(
        "{} inputs, seed {seed}; what follows in {} iterations or {} e-nodes is left out.",
        aim.inputs, aim.reach.iterations, aim.reach.nodes
    ));
    line(match &solvers[..] {
        [] => "No solver was asked.".to_owned(),
        solvers => format!("Solvers: {}; {} s a query.", solvers.join(", "), aim.query_time),
    });
    line(match ended {
        Ended::All { stages } => format!("All {stages} stages are finished."),
        Ended::Early { finished, stages, why } => {
            format!("Ended early ({why}): {finished} of {stages} stages are finished.")
        }
    });
    let unproved = theory.found.iter().filter(|(_, found)| !found.proved).count();
    line(match unproved {
        0 => format!("{} rules were found, and all are proved.", theory.found.len()),
        some => format!("{} rules were found; {some} are NOT PROVED.", theory.found.len()),
    });
    text += "\n";
    text += before.trim_end();
    text += "\n";
    let mut told = String::new();
    for (name, found) in &theory.found {
        let (stage, how) = found.origin.split_once("; ").unwrap_or(("", &found.origin));
        if told != stage {
            _ = write!(text, "\n; {stage}");
            told = stage.to_owned();
            text += "\n";
        }
        _ = writeln!(text, "; {how}");
        text += &found.line(name);
    }
    let left_out: Vec<&String> = match aim.unproved {
        true => Vec::new(),
        false => unknown.iter().collect(),
    };
    if !left_out.is_empty() {
        text += "\n; Neither proved nor refuted, and left out:\n";
        left_out.iter().for_each(|line| text += &format!("; {line}\n"));
    }
    text
}
