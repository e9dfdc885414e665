//! Sorts, constructors and analyses.

use crate::egglog::names::{Names, atom, kind_of_sort};
use crate::egglog::output::Output;
use crate::egglog::refusal::{Refusal, Result, mistaken, refused};
use crate::egglog::scope::Scope;
use egraph::{Place, Sexpr};

/// A name with the sorts of its arguments and of its result.
struct Declared<'a> {
    name: &'a Sexpr,
    args: &'a [Sexpr],
    result: &'a Sexpr,
    options: &'a [Sexpr],
    at: Place,
}

/// Takes over a declaration, if it is one; whether it is.
pub(super) fn declare(names: &mut Names, out: &mut Output, item: &Sexpr) -> bool {
    let at = item.place();
    let [keyword, parts @ ..] = item.list().unwrap_or(&[]) else { return false };
    match (keyword.atom().unwrap_or(""), parts) {
        ("sort", [name]) => sort(names, out, name),
        ("sort", [name, ..]) => leave(names, out, name, refused(at, "a sort of containers")),
        ("ruleset", [name]) => match atom(name, "the name of a ruleset") {
            Ok(name) => out.lines.push((format!("(ruleset {name})"), at)),
            Err(refusal) => out.leave(refusal),
        },
        ("unstable-combined-ruleset", [name, rulesets @ ..]) => {
            if let Err(refusal) = combined(names, name, rulesets) {
                leave(names, out, name, refusal);
            }
        }
        ("relation", [name, args]) => {
            if let Err(refusal) = relation(names, out, name, args, at) {
                leave(names, out, name, refusal);
            }
        }
        ("datatype", [name, variants @ ..]) => {
            sort(names, out, name);
            self::variants(names, out, name, variants);
        }
        ("datatype*", all) => {
            let parts = |one: &Sexpr| match one.list() {
                Some([name, variants @ ..]) => Some((name.clone(), variants.to_vec())),
                _ => None,
            };
            let all: Vec<(Sexpr, Vec<Sexpr>)> = all.iter().filter_map(parts).collect();
            for (name, variants) in &all {
                match (name.atom(), &variants[..]) {
                    (Some("sort"), [name, ..]) => {
                        leave(names, out, name, refused(name.place(), "a sort of containers"));
                    }
                    _ => sort(names, out, name),
                }
            }
            for (name, variants) in all.iter().filter(|(name, _)| name.atom() != Some("sort")) {
                self::variants(names, out, name, variants);
            }
        }
        ("constructor" | "function", [name, args, result, options @ ..]) => {
            let declared = match args.list() {
                Some(args) => function(names, out, &Declared { name, args, result, options, at }),
                None => {
                    Err(mistaken(args.place(), "expected the sorts of arguments in parentheses"))
                }
            };
            if let Err(refusal) = declared {
                leave(names, out, name, refusal);
            }
        }
        (
            keyword @ ("sort"
            | "ruleset"
            | "unstable-combined-ruleset"
            | "relation"
            | "datatype"
            | "constructor"
            | "function"),
            _,
        ) => out.leave(mistaken(at, format!("expected more after '{keyword}'"))),
        _ => return false,
    }
    true
}

/// Leaves a declaration out; what speaks of its name will follow.
fn leave(names: &mut Names, out: &mut Output, name: &Sexpr, refusal: Refusal) {
    names.refused.extend(name.atom().map(str::to_owned));
    out.leave(refusal);
}

/// Rulesets that are run together.
fn combined(names: &mut Names, name: &Sexpr, rulesets: &[Sexpr]) -> Result<()> {
    let mut all = Vec::new();
    for ruleset in rulesets {
        let one = atom(ruleset, "the name of a ruleset")?;
        names.not_refused(one, ruleset.place())?;
        all.push(names.combined.get(one).map_or(one, String::as_str));
    }
    let all = all.join(" ");
    names.combined.insert(atom(name, "the name of a ruleset")?.to_owned(), all);
    Ok(())
}

fn sort(names: &mut Names, out: &mut Output, name: &Sexpr) {
    match atom(name, "the name of a sort") {
        Ok(text) => {
            names.sorts.insert(text.to_owned());
            out.lines.push((format!("(sort {text})"), name.place()));
        }
        Err(refusal) => out.leave(refusal),
    }
}

/// The constructors of a datatype, those that can be taken over.
fn variants(names: &mut Names, out: &mut Output, sort: &Sexpr, variants: &[Sexpr]) {
    for variant in variants {
        let at = variant.place();
        let [name, rest @ ..] = variant.list().unwrap_or(&[]) else {
            out.leave(mistaken(at, "expected a constructor in parentheses"));
            continue;
        };
        let end = rest.iter().position(|a| a.atom().is_some_and(|a| a.starts_with(':')));
        let (args, options) = rest.split_at(end.unwrap_or(rest.len()));
        let declared = Declared { name, args, result: sort, options, at };
        if let Err(refusal) = constructor(names, out, &declared) {
            leave(names, out, name, refusal);
        }
    }
}

/// A function to terms is a constructor, one to values an analysis.
fn function(names: &mut Names, out: &mut Output, declared: &Declared<'_>) -> Result<()> {
    let &Declared { result, options, at, .. } = declared;
    let to_terms = names.sorts.contains(atom(result, "a sort")?);
    let merge = options.iter().position(|o| matches!(o.atom(), Some(":merge" | ":no-merge")));
    match (merge, to_terms) {
        (None, true) => constructor(names, out, declared),
        (Some(_), true) => Err(refused(at, "a function that merges terms")),
        (_, false) => analysis(names, out, declared),
    }
}

/// A relation of one term is an analysis whose value is true where it is known; one of two terms is taken over as far as it
/// is one of a term and itself.
fn relation(
    names: &mut Names,
    out: &mut Output,
    name: &Sexpr,
    args: &Sexpr,
    at: Place,
) -> Result<()> {
    let of = match args.list() {
        Some([of]) => of,
        Some([of, other]) if of.atom() == other.atom() && names.is_sort(of) => of,
        _ => return Err(refused(at, "a relation of other than one argument, or two of one sort,")),
    };
    let of_sort = names.sort(of)?;
    if !names.sorts.contains(&of_sort) {
        return Err(refused(at, "a relation of literals"));
    }
    let (name, values) = (atom(name, "the name of a relation")?, names.use_bool());
    names.analyses.insert(name.to_owned(), values.to_owned());
    names.relations.insert(name.to_owned());
    out.lines.push((format!("(analysis {name} {of_sort} {values} :merge (|| old new))"), at));
    if args.list().is_some_and(|args| args.len() == 2) {
        names.pairs.insert(name.to_owned());
        let what = format!("what '{name}' says of two different terms");
        out.leave(refused(at, &what));
    }
    Ok(())
}

fn analysis(names: &mut Names, out: &mut Output, declared: &Declared<'_>) -> Result<()> {
    let &Declared { name, args, result, options, at } = declared;
    let values = names.sort(result)?;
    let [of] = args else {
        return Err(refused(at, &format!("a function of {} arguments to values", args.len())));
    };
    let of_sort = names.sort(of)?;
    if !names.sorts.contains(&of_sort) {
        return Err(refused(of.place(), "a function of literals to values"));
    }
    let merge = match options {
        [option, merge] if option.atom() == Some(":merge") => {
            let mut scope = Scope::default();
            for value in ["old", "new"] {
                let kind = kind_of_sort(&values);
                scope.values.insert(value.to_owned(), (value.to_owned(), kind));
            }
            let value = scope.value(names, merge)?.0;
            if !scope.divisors.is_empty() {
                return Err(refused(merge.place(), "a division by what may be 0 in ':merge'"));
            }
            value
        }
        // Values that differ are a mistake of the program, and no matter of merging.
        [option] if option.atom() == Some(":no-merge") => "old".to_owned(),
        _ => return Err(refused(at, "a function to values without :merge")),
    };
    let name = atom(name, "the name of a function")?;
    names.analyses.insert(name.to_owned(), values.clone());
    out.lines.push((format!("(analysis {name} {of_sort} {values} :merge {merge})"), at));
    Ok(())
}

fn constructor(names: &mut Names, out: &mut Output, declared: &Declared<'_>) -> Result<()> {
    let &Declared { name, args, result, options, at } = declared;
    let name = atom(name, "the name of a constructor")?;
    let sorts = args.iter().map(|sort| names.sort(sort)).collect::<Result<Vec<_>>>()?;
    let result = names.sort(result)?;
    let mut cost = String::new();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match (option.atom(), options.as_slice().first().and_then(Sexpr::atom)) {
            (Some(":cost"), Some(number)) => {
                cost = format!(" :cost {number}");
                options.next();
            }
            (Some(":unextractable"), _) => out.leave_command(option.place(), ":unextractable"),
            _ => return Err(refused(option.place(), "this option")),
        }
    }
    out.lines.push((format!("(op {name} ({}) {result}{cost})", sorts.join(" ")), at));
    names.constructors.insert(name.to_owned(), sorts);
    Ok(())
}
