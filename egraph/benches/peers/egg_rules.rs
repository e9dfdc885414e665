//! A system's rules as egg rewrites.

use crate::egg_language::{EGraph, ENode, Literals, Symbols, literal};
use egg::{
    Analysis, Applier, ENodeOrVar, Id, Language, PatternAst, Rewrite, SearchMatches, Searcher,
    Subst, Symbol, Var,
};
use egraph::{Condition, Expr, Pattern, Rule, SortId, Value, Variables};

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
            Expr::Apply(operator, args) => match &args[..] {
                [a] => Compiled::Unary(unary(operator.name()), Box::new(compile(a))),
                [a, b] => {
                    Compiled::Binary(binary(operator.name()), Box::new([compile(a), compile(b)]))
                }
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
        _ => None,
    }
}

fn truth(value: Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(b),
        _ => None,
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
            Pattern::Function(..) => unreachable!("no workload has functions on terms"),
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
pub fn plain<A: Analysis<ENode>>(rule: &Rule, symbols: &mut Symbols) -> Rewrite<ENode, A> {
    let mut side = |of| pattern(of, &rule.variables, symbols, &mut Vec::new());
    let (left, right) = (side(&rule.lhs), side(&rule.rhs));
    Rewrite::new(rule.name.as_str(), left, right).expect("a rule whose variables are bound")
}

/// Translates any rule.
pub fn with_literals(rule: &Rule, symbols: &mut Symbols) -> Rewrite<ENode, Literals> {
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
