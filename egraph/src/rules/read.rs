//! Reading a rewrite system from a `.rules` file.

pub(crate) mod costs;
pub(crate) mod expressions;
mod for_each;
mod given;
mod language;
pub(crate) mod patterns;
mod pools;
mod rewrites;
mod schedules;

use crate::rules::analysis::{Analyses, read_merge, read_name, read_transfer};
use crate::rules::costs::declared::{DEFAULT, DeclaredCost};
use crate::rules::options::expect_atom;
use crate::rules::pattern::Pattern;
use crate::rules::read::schedules::Words;
use crate::rules::rule::RulesetId;
use crate::rules::schedule::Schedule;
use crate::rules::system::{Rules, System};
use crate::term::language::{Language, SortId};
use crate::text::sexpr::{ParseError, Place, Sexpr, parse_all, parse_parts, utf8};
use crate::text::similar::did_you_mean;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};

/// A rule file that can't be read or understood; displays as `file:line:column: message`.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// The file can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why. It is part of the message, and so not called `source`: whoever prints an error
        /// with its sources would print it twice.
        reason: std::io::Error,
    },
    /// The file's text is wrong.
    #[error("{path}:{mistake}")]
    Parse {
        /// The file.
        path: String,
        /// Where and why; part of the message, too.
        mistake: ParseError,
    },
}

impl System {
    /// Reads a `.rules` file.
    ///
    /// # Errors
    /// The file can't be read, or its text is wrong.
    pub fn load(path: &std::path::Path) -> Result<System, SystemError> {
        System::load_with_bytes(path).map(|(system, _)| system)
    }

    /// As [`System::load`]; also gives what the file holds, which is read once.
    ///
    /// # Errors
    /// As [`System::load`].
    pub fn load_with_bytes(path: &std::path::Path) -> Result<(System, Vec<u8>), SystemError> {
        let name = || path.display().to_string();
        let bytes =
            std::fs::read(path).map_err(|reason| SystemError::Read { path: name(), reason })?;
        Ok((System::from_bytes(&name(), bytes.clone())?, bytes))
    }

    /// Reads what a `.rules` file holds; `name` is what mistakes call it.
    ///
    /// # Errors
    /// The text is wrong.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<System, SystemError> {
        utf8(bytes)
            .and_then(|text| System::parse(&text))
            .map_err(|mistake| SystemError::Parse { path: name.to_owned(), mistake })
    }

    /// Reads the text of a `.rules` file.
    ///
    /// # Errors
    /// The first mistake, with its place and what was expected.
    pub fn parse(text: &str) -> Result<System, ParseError> {
        match read_all(text, 1) {
            Ok((system, _)) => Ok(system),
            Err(mut mistakes) => Err(mistakes.swap_remove(0)),
        }
    }
}

/// Where in the text the parts of a system are declared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// By rule.
    pub rules: Vec<Place>,
    /// By operator.
    pub operators: Vec<Place>,
}

/// Reads a text and goes on after a mistake, until there are `most`; those are in the order of the text.
/// Declarations that speak of what was to be declared by a mistaken one are left out.
pub(crate) fn read_all(text: &str, most: usize) -> Result<(System, Places), Vec<ParseError>> {
    let (declarations, mut mistakes) = match parse_all(text) {
        Ok(declarations) => (declarations, Vec::new()),
        Err(mistake) if most <= 1 => return Err(vec![mistake]),
        Err(_) => parse_parts(text),
    };
    let declarations = match for_each::expanded(declarations) {
        Ok(declarations) => declarations,
        Err(mistake) => {
            mistakes.push(mistake);
            return Err(mistakes);
        }
    };
    let mut reader = Reader {
        language: Language::default(),
        rules: Rules::default(),
        rulesets: Vec::new(),
        ruleset_ids: FxHashMap::default(),
        schedule: None,
        strategies: Vec::new(),
        normal_form: None,
        costs: vec![DeclaredCost::new(DEFAULT, 1)],
        analyses: Analyses::default(),
        mlir: Vec::new(),
        pools: FxHashMap::default(),
        places: Places::default(),
    };
    // Names whose declarations are mistaken, or are not there because a parenthesis is missing.
    let mut missing: FxHashSet<&str> = FxHashSet::default();
    let may_miss_some = !mistakes.is_empty();
    // Operators may be declared after the rules that use them, and so on: by kind, not by place.
    for phase in [Phase::Sorts, Phase::Language, Phase::Terms, Phase::Rules, Phase::Schedules] {
        for declaration in &declarations {
            if mistakes.len() >= most {
                break;
            }
            if !missing.is_empty() && mentions(declaration, &missing) {
                missing.extend(declared(declaration));
                continue;
            }
            if let Err(mistake) = reader.declare(declaration, phase) {
                if !(may_miss_some && mistake.message.starts_with("unknown ")) {
                    mistakes.push(mistake);
                }
                missing.extend(declared(declaration));
            }
        }
        if phase == Phase::Sorts && mistakes.is_empty() && reader.language.sorts.is_empty() {
            let place = declarations.first().map_or(Place { line: 1, column: 1 }, Sexpr::place);
            mistakes.push(ParseError::new(place, "expected at least one (sort Name)"));
        }
        if phase == Phase::Language {
            reader.find_builtins();
        }
    }
    if !mistakes.is_empty() {
        mistakes.sort_by_key(|mistake| (mistake.place.line, mistake.place.column));
        return Err(mistakes);
    }
    let Reader {
        language,
        rules,
        rulesets,
        schedule,
        strategies,
        normal_form,
        costs,
        analyses,
        mlir,
        places,
        ..
    } = reader;
    let hash = hex(&Sha256::digest(text.as_bytes()));
    Ok((
        rules.into_system(
            language,
            rulesets,
            (schedule, strategies, normal_form),
            costs,
            (analyses, mlir),
            hash,
        ),
        places,
    ))
}

/// The name that a declaration other than a rule declares.
fn declared(declaration: &Sexpr) -> Option<&str> {
    match declaration.list()? {
        [keyword, name, ..]
            if matches!(keyword.atom()?, "sort" | "op" | "ruleset" | "analysis" | "strategy") =>
        {
            name.atom()
        }
        _ => None,
    }
}

fn mentions(sexpr: &Sexpr, names: &FxHashSet<&str>) -> bool {
    match sexpr {
        Sexpr::Atom(atom, _) => names.contains(atom.as_str()),
        Sexpr::List(items, _) => items.iter().any(|item| mentions(item, names)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Sorts,
    Language,
    Terms,
    Rules,
    Schedules,
}

struct Reader {
    language: Language,
    rules: Rules,
    rulesets: Vec<String>,
    /// The rulesets, by their names.
    ruleset_ids: FxHashMap<String, RulesetId>,
    schedule: Option<Schedule>,
    strategies: Vec<(String, Vec<Sexpr>)>,
    normal_form: Option<RulesetId>,
    /// The default one first.
    costs: Vec<DeclaredCost>,
    analyses: Analyses,
    mlir: Vec<Sexpr>,
    /// By sort: the terms that rules may introduce.
    pools: FxHashMap<SortId, Vec<Pattern>>,
    places: Places,
}

const DECLARATIONS: &str = "for, sort, op, literal, variable, analysis, transfer, ruleset, normal-form, pool, rewrite, birewrite, given, cost, schedule, strategy or mlir";

const KEYWORDS: [&str; 16] = [
    "sort",
    "op",
    "literal",
    "variable",
    "analysis",
    "transfer",
    "ruleset",
    "normal-form",
    "pool",
    "rewrite",
    "birewrite",
    "given",
    "cost",
    "schedule",
    "strategy",
    "mlir",
];

impl Reader {
    fn declare(&mut self, declaration: &Sexpr, phase: Phase) -> Result<(), ParseError> {
        let place = declaration.place();
        let items = declaration.list().ok_or_else(|| {
            ParseError::new(place, format!("expected a declaration in parentheses: {DECLARATIONS}"))
        })?;
        let keyword = items.first().and_then(Sexpr::atom).unwrap_or("");
        let args = items.get(1..).unwrap_or(&[]);
        match (keyword, phase) {
            ("sort", Phase::Sorts) => self.sort(args, place),
            ("ruleset", Phase::Sorts) => self.ruleset(args, place),
            ("op", Phase::Language) => self.op(args, place),
            ("literal", Phase::Language) => self.literal(args, place),
            ("variable", Phase::Language) => self.variable(args, place),
            ("analysis", Phase::Language) => match args {
                [name] if name.atom() == Some("constant") => {
                    self.language.constant_folding = true;
                    Ok(())
                }
                _ => {
                    let name = read_name(&self.language, args, place, |s| self.known_sort(s))?;
                    self.language.analyses.push(name);
                    Ok(())
                }
            },
            ("analysis", Phase::Rules) if args.len() > 1 => {
                read_merge(&self.language, &mut self.analyses, args, place)
            }
            ("transfer", Phase::Rules) => {
                read_transfer(&self.language, &mut self.analyses, args, place)
            }
            ("rewrite", Phase::Rules) => self.rewrite(args, place, false),
            ("birewrite", Phase::Rules) => self.rewrite(args, place, true),
            ("pool", Phase::Terms) => self.pool(args, place),
            ("given", Phase::Rules) => self.given(args, place),
            ("cost", Phase::Rules) => self.cost(args, place),
            ("normal-form", Phase::Language) => self.normal_form(args, place),
            ("schedule", Phase::Schedules) => match args {
                [] => Err(ParseError::new(place, "expected (schedule S …)")),
                body if self.schedule.is_none() => {
                    self.schedule = Some(self.words().read(body, false)?);
                    Ok(())
                }
                _ => Err(ParseError::new(place, "a second schedule: only one is allowed")),
            },
            ("strategy", Phase::Schedules) => {
                let [name, body @ ..] = args else {
                    return Err(ParseError::new(place, "expected (strategy name S …)"));
                };
                self.strategy(name, body)
            }
            ("mlir", Phase::Rules) => {
                self.mlir.extend_from_slice(args);
                Ok(())
            }
            (keyword, _) if KEYWORDS.contains(&keyword) => Ok(()),
            // Said once, in the first phase.
            (keyword, Phase::Sorts) => Err(ParseError::new(
                items.first().map_or(place, Sexpr::place),
                format!(
                    "unknown declaration '{keyword}': expected {DECLARATIONS}{}",
                    did_you_mean(keyword, KEYWORDS.into_iter())
                ),
            )),
            _ => Ok(()),
        }
    }

    fn words(&self) -> Words<'_> {
        let Reader { language, rulesets, normal_form, costs, strategies, .. } = self;
        let (rules, normal_form) = (self.rules.rules(), *normal_form);
        Words { language, rules, rulesets, normal_form, costs, strategies }
    }

    /// `(strategy name S …)`.
    fn strategy(&mut self, name: &Sexpr, body: &[Sexpr]) -> Result<(), ParseError> {
        let at = |message: String| ParseError::new(name.place(), message);
        let text = expect_atom(name, "a name")?;
        if self.strategies.iter().any(|(before, _)| before == text) {
            return Err(at(format!("strategy '{text}' is declared twice")));
        }
        if self.ruleset_ids.contains_key(text) || self.rules.rules().iter().any(|r| r.name == text)
        {
            return Err(at(format!(
                "'{text}' is a ruleset or a rule: a strategy needs another name"
            )));
        }
        if body.is_empty() {
            return Err(at(format!("expected (strategy {text} S …)")));
        }
        self.words().read(body, true)?;
        self.strategies.push((text.to_owned(), body.to_vec()));
        Ok(())
    }
}
