//! Terms in files that people write: text, with those that belong together on a line, and CSV.
//!
//! In text, blank lines, lines that start with `#` and everything after a `;` are comments. CSV
//! (RFC 4180) has a header with a column for each of the terms, perhaps a column `id`, and any
//! others. What is wrong is told with file, line and column.

use anyhow::{Error, Result, anyhow};
use csv::{ReaderBuilder, StringRecord};
use egraph::{ParseError, Place, Sexpr, parse_term, parse_terms};
use rustc_hash::FxHashMap;
use std::path::Path;

/// The text of a file of terms.
#[derive(Clone, Debug)]
pub struct TermFile {
    /// As messages call it.
    name: String,
    is_csv: bool,
    text: String,
}

/// Which terms belong together.
#[derive(Clone, Copy, Debug)]
pub struct Layout<const N: usize> {
    /// Their columns in CSV.
    pub columns: [&'static str; N],
    /// How to say so of a line of text, as `one term a line`.
    pub line: &'static str,
}

/// Terms that belong together, as s-expressions.
#[derive(Clone, Debug)]
pub struct TermLine<const N: usize> {
    /// The column `id` of CSV, if there is one: no two lines have the same.
    pub id: Option<String>,
    /// The number of the line, from 1; of CSV the first if there are several.
    pub number: u32,
    /// The terms, with their places in their cells.
    pub terms: [Sexpr; N],
    /// Of text one, the line.
    cells: Vec<Cell>,
    is_csv: bool,
    name: String,
}

const START: Place = Place { line: 1, column: 1 };

fn error_at(name: &str, place: Place, message: &str) -> Error {
    anyhow!("{name}:{place}: {message}")
}

impl TermFile {
    /// A file with this name, without a byte order mark and with a line feed at the end of each
    /// line. It is CSV if the path ends in `.csv`.
    pub fn new(name: String, path: &Path, text: String) -> TermFile {
        let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        TermFile { name, is_csv, text }
    }

    /// The terms, line by line.
    ///
    /// # Errors
    /// CSV without the header that `layout` asks for; of a line, that it does not have the right
    /// number of terms, or is not made of s-expressions. Each has its place.
    pub fn lines<const N: usize>(
        &self,
        layout: Layout<N>,
    ) -> Result<Box<dyn Iterator<Item = Result<TermLine<N>>> + '_>> {
        if self.is_csv {
            return Ok(Box::new(self.records(layout)?));
        }
        let lines = (1..).zip(self.text.lines());
        Ok(Box::new(lines.filter_map(move |(number, line)| {
            self.line(layout, number, line)
                .map_err(|(place, message)| error_at(&self.name, place, &message))
                .transpose()
        })))
    }

    fn line<const N: usize>(
        &self,
        layout: Layout<N>,
        number: u32,
        line: &str,
    ) -> At<Option<TermLine<N>>> {
        if line.trim_start().starts_with('#') {
            return Ok(None);
        }
        let on_line = |place: Place| Place { line: number, ..place };
        let terms = parse_terms(line).map_err(|e| (on_line(e.place), e.message))?;
        let Some(first) = terms.first().map(Sexpr::place) else { return Ok(None) };
        let (count, expected) = (terms.len(), layout.line);
        let place = terms.get(N).map_or(first, Sexpr::place);
        let terms = <[Sexpr; N]>::try_from(terms).map_err(|_| {
            let message = match count {
                2 => format!("a second term on the line: expected {expected}"),
                _ => format!("expected {expected}, found {count} terms"),
            };
            (on_line(place), message)
        })?;
        let start = Place { line: number, column: 1 };
        let cells = vec![Cell { text: line.to_owned(), start, quoted: false }];
        let name = self.name.clone();
        Ok(Some(TermLine { id: None, number, terms, cells, is_csv: false, name }))
    }

    fn records<const N: usize>(
        &self,
        layout: Layout<N>,
    ) -> Result<impl Iterator<Item = Result<TermLine<N>>> + '_> {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(self.text.as_bytes());
        let mut records = reader.into_records();
        let at = |(place, message): (Place, String)| error_at(&self.name, place, &message);
        let Some(header) = records.next() else {
            return Err(at((START, "the file is empty".to_owned())));
        };
        let header = cells(&self.text, &header?).map_err(at)?;
        let mut columns = [0; N];
        for (column, name) in columns.iter_mut().zip(layout.columns) {
            *column = column_named(&header, name).map_err(at)?.ok_or_else(|| {
                let names = layout.columns.map(|name| format!("'{name}'")).join(" and ");
                let which = if N == 1 { "a column" } else { "the columns" };
                at((header[0].place(), format!("expected a header with {which} {names}")))
            })?;
        }
        let id = column_named(&header, "id").map_err(at)?;
        let mut ids: FxHashMap<String, u32> = FxHashMap::default();
        Ok(records.map(move |record| {
            let mut found = cells(&self.text, &record?).map_err(at)?;
            let first = found[0].place();
            if found.len() != header.len() {
                let (expected, found) = (header.len(), found.len());
                let message = format!("expected {expected} fields as in the header, found {found}");
                return Err(at((first, message)));
            }
            let id = id.map(|column| found[column].clone());
            if let Some(id) = &id
                && let Some(other) = ids.insert(id.text.clone(), first.line)
            {
                let message = format!("id '{}' is that of line {other}, too", id.text);
                return Err(at((id.start, message)));
            }
            let cells = columns.map(|column| std::mem::take(&mut found[column]));
            let mut terms = Vec::with_capacity(N);
            for cell in &cells {
                terms.push(parse_term(&cell.text).map_err(|e| at((cell.at(e.place), e.message)))?);
            }
            let terms = <[Sexpr; N]>::try_from(terms).expect("one for each column");
            let (id, number, cells) = (id.map(|id| id.text), first.line, cells.into());
            Ok(TermLine { id, number, terms, cells, is_csv: true, name: self.name.clone() })
        }))
    }
}

impl<const N: usize> TermLine<N> {
    /// What is wrong with term `i`, with its place in the file.
    pub fn term_error(&self, i: usize, error: &ParseError) -> Error {
        error_at(&self.name, self.cell(i).at(error.place), &error.message)
    }

    /// What is wrong with the line, with its place in the file.
    pub fn error(&self, message: &str) -> Error {
        error_at(&self.name, Place { line: self.number, column: 1 }, message)
    }

    /// Term `i` as it is written.
    pub fn text(&self, i: usize) -> &str {
        let text = &self.cell(i).text;
        if self.is_csv {
            return text;
        }
        let byte = |place: Place| {
            let column = place.column as usize - 1;
            text.char_indices().nth(column).map_or(text.len(), |(byte, _)| byte)
        };
        let end = self.terms.get(i + 1).map_or(text.len(), |next| byte(next.place()));
        let term = &text[byte(self.terms[i].place())..end];
        term.split(';').next().unwrap_or(term).trim()
    }

    fn cell(&self, i: usize) -> &Cell {
        &self.cells[i.min(self.cells.len() - 1)]
    }
}

type At<T> = std::result::Result<T, (Place, String)>;

/// A field of CSV, or a line of text.
#[derive(Clone, Debug)]
struct Cell {
    /// The content, without quotes.
    text: String,
    /// Where the content starts, after an opening quote.
    start: Place,
    quoted: bool,
}

impl Default for Cell {
    fn default() -> Self {
        Cell { text: String::new(), start: START, quoted: false }
    }
}

impl Cell {
    /// Where the cell starts.
    fn place(&self) -> Place {
        Place { column: self.start.column - u32::from(self.quoted), ..self.start }
    }

    /// The place in the file of a place in the content.
    fn at(&self, inside: Place) -> Place {
        let mut here = START;
        let mut place = self.start;
        for c in self.text.chars() {
            if here == inside {
                break;
            }
            here = after(here, c);
            place = after(place, c);
            // A quote in a quoted field is written twice.
            place.column += u32::from(self.quoted && c == '"');
        }
        place
    }
}

fn after(place: Place, c: char) -> Place {
    match c {
        '\n' => Place { line: place.line + 1, column: 1 },
        _ => Place { column: place.column + 1, ..place },
    }
}

fn column_named(header: &[Cell], name: &str) -> At<Option<usize>> {
    let mut found = header.iter().enumerate().filter(|(_, cell)| cell.text.trim() == name);
    match (found.next(), found.next()) {
        (_, Some((_, second))) => Err((second.start, format!("a second column '{name}'"))),
        (first, None) => Ok(first.map(|(column, _)| column)),
    }
}

/// The fields of a record of `text`, with their places.
///
/// The `csv` crate reads on where a quote is never closed, or something follows a closing one;
/// here these are errors.
fn cells(text: &str, record: &StringRecord) -> At<Vec<Cell>> {
    let position = record.position().expect("the record was read");
    let rest = &text[position.byte() as usize..];
    // Blank lines before the record.
    let blank = rest.bytes().take_while(|&byte| byte == b'\n').count();
    let mut rest = &rest[blank..];
    let mut place = Place { line: position.line() as u32 + blank as u32, column: 1 };
    let mut cells = Vec::with_capacity(record.len());
    for field in record {
        let quoted = rest.starts_with('"');
        let content = &rest[usize::from(quoted)..];
        let start = Place { column: place.column + u32::from(quoted), ..place };
        let end = match quoted {
            true => closing_quote(content)
                .ok_or_else(|| (place, "the quote '\"' is never closed".to_owned()))?,
            false => field.len(),
        };
        cells.push(Cell { text: field.to_owned(), start, quoted });
        place = content[..end].chars().fold(start, after);
        place.column += u32::from(quoted);
        rest = &content[end + usize::from(quoted)..];
        if !(rest.is_empty() || rest.starts_with([',', '\n'])) {
            let message = "expected ',' or the end of the line after a closing quote";
            return Err((place, message.to_owned()));
        }
        place.column += 1;
        rest = rest.get(1..).unwrap_or_default();
    }
    Ok(cells)
}

/// Where the first quote is that is not written twice.
fn closing_quote(content: &str) -> Option<usize> {
    let mut quotes = content.match_indices('"').map(|(byte, _)| byte).peekable();
    while let Some(byte) = quotes.next() {
        if quotes.next_if_eq(&(byte + 1)).is_none() {
            return Some(byte);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: Layout<2> = Layout { columns: ["start", "target"], line: "a start and a target" };

    /// By line: its number, its id, and the texts of its terms; or the message.
    fn read(name: &str, text: &str) -> Vec<String> {
        let file = TermFile::new(name.to_owned(), Path::new(name), text.to_owned());
        let lines = match file.lines(PAIR) {
            Ok(lines) => lines,
            Err(error) => return vec![error.to_string()],
        };
        let shown = |line: Result<TermLine<2>>| match line {
            Ok(line) => {
                let id = line.id.as_deref().unwrap_or("-");
                format!("{} {id} {} {}", line.number, line.text(0), line.text(1))
            }
            Err(error) => error.to_string(),
        };
        lines.map(shown).collect()
    }

    #[test]
    fn text_has_the_terms_of_a_line_without_comments() {
        let text = "# pairs\n\n  (+ a é)  b ; first\n; none\nx y;z\n";
        assert_eq!(read("t.txt", text), ["3 - (+ a é) b", "5 - x y"]);
        let text = "a\na b c\na (b\n";
        let expected = [
            "t.txt:1:1: expected a start and a target, found 1 terms",
            "t.txt:2:5: expected a start and a target, found 3 terms",
            "t.txt:3:3: '(' is never closed",
        ];
        let found = read("t.txt", text);
        assert_eq!(found[..2], expected[..2]);
        assert!(found[2].starts_with("t.txt:3:3: "), "{found:?}");
    }

    #[test]
    fn csv_may_have_other_columns_quotes_and_blank_lines() {
        let text = "\n\nid,target,note,start\n\n1,b,\"x\n\"\"y\"\"\",a\n\"2\",\"(b)\",,\"c\"\n";
        assert_eq!(read("t.CSV", text), ["5 1 a b", "7 2 c (b)"]);
        assert_eq!(read("t.csv", "start,target\na,b"), ["2 - a b"]);
    }

    #[test]
    fn what_is_wrong_with_csv_has_a_place() {
        let rows = |rows: &str| read("t.csv", &format!("id,start,target\n{rows}")).pop().unwrap();
        assert_eq!(rows("1,\"a,b\n"), "t.csv:2:3: the quote '\"' is never closed");
        let junk = "expected ',' or the end of the line after a closing quote";
        assert_eq!(rows("1,\"a\"x,b\n"), format!("t.csv:2:6: {junk}"));
        assert_eq!(rows("1,a\n"), "t.csv:2:1: expected 3 fields as in the header, found 2");
        assert_eq!(rows("1,a,b\n\n1,a,b\n"), "t.csv:4:1: id '1' is that of line 2, too");
        // The place is that in the file, where a quote is written twice.
        assert_eq!(rows("1,\"\"\"\"\"\n(\",b"), "t.csv:3:1: '(' is never closed");
        assert_eq!(read("t.csv", ""), ["t.csv:1:1: the file is empty"]);
        let header = "t.csv:1:1: expected a header with the columns 'start' and 'target'";
        assert_eq!(read("t.csv", "id,start\n"), [header]);
        let twice = "t.csv:1:14: a second column 'start'";
        assert_eq!(read("t.csv", "start,target,start\n"), [twice]);
    }
}
