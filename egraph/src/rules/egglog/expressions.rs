//! Egglog's patterns, terms and conditions, as text of a rules file.

use crate::rules::egglog::{Import, refused};
use crate::term::language::looks_numeric;
use crate::text::sexpr::{ParseError, Place, Sexpr};
use crate::text::similar::did_you_mean;

/// Built-in functions that mean the same in a `(compute …)`.
const ARITHMETIC: [&str; 6] = ["+", "-", "*", "min", "max", "abs"];
/// Built-in tests that mean the same in a condition; `=` is `==`.
const TESTS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];
/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    Left,
    Right,
    /// In a term, in which every name is known.
    Term,
    /// Within a computation or a condition.
    Expression,
}

/// Bytes of terms that stand for their names, in the whole program: each may name others twice.
const MOST_WRITTEN_OUT: usize = 1 << 24;

impl Import {
    pub(super) fn condition(&mut self, fact: &Sexpr) -> Result<String, ParseError> {
        match fact.list() {
            Some([test, left, right]) if test.atom().is_some_and(|t| TESTS.contains(&t)) => {
                let test = test.atom().map_or("", |test| if test == "=" { "==" } else { test });
                let left = self.expression(left, Stands::Expression)?;
                let right = self.expression(right, Stands::Expression)?;
                Ok(format!("({test} {left} {right})"))
            }
            _ => Err(refused(fact.place(), "a condition that does not compare integers")),
        }
    }

    pub(super) fn expression(
        &mut self,
        sexpr: &Sexpr,
        stands: Stands,
    ) -> Result<String, ParseError> {
        let at = sexpr.place();
        let Some(items) = sexpr.list() else {
            return self.atom(sexpr.atom().unwrap_or(""), stands, at);
        };
        let Some(head) = items.first().and_then(Sexpr::atom) else {
            return Err(ParseError::new(at, "expected a constructor"));
        };
        let args = &items[1..];
        if let Some(&arity) = self.constructors.get(head) {
            if stands == Stands::Expression {
                return Err(refused(at, "a condition that does not compare integers"));
            }
            if arity != args.len() {
                return Err(ParseError::new(
                    at,
                    format!("'{head}' takes {arity} arguments, found {}", args.len()),
                ));
            }
            if args.is_empty() {
                return Ok(head.to_owned());
            }
            let args = args
                .iter()
                .map(|arg| self.expression(arg, stands))
                .collect::<Result<Vec<_>, _>>()?;
            return Ok(format!("({head} {})", args.join(" ")));
        }
        if ARITHMETIC.contains(&head) && matches!(stands, Stands::Right | Stands::Expression) {
            let args = args
                .iter()
                .map(|arg| self.expression(arg, Stands::Expression))
                .collect::<Result<Vec<_>, _>>()?;
            let text = format!("({head} {})", args.join(" "));
            return Ok(if stands == Stands::Right { format!("(compute {text})") } else { text });
        }
        let meant = did_you_mean(head, self.constructors.keys().map(String::as_str));
        let where_ = match stands {
            Stands::Left => "on a left-hand side",
            Stands::Right | Stands::Expression if matches!(head, "/" | "%") => {
                return Err(ParseError::new(
                    at,
                    format!("'{head}' can't be imported: it rounds in another way here"),
                ));
            }
            Stands::Right | Stands::Expression => "in a computation",
            Stands::Term => "in a term",
        };
        Err(refused(at, &format!("'{head}' {where_}")).with(&meant))
    }

    fn atom(&mut self, text: &str, stands: Stands, at: Place) -> Result<String, ParseError> {
        match text {
            "true" => return Ok("1".to_owned()),
            "false" => return Ok("0".to_owned()),
            _ if looks_numeric(text) => {
                return match text.parse::<i64>() {
                    Ok(number) => Ok(number.to_string()),
                    Err(_) => Err(refused(at, &format!("the number {text}"))),
                };
            }
            _ => {}
        }
        if text.starts_with('"') {
            if stands != Stands::Term && !self.strings.iter().any(|known| known == text) {
                self.strings.push(text.to_owned());
            }
            return Ok(text.to_owned());
        }
        match (self.named.get(text), stands) {
            (Some(term), _) => {
                let term = term.clone();
                self.written_out += term.len();
                if self.written_out > MOST_WRITTEN_OUT {
                    let message = "the program is too large when names of terms are written out";
                    return Err(ParseError::new(at, message));
                }
                Ok(term)
            }
            (None, Stands::Term) => Err(ParseError::new(at, format!("unknown name '{text}'"))),
            (None, _) if text == "_" => {
                self.unnamed += 1;
                Ok(format!("?_{}", self.unnamed))
            }
            (None, _) => Ok(format!("?{}", text.trim_start_matches('?'))),
        }
    }
}
