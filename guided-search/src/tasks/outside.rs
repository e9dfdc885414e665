//! Tasks from elsewhere: text and CSV.

use crate::tasks::question::read_question;
use crate::tasks::task::{Task, check_id};
use dataset_gen::seeds::csv::{Field, read_records};
use egraph::{ParseError, Place, TermBank, parse_all, parse_one};

type At<T> = std::result::Result<T, (Place, String)>;

/// A task from elsewhere: without a chain.
pub(super) fn outside(id: String, start: String, target: String) -> Task {
    Task { seed_id: id.clone(), id, start, target, waypoints: Vec::new(), links: 0 }
}

/// Text: a start and a target a line; `#` at the start of a line and `;` begin comments.
pub(super) fn read_lines(text: &str, bank: &mut TermBank) -> At<Vec<Task>> {
    let mut tasks = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let on_line = |place: Place| Place { line: number, ..place };
        let terms = parse_all(line).map_err(|e| (on_line(e.place), e.message))?;
        let [_, second] = &terms[..] else {
            if terms.is_empty() {
                continue;
            }
            let message = format!("expected a start and a target, found {} terms", terms.len());
            return Err((on_line(terms[0].place()), message));
        };
        read_question(bank, &terms).map_err(|(_, e)| (on_line(e.place), e.message))?;
        let bytes: usize =
            line.chars().take(second.place().column as usize - 1).map(char::len_utf8).sum();
        let (start, target) = line.split_at(bytes);
        let target = target.split(';').next().unwrap_or(target);
        tasks.push(outside(
            format!("line-{number}"),
            start.trim().to_owned(),
            target.trim().to_owned(),
        ));
    }
    Ok(tasks)
}

/// CSV with the columns `start` and `target`, and perhaps `id`.
pub(super) fn read_csv(text: &str, bank: &mut TermBank) -> At<Vec<Task>> {
    let mut records = read_records(text);
    let start_of_file = Place { line: 1, column: 1 };
    let header = match records.next() {
        Some(header) => header?,
        None => return Err((start_of_file, "the file is empty".to_owned())),
    };
    let column = |name| header.column(name);
    let (Some(start), Some(target)) = (column("start")?, column("target")?) else {
        let message = "expected a header with the columns 'start' and 'target'";
        return Err((start_of_file, message.to_owned()));
    };
    let id = column("id")?;
    let mut tasks = Vec::new();
    for record in records {
        let record = record?;
        let (expected, found) = (header.fields.len(), record.fields.len());
        if expected != found {
            let message = format!("expected {expected} fields as in the header, found {found}");
            return Err((record.place(), message));
        }
        let line = record.place().line;
        let id = match id {
            Some(id) => record.fields[id].text.clone(),
            None => format!("line-{line}"),
        };
        check_id(&id).map_err(|message| (record.place(), message))?;
        let ends = [&record.fields[start], &record.fields[target]];
        let at = |end: &Field, e: ParseError| (end.place_of(e.place), e.message);
        let mut terms = Vec::new();
        for end in ends {
            terms.push(parse_one(&end.text).map_err(|e| at(end, e))?);
        }
        read_question(bank, &terms).map_err(|(i, e)| at(ends[i], e))?;
        let text = |column: usize| record.fields[column].text.clone();
        tasks.push(outside(id, text(start), text(target)));
    }
    Ok(tasks)
}
