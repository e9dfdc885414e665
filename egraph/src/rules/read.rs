//! Reading a rewrite system from the text of a `.rules` file.

use crate::rules::analysis::{Analyses, read_merge, read_name, read_transfer};
use crate::rules::binding::check_binding;
use crate::rules::cost::{BUILT_IN, DEFAULT, DeclaredCost, Leaves, Weight, read_weight};
use crate::rules::options::{
    cost_option, expect_atom, find_atom, one_atom, pairs, text, unexpected,
};
use crate::rules::pattern::{Side, Variables, read_condition, read_pattern};
use crate::rules::schedule::{Schedule, read_schedule};
use crate::rules::system::{Rule, Rules, RulesetId, System};
use crate::term::bits::Width;
use crate::term::builtin::Builtin;
use crate::term::language::{Language, LiteralKind, OpId, Operator, SortId, looks_numeric};
use crate::text::sexpr::{ParseError, Place, Sexpr, parse_all, parse_parts};
use crate::text::similar::did_you_mean;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};

/// The first mistake is reported with its place and what was expected.
pub(crate) fn read(text: &str) -> Result<System, ParseError> {
    match read_all(text, 1) {
        Ok((system, _)) => Ok(system),
        Err(mut mistakes) => Err(mistakes.swap_remove(0)),
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
    let mut reader = Reader {
        language: Language::default(),
        rules: Rules::default(),
        rulesets: Vec::new(),
        ruleset_ids: FxHashMap::default(),
        schedule: None,
        costs: vec![DeclaredCost::new(DEFAULT, 1)],
        analyses: Analyses::default(),
        places: Places::default(),
    };
    // Names whose declarations are mistaken, or are not there because a parenthesis is missing.
    let mut missing: FxHashSet<&str> = FxHashSet::default();
    let may_miss_some = !mistakes.is_empty();
    // Operators may be declared after the rules that use them, and so on: by kind, not by place.
    for phase in [Phase::Sorts, Phase::Language, Phase::Rules] {
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
    let Reader { language, rules, rulesets, schedule, costs, analyses, places, .. } = reader;
    let hash = hex(&Sha256::digest(text.as_bytes()));
    Ok((rules.into_system(language, rulesets, schedule, costs, analyses, hash), places))
}

/// Reads `i64`, or `(bits 32)`.
fn read_kind(sexpr: &Sexpr) -> Result<LiteralKind, ParseError> {
    let kind = match sexpr {
        Sexpr::Atom(name, _) => LiteralKind::of_name(name),
        Sexpr::List(items, _) => match &items[..] {
            [bits, width] if bits.atom() == Some("bits") => {
                let width = width.atom().and_then(|width| Width::new(width.parse().ok()?));
                width.map(LiteralKind::Bits)
            }
            _ => None,
        },
    };
    kind.ok_or_else(|| {
        let names = ["i64", "bool", "rational", "f64", "bits"].into_iter();
        let meant = sexpr.atom().map_or(String::new(), |name| did_you_mean(name, names));
        let expected = "expected i64, bool, rational, f64, or (bits N) with N from 1 to 64";
        ParseError::new(sexpr.place(), format!("{expected}{meant}"))
    })
}

/// The name that a declaration other than a rule declares.
fn declared(declaration: &Sexpr) -> Option<&str> {
    match declaration.list()? {
        [keyword, name, ..]
            if matches!(keyword.atom()?, "sort" | "op" | "ruleset" | "analysis") =>
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
    Rules,
}

/// Sorts of arguments and of what is bound in them.
type ArgumentSorts = (Vec<SortId>, Vec<Option<SortId>>);

struct Reader {
    language: Language,
    rules: Rules,
    rulesets: Vec<String>,
    /// The rulesets, by their names.
    ruleset_ids: FxHashMap<String, RulesetId>,
    schedule: Option<Schedule>,
    /// The default one first.
    costs: Vec<DeclaredCost>,
    analyses: Analyses,
    places: Places,
}

const DECLARATIONS: &str = "sort, op, literal, variable, analysis, transfer, ruleset, rewrite, birewrite, cost or schedule";

const KEYWORDS: [&str; 11] = [
    "sort",
    "op",
    "literal",
    "variable",
    "analysis",
    "transfer",
    "ruleset",
    "rewrite",
    "birewrite",
    "cost",
    "schedule",
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
            ("cost", Phase::Rules) => self.cost(args, place),
            ("schedule", Phase::Rules) => match args {
                [] => Err(ParseError::new(place, "expected (schedule S …)")),
                body if self.schedule.is_none() => {
                    self.schedule = Some(read_schedule(body, &self.rulesets)?);
                    Ok(())
                }
                _ => Err(ParseError::new(place, "a second schedule: only one is allowed")),
            },
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
                format!(
                    "unknown sort '{name}': declare it with (sort {name}){}",
                    did_you_mean(name, self.language.sorts.iter().map(String::as_str))
                ),
            )
        })
    }

    fn op(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let expected = || ParseError::new(place, "expected (op name (ArgumentSort …) ResultSort)");
        let [name, sorts, result, options @ ..] = args else { return Err(expected()) };
        let (Some(name), Some(sorts)) = (name.atom(), sorts.list()) else {
            return Err(expected());
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
        let (args, binds) = self.argument_sorts(sorts)?;
        let result = self.known_sort(result)?;
        let name = name.to_owned();
        let op = OpId(self.language.operators.len() as u32);
        if let Some(cost) = cost_option(options)? {
            self.costs[0].set(op, Weight::Number(cost));
        }
        self.language.enter(Operator { name, args, binds, result, builtin: None });
        self.places.operators.push(place);
        Ok(())
    }

    /// The sorts of arguments, and by argument the sort of the variable that is bound in it: `S`, or
    /// `(bind V S)`. The second is empty where nothing is bound.
    fn argument_sorts(&self, sorts: &[Sexpr]) -> Result<ArgumentSorts, ParseError> {
        let (mut args, mut binds) = (Vec::new(), Vec::new());
        for sort in sorts {
            let (bound, sort) = match sort.list() {
                Some([keyword, bound, inner]) if keyword.atom() == Some("bind") => {
                    (Some(self.known_sort(bound)?), inner)
                }
                Some(_) => {
                    let message = "expected the name of a sort or (bind Variable Sort)";
                    return Err(ParseError::new(sort.place(), message));
                }
                None => (None, sort),
            };
            args.push(self.known_sort(sort)?);
            binds.push(bound);
        }
        if binds.iter().all(Option::is_none) {
            binds.clear();
        }
        Ok((args, binds))
    }

    /// `(cost (op ?a …) expression)`, for an operator of the language.
    fn cost(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [form, expression, options @ ..] = args else {
            return Err(ParseError::new(place, "expected (cost (op ?a …) expression :name …)"));
        };
        let mut name = DEFAULT;
        for (key, at, value) in pairs(options)? {
            match key {
                ":name" => name = expect_atom(value, "a name")?,
                _ => return Err(unexpected(":name", &[":name"], key, at)),
            }
            if BUILT_IN.contains(&name) || name.contains(',') {
                let message = format!("'{name}' can't be declared: expected another name");
                return Err(ParseError::new(value.place(), message));
            }
        }
        let (op, weight) = read_weight(&self.language, form, expression)?;
        let known = self.costs.iter().position(|cost| cost.name == name);
        let known = known.unwrap_or_else(|| {
            // A cost with a name is made of what the file says, and of nothing else.
            self.costs.push(DeclaredCost::new(name, 0));
            self.costs.len() - 1
        });
        if self.costs[known].set(op, weight) {
            return Ok(());
        }
        let op = &self.language.op(op).name;
        Err(ParseError::new(place, format!("operator '{op}' has a cost called '{name}' already")))
    }

    fn literal(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [kind, sort, options @ ..] = args else {
            return Err(ParseError::new(
                place,
                "expected (literal kind Sort), as (literal i64 Int)",
            ));
        };
        let kind = read_kind(kind)?;
        let sort = self.known_sort(sort)?;
        if self.language.literal_kind(sort).is_some() {
            return Err(ParseError::new(place, "this sort has literals already"));
        }
        self.language.literals.push((kind, sort));
        if let Some(cost) = cost_option(options)? {
            self.costs[0].set_leaves(sort, Leaves::Literals, cost);
        }
        Ok(())
    }

    fn variable(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [sort, options @ ..] = args else {
            return Err(ParseError::new(place, "expected (variable Sort)"));
        };
        let sort = self.known_sort(sort)?;
        if !self.language.variables.contains(&sort) {
            self.language.variables.push(sort);
        }
        if let Some(cost) = cost_option(options)?
            && !self.costs[0].set_leaves(sort, Leaves::Variables, cost)
        {
            return Err(ParseError::new(place, "the variables of this sort have a cost already"));
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
                if !op.binds.is_empty() {
                    return None;
                }
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
        for (key, at, value) in pairs(options)? {
            match key {
                ":name" => name = Some(expect_atom(value, "a name")?),
                ":ruleset" => {
                    let wanted = expect_atom(value, "the name of a ruleset")?;
                    let found = self.ruleset_ids.get(wanted).ok_or_else(|| {
                        let names = self.rulesets.iter().map(String::as_str);
                        let meant = did_you_mean(wanted, names);
                        ParseError::new(value.place(), format!("unknown ruleset '{wanted}'{meant}"))
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
                    let known = [":name", ":when", ":ruleset"];
                    return Err(unexpected(":name, :when or :ruleset", &known, key, at));
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
        let mut entered = variables.names[bound..].iter();
        if let Some(unbound) = entered.find(|name| name.starts_with('?')) {
            let place = find_atom(right, unbound).unwrap_or(right.place());
            return Err(ParseError::new(
                place,
                format!(
                    "{unbound} is not bound: it does not occur on the left-hand side {}",
                    text(left)
                ),
            ));
        }
        check_binding(language, &variables, (left, &lhs), (right, &rhs))?;
        if rhs.has_functions() && !variables.facts.is_empty() {
            let message = "what is computed beside a function on terms can't read facts";
            return Err(ParseError::new(right.place(), message));
        }
        let conditions = when
            .iter()
            .map(|c| read_condition(language, &mut variables, c))
            .collect::<Result<_, _>>()?;
        let rule = Rule { name, lhs, rhs, conditions, variables, ruleset };
        self.rules.add(rule).map_err(|mistake| ParseError::new(place, mistake))?;
        self.places.rules.push(place);
        Ok(())
    }
}
