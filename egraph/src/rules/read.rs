//! Reading a rewrite system from the text of a `.rules` file.

use crate::rules::pattern::{Side, Variables, read_condition, read_pattern};
use crate::rules::schedule::{Schedule, read_schedule};
use crate::rules::system::{Rule, Rules, RulesetId, System};
use crate::term::builtin::Builtin;
use crate::term::language::{Language, LiteralKind, Operator, SortId, looks_numeric};
use crate::text::sexpr::{ParseError, Place, Sexpr, parse_all};
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

/// The first mistake is reported with its place and what was expected.
pub(crate) fn read(text: &str) -> Result<System, ParseError> {
    let declarations = parse_all(text)?;
    let mut reader = Reader::default();
    // Operators may be declared after the rules that use them, and so on: by kind, not by place.
    for phase in [Phase::Sorts, Phase::Language, Phase::Rules] {
        for declaration in &declarations {
            reader.declare(declaration, phase)?;
        }
        if phase == Phase::Sorts && reader.language.sorts.is_empty() {
            let place = declarations.first().map_or(Place { line: 1, column: 1 }, Sexpr::place);
            return Err(ParseError::new(place, "expected at least one (sort Name)"));
        }
        if phase == Phase::Language {
            reader.find_builtins();
        }
    }
    let Reader { language, rules, rulesets, schedule, .. } = reader;
    let hash = hex(&Sha256::digest(text.as_bytes()));
    Ok(rules.into_system(language, rulesets, schedule, hash))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Sorts,
    Language,
    Rules,
}

#[derive(Default)]
struct Reader {
    language: Language,
    rules: Rules,
    rulesets: Vec<String>,
    /// The rulesets, by their names.
    ruleset_ids: FxHashMap<String, RulesetId>,
    schedule: Option<Schedule>,
}

const DECLARATIONS: &str =
    "sort, op, literal, variable, analysis, ruleset, rewrite, birewrite or schedule";

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
                _ => Err(ParseError::new(place, "expected (analysis constant)")),
            },
            ("rewrite", Phase::Rules) => self.rewrite(args, place, false),
            ("birewrite", Phase::Rules) => self.rewrite(args, place, true),
            ("schedule", Phase::Rules) => match args {
                [schedule] if self.schedule.is_none() => {
                    self.schedule = Some(read_schedule(schedule, &self.rulesets)?);
                    Ok(())
                }
                [_] => Err(ParseError::new(place, "a second schedule: only one is allowed")),
                _ => Err(ParseError::new(place, "expected (schedule S)")),
            },
            (
                "sort" | "ruleset" | "op" | "literal" | "variable" | "analysis" | "rewrite"
                | "birewrite" | "schedule",
                _,
            ) => Ok(()),
            _ => Err(ParseError::new(
                items.first().map_or(place, Sexpr::place),
                format!("unknown declaration '{keyword}': expected {DECLARATIONS}"),
            )),
        }
    }

    fn sort(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let name = one_atom(args, place, "(sort Name)")?;
        if self.language.sort(name).is_some() {
            return Err(ParseError::new(place, format!("sort '{name}' is declared twice")));
        }
        if self.language.sorts.len() >= usize::from(u16::MAX) {
            return Err(ParseError::new(place, "too many sorts: at most 65,535"));
        }
        self.language.enter_sort(name);
        Ok(())
    }

    fn ruleset(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let name = one_atom(args, place, "(ruleset name)")?;
        let number = RulesetId(self.rulesets.len() as u32);
        if self.ruleset_ids.insert(name.to_owned(), number).is_some() {
            return Err(ParseError::new(place, format!("ruleset '{name}' is declared twice")));
        }
        self.rulesets.push(name.to_owned());
        Ok(())
    }

    fn known_sort(&self, sexpr: &Sexpr) -> Result<SortId, ParseError> {
        let name = sexpr
            .atom()
            .ok_or_else(|| ParseError::new(sexpr.place(), "expected the name of a sort"))?;
        self.language.sort(name).ok_or_else(|| {
            ParseError::new(
                sexpr.place(),
                format!("unknown sort '{name}': declare it with (sort {name})"),
            )
        })
    }

    fn op(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [name, sorts, result] = args else {
            return Err(ParseError::new(place, "expected (op name (ArgumentSort …) ResultSort)"));
        };
        let (Some(name), Some(sorts)) = (name.atom(), sorts.list()) else {
            return Err(ParseError::new(place, "expected (op name (ArgumentSort …) ResultSort)"));
        };
        if name.starts_with('?') || looks_numeric(name) {
            return Err(ParseError::new(
                place,
                format!(
                    "'{name}' can't be an operator: it reads as a pattern variable or a number"
                ),
            ));
        }
        if self.language.operator(name).is_some() {
            return Err(ParseError::new(place, format!("operator '{name}' is declared twice")));
        }
        let args = sorts.iter().map(|s| self.known_sort(s)).collect::<Result<_, _>>()?;
        let result = self.known_sort(result)?;
        let name = name.to_owned();
        self.language.enter(Operator { name, args, result, builtin: None });
        Ok(())
    }

    fn literal(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [kind, sort] = args else {
            return Err(ParseError::new(
                place,
                "expected (literal i64 Sort) or (literal bool Sort)",
            ));
        };
        let kind = match kind.atom() {
            Some("i64") => LiteralKind::I64,
            Some("bool") => LiteralKind::Bool,
            _ => return Err(ParseError::new(kind.place(), "expected i64 or bool")),
        };
        let sort = self.known_sort(sort)?;
        if self.language.literal_kind(sort).is_some() {
            return Err(ParseError::new(place, "this sort has literals already"));
        }
        self.language.literals.push((kind, sort));
        Ok(())
    }

    fn variable(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [sort] = args else {
            return Err(ParseError::new(place, "expected (variable Sort)"));
        };
        let sort = self.known_sort(sort)?;
        if !self.language.variables.contains(&sort) {
            self.language.variables.push(sort);
        }
        Ok(())
    }

    fn find_builtins(&mut self) {
        let language = &self.language;
        let kind = |sort: &SortId| language.literal_kind(*sort);
        let builtins: Vec<Option<Builtin>> = language
            .operators
            .iter()
            .map(|op| {
                let args = op.args.iter().map(kind).collect::<Option<Vec<_>>>()?;
                Builtin::find(&op.name, &args, kind(&op.result)?)
            })
            .collect();
        for (op, builtin) in self.language.operators.iter_mut().zip(builtins) {
            op.builtin = builtin;
        }
    }

    fn rewrite(&mut self, args: &[Sexpr], place: Place, both: bool) -> Result<(), ParseError> {
        let [left, right, options @ ..] = args else {
            return Err(ParseError::new(
                place,
                "expected (rewrite left right :name … :when (…) :ruleset …)",
            ));
        };
        let mut name = None;
        let mut ruleset = None;
        let mut when: &[Sexpr] = &[];
        for (i, option) in options.chunks(2).enumerate() {
            let key = option[0].atom().unwrap_or("");
            if options[..2 * i].iter().step_by(2).any(|before| before.atom() == Some(key)) {
                let message = format!("a second '{key}': only one is allowed");
                return Err(ParseError::new(option[0].place(), message));
            }
            let value = option.get(1).ok_or_else(|| {
                ParseError::new(option[0].place(), format!("expected a value after '{key}'"))
            })?;
            match key {
                ":name" => name = Some(expect_atom(value, "a name")?),
                ":ruleset" => {
                    let wanted = expect_atom(value, "the name of a ruleset")?;
                    let found = self.ruleset_ids.get(wanted).ok_or_else(|| {
                        ParseError::new(value.place(), format!("unknown ruleset '{wanted}'"))
                    })?;
                    ruleset = Some(*found);
                }
                ":when" => {
                    when = value.list().ok_or_else(|| {
                        ParseError::new(
                            value.place(),
                            "expected a list of conditions in parentheses",
                        )
                    })?;
                }
                _ => {
                    return Err(ParseError::new(
                        option[0].place(),
                        format!("expected :name, :when or :ruleset, found '{key}'"),
                    ));
                }
            }
        }
        let base = match name {
            Some(name) => name.to_owned(),
            None => format!("rule-{}", place.line),
        };
        self.rule(base.clone(), left, right, when, ruleset, place)?;
        if both {
            self.rule(format!("{base}-rev"), right, left, when, ruleset, place)?;
        }
        Ok(())
    }

    fn rule(
        &mut self,
        name: String,
        left: &Sexpr,
        right: &Sexpr,
        when: &[Sexpr],
        ruleset: Option<RulesetId>,
        place: Place,
    ) -> Result<(), ParseError> {
        let language = &self.language;
        let mut variables = Variables::default();
        // A bare variable takes its sort from the other side.
        let sort = match left.atom() {
            Some(atom) if atom.starts_with('?') => {
                let mut of_right = Variables::default();
                let rhs = read_pattern(language, &mut of_right, right, None, Side::Right)?;
                Some(rhs.sort(language, &of_right))
            }
            _ => None,
        };
        let lhs = read_pattern(language, &mut variables, left, sort, Side::Left)?;
        let bound = variables.names.len();
        let sort = lhs.sort(language, &variables);
        let rhs = read_pattern(language, &mut variables, right, Some(sort), Side::Right)?;
        if let Some(unbound) = variables.names.get(bound) {
            let place = find_atom(right, unbound).unwrap_or(right.place());
            return Err(ParseError::new(
                place,
                format!(
                    "{unbound} is not bound: it does not occur on the left-hand side {}",
                    text(left)
                ),
            ));
        }
        let conditions = when
            .iter()
            .map(|c| read_condition(language, &variables, c))
            .collect::<Result<_, _>>()?;
        let rule = Rule { name, lhs, rhs, conditions, variables, ruleset };
        self.rules.add(rule).map_err(|mistake| ParseError::new(place, mistake))
    }
}

fn find_atom(sexpr: &Sexpr, wanted: &str) -> Option<Place> {
    match sexpr {
        Sexpr::Atom(atom, place) => (atom == wanted).then_some(*place),
        Sexpr::List(items, _) => items.iter().find_map(|item| find_atom(item, wanted)),
    }
}

fn text(sexpr: &Sexpr) -> String {
    match sexpr {
        Sexpr::Atom(atom, _) => atom.clone(),
        Sexpr::List(items, _) => {
            format!("({})", items.iter().map(text).collect::<Vec<_>>().join(" "))
        }
    }
}

fn one_atom<'a>(args: &'a [Sexpr], place: Place, form: &str) -> Result<&'a str, ParseError> {
    match args {
        [name] => expect_atom(name, form),
        _ => Err(ParseError::new(place, format!("expected {form}"))),
    }
}

fn expect_atom<'a>(sexpr: &'a Sexpr, what: &str) -> Result<&'a str, ParseError> {
    sexpr.atom().ok_or_else(|| ParseError::new(sexpr.place(), format!("expected {what}")))
}
