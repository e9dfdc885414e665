//! One rewrite rule.

use crate::rules::expression::{Condition, DisplayExpr};
use crate::rules::pattern::{DisplayPattern, Pattern};
use crate::rules::variables::{VarId, Variables};
use crate::term::language::Language;

/// Rules are numbered below this: an edge of the proof forest has 20 bits for its rule.
pub(crate) const MOST_RULES: u32 = (1 << 20) - 1;
/// A match binds at most this many ids: an edge of the proof forest has 12 bits for their number.
pub(crate) const MOST_BOUND: u32 = (1 << 12) - 1;

/// Index of a rule in [`System::rules`](crate::System::rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct RuleId(pub u32);

/// Index of a ruleset in [`System::rulesets`](crate::System::rulesets).
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
    pub fn literal_vars(&self) -> Vec<VarId> {
        let mut vars = Vec::new();
        self.conditions.iter().for_each(|c| c.each_var(&mut |v| vars.push(v)));
        for part in self.rhs.parts() {
            if let Pattern::Compute(expr, _) = part {
                expr.each_var(&mut |v| vars.push(v));
            }
        }
        vars.retain(|&var| self.variables.fact(var).is_none());
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// What the rule says, as text, with the sort of its sides: the same for rules that differ in name, ruleset, names of variables and
    /// order of conditions.
    pub fn content(&self, language: &Language) -> String {
        let mut order: Vec<VarId> = Vec::new();
        let mut note = |var| {
            let var = self.variables.pattern_of(var);
            if !order.contains(&var) {
                order.push(var);
            }
        };
        self.lhs.each_var(&mut note);
        self.rhs.each_var(&mut note);
        self.conditions.iter().for_each(|condition| condition.each_var(&mut note));
        let name = |var| match order.iter().position(|known| *known == var) {
            Some(place) => format!("?{place}"),
            None => "?".to_owned(),
        };
        let mut variables = self.variables.clone();
        for (var, text) in (0..).map(VarId).zip(&mut variables.names) {
            *text = match self.variables.fact(var) {
                None => name(var),
                Some(fact) => {
                    format!("({} {})", language.analysis(fact.analysis).name, name(fact.var))
                }
            };
        }
        let variables = &variables;
        let side = |pattern| DisplayPattern { language, variables, pattern };
        let condition = |condition: &Condition| match condition {
            Condition::Const(VarId(var)) => {
                format!("literal {}", variables.names[usize::from(*var)])
            }
            Condition::Holds(expr) => DisplayExpr { names: &variables.names, expr }.to_string(),
        };
        let mut conditions: Vec<String> = self.conditions.iter().map(condition).collect();
        conditions.sort_unstable();
        let when: String =
            conditions.iter().map(|condition| format!(" when {condition}")).collect();
        let sort = language.sort_name(self.lhs.sort(language, variables));
        format!("{} => {} of {sort}{when}", side(&self.lhs), side(&self.rhs))
    }
}
