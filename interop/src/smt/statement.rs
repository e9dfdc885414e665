//! What a rule says: two expressions over built-in operators, equal wherever conditions hold.

use egraph::{
    Condition, Expr, Language, LeafValue, LiteralKind, Operator, Pattern, Rule, System, Value,
    VarId,
};
use std::fmt::Write;

/// What a rule over built-in operators says. Variables are numbered as in the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Names of the variables, with their `?`.
    pub names: Vec<String>,
    /// What the variables stand for.
    pub kinds: Vec<LiteralKind>,
    /// Whether a condition or a computed literal reads a variable, so that it stands for literals only.
    pub literals: Vec<bool>,
    /// All of them are true where the rule applies.
    pub conditions: Vec<Expr>,
    /// The literals that the rule computes: all of them have a value where it applies.
    pub computed: Vec<Expr>,
    /// The left-hand side.
    pub left: Expr,
    /// The right-hand side, computed literals by their expressions.
    pub right: Expr,
}

impl Statement {
    /// What a rule says.
    ///
    /// # Errors
    /// Why that can't be said over built-in operators alone, as a part of a sentence.
    pub fn of(system: &System, rule: &Rule) -> Result<Statement, String> {
        let language = &system.language;
        let mut unknown: Vec<&str> = Vec::new();
        for part in rule.lhs.parts().chain(rule.rhs.parts()) {
            let name = match part {
                Pattern::Op(op, _) if language.op(*op).builtin.is_none() => &language.op(*op).name,
                Pattern::Function(function, _) => function.name(),
                _ => continue,
            };
            if !unknown.contains(&name) {
                unknown.push(name);
            }
        }
        match unknown[..] {
            [] => {}
            [one] => return Err(format!("{one} is not built in")),
            _ => return Err(format!("{} are not built in", unknown.join(", "))),
        }
        if let Some(fact) = rule.variables.names.get(rule.variables.patterns()) {
            return Err(format!("it reads the fact {fact}"));
        }
        let mut kinds = Vec::new();
        for (name, &sort) in rule.variables.names.iter().zip(&rule.variables.sorts) {
            kinds.push(language.literal_kind(sort).ok_or_else(|| {
                format!(
                    "{name} stands for terms of sort {}, which has no literals",
                    language.sort_name(sort)
                )
            })?);
        }
        let mut computed = Vec::new();
        let left = expression(language, &rule.lhs, &mut computed)?;
        let right = expression(language, &rule.rhs, &mut computed)?;
        let holds = |condition: &Condition| match condition {
            Condition::Const(_) => None,
            Condition::Holds(expr) => Some(expr.clone()),
        };
        let mut literals = vec![false; kinds.len()];
        rule.literal_vars().iter().for_each(|var| literals[usize::from(var.0)] = true);
        let conditions = rule.conditions.iter().filter_map(holds).collect();
        let names = rule.variables.names.clone();
        Ok(Statement { names, kinds, literals, conditions, computed, left, right })
    }

    /// All expressions.
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let sides = [&self.left, &self.right];
        self.conditions.iter().chain(&self.computed).chain(sides)
    }

    /// The same text for all rules that say the same up to the names of variables and the order of conditions.
    pub fn normal_text(&self) -> String {
        let mut order: Vec<VarId> = Vec::new();
        let mut note = |var| {
            if !order.contains(&var) {
                order.push(var);
            }
        };
        self.left.each_var(&mut note);
        self.right.each_var(&mut note);
        self.conditions.iter().for_each(|condition| condition.each_var(&mut note));
        (0..self.kinds.len()).for_each(|var| note(VarId(var as u16)));
        let mut text = String::new();
        for &VarId(var) in &order {
            let literal = if self.literals[usize::from(var)] { " literal" } else { "" };
            _ = writeln!(text, "{}{literal}", self.kinds[usize::from(var)]);
        }
        let place = |var| order.iter().position(|known| *known == var).unwrap_or_default();
        for (what, parts) in [("when", &self.conditions), ("computed", &self.computed)] {
            let mut lines: Vec<String> = parts.iter().map(|part| normal(part, &place)).collect();
            lines.sort_unstable();
            lines.dedup();
            lines.iter().for_each(|line| text += &format!("{what} {line}\n"));
        }
        text + &format!("{}\n{}\n", normal(&self.left, &place), normal(&self.right, &place))
    }
}

/// What has to be assumed of terms where a statement is to be true of them: that they mean what the literals of their
/// sort mean. That is so if all operators of the sort are built in, and nothing has to be assumed.
pub fn assumption(system: &System, rule: &Rule) -> Option<String> {
    let language = &system.language;
    let unknown =
        |sort| language.operators.iter().any(|op| op.result == sort && op.builtin.is_none());
    let mut sorts = rule.variables.sorts.clone();
    sorts.sort_unstable();
    sorts.dedup();
    let meant = |sort| {
        let what = match language.literal_kind(sort).filter(|_| unknown(sort))? {
            LiteralKind::I64 => "integers".to_owned(),
            LiteralKind::Bool => "truth values".to_owned(),
            LiteralKind::Rational => "real numbers".to_owned(),
            LiteralKind::F64 => "doubles".to_owned(),
            LiteralKind::Bits(width) => format!("words of {} bits", width.bits()),
        };
        Some(format!("terms of sort {} are {what}", language.sort_name(sort)))
    };
    let all: Vec<String> = sorts.into_iter().filter_map(meant).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// A side of a rule as an expression; what it computes is noted in `computed`, too.
fn expression(
    language: &Language,
    pattern: &Pattern,
    computed: &mut Vec<Expr>,
) -> Result<Expr, String> {
    match pattern {
        Pattern::Var(var) => Ok(Expr::Var(*var)),
        Pattern::Leaf(leaf) => match &leaf.value {
            LeafValue::Literal(value) => Ok(Expr::Value(*value)),
            LeafValue::Variable(name) => Err(format!("it is about the variable {name} alone")),
            LeafValue::Bound(index) => Err(format!("it is about the bound variable %{index}")),
        },
        Pattern::Op(op, args) => {
            let args: Result<_, _> =
                args.iter().map(|arg| expression(language, arg, computed)).collect();
            let Operator { name, builtin, .. } = language.op(*op);
            let builtin = builtin.ok_or_else(|| format!("{name} is not built in"))?;
            Ok(Expr::Apply(builtin, args?))
        }
        Pattern::Compute(expr, _) => {
            computed.push(expr.clone());
            Ok(expr.clone())
        }
        Pattern::Function(function, _) => Err(format!("{} is not built in", function.name())),
    }
}

/// An expression with numbered variables; literals with their kinds.
fn normal(expr: &Expr, place: &impl Fn(VarId) -> usize) -> String {
    match expr {
        Expr::Value(value) => format!("{value}:{}", value.kind()),
        Expr::Var(var) => format!("v{}", place(*var)),
        Expr::Apply(name, args) => {
            let args: Vec<String> = args.iter().map(|arg| normal(arg, place)).collect();
            format!("({name} {})", args.join(" "))
        }
    }
}

/// The kind of an expression's values.
pub(super) fn kind_of(expr: &Expr, kinds: &[LiteralKind]) -> LiteralKind {
    match expr {
        Expr::Value(value) => value.kind(),
        Expr::Var(var) => kinds[usize::from(var.0)],
        Expr::Apply(operator, args) => {
            let args: Vec<LiteralKind> = args.iter().map(|arg| kind_of(arg, kinds)).collect();
            operator.on(&args).unwrap_or(LiteralKind::Bool)
        }
    }
}

/// An assignment as the end of a sentence.
pub(super) fn assigned(names: &[String], values: &[Value]) -> String {
    let pairs = names.iter().zip(values);
    let all: Vec<String> = pairs.map(|(name, value)| format!("{name} = {value}")).collect();
    if all.is_empty() { String::new() } else { format!(" where {}", all.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGE: &str =
        "(sort Int) (sort Fun) (op + (Int Int) Int) (op / (Int Int) Int) (op f (Int) Int)
        (op g (Fun) Fun) (op id (Fun) Fun) (literal i64 Int) (variable Int) (variable Fun)
        (analysis lo Int Int :merge (max old new)) ";

    fn said(rule: &str) -> Result<String, String> {
        let system = System::parse(&format!("{LANGUAGE}{rule}")).unwrap();
        Statement::of(&system, &system.rules[0]).map(|statement| statement.normal_text())
    }

    #[test]
    fn names_and_the_order_of_conditions_do_not_matter_and_all_else_does() {
        let text = said("(rewrite (/ ?a ?b) ?a :when ((> ?b 0) (< ?b 2)) :name one)");
        let same = said("; a comment\n(rewrite (/ ?x ?y)  ?x :name two :when ((< ?y 2) (> ?y 0)))");
        assert_eq!(text, same);
        assert_eq!(
            text.unwrap(),
            "i64\ni64 literal\nwhen (< v1 2:i64)\nwhen (> v1 0:i64)\n(/ v0 v1)\nv0\n"
        );
        for other in [
            "(rewrite (/ ?b ?a) ?a :when ((> ?b 0) (< ?b 2)))",
            "(rewrite (/ ?a ?b) ?a :when ((> ?b 0) (< ?b 3)))",
            "(rewrite (/ ?a ?b) ?a :when ((> ?b 0) (< ?b 2) (const ?a)))",
        ] {
            assert_ne!(said(other), same, "{other}");
        }
        // What is computed has to have a value; what the operators say need not.
        let computed = said("(rewrite (+ ?a (/ ?b 2)) (+ (compute (/ ?b 2)) ?a))").unwrap();
        assert!(computed.contains("computed (/ v1 2:i64)\n"), "{computed}");
    }

    #[test]
    fn what_can_not_be_said_has_a_reason() {
        let system = System::parse(&format!("{LANGUAGE}(rewrite (+ ?a 0) ?a)")).unwrap();
        let assumed = assumption(&system, &system.rules[0]);
        assert_eq!(assumed.as_deref(), Some("terms of sort Int are integers"), "f may give others");
        for (rule, why) in [
            ("(rewrite (f (+ ?a 0)) (f ?a))", "f is not built in"),
            ("(rewrite (g (id ?a)) (g ?a))", "g, id are not built in"),
            ("(rewrite (/ ?a ?a) 1 :when ((> (lo ?a) 0)))", "it reads the fact (lo ?a)"),
            ("(given (+ x 0) x)", "it is about the variable x alone"),
        ] {
            assert_eq!(said(rule), Err(why.to_owned()), "{rule}");
        }
    }
}
