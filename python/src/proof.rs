//! Proofs.

use crate::errors::{any, bad, refused};
use crate::interrupt::here;
use crate::shared::{Reduced, Shared, System};
use crate::term::Term;
use cairn::PRINTED;
use egraph::{
    FlatProof, How, Import, Justification, Shortener, TermBank, TermId, check, justification_name,
    proof_from_json, proof_text, proof_to_json,
};
use guided_search::proof_page;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cmp::Reverse;
use std::sync::Arc;

/// A proof that two terms are equal, as the search or the e-graph found it. It was accepted by the checker
/// before it was handed out.
///
/// >>> import cairn_eqsat as cairn
/// >>> system = cairn.System.load("halide")
/// >>> answer = cairn.prove(system, "(+ (* 2 a) 0)", "(* a 2)")
/// >>> proof = answer.proof.shorten()
/// >>> for step in proof.steps:
/// ...     print(step.rule, step.after)
/// add-zero (* 2 a)
/// mul-comm (* a 2)
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Proof {
    shared: Arc<Shared>,
    bank: Arc<TermBank>,
    proof: egraph::Proof,
}

impl Proof {
    pub fn new(shared: Arc<Shared>, bank: Arc<TermBank>, proof: egraph::Proof) -> Proof {
        Proof { shared, bank, proof }
    }

    /// A proof with its terms in a bank of their own: that of a search holds all that it has seen.
    pub fn out_of(shared: &Arc<Shared>, bank: &TermBank, proof: &egraph::Proof) -> Proof {
        let mut own = shared.bank();
        let proof = proof.import(&mut own, &mut Import::new(bank));
        Proof { shared: shared.clone(), bank: Arc::new(own), proof }
    }

    /// The same proof.
    pub fn copy(&self) -> Proof {
        let Proof { shared, bank, proof } = self;
        Proof { shared: shared.clone(), bank: bank.clone(), proof: proof.clone() }
    }

    /// The single rewrites, and a bank with the terms between them.
    fn flat(&self) -> PyResult<(TermBank, FlatProof)> {
        let mut bank = TermBank::clone(&self.bank);
        let flat = self
            .proof
            .flatten(&mut bank, PRINTED)
            .map_err(|reason| bad(format!("the proof can't be shown step by step: {reason}")))?;
        Ok((bank, flat))
    }

    fn term(&self, id: TermId) -> Term {
        Term::new(self.shared.clone(), self.bank.clone(), id)
    }

    fn page(&self) -> PyResult<String> {
        let (bank, flat) = self.flat()?;
        proof_page(&self.shared.system, &bank, &flat).map_err(any)
    }
}

#[pymethods]
impl Proof {
    /// Reads the text of a proof file, such as `to_json` writes, and has the checker replay it.
    #[staticmethod]
    #[pyo3(signature = (text, system, /))]
    fn from_json(text: &str, system: &System) -> PyResult<Proof> {
        let shared = system.shared.clone();
        let mut bank = shared.bank();
        let proof = proof_from_json(&shared.system, &mut bank, text)
            .map_err(|mistake| bad(mistake.to_string()))?;
        let proof = Proof { shared, bank: Arc::new(bank), proof };
        proof.check()?;
        Ok(proof)
    }

    /// The system whose rules it uses.
    #[getter]
    fn system(&self) -> System {
        System { shared: self.shared.clone() }
    }

    /// The term that it starts with.
    #[getter]
    fn start(&self) -> Term {
        self.term(self.proof.start())
    }

    /// The term that it ends with.
    #[getter]
    fn end(&self) -> Term {
        self.term(self.proof.end())
    }

    /// The single rewrites from start to end.
    #[getter]
    fn steps(&self) -> PyResult<Vec<Step>> {
        let (bank, flat) = self.flat()?;
        let bank = Arc::new(bank);
        let term = |id| Term::new(self.shared.clone(), bank.clone(), id);
        let step = |(step, ends): (&egraph::FlatStep, &[TermId])| Step {
            rule: justification_name(&self.shared.system, step.rule).to_owned(),
            forward: step.forward,
            path: step.path.clone(),
            ends: [ends[0], ends[1]].map(term),
        };
        Ok(flat.steps.iter().zip(flat.terms.windows(2)).map(step).collect())
    }

    /// How many rewrites of the proof use each rule, the most used first. What is used in many places counts once, as in
    /// `len(proof)`, so that this is known also where there are too many single steps to show.
    ///
    /// >>> import cairn_eqsat as cairn
    /// >>> cairn.prove(cairn.System.load("halide"), "(+ (* 2 a) 0)", "(* a 2)").proof.shorten().rules
    /// {'add-zero': 1, 'mul-comm': 1}
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut uses: Vec<(&str, u64)> = Vec::new();
        for step in self.proof.steps.iter() {
            let why = match step.how {
                How::Rule(rule, _) => Justification::Rule(rule),
                How::Fold => Justification::Fold,
                _ => continue,
            };
            let name = justification_name(&self.shared.system, why);
            match uses.iter_mut().find(|(other, _)| *other == name) {
                Some((_, count)) => *count += 1,
                None => uses.push((name, 1)),
            }
        }
        uses.sort_by_key(|&(_, count)| Reverse(count));
        let named = PyDict::new(py);
        uses.into_iter().try_for_each(|(name, count)| named.set_item(name, count))?;
        Ok(named)
    }

    /// Has the checker, which shares no code with the e-graph, replay every step. Raises `ProofRefused` if
    /// it does not accept one.
    fn check(&self) -> PyResult<()> {
        check(&self.shared.system, &self.bank, &self.proof)
            .map_err(|error| refused(error.to_string()))
    }

    /// A proof of the same without the detours, accepted by the checker.
    fn shorten(&self, py: Python<'_>) -> PyResult<Proof> {
        let (mut bank, flat) = self.flat()?;
        let work = || {
            let flat =
                Shortener::new(&self.shared.system).shorten(&mut bank, &flat, PRINTED.term_size);
            let shorter = flat.to_proof(&bank);
            Proof::out_of(&self.shared, &bank, &shorter)
        };
        let shorter = here(py, work)?;
        shorter.check()?;
        Ok(shorter)
    }

    /// The proof file, as `cairn check` and scripts/check_proof.py read it.
    fn to_json(&self) -> String {
        proof_to_json(&self.shared.system, &self.bank, &self.proof)
    }

    /// A page about it, with what each step rewrites marked.
    fn to_html(&self) -> PyResult<String> {
        self.page()
    }

    fn _repr_html_(&self) -> PyResult<String> {
        // A frame of its own, as the page has a style of its own.
        let page = crate::term::escaped(&self.page()?);
        Ok(format!(
            "<iframe srcdoc=\"{page}\" style=\"width: 100%; height: 24em; border: 0\"></iframe>"
        ))
    }

    /// Its nodes: rewrites, congruences and chains of these, each counted once however often it is used.
    fn __len__(&self) -> usize {
        self.proof.len()
    }

    fn __str__(&self) -> PyResult<String> {
        let (bank, flat) = self.flat()?;
        Ok(proof_text(&self.shared.system, &bank, &flat))
    }

    fn __repr__(&self) -> String {
        format!("<Proof {} = {}>", self.start().shown(), self.end().shown())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String, System)> {
        Ok((py.get_type::<Proof>().getattr("from_json")?, (self.to_json(), self.system())))
    }
}

/// One rewrite of a proof.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Step {
    /// The name of the rule; `fold` for arithmetic on literals.
    #[pyo3(get)]
    rule: String,
    /// Whether the rule is read from left to right.
    #[pyo3(get)]
    forward: bool,
    /// Where the term is rewritten: child indices from the root.
    #[pyo3(get)]
    path: Vec<u32>,
    ends: [Term; 2],
}

#[pymethods]
impl Step {
    /// The whole term before the rewrite.
    #[getter]
    fn before(&self) -> Term {
        self.ends[0].copy()
    }

    /// The whole term after it.
    #[getter]
    fn after(&self) -> Term {
        self.ends[1].copy()
    }

    fn __repr__(&self) -> String {
        let arrow = if self.forward { "→" } else { "←" };
        format!("<Step {} {arrow} {}>", self.rule, self.ends[1].shown())
    }
}
