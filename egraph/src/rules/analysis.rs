//! Analyses: what is known of the terms of a sort beside what they equal, as a rules file declares it.
//!
//! ```text
//! (analysis lo Int Int :merge (max old new))          ; a lower bound; of two the greater one
//! (transfer (lo ?c) ?c)                               ; of a literal: itself
//! (transfer (lo (+ ?a ?b)) (+ (lo ?a) (lo ?b)))       ; of a sum
//! (transfer (name (variable ?x)) ?x)                  ; of a variable: a number made of its name
//! ```
//!
//! A *fact* is a value that an analysis has at a term. Equal terms have the same facts, and two facts of a
//! term are merged. That transfers and merges are true is believed, as it is of rules; that a fact
//! follows from them is checked ([`crate::proof::check`]).

use crate::rules::expression::{EXPRESSION_OPERATORS, Expr, value_fits};
use crate::rules::kinds::Kinds;
use crate::rules::options::{pairs, unexpected};
use crate::rules::pattern::Pattern;
use crate::rules::read::expressions::{expect_literals, read_expr};
use crate::rules::read::patterns::{Side, read_pattern};
use crate::rules::variables::{VarId, Variables};
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{AnalysisId, AnalysisName, Language, Leaf, LeafValue, OpId, SortId};
use crate::term::leaves::Node;
use crate::term::literal::{LiteralKind, Value};
use crate::term::values::bits::Bits;
use crate::text::sexpr::{ParseError, Place, Sexpr};
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

/// Index of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransferId(pub u32);

/// Of what terms a transfer speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferOf {
    /// Applications of an operator; `VarId(i)` is argument `i`.
    Operator(OpId),
    /// Literals; `VarId(0)` is the literal.
    Literals,
    /// Variables; `VarId(0)` is a number made of the name.
    Variables,
}

/// The fact of a term, computed from literals and facts of its arguments; none where these have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Of which analysis.
    pub analysis: AnalysisId,
    /// Of what terms.
    pub of: TransferOf,
    /// The value.
    pub value: Expr,
    /// The arguments, and the facts that the value reads.
    pub variables: Variables,
}

impl Transfer {
    /// The arguments that must be literals, because the value reads them.
    pub fn literals(&self) -> Vec<VarId> {
        let mut literals = Vec::new();
        if !matches!(self.of, TransferOf::Operator(_)) {
            return literals;
        }
        self.value.each_var(&mut |var| {
            if self.variables.fact(var).is_none() && !literals.contains(&var) {
                literals.push(var);
            }
        });
        literals
    }

    /// The value at a leaf, if the transfer speaks of such.
    pub fn at_leaf(&self, language: &Language, leaf: &Leaf) -> Option<Value> {
        let value = match (&leaf.value, self.of) {
            (LeafValue::Literal(value), TransferOf::Literals) => *value,
            (LeafValue::Variable(name), TransferOf::Variables) => {
                let sort = language.analysis(self.analysis).values;
                number_of(name, language.literal_kind(sort)?)?
            }
            _ => return None,
        };
        self.value.eval(&|_| Some(value)).filter(|&value| fits(language, self, value))
    }
}

/// A number made of a name: of its SHA-256 as many bits as there is room for. Names with different
/// numbers are different.
fn number_of(name: &str, kind: LiteralKind) -> Option<Value> {
    let hash = Sha256::digest(name.as_bytes());
    let bits = u64::from_be_bytes(hash[..8].try_into().ok()?);
    match kind {
        LiteralKind::I64 => Some(Value::Int((bits >> 1) as i64)),
        LiteralKind::Bits(width) => Some(Value::Bits(Bits::new(width, bits))),
        _ => None,
    }
}

/// What a rules file says of its analyses, whose names are [`Language::analyses`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analyses {
    /// By [`AnalysisId`]: the fact that follows from two, `VarId(0)` the older and `VarId(1)` the newer
    /// one; where there is no value the older one stays.
    merges: Vec<Expr>,
    /// By [`TransferId`].
    transfers: Vec<Transfer>,
    /// By [`OpId`], and behind them those of leaves.
    of: Vec<Vec<TransferId>>,
}

impl Analyses {
    /// Number of analyses.
    pub fn len(&self) -> usize {
        self.merges.len()
    }

    /// Number of transfers.
    pub fn transfers(&self) -> usize {
        self.transfers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.merges.is_empty()
    }

    /// The transfer behind an id.
    pub fn transfer(&self, TransferId(transfer): TransferId) -> Option<&Transfer> {
        self.transfers.get(transfer as usize)
    }

    /// How many transfers speak of a node at most.
    pub fn most_at_a_node(&self) -> usize {
        self.of.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The transfers that may apply at a node, with whose ids.
    pub fn at<'a>(
        &'a self,
        node: Node<'_>,
    ) -> impl Iterator<Item = (TransferId, &'a Transfer)> + use<'a> {
        let place = match node {
            Node::Op(OpId(op)) => op as usize,
            Node::Leaf(_) => self.of.len().saturating_sub(1),
        };
        let of = self.of.get(place).map_or(&[][..], |of| of);
        of.iter().map(|&id| (id, &self.transfers[id.0 as usize]))
    }

    /// The fact that follows from two of one term. Without a value the older one stays.
    pub fn merge(&self, AnalysisId(analysis): AnalysisId, old: Value, new: Value) -> Value {
        let value = |VarId(var): VarId| Some(if var == 0 { old } else { new });
        let merged = self.merges[usize::from(analysis)].eval(&value);
        merged.filter(|merged| merged.kind() == old.kind()).unwrap_or(old)
    }

    /// The fact of a literal, which has no parts.
    pub fn of_literal(
        &self,
        language: &Language,
        analysis: AnalysisId,
        literal: Value,
    ) -> Option<Value> {
        let leaf =
            Leaf { sort: language.analysis(analysis).sort, value: LeafValue::Literal(literal) };
        let said = self.at(Node::Leaf(&leaf)).filter(|(_, t)| t.analysis == analysis);
        let values = said.filter_map(|(_, transfer)| transfer.at_leaf(language, &leaf));
        values.reduce(|old, new| self.merge(analysis, old, new))
    }

    /// Enters the facts of a term that follow from those of its arguments; `literal` gives the literal
    /// that a term equals.
    pub fn enter_facts_of(
        &self,
        bank: &TermBank,
        t: TermId,
        literal: impl Fn(TermId) -> Option<Value>,
        facts: &mut FxHashMap<(AnalysisId, TermId), Value>,
    ) {
        for (_, transfer) in self.at(bank.node(t)) {
            let arg = |VarId(arg): VarId| bank.children(t)[usize::from(arg)];
            let value = match bank.node(t) {
                Node::Leaf(leaf) => transfer.at_leaf(bank.language(), leaf),
                Node::Op(_) => transfer.value.eval(&|var| match transfer.variables.fact(var) {
                    Some(fact) => facts.get(&(fact.analysis, arg(fact.var))).copied(),
                    None => literal(arg(var)),
                }),
            };
            if let Some(value) = value.filter(|&value| fits(bank.language(), transfer, value)) {
                let known = facts.entry((transfer.analysis, t)).or_insert(value);
                *known = self.merge(transfer.analysis, *known, value);
            }
        }
    }

    fn set_merge(&mut self, AnalysisId(analysis): AnalysisId, merge: Expr) {
        let analysis = usize::from(analysis);
        let older = Expr::Var(VarId(0));
        self.merges.resize(self.merges.len().max(analysis + 1), older);
        self.merges[analysis] = merge;
    }

    fn push_transfer(&mut self, transfer: Transfer, operators: usize) {
        self.of.resize(operators + 1, Vec::new());
        let place = match transfer.of {
            TransferOf::Operator(OpId(op)) => op as usize,
            TransferOf::Literals | TransferOf::Variables => operators,
        };
        self.of[place].push(TransferId(self.transfers.len() as u32));
        self.transfers.push(transfer);
    }
}

/// Whether a value is a literal of the sort that a transfer's analysis has for its values.
pub(crate) fn fits(language: &Language, transfer: &Transfer, value: Value) -> bool {
    let sort = language.analysis(transfer.analysis).values;
    language.literal_kind(sort).is_some_and(|kind| value_fits(kind, value))
}

const DECLARATION: &str =
    "expected (analysis constant) or (analysis name Sort Values :merge expression)";

/// Reads the first three parts of `(analysis name Sort Values :merge …)`.
pub(crate) fn read_name(
    language: &Language,
    args: &[Sexpr],
    place: Place,
    sort: impl Fn(&Sexpr) -> Result<SortId, ParseError>,
) -> Result<AnalysisName, ParseError> {
    let [name, of, values, _, _] = args else { return Err(ParseError::new(place, DECLARATION)) };
    let at = |message: String| ParseError::new(name.place(), message);
    let name = name.atom().ok_or_else(|| at(DECLARATION.to_owned()))?;
    let taken = EXPRESSION_OPERATORS.split(' ').chain(["const", "compute"]).any(|op| op == name);
    if taken || name.starts_with(['?', ':']) {
        return Err(at(format!("'{name}' can't be an analysis: expected another name")));
    }
    if language.analysis_named(name).is_some() || language.operator(name).is_some() {
        return Err(at(format!("'{name}' is declared twice")));
    }
    if language.analyses.len() >= usize::from(u16::MAX) {
        return Err(ParseError::new(place, "too many analyses"));
    }
    Ok(AnalysisName { name: name.to_owned(), sort: sort(of)?, values: sort(values)? })
}

/// Reads the rest of `(analysis name Sort Values :merge …)`.
pub(crate) fn read_merge(
    language: &Language,
    analyses: &mut Analyses,
    args: &[Sexpr],
    place: Place,
) -> Result<(), ParseError> {
    let [name, _, values, options @ ..] = args else {
        return Err(ParseError::new(place, DECLARATION));
    };
    // What is wrong with its name was said before.
    let known = name.atom().and_then(|name| language.analysis_named(name));
    let Some(id) = known else { return Ok(()) };
    let analysis = language.analysis(id);
    let Some(kind) = language.literal_kind(analysis.values) else {
        let sort = language.sort_name(analysis.values);
        let message = format!("values of an analysis are literals: sort {sort} has none");
        return Err(ParseError::new(values.place(), message));
    };
    for (key, at, value) in pairs(options)? {
        if key != ":merge" {
            return Err(unexpected(":merge", &[":merge"], key, at));
        }
        let names = vec!["old".to_owned(), "new".to_owned()];
        let sorts = vec![analysis.values; 2];
        let mut variables = Variables { names, sorts, facts: Vec::new() };
        let mut merge = read_expr(language, &mut variables, value)?;
        let kinds = Kinds { language, variables: &variables };
        kinds.fit_only(&mut merge, value, kind)?;
        analyses.set_merge(id, merge);
    }
    Ok(())
}

/// Reads `(transfer (name term) value)`.
pub(crate) fn read_transfer(
    language: &Language,
    analyses: &mut Analyses,
    args: &[Sexpr],
    place: Place,
) -> Result<(), ParseError> {
    let form = "expected (transfer (analysis (op ?a …)) value), with distinct variables, \
                (transfer (analysis ?literal) value) or (transfer (analysis (variable ?name)) value)";
    let [head, value] = args else { return Err(ParseError::new(place, form)) };
    let Some([name, term]) = head.list() else { return Err(ParseError::new(head.place(), form)) };
    let name = name.atom().unwrap_or("");
    let analysis = language.analysis_named(name).ok_or_else(|| {
        let message = format!("'{name}' is no analysis: declare it with (analysis {name} …)");
        ParseError::new(head.place(), message)
    })?;
    let sort = language.analysis(analysis).sort;
    if let Some([head, name]) = term.list()
        && head.atom() == Some("variable")
        && language.operator("variable").is_none()
    {
        return read_transfer_of_names(language, analyses, analysis, (term, name), value);
    }
    let mut variables = Variables::default();
    let pattern = read_pattern(language, &mut variables, term, Some(sort), Side::Left)?;
    let of = match pattern {
        Pattern::Op(op, args) => {
            let variable = |arg: &Pattern| matches!(arg, Pattern::Var(_));
            if !args.iter().all(variable) || variables.names.len() != args.len() {
                return Err(ParseError::new(term.place(), form));
            }
            TransferOf::Operator(op)
        }
        Pattern::Var(_) => TransferOf::Literals,
        Pattern::Leaf(_) | Pattern::Function(..) | Pattern::Compute(..) => {
            return Err(ParseError::new(term.place(), form));
        }
    };
    let mut expr = read_expr(language, &mut variables, value)?;
    if let Some(kind) = language.literal_kind(language.analysis(analysis).values) {
        Kinds { language, variables: &variables }.fit_only(&mut expr, value, kind)?;
    }
    let transfer = Transfer { analysis, of, value: expr, variables };
    expect_literals(language, &transfer.variables, transfer.literals(), value.place())?;
    if of == TransferOf::Literals
        && (language.literal_kind(sort).is_none() || !transfer.variables.facts.is_empty())
    {
        return Err(ParseError::new(term.place(), form));
    }
    analyses.push_transfer(transfer, language.operators.len());
    Ok(())
}

/// Reads the rest of `(transfer (analysis (variable ?name)) value)`.
fn read_transfer_of_names(
    language: &Language,
    analyses: &mut Analyses,
    analysis: AnalysisId,
    (term, name): (&Sexpr, &Sexpr),
    value: &Sexpr,
) -> Result<(), ParseError> {
    let declared = language.analysis(analysis);
    let kind = language.literal_kind(declared.values);
    let Some(kind) = kind.filter(|&kind| number_of("", kind).is_some()) else {
        let message = "of a name a number is made, of kind i64 or (bits N): the values of this \
                       analysis are of another";
        return Err(ParseError::new(term.place(), message));
    };
    let Some(name) = name.atom().filter(|name| name.starts_with('?')) else {
        return Err(ParseError::new(name.place(), "expected a pattern variable, as ?name"));
    };
    if !language.variables.contains(&declared.sort) {
        let sort = language.sort_name(declared.sort);
        let message = format!("sort {sort} has no variables: declare them with (variable {sort})");
        return Err(ParseError::new(term.place(), message));
    }
    let (names, sorts) = (vec![name.to_owned()], vec![declared.values]);
    let mut variables = Variables { names, sorts, facts: Vec::new() };
    let mut expr = read_expr(language, &mut variables, value)?;
    Kinds { language, variables: &variables }.fit_only(&mut expr, value, kind)?;
    if !variables.facts.is_empty() {
        return Err(ParseError::new(
            value.place(),
            "a variable has no parts whose facts are known",
        ));
    }
    let of = TransferOf::Variables;
    let transfer = Transfer { analysis, of, value: expr, variables };
    analyses.push_transfer(transfer, language.operators.len());
    Ok(())
}
