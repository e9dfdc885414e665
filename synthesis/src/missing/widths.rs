//! The same rule over words of another width.

use egraph::{
    Bits, Language, Leaf, LeafValue, LiteralKind, OpId, Pattern, Rule, SortId, System, Value, Width,
};

/// The sides of a rule over words of one width, as text, at each other width of which the system has words with the same
/// operators. Literals are the same numbers with a sign. Whether the rule is true there is another question.
pub fn at_other_widths(system: &System, rule: &Rule) -> Vec<[String; 2]> {
    let language = &system.language;
    if !rule.conditions.is_empty() {
        return Vec::new();
    }
    let mut widths: Vec<(SortId, Width)> = Vec::new();
    for part in rule.lhs.parts().chain(rule.rhs.parts()) {
        let sort = match part {
            Pattern::Var(var) => rule.variables.sorts[usize::from(var.0)],
            Pattern::Leaf(leaf) => leaf.sort,
            Pattern::Op(op, _) => language.op(*op).result,
            Pattern::Compute(..) | Pattern::Function(..) => return Vec::new(),
        };
        if let Some(width) = width_of(language, sort)
            && !widths.contains(&(sort, width))
        {
            widths.push((sort, width));
        }
    }
    let [(sort, _)] = widths[..] else { return Vec::new() };
    let others = (0..language.sorts.len() as u16).map(SortId).filter(|&other| other != sort);
    let others = others.filter_map(|other| Some((other, width_of(language, other)?)));
    others
        .filter_map(|(other, width)| {
            let with = Moved { language, rule, from: sort, to: other, width };
            Some([with.text(&rule.lhs)?, with.text(&rule.rhs)?])
        })
        .collect()
}

fn width_of(language: &Language, sort: SortId) -> Option<Width> {
    match language.literal_kind(sort)? {
        LiteralKind::Bits(width) => Some(width),
        _ => None,
    }
}

/// A rule whose words have another sort.
struct Moved<'a> {
    language: &'a Language,
    rule: &'a Rule,
    from: SortId,
    to: SortId,
    width: Width,
}

impl Moved<'_> {
    fn sort(&self, sort: SortId) -> SortId {
        if sort == self.from { self.to } else { sort }
    }

    /// The operator that is the same built-in one on the other sort.
    fn operator(&self, op: OpId) -> Option<&str> {
        let operator = self.language.op(op);
        let args: Vec<SortId> = operator.args.iter().map(|&sort| self.sort(sort)).collect();
        let name = operator.builtin?.name();
        let same = self.language.operators.iter().find(|other| {
            other.builtin.is_some_and(|builtin| builtin.name() == name)
                && other.args == args
                && other.result == self.sort(operator.result)
        });
        same.map(|other| other.name.as_str())
    }

    fn text(&self, pattern: &Pattern) -> Option<String> {
        Some(match pattern {
            Pattern::Var(var) => self.rule.variables.names[usize::from(var.0)].clone(),
            Pattern::Leaf(Leaf { value: LeafValue::Literal(Value::Bits(bits)), sort })
                if *sort == self.from =>
            {
                let signed = bits.signed();
                let moved = Bits::new(self.width, signed as u64 & self.width.largest());
                (moved.signed() == signed).then(|| moved.to_string())?
            }
            Pattern::Leaf(Leaf { value: LeafValue::Literal(value), .. }) => value.to_string(),
            Pattern::Op(op, args) => {
                let mut text = format!("({}", self.operator(*op)?);
                for arg in args {
                    text.push(' ');
                    text += &self.text(arg)?;
                }
                text + ")"
            }
            _ => return None,
        })
    }
}
