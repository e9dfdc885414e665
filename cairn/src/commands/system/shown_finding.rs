//! Findings with the lines that they are about, as compilers show them.

use egraph::{Finding, Place, Severity};

/// Characters of a line that are shown before and after the place.
const SHOWN: usize = 120;

/// The findings about a file of this name and text, one below the other.
pub fn shown(name: &str, text: &str, findings: &[Finding]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    findings.iter().map(|finding| one(name, &lines, finding) + "\n").collect()
}

fn one(name: &str, lines: &[&str], finding: &Finding) -> String {
    let Place { line, column } = finding.place;
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let all: Vec<char> =
        lines.get(line as usize - 1).copied().unwrap_or_default().chars().collect();
    let at = (column as usize - 1).min(all.len());
    let length = length(&all[at..]);
    let first = at.saturating_sub(SHOWN);
    let last = all.len().min((at + length).min(at + SHOWN) + SHOWN);
    // A tab would be as wide as the terminal likes.
    let source: String =
        all[first..last].iter().map(|&c| if c == '\t' { ' ' } else { c }).collect();
    let source = source.trim_end();
    let cut = if first > 0 { "…" } else { "" };
    let before = " ".repeat(at - first + cut.chars().count());
    let carets = "^".repeat(length.min(SHOWN));
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    let mut shown = format!(
        "{severity}: {}\n{gutter}--> {name}:{line}:{column}\n{gutter} |\n\
         {number} | {cut}{source}\n{gutter} | {before}{carets}\n",
        finding.message
    );
    for note in &finding.notes {
        shown += &format!("{gutter} = {note}\n");
    }
    shown
}

/// Characters of the expression that a line goes on with, as far as it stands on this line.
fn length(rest: &[char]) -> usize {
    if rest.first() != Some(&'(') {
        let end = rest.iter().position(|&c| c.is_whitespace() || matches!(c, '(' | ')' | ';'));
        return end.unwrap_or(rest.len()).max(1);
    }
    let mut depth = 0;
    for (i, &c) in rest.iter().enumerate() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            // A comment goes on to the end of the line.
            ';' => return rest[..i].iter().rposition(|c| !c.is_whitespace()).map_or(1, |i| i + 1),
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    rest.iter().rposition(|c| !c.is_whitespace()).map_or(1, |i| i + 1)
}
