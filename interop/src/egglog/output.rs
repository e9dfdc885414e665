//! What is taken over of a program, and what is left out.

use crate::egglog::refusal::Refusal;
use egraph::{Place, System, review};

/// What a program says, as a rules file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The text of the rules file.
    pub rules: String,
    /// The terms that the program names or writes down, each on a line, as terms of that file.
    pub terms: Vec<String>,
    /// The terms whose equality the program checks.
    pub checks: Vec<[String; 2]>,
    /// How many declarations of the rules file were made of the program.
    pub declarations: usize,
    /// What was left out, in the order of the program.
    pub left_out: Vec<LeftOut>,
}

/// A part of a program that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it stands.
    pub place: Place,
    /// What it is, or what is wrong with it.
    pub message: String,
    /// Why.
    pub why: Why,
}

/// Why a part of a program was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It says what to do with the program, and not what is equal.
    Command,
    /// A rules file can't say it, or it is mistaken.
    Refused,
    /// It speaks of something that was left out.
    Follows,
}

/// The rules file as it grows.
#[derive(Default)]
pub(super) struct Output {
    /// Declarations, a line each, and what each was made from.
    pub lines: Vec<(String, Place)>,
    /// Whether the rules file has a schedule, and its parts.
    pub is_scheduled: bool,
    pub schedule: Vec<String>,
    pub terms: Vec<String>,
    pub checks: Vec<[String; 2]>,
    left_out: Vec<LeftOut>,
}

impl Output {
    /// Notes a command, or an option that says as little about what is equal.
    pub fn leave_command(&mut self, place: Place, what: &str) {
        self.left_out.push(LeftOut { place, message: what.to_owned(), why: Why::Command });
    }

    pub fn leave(&mut self, refusal: Refusal) {
        self.left_out.push(match refusal {
            Refusal::Because(error) => {
                LeftOut { place: error.place, message: error.message, why: Why::Refused }
            }
            Refusal::Follows(place, name) => {
                let message = format!("it speaks of '{name}', which is left out");
                LeftOut { place, message, why: Why::Follows }
            }
        });
    }

    /// The rules file, read to see whether it is one. Lines that are none of it are left out.
    pub fn finish(mut self, first: Vec<String>) -> Imported {
        let start = Place { line: 1, column: 1 };
        let built_in = first.len();
        let mut lines: Vec<(String, Place)> = first.into_iter().map(|line| (line, start)).collect();
        lines.append(&mut self.lines);
        let mut why = Why::Refused;
        loop {
            // Rulesets alone are no rules file.
            if !lines.iter().any(|(line, _)| line.starts_with("(sort ")) {
                lines.clear();
            }
            let rules: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
            let mistakes = match System::parse(&rules) {
                Err(_) if !lines.is_empty() => review(&rules).findings,
                _ => Vec::new(),
            };
            let mut mistaken: Vec<usize> = Vec::new();
            for mistake in mistakes {
                let line = mistake.place.line as usize - 1;
                // What is mistaken twice is left out once.
                if let Some((_, place)) = lines.get(line).filter(|_| !mistaken.contains(&line)) {
                    mistaken.push(line);
                    let (place, message) = (*place, mistake.message);
                    self.left_out.push(LeftOut { place, message, why });
                }
            }
            if mistaken.is_empty() {
                let declarations = lines.len().saturating_sub(built_in);
                let Output { terms, checks, mut left_out, .. } = self;
                left_out.sort_by_key(|left| (left.place.line, left.place.column));
                return Imported { rules, terms, checks, declarations, left_out };
            }
            let mut line = 0..;
            lines.retain(|_| !line.next().is_some_and(|line| mistaken.contains(&line)));
            // What is mistaken now spoke of what was left out.
            why = Why::Follows;
        }
    }
}
