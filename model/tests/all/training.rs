//! Training from end to end on small datasets: it learns, it resumes bit for bit, its losses do
//! not depend on the threads, and it refuses what it should.

use crate::common;
use crate::common::options;
use candle_core::Device;
use dataset_gen::Triple;
use egraph::TermBank;
use model::config::Precision;
use model::training::checkpoint::State;
use model::training::examples::data::Dataset;
use model::training::examples::token_file::Examples;
use model::{DecodeOptions, GuideModel};
use model::{End, TrainOptions, TrainReport, load_seen_seeds, train};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use support::{seal_json, unseal_json};
use tempfile::TempDir;

fn go_on(_: &model::training::log::Evaluation) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A folder with a dataset of so many triples, the dataset, and where a model may come to be.
fn dataset(train: usize, validation: usize) -> (TempDir, PathBuf, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let (data, out) = (directory.path().join("data"), directory.path().join("out"));
    common::write_dataset(&data, &common::triples(1, train), &common::triples(2, validation));
    (directory, data, out)
}

/// Makes the moments of a checkpoint negative. The root of a negative second moment is no number: loss and
/// gradient of the next step are fine, but not the weights after it.
fn break_moments(out: &Path) {
    let mut state = State::load(out, &Device::Cpu).unwrap().unwrap();
    for tensor in state.moments.iter_mut().flat_map(|moments| moments.values_mut()) {
        *tensor = (tensor.zeros_like().unwrap() - 1.0).unwrap();
    }
    state.save(out).unwrap();
}

fn in_pool(threads: usize, f: impl FnOnce() -> TrainReport + Send) -> TrainReport {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(f)
}

fn losses(report: &TrainReport) -> Vec<(u64, u32, u32)> {
    report
        .log
        .iter()
        .map(|e| (e.step, e.train_loss.to_bits(), e.validation_loss.to_bits()))
        .collect()
}

#[test]
fn sixteen_triples_are_learned_by_heart() {
    let directory = tempfile::tempdir().unwrap();
    let (data, out) = (directory.path().join("data"), directory.path().join("out"));
    let triples = common::triples(1, 16);
    common::write_dataset(&data, &triples, &triples);
    let mut config = common::small_config();
    config.training.steps = 250;
    config.training.evaluate_every = 50;
    let report = train(&data, &out, &options(config), &mut go_on).unwrap();
    let last = report.log.last().unwrap();
    assert!(last.validation_loss < 0.1 * last.unigram_loss, "{last:?}");

    let model = GuideModel::load(&out, &Device::Cpu).unwrap();
    let mut bank = TermBank::new(model.language().clone());
    let terms: Vec<_> = triples.iter().map(|t: &Triple| t.terms(&mut bank).unwrap()).collect();
    let tasks: Vec<_> = terms.iter().map(|[start, _, target]| (*start, *target)).collect();
    // Of so small a nucleus only the likeliest token is left.
    let mut decode =
        DecodeOptions { nucleus: 1e-9, temperature: 1.0, guides: 1, max_size: 40, seed: 0 };
    let greedy = model.guides(&mut bank, &tasks, &decode).unwrap();
    for (guides, [_, guide, _]) in greedy.iter().zip(&terms) {
        assert_eq!(bank.text(guides[0].term), bank.text(*guide));
        assert_eq!(guides[0].node_probabilities.len() as u64, bank.size(*guide));
        let product: f32 = guides[0].node_probabilities.iter().product();
        assert!((product.ln() - guides[0].log_probability).abs() < 1e-3);
    }

    (decode.nucleus, decode.temperature, decode.guides) = (1.0, 2.0, 3);
    let sampled = model.guides(&mut bank, &tasks, &decode).unwrap();
    assert_eq!(sampled, model.guides(&mut bank, &tasks, &decode).unwrap());
    for guides in &sampled {
        assert!(!guides.is_empty() && guides.len() <= 3);
        assert!(guides.is_sorted_by(|a, b| a.log_probability >= b.log_probability));
        assert!(guides.windows(2).all(|two| two[0].term != two[1].term));
    }
}

#[test]
fn resuming_gives_the_losses_of_not_stopping_whatever_the_threads() {
    let (directory, data, _) = dataset(50, 10);
    let mut config = common::small_config();
    config.training.steps = 20;
    config.training.evaluate_every = 5;
    config.training.dropout = 0.1;
    let options = options(config);
    let path = |name: &str| directory.path().join(name);
    let whole = in_pool(1, || train(&data, &path("whole"), &options, &mut go_on).unwrap());
    let stopped = in_pool(2, || {
        let mut stop = |e: &model::training::log::Evaluation| match e.step {
            10 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        train(&data, &path("parts"), &options, &mut stop).unwrap()
    });
    assert_eq!(stopped.log.len(), 2);
    let resume = TrainOptions { resume: true, config: None, ..options.clone() };
    let resumed = in_pool(2, || train(&data, &path("parts"), &resume, &mut go_on).unwrap());
    assert_eq!(losses(&whole), losses(&resumed));
    for file in ["config.json", "tokenizer.json", "system.rules", "model.safetensors"] {
        let read = |name: &str| std::fs::read(path(name).join(file)).unwrap();
        assert!(read("whole") == read("parts"), "{file}");
    }
    let lines = std::fs::read_to_string(path("parts").join("train_log.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 4);

    // A kill before the first checkpoint.
    std::fs::create_dir(path("early")).unwrap();
    std::fs::copy(path("whole").join("config.json"), path("early").join("config.json")).unwrap();
    let early = train(&data, &path("early"), &resume, &mut go_on).unwrap();
    assert_eq!(losses(&whole), losses(&early));

    // A kill after the state was written, before anything that follows from it.
    let newest = whole.best().unwrap().step == 20;
    std::fs::remove_file(path("parts").join("train_log.jsonl")).unwrap();
    if newest {
        std::fs::remove_file(path("parts").join("model.safetensors")).unwrap();
    }
    let again = train(&data, &path("parts"), &resume, &mut go_on).unwrap();
    assert_eq!(losses(&whole), losses(&again));
    assert!(path("parts").join("train_log.jsonl").exists());
    assert!(path("parts").join("model.safetensors").exists());
}

/// The whole message of a failure, which must leave `out` as it was.
fn refusal(data: &Path, out: &Path, options: &TrainOptions) -> String {
    let names = |path: &Path| -> Vec<_> {
        let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names(out);
    let error = train(data, out, options, &mut go_on).unwrap_err();
    assert_eq!(before, names(out));
    format!("{error:#}")
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let (directory, data, out) = dataset(9, 3);
    let path = |name: &str| directory.path().join(name);
    let mut config = common::small_config();
    config.training.steps = 2;
    let fresh = options(config);
    let resume = TrainOptions { resume: true, config: None, ..fresh.clone() };

    assert!(refusal(&path("none"), &out, &fresh).contains("none is not a dataset"));
    assert!(refusal(&data, &out, &resume).contains("out holds no model to resume"));
    std::fs::create_dir(path("full")).unwrap();
    std::fs::write(path("full").join("letter.txt"), "dear").unwrap();
    assert!(refusal(&data, &path("full"), &fresh).contains("already holds something else"));
    let mut short = fresh.clone();
    short.config.as_mut().unwrap().model.max_tokens = 1;
    assert!(refusal(&data, &out, &short).contains("no triple of at most 1 tokens"));

    train(&data, &out, &fresh, &mut go_on).unwrap();
    assert!(refusal(&data, &out, &fresh).contains("add --resume"));
    let other = TrainOptions { seed: 6, ..resume.clone() };
    assert!(refusal(&data, &out, &other).contains("with --seed 0"));
    let mut other = TrainOptions { resume: true, ..fresh.clone() };
    other.config.as_mut().unwrap().model.clip += 1;
    assert!(refusal(&data, &out, &other).contains("another configuration"));
    std::fs::rename(out.join("training_state"), path("moved")).unwrap();
    assert!(refusal(&data, &out, &resume).contains("no checkpoint to resume from"));
    std::fs::rename(path("moved"), out.join("training_state")).unwrap();

    // A dataset of another rewrite system.
    let foreign = path("foreign");
    common::write_dataset(&foreign, &common::triples(1, 9), &common::triples(2, 3));
    let rules = format!("{}; changed\n", common::RULES);
    std::fs::write(foreign.join("system.rules"), &rules).unwrap();
    assert!(refusal(&foreign, &out, &resume).contains("is not the rewrite system that"));
    let hash = egraph::System::parse(&rules).unwrap().hash;
    let info = std::fs::read_to_string(foreign.join("dataset_info.json")).unwrap();
    let info = unseal_json("", &info).unwrap().replace(&common::system().hash, &hash);
    std::fs::write(foreign.join("dataset_info.json"), seal_json(&info)).unwrap();
    let message = refusal(&foreign, &out, &resume);
    assert!(message.contains(&hash) && message.contains(&common::system().hash), "{message}");

    // Loading.
    let load = |directory: &Path| match GuideModel::load(directory, &Device::Cpu) {
        Ok(_) => panic!("loaded"),
        Err(error) => format!("{error:#}"),
    };
    let model = GuideModel::load(&out, &Device::Cpu).unwrap();
    model.expect_language(&common::system()).unwrap();
    let other = egraph::System::parse(&rules).unwrap();
    // Rules may change, and operators may be added, but some must be there.
    model.expect_language(&other).unwrap();
    assert!(!model.reads_by_name(&other));
    let other = egraph::System::parse(&format!("{rules}(sort Another)")).unwrap();
    model.expect_language(&other).unwrap();
    assert!(model.reads_by_name(&other));
    let other = egraph::System::parse("(sort A) (op f (A) A) (variable A)").unwrap();
    let message = model.expect_language(&other).unwrap_err().to_string();
    assert!(message.contains(&other.hash) && message.contains(&common::system().hash));
    assert!(load(&path("none")).contains("config.json"));
    let weights = out.join("model.safetensors");
    let whole = std::fs::read(&weights).unwrap();
    std::fs::write(&weights, &whole[..whole.len() - 7]).unwrap();
    assert!(load(&out).contains("model.safetensors: truncated"), "{}", load(&out));
    std::fs::remove_file(&weights).unwrap();
    assert!(load(&out).contains("cannot read"));
    std::fs::write(&weights, &whole).unwrap();
    let config = std::fs::read_to_string(out.join("config.json")).unwrap();
    let config = unseal_json("", &config).unwrap();
    let edit = |from: &str, to: &str| {
        assert!(config.contains(from));
        std::fs::write(out.join("config.json"), seal_json(&config.replace(from, to))).unwrap();
        load(&out)
    };
    assert!(edit("\"width\": 48", "\"width\": 96").contains("has shape"));
    assert!(edit("\"decoder_layers\": 2", "\"decoder_layers\": 3").contains("no tensor"));
    assert!(edit("\"decoder_layers\": 2", "\"decoder_layers\": 1").contains("unexpected tensor"));
    assert!(
        edit("\"heads\": 4", "\"heads\": 0").contains("config.json: heads: expected at least 2")
    );
    assert!(
        edit("\"batch_tokens\": 250", "\"batch_tokens\": 0")
            .contains("batch_tokens: expected 1 to")
    );
    assert!(edit("\"width\": 48", "\"width\": 1152921504606846976").contains("width: expected"));
    assert!(edit("cairn-model-4", "cairn-model-9").contains("expected 'cairn-model-4'"));
    assert!(edit(&common::system().hash, "0123").contains("expected 0123"));
}

#[test]
fn a_second_training_is_refused_while_the_first_is_at_work() {
    let (_directory, data, out) = dataset(9, 3);
    let mut config = common::small_config();
    config.training.steps = 2;
    let fresh = options(config);
    // Held as by a process that was stopped just before it wrote anything: looking before the lock
    // is taken finds nothing wrong.
    let held = support::OutputDir::create(&out, "config.json").unwrap();
    let error = train(&data, &out, &fresh, &mut go_on).unwrap_err();
    assert!(error.to_string().contains("another process is writing to"), "{error:#}");
    drop(held);

    // Of trainings that are begun at the same time one makes the model.
    let made = std::sync::atomic::AtomicUsize::new(0);
    let seeds: Vec<u64> = (0..4).collect();
    std::thread::scope(|scope| {
        for &seed in &seeds {
            let (data, out, made) = (&data, &out, &made);
            let options = TrainOptions { seed, ..fresh.clone() };
            scope.spawn(move || match train(data, out, &options, &mut go_on) {
                Ok(_) => drop(made.fetch_add(1, std::sync::atomic::Ordering::SeqCst)),
                Err(error) => {
                    let message = format!("{error:#}");
                    let expected = ["another process is writing to", "already holds a model"];
                    assert!(expected.iter().any(|part| message.contains(part)), "{message}");
                }
            });
        }
    });
    assert_eq!(made.into_inner(), 1);
}

#[cfg(unix)]
#[test]
fn no_link_in_a_model_leads_out_of_it_and_leftovers_are_removed() {
    let (directory, data, out) = dataset(9, 3);
    let path = |name: &str| directory.path().join(name);
    let mut config = common::small_config();
    config.training.steps = 2;
    let fresh = options(config);
    let longer =
        |steps| TrainOptions { resume: true, config: None, steps: Some(steps), ..fresh.clone() };
    train(&data, &out, &fresh, &mut go_on).unwrap();

    // As a kill leaves it: an old state, one half-written, temporary files.
    let states = out.join("training_state");
    std::fs::create_dir(states.join("step-00000001")).unwrap();
    std::fs::create_dir(states.join(".writing.tmp")).unwrap();
    std::fs::write(out.join(".model.safetensors.tmp"), "half").unwrap();
    train(&data, &out, &longer(2), &mut go_on).unwrap();
    let names = |path: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(path).unwrap();
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names(&states), ["step-00000002"]);
    assert!(names(&out).iter().all(|name| !name.starts_with('.')), "{:?}", names(&out));

    // All of its states lie elsewhere.
    std::fs::rename(&states, path("victim")).unwrap();
    std::os::unix::fs::symlink(path("victim"), &states).unwrap();
    let message = format!("{:#}", train(&data, &out, &longer(3), &mut go_on).unwrap_err());
    assert!(message.contains("training_state is a link"), "{message}");
    assert_eq!(names(&path("victim")), ["step-00000002"]);
}

#[test]
fn broken_weights_do_not_replace_the_good_ones() {
    let (_directory, data, out) = dataset(9, 3);
    let mut config = common::small_config();
    config.training.steps = 6;
    config.training.evaluate_every = 1;
    config.training.warmup_steps = 4;
    let options = options(config);
    let good = TrainOptions { steps: Some(1), ..options.clone() };
    train(&data, &out, &good, &mut go_on).unwrap();
    break_moments(&out);
    let before = std::fs::read(out.join("model.safetensors")).unwrap();
    let on = TrainOptions { resume: true, config: None, steps: Some(6), ..options };
    let message = format!("{:#}", train(&data, &out, &on, &mut go_on).unwrap_err());
    assert!(message.contains("not a number any more"), "{message}");
    assert!(std::fs::read(out.join("model.safetensors")).unwrap() == before);
    assert!(!out.join("training_state/step-00000002").exists());
}

#[test]
fn nor_do_they_between_two_validations() {
    let (_directory, data, out) = dataset(9, 3);
    let mut config = common::small_config();
    config.training.steps = 20;
    config.training.checkpoint_minutes = 1e-9;
    // Otherwise it would be stopped while it reads them.
    let dataset = Dataset::load(&data).unwrap();
    Examples::open(&dataset, &config, None, &out, &false.into()).unwrap();
    let options = TrainOptions { stop: Arc::new(AtomicBool::new(true)), ..options(config) };
    train(&data, &out, &options, &mut go_on).unwrap();
    break_moments(&out);
    let on = TrainOptions { resume: true, config: None, ..options };
    let message = format!("{:#}", train(&data, &out, &on, &mut go_on).unwrap_err());
    assert!(message.contains("parameter '") && message.contains("stays"), "{message}");
    assert!(out.join("training_state/step-00000001").exists());
    assert!(!out.join("training_state/step-00000002").exists());
}

/// All files in a directory, and in those in it, with their content.
fn all_files(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(all_files(&path)),
            false => found.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn what_a_training_goes_on_from_is_as_it_was_written() {
    let (directory, data, out) = dataset(50, 10);
    let path = |name: &str| directory.path().join(name);
    let mut config = common::small_config();
    config.training.steps = 4;
    config.training.evaluate_every = 2;
    let fresh = options(config);
    let half = TrainOptions { steps: Some(2), ..fresh.clone() };
    let on = TrainOptions { resume: true, config: None, steps: Some(4), ..fresh.clone() };
    train(&data, &path("whole"), &half, &mut go_on).unwrap();
    let files = all_files(&path("whole"));
    // As after a kill: nothing else has changed.
    let restore = |out: &Path| {
        std::fs::remove_dir_all(out).ok();
        for (file, bytes) in &files {
            let file = out.join(file.strip_prefix(path("whole")).unwrap());
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
    };
    restore(&out);
    let undisturbed = train(&data, &out, &on, &mut go_on).unwrap();
    let state = "training_state/step-00000002";
    for name in [
        "config.json",
        "tokenizer.json",
        &format!("{state}/state.json"),
        &format!("{state}/model.safetensors"),
        &format!("{state}/optimizer.safetensors"),
    ] {
        let length = std::fs::metadata(path("whole").join(name)).unwrap().len() as usize;
        // Somewhere in the header, and in all the rest.
        for at in (0..40).map(|n| 20 + n * 977 * 13 % (length - 20)) {
            restore(&out);
            let file = out.join(name);
            let mut bytes = std::fs::read(&file).unwrap();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&file, &bytes).unwrap();
            let message = refusal(&data, &out, &on);
            assert!(message.contains(name), "{name} {at}: {message}");
            assert!(std::fs::read(&file).unwrap() == bytes);
        }
    }
    // Files of another training are whole, and do not belong here.
    let other = TrainOptions { seed: 1, ..half.clone() };
    train(&data, &path("other"), &other, &mut go_on).unwrap();
    for name in ["model.safetensors", "optimizer.safetensors"] {
        restore(&out);
        let name = format!("{state}/{name}");
        std::fs::copy(path("other").join(&name), out.join(&name)).unwrap();
        let message = refusal(&data, &out, &on);
        assert!(message.contains("is of another checkpoint"), "{message}");
    }
    // What follows from the state is written again.
    for name in ["model.safetensors", "seen_seeds.json", "train_log.jsonl", "system.rules"] {
        restore(&out);
        std::fs::write(out.join(name), "x").unwrap();
        if name == "system.rules" {
            assert!(refusal(&data, &out, &on).contains("system.rules"));
            continue;
        }
        assert_eq!(losses(&train(&data, &out, &on, &mut go_on).unwrap()), losses(&undisturbed));
        GuideModel::load(&out, &Device::Cpu).unwrap();
        load_seen_seeds(&out).unwrap();
    }
    // The weights with the lowest loss are not those of the state any more: nothing makes them again.
    restore(&out);
    let third = TrainOptions { stop: Arc::new(AtomicBool::new(true)), ..on.clone() };
    assert_eq!(train(&data, &out, &third, &mut go_on).unwrap().step, 3);
    std::fs::remove_file(out.join("model.safetensors")).unwrap();
    let message = refusal(&data, &out, &on);
    assert!(message.contains("is not that of step 2, which had the lowest"), "{message}");
}

#[test]
fn a_model_in_use_is_as_it_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let out = common::trained_in(directory.path(), common::small_config(), 1);
    load_seen_seeds(&out).unwrap();
    for name in ["config.json", "tokenizer.json", "system.rules", "model.safetensors"] {
        let file = out.join(name);
        let whole = std::fs::read(&file).unwrap();
        for at in (0..40).map(|n| 20 + n * 977 * 13 % (whole.len() - 20)) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&file, &bytes).unwrap();
            let error = format!("{:#}", GuideModel::load(&out, &Device::Cpu).err().unwrap());
            assert!(error.contains(name), "{name} {at}: {error}");
        }
        std::fs::write(&file, &whole).unwrap();
    }
    let file = out.join("seen_seeds.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let flipped = text.replace("\"literals\": false", "\"literals\": true");
    assert_ne!(flipped, text);
    for damaged in ["", "{\"literals\":true,\"digests\":[]}", &flipped] {
        std::fs::write(&file, damaged).unwrap();
        let error = format!("{:#}", load_seen_seeds(&out).unwrap_err());
        assert!(error.contains("seen_seeds.json is not as it was written"), "{error}");
    }
    std::fs::remove_file(&file).unwrap();
    assert!(format!("{:#}", load_seen_seeds(&out).unwrap_err()).contains("seen_seeds.json"));
}

#[test]
fn triples_that_are_too_long_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let (data, out) = (directory.path().join("data"), directory.path().join("out"));
    let mut long = common::triples(1, 9);
    let deep = (0..60).fold("v0".to_owned(), |term, _| format!("(neg {term})"));
    for triple in &mut long[..2] {
        triple.start = deep.clone();
    }
    common::write_dataset(&data, &long, &common::triples(2, 3));
    let mut config = common::small_config();
    config.training.steps = 1;
    config.model.max_tokens = 50;
    let dataset = Dataset::load(&data).unwrap();
    let report = train(&data, &out, &options(config.clone()), &mut go_on).unwrap();
    let examples = Examples::open(&dataset, &config, None, &out, &false.into()).unwrap();
    assert_eq!(examples.left_out(), [2, 0]);
    assert_eq!(
        examples.left_out_line().unwrap(),
        "left out, for a term has more tokens than max_tokens = 50 allows: 2 of 9 triples of the \
         training split, 0 of 3 of the validation split"
    );
    assert_eq!(report.triples, [7, 3]);
}

/// The files of a finished model whose bytes do not depend on when it was trained.
fn files(directory: &Path) -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> =
        ["config.json", "tokenizer.json", "model.safetensors", "loss.svg"]
            .iter()
            .map(|name| std::fs::read(directory.join(name)).unwrap())
            .collect();
    let log = std::fs::read_to_string(directory.join("train_log.jsonl")).unwrap();
    for line in log.lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        for measured in ["tokens_per_second", "seconds_left", "time"] {
            line[measured] = 0.into();
        }
        files.push(line.to_string().into_bytes());
    }
    files
}

#[test]
fn a_training_that_is_stopped_at_every_step_ends_with_the_same_bytes() {
    let (directory, data, _) = dataset(50, 10);
    let path = |name: &str| directory.path().join(name);
    let mut config = common::small_config();
    config.training.steps = 17;
    config.training.evaluate_every = 5;
    config.training.dropout = 0.1;
    let whole = options(config.clone());
    train(&data, &path("whole"), &whole, &mut go_on).unwrap();

    // A checkpoint after every step changes nothing.
    config.training.checkpoint_minutes = 1e-9;
    train(&data, &path("often"), &options(config), &mut go_on).unwrap();
    assert!(files(&path("often"))[1..] == files(&path("whole"))[1..]);

    // How long it takes is measured before every first step, which changes nothing, either.
    let stop = Arc::new(AtomicBool::new(true));
    let mut parts = TrainOptions { stop, quiet: false, ..whole };
    let mut ends = Vec::new();
    while ends.last() != Some(&End::LastStep) {
        let report = train(&data, &path("parts"), &parts, &mut go_on).unwrap();
        ends.push(report.end);
        assert_eq!(report.step, ends.len() as u64);
        parts.resume = true;
    }
    assert_eq!(ends.len(), 17);
    assert!(files(&path("parts")) == files(&path("whole")));
}

#[test]
fn training_ends_when_nothing_gets_better_any_more() {
    let (_directory, data, out) = dataset(50, 10);
    let mut config = common::small_config();
    config.training.steps = 50;
    config.training.evaluate_every = 1;
    config.training.learning_rate = 1e-12; // no change that 32 bits can hold
    config.training.label_smoothing = 0.1;
    config.training.patience = 3;
    let mut options = options(config);
    let report = train(&data, &out, &options, &mut go_on).unwrap();
    assert_eq!((report.end, report.step), (End::Patience, 4));
    options.resume = true;
    let report = train(&data, &out, &options, &mut go_on).unwrap();
    assert_eq!((report.end, report.step), (End::Patience, 4));
}

#[test]
fn bf16_is_refused_without_a_gpu() {
    let (_directory, data, out) = dataset(9, 3);
    let mut config = common::small_config();
    config.training.precision = Precision::Bf16;
    let message = refusal(&data, &out, &options(config));
    assert!(message.contains("add --device cuda, or leave precision out"), "{message}");
    assert!(!out.join("config.json").exists());
}

#[test]
fn a_model_of_another_format_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = common::trained_in(directory.path(), common::small_config(), 1);
    let path = out.join("config.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let format = value["format"].as_str().unwrap().to_owned();
    value["format"] = "cairn-model-2".into();
    std::fs::write(&path, value.to_string()).unwrap();
    let error = GuideModel::load(&out, &Device::Cpu).err().unwrap().to_string();
    assert!(error.contains("config.json: format 'cairn-model-2', expected"), "{error}");
    assert!(error.contains(&format), "{error}");
}

#[test]
fn a_step_that_does_not_fit_into_memory_is_refused_before_anything_is_written() {
    let (_directory, data, out) = dataset(9, 3);
    let mut config = common::small_config();
    config.training.steps = 1;
    config.model.encoder_layers = 200;
    config.model.feed_forward = 65_536;
    config.model.width = 2_048;
    // Two hundred layers of more than a billion bytes each: the network alone would be too large.
    let message = refusal(&data, &out, &options(config));
    assert!(message.contains("choose a smaller preset"), "{message}");
}
