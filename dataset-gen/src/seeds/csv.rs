//! Comma-separated values (RFC 4180) with the place of every field.

use egraph::Place;
use std::iter::Peekable;
use std::str::Chars;

/// One field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The content, without quotes.
    pub text: String,
    /// Where the content starts, after an opening quote.
    start: Place,
    quoted: bool,
}

impl Field {
    /// The place in the file of a place in [`Field::text`].
    pub fn place_of(&self, inside: Place) -> Place {
        let mut here = Place { line: 1, column: 1 };
        let mut place = self.start;
        for c in self.text.chars() {
            if here == inside {
                break;
            }
            if c == '\n' {
                here = Place { line: here.line + 1, column: 1 };
                place = Place { line: place.line + 1, column: 1 };
            } else {
                here.column += 1;
                // A quote in a quoted field is written twice.
                place.column += if self.quoted && c == '"' { 2 } else { 1 };
            }
        }
        place
    }
}

/// One line, or more if a quoted field has line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The fields, at least one.
    pub fields: Vec<Field>,
    line: u32,
}

impl Record {
    /// Of a header: the index of the column with this name, if there is one.
    ///
    /// # Errors
    /// There are two; the place of the second.
    pub fn column(&self, name: &str) -> Result<Option<usize>, (Place, String)> {
        let mut found = self.fields.iter().enumerate().filter(|(_, f)| f.text.trim() == name);
        match (found.next(), found.next()) {
            (_, Some((_, second))) => {
                let start = Place { line: 1, column: 1 };
                Err((second.place_of(start), format!("a second column '{name}'")))
            }
            (first, None) => Ok(first.map(|(column, _)| column)),
        }
    }

    /// Where the record starts.
    pub fn place(&self) -> Place {
        Place { line: self.line, column: 1 }
    }
}

/// The records of a text, blank lines left out; stops after the first mistake, which is a
/// place and a message.
pub fn read_records(text: &str) -> Records<'_> {
    // A byte order mark, as spreadsheets write it, is no part of the first column's name.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Records { chars: text.chars().peekable(), place: Place { line: 1, column: 1 }, failed: false }
}

/// See [`read_records`].
#[derive(Clone, Debug)]
pub struct Records<'a> {
    chars: Peekable<Chars<'a>>,
    place: Place,
    failed: bool,
}

impl Records<'_> {
    fn next_char(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        if c == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    /// Steps over a line break, which may be two characters.
    fn line_break(&mut self) -> bool {
        let mut ahead = self.chars.clone();
        match (ahead.next(), ahead.next()) {
            (Some('\n'), _) => self.next_char(),
            (Some('\r'), Some('\n')) => self.next_char().and_then(|_| self.next_char()),
            _ => None,
        }
        .is_some()
    }

    fn field(&mut self) -> Result<Field, (Place, String)> {
        let quoted = self.chars.peek() == Some(&'"');
        let opening = self.place;
        if quoted {
            self.next_char();
        }
        let start = self.place;
        let mut text = String::new();
        loop {
            let at_end = match self.chars.peek() {
                None => true,
                Some(',') => !quoted,
                Some('\n') => !quoted,
                Some('\r') => !quoted && self.clone().line_break(),
                Some(_) => false,
            };
            if at_end {
                if quoted {
                    return Err((opening, "the quote '\"' is never closed".to_owned()));
                }
                return Ok(Field { text, start, quoted });
            }
            match self.next_char() {
                Some('"') if quoted => {
                    if self.chars.peek() == Some(&'"') {
                        self.next_char();
                        text.push('"');
                        continue;
                    }
                    let mut after = self.clone();
                    let ends = after.chars.peek().is_none_or(|&c| c == ',') || after.line_break();
                    if !ends {
                        let message = "expected ',' or the end of the line after a closing quote";
                        return Err((self.place, message.to_owned()));
                    }
                    return Ok(Field { text, start, quoted });
                }
                Some(c) => text.push(c),
                None => {}
            }
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, (Place, String)>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.line_break() {}
        if self.failed || self.chars.peek().is_none() {
            return None;
        }
        let line = self.place.line;
        let mut fields = Vec::new();
        loop {
            match self.field() {
                Ok(field) => fields.push(field),
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
            if self.chars.peek() != Some(&',') {
                self.line_break();
                return Some(Ok(Record { fields, line }));
            }
            self.next_char();
        }
    }
}
