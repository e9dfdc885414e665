//! Rewrites, rules and actions: a rewrite for each pair of terms that is united, a transfer for each value that
//! is set.

use crate::egglog::diagonal::on_diagonal;
use crate::egglog::facts::{Facts, IT, TRUE, renamed, variables};
use crate::egglog::names::{Names, atom};
use crate::egglog::output::Output;
use crate::egglog::refusal::{Result, mistaken, refused};
use crate::egglog::scope::{Scope, Side, term};
use egraph::{Place, Sexpr};

/// Options that say how a rule is run.
const OF_RUNNING: [&str; 4] = [":subsume", ":naive", ":unsafe-seminaive", ":no-decomp"];

/// Actions that say what is still looked at, or that the program is wrong.
const OF_ROWS: [&str; 3] = ["subsume", "delete", "panic"];

/// `(rewrite left right …)` or `(birewrite left right …)`.
pub(super) fn rewrite(
    names: &mut Names,
    out: &mut Output,
    keyword: &str,
    parts: &[Sexpr],
    at: Place,
) -> Result<()> {
    let [left, right, options @ ..] = parts else {
        return Err(mistaken(at, format!("expected more after '{keyword}'")));
    };
    let options = Options::read(names, out, options)?;
    let mut body = Facts::default();
    body.scope.note_sorts(names, left);
    if keyword == "birewrite" {
        body.scope.note_sorts(names, right);
    }
    body.read(names, options.when)?;
    let lhs = body.whole_pattern(names, left)?;
    // Either side of a birewrite is a left-hand side once.
    let side = if keyword == "birewrite" { Side::Left } else { Side::Right };
    let rhs = body.scope.pattern(names, right, side)?;
    let sides = [&lhs, &rhs].map(String::as_str);
    out.lines.extend(lines(&body, names, keyword, sides, &options, at));
    Ok(())
}

/// `(rule (fact …) (action …) …)`: a rewrite for each union, a transfer for each value that is set.
pub(super) fn rule(names: &mut Names, out: &mut Output, parts: &[Sexpr], at: Place) -> Result<()> {
    let [facts, actions, options @ ..] = parts else {
        return Err(mistaken(at, "expected (rule (fact …) (action …))"));
    };
    let list = |sexpr: &'_ Sexpr| sexpr.list().map(<[Sexpr]>::to_vec);
    let (Some(facts), Some(actions)) = (list(facts), list(actions)) else {
        return Err(mistaken(at, "expected (rule (fact …) (action …))"));
    };
    let options = Options::read(names, out, options)?;
    if follows(names, &facts, &actions).is_some() {
        return Ok(());
    }
    if actions.iter().all(|action| head(action).is_some_and(|head| OF_ROWS.contains(&&*head))) {
        out.leave_command(at, "a rule that makes no terms equal");
        return Ok(());
    }
    let [facts, actions] = on_diagonal(names, &facts, &actions)?.unwrap_or([facts, actions]);
    let mut body = Facts::default();
    body.read(names, &facts)?;
    for action in &actions {
        if let Err(refusal) = act_in_rule(&mut body, names, out, action, &options, at) {
            out.leave(refusal);
        }
    }
    Ok(())
}

/// The relations that a rule says of any term of which something else is known, and when.
fn follows(
    names: &mut Names,
    facts: &[Sexpr],
    actions: &[Sexpr],
) -> Option<Vec<(String, Vec<Vec<String>>)>> {
    let mut body = Facts::default();
    body.read(names, facts).ok().filter(|()| body.are_conditions())?;
    let of = |action: &Sexpr| match action.list()? {
        [relation, of] if names.relations.contains(relation.atom()?) => {
            let (relation, of) =
                (relation.atom()?.to_owned(), format!("?{}", of.atom()?.trim_start_matches('?')));
            let ways = body.premises("");
            let of_it = |way: &Vec<String>| {
                let mut all = way.iter().flat_map(|text| variables(text)).peekable();
                all.peek().is_some() && all.all(|name| name == of)
            };
            let named = |way: &Vec<String>| {
                way.iter().map(|text| renamed(text, &[(&of, IT)])).collect::<Vec<_>>()
            };
            ways.iter().all(of_it).then(|| (relation, ways.iter().map(named).collect()))
        }
        _ => None,
    };
    actions.iter().map(of).collect()
}

/// Notes which relations follow from what else is known of a term, and which are said of terms by themselves.
pub(super) fn note_what_follows(names: &mut Names, program: &[Sexpr]) {
    // The names of terms as they are where the rule stands.
    let mut there = names.clone();
    for item in program {
        let Some([keyword, parts @ ..]) = item.list() else { continue };
        match (keyword.atom().unwrap_or(""), parts) {
            ("let", [Sexpr::Atom(name, _), named]) => {
                if let Ok(text) = term(&mut there, named) {
                    there.name_term(name, text);
                }
            }
            ("rule", [Sexpr::List(facts, _), Sexpr::List(actions, _), ..]) => {
                match follows(&mut there, facts, actions) {
                    Some(found) => found.into_iter().for_each(|(relation, ways)| {
                        there.derived.entry(relation).or_default().extend(ways);
                    }),
                    None => there.asserted.extend(actions.iter().filter_map(head)),
                }
            }
            (relation, _) => _ = there.asserted.insert(relation.to_owned()),
        }
    }
    (names.derived, names.asserted) = (there.derived, there.asserted);
}

fn head(action: &Sexpr) -> Option<String> {
    action.list()?.first()?.atom().map(str::to_owned)
}

/// An action that stands by itself.
pub(super) fn act(names: &mut Names, out: &mut Output, action: &Sexpr) -> Result<()> {
    let at = action.place();
    match action.list().unwrap_or(&[]) {
        [keyword, _] if keyword.atom().is_some_and(|name| names.relations.contains(name)) => {
            let (analysis, of) = analysis_of(names, action)?;
            let of = whole_constant(names, of)?;
            out.lines.push((format!("(transfer ({analysis} {of}) 1)"), at));
            Ok(())
        }
        [keyword, left, right] if keyword.atom() == Some("union") => {
            let (left, right) = (term(names, left)?, term(names, right)?);
            names.note_strings(&left);
            names.note_strings(&right);
            let name = names.name_rule(&format!("line-{}", at.line));
            out.lines.push((format!("(birewrite {left} {right} :name {name})"), at));
            Ok(())
        }
        [keyword, fact, value] if keyword.atom() == Some("set") => {
            let (analysis, of) = analysis_of(names, fact)?;
            let of = whole_constant(names, of)?;
            let value = Scope::default().value(names, value)?.0;
            out.lines.push((format!("(transfer ({analysis} {of}) {value})"), at));
            Ok(())
        }
        _ => Err(mistaken(at, "expected (union a b) or (set (f a) value)")),
    }
}

/// A constructor without arguments: transfers speak of no other single terms.
fn whole_constant(names: &mut Names, of: &Sexpr) -> Result<String> {
    let constant = term(names, of)?;
    match names.constructors.contains_key(&constant) {
        true => Ok(constant),
        false => Err(refused(of.place(), "what is known of one term")),
    }
}

/// The analysis and the term of `(analysis term)`.
fn analysis_of<'s>(names: &Names, fact: &'s Sexpr) -> Result<(&'s str, &'s Sexpr)> {
    let at = fact.place();
    let head = fact.list().and_then(|items| items.first()).and_then(Sexpr::atom).unwrap_or("");
    names.not_refused(head, at)?;
    match fact.list() {
        Some([_, of]) if names.analyses.contains_key(head) => Ok((head, of)),
        _ => Err(refused(at, &format!("a value of '{head}'"))),
    }
}

/// What stands behind the sides of a rule.
struct Options<'a> {
    when: &'a [Sexpr],
    ruleset: String,
    name: Option<String>,
}

impl<'a> Options<'a> {
    fn read(names: &Names, out: &mut Output, options: &'a [Sexpr]) -> Result<Options<'a>> {
        let mut read = Options { when: &[], ruleset: String::new(), name: None };
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let (key, at) = (option.atom().unwrap_or("(…)"), option.place());
            if OF_RUNNING.contains(&key) {
                out.leave_command(at, key);
                continue;
            }
            match (key, options.next()) {
                (":when", Some(facts)) => {
                    read.when = facts.list().ok_or_else(|| {
                        mistaken(facts.place(), "expected conditions in parentheses")
                    })?;
                }
                (":ruleset", Some(ruleset)) => {
                    let name = atom(ruleset, "the name of a ruleset")?;
                    names.not_refused(name, ruleset.place())?;
                    read.ruleset = format!(" :ruleset {name}");
                }
                (":name", Some(name)) => {
                    read.name = Some(atom(name, "a name")?.trim_matches('"').to_owned());
                }
                _ => return Err(refused(at, &format!("'{key}'"))),
            }
        }
        Ok(read)
    }
}

/// What an action of a rule says.
fn act_in_rule(
    facts: &mut Facts,
    names: &mut Names,
    out: &mut Output,
    action: &Sexpr,
    options: &Options<'_>,
    rule: Place,
) -> Result<()> {
    let at = action.place();
    let items = action.list().unwrap_or(&[]);
    let head = items.first().and_then(Sexpr::atom).unwrap_or("");
    match (head, &items[items.len().min(1)..]) {
        ("let", [name, value]) => {
            let value = facts.scope.pattern(names, value, Side::Right)?;
            facts.scope.named.insert(atom(name, "a name")?.to_owned(), value);
        }
        ("union", [a, b]) => {
            let sides = [(a, b), (b, a)].map(|(root, other)| {
                facts.whole_pattern(names, root).map(|lhs| (facts.ask_for(names, &lhs), other, lhs))
            });
            let is_there = |side: &Result<(bool, _, _)>| side.as_ref().is_ok_and(|side| side.0);
            let [one, two] = sides;
            let (is_asked, other, lhs) = match (is_there(&one), one, two) {
                (false, _, two) if is_there(&two) => two?,
                (false, Err(_), Ok(two)) => two,
                (_, one, _) => one?,
            };
            if !is_asked && lhs.starts_with('?') {
                return Err(refused(at, "a rule without a pattern"));
            }
            if !is_asked {
                // Where one of them is there for another reason, it still holds.
                out.leave(refused(at, "'union' of two terms that the rule adds"));
            }
            let rhs = facts.scope.pattern(names, other, Side::Right)?;
            let sides = [&lhs, &rhs].map(String::as_str);
            out.lines.extend(lines(facts, names, "rewrite", sides, options, rule));
        }
        ("set", [fact, value]) => {
            let (analysis, of) = analysis_of(names, fact)?;
            let of = facts.whole_pattern(names, of)?;
            let value = facts.scope.value(names, value)?.0;
            if facts.premises(&value).iter().any(|way| !way.is_empty()) {
                return Err(refused(at, "a value that is known under conditions"));
            }
            out.lines.push((format!("(transfer ({analysis} {of}) {value})"), at));
        }
        (relation, [of]) if names.relations.contains(relation) => {
            let of = facts.whole_pattern(names, of)?;
            for way in facts.premises("") {
                let value = way.into_iter().reduce(|all, next| format!("(&& {all} {next})"));
                let value = value.unwrap_or_else(|| TRUE.to_owned());
                names.note_said(relation, &of, &value);
                out.lines.push((format!("(transfer ({relation} {of}) {value})"), at));
            }
        }
        (head, _) if OF_ROWS.contains(&head) => out.leave_command(at, head),
        _ => {
            names.not_refused(head, at)?;
            return Err(refused(at, "an action that makes no terms equal"));
        }
    }
    Ok(())
}

/// A rewrite of the rules file, for each way in which the facts may hold.
fn lines(
    facts: &Facts,
    names: &mut Names,
    keyword: &str,
    [lhs, rhs]: [&str; 2],
    options: &Options<'_>,
    at: Place,
) -> Vec<(String, Place)> {
    let mut line = |way: Vec<String>| {
        let when = match &way[..] {
            [] => String::new(),
            all => format!(" :when ({})", all.join(" ")),
        };
        let base = options.name.clone().unwrap_or_else(|| format!("line-{}", at.line));
        let name = names.name_rule(&base);
        (format!("({keyword} {lhs} {rhs}{when} :name {name}{})", options.ruleset), at)
    };
    facts.premises(rhs).into_iter().map(&mut line).collect()
}
