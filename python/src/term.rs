//! Terms.

use crate::errors::{bad, of_term};
use crate::shared::{Reduced, Shared, System};
use egraph::{LeafValue, Node, OpId, SortId, TermBank, TermId, Value};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Nodes of a term that a message or a cell of a notebook shows; what is left out is `…`.
const SHOWN: u64 = 200;

/// What stands at the root of a term, its sort, and the rows of its arguments.
type Row = (String, String, Vec<usize>);

/// A term of a system. It can't be changed, so that it may be a key or go into a set.
///
/// >>> import cairn_eqsat as cairn
/// >>> system = cairn.System.load("halide")
/// >>> x, y = system.term("x", sort="Int"), system.term("y", sort="Int")
/// >>> term = (x + y) * 2
/// >>> print(term, term.op, term.size)
/// (* (+ x y) 2) * 5
/// >>> term == system.term("(* (+ x y) 2)"), term.children[0] == x + y
/// (True, True)
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Term {
    pub shared: Arc<Shared>,
    pub bank: Arc<TermBank>,
    pub id: TermId,
}

impl Term {
    pub fn new(shared: Arc<Shared>, bank: Arc<TermBank>, id: TermId) -> Term {
        Term { shared, bank, id }
    }

    /// A term from a text.
    pub fn read(shared: &Arc<Shared>, text: &str, sort: Option<SortId>) -> PyResult<Term> {
        let mut bank = shared.bank();
        let id = bank.parse(text, sort).map_err(|mistake| of_term(text, &mistake))?;
        Ok(Term::new(shared.clone(), Arc::new(bank), id))
    }

    /// A term of a bank that goes on growing, in a bank of its own.
    pub fn out_of(shared: &Arc<Shared>, bank: &TermBank, id: TermId) -> Term {
        let mut own = shared.bank();
        let id = own.import(bank, id);
        Term::new(shared.clone(), Arc::new(own), id)
    }

    /// For messages.
    pub fn shown(&self) -> String {
        self.bank.display_part(self.id, SHOWN).to_string()
    }

    /// Another term of the same bank.
    fn at(&self, id: TermId) -> Term {
        Term::new(self.shared.clone(), self.bank.clone(), id)
    }

    /// The same term.
    pub fn copy(&self) -> Term {
        self.at(self.id)
    }

    /// The same for equal terms, whatever the banks: of each distinct part from below.
    fn digest(&self) -> u64 {
        let mut digests: HashMap<TermId, u64> = HashMap::new();
        for part in self.bank.subterms(self.id) {
            let mut hasher = DefaultHasher::new();
            match self.bank.node(part) {
                Node::Leaf(leaf) => leaf.hash(&mut hasher),
                Node::Op(op) => op.hash(&mut hasher),
            }
            for child in self.bank.children(part) {
                digests[child].hash(&mut hasher);
            }
            digests.insert(part, hasher.finish());
        }
        digests[&self.id]
    }

    /// Whether two terms are the same term.
    fn same(&self, other: &Term) -> bool {
        if Arc::ptr_eq(&self.bank, &other.bank) {
            return self.id == other.id;
        }
        if !self.shared.same_language(&other.shared)
            || self.bank.size(self.id) != other.bank.size(other.id)
        {
            return false;
        }
        let mut images: HashMap<TermId, TermId> = HashMap::from([(self.id, other.id)]);
        let mut todo = vec![(self.id, other.id)];
        while let Some((mine, theirs)) = todo.pop() {
            let (bank, others) = (&self.bank, &other.bank);
            if bank.node(mine) != others.node(theirs) {
                return false;
            }
            for (&mine, &theirs) in bank.children(mine).iter().zip(others.children(theirs)) {
                match images.insert(mine, theirs) {
                    None => todo.push((mine, theirs)),
                    Some(before) if before == theirs => {}
                    Some(_) => return false,
                }
            }
        }
        true
    }

    /// The application of an operator of this name to this term and another one.
    fn binary(
        &self,
        name: &str,
        left: &Bound<'_, PyAny>,
        right: &Bound<'_, PyAny>,
    ) -> PyResult<Term> {
        let language = &self.shared.system.language;
        let op = language.operator(name).filter(|&op| language.op(op).args.len() == 2);
        let op = op.ok_or_else(|| {
            PyTypeError::new_err(format!("the system has no operator '{name}' of two arguments"))
        })?;
        apply(&self.shared, op, &[left.clone(), right.clone()])
    }
}

#[pymethods]
impl Term {
    /// Reads a term of a system; `System.term` is the same.
    #[staticmethod]
    #[pyo3(signature = (text, system, /, sort = None))]
    fn parse(text: &str, system: &System, sort: Option<&str>) -> PyResult<Term> {
        let sort = sort.map(|sort| system.shared.sort(sort)).transpose()?;
        Term::read(&system.shared, text, sort)
    }

    /// The system that it is a term of.
    #[getter]
    fn system(&self) -> System {
        System { shared: self.shared.clone() }
    }

    /// The operator at the root, or the literal or variable that the term is.
    #[getter]
    fn op(&self) -> String {
        match self.bank.node(self.id) {
            Node::Op(op) => self.shared.system.language.op(op).name.clone(),
            Node::Leaf(leaf) => leaf.to_string(),
        }
    }

    /// The arguments, in order.
    #[getter]
    fn children(&self) -> Vec<Term> {
        self.bank.children(self.id).iter().map(|&child| self.at(child)).collect()
    }

    /// Number of nodes, as a tree.
    #[getter]
    fn size(&self) -> u64 {
        self.bank.size(self.id)
    }

    /// The name of its sort.
    #[getter]
    fn sort(&self) -> &str {
        self.shared.system.language.sort_name(self.bank.sort(self.id))
    }

    /// The value of a literal: an `int`, `bool`, `float` or `Fraction`; `None` for other terms.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(value) = self.bank.literal(self.id) else { return Ok(None) };
        let text = value.to_string();
        let builtin = |name: &str| py.import("builtins")?.getattr(name)?.call1((text.as_str(),));
        Ok(Some(match value {
            Value::Bool(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
            Value::Int(_) | Value::Bits(_) => builtin("int")?,
            Value::Float(_) => builtin("float")?,
            Value::Rational(_) => py.import("fractions")?.getattr("Fraction")?.call1((text,))?,
        }))
    }

    /// The names of its variables, in the order in which they occur.
    #[getter]
    fn variables(&self) -> Vec<String> {
        let leaves = self.bank.variables(self.id).into_iter();
        let name = |leaf: &egraph::Leaf| match &leaf.value {
            LeafValue::Variable(name) => Some(name.clone()),
            _ => None,
        };
        leaves.filter_map(name).collect()
    }

    /// Its distinct subterms, each after its children; the term itself is last.
    fn subterms(&self) -> Vec<Term> {
        self.bank.subterms(self.id).into_iter().map(|part| self.at(part)).collect()
    }

    /// Its distinct subterms as rows, each after its children, the term itself last: what stands at the root, the sort,
    /// and the numbers of the rows of the arguments. For walks over large terms, whose parts need not be made one by one.
    ///
    /// >>> import cairn_eqsat as cairn
    /// >>> cairn.System.load("halide").term("(+ x (* x 2))").rows()
    /// [('x', 'Int', []), ('2', 'Int', []), ('*', 'Int', [0, 1]), ('+', 'Int', [0, 2])]
    fn rows(&self) -> Vec<Row> {
        let parts = self.bank.subterms(self.id);
        let number: HashMap<TermId, usize> = parts.iter().copied().zip(0..).collect();
        let row = |&part: &TermId| {
            let here = self.at(part);
            let children = self.bank.children(part).iter().map(|child| number[child]).collect();
            (here.op(), here.sort().to_owned(), children)
        };
        parts.iter().map(row).collect()
    }

    /// The term that has these `rows`.
    #[staticmethod]
    #[pyo3(signature = (system, rows, /))]
    fn from_rows(system: &System, rows: Vec<Row>) -> PyResult<Term> {
        let shared = &system.shared;
        let language = &shared.system.language;
        let mut bank = shared.bank();
        let mut made: Vec<TermId> = Vec::with_capacity(rows.len());
        for (number, (name, sort, children)) in rows.into_iter().enumerate() {
            let wrong = || bad(format!("row {number} is no term of {}: '{name}'", shared.name));
            let sort = shared.sort(&sort)?;
            if children.is_empty() {
                let leaf = bank.parse(&name, Some(sort));
                made.push(leaf.map_err(|mistake| of_term(&name, &mistake))?);
                continue;
            }
            let op = language.operator(&name).ok_or_else(wrong)?;
            let given = children.iter().map(|&child| made.get(child).copied());
            let given: Vec<TermId> = given.collect::<Option<_>>().ok_or_else(wrong)?;
            let operator = language.op(op);
            let sorts = given.iter().map(|&child| bank.sort(child));
            if operator.result != sort || !sorts.eq(operator.args.iter().copied()) {
                return Err(wrong());
            }
            made.push(bank.apply(op, &given));
        }
        let id = *made.last().ok_or_else(|| bad("from_rows: expected a row at least"))?;
        Ok(Term::new(shared.clone(), Arc::new(bank), id))
    }

    /// The term with the subterm at `path`, which is child indices from the root, replaced.
    #[pyo3(signature = (path, term, /))]
    fn replace(&self, path: Vec<u32>, term: &Bound<'_, PyAny>) -> PyResult<Term> {
        let old = self.bank.subterm(self.id, &path);
        let old = old.ok_or_else(|| bad(format!("{} has no subterm at {path:?}", self.shown())))?;
        let with = term_like(&self.shared, term, Some(self.bank.sort(old)))?;
        let mut bank = self.shared.bank();
        let (whole, with) = (bank.import(&self.bank, self.id), bank.import(&with.bank, with.id));
        let id = bank.replace(whole, &path, with).ok_or_else(|| bad("no such subterm"))?;
        Ok(Term::new(self.shared.clone(), Arc::new(bank), id))
    }

    fn __add__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("+", slf.as_any(), other)
    }

    fn __radd__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("+", other, slf.as_any())
    }

    fn __sub__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("-", slf.as_any(), other)
    }

    fn __rsub__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("-", other, slf.as_any())
    }

    fn __mul__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("*", slf.as_any(), other)
    }

    fn __rmul__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("*", other, slf.as_any())
    }

    fn __truediv__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("/", slf.as_any(), other)
    }

    fn __rtruediv__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("/", other, slf.as_any())
    }

    fn __mod__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("%", slf.as_any(), other)
    }

    fn __rmod__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("%", other, slf.as_any())
    }

    fn __and__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("&", slf.as_any(), other)
    }

    fn __rand__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("&", other, slf.as_any())
    }

    fn __or__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("|", slf.as_any(), other)
    }

    fn __ror__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("|", other, slf.as_any())
    }

    fn __xor__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("^", slf.as_any(), other)
    }

    fn __rxor__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("^", other, slf.as_any())
    }

    fn __lshift__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("<<", slf.as_any(), other)
    }

    fn __rlshift__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("<<", other, slf.as_any())
    }

    fn __rshift__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary(">>", slf.as_any(), other)
    }

    fn __rrshift__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary(">>", other, slf.as_any())
    }

    fn __matmul__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("@", slf.as_any(), other)
    }

    fn __rmatmul__(slf: &Bound<'_, Term>, other: &Bound<'_, PyAny>) -> PyResult<Term> {
        slf.get().binary("@", other, slf.as_any())
    }

    fn __neg__(slf: &Bound<'_, Term>) -> PyResult<Term> {
        let term = slf.get();
        let language = &term.shared.system.language;
        let named = |name| language.operator(name).filter(|&op| language.op(op).args.len() == 1);
        match named("neg").or_else(|| named("-")) {
            Some(op) => apply(&term.shared, op, &[slf.as_any().clone()]),
            None => term.binary("-", PyString::new(slf.py(), "0").as_any(), slf.as_any()),
        }
    }

    fn __richcmp__(&self, other: &Term, op: CompareOp) -> PyResult<bool> {
        equality(self.same(other), op)
    }

    fn __hash__(&self) -> u64 {
        self.digest()
    }

    fn __str__(&self) -> String {
        self.bank.text(self.id)
    }

    fn __repr__(&self) -> String {
        format!("<Term {}>", self.shown())
    }

    fn _repr_html_(&self) -> String {
        format!("<code>{}</code>", escaped(&self.shown()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Bound<'py, PyTuple>> {
        // Where variables are bound, what one is called depends on what is around it: only the whole text says that.
        if self.shared.system.language.has_binders() {
            let make = py.get_type::<Term>().getattr("parse")?;
            let sort = self.sort().to_owned();
            return Ok((make, (self.bank.text(self.id), self.system(), sort).into_pyobject(py)?));
        }
        // Rows know equal parts as equal, and have no depth.
        let make = py.get_type::<Term>().getattr("from_rows")?;
        Ok((make, (self.system(), self.rows()).into_pyobject(py)?))
    }
}

/// A text that says the same in HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What `==` and `!=` say; nothing is ordered.
pub fn equality(same: bool, op: CompareOp) -> PyResult<bool> {
    match op {
        CompareOp::Eq => Ok(same),
        CompareOp::Ne => Ok(!same),
        _ => Err(pyo3::exceptions::PyTypeError::new_err("terms and systems are not ordered")),
    }
}

/// The application of an operator to what stands for its arguments.
pub fn apply(shared: &Arc<Shared>, op: OpId, arguments: &[Bound<'_, PyAny>]) -> PyResult<Term> {
    let operator = shared.system.language.op(op);
    if arguments.len() != operator.args.len() {
        let expected = support::counted(operator.args.len() as u64, "argument");
        let name = &operator.name;
        return Err(bad(format!("'{name}' takes {expected}, found {}", arguments.len())));
    }
    if !operator.binds.is_empty() {
        let name = &operator.name;
        return Err(bad(format!(
            "'{name}' binds variables: write its terms as text, with System.term"
        )));
    }
    let like = |(argument, &sort)| term_like(shared, argument, Some(sort));
    let terms: Vec<Term> =
        arguments.iter().zip(&operator.args).map(like).collect::<PyResult<_>>()?;
    // A bank that has little beside a large term is copied, which is much faster than entering its parts one by one.
    let all = |term: &&Term| term.id.0 as usize + 1 == term.bank.len();
    let largest = terms.iter().filter(all).max_by_key(|term| term.bank.len());
    let mut bank = largest.map_or_else(|| shared.bank(), |term| TermBank::clone(&term.bank));
    let entered = |term: &Term| match largest {
        Some(largest) if Arc::ptr_eq(&largest.bank, &term.bank) => term.id,
        _ => bank.import(&term.bank, term.id),
    };
    let children: Vec<TermId> = terms.iter().map(entered).collect();
    let id = bank.apply(op, &children);
    Ok(Term::new(shared.clone(), Arc::new(bank), id))
}

/// A term, or what stands for one: a text, or a number or truth value as a literal. Of a certain sort, if one is
/// given.
pub fn term_like(
    shared: &Arc<Shared>,
    given: &Bound<'_, PyAny>,
    sort: Option<SortId>,
) -> PyResult<Term> {
    if let Ok(term) = given.cast::<Term>() {
        let term = term.get();
        if !term.shared.same_language(shared) {
            return Err(bad(format!(
                "{} is a term of another system ({}) than {}",
                term.shown(),
                term.shared.name,
                shared.name
            )));
        }
        if let Some(sort) = sort
            && term.bank.sort(term.id) != sort
        {
            let name = |sort| shared.system.language.sort_name(sort);
            let (found, sort) = (name(term.bank.sort(term.id)), name(sort));
            return Err(bad(format!("{} has sort {found}: expected {sort}", term.shown())));
        }
        return Ok(Term::new(shared.clone(), term.bank.clone(), term.id));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Term::read(shared, text.to_str()?, sort);
    }
    let number = given.is_instance_of::<pyo3::types::PyInt>()
        || given.is_instance_of::<pyo3::types::PyFloat>()
        || given.hasattr("numerator")?;
    if !number {
        let found = given.get_type().name()?;
        return Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "expected a term, its text or a number, found {found}"
        )));
    }
    let text = match given.extract::<bool>() {
        Ok(truth) => u8::from(truth).to_string(),
        Err(_) => given.str()?.to_string(),
    };
    Term::read(shared, &text, sort)
}
