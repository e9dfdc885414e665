//! The same workload in egg: a system's language and rules as an egg language and rewrites.
//!
//! egg must not be slower for being given its language at run time:
//!
//! - an e-node is an operator number and two children, 12 bytes, like a `define_language!` enum
//!   with children `[Id; 2]`; the operator number is the discriminant, and its arity is in the
//!   number's last bits;
//! - patterns are egg's own `Pattern`s; an unconditional rule is a plain `Rewrite`;
//! - a system that neither folds constants nor asks for literals has the analysis `()`;
//! - conditions and computations are compiled once, to function pointers.
//!
//! `--languages` measures egg with this language and with a `define_language!` enum of the same
//! 12 bytes: the same within the noise. (16 bytes, as an enum with 64-bit literals has, make egg a
//! tenth faster on the rows that fit in the cache, a fifth slower on prop, and larger.)
//!
//! Conditions are tested while searching, against the e-graph as it was before the iteration, as
//! Cairn does. (egg's `ConditionalApplier` tests while applying, so that the order of rules shows;
//! and rejected matches would be stored, and counted by the back-off scheduler.)

use crate::allocator;
use crate::workloads::{Run, Stop, Workload};
use egg::{
    Analysis, Applier, BackoffScheduler, DidMerge, ENodeOrVar, Id, Language, PatternAst, RecExpr,
    Rewrite, RewriteScheduler, Runner, SearchMatches, Searcher, SimpleScheduler, Subst, Symbol,
    Var,
};
use egraph::{
    Builtin, Condition, Expr, Leaf, LeafValue, LiteralKind, Node, OpId, Pattern, Rule, Scheduler,
    SortId, System, Value, Variables,
};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// An operator number, see [`Symbols`], and as many children as its arity says; the rest is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ENode {
    op: u32,
    children: [Id; 2],
}

impl ENode {
    fn new(op: u32, of: &[Id]) -> ENode {
        let mut children = [Id::from(0); 2];
        children[..of.len()].copy_from_slice(of);
        ENode { op, children }
    }
}

impl Language for ENode {
    type Discriminant = u32;

    fn discriminant(&self) -> u32 {
        self.op
    }

    fn matches(&self, other: &ENode) -> bool {
        self.op == other.op
    }

    fn children(&self) -> &[Id] {
        &self.children[..(self.op & 3) as usize]
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.children[..(self.op & 3) as usize]
    }
}

/// The numbers of operators and leaves: four times an index, operators first, plus the arity.
#[derive(Clone)]
struct Symbols {
    operators: Vec<(Option<Builtin>, SortId)>,
    literal_kinds: Vec<(LiteralKind, SortId)>,
    leaves: Vec<Leaf>,
    numbers: HashMap<Leaf, u32>,
}

impl Symbols {
    fn new(system: &System) -> Symbols {
        let language = &system.language;
        let folded = |b: Option<Builtin>| b.filter(|_| language.constant_folding);
        assert!(language.operators.iter().all(|op| op.args.len() <= 2), "at most two children");
        Symbols {
            operators: language.operators.iter().map(|o| (folded(o.builtin), o.result)).collect(),
            literal_kinds: language.literals.clone(),
            leaves: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    fn op(op: OpId, arity: usize) -> u32 {
        op.0 << 2 | arity as u32
    }

    fn leaf(&mut self, leaf: &Leaf) -> u32 {
        if let Some(&number) = self.numbers.get(leaf) {
            return number;
        }
        let number = ((self.operators.len() + self.leaves.len()) as u32) << 2;
        self.leaves.push(leaf.clone());
        self.numbers.insert(leaf.clone(), number);
        number
    }

    /// The value of an operator number that is a literal's.
    fn literal(&self, number: u32) -> Option<Value> {
        let leaf = (number as usize >> 2).checked_sub(self.operators.len())?;
        match self.leaves[leaf].value {
            LeafValue::Literal(value) => Some(value),
            LeafValue::Variable(_) => None,
        }
    }

    /// The operator number of a value as a literal of a sort, if it can be one.
    fn literal_number(&mut self, value: Value, sort: SortId) -> Option<u32> {
        let kind = match value {
            Value::Int(_) => LiteralKind::I64,
            Value::Bool(_) => LiteralKind::Bool,
        };
        let leaf = Leaf { sort, value: LeafValue::Literal(value) };
        self.literal_kinds.contains(&(kind, sort)).then(|| self.leaf(&leaf))
    }
}

/// The literal that a class equals, by its operator number. Nothing is pruned, as in Cairn.
struct Literals {
    symbols: Symbols,
    reason: Symbol,
}

type EGraph = egg::EGraph<ENode, Literals>;

impl Analysis<ENode> for Literals {
    type Data = Option<u32>;

    fn make(egraph: &mut EGraph, node: &ENode, _: Id) -> Option<u32> {
        let symbols = &egraph.analysis.symbols;
        let Some(&(builtin, sort)) = symbols.operators.get(node.op as usize >> 2) else {
            return symbols.literal(node.op).map(|_| node.op);
        };
        let (builtin, mut values) = (builtin?, [Value::Bool(false); 2]);
        for (value, child) in values.iter_mut().zip(node.children()) {
            *value = symbols.literal(egraph[*child].data?)?;
        }
        let value = builtin.eval(&values[..node.children().len()])?;
        egraph.analysis.symbols.literal_number(value, sort)
    }

    fn merge(&mut self, to: &mut Option<u32>, from: Option<u32>) -> DidMerge {
        egg::merge_option(to, from, |a, b| {
            assert_eq!(*a, b, "distinct literals merged");
            DidMerge(false, false)
        })
    }

    fn modify(egraph: &mut EGraph, id: Id) {
        let Some(number) = egraph[id].data else { return };
        let literal = egraph.add(ENode::new(number, &[]));
        if egraph.find(literal) == egraph.find(id) {
            return;
        }
        if egraph.are_explanations_enabled() {
            let reason = egraph.analysis.reason;
            egraph.union_trusted(id, literal, reason);
        } else {
            egraph.union(id, literal);
        }
    }
}

fn literal(egraph: &EGraph, id: Id) -> Option<Value> {
    egraph.analysis.symbols.literal(egraph[id].data?)
}

/// An expression of a condition or computation.
enum Compiled {
    Value(Value),
    Var(Var),
    Unary(fn(Value) -> Option<Value>, Box<Compiled>),
    Binary(fn(Value, Value) -> Option<Value>, Box<[Compiled; 2]>),
}

impl Compiled {
    fn new(expr: &Expr, variables: &Variables) -> Compiled {
        let compile = |e| Compiled::new(e, variables);
        match expr {
            Expr::Value(value) => Compiled::Value(*value),
            Expr::Var(var) => Compiled::Var(egg_var(&variables.names[var.0 as usize])),
            Expr::Apply(name, args) => match &args[..] {
                [a] => Compiled::Unary(unary(name), Box::new(compile(a))),
                [a, b] => Compiled::Binary(binary(name), Box::new([compile(a), compile(b)])),
                _ => unreachable!("expressions have one argument or two"),
            },
        }
    }

    fn eval(&self, egraph: &EGraph, subst: &Subst) -> Option<Value> {
        match self {
            Compiled::Value(value) => Some(*value),
            Compiled::Var(var) => literal(egraph, subst[*var]),
            Compiled::Unary(f, a) => f(a.eval(egraph, subst)?),
            Compiled::Binary(f, args) => {
                f(args[0].eval(egraph, subst)?, args[1].eval(egraph, subst)?)
            }
        }
    }
}

fn unary(name: &str) -> fn(Value) -> Option<Value> {
    match name {
        "-" => |a| Some(Value::Int(int(a)?.checked_neg()?)),
        "abs" => |a| Some(Value::Int(int(a)?.checked_abs()?)),
        "!" => |a| Some(Value::Bool(!truth(a)?)),
        _ => panic!("no operator {name} with one argument"),
    }
}

fn binary(name: &str) -> fn(Value, Value) -> Option<Value> {
    match name {
        "+" => |a, b| Some(Value::Int(int(a)?.checked_add(int(b)?)?)),
        "-" => |a, b| Some(Value::Int(int(a)?.checked_sub(int(b)?)?)),
        "*" => |a, b| Some(Value::Int(int(a)?.checked_mul(int(b)?)?)),
        "/" => |a, b| match (int(a)?, int(b)?) {
            (_, 0) => Some(Value::Int(0)),
            (a, b) => Some(Value::Int(a.checked_div_euclid(b)?)),
        },
        "%" => |a, b| match (int(a)?, int(b)?) {
            (_, 0) => Some(Value::Int(0)),
            (a, b) => Some(Value::Int(a.wrapping_rem_euclid(b))),
        },
        "min" => |a, b| Some(Value::Int(int(a)?.min(int(b)?))),
        "max" => |a, b| Some(Value::Int(int(a)?.max(int(b)?))),
        "<" => |a, b| Some(Value::Bool(int(a)? < int(b)?)),
        "<=" => |a, b| Some(Value::Bool(int(a)? <= int(b)?)),
        ">" => |a, b| Some(Value::Bool(int(a)? > int(b)?)),
        ">=" => |a, b| Some(Value::Bool(int(a)? >= int(b)?)),
        "==" => |a, b| Some(Value::Bool(int(a)? == int(b)?)),
        "!=" => |a, b| Some(Value::Bool(int(a)? != int(b)?)),
        "&&" => |a, b| Some(Value::Bool(truth(a)? && truth(b)?)),
        "||" => |a, b| Some(Value::Bool(truth(a)? || truth(b)?)),
        _ => panic!("no operator {name} with two arguments"),
    }
}

fn int(value: Value) -> Option<i64> {
    match value {
        Value::Int(i) => Some(i),
        Value::Bool(_) => None,
    }
}

fn truth(value: Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(b),
        Value::Int(_) => None,
    }
}

/// A left-hand side whose matches must satisfy conditions. The literals of computations must
/// exist, too.
struct Conditional {
    pattern: egg::Pattern<ENode>,
    literals: Vec<Var>,
    conditions: Vec<Compiled>,
    computations: Vec<Computation>,
}

impl Conditional {
    fn holds(&self, egraph: &EGraph, subst: &Subst) -> bool {
        self.literals.iter().all(|var| egraph[subst[*var]].data.is_some())
            && self.conditions.iter().all(|c| c.eval(egraph, subst) == Some(Value::Bool(true)))
            && self.computations.iter().all(|c| c.expr.eval(egraph, subst).is_some())
    }
}

impl Searcher<ENode, Literals> for Conditional {
    fn search_eclass_with_limit(
        &self,
        egraph: &EGraph,
        eclass: Id,
        limit: usize,
    ) -> Option<SearchMatches<'_, ENode>> {
        let mut found = self.pattern.search_eclass(egraph, eclass)?;
        found.substs.retain(|subst| self.holds(egraph, subst));
        found.substs.truncate(limit);
        (!found.substs.is_empty()).then_some(found)
    }

    fn search_with_limit(
        &self,
        egraph: &EGraph,
        mut limit: usize,
    ) -> Vec<SearchMatches<'_, ENode>> {
        let Some(ENodeOrVar::ENode(root)) = self.pattern.ast.last() else {
            unreachable!("a conditional rule for a bare variable");
        };
        let mut all = Vec::new();
        for class in egraph.classes_for_op(&root.discriminant()).into_iter().flatten() {
            if limit == 0 {
                break;
            }
            if let Some(found) = self.search_eclass_with_limit(egraph, class, limit) {
                limit -= found.substs.len();
                all.push(found);
            }
        }
        all
    }

    fn get_pattern_ast(&self) -> Option<&PatternAst<ENode>> {
        Some(&self.pattern.ast)
    }

    fn vars(&self) -> Vec<Var> {
        self.pattern.vars()
    }
}

/// A computed literal on a right-hand side, where it is a variable.
struct Computation {
    var: Var,
    expr: Compiled,
    sort: SortId,
}

/// A right-hand side with computed literals.
struct Computed {
    pattern: egg::Pattern<ENode>,
    computations: Vec<Computation>,
}

impl Applier<ENode, Literals> for Computed {
    fn apply_one(
        &self,
        egraph: &mut EGraph,
        eclass: Id,
        subst: &Subst,
        searched: Option<&PatternAst<ENode>>,
        rule: Symbol,
    ) -> Vec<Id> {
        let mut subst = subst.clone();
        for computation in &self.computations {
            let value = computation.expr.eval(egraph, &subst);
            let symbols = &mut egraph.analysis.symbols;
            let number = value.and_then(|v| symbols.literal_number(v, computation.sort));
            let number = number.expect("a match whose computations have values");
            subst.insert(computation.var, egraph.add(ENode::new(number, &[])));
        }
        self.pattern.apply_one(egraph, eclass, &subst, searched, rule)
    }
}

fn egg_var(name: &str) -> Var {
    name.parse().expect("a name with a question mark")
}

/// Translates one side of a rule; computations become variables and are pushed to `computed`.
fn pattern(
    side: &Pattern,
    variables: &Variables,
    symbols: &mut Symbols,
    computed: &mut Vec<(Var, Expr, SortId)>,
) -> egg::Pattern<ENode> {
    fn add(
        side: &Pattern,
        variables: &Variables,
        symbols: &mut Symbols,
        computed: &mut Vec<(Var, Expr, SortId)>,
        ast: &mut PatternAst<ENode>,
    ) -> Id {
        let node = match side {
            Pattern::Var(var) => ENodeOrVar::Var(egg_var(&variables.names[var.0 as usize])),
            Pattern::Leaf(leaf) => ENodeOrVar::ENode(ENode::new(symbols.leaf(leaf), &[])),
            Pattern::Op(op, args) => {
                let mut add = |arg| add(arg, variables, symbols, computed, ast);
                let children: Vec<Id> = args.iter().map(&mut add).collect();
                ENodeOrVar::ENode(ENode::new(Symbols::op(*op, args.len()), &children))
            }
            Pattern::Compute(expr, sort) => {
                let var = egg_var(&format!("?computed-{}", computed.len()));
                computed.push((var, expr.clone(), *sort));
                ENodeOrVar::Var(var)
            }
        };
        ast.add(node)
    }
    let mut ast = PatternAst::default();
    add(side, variables, symbols, computed, &mut ast);
    egg::Pattern::new(ast)
}

/// Translates a rule that reads no literals.
fn plain<A: Analysis<ENode>>(rule: &Rule, symbols: &mut Symbols) -> Rewrite<ENode, A> {
    let mut side = |of| pattern(of, &rule.variables, symbols, &mut Vec::new());
    let (left, right) = (side(&rule.lhs), side(&rule.rhs));
    Rewrite::new(rule.name.as_str(), left, right).expect("a rule whose variables are bound")
}

/// Translates any rule.
fn with_literals(rule: &Rule, symbols: &mut Symbols) -> Rewrite<ENode, Literals> {
    if rule.literal_vars().is_empty() {
        return plain(rule, symbols);
    }
    let compile = |expr: &Expr| Compiled::new(expr, &rule.variables);
    let mut computed = Vec::new();
    let left = pattern(&rule.lhs, &rule.variables, symbols, &mut Vec::new());
    let right = pattern(&rule.rhs, &rule.variables, symbols, &mut computed);
    let computations = || -> Vec<Computation> {
        let each =
            |(var, expr, sort): &_| Computation { var: *var, expr: compile(expr), sort: *sort };
        computed.iter().map(each).collect()
    };
    let vars = rule.literal_vars();
    let searcher = Conditional {
        pattern: left,
        literals: vars.iter().map(|v| egg_var(&rule.variables.names[v.0 as usize])).collect(),
        conditions: rule
            .conditions
            .iter()
            .filter_map(|c| match c {
                Condition::Const(_) => None, // among `literals`
                Condition::Holds(expr) => Some(compile(expr)),
            })
            .collect(),
        computations: computations(),
    };
    let rewrite = if computed.is_empty() {
        Rewrite::new(rule.name.as_str(), searcher, right)
    } else {
        let applier = Computed { pattern: right, computations: computations() };
        Rewrite::new(rule.name.as_str(), searcher, applier)
    };
    rewrite.expect("a rule whose variables are bound")
}

/// Runs egg.
pub fn run(workload: &Workload, system: &System, explanations: bool) -> Run {
    let mut symbols = Symbols::new(system);
    let start = start(workload, system, &mut symbols);
    if system.language.constant_folding || system.rules.iter().any(|r| !r.literal_vars().is_empty())
    {
        let rules: Vec<_> = system.rules.iter().map(|r| with_literals(r, &mut symbols)).collect();
        let analysis = Literals { symbols, reason: Symbol::from("constant folding") };
        grow(workload, analysis, &rules, &start, explanations)
    } else {
        let rules: Vec<_> = system.rules.iter().map(|r| plain(r, &mut symbols)).collect();
        grow(workload, (), &rules, &start, explanations)
    }
}

fn start(workload: &Workload, system: &System, symbols: &mut Symbols) -> RecExpr<ENode> {
    let (bank, root) = workload.start_term(system);
    let mut start = RecExpr::default();
    let mut ids = HashMap::new();
    for term in bank.subterms(root) {
        let children: Vec<Id> = bank.children(term).iter().map(|c| ids[c]).collect();
        let op = match bank.node(term) {
            Node::Op(op) => Symbols::op(op, children.len()),
            Node::Leaf(leaf) => symbols.leaf(leaf),
        };
        ids.insert(term, start.add(ENode::new(op, &children)));
    }
    start
}

/// egg's back-off scheduler, but when nothing else changes the e-graph all bans end, as in Cairn;
/// egg moves them all forward until the first ends.
struct LiftAll(BackoffScheduler);

impl<L: Language, A: Analysis<L>> RewriteScheduler<L, A> for LiftAll {
    fn can_stop(&mut self, iteration: usize) -> bool {
        let inner: &mut dyn RewriteScheduler<L, A> = &mut self.0;
        if inner.can_stop(iteration) {
            return true;
        }
        while !inner.can_stop(iteration) {}
        false
    }

    fn search_rewrite<'a>(
        &mut self,
        iteration: usize,
        egraph: &egg::EGraph<L, A>,
        rewrite: &'a Rewrite<L, A>,
    ) -> Vec<SearchMatches<'a, L>> {
        self.0.search_rewrite(iteration, egraph, rewrite)
    }
}

/// Runs egg in any language.
pub fn grow<L: Language, A: Analysis<L>>(
    workload: &Workload,
    analysis: A,
    rules: &[Rewrite<L, A>],
    start: &RecExpr<L>,
    explanations: bool,
) -> Run {
    let before = allocator::live();
    allocator::reset_peak();
    let began = Instant::now();
    let mut runner = Runner::<L, A, ()>::new(analysis)
        .with_node_limit(usize::MAX)
        .with_time_limit(Duration::from_secs(3_600))
        .with_iter_limit(match workload.stop {
            Stop::Saturated(_) => usize::MAX,
            Stop::Iterations(n) => n as usize,
        });
    if explanations {
        runner = runner.with_explanations_enabled();
    }
    runner = match workload.scheduler {
        Scheduler::Simple => runner.with_scheduler(SimpleScheduler),
        Scheduler::Backoff => runner.with_scheduler(LiftAll(BackoffScheduler::default())),
    };
    let runner = runner.with_expr(start).run(rules);
    let seconds = began.elapsed().as_secs_f64();
    Run {
        seconds,
        live: allocator::live() - before,
        peak: allocator::peak() - before,
        nodes: runner.egraph.total_number_of_nodes(),
        classes: runner.egraph.number_of_classes(),
    }
}
