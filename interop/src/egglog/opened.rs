//! What stands in another file, or in a group of one ruleset, as if it stood alone.

use crate::egglog::names::Names;
use crate::egglog::output::Output;
use crate::egglog::refusal::{mistaken, refused};
use crate::egglog::strings::as_atoms;
use egraph::{Place, Sexpr, parse_all};

/// Reads a file by the name that a program calls it; or says why not.
pub type Include<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Files within files, at most.
const DEPTH: usize = 16;

/// The program with `include` and `with-ruleset` written out. What is wrong in an included file is said of the place where it is
/// included.
pub(super) fn opened(
    program: Vec<Sexpr>,
    include: Include<'_>,
    names: &mut Names,
    out: &mut Output,
) -> Vec<Sexpr> {
    let mut all = Vec::new();
    program.into_iter().for_each(|item| open(item, include, DEPTH, names, out, &mut all));
    all
}

fn open(
    item: Sexpr,
    include: Include<'_>,
    depth: usize,
    names: &mut Names,
    out: &mut Output,
    all: &mut Vec<Sexpr>,
) {
    let at = item.place();
    match item.list() {
        Some([keyword, file]) if keyword.atom() == Some("include") => {
            let name = file.atom().unwrap_or("").trim_matches('"');
            let text = match depth {
                0 => Err(format!("more than {DEPTH} files within each other")),
                _ => include(name),
            };
            let program = text.and_then(|text| {
                parse_all(&as_atoms(&text))
                    .map_err(|e| format!("{name}:{}: {}", e.place, e.message))
            });
            match program {
                Ok(program) => {
                    for item in program {
                        open(placed(&item, at), include, depth - 1, names, out, all);
                    }
                }
                Err(why) => {
                    names.includes = true;
                    out.leave(mistaken(at, format!("'include' of '{name}': {why}")));
                }
            }
        }
        Some([keyword, ruleset, items @ ..]) if keyword.atom() == Some("with-ruleset") => {
            for item in items {
                match item.list() {
                    Some(parts) if is_rule(parts) => {
                        let option = Sexpr::Atom(":ruleset".to_owned(), ruleset.place());
                        let parts = [parts, &[option, ruleset.clone()]].concat();
                        all.push(Sexpr::List(parts, item.place()));
                    }
                    _ => out.leave(refused(item.place(), "other than a rule in 'with-ruleset'")),
                }
            }
        }
        _ => all.push(item),
    }
}

fn is_rule(parts: &[Sexpr]) -> bool {
    let keyword = parts.first().and_then(Sexpr::atom);
    keyword.is_some_and(|keyword| matches!(keyword, "rule" | "rewrite" | "birewrite"))
}

/// An item as if it stood there.
fn placed(item: &Sexpr, at: Place) -> Sexpr {
    match item {
        Sexpr::Atom(text, _) => Sexpr::Atom(text.clone(), at),
        Sexpr::List(items, _) => {
            Sexpr::List(items.iter().map(|item| placed(item, at)).collect(), at)
        }
    }
}
