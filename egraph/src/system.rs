//! Rewrite systems: a language and its rules, read from one text file.
//!
//! ```text
//! (sort Int) (sort Bool)
//! (op + (Int Int) Int)  (op < (Int Int) Bool)
//! (literal i64 Int) (literal bool Bool) (variable Int)
//! (analysis constant)
//! (ruleset comm)
//! (rewrite   (+ ?a ?b) (+ ?b ?a)                 :name add-comm :ruleset comm)
//! (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c)   :name add-assoc)
//! (rewrite   (/ (* ?x ?c) ?c) ?x  :when ((const ?c) (!= ?c 0)) :name div-cancel)
//! (schedule (repeat 3 (seq (run comm) (run))))
//! ```

use crate::builtin::Builtin;
use crate::language::{Language, LiteralKind, Operator, SortId};
use crate::pattern::{Condition, Pattern, Side, Variables, read_condition, read_pattern};
use crate::schedule::{Schedule, read_schedule};
use crate::sexpr::{ParseError, Place, Sexpr, parse_all};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Index of a rule in [`System::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

/// Index of a ruleset in [`System::rulesets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RulesetId(pub u32);

/// A directed rewrite rule. A `birewrite` gives two: `name` and `name-rev`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, unique in its system.
    pub name: String,
    /// The pattern to find.
    pub lhs: Pattern,
    /// What it equals; its variables all occur in `lhs`.
    pub rhs: Pattern,
    /// Conditions, all of which must hold.
    pub conditions: Vec<Condition>,
    /// The variables of both sides.
    pub variables: Variables,
    /// The ruleset it belongs to, if any.
    pub ruleset: Option<RulesetId>,
}

impl Rule {
    /// The variables that a match binds to a literal, because a condition or a computed
    /// right-hand side reads them; in order of their ids.
    pub fn literal_vars(&self) -> Vec<crate::pattern::VarId> {
        fn computed(pattern: &Pattern, f: &mut impl FnMut(crate::pattern::VarId)) {
            match pattern {
                Pattern::Compute(expr, _) => expr.each_var(f),
                Pattern::Op(_, args) => args.iter().for_each(|a| computed(a, f)),
                Pattern::Var(_) | Pattern::Leaf(_) => {}
            }
        }
        let mut vars = Vec::new();
        self.conditions.iter().for_each(|c| c.each_var(&mut |v| vars.push(v)));
        computed(&self.rhs, &mut |v| vars.push(v));
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}

/// A language with rewrite rules, and the hash of the text it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// Sorts, operators, literals and variables.
    pub language: Arc<Language>,
    /// The rules, in the order of the file.
    pub rules: Vec<Rule>,
    /// Names of the rulesets, by [`RulesetId`].
    pub rulesets: Vec<String>,
    /// In which order to run the rules, if the file says so.
    pub schedule: Option<Schedule>,
    /// SHA-256 of the file's bytes in hexadecimal: goes into everything made with the system.
    pub hash: String,
}

/// A rule file that can't be read or understood; displays as `file:line:column: message`.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// The file can't be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file's text is wrong.
    #[error("{path}:{source}")]
    Parse {
        /// The file.
        path: String,
        /// Where and why.
        source: ParseError,
    },
}

impl System {
    /// Reads a `.rules` file.
    ///
    /// # Errors
    /// The file can't be read, or its text is wrong.
    pub fn load(path: &std::path::Path) -> Result<System, SystemError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|source| SystemError::Read { path: name.clone(), source })?;
        System::parse(&text).map_err(|source| SystemError::Parse { path: name, source })
    }

    /// Reads the text of a `.rules` file.
    ///
    /// # Errors
    /// The first mistake, with its place and what was expected.
    pub fn parse(text: &str) -> Result<System, ParseError> {
        let declarations = parse_all(text)?;
        let mut reader = Reader::default();
        // Operators may be declared after the rules that use them, and so on: by kind, not by place.
        for phase in [Phase::Sorts, Phase::Language, Phase::Rules] {
            for declaration in &declarations {
                reader.declare(declaration, phase)?;
            }
            if phase == Phase::Language {
                reader.find_builtins();
            }
        }
        Ok(System {
            language: Arc::new(reader.language),
            rules: reader.rules,
            rulesets: reader.rulesets,
            schedule: reader.schedule,
            hash: hex(&Sha256::digest(text.as_bytes())),
        })
    }

    /// The rule behind an id.
    pub fn rule(&self, rule: RuleId) -> &Rule {
        &self.rules[rule.0 as usize]
    }

    /// The rule called `name`.
    pub fn rule_named(&self, name: &str) -> Option<RuleId> {
        self.rules.iter().position(|r| r.name == name).map(|i| RuleId(i as u32))
    }
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
    rules: Vec<Rule>,
    rulesets: Vec<String>,
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
        self.language.sorts.push(name.to_owned());
        Ok(())
    }

    fn ruleset(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let name = one_atom(args, place, "(ruleset name)")?;
        if self.rulesets.iter().any(|r| r == name) {
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
        if name.starts_with('?') || name.starts_with(|c: char| c.is_ascii_digit()) {
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
        self.language.operators.push(Operator {
            name: name.to_owned(),
            args,
            result,
            builtin: None,
        });
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
        for option in options.chunks(2) {
            let key = option[0].atom().unwrap_or("");
            let value = option.get(1).ok_or_else(|| {
                ParseError::new(option[0].place(), format!("expected a value after '{key}'"))
            })?;
            match key {
                ":name" => name = Some(expect_atom(value, "a name")?),
                ":ruleset" => {
                    let wanted = expect_atom(value, "the name of a ruleset")?;
                    let found =
                        self.rulesets.iter().position(|r| r == wanted).ok_or_else(|| {
                            ParseError::new(value.place(), format!("unknown ruleset '{wanted}'"))
                        })?;
                    ruleset = Some(RulesetId(found as u32));
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
        if self.rules.iter().any(|r| r.name == name) {
            return Err(ParseError::new(place, format!("a second rule is called '{name}'")));
        }
        let language = &self.language;
        let mut variables = Variables::default();
        // A bare variable takes its sort from the other side.
        let sort = match left.atom() {
            Some(atom) if atom.starts_with('?') => Some(
                read_pattern(language, &mut variables.clone(), right, None, Side::Right)?
                    .sort(language, &side_variables(language, right)?),
            ),
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
        self.rules.push(Rule { name, lhs, rhs, conditions, variables, ruleset });
        Ok(())
    }
}

fn side_variables(language: &Language, side: &Sexpr) -> Result<Variables, ParseError> {
    let mut variables = Variables::default();
    read_pattern(language, &mut variables, side, None, Side::Right)?;
    Ok(variables)
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
