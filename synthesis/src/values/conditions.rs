//! Conditions that rules may have: a small catalogue of forms over one variable or two of one sort.

use crate::language::Language;
use crate::values::inputs::Inputs;
use egraph::{
    Builtin, Condition, DisplayExpr, Expr, LiteralKind, Rule, Sexpr, Value, VarId, parse_one,
};

/// That a number is a power of two.
pub const POWER_OF_TWO: &str = "(&& (!= _ 0) (== (& _ (- _ 1)) 0))";

/// The forms, with `_` for the first variable and `.` for the second.
const FORMS: [&str; 9] = [
    "(!= _ 0)",
    "(>= _ 0)",
    "(<= _ 0)",
    "(> _ 0)",
    "(< _ 0)",
    POWER_OF_TWO,
    "(!= _ .)",
    "(<= _ .)",
    "(< _ .)",
];

/// A condition of the catalogue, without its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard(u8);

/// A condition of certain variables, and where it holds.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// Its form.
    pub guard: Guard,
    /// Its variables, by their numbers in the language.
    pub variables: Vec<u8>,
    /// By input: whether it holds.
    pub holds: Vec<bool>,
}

impl Guard {
    /// Number of variables.
    fn arity(self) -> usize {
        1 + usize::from(FORMS[usize::from(self.0)].contains('.'))
    }

    /// As it is written, over variables of these names.
    pub fn text(self, names: &[String]) -> String {
        let words = FORMS[usize::from(self.0)].split(' ').map(|word| {
            let bare = word.trim_end_matches(')');
            let end = &word[bare.len()..];
            match bare {
                "_" => format!("{}{end}", names[0]),
                "." => format!("{}{end}", names[1]),
                _ => word.to_owned(),
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// The form of a rule's only condition, and its variables.
    pub fn of_rule(rule: &Rule, conditions: &[Condition]) -> Option<(Guard, Vec<u8>)> {
        let [Condition::Holds(expr)] = conditions else { return None };
        let mut read = Vec::new();
        expr.each_var(&mut |VarId(var)| {
            if !read.contains(&(var as u8)) {
                read.push(var as u8);
            }
        });
        let names: Vec<String> =
            read.iter().map(|var| rule.variables.names[usize::from(*var)].clone()).collect();
        let text = DisplayExpr { names: &rule.variables.names, expr }.to_string();
        let guard = (0..FORMS.len() as u8).map(Guard);
        guard
            .filter(|guard| guard.arity() == read.len())
            .find(|guard| guard.text(&names) == text)
            .map(|guard| (guard, read))
    }

    /// What it says, over variables 0 and 1 of a kind; none if the kind has not all of its operators or numbers.
    pub fn said(self, kind: LiteralKind) -> Option<Expr> {
        condition(FORMS[usize::from(self.0)], kind)
    }
}

/// A condition from its text, with `_` for variable 0 and `.` for variable 1 of a kind; none if the kind has not all of its
/// operators or numbers.
pub fn condition(text: &str, kind: LiteralKind) -> Option<Expr> {
    said(&parse_one(text).ok()?, kind)
}

fn said(sexpr: &Sexpr, kind: LiteralKind) -> Option<Expr> {
    if let Some([name, args @ ..]) = sexpr.list() {
        let args = args.iter().map(|arg| said(arg, kind)).collect::<Option<_>>()?;
        return Some(Expr::Apply(Builtin::named(name.atom()?)?, args));
    }
    match sexpr.atom()? {
        "_" => Some(Expr::Var(VarId(0))),
        "." => Some(Expr::Var(VarId(1))),
        number => kind.read(number).map(Expr::Value),
    }
}

/// Whether a condition holds of values.
pub fn holds(expr: &Expr, values: &[Value]) -> bool {
    expr.eval(&|VarId(var)| values.get(usize::from(var)).copied()) == Some(Value::Bool(true))
}

impl Guarded {
    /// All conditions of a language's variables, the weakest first: at most as many inputs fail as of the next. Those that
    /// hold everywhere or nowhere, or where an earlier one of the same variables does, are left out.
    pub fn all(language: &Language, inputs: &Inputs) -> Vec<Guarded> {
        let variables = &language.variables;
        let mut found: Vec<Guarded> = Vec::new();
        for guard in (0..FORMS.len() as u8).map(Guard) {
            for (first, variable) in variables.iter().enumerate() {
                let said = guard.said(variable.kind).filter(|_| match variable.kind {
                    // Conditions read literals.
                    _ if variable.named.is_some() => false,
                    LiteralKind::Bool => false,
                    // Bits of integers have no formula, so nothing could be proved.
                    LiteralKind::I64 => FORMS[usize::from(guard.0)] != POWER_OF_TWO,
                    _ => true,
                });
                let Some(said) = said else { continue };
                let seconds: Vec<Option<usize>> = match guard.arity() {
                    1 => vec![None],
                    _ => (0..variables.len())
                        .filter(|&s| s != first && variables[s].sort == variable.sort)
                        .map(Some)
                        .collect(),
                };
                for second in seconds {
                    let read: Vec<usize> = [Some(first), second].into_iter().flatten().collect();
                    let at = |point| -> Vec<Value> {
                        read.iter().map(|&v| inputs.value(v, point)).collect()
                    };
                    let holds: Vec<bool> =
                        (0..inputs.len()).map(|point| holds(&said, &at(point))).collect();
                    let known = found.iter().any(|known| known.holds == holds);
                    if !known && holds.contains(&true) && holds.contains(&false) {
                        let variables = read.iter().map(|&v| v as u8).collect();
                        found.push(Guarded { guard, variables, holds });
                    }
                }
            }
        }
        found.sort_by_key(|guarded| guarded.holds.iter().filter(|holds| !**holds).count());
        found
    }

    /// As it is written in a rule.
    pub fn text(&self, language: &Language) -> String {
        let name = |&v: &u8| format!("?{}", language.variables[usize::from(v)].name);
        self.guard.text(&self.variables.iter().map(name).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::System;

    const LANGUAGE: &str = "(sort W) (op / (W W) W) (literal (bits 4) W) (variable W)";

    #[test]
    fn a_form_is_known_again_in_a_rule() {
        for guard in (0..FORMS.len() as u8).map(Guard) {
            let names = ["?b".to_owned(), "?a".to_owned()];
            let text = format!("{LANGUAGE} (rewrite (/ ?a ?b) ?a :when ({}))", guard.text(&names));
            let system = System::parse(&text).unwrap();
            let rule = &system.rules[0];
            let read = [1, 0][..guard.arity()].to_vec();
            assert_eq!(Guard::of_rule(rule, &rule.conditions), Some((guard, read)), "{text}");
        }
        let other = format!("{LANGUAGE} (rewrite (/ ?a ?b) ?a :when ((!= ?b 1)))");
        let system = System::parse(&other).unwrap();
        assert_eq!(Guard::of_rule(&system.rules[0], &system.rules[0].conditions), None);
    }

    #[test]
    fn weaker_conditions_come_first_and_none_twice() {
        let language = Language::read(("", LANGUAGE), None, 2, None).unwrap();
        let all = Guarded::all(&language, &Inputs::of(&language, 1_000, 0));
        let texts: Vec<String> = all.iter().map(|guarded| guarded.text(&language)).collect();
        let place = |text: &str| texts.iter().position(|known| known == text);
        assert!(place("(!= ?a 0)") < place("(<= ?a ?b)"), "{texts:?}");
        assert!(place("(<= ?a ?b)") < place("(< ?a ?b)"), "{texts:?}");
        assert!(place("(&& (!= ?a 0) (== (& ?a (- ?a 1)) 0))").is_some(), "{texts:?}");
        let integers = LANGUAGE.replace("(bits 4)", "i64");
        let language = Language::read(("", &integers), None, 2, None).unwrap();
        let all = Guarded::all(&language, &Inputs::of(&language, 1_000, 0));
        assert!(all.len() > 5 && all.iter().all(|guarded| !guarded.text(&language).contains('&')));
        // Words are never below 0, and above it where they are not 0.
        assert_eq!([place("(>= ?a 0)"), place("(> ?a 0)")], [None, None], "{texts:?}");
    }
}
