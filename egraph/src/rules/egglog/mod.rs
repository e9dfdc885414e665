//! Egglog programs as rules files, as far as they are declarations and rewrites.
//!
//! A variable is an atom there, and `?x` here; a literal has a sort of its own, `i64` or `bool`; strings are
//! variables of a sort `String`, and constants where rules name them. What a rules file can't say is
//! refused; commands, which say what to do with a program, are left out.

mod expressions;

use crate::rules::egglog::expressions::Stands;
use crate::rules::read::read_all;
use crate::text::sexpr::{ParseError, Place, Sexpr, is_of_atom, parse_all};
use crate::text::similar::did_you_mean;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a program says, as a rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The text of the rules file.
    pub rules: String,
    /// The terms that the program names or writes down, each on a line, as terms of that file.
    pub terms: Vec<String>,
    /// Commands that were left out, and where.
    pub left_out: Vec<(Place, String)>,
}

/// Commands that declare nothing.
const COMMANDS: [&str; 16] = [
    "run",
    "run-schedule",
    "check",
    "extract",
    "query-extract",
    "print-function",
    "print-size",
    "print-stats",
    "push",
    "pop",
    "fail",
    "simplify",
    "set-option",
    "print",
    "output",
    "prove",
];
/// Declarations that are understood.
const UNDERSTOOD: [&str; 9] = [
    "datatype",
    "datatype*",
    "sort",
    "constructor",
    "function",
    "rewrite",
    "birewrite",
    "ruleset",
    "let",
];
/// Sorts that are built in there, and what declares them here.
const BUILT_IN: [(&str, &str); 3] = [
    ("i64", "(sort i64) (literal i64 i64)"),
    ("bool", "(sort bool) (literal bool bool)"),
    ("String", "(sort String) (variable String)"),
];

/// Translates the text of an egglog program.
///
/// # Errors
/// All that a rules file can't say, in the order of the text.
pub fn import_egglog(text: &str) -> Result<Imported, Vec<ParseError>> {
    refuse_long_strings(text).map_err(|mistake| vec![mistake])?;
    let program = parse_all(text).map_err(|mistake| vec![mistake])?;
    let mut import = Import::default();
    let mut mistakes = Vec::new();
    // Names may be used before they are declared in what follows.
    for phase in [Phase::Names, Phase::Rules] {
        for item in &program {
            mistakes.extend(import.item(item, phase).err());
        }
    }
    if mistakes.is_empty() {
        let imported = import.finish();
        match imported {
            Ok(imported) => return Ok(imported),
            Err(found) => mistakes = found,
        }
    }
    mistakes.sort_by_key(|mistake| (mistake.place.line, mistake.place.column));
    Err(mistakes)
}

/// A string that would not be one atom here.
fn refuse_long_strings(text: &str) -> Result<(), ParseError> {
    for (line, text) in (1..).zip(text.lines()) {
        let (mut start, mut column) = (None, 0);
        for c in text.chars() {
            column += 1;
            match (c, start) {
                (';', None) => break,
                ('"', None) => start = Some(column),
                ('"', Some(_)) => start = None,
                (c, Some(column)) if !is_of_atom(c) => {
                    let place = Place { line, column };
                    return Err(ParseError::new(
                        place,
                        "a string with white space, parentheses or ';' can't be a name",
                    ));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Sorts, constructors, rulesets and named terms.
    Names,
    /// Rewrites, and terms.
    Rules,
}

#[derive(Default)]
struct Import {
    /// Declarations of the rules file, and what each was made from.
    lines: Vec<(String, Place)>,
    sorts: FxHashSet<String>,
    constructors: FxHashMap<String, usize>,
    /// Sorts that are built in there and were used.
    built_in: Vec<&'static str>,
    /// Strings that rules name.
    strings: Vec<String>,
    named: FxHashMap<String, String>,
    terms: Vec<String>,
    rule_names: FxHashSet<String>,
    left_out: Vec<(Place, String)>,
    unnamed: usize,
    /// Bytes of terms that stand for their names.
    written_out: usize,
}

impl Import {
    fn item(&mut self, item: &Sexpr, phase: Phase) -> Result<(), ParseError> {
        let at = item.place();
        let parts = item.list().unwrap_or(&[]);
        let Some(keyword) = parts.first().and_then(Sexpr::atom) else {
            // Said once.
            return if phase == Phase::Names {
                Err(refused(at, "a command or declaration"))
            } else {
                Ok(())
            };
        };
        match (keyword, &parts[1..], phase) {
            ("sort", [name], Phase::Names) => self.sort(name),
            ("sort", _, Phase::Names) => Err(refused(at, "a sort of containers")),
            ("ruleset", [name], Phase::Names) => {
                let line = format!("(ruleset {})", atom(name, "the name of a ruleset")?);
                self.lines.push((line, at));
                Ok(())
            }
            ("datatype", [name, variants @ ..], Phase::Names) => {
                self.sort(name)?;
                self.variants(atom(name, "the name of a sort")?, variants)
            }
            ("datatype*", all, Phase::Names) => {
                let parts = |one: &'_ Sexpr| {
                    one.list().and_then(|parts| Some((parts.first()?.clone(), parts[1..].to_vec())))
                };
                for one in all {
                    let (name, _) = parts(one).ok_or_else(|| refused(one.place(), "a datatype"))?;
                    self.sort(&name)?;
                }
                for (name, variants) in all.iter().filter_map(parts) {
                    self.variants(atom(&name, "the name of a sort")?, &variants)?;
                }
                Ok(())
            }
            ("constructor" | "function", [name, args, result, options @ ..], Phase::Names) => {
                let args = args.list().ok_or_else(|| {
                    ParseError::new(args.place(), "expected the sorts of arguments in parentheses")
                })?;
                let result_name = atom(result, "a sort")?;
                if BUILT_IN.iter().any(|(name, _)| *name == result_name)
                    || options
                        .iter()
                        .any(|o| matches!(o.atom(), Some(":merge" | ":no-merge" | ":default")))
                {
                    return Err(refused(at, "a function to values (an analysis)"));
                }
                self.constructor(name, args, result, options, at)
            }
            ("let", [name, term], Phase::Rules) => {
                let text = self.expression(term, Stands::Term)?;
                self.named.insert(atom(name, "a name")?.to_owned(), text.clone());
                self.terms.push(text);
                Ok(())
            }
            ("rewrite" | "birewrite", [left, right, options @ ..], Phase::Rules) => {
                self.rewrite(keyword, left, right, options, at)
            }
            (command, _, Phase::Names) if COMMANDS.contains(&command) => {
                self.left_out.push((at, command.to_owned()));
                Ok(())
            }
            (keyword, _, Phase::Rules) if self.constructors.contains_key(keyword) => {
                let text = self.expression(item, Stands::Term)?;
                self.terms.push(text);
                Ok(())
            }
            (
                "datatype" | "datatype*" | "sort" | "constructor" | "function" | "ruleset",
                _,
                Phase::Rules,
            ) => Ok(()),
            ("let" | "rewrite" | "birewrite", _, Phase::Names) => Ok(()),
            (keyword, _, Phase::Rules) if COMMANDS.contains(&keyword) => Ok(()),
            (keyword, _, Phase::Rules) => {
                if UNDERSTOOD.contains(&keyword) {
                    return Err(ParseError::new(at, format!("expected more after '{keyword}'")));
                }
                let meant = did_you_mean(keyword, UNDERSTOOD.into_iter());
                Err(refused(at, &format!("'{keyword}'")).with(&meant))
            }
            _ => Ok(()),
        }
    }

    fn sort(&mut self, name: &Sexpr) -> Result<(), ParseError> {
        let text = atom(name, "the name of a sort")?;
        self.sorts.insert(text.to_owned());
        self.lines.push((format!("(sort {text})"), name.place()));
        Ok(())
    }

    fn variants(&mut self, sort: &str, variants: &[Sexpr]) -> Result<(), ParseError> {
        for variant in variants {
            let at = variant.place();
            let [name, rest @ ..] = variant.list().unwrap_or(&[]) else {
                return Err(ParseError::new(at, "expected a constructor in parentheses"));
            };
            let end = rest.iter().position(|a| a.atom().is_some_and(|a| a.starts_with(':')));
            let (args, options) = rest.split_at(end.unwrap_or(rest.len()));
            self.constructor(name, args, &Sexpr::Atom(sort.to_owned(), at), options, at)?;
        }
        Ok(())
    }

    fn constructor(
        &mut self,
        name: &Sexpr,
        args: &[Sexpr],
        result: &Sexpr,
        options: &[Sexpr],
        at: Place,
    ) -> Result<(), ParseError> {
        let name_text = atom(name, "the name of a constructor")?;
        let mut sorts = Vec::new();
        for sort in args.iter().chain([result]) {
            sorts.push(self.known_sort(sort)?);
        }
        let result = sorts.pop().unwrap_or_default();
        let mut cost = String::new();
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match (option.atom(), options.as_slice().first().and_then(Sexpr::atom)) {
                (Some(":cost"), Some(number)) => {
                    cost = format!(" :cost {number}");
                    options.next();
                }
                (Some(":unextractable"), _) => {
                    self.left_out.push((option.place(), ":unextractable".to_owned()))
                }
                _ => return Err(refused(option.place(), "this option")),
            }
        }
        self.constructors.insert(name_text.to_owned(), args.len());
        self.lines.push((format!("(op {name_text} ({}) {result}{cost})", sorts.join(" ")), at));
        Ok(())
    }

    fn known_sort(&mut self, sort: &Sexpr) -> Result<String, ParseError> {
        let name = atom(sort, "the name of a sort")?;
        if self.sorts.contains(name) {
            return Ok(name.to_owned());
        }
        match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            Some((built_in, _)) => {
                if !self.built_in.contains(built_in) {
                    self.built_in.push(built_in);
                }
                Ok(name.to_owned())
            }
            None if matches!(name, "f64" | "BigInt" | "BigRat" | "Rational" | "Unit") => {
                Err(refused(sort.place(), &format!("sort {name}")))
            }
            None => {
                let meant = did_you_mean(name, self.sorts.iter().map(String::as_str));
                Err(ParseError::new(sort.place(), format!("unknown sort '{name}'{meant}")))
            }
        }
    }

    fn rewrite(
        &mut self,
        keyword: &str,
        left: &Sexpr,
        right: &Sexpr,
        options: &[Sexpr],
        at: Place,
    ) -> Result<(), ParseError> {
        // Either side of a birewrite is a left-hand side once.
        let right_stands = if keyword == "birewrite" { Stands::Left } else { Stands::Right };
        let sides = format!(
            "{} {}",
            self.expression(left, Stands::Left)?,
            self.expression(right, right_stands)?
        );
        let mut when = Vec::new();
        let (mut ruleset, mut name) = (String::new(), None);
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let value = options.as_slice().first();
            match (option.atom(), value) {
                (Some(":when"), Some(facts)) => {
                    let facts = facts.list().ok_or_else(|| {
                        ParseError::new(facts.place(), "expected conditions in parentheses")
                    })?;
                    for fact in facts {
                        when.push(self.condition(fact)?);
                    }
                }
                (Some(":ruleset"), Some(set)) => {
                    ruleset = format!(" :ruleset {}", atom(set, "the name of a ruleset")?)
                }
                (Some(":name"), Some(given)) => {
                    name = Some(atom(given, "a name")?.trim_matches('"').to_owned())
                }
                _ => {
                    return Err(refused(
                        option.place(),
                        &format!("'{}'", option.atom().unwrap_or("(…)")),
                    ));
                }
            }
            options.next();
        }
        let when =
            if when.is_empty() { String::new() } else { format!(" :when ({})", when.join(" ")) };
        let base = name.unwrap_or_else(|| format!("line-{}", at.line));
        let mut name = base.clone();
        let mut number = 1;
        while !self.rule_names.insert(name.clone()) {
            number += 1;
            name = format!("{base}-{number}");
        }
        self.lines.push((format!("({keyword} {sides}{when} :name {name}{ruleset})"), at));
        Ok(())
    }

    /// The rules file, read once to see whether it is one.
    fn finish(self) -> Result<Imported, Vec<ParseError>> {
        let start = Place { line: 1, column: 1 };
        let declared = BUILT_IN.iter().filter(|(name, _)| self.built_in.contains(name));
        let mut lines: Vec<(String, Place)> =
            declared.map(|(_, line)| ((*line).to_owned(), start)).collect();
        lines.extend(self.strings.iter().map(|text| (format!("(op {text} () String)"), start)));
        lines.extend(self.lines);
        let rules: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
        match read_all(&rules, usize::MAX) {
            Ok(_) => Ok(Imported { rules, terms: self.terms, left_out: self.left_out }),
            // At the declaration that the line was made from.
            Err(mistakes) => Err(mistakes
                .into_iter()
                .map(|mistake| {
                    let place =
                        lines.get(mistake.place.line as usize - 1).map_or(start, |line| line.1);
                    ParseError { place, ..mistake }
                })
                .collect()),
        }
    }
}

fn atom<'s>(sexpr: &'s Sexpr, what: &str) -> Result<&'s str, ParseError> {
    sexpr.atom().ok_or_else(|| ParseError::new(sexpr.place(), format!("expected {what}")))
}

fn refused(place: Place, what: &str) -> ParseError {
    ParseError::new(place, format!("{what} can't be imported: a rules file has no such thing"))
}

impl ParseError {
    /// With more at the end of the message.
    fn with(mut self, more: &str) -> ParseError {
        self.message += more;
        self
    }
}
