//! The questions of the corpus (tests/corpus) under every treatment: one thread and two, limits on memory
//! and on e-nodes, all schedulers. Their answers are the same under each, and what is proved passes
//! every check that there is, in every form that a proof has.
//!
//! A file names rules and asks of them:
//!
//! ```text
//! (rules configs/systems/ring.rules)     the texts of files, one behind the other; a second such line asks
//!                                        all questions once more, of other rules
//! (equal A B)                            one e-graph proves it
//! (different A B)                        none does, with as many e-nodes as it may have
//! (least COST A N)                       what the least term that is equal to A costs
//! (saturated A NODES CLASSES)            the size of the e-graph where nothing is left to do
//! (nodes N)                              for what follows: e-nodes that are enough for a proof, and all
//!                                        that is tried for what is different
//! ```
//!
//! A question that ends with `:but best-first` has no answer under that treatment, within its limits.

use egraph::{
    Caps, CostFunction, EGraph, Explainer, Limits, SaturationConfig, Scheduler, Sexpr, Shortener,
    Sketch, StopReason, System, TermBank, TermId, check, check_flat, extract_best, parse_all,
    proof_from_json, proof_to_json, saturate_until,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The files of the corpus, a test each.
macro_rules! files {
    ($($name:ident)*) => {
        const FILES: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            answers(stringify!($name));
        })*
    };
}

files! {
    bitvectors bounds chains egg_lambda egg_math egg_math_of_independent_variables egg_prop halide horner
    math mba products prop ring sums tensor words
}

/// E-nodes, where a file says nothing else.
const NODES: usize = 1_000_000;

/// A way to answer a question.
struct Treatment {
    name: &'static str,
    threads: usize,
    scheduler: Scheduler,
    limits: Limits,
}

fn treatments(nodes: usize) -> Vec<Treatment> {
    let memory = Limits { memory: Some(64 << 20), ..Limits::default() };
    let nodes = Limits { nodes: Some(nodes), ..Limits::default() };
    let of = |name, threads, scheduler, limits: &Limits| Treatment {
        name,
        threads,
        scheduler,
        limits: limits.clone(),
    };
    vec![
        of("simple", 1, Scheduler::Simple, &memory),
        of("two-threads", 2, Scheduler::Simple, &memory),
        of("e-nodes", 1, Scheduler::Simple, &nodes),
        of("back-off", 1, Scheduler::Backoff, &memory),
        of("best-first", 1, Scheduler::BestFirst, &memory),
    ]
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn atom(sexpr: &Sexpr) -> &str {
    sexpr.atom().unwrap_or_else(|| panic!("{}: expected a word", sexpr.place()))
}

/// Asks the questions of a file under every treatment, of all rules that it names.
fn answers(name: &str) {
    let path = workspace().join("tests/corpus").join(name).with_extension("txt");
    let lines = parse_all(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut rules, mut questions, mut nodes) = (Vec::new(), Vec::new(), NODES);
    for line in &lines {
        match (atom(&line.list().unwrap()[0]), &line.list().unwrap()[1..]) {
            ("rules", files) => rules.push(files),
            ("nodes", [number]) => nodes = atom(number).parse().unwrap(),
            _ => questions.push((line.list().unwrap(), nodes)),
        }
    }
    for (number, files) in rules.iter().enumerate() {
        let read = |file: &Sexpr| std::fs::read_to_string(workspace().join(atom(file))).unwrap();
        let text: Vec<String> = files.iter().map(read).collect();
        let asked = Asked::new(&format!("{name}-{number}"), text.join("\n"));
        let wrong =
            questions.iter().flat_map(|(of, nodes)| asked.under_every_treatment(of, *nodes));
        let wrong: Vec<String> = wrong.collect();
        assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
        asked.check_in_python();
    }
}

/// What was grown for an answer.
#[derive(Debug, PartialEq, Eq)]
struct Grown {
    nodes: usize,
    classes: usize,
    bytes: usize,
    /// As it is written.
    proof: Option<String>,
}

impl Grown {
    fn new(egraph: &EGraph, proof: Option<String>) -> Grown {
        let (nodes, classes) = (egraph.node_count(), egraph.class_count());
        Grown { nodes, classes, bytes: egraph.heap_bytes(), proof }
    }
}

/// Rules that are asked, and a folder for the proofs that they give.
struct Asked {
    system: Arc<System>,
    folder: PathBuf,
}

impl Asked {
    fn new(name: &str, text: String) -> Asked {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let system = System::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        std::fs::write(folder.join("system.rules"), text).unwrap();
        Asked { system: Arc::new(system), folder }
    }

    /// What is wrong with the answers to a question.
    fn under_every_treatment(&self, question: &[Sexpr], nodes: usize) -> Vec<String> {
        let place = question[0].place();
        let (question, but) = match question {
            [asked @ .., keyword, but] if keyword.atom() == Some(":but") => (asked, atom(but)),
            all => (all, ""),
        };
        let mut wrong = Vec::new();
        let mut of_one_thread = None;
        for treatment in treatments(nodes) {
            let mut refuse = |why| wrong.push(format!("{place}: {}: {why}", treatment.name));
            match self.answer(question, nodes, &treatment) {
                Ok(_) if treatment.name == but => refuse("answered after all".to_owned()),
                Err(_) if treatment.name == but => {}
                Ok(grown) if treatment.threads == 1 => {
                    of_one_thread.get_or_insert(grown);
                }
                // What threads do together is what one does.
                Ok(grown) if of_one_thread.as_ref() == Some(&grown) => {}
                Ok(_) => refuse("another e-graph or proof".to_owned()),
                Err(why) => refuse(why),
            }
        }
        wrong
    }

    fn answer(
        &self,
        question: &[Sexpr],
        nodes: usize,
        treatment: &Treatment,
    ) -> Result<Grown, String> {
        let mut bank = TermBank::new(self.system.language.clone());
        let read =
            |bank: &mut TermBank, sexpr, sort| bank.read(sexpr, sort).map_err(|e| e.to_string());
        let limits = treatment.limits.clone();
        match (atom(&question[0]), &question[1..]) {
            (asked @ ("equal" | "different"), [left, right]) => {
                let from = read(&mut bank, left, None)?;
                let sort = bank.sort(from);
                let to = read(&mut bank, right, Some(sort))?;
                let limits = match asked {
                    "equal" => limits,
                    _ => Limits { nodes: Some(nodes), ..limits },
                };
                let (egraph, stop) = self.grow(&bank, &[from, to], treatment, limits);
                match (asked, Explainer::new(&egraph).explain(&mut bank, from, to)) {
                    ("equal", Some(proof)) => {
                        assert_eq!((proof.start(), proof.end()), (from, to));
                        Ok(Grown::new(&egraph, Some(self.checked(&mut bank, &proof)?)))
                    }
                    ("equal", None) => Err(format!("not proved: {stop}")),
                    (_, Some(_)) => Err("proved".to_owned()),
                    (_, None) => Ok(Grown::new(&egraph, None)),
                }
            }
            ("least", [cost, term, expected]) => {
                let term = read(&mut bank, term, None)?;
                let cost = CostFunction::named(&self.system, atom(cost))?;
                let (egraph, _) = self.grow(&bank, &[term], treatment, limits);
                let class = egraph.lookup(&bank, term).expect("the term that was added");
                let best = extract_best(&egraph, &mut bank, class, &Sketch::Any, &cost);
                let (best, least) = best.ok_or("no term has a cost")?;
                match cost.text(&least) == atom(expected) {
                    true => Ok(Grown::new(&egraph, None)),
                    false => Err(format!("{} costs {}", bank.text(best), cost.text(&least))),
                }
            }
            ("saturated", [term, nodes, classes]) => {
                let term = read(&mut bank, term, None)?;
                let (egraph, stop) = self.grow(&bank, &[term], treatment, limits);
                let grown = Grown::new(&egraph, None);
                let expected = [nodes, classes].map(|n| atom(n).parse::<usize>().unwrap());
                match stop == StopReason::Saturated && [grown.nodes, grown.classes] == expected {
                    true => Ok(grown),
                    false => Err(format!("{stop}: {grown:?}")),
                }
            }
            _ => panic!("{}: unknown question", question[0].place()),
        }
    }

    /// The e-graph of one or two terms, until two are equal.
    fn grow(
        &self,
        bank: &TermBank,
        terms: &[TermId],
        treatment: &Treatment,
        limits: Limits,
    ) -> (EGraph, StopReason) {
        let mut egraph = EGraph::new(self.system.clone());
        let ids: Vec<_> = terms.iter().map(|&t| egraph.add_term(bank, t)).collect();
        let pool = (treatment.threads > 1).then(|| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(treatment.threads);
            Arc::new(pool.build().unwrap())
        });
        let scheduler = treatment.scheduler;
        let config = SaturationConfig { limits, scheduler, pool, ..Default::default() };
        let met = |egraph: &EGraph| match ids[..] {
            [a, b] => egraph.find(a) == egraph.find(b),
            _ => false,
        };
        let report = saturate_until(&mut egraph, &config, met);
        (egraph, report.stop)
    }

    /// Has a proof checked in every form that it has; writes it for the other checker, and gives what was
    /// written.
    fn checked(&self, bank: &mut TermBank, proof: &egraph::Proof) -> Result<String, String> {
        let system = &*self.system;
        let refused = |e: egraph::CheckError| e.to_string();
        check(system, bank, proof).map_err(refused)?;
        let json = proof_to_json(system, bank, proof);
        let mut fresh = TermBank::new(system.language.clone());
        let again = proof_from_json(system, &mut fresh, &json).map_err(|e| e.to_string())?;
        check(system, &fresh, &again).map_err(refused)?;
        assert_eq!(proof_to_json(system, &fresh, &again), json);
        if let Ok(flat) = proof.flatten(bank, Caps { steps: 5_000, term_size: 5_000 }) {
            check_flat(system, bank, &flat).map_err(refused)?;
            let short = Shortener::new(system).shorten(bank, &flat, 5_000);
            check_flat(system, bank, &short).map_err(refused)?;
            assert!(short.steps.len() <= flat.steps.len());
        }
        let taken = std::fs::read_dir(&self.folder).unwrap().count();
        std::fs::write(self.folder.join(format!("{taken}.json")), &json).unwrap();
        Ok(json)
    }

    /// Has all proofs checked by scripts/check_proof.py, where there is a Python.
    fn check_in_python(&self) {
        let mut proofs: Vec<PathBuf> =
            std::fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        proofs.retain(|path| path.extension().is_some_and(|e| e == "json"));
        if proofs.is_empty() {
            return;
        }
        let mut checker = Command::new("python3");
        checker.arg(workspace().join("scripts/check_proof.py"));
        checker.args(&proofs).arg("--system").arg(self.folder.join("system.rules"));
        match checker.output() {
            Err(e) => eprintln!("scripts/check_proof.py is left out: python3: {e}"),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout);
                let complaint = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{said}{complaint}");
                assert_eq!(said.matches(": accepted: ").count(), proofs.len());
            }
        }
    }
}

#[test]
fn every_file_is_asked() {
    let files = std::fs::read_dir(workspace().join("tests/corpus")).unwrap();
    let names = files
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "txt"));
    let names: BTreeSet<String> =
        names.map(|p| p.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, FILES.iter().map(|&name| name.to_owned()).collect());
}
