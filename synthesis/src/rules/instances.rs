//! What a rule says, as equalities of terms. A rule whose conditions or computed literals read variables says one for each choice
//! of literals for these; some choices, or all where these are few, are looked at.

use crate::values::inputs::{corners_of, random};
use egraph::{
    Condition, Expr, Leaf, LeafValue, LiteralKind, Pattern, Rule, System, TermBank, TermId, Value,
    VarId, looks_numeric,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::iter::zip;

/// Choices that are drawn for each that is wanted, before there are no more.
const DRAWN: usize = 64;

/// Literals by variable of a rule; none for a variable that stands for any term.
pub type Choice = Vec<Option<Value>>;

/// Both sides of a rule as terms, with a variable of the same name for each of its variables; none if its language has no
/// such variables, or the sides are no plain terms.
pub fn sides(bank: &mut TermBank, rule: &Rule) -> Option<(TermId, TermId)> {
    sides_at(bank, rule, &Vec::new())
}

/// The same with literals in the place of some variables.
pub fn sides_at(bank: &mut TermBank, rule: &Rule, choice: &Choice) -> Option<(TermId, TermId)> {
    let left = side(bank, rule, choice, &rule.lhs)?;
    Some((left, side(bank, rule, choice, &rule.rhs)?))
}

fn side(bank: &mut TermBank, rule: &Rule, choice: &Choice, pattern: &Pattern) -> Option<TermId> {
    let language = bank.language().clone();
    match pattern {
        Pattern::Var(var) => {
            let sort = rule.variables.sorts[usize::from(var.0)];
            if let Some(value) = value_of(choice, *var) {
                return Some(bank.leaf(&Leaf { sort, value: LeafValue::Literal(value) }));
            }
            let mut name =
                rule.variables.names[usize::from(var.0)].trim_start_matches('?').to_owned();
            while language.operator(&name).is_some() || looks_numeric(&name) {
                name.insert(0, '_');
            }
            let has = language.variables.contains(&sort) && !name.is_empty();
            has.then(|| bank.leaf(&Leaf { sort, value: LeafValue::Variable(name) }))
        }
        Pattern::Leaf(leaf) => match leaf.value {
            LeafValue::Bound(_) => None,
            _ => Some(bank.leaf(leaf)),
        },
        Pattern::Op(op, args) => {
            let args: Vec<TermId> =
                args.iter().map(|arg| side(bank, rule, choice, arg)).collect::<Option<_>>()?;
            Some(bank.apply(*op, &args))
        }
        Pattern::Compute(expr, sort) => {
            let value = expr.eval(&|var| value_of(choice, var))?;
            let fits = language.literal_kind(*sort) == Some(value.kind());
            fits.then(|| bank.leaf(&Leaf { sort: *sort, value: LeafValue::Literal(value) }))
        }
        Pattern::Function(..) => None,
    }
}

fn value_of(choice: &Choice, VarId(var): VarId) -> Option<Value> {
    choice.get(usize::from(var)).copied().flatten()
}

/// The literals of a system's rules.
pub fn literals_of(system: &System) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut note = |value: Value| {
        if !found.contains(&value) {
            found.push(value);
        }
    };
    for rule in &system.rules {
        for part in rule.lhs.parts().chain(rule.rhs.parts()) {
            match part {
                Pattern::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => note(*value),
                Pattern::Compute(expr, _) => literals_in(expr, &mut note),
                _ => (),
            }
        }
        for condition in &rule.conditions {
            if let Condition::Holds(expr) = condition {
                literals_in(expr, &mut note);
            }
        }
    }
    found
}

fn literals_in(expr: &Expr, note: &mut impl FnMut(Value)) {
    match expr {
        Expr::Value(value) => note(*value),
        Expr::Apply(_, args) => args.iter().for_each(|arg| literals_in(arg, note)),
        Expr::Var(_) => (),
    }
}

/// What choices of literals there are.
#[derive(Clone, Debug, PartialEq)]
pub enum Choices {
    /// No literal is read: the rule says one equality.
    One,
    /// All that there are.
    All(Vec<Choice>),
    /// Some of very many.
    Some(Vec<Choice>),
}

impl Choices {
    /// Those of a rule that reads no facts, at most so many: if there are more, literals at the ends of what there is, some of
    /// `known` ones, and random ones. Its conditions hold, and its literals can be computed.
    pub fn of(bank: &TermBank, rule: &Rule, most: usize, known: &[Value]) -> Choices {
        let read = rule.literal_vars();
        if read.is_empty() {
            return Choices::One;
        }
        let language = bank.language();
        let kind = |var: &VarId| {
            let sort = rule.variables.sorts[usize::from(var.0)];
            language.literal_kind(sort)
        };
        let Some(kinds) = read.iter().map(kind).collect::<Option<Vec<LiteralKind>>>() else {
            return Choices::Some(Vec::new());
        };
        let choice = |values: Vec<Value>| -> Choice {
            let mut choice = vec![None; rule.variables.names.len()];
            zip(&read, values).for_each(|(var, value)| choice[usize::from(var.0)] = Some(value));
            choice
        };
        let applies = |choice: &Choice| {
            let literal = |var| value_of(choice, var);
            rule.conditions.iter().all(|condition: &Condition| condition.holds(&literal))
                && rule.rhs.parts().all(|part| match part {
                    Pattern::Compute(expr, _) => expr.eval(&literal).is_some(),
                    _ => true,
                })
        };
        let counts: Option<Vec<u64>> = kinds.iter().map(|kind| kind.count()).collect();
        let few = counts.filter(|counts| {
            let all = counts.iter().try_fold(1u64, |all, count| all.checked_mul(*count));
            all.is_some_and(|all| all <= (most * DRAWN) as u64)
        });
        if let Some(counts) = few {
            let values = |mut number: u64| -> Vec<Value> {
                let each = zip(&kinds, &counts).filter_map(|(kind, count)| {
                    let value = kind.of_bits(number % count);
                    number /= count;
                    value
                });
                each.collect()
            };
            let all = (0..counts.iter().product()).map(|number| choice(values(number)));
            let all: Vec<Choice> = all.filter(applies).collect();
            if all.len() <= most {
                return Choices::All(all);
            }
        }
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut found: Vec<Choice> = Vec::new();
        for drawn in 0..most * DRAWN {
            // Known ones, corners and random ones in turn.
            let value = |kind: &LiteralKind| {
                let some: Vec<Value> = match drawn % 3 {
                    0 => known.iter().copied().filter(|value| value.kind() == *kind).collect(),
                    1 => corners_of(*kind),
                    _ => Vec::new(),
                };
                match some.len() {
                    0 => random(*kind, &mut rng),
                    all => some[rng.random_range(0..all)],
                }
            };
            let choice = choice(kinds.iter().map(value).collect());
            if found.len() < most && applies(&choice) && !found.contains(&choice) {
                found.push(choice);
            }
        }
        Choices::Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(kind: &str, rule: &str, most: usize) -> Choices {
        let text = format!("(sort W) (op + (W W) W) (literal {kind} W) (variable W) {rule}");
        let system = System::parse(&text).unwrap();
        let known = literals_of(&system);
        Choices::of(&TermBank::new(system.language.clone()), &system.rules[0], most, &known)
    }

    #[test]
    fn few_choices_are_all_and_many_are_some_of_which_conditions_hold() {
        assert_eq!(choices("i64", "(rewrite (+ ?a ?b) (+ ?b ?a))", 4), Choices::One);
        let odd = "(rewrite (+ ?a ?c) ?a :when ((== (& ?c 1) 1)))";
        match choices("(bits 3)", odd, 4) {
            Choices::All(all) => assert_eq!(all.len(), 4),
            other => panic!("{other:?}"),
        }
        for (kind, most) in [("(bits 3)", 3), ("(bits 64)", 16), ("i64", 16)] {
            match choices(kind, odd, most) {
                Choices::Some(some) => {
                    assert_eq!(some.len(), most, "{kind}");
                    assert!(some.iter().all(|choice| choice[0].is_none() && choice[1].is_some()));
                }
                other => panic!("{other:?}"),
            }
        }
        let one = "(rewrite (+ ?a ?c) ?a :when ((== ?c 123457)))";
        assert!(matches!(choices("i64", one, 4), Choices::Some(some) if some.len() == 1));
        let never = "(rewrite (+ ?a ?c) ?a :when ((!= ?c ?c)))";
        assert_eq!(choices("i64", never, 4), Choices::Some(Vec::new()));
    }

    #[test]
    fn computed_literals_are_those_of_the_choice() {
        let text = "(sort W) (op + (W W) W) (literal i64 W) (variable W)
            (rewrite (+ ?a ?c) (+ (compute (* ?c 2)) ?a))";
        let system = System::parse(text).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let choice = vec![None, Some(Value::Int(21))];
        let (left, right) = sides_at(&mut bank, &system.rules[0], &choice).unwrap();
        assert_eq!(bank.display(left).to_string(), "(+ a 21)");
        assert_eq!(bank.display(right).to_string(), "(+ 42 a)");
        assert_eq!(sides(&mut bank, &system.rules[0]), None);
    }
}
