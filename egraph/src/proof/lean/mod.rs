//! A proof as a theorem of Lean 4, a `calc` block that needs no library.
//!
//! Sorts are types, operators functions, literals the values of a function from integers or truth values;
//! the rules that the proof uses are hypotheses, and each step names the instance of one that it is. So
//! Lean checks all of the proof, and of the rules believes nothing. Names are put in `«…»`, in which Lean
//! takes almost any character.

mod computed;
mod words;

use crate::proof::dag::{FlatProof, FlatStep, Justification};
use crate::proof::file::justification_name;
use crate::proof::lean::words::{
    decided, kind_name, lean_value, of_user, operator, proposition_operator, quoted,
};
use crate::rules::expression::{Condition, Expr};
use crate::rules::pattern::Pattern;
use crate::rules::rule::{Rule, RuleId};
use crate::rules::system::System;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{LeafValue, OpId, SortId};
use crate::term::leaves::Node;
use crate::term::literal::{LiteralKind, Value};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The theorem, called `name`.
///
/// # Errors
/// A name that Lean can't take, with the name; a literal or an operator that it has nothing for; a proof
/// that rests on facts; a system whose operators bind variables.
pub fn proof_to_lean(
    system: &System,
    bank: &TermBank,
    proof: &FlatProof,
    name: &str,
) -> Result<String, String> {
    if system.language.has_binders() {
        return Err(
            "theorems are not written for systems whose operators bind variables".to_owned()
        );
    }
    if let Some(step) = proof.steps.iter().find(|step| !step.because.is_empty()) {
        let rule = justification_name(system, step.rule);
        return Err(format!("'{rule}' rests on facts of analyses, of which Lean is told nothing"));
    }
    let mut lean = Lean { system, bank, used: Used::default(), refused: None };
    let (first, rest) = (proof.terms[0], &proof.terms[1..]);
    let mut block = String::new();
    let start = lean.term(first, None);
    let end = lean.term(proof.terms[proof.terms.len() - 1], None);
    if rest.is_empty() {
        let _ = writeln!(block, "  calc\n    {start} = {end} := rfl");
    }
    for (i, (&term, step)) in rest.iter().zip(&proof.steps).enumerate() {
        let (from, to) = if step.forward { (proof.terms[i], term) } else { (term, proof.terms[i]) };
        let reason = lean.reason(from, to, step);
        let left = if i == 0 { format!("  calc\n    {start}") } else { "    _".to_owned() };
        let term = lean.term(term, None);
        let _ = writeln!(block, "{left} = {term} := {reason}");
    }
    // Rules may need operators and sorts that no term has; these are collected as they are written.
    let rules: Vec<String> =
        lean.used.rules.clone().into_iter().map(|rule| lean.rule(rule)).collect();
    let folds: Vec<String> = lean.used.folds.clone().into_iter().map(|op| lean.fold(op)).collect();
    let mut text = String::new();
    let _ = writeln!(text, "theorem {}", quoted(name));
    lean.declarations(&mut text);
    for hypothesis in rules.iter().chain(&folds) {
        let _ = writeln!(text, "    {hypothesis}");
    }
    let _ = write!(text, "    : {start} = {end} :=\n{block}");
    match (lean.unquotable(), lean.refused) {
        (Some(name), _) => Err(format!("Lean has no way to write the name {name}")),
        (None, Some(other)) => Err(format!("Lean has no way to reason about {other}")),
        (None, None) => Ok(text),
    }
}

/// What the theorem speaks of.
#[derive(Default)]
struct Used {
    sorts: BTreeSet<SortId>,
    /// Sorts whose literals occur.
    literals: BTreeSet<SortId>,
    operators: BTreeSet<OpId>,
    variables: BTreeSet<(SortId, String)>,
    rules: BTreeSet<RuleId>,
    /// Operators that are evaluated.
    folds: BTreeSet<OpId>,
}

struct Lean<'a> {
    system: &'a System,
    bank: &'a TermBank,
    used: Used,
    /// What can't be said in Lean, the first of it.
    refused: Option<String>,
}

/// What a step's subterm is replaced by in the context of the step.
const HOLE: &str = "«·»";

impl Lean<'_> {
    /// A term, with a hole at a path.
    fn term(&mut self, term: TermId, hole: Option<&[u32]>) -> String {
        let mut text = String::new();
        // What is still to be written, the next last: terms may be too deep for recursion.
        let mut todo = vec![Piece::Term(term, hole)];
        while let Some(piece) = todo.pop() {
            let (term, hole) = match piece {
                Piece::Text(piece) => {
                    text.push_str(piece);
                    continue;
                }
                Piece::Term(_, Some([])) => {
                    text.push_str(HOLE);
                    continue;
                }
                Piece::Term(term, hole) => (term, hole),
            };
            match self.bank.node(term) {
                Node::Leaf(leaf) => match &leaf.value {
                    LeafValue::Literal(value) => text += &self.literal(leaf.sort, *value),
                    LeafValue::Bound(_) => text += &quoted(&leaf.to_string()),
                    LeafValue::Variable(name) => {
                        self.used.sorts.insert(leaf.sort);
                        self.used.variables.insert((leaf.sort, name.clone()));
                        text += &self.variable(leaf.sort, name);
                    }
                },
                Node::Op(op) => {
                    let name = self.operator(op);
                    let children = self.bank.children(term);
                    if children.is_empty() {
                        text += &name;
                        continue;
                    }
                    text = text + "(" + &name;
                    todo.push(Piece::Text(")"));
                    for (i, &child) in children.iter().enumerate().rev() {
                        let inner = match hole {
                            Some([first, rest @ ..]) if *first as usize == i => Some(rest),
                            _ => None,
                        };
                        todo.push(Piece::Term(child, inner));
                        todo.push(Piece::Text(" "));
                    }
                }
            }
        }
        text
    }

    /// Variables of one name in several sorts are told apart.
    fn variable(&self, sort: SortId, name: &str) -> String {
        let language = &self.system.language;
        match language.variables.len() {
            0 | 1 => of_user(name),
            _ => quoted(&format!("{name} : {}", language.sort_name(sort))),
        }
    }

    fn operator(&mut self, op: OpId) -> String {
        let operator = self.system.language.op(op);
        self.used.operators.insert(op);
        self.used.sorts.extend(operator.args.iter().chain([&operator.result]));
        of_user(&operator.name)
    }

    fn literal(&mut self, sort: SortId, value: Value) -> String {
        format!("({} {})", self.literal_function(sort), lean_value(value))
    }

    fn literal_function(&mut self, sort: SortId) -> String {
        if self.kind(sort) == LiteralKind::F64 {
            let name = self.system.language.sort_name(sort);
            self.refuse(format!("doubles, the literals of sort {name}"));
        }
        self.used.sorts.insert(sort);
        self.used.literals.insert(sort);
        quoted(&format!("literal {}", self.system.language.sort_name(sort)))
    }

    fn sort(&mut self, sort: SortId) -> String {
        self.used.sorts.insert(sort);
        quoted(&format!("sort {}", self.system.language.sort_name(sort)))
    }

    /// Why a step's two terms are equal; forwards it leads from the first to the second.
    fn reason(&mut self, from: TermId, to: TermId, step: &FlatStep) -> String {
        let instance = match step.rule {
            Justification::Rule(id) => self.instance(id, &step.substitution),
            Justification::Fold => self.fold_instance(from, &step.path),
        };
        let instance = match step.forward {
            true => instance,
            false => format!("{instance}.symm"),
        };
        let inner =
            self.bank.subterm(to, &step.path).map_or(self.bank.sort(to), |t| self.bank.sort(t));
        match &step.path[..] {
            [] => instance,
            path => {
                let sort = self.sort(inner);
                let context = self.term(to, Some(path));
                format!("congrArg (fun ({HOLE} : {sort}) => {context}) {instance}")
            }
        }
    }

    fn instance(&mut self, id: RuleId, substitution: &[TermId]) -> String {
        self.used.rules.insert(id);
        let rule = self.system.rule(id);
        let literals = rule.literal_vars();
        let mut text = format!("({}", quoted(&format!("rule {}", rule.name)));
        for (i, &term) in substitution.iter().enumerate() {
            let literal = literals.contains(&VarId(i as u16)).then(|| self.bank.literal(term));
            match literal.flatten() {
                Some(value) => text = text + " " + &lean_value(value),
                None => text = text + " " + &self.term(term, None),
            }
        }
        for value in self.computed_values(rule, substitution) {
            text = text + " " + &lean_value(value);
        }
        for condition in &rule.conditions {
            if let Condition::Holds(expr) = condition {
                text += decided(self.is_of_fractions(rule, expr));
            }
        }
        computed::of(&self.system.language, rule).for_each(|_| text += decided(true));
        text + ")"
    }

    /// That the operator at a path of a term has the value that it has.
    fn fold_instance(&mut self, term: TermId, path: &[u32]) -> String {
        let at = self.bank.subterm(term, path).unwrap_or(term);
        let Node::Op(op) = self.bank.node(at) else { return "rfl".to_owned() };
        self.used.folds.insert(op);
        let mut text =
            format!("({}", quoted(&format!("fold {}", self.system.language.op(op).name)));
        let children = self.bank.children(at).iter();
        let values: Vec<Value> = children.filter_map(|&child| self.bank.literal(child)).collect();
        for value in &values {
            text = text + " " + &lean_value(*value);
        }
        text + &self.fold_proofs(op, &values) + ")"
    }

    /// The hypothesis that a rule is.
    fn rule(&mut self, id: RuleId) -> String {
        let rule = self.system.rule(id);
        let mut text = format!("({} :", quoted(&format!("rule {}", rule.name)));
        let computed = computed::of(&self.system.language, rule).count();
        if !rule.variables.names.is_empty() || computed > 0 {
            text += " ∀";
            for (i, name) in rule.variables.names.iter().enumerate() {
                let sort = rule.variables.sorts[i];
                let of = match is_literal(rule, VarId(i as u16)) {
                    true => kind_name(self.kind(sort)),
                    false => self.sort(sort),
                };
                let _ = write!(text, " ({} : {of})", quoted(name));
            }
            (0..computed).for_each(|i| text = format!("{text} ({} : Rat)", computed::name(i)));
            text.push(',');
        }
        for condition in &rule.conditions {
            if let Condition::Holds(expr) = condition {
                let _ = write!(text, " {} →", self.condition(rule, expr));
            }
        }
        self.computed_premises(rule, &mut text);
        let (left, right) = (self.pattern(rule, &rule.lhs), self.pattern(rule, &rule.rhs));
        let _ = write!(text, " {left} = {right})");
        text
    }

    fn kind(&self, sort: SortId) -> LiteralKind {
        self.system.language.literal_kind(sort).unwrap_or(LiteralKind::I64)
    }

    fn pattern(&mut self, rule: &Rule, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Var(var) => {
                let name = quoted(&rule.variables.names[var.0 as usize]);
                match is_literal(rule, *var) {
                    true => {
                        let sort = rule.variables.sorts[var.0 as usize];
                        format!("({} {name})", self.literal_function(sort))
                    }
                    false => name,
                }
            }
            Pattern::Leaf(leaf) => match &leaf.value {
                LeafValue::Literal(value) => self.literal(leaf.sort, *value),
                LeafValue::Variable(name) => self.variable(leaf.sort, name),
                LeafValue::Bound(_) => quoted(&leaf.to_string()),
            },
            Pattern::Op(op, args) if args.is_empty() => self.operator(*op),
            Pattern::Op(op, args) => {
                let mut text = format!("({}", self.operator(*op));
                for arg in args {
                    text = text + " " + &self.pattern(rule, arg);
                }
                text + ")"
            }
            Pattern::Function(function, _) => quoted(function.name()),
            Pattern::Compute(expr, sort) => {
                let value = match self.kind(*sort) {
                    LiteralKind::Bool => format!("(decide {})", self.proposition(rule, expr)),
                    LiteralKind::Rational => computed::name_of(&self.system.language, rule, expr),
                    _ => self.number(rule, expr),
                };
                format!("({} {value})", self.literal_function(*sort))
            }
        }
    }

    /// An expression whose value is a number.
    fn number(&mut self, rule: &Rule, expr: &Expr) -> String {
        match expr {
            Expr::Value(value) => lean_value(*value),
            Expr::Var(var) => quoted(&rule.variables.names[var.0 as usize]),
            Expr::Apply(name, args) => {
                let kind = self.kind_of(rule, expr);
                let args: Vec<String> = args.iter().map(|arg| self.number(rule, arg)).collect();
                self.apply(kind, name, &args)
            }
        }
    }

    /// An operator on numbers of a kind.
    fn apply(&mut self, kind: LiteralKind, name: &str, args: &[String]) -> String {
        operator(kind, name, args).unwrap_or_else(|| {
            self.refuse(format!("'{name}' on literals of kind {kind}"));
            String::new()
        })
    }

    fn refuse(&mut self, what: String) {
        self.refused.get_or_insert(what);
    }

    /// An expression whose value is a truth value.
    fn proposition(&mut self, rule: &Rule, expr: &Expr) -> String {
        let Expr::Apply(name, args) = expr else {
            let value = match expr {
                Expr::Var(var) => quoted(&rule.variables.names[var.0 as usize]),
                Expr::Value(value) => lean_value(*value),
                Expr::Apply(..) => String::new(),
            };
            return format!("({value} = true)");
        };
        let connective = matches!(name.as_str(), "&&" | "||" | "!");
        let part = |arg| match connective {
            true => self.proposition(rule, arg),
            false => self.number(rule, arg),
        };
        let args: Vec<String> = args.iter().map(part).collect();
        proposition_operator(name, &args)
    }

    /// The hypothesis that an operator is evaluated on literals.
    fn fold(&mut self, op: OpId) -> String {
        let operator = self.system.language.op(op);
        let kinds: Vec<LiteralKind> = operator.args.iter().map(|&sort| self.kind(sort)).collect();
        let names: Vec<String> = (0..kinds.len()).map(|i| format!("x{i}")).collect();
        let mut text = format!("({} : ∀", quoted(&format!("fold {}", operator.name)));
        let mut left = format!("({}", self.operator(op));
        for ((name, &kind), &sort) in names.iter().zip(&kinds).zip(&operator.args) {
            let _ = write!(text, " ({name} : {})", kind_name(kind));
            let _ = write!(left, " ({} {name})", self.literal_function(sort));
        }
        let value = match (self.kind(operator.result), kinds.first()) {
            (LiteralKind::Rational, _) => "r".to_owned(),
            (kind, _) if kind != LiteralKind::Bool => self.apply(kind, &operator.name, &names),
            (LiteralKind::Bool, Some(LiteralKind::Bool)) => {
                let args: Vec<String> =
                    names.iter().map(|name| format!("({name} = true)")).collect();
                format!("(decide {})", proposition_operator(&operator.name, &args))
            }
            _ => format!("(decide {})", proposition_operator(&operator.name, &names)),
        };
        let right = self.literal_function(operator.result);
        let premise = self.fold_premise(op, &names, &mut text);
        let _ = write!(text, ",{premise} {left}) = ({right} {value}))");
        text
    }

    /// Binders of sorts, literals, operators and variables.
    fn declarations(&mut self, text: &mut String) {
        for sort in self.used.sorts.clone() {
            let _ = writeln!(text, "    {{{} : Type}}", self.sort(sort));
        }
        for sort in self.used.literals.clone() {
            let (function, kind) = (self.literal_function(sort), kind_name(self.kind(sort)));
            let _ = writeln!(text, "    ({function} : {kind} → {})", self.sort(sort));
        }
        for op in self.used.operators.clone() {
            let operator = self.system.language.op(op);
            let _ = write!(text, "    ({} :", of_user(&operator.name));
            for &sort in &operator.args {
                let _ = write!(text, " {} →", self.sort(sort));
            }
            let _ = writeln!(text, " {})", self.sort(operator.result));
        }
        for (sort, name) in self.used.variables.clone() {
            let _ = writeln!(text, "    ({} : {})", self.variable(sort, &name), self.sort(sort));
        }
    }

    /// A name that would end its quotes.
    fn unquotable(&self) -> Option<String> {
        let language = &self.system.language;
        let rules = self.used.rules.iter().map(|&rule| self.system.rule(rule));
        let names = self.used.operators.iter().map(|&op| &language.op(op).name);
        let sorts = self.used.sorts.iter().map(|sort| &language.sorts[sort.0 as usize]);
        let variables = self.used.variables.iter().map(|(_, name)| name);
        let of_rules = rules.flat_map(|rule| rule.variables.names.iter().chain([&rule.name]));
        let mut all = names.chain(sorts).chain(variables).chain(of_rules);
        all.find(|name| name.contains(|c: char| matches!(c, '«' | '»') || c.is_control())).cloned()
    }
}

enum Piece<'h> {
    Term(TermId, Option<&'h [u32]>),
    Text(&'static str),
}

fn is_literal(rule: &Rule, var: VarId) -> bool {
    rule.literal_vars().contains(&var)
}
