//! The same rules and terms in egg, with explanations.

use egg::{
    Analysis, Applier, DidMerge, ENodeOrVar, Language, PatternAst, RecExpr, Runner,
    SimpleScheduler, Subst, Symbol, SymbolLang, TreeTerm, Var,
};
use egraph::{
    Condition, Expr, Leaf, LeafValue, Node, Pattern, Rule, System, TermBank, TermId, Value, VarId,
};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Constants as Cairn computes them, with the instance that computed them, for the explanation.
#[derive(Clone)]
pub struct Fold {
    system: Arc<System>,
}

/// egg's e-graph over them.
pub type EGraph = egg::EGraph<SymbolLang, Fold>;

fn leaf_name(leaf: &Leaf) -> String {
    match leaf.value {
        // egg's nodes have no sorts: the truth value 1 must not be the number 1.
        LeafValue::Literal(Value::Bool(b)) => b.to_string(),
        _ => leaf.to_string(),
    }
}

fn value_name(value: Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        other => other.to_string(),
    }
}

fn read_value(name: &str) -> Option<Value> {
    match name {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        number => number.parse().ok().map(Value::Int),
    }
}

impl Analysis<SymbolLang> for Fold {
    type Data = Option<(Value, PatternAst<SymbolLang>)>;

    fn make(egraph: &mut EGraph, node: &SymbolLang, _: egg::Id) -> Self::Data {
        let name = node.op.as_str();
        if node.is_leaf() {
            let value = read_value(name)?;
            return Some((value, PatternAst::from(vec![ENodeOrVar::ENode(node.clone())])));
        }
        let language = &egraph.analysis.system.language;
        if !language.constant_folding {
            return None;
        }
        let builtin = language.op(language.operator(name)?).builtin?;
        let mut ast = PatternAst::default();
        let mut values = Vec::new();
        let mut children = Vec::new();
        for &child in node.children() {
            let (value, _) = egraph[child].data.as_ref()?;
            values.push(*value);
            children.push(ast.add(ENodeOrVar::ENode(SymbolLang::leaf(value_name(*value)))));
        }
        let value = builtin.eval(&values)?;
        ast.add(ENodeOrVar::ENode(SymbolLang::new(name, children)));
        Some((value, ast))
    }

    fn merge(&mut self, to: &mut Self::Data, from: Self::Data) -> DidMerge {
        egg::merge_option(to, from, |_, _| DidMerge(false, false))
    }

    fn modify(egraph: &mut EGraph, id: egg::Id) {
        if let Some((value, ast)) = egraph[id].data.clone() {
            let literal = ENodeOrVar::ENode(SymbolLang::leaf(value_name(value)));
            let literal = PatternAst::from(vec![literal]);
            egraph.union_instantiations(&ast, &literal, &Subst::default(), "fold");
        }
    }
}

/// A pattern for egg; computations become variables.
struct Translation<'a> {
    system: &'a System,
    rule: &'a Rule,
    ast: PatternAst<SymbolLang>,
    computed: Vec<(Var, Expr)>,
}

fn variable(rule: &Rule, var: VarId) -> Var {
    rule.variables.names[usize::from(var.0)].parse().expect("a name with its ?")
}

impl Translation<'_> {
    fn add(&mut self, pattern: &Pattern) -> egg::Id {
        let node = match pattern {
            Pattern::Var(var) => ENodeOrVar::Var(variable(self.rule, *var)),
            Pattern::Leaf(leaf) => ENodeOrVar::ENode(SymbolLang::leaf(leaf_name(leaf))),
            Pattern::Op(op, args) => {
                let children = args.iter().map(|arg| self.add(arg)).collect();
                let name = &self.system.language.op(*op).name;
                ENodeOrVar::ENode(SymbolLang::new(name, children))
            }
            Pattern::Function(..) => unreachable!("no workload has functions on terms"),
            Pattern::Compute(expr, _) => {
                let name = format!("?computed-{}", self.computed.len());
                let var: Var = name.parse().expect("a name with its ?");
                self.computed.push((var, expr.clone()));
                ENodeOrVar::Var(var)
            }
        };
        self.ast.add(node)
    }
}

/// Applies a right-hand side whose conditions hold and whose computations have values.
struct Conditional {
    rule: Rule,
    rhs: egg::Pattern<SymbolLang>,
    computed: Vec<(Var, Expr)>,
}

impl Applier<SymbolLang, Fold> for Conditional {
    fn apply_one(
        &self,
        egraph: &mut EGraph,
        class: egg::Id,
        subst: &Subst,
        searcher: Option<&PatternAst<SymbolLang>>,
        name: Symbol,
    ) -> Vec<egg::Id> {
        let value = |var: VarId| {
            let class = *subst.get(variable(&self.rule, var))?;
            egraph[class].data.as_ref().map(|(value, _)| *value)
        };
        if !self.rule.conditions.iter().all(|c: &Condition| c.holds(&value)) {
            return Vec::new();
        }
        let values: Vec<Option<Value>> =
            self.computed.iter().map(|(_, e)| e.eval(&value)).collect();
        let mut subst = subst.clone();
        for ((var, _), value) in self.computed.iter().zip(values) {
            let Some(value) = value else { return Vec::new() };
            let literal = egraph.add(SymbolLang::leaf(value_name(value)));
            subst.insert(*var, literal);
        }
        self.rhs.apply_one(egraph, class, &subst, searcher, name)
    }
}

fn rules(system: &System) -> Vec<egg::Rewrite<SymbolLang, Fold>> {
    let translate = |rule: &Rule| {
        let side = |pattern: &Pattern| {
            let ast = PatternAst::default();
            let mut side = Translation { system, rule, ast, computed: Vec::new() };
            side.add(pattern);
            (egg::Pattern::from(side.ast), side.computed)
        };
        let (lhs, _) = side(&rule.lhs);
        let (rhs, computed) = side(&rule.rhs);
        let name = rule.name.as_str();
        if rule.conditions.is_empty() && computed.is_empty() {
            return egg::Rewrite::new(name, lhs, rhs).expect("a rule");
        }
        let applier = Conditional { rule: rule.clone(), rhs, computed };
        egg::Rewrite::new(name, lhs, applier).expect("a rule")
    };
    system.rules.iter().map(translate).collect()
}

/// Grows egg's e-graph with explanations on.
pub fn grow(system: &Arc<System>, start: &str, iterations: usize) -> EGraph {
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse(start, None).expect("a start term");
    Runner::<SymbolLang, Fold, ()>::new(Fold { system: system.clone() })
        .with_explanations_enabled()
        .with_scheduler(SimpleScheduler)
        .with_iter_limit(iterations)
        .with_node_limit(usize::MAX)
        .with_time_limit(std::time::Duration::from_secs(600))
        .with_expr(&term(&bank, start))
        .run(&rules(system))
        .egraph
}

/// A term for egg.
pub fn term(bank: &TermBank, t: TermId) -> RecExpr<SymbolLang> {
    let mut expression = RecExpr::default();
    let mut places = HashMap::new();
    for s in bank.subterms(t) {
        let children = bank.children(s).iter().map(|c| places[c]).collect();
        let node = match bank.node(s) {
            Node::Op(op) => SymbolLang::new(&bank.language().op(op).name, children),
            Node::Leaf(leaf) => SymbolLang::leaf(leaf_name(leaf)),
        };
        places.insert(s, expression.add(node));
    }
    expression
}

/// Number of rewrites of the flattened explanation, counted on the tree with shared parts.
pub fn flat_steps(explanation: &egg::Explanation<SymbolLang>) -> f64 {
    fn steps(
        t: &Rc<TreeTerm<SymbolLang>>,
        known: &mut HashMap<*const TreeTerm<SymbolLang>, f64>,
    ) -> f64 {
        if let Some(&n) = known.get(&Rc::as_ptr(t)) {
            return n;
        }
        let own = f64::from(t.forward_rule.is_some() || t.backward_rule.is_some());
        let n = own + t.child_proofs.iter().flatten().map(|child| steps(child, known)).sum::<f64>();
        known.insert(Rc::as_ptr(t), n);
        n
    }
    let mut known = HashMap::new();
    explanation.explanation_trees.iter().map(|t| steps(t, &mut known)).sum()
}
