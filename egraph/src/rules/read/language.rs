//! Declarations of the language and of costs.

use super::Reader;
use crate::rules::costs::declared::{BUILT_IN, DEFAULT, DeclaredCost, Leaves, Weight};
use crate::rules::options::{cost_option, expect_atom, one_atom, pairs, unexpected};
use crate::rules::read::costs::read_weight;
use crate::rules::rule::RulesetId;
use crate::rules::system::System;
use crate::term::builtin::Builtin;
use crate::term::language::{OpId, Operator, SortId, looks_numeric};
use crate::term::literal::LiteralKind;
use crate::term::values::bits::Width;
use crate::text::sexpr::{ParseError, Place, Sexpr};
use crate::text::similar::did_you_mean;

/// Sorts of arguments and of what is bound in them.
type ArgumentSorts = (Vec<SortId>, Vec<Option<SortId>>);

impl Reader {
    pub(super) fn sort(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let name = one_atom(args, place, "(sort Name)")?;
        if self.system.language.sort(name).is_some() {
            return Err(ParseError::new(place, format!("sort '{name}' is declared twice")));
        }
        if self.system.language.sorts.len() >= usize::from(u16::MAX) {
            return Err(ParseError::new(place, "too many sorts: at most 65,535"));
        }
        self.language().enter_sort(name);
        Ok(())
    }

    pub(super) fn ruleset(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let name = one_atom(args, place, "(ruleset name)")?;
        let number = RulesetId(self.system.rulesets.len() as u32);
        if self.ruleset_ids.insert(name.to_owned(), number).is_some() {
            return Err(ParseError::new(place, format!("ruleset '{name}' is declared twice")));
        }
        self.system.rulesets.push(name.to_owned());
        Ok(())
    }

    pub(super) fn normal_form(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let name = one_atom(args, place, "(normal-form ruleset)")?;
        let id = self.known_ruleset(name, args[0].place())?;
        if self.system.normal_form.replace(id).is_some() {
            return Err(ParseError::new(place, "a second normal-form: only one is allowed"));
        }
        Ok(())
    }

    pub(super) fn known_ruleset(&self, name: &str, place: Place) -> Result<RulesetId, ParseError> {
        self.ruleset_ids.get(name).copied().ok_or_else(|| {
            let meant = did_you_mean(name, self.system.rulesets.iter().map(String::as_str));
            ParseError::new(place, format!("unknown ruleset '{name}'{meant}"))
        })
    }

    pub(super) fn known_sort(&self, sexpr: &Sexpr) -> Result<SortId, ParseError> {
        let name = sexpr
            .atom()
            .ok_or_else(|| ParseError::new(sexpr.place(), "expected the name of a sort"))?;
        self.system.language.sort(name).ok_or_else(|| {
            ParseError::new(
                sexpr.place(),
                format!(
                    "unknown sort '{name}': declare it with (sort {name}){}",
                    did_you_mean(name, self.system.language.sorts.iter().map(String::as_str))
                ),
            )
        })
    }

    pub(super) fn op(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
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
        if self.system.language.operator(name).is_some() {
            return Err(ParseError::new(place, format!("operator '{name}' is declared twice")));
        }
        let (args, binds) = self.argument_sorts(sorts)?;
        let result = self.known_sort(result)?;
        let name = name.to_owned();
        let op = OpId(self.system.language.operators.len() as u32);
        if let Some((cost, at)) = cost_option(options)? {
            let cost = self.system.costs[0].parts(cost, at)?;
            self.system.costs[0].set(op, Weight::Number(cost));
        }
        self.language().enter(Operator { name, args, binds, result, builtin: None });
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
    pub(super) fn cost(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
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
        let known = self.system.costs.iter().position(|cost| cost.name == name);
        let known = known.unwrap_or_else(|| {
            // A cost with a name is made of what the file says, and of nothing else.
            self.system.costs.push(DeclaredCost::new(name, 0));
            self.system.costs.len() - 1
        });
        let System { language, costs, .. } = &mut self.system;
        let cost = &mut costs[known];
        let (op, weight) = read_weight(language, cost, form, expression)?;
        if cost.set(op, weight) {
            return Ok(());
        }
        let op = &self.system.language.op(op).name;
        Err(ParseError::new(place, format!("operator '{op}' has a cost called '{name}' already")))
    }

    pub(super) fn literal(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [kind, sort, options @ ..] = args else {
            return Err(ParseError::new(
                place,
                "expected (literal kind Sort), as (literal i64 Int)",
            ));
        };
        let kind = read_kind(kind)?;
        let sort = self.known_sort(sort)?;
        if self.system.language.literal_kind(sort).is_some() {
            return Err(ParseError::new(place, "this sort has literals already"));
        }
        self.language().literals.push((kind, sort));
        if let Some((cost, at)) = cost_option(options)? {
            let cost = self.system.costs[0].parts(cost, at)?;
            self.system.costs[0].set_leaves(sort, Leaves::Literals, cost);
        }
        Ok(())
    }

    pub(super) fn variable(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [sort, options @ ..] = args else {
            return Err(ParseError::new(place, "expected (variable Sort)"));
        };
        let sort = self.known_sort(sort)?;
        if !self.system.language.variables.contains(&sort) {
            self.language().variables.push(sort);
        }
        if let Some((cost, at)) = cost_option(options)? {
            let cost = self.system.costs[0].parts(cost, at)?;
            if !self.system.costs[0].set_leaves(sort, Leaves::Variables, cost) {
                let message = "the variables of this sort have a cost already";
                return Err(ParseError::new(place, message));
            }
        }
        Ok(())
    }

    pub(super) fn find_builtins(&mut self) {
        let language = &self.system.language;
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
        for (op, builtin) in self.language().operators.iter_mut().zip(builtins) {
            op.builtin = builtin;
        }
    }
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
