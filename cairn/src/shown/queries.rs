//! What rules say, as queries that any solver answers.

use crate::shown::file_names::file_names;
use anyhow::Result;
use egraph::{Rule, System};
use interop::{Statement, queries};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use support::{FileKind, OutputFile, counted_as, first_bytes, own_directory};

/// How each file begins, by which it is recognised.
const HEAD: &str = "; A query by cairn ";

const QUERY: FileKind = FileKind {
    name: "a query",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with(HEAD)),
};

/// Writes a file for each rule that can be said into a directory; how many there are, and why there are none of others.
///
/// # Errors
/// A file holds something else, or what the file system says.
pub fn write_queries<'r>(
    directory: &Path,
    system: &System,
    rules: impl Iterator<Item = &'r Rule>,
) -> Result<String> {
    own_directory(directory)?;
    let (mut written, mut lines) = (0, String::new());
    let rules: Vec<&Rule> = rules.collect();
    let names = file_names(rules.iter().map(|rule| rule.name.as_str()));
    for (rule, name) in rules.into_iter().zip(names) {
        let texts = Statement::of(system, rule).and_then(|statement| queries(&statement));
        let texts = match texts {
            Ok(texts) => texts,
            Err(why) => {
                _ = writeln!(lines, "no query for {}: {why}", rule.name);
                continue;
            }
        };
        let file = OutputFile::new(&directory.join(format!("{name}.smt2")), QUERY)?;
        let text = script(system, rule, &texts);
        file.write(|file| Ok(file.write_all(text.as_bytes())?))?;
        written += 1;
    }
    let queries = counted_as(written, "query", "queries");
    Ok(format!("{lines}{queries} in {}\n", directory.display()))
}

/// The queries of a rule, one after the other.
fn script(system: &System, rule: &Rule, texts: &[String]) -> String {
    let says = rule.content(&system.language).replace('\n', " ");
    let mut text = format!("{HEAD}{}: {says}\n", env!("CARGO_PKG_VERSION"));
    text += match texts.len() {
        1 => "; The rule is true if the answer is unsat.\n",
        _ => "; The rule is true if one answer is unsat.\n",
    };
    // Values are for whoever asks about a refutation; after unsat there are none.
    let asked = |text: &String| {
        let lines = text.lines().filter(|line| !line.starts_with("(get-value"));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    text + &texts.iter().map(asked).collect::<Vec<_>>().join("(reset)\n")
}
