//! What a term costs: one or more measures, compared lexicographically.
//!
//! A measure is a number that every node has by itself, and a way to put these together: their sum, the
//! largest sum on a way from the root to a leaf, or what a rules file says of an application over costs of its
//! arguments. So no measure is less for a term than for a part of it, which is all that extraction needs to know.
//!
//! Where equal parts of a term count once, arguments whose costs such an application counts are *inside* it: they count
//! as trees, and as often as it says.

use crate::rules::analysis::Analyses;
use crate::rules::costs::declared::{BUILT_IN, DEFAULT, DeclaredCost, Weight};
use crate::rules::costs::read::Read;
use crate::rules::costs::unit::{Amount, Unit, read_fraction};
use crate::rules::costs::whole::UNKNOWN;
use crate::rules::expression::Expr;
use crate::rules::system::System;
use crate::rules::variables::Variables;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::OpId;
use crate::term::leaves::Node;
use crate::term::literal::Value;
use crate::term::values::rational::Rational;
use crate::text::similar::did_you_mean;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Stands for "no term", and for a cost that does not fit.
pub(crate) const NONE: u64 = UNKNOWN;

/// What a term costs, by measure; less is better.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(pub(crate) SmallVec<[u64; 3]>);

impl Cost {
    /// By measure of its function, the first the most important one; in parts of one where the rules file speaks of
    /// fractions ([`CostFunction::asked`]).
    pub fn values(&self) -> &[u64] {
        &self.0
    }
}

/// How costs are computed. Of terms that the measures asked for do not tell apart the smaller is better,
/// so that every node costs something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostFunction {
    measures: Vec<Measure>,
    /// How many of them were asked for.
    asked: usize,
    /// From which the facts follow that measures read.
    analyses: Arc<Analyses>,
}

/// One number of a cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Nodes of the term.
    Size,
    /// Nodes on the longest way from the root to a leaf.
    Depth,
    /// The sum of what a rules file says.
    Declared(DeclaredCost),
    /// A sum of sums, so many times each, counted in parts of its own.
    Weighted(String, Vec<(u64, Measure)>, Unit),
}

impl Measure {
    /// What every node costs at least.
    fn least(&self) -> u64 {
        match self {
            Measure::Size | Measure::Depth => 1,
            Measure::Declared(declared) => declared.least(),
            Measure::Weighted(_, all, _) => all.iter().fold(0, |sum, (times, measure)| {
                sum.saturating_add(times.saturating_mul(measure.least()))
            }),
        }
    }

    fn name(&self) -> &str {
        match self {
            Measure::Size => BUILT_IN[0],
            Measure::Depth => BUILT_IN[1],
            Measure::Declared(declared) => &declared.name,
            Measure::Weighted(name, ..) => name,
        }
    }

    /// What its values are counted in.
    fn unit(&self) -> Unit {
        match self {
            Measure::Size | Measure::Depth => Unit::ONE,
            Measure::Declared(declared) => declared.unit,
            Measure::Weighted(.., unit) => *unit,
        }
    }

    /// Whether it is a sum over the nodes of a term, each by itself.
    fn is_plain_sum(&self) -> bool {
        match self {
            Measure::Size | Measure::Weighted(..) => true,
            Measure::Depth => false,
            Measure::Declared(declared) => !declared.has_wholes(),
        }
    }

    /// As [`Kind::over`].
    pub(crate) fn over(
        &self,
        node: Node<'_>,
        value: impl Fn(Read) -> Option<Value>,
        parts: impl Iterator<Item = u64>,
    ) -> u64 {
        match self {
            Measure::Size => Size.over(|| node, value, parts),
            Measure::Depth => Depth.over(|| node, value, parts),
            Measure::Declared(declared) => declared.over(|| node, value, parts),
            Measure::Weighted(_, all, _) => all[..].over(|| node, value, parts),
        }
    }

    fn own(&self, node: Node<'_>, value: &dyn Fn(Read) -> Option<Value>) -> u64 {
        match self {
            Measure::Size => Size.own(|| node, value),
            Measure::Depth => Depth.own(|| node, value),
            Measure::Declared(declared) => declared.own(|| node, value),
            Measure::Weighted(_, all, _) => all[..].own(|| node, value),
        }
    }
}

/// What one measure computes. The loops that go over all e-nodes are compiled for each of its kinds.
pub(crate) trait Kind {
    /// What a node costs by itself; [`NONE`] where that is not known. `value` gives what is read of its
    /// arguments.
    fn own<'n>(
        &self,
        node: impl FnOnce() -> Node<'n>,
        value: impl Fn(Read) -> Option<Value>,
    ) -> u64;

    /// Puts the value of a part to that of others.
    #[inline]
    fn join(&self, parts: u64, part: u64) -> u64 {
        parts.saturating_add(part)
    }

    /// The value of a node over parts of these values; [`NONE`] where one is not known.
    #[inline]
    fn over<'n>(
        &self,
        node: impl Fn() -> Node<'n>,
        value: impl Fn(Read) -> Option<Value>,
        parts: impl Iterator<Item = u64>,
    ) -> u64 {
        self.own(node, value).saturating_add(parts.fold(0, |parts, part| self.join(parts, part)))
    }
}

/// See [`Measure::Size`].
pub(crate) struct Size;

impl Kind for Size {
    #[inline]
    fn own<'n>(&self, _: impl FnOnce() -> Node<'n>, _: impl Fn(Read) -> Option<Value>) -> u64 {
        1
    }
}

/// See [`Measure::Depth`].
pub(crate) struct Depth;

impl Kind for Depth {
    #[inline]
    fn own<'n>(&self, _: impl FnOnce() -> Node<'n>, _: impl Fn(Read) -> Option<Value>) -> u64 {
        1
    }

    #[inline]
    fn join(&self, parts: u64, part: u64) -> u64 {
        parts.max(part)
    }
}

impl Kind for DeclaredCost {
    #[inline]
    fn own<'n>(
        &self,
        node: impl FnOnce() -> Node<'n>,
        value: impl Fn(Read) -> Option<Value>,
    ) -> u64 {
        self.weight(node(), value).unwrap_or(NONE)
    }

    #[inline]
    fn over<'n>(
        &self,
        node: impl Fn() -> Node<'n>,
        value: impl Fn(Read) -> Option<Value>,
        parts: impl Iterator<Item = u64>,
    ) -> u64 {
        match self.whole(node()) {
            None => self.own(node, value).saturating_add(parts.fold(0, u64::saturating_add)),
            Some(whole) => {
                let parts: SmallVec<[u64; 4]> = parts.collect();
                let rest = parts.iter().enumerate().filter(|(i, _)| !whole.counted.contains(i));
                let rest = rest.fold(0, |sum: u64, (_, part)| sum.saturating_add(*part));
                whole.value(self.unit, value, |argument| parts[argument]).saturating_add(rest)
            }
        }
    }
}

impl Kind for [(u64, Measure)] {
    fn own<'n>(
        &self,
        node: impl FnOnce() -> Node<'n>,
        value: impl Fn(Read) -> Option<Value>,
    ) -> u64 {
        let node = node();
        let of = |(times, measure): &(u64, Measure)| match measure.own(node, &value) {
            NONE => NONE,
            own => times.saturating_mul(own),
        };
        self.iter().map(of).fold(0, u64::saturating_add)
    }
}

impl CostFunction {
    /// Number of nodes.
    pub fn size() -> CostFunction {
        CostFunction { measures: vec![Measure::Size], asked: 1, analyses: Arc::default() }
    }

    /// The costs with these names, comma-separated, the most important one first: `size`, `depth`, those that the
    /// system declares, and sums of sums as `3*flops+size`.
    ///
    /// # Errors
    /// A name that is unknown or stands twice, or a sum of what is none.
    pub fn named(system: &System, names: &str) -> Result<CostFunction, String> {
        CostFunction::of(&system.costs, &system.analyses, names)
    }

    /// As [`CostFunction::named`], of these costs.
    pub(crate) fn of(
        costs: &[DeclaredCost],
        analyses: &Arc<Analyses>,
        names: &str,
    ) -> Result<CostFunction, String> {
        let mut measures: Vec<Measure> = Vec::new();
        for name in names.split(',').map(str::trim) {
            let is_declared = costs.iter().any(|cost| cost.name == name);
            let measure = match !is_declared && name.contains(['+', '*']) {
                false => measure(costs, name)?,
                true => weighted(costs, name)?,
            };
            if measures.contains(&measure) {
                return Err(format!("'{name}' stands twice"));
            }
            measures.push(measure);
        }
        let asked = measures.len();
        if !measures.contains(&Measure::Size) {
            measures.push(Measure::Size);
        }
        Ok(CostFunction { measures, asked, analyses: Arc::clone(analyses) })
    }

    /// The same, where a term with one of these operators has no known cost.
    #[must_use]
    pub fn without(mut self, operators: &[OpId]) -> CostFunction {
        if operators.is_empty() {
            return self;
        }
        let mut refused = DeclaredCost::new("", 0);
        for &op in operators {
            // A negative weight is none.
            let none = Expr::Value(Value::Int(-1));
            refused.set(op, Weight::Computed(none, Variables::default()));
        }
        self.measures.push(Measure::Declared(refused));
        self
    }

    /// The names of the measures that were asked for.
    pub fn names(&self) -> Vec<&str> {
        self.measures[..self.asked].iter().map(Measure::name).collect()
    }

    /// The values of the measures that were asked for.
    pub fn asked(&self, cost: &Cost) -> Vec<Amount> {
        let measures = self.measures[..self.asked].iter().zip(&cost.0);
        measures.map(|(measure, &parts)| measure.unit().amount(parts)).collect()
    }

    /// What so many parts of the first measure are.
    pub fn amount(&self, parts: u64) -> Amount {
        self.measures[0].unit().amount(parts)
    }

    /// A cost as text: `12`, or `flops 200, size 9` where several were asked for.
    pub fn text(&self, cost: &Cost) -> String {
        match (&self.asked(cost)[..], &self.names()[..]) {
            ([value], _) => value.to_string(),
            (values, names) => {
                let pairs = names.iter().zip(values).map(|(name, value)| format!("{name} {value}"));
                pairs.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// No term costs less than this.
    pub fn least(&self) -> Cost {
        Cost(self.measures.iter().map(Measure::least).collect())
    }

    /// Whether a term costs less than another just if it has fewer nodes.
    pub fn counts_nodes(&self) -> bool {
        self.asked == 1
            && match &self.measures[0] {
                Measure::Size => true,
                Measure::Declared(declared) => declared.is_uniform(),
                Measure::Depth | Measure::Weighted(..) => false,
            }
    }

    /// Number of measures, the last one that tells equally good terms apart included.
    pub(crate) fn measures(&self) -> usize {
        self.measures.len()
    }

    /// Whether each measure can be taken over distinct parts as well: all can but depth.
    pub fn is_sum(&self) -> bool {
        !self.measures.contains(&Measure::Depth)
    }

    /// Whether the argument with this number is inside the application: one of the measures counts its cost in a way of its
    /// own.
    pub(crate) fn is_inside(&self, node: Node<'_>, argument: usize) -> bool {
        self.measures.iter().any(|measure| match measure {
            Measure::Declared(declared) => {
                declared.whole(node).is_some_and(|whole| whole.counted.contains(&argument))
            }
            _ => false,
        })
    }

    /// One of the measures.
    pub(crate) fn measure(&self, measure: usize) -> &Measure {
        &self.measures[measure]
    }

    /// The cost of a term as a tree, if it is known: expressions of the rules file need literals,
    /// which are those that stand there, or that built-in operators evaluate to, and facts, which are
    /// those that follow from transfers alone.
    pub fn of_term(&self, bank: &TermBank, term: TermId) -> Option<Cost> {
        let mut costs: FxHashMap<TermId, Cost> = FxHashMap::default();
        self.each_subterm(bank, &[term], |t, read| {
            let part = |m: usize| bank.children(t).iter().map(|c| costs[c].0[m]).collect();
            let cost = self.of_node(bank, t, read, part);
            costs.insert(t, cost);
        });
        known(costs.remove(&term)?)
    }

    /// The cost of a term as a DAG, where equal parts count once, but for those inside an application that counts
    /// them in a way of its own; if it is known and there is no depth.
    pub fn of_dag(&self, bank: &TermBank, term: TermId) -> Option<Cost> {
        self.of_dags(bank, &[term])
    }

    /// As [`CostFunction::of_dag`], of several terms whose equal parts count once.
    pub fn of_dags(&self, bank: &TermBank, terms: &[TermId]) -> Option<Cost> {
        if !self.is_sum() {
            return None;
        }
        // By term: what it costs as a tree, and what it adds to the cost of a DAG.
        let mut costs: FxHashMap<TermId, [Cost; 2]> = FxHashMap::default();
        let is_inside = |t: TermId, i: usize| self.is_inside(bank.node(t), i);
        self.each_subterm(bank, terms, |t, read| {
            let children = || bank.children(t).iter().enumerate();
            let tree = |m: usize| children().map(|(_, c)| costs[c][0].0[m]).collect();
            let inside = |m: usize, (i, c): (usize, &TermId)| match is_inside(t, i) {
                true => costs[c][0].0[m],
                false => 0,
            };
            let added = |m: usize| children().map(|child| inside(m, child)).collect();
            let both = [self.of_node(bank, t, read, tree), self.of_node(bank, t, read, added)];
            costs.insert(t, both);
        });
        let mut total: SmallVec<[u64; 3]> = SmallVec::from_elem(0, self.measures.len());
        let mut seen = FxHashSet::default();
        let mut todo = terms.to_vec();
        while let Some(t) = todo.pop() {
            if seen.insert(t) {
                total
                    .iter_mut()
                    .zip(&costs[&t][1].0)
                    .for_each(|(sum, &w)| *sum = sum.saturating_add(w));
                let children = bank.children(t).iter().enumerate();
                todo.extend(children.filter(|&(i, _)| !is_inside(t, i)).map(|(_, &child)| child));
            }
        }
        known(Cost(total))
    }

    /// What a node costs over parts of these values.
    fn of_node(
        &self,
        bank: &TermBank,
        term: TermId,
        read: &dyn Fn(Read) -> Option<Value>,
        parts: impl Fn(usize) -> SmallVec<[u64; 4]>,
    ) -> Cost {
        let of = |(m, measure): (usize, &Measure)| {
            measure.over(bank.node(term), read, parts(m).into_iter())
        };
        Cost(self.measures.iter().enumerate().map(of).collect())
    }

    /// Calls `f` with each distinct subterm, after its parts, and with what can be read of its arguments.
    fn each_subterm(
        &self,
        bank: &TermBank,
        terms: &[TermId],
        mut f: impl FnMut(TermId, &dyn Fn(Read) -> Option<Value>),
    ) {
        let mut literals: FxHashMap<TermId, Value> = FxHashMap::default();
        let mut facts = FxHashMap::default();
        let parts: BTreeSet<TermId> = terms.iter().flat_map(|&t| bank.subterms(t)).collect();
        for t in parts {
            let children = bank.children(t);
            let literal = |i: usize| literals.get(&children[i]).copied();
            let read = |read: Read| match read {
                Read::Literal(i) => literal(i),
                Read::Fact(analysis, i) => facts.get(&(analysis, children[i])).copied(),
            };
            f(t, &read);
            let folded = match bank.node(t) {
                Node::Op(op) => bank.language().folds(op).and_then(|op| {
                    let args = (0..children.len()).map(literal);
                    op.eval(&args.collect::<Option<SmallVec<[Value; 2]>>>()?)
                }),
                _ => None,
            };
            if let Some(value) = bank.literal(t).or(folded) {
                literals.insert(t, value);
            }
            let literal = |t: TermId| literals.get(&t).copied();
            self.analyses.enter_facts_of(bank, t, literal, &mut facts);
        }
    }
}

/// A cost by its name.
fn measure(costs: &[DeclaredCost], name: &str) -> Result<Measure, String> {
    let declared = costs.iter().find(|cost| cost.name == name);
    match (name, declared) {
        ("size", _) => Ok(Measure::Size),
        ("depth", _) => Ok(Measure::Depth),
        (_, Some(declared)) => Ok(Measure::Declared(declared.clone())),
        (_, None) => {
            let declared = costs.iter().map(|cost| cost.name.as_str());
            let all: Vec<&str> = BUILT_IN.into_iter().chain(declared).collect();
            let meant = did_you_mean(name, all.iter().copied());
            let all = all.join(", ");
            Err(format!(
                "unknown cost '{name}'{meant}: expected one of {all}, several with commas between, or a sum as \
                 3*{DEFAULT}+size"
            ))
        }
    }
}

/// A sum as `3*flops+size`.
fn weighted(costs: &[DeclaredCost], sum: &str) -> Result<Measure, String> {
    let (mut all, mut unit) = (Vec::new(), Unit::ONE);
    for part in sum.split('+').map(str::trim) {
        let (times, name) = part.split_once('*').unwrap_or(("1", part));
        let times = times.trim();
        let most = Rational::from(i64::from(u32::MAX));
        let positive = |times: &Rational| times.numerator() > 0 && *times <= most;
        let times = read_fraction(times).filter(positive).ok_or_else(|| {
            format!("'{times}' in '{sum}': expected how often a cost counts, as 3, 0.5 or 1/3, up to {}", u32::MAX)
        })?;
        let measure = measure(costs, name.trim())?;
        if !measure.is_plain_sum() {
            return Err(format!(
                "'{}' in '{sum}' is no sum over the nodes of a term: expected it alone, or with commas between",
                measure.name()
            ));
        }
        let parts = times.denominator().unsigned_abs().checked_mul(measure.unit().in_a(Unit::ONE));
        let finer = parts.and_then(|parts| Some((parts, unit.finer(parts)?)));
        let (parts, finer) =
            finer.ok_or_else(|| format!("the fractions of '{sum}' are too fine"))?;
        unit = finer;
        all.push((times, parts, measure));
    }
    let in_parts = |(times, parts, measure): (Rational, u64, Measure)| {
        (times.numerator().unsigned_abs() * (unit.in_a(Unit::ONE) / parts), measure)
    };
    Ok(Measure::Weighted(sum.to_owned(), all.into_iter().map(in_parts).collect(), unit))
}

/// A cost all of whose values are known.
pub(crate) fn known(cost: Cost) -> Option<Cost> {
    (!cost.0.contains(&NONE)).then_some(cost)
}
