//! A training that begins with the weights of another model.

use crate::common;
use crate::common::{options, triples, write_dataset};
use model::{TrainOptions, inspect, load_seen_seeds, train};
use std::ops::ControlFlow;
use std::path::Path;

fn with_steps(steps: u64) -> TrainOptions {
    let mut config = common::small_config();
    config.training.steps = steps;
    config.training.evaluate_every = 5;
    options(config)
}

fn train_on(data: &Path, out: &Path, options: &TrainOptions) -> anyhow::Result<f32> {
    let report = train(data, out, options, &mut |_| ControlFlow::Continue(()))?;
    Ok(report.log[0].validation_loss)
}

#[test]
fn what_was_learned_is_kept_and_what_was_seen_counts_as_seen() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    write_dataset(&path("data"), &triples(1, 60), &triples(2, 8));
    write_dataset(&path("more"), &triples(3, 60), &triples(2, 8));
    train_on(&path("data"), &path("first"), &with_steps(150)).unwrap();

    let fresh = train_on(&path("more"), &path("fresh"), &with_steps(5)).unwrap();
    let from = TrainOptions { from: Some(path("first")), ..with_steps(5) };
    let loss = train_on(&path("more"), &path("second"), &from).unwrap();
    assert!(loss < 0.9 * fresh, "{loss} after {fresh}");
    // Its configuration is that of the model it began with, unless another one is given.
    let kept = TrainOptions { config: None, steps: Some(5), ..from.clone() };
    assert_eq!(train_on(&path("more"), &path("kept"), &kept).unwrap(), loss);

    let hash = model::training::checkpoint::content_hash(&path("first")).unwrap();
    let said = inspect(&path("second")).unwrap();
    assert_eq!(said.from.as_ref(), Some(&hash));
    assert!(said.text().unwrap().contains(&format!("began with model {}", &hash[..12])));
    assert_eq!(inspect(&path("fresh")).unwrap().from, None);
    let [first, second] = ["first", "second"].map(|name| load_seen_seeds(&path(name)).unwrap());
    assert!(first.digests.is_subset(&second.digests));
}

#[test]
fn it_is_resumed_with_the_same_model_only_and_gives_the_bytes_of_not_stopping() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    write_dataset(&path("data"), &triples(1, 30), &triples(2, 8));
    for (name, steps) in [("first", 5), ("other", 6)] {
        train_on(&path("data"), &path(name), &with_steps(steps)).unwrap();
    }
    let from = TrainOptions { from: Some(path("first")), ..with_steps(10) };
    train_on(&path("data"), &path("whole"), &from).unwrap();
    // Killed before the first checkpoint, and after it.
    std::fs::create_dir(path("early")).unwrap();
    std::fs::copy(path("whole").join("config.json"), path("early").join("config.json")).unwrap();
    train(&path("data"), &path("late"), &from, &mut |_| ControlFlow::Break(())).unwrap();
    let refused = |out: &str, options: &TrainOptions| {
        format!("{:#}", train_on(&path("data"), &path(out), options).unwrap_err())
    };
    for out in ["early", "late"] {
        let resume = TrainOptions { resume: true, ..from.clone() };
        let other = TrainOptions { from: Some(path("other")), ..resume.clone() };
        let none = TrainOptions { from: None, ..resume.clone() };
        for options in [other, none] {
            let message = refused(out, &options);
            assert!(message.contains("began with another model"), "{message}");
        }
        train_on(&path("data"), &path(out), &resume).unwrap();
        let read = |name: &str| std::fs::read(path(name).join("model.safetensors")).unwrap();
        assert!(read("whole") == read(out), "{out}");
    }
    let resume = TrainOptions { resume: true, ..from.clone() };
    assert!(refused("first", &resume).contains("began with random weights"));
}

#[test]
fn a_model_of_another_shape_or_system_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    write_dataset(&path("data"), &triples(1, 9), &triples(2, 3));
    train_on(&path("data"), &path("first"), &with_steps(1)).unwrap();
    let from = TrainOptions { from: Some(path("first")), ..with_steps(1) };
    let refused = |options: &TrainOptions| {
        let error = train_on(&path("data"), &path("out"), options).unwrap_err();
        assert!(!path("out").join("config.json").exists());
        format!("{error:#}")
    };
    let mut wider = from.clone();
    wider.config.as_mut().unwrap().model.width = 64;
    assert!(refused(&wider).contains("--from: the model has another shape"));
    let none = TrainOptions { from: Some(path("none")), ..from.clone() };
    assert!(refused(&none).contains("none is not a model"));
    let config = path("first").join("config.json");
    let text = support::unseal_json("", &std::fs::read_to_string(&config).unwrap()).unwrap();
    // The copy of the system in the model no longer is the one that its hash says.
    let text = text.replace(&common::system().hash, &"0".repeat(64));
    std::fs::write(&config, support::seal_json(&text)).unwrap();
    assert!(refused(&from).contains("expected 0000"));
}
