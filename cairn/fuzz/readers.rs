//! Everything that reads what a file says, each as a function of the file's bytes: no input makes one panic, hang
//! or ask for more memory than there is. They say whether they read it to the end.
//!
//! Where a file is sealed the seal is made anew, so that what is behind it is reached, too.

use super::unions::unions;
use dataset_gen::{Config as DatasetConfig, DatasetInfo, ProofRow, Triple};

use egraph::{
    CostFunction, EGraph, Explainer, Id, Limits, SaturationConfig, Sketch, System, TermBank,
    TermId, check, check_flat, proof_from_json, review, saturate,
};
use guided_search::{
    Comparison, Evaluation, KeptRound, Learning, Optimisation, OptimisedRow, Row, TaskSet,
    load_goals, read_examples,
};
use interop::{
    CType, Llvm, Mlir, MlirTable, NeededValue, c_function, c_text, import_egglog, read_c,
    read_c_expression, read_c_file,
};
use jobs::{Described, load_parts};
use model::network::parameters::load_safetensors;
use model::tokens::vocabulary::Vocabulary;
use model::training::checkpoint::{State, load_run};
use model::{Config as ModelConfig, Device};
use ranking::Ranker;
use safetensors::SafeTensors;
use std::collections::HashMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use support::hash::{of_parts, sha256};
use support::{InputFile, read_table, read_toml, seal_json};
use tempfile::TempDir;
use terms::load_seeds;

pub type Reader = fn(&[u8]) -> bool;

/// The readers by name.
pub const READERS: &[(&str, Reader)] = &[
    ("rules", |bytes| text(bytes, rules)),
    ("strategies", |bytes| text(bytes, |text| SYSTEM.read_strategy(text).is_ok())),
    ("terms", |bytes| text(bytes, terms)),
    ("proofs", |bytes| text(bytes, proofs)),
    ("c", |bytes| text(bytes, c)),
    ("c_with_types", |bytes| text(bytes, c_with_types)),
    ("egglog", |bytes| text(bytes, egglog)),
    ("llvm", |bytes| text(bytes, llvm)),
    ("mlir", |bytes| text(bytes, mlir)),
    ("lines", lines),
    ("toml", toml),
    ("tasks", |bytes| TaskSet::load(&file("t.parquet", bytes), &SYSTEM).is_ok()),
    ("triples", triples),
    ("proof-rows", proof_rows),
    ("examples", |bytes| {
        read_examples(&file("t.parquet", bytes), &mut Vec::new(), &SYSTEM).is_ok()
    }),
    ("results", |bytes| {
        let path = file("t.parquet", bytes);
        read_table::<Row>(&path).is_ok() || read_table::<OptimisedRow>(&path).is_ok()
    }),
    ("rows", |bytes| serde_json::from_slice::<Vec<Row>>(bytes).is_ok()),
    ("ranker", |bytes| text(bytes, ranker)),
    ("round", |bytes| text(bytes, round)),
    ("descriptions", |bytes| text(bytes, descriptions)),
    ("tokenizer", |bytes| {
        Vocabulary::load(SYSTEM.language.clone(), &file("tokenizer.json", bytes)).is_ok()
    }),
    ("weights", weights),
    ("state", |bytes| text(bytes, state)),
    ("e-graph", e_graph),
    ("unions", unions),
];

static SYSTEM: LazyLock<Arc<System>> =
    LazyLock::new(|| Arc::new(System::parse(include_str!("system.rules")).expect("a system")));

thread_local! {
    /// Where readers of files find theirs; in memory where that can be had.
    static DIRECTORY: TempDir =
        tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory");
}

fn directory() -> PathBuf {
    DIRECTORY.with(|directory| directory.path().to_owned())
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}

fn bank() -> TermBank {
    TermBank::new(SYSTEM.language.clone())
}

fn text(bytes: &[u8], read: fn(&str) -> bool) -> bool {
    std::str::from_utf8(bytes).is_ok_and(read)
}

fn rules(text: &str) -> bool {
    let parsed = System::parse(text).is_ok();
    assert_eq!(parsed, review(text).system.is_some());
    parsed
}

/// What was read as a term prints as it reads; so does a sketch.
fn terms(text: &str) -> bool {
    let mut bank = bank();
    let term = bank.parse(text, None);
    if let Ok(t) = term {
        let printed = bank.text(t);
        assert_eq!(bank.parse(&printed, Some(bank.sort(t))).ok(), Some(t), "{printed}");
    }
    let sketch = Sketch::parse(&SYSTEM.language, text, None);
    if let Ok(sketch) = &sketch {
        let printed = sketch.display(&SYSTEM.language).to_string();
        assert_eq!(Sketch::parse(&SYSTEM.language, &printed, None).as_ref(), Ok(sketch));
    }
    term.is_ok() || sketch.is_ok()
}

/// `HASH` stands for the hash of the system.
fn proofs(text: &str) -> bool {
    let mut bank = bank();
    let proof = proof_from_json(&SYSTEM, &mut bank, &text.replace("HASH", &SYSTEM.hash));
    proof.is_ok_and(|proof| check(&SYSTEM, &bank, &proof).is_ok())
}

fn c(text: &str) -> bool {
    static ONE_WIDTH: LazyLock<Arc<System>> = LazyLock::new(|| {
        let words =
            "(sort W) (literal (bits 32) W) (variable W) (op ~ (W) W) (op neg (W) W)".to_owned();
        let binary = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
        let rules = binary.iter().fold(words, |all, op| format!("{all} (op {op} (W W) W)"));
        Arc::new(System::parse(&rules).expect("a system"))
    });
    let mut bank = TermBank::new(ONE_WIDTH.language.clone());
    let Ok(term) = read_c(&mut bank, text) else { return false };
    // Differences may be written for sums with negative numbers, but then as differences for ever.
    if let Ok(printed) = c_text(&bank, term, 10_000) {
        let again = read_c(&mut bank, &printed).expect("what was printed");
        assert_eq!(c_text(&bank, again, 20_000).as_ref(), Ok(&printed));
    }
    true
}

static WORDS: LazyLock<Arc<System>> = LazyLock::new(|| {
    let rules = include_str!("../../configs/systems/words.rules");
    Arc::new(System::parse(rules).expect("a shipped system"))
});

fn c_with_types(text: &str) -> bool {
    let mut bank = TermBank::new(WORDS.language.clone());
    let expression = read_c_expression(&mut bank, text, CType::UNSIGNED);
    if let Ok(Some(function)) = &expression {
        _ = c_function(&bank, function, None, function.term);
    }
    let Ok(file) = read_c_file(&mut bank, text) else { return expression.is_ok() };
    for function in &file.functions {
        let (text, helpers) =
            c_function(&bank, function, Some(&file), function.term).expect("it was read");
        // The functions that it calls are not known to the reader.
        if helpers.is_empty() {
            read_c_file(&mut bank, &text).expect("what was printed");
        }
    }
    true
}

fn egglog(text: &str) -> bool {
    let include = |name: &str| match name {
        "more.egg" => Ok("(datatype M (O) (S M)) (include \"others.egg\")".to_owned()),
        _ => Err("there is no such file".to_owned()),
    };
    let Ok(imported) = import_egglog(text, &include) else { return false };
    let rules = &imported.rules;
    assert!(imported.declarations == 0 || System::parse(rules).is_ok(), "{rules}");
    imported.declarations > 0
}

/// For each of some values its last part that is of the same sort.
fn parts(bank: &TermBank, values: &[NeededValue]) -> HashMap<TermId, TermId> {
    let part = |term: TermId| {
        let parts = bank.subterms(term);
        parts.into_iter().rev().skip(1).find(|part| bank.sort(*part) == bank.sort(term))
    };
    values.iter().filter_map(|value| Some((value.term, part(value.term)?))).collect()
}

/// What is written is read again, whatever comes in the place of a value.
fn llvm(text: &str) -> bool {
    let Ok(module) = Llvm::parse(text) else { return false };
    let mut bank = TermBank::new(WORDS.language.clone());
    let Ok(values) = module.values(&mut bank) else { return false };
    let cost = CostFunction::named(&WORDS, "size").expect("every system has it");
    let same = module.rewrite(&mut bank, &|term| term, &cost).expect("its values were read");
    assert_eq!(same.0, text);
    let part = parts(&bank, &values);
    let best = |term| part.get(&term).copied().unwrap_or(term);
    let (other, _) = module.rewrite(&mut bank, &best, &cost).expect("its values were read");
    Llvm::parse(&other).unwrap_or_else(|mistake| panic!("{mistake}\n{other}"));
    true
}

fn mlir(text: &str) -> bool {
    let Ok(mlir) = Mlir::parse(text) else { return false };
    let printed = mlir.to_string();
    assert_eq!(Mlir::parse(&printed).as_ref(), Ok(&mlir), "{printed}");
    let table = MlirTable::of(&SYSTEM).expect("a table");
    let values = mlir.values(&table, &mut bank()).is_ok();
    let terms = mlir.terms(&table, &mut bank()).is_ok();
    mlir_by_words(mlir) || terms || values
}

/// What is written has values again, whatever comes in the place of one.
fn mlir_by_words(mlir: Mlir) -> bool {
    let mut bank = TermBank::new(WORDS.language.clone());
    let Ok(values) = mlir.word_values(&mut bank) else { return false };
    let cost = CostFunction::named(&WORDS, "size").expect("every system has it");
    let part = parts(&bank, &values);
    let best = |term| part.get(&term).copied().unwrap_or(term);
    let mut other = mlir;
    other.rewrite_words(&mut bank, &best, &cost).expect("its values were read");
    let printed = other.to_string();
    let again = Mlir::parse(&printed).and_then(|mlir| mlir.word_values(&mut bank));
    again.unwrap_or_else(|mistake| panic!("{mistake}\n{printed}"));
    true
}

/// Terms, tasks and goals, as lines and as CSV.
fn lines(bytes: &[u8]) -> bool {
    let mut read = false;
    for name in ["t.txt", "t.csv"] {
        let path = file(name, bytes);
        let input = InputFile::Path(path.clone());
        read |= load_seeds(&input, &SYSTEM, &mut bank(), None).is_ok();
        read |= load_goals(&input, &SYSTEM, &mut bank()).is_ok();
        read |= TaskSet::load(&path, &SYSTEM).is_ok();
    }
    read
}

fn toml(bytes: &[u8]) -> bool {
    let input = InputFile::Path(file("t.toml", bytes));
    let dataset = read_toml::<DatasetConfig>(&input).is_ok_and(|config| config.validate().is_ok());
    ModelConfig::load(&input).is_ok() || dataset
}

fn triples(bytes: &[u8]) -> bool {
    let rows = read_table::<Triple>(&file("t.parquet", bytes));
    rows.is_ok_and(|rows| rows.iter().all(|row| row.terms(&mut bank()).is_ok()))
}

fn proof_rows(bytes: &[u8]) -> bool {
    let right = |row: &ProofRow| {
        let mut bank = bank();
        let _ = row.lineage(&SYSTEM, &mut bank);
        row.proof(&SYSTEM, &mut bank).is_ok_and(|proof| check_flat(&SYSTEM, &bank, &proof).is_ok())
    };
    let rows = read_table::<ProofRow>(&file("t.parquet", bytes));
    rows.is_ok_and(|rows| rows.iter().all(right))
}

/// A sealed object with a new seal in the place of its own.
fn sealed_anew(text: &str) -> String {
    let object = text.rsplit_once(",\n  \"sha256\"").or_else(|| text.rsplit_once(",\"sha256\""));
    let close = if text.ends_with("\n}\n") { "\n}" } else { "}" };
    object.map_or_else(|| seal_json(text), |(open, _)| seal_json(&format!("{open}{close}")))
}

fn ranker(text: &str) -> bool {
    Ranker::read("ranker.json", &sealed_anew(text), &SYSTEM).is_ok()
}

fn sealed_text(name: &str, text: &str) -> PathBuf {
    file(name, format!("{text}\n{}\n", sha256(text.as_bytes())).as_bytes())
}

fn round(text: &str) -> bool {
    sealed_text("round-1.json", text);
    KeptRound::load(&directory(), 1).is_ok()
}

fn descriptions(text: &str) -> bool {
    let sealed = sealed_anew(text);
    let names = [
        "dataset_info.json",
        "evaluation.json",
        "comparison.json",
        "optimisation.json",
        "config.json",
        "part.json",
    ];
    names.iter().for_each(|name| drop(file(name, sealed.as_bytes())));
    let directory = &directory();
    DatasetInfo::load(directory).is_ok()
        || Evaluation::load(directory).is_ok()
        || Comparison::load(directory).is_ok()
        || Optimisation::load(directory).is_ok()
        || load_run(directory).is_ok()
        || load_parts(std::slice::from_ref(directory)).is_ok()
        || serde_json::from_str::<Learning>(text).is_ok()
}

/// The stamp in the file's header is made anew.
fn weights(bytes: &[u8]) -> bool {
    let Ok(tensors) = SafeTensors::deserialize(bytes) else { return false };
    let mut parts = vec![b"4\n".to_vec()];
    let mut views: Vec<_> = tensors.iter().collect();
    views.sort_by_key(|(name, _)| *name);
    for (name, view) in views {
        parts.extend([format!("{name} {:?}\n", view.shape()).into_bytes(), view.data().to_vec()]);
    }
    let stamp = format!("\"cairn\":\"4 {}\"", of_parts(parts));
    let Some(at) = bytes.windows(9).position(|part| part == b"\"cairn\":\"") else { return false };
    let mut stamped = bytes.to_vec();
    let Some(place) = stamped.get_mut(at..at + stamp.len()) else { return false };
    place.copy_from_slice(stamp.as_bytes());
    load_safetensors(&file("model.safetensors", &stamped), &Device::Cpu).is_ok()
}

/// Weights are not there.
fn state(text: &str) -> bool {
    fs::create_dir_all(directory().join("training_state/step-00000004")).expect("a directory");
    sealed_text("training_state/step-00000004/state.json", text);
    let refusal = State::load(&directory(), &Device::Cpu).err();
    refusal.is_some_and(|e| e.to_string().contains("cannot read"))
}

/// What is read is gone on with and explained, whatever it says; the hash is made anew.
fn e_graph(bytes: &[u8]) -> bool {
    let content = &bytes[..bytes.len().saturating_sub(32)];
    let hash = sha256(content);
    let hash = (0..32).map(|i| u8::from_str_radix(&hash[2 * i..2 * i + 2], 16).expect("a byte"));
    let sealed: Vec<u8> = content.iter().copied().chain(hash).collect();
    let Ok((mut egraph, roots)) = EGraph::from_bytes(&sealed) else { return false };
    let system = egraph.system().clone();
    let mut bank = TermBank::new(system.language.clone());
    let mut explain_all = |egraph: &EGraph| {
        let mut explainer = Explainer::new(egraph);
        for i in 0..egraph.built().min(60) {
            let (id, root) = (Id(i as u32), egraph.find(Id(i as u32)));
            let terms = [id, root].map(|id| egraph.term(&mut bank, id));
            if let Some(proof) = explainer.explain(&mut bank, terms[0], terms[1]) {
                let _ = check(&system, &bank, &proof);
            }
        }
    };
    explain_all(&egraph);
    let limits = Limits { nodes: Some(300), iterations: Some(2), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    explain_all(&egraph);
    !roots.is_empty()
}
