//! Tokens per second of the network on batches of a dataset: forward as in validation, and whole
//! training steps; and the resident memory that each takes.
//!
//! ```text
//! cargo bench -p cairn-model --bench training                       both presets, on made-up triples
//! cargo bench -p cairn-model --bench training -- DATA PRESET MODE   on a dataset; MODE is forward or step
//! cargo bench -p cairn-model --bench training -- DATA PRESET write DIR
//! cargo bench -p cairn-model --bench training -- DATA PRESET expect DIR
//! cargo bench -p cairn-model --features cuda --bench training -- DATA PRESET MODE bf16
//! ```
//!
//! A fourth word, f32 or bf16, asks for the first GPU and the precision of activations; the batches are taken three
//! times then. `scripts/gpu.sh` runs these.
//!
//! RAYON_NUM_THREADS sets the number of threads. `write` stores the weights and the batches, and `expect` what becomes of the
//! first of them (its loss and gradients) as well, as safetensors, for another implementation that is to compute the same. Memory is that
//! of the process: it tells of one mode alone where only that one is run.

#[path = "../tests/all/common.rs"]
mod common;
mod measure;

use anyhow::{Context, Result, anyhow, bail};
use candle_core::{Device, Tensor};
use model::config::{Config, Precision};
use model::first_gpu;
use model::network::batch::Batch;
use model::network::ops::loss::targets::contains;
use model::network::parameters::{Parameters, to_safetensors};
use model::network::threads::one_thread_per_operation;
use model::training::adamw::AdamW;
use model::training::examples::batches::{Batches, EpochPlace};
use model::training::examples::data::{Dataset, Example};
use model::training::examples::token_file::Examples;
use model::training::step::{Fitting, Inputs};
use model::training::workers::Workers;
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

const PRESETS: [&str; 2] = ["tiny", "12m"];
/// Tokens of the batches of a measurement, at least; and batches, at least.
const TOKENS: usize = 20_000;
const BATCHES: usize = 2;

fn main() -> Result<()> {
    one_thread_per_operation();
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => {
            let made_up = tempfile::tempdir()?;
            let data = made_up.path().join("data");
            common::write_dataset(&data, &common::triples(1, 8_000), &common::triples(2, 3));
            for preset in PRESETS {
                for mode in ["forward", "step"] {
                    Bench::open(&data, preset)?.time(mode)?;
                }
            }
            Ok(())
        }
        [data, preset, mode] => Bench::open(data.as_ref(), preset)?.time(mode),
        [data, preset, mode @ ("forward" | "step"), precision] => {
            let mut bench = Bench::open(data.as_ref(), preset)?;
            bench.config.training.precision = match precision {
                "f32" => Precision::F32,
                "bf16" => Precision::Bf16,
                _ => bail!("{precision}: expected f32 or bf16"),
            };
            bench.device = first_gpu().map_err(|reason| anyhow!("no GPU: {reason}"))?;
            bench.time(mode)
        }
        [data, preset, "write", out] => Bench::open(data.as_ref(), preset)?.write(out.as_ref()),
        [data, preset, "expect", out] => {
            let bench = Bench::open(data.as_ref(), preset)?;
            bench.write(out.as_ref())?;
            bench.expect(out.as_ref())
        }
        _ => bail!("expected DATA PRESET MODE, DATA PRESET write or expect DIR, or nothing"),
    }
}

/// A preset and some batches of a dataset.
struct Bench {
    preset: String,
    config: Config,
    examples: Examples,
    batches: Vec<Vec<Example>>,
    device: Device,
}

impl Bench {
    fn open(data: &Path, preset: &str) -> Result<Bench> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let config = Config::load(&root.join(format!("configs/model/{preset}.toml")).into())?;
        let dataset = Dataset::load(data)?;
        let examples = Examples::open(&dataset, &config, None, data, &false.into())?;
        let (mut batches, mut tokens) = (Vec::new(), 0);
        let mut plan = Batches::new(
            examples.train_lengths(),
            config.training.batch_tokens,
            1,
            EpochPlace::default(),
        );
        while tokens < TOKENS || batches.len() < BATCHES {
            let batch = plan.take().iter().map(|i| examples.train(*i as usize));
            let batch: Vec<Example> = batch.collect::<Result<_>>()?;
            tokens += batch.iter().map(Example::len).sum::<usize>();
            batches.push(batch);
        }
        let (preset, device) = (preset.to_owned(), Device::Cpu);
        Ok(Bench { preset, config, examples, batches, device })
    }

    /// The network with weights drawn at random.
    fn fitting<'a>(&'a self, config: &'a Config) -> Result<Fitting<'a>> {
        let threads = if self.device.is_cpu() { rayon::current_num_threads() } else { 1 };
        let workers = Workers::new(threads)?;
        let parameters = Parameters::random(1, &self.device);
        let Examples { vocabulary, masks, .. } = &self.examples;
        Fitting::new(config, vocabulary, parameters, masks.clone(), 1, workers)
    }

    fn time(&self, mode: &str) -> Result<()> {
        let step = match mode {
            "forward" => false,
            "step" => true,
            _ => bail!("{mode}: expected forward or step"),
        };
        let fitting = self.fitting(&self.config)?;
        let mut adam = AdamW::new(&fitting.vars, self.config.training.weight_decay)?;
        let mut run = |batch: &[Example]| -> Result<()> {
            if step {
                let outcome = fitting.outcome(batch, adam.step)?;
                adam.update(&fitting.vars, &outcome.gradients, 1e-4, 1.0)?;
            } else {
                fitting.score(batch)?;
            }
            Ok(())
        };
        // A GPU is fast, and slow where it meets a shape for the first time.
        let (warm, passes) = if self.device.is_cpu() { (1, 1) } else { (self.batches.len(), 3) };
        self.batches[..warm].iter().try_for_each(|batch| run(batch))?;
        let (began, processor) = (Instant::now(), measure::of_process()?);
        for _ in 0..passes {
            self.batches.iter().try_for_each(|batch| run(batch))?;
        }
        let (seconds, processor) =
            (began.elapsed().as_secs_f64(), measure::of_process()? - processor);
        let tokens: usize = self.batches.iter().flatten().map(Example::len).sum::<usize>() * passes;
        println!(
            "{} {mode}: {:.0} tokens/s, {:.0} per processor second, {:.0} MiB, {} threads",
            self.preset,
            tokens as f64 / seconds,
            tokens as f64 / processor,
            measure::resident_mib()?,
            rayon::current_num_threads()
        );
        Ok(())
    }

    fn write(&self, out: &Path) -> Result<()> {
        let mut config = self.config.clone();
        std::fs::write(out.join("config.json"), serde_json::to_vec(&config)?)?;
        config.training.dropout = 0.0;
        let fitting = self.fitting(&config)?;
        let named = fitting.vars.iter();
        let weights = named.map(|(name, var)| (name.clone(), var.as_detached_tensor())).collect();
        std::fs::write(out.join("model.safetensors"), to_safetensors(&weights, 0)?.0)?;

        let mut tensors = HashMap::new();
        for (i, batch) in self.batches.iter().enumerate() {
            let Inputs { start, target, guide, targets } = fitting.inputs(batch)?;
            for (side, batch) in [("start", &start), ("target", &target), ("guide", &guide)] {
                self.put(&mut tensors, &format!("{i}.{side}"), batch)?;
            }
            let (rows, v) = (targets.tokens.len(), self.examples.vocabulary.len());
            let shape = (guide.geometry.batch, guide.geometry.queries);
            let tokens = Tensor::from_slice(&targets.tokens, shape, &Device::Cpu)?;
            tensors.insert(format!("{i}.tokens"), tokens);
            let mut allowed = Vec::with_capacity(rows * v);
            for mask in &targets.masks {
                let set = targets.sets.get(*mask);
                allowed.extend((0..v as u32).map(|token| u8::from(contains(set, token))));
            }
            let allowed = Tensor::from_vec(allowed, (shape.0, shape.1, v), &Device::Cpu)?;
            tensors.insert(format!("{i}.allowed"), allowed);
        }
        Ok(candle_core::safetensors::save(&tensors, out.join("batches.safetensors"))?)
    }

    fn expect(&self, out: &Path) -> Result<()> {
        let mut config = self.config.clone();
        config.training.dropout = 0.0;
        let fitting = self.fitting(&config)?;
        let outcome = fitting.outcome(&self.batches[0], 0)?;
        let score = outcome.tally.read()?;
        let loss = score.nats / score.tokens as f64;
        let mut becomes: HashMap<String, Tensor> = outcome.gradients.into_iter().collect();
        becomes.insert("loss".to_owned(), Tensor::new(&[loss as f32], &Device::Cpu)?);
        Ok(candle_core::safetensors::save(&becomes, out.join("expected.safetensors"))?)
    }

    /// Features, places and lengths of the nodes of a side of a batch.
    fn put(&self, all: &mut HashMap<String, Tensor>, name: &str, batch: &Batch) -> Result<()> {
        let g = &batch.geometry;
        let (mut features, mut starts): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for node in batch.features.nodes() {
            starts.push(features.len() as u32);
            features.extend(node);
        }
        let places = g.places.as_ref().context("a side without places")?;
        let numbers: Vec<i64> = places
            .places
            .iter()
            .flat_map(|p| [p.index, p.depth, p.end, p.parent, p.rank].map(i64::from))
            .collect();
        let lengths: Vec<u32> = g.key_lengths.iter().map(|n| *n as u32).collect();
        let mut put = |what: &str, tensor: Tensor| all.insert(format!("{name}.{what}"), tensor);
        let n = features.len();
        put("features", Tensor::from_vec(features, n, &Device::Cpu)?);
        put("starts", Tensor::from_vec(starts, (g.batch, g.queries), &Device::Cpu)?);
        put("places", Tensor::from_vec(numbers, (g.batch, places.row, 5), &Device::Cpu)?);
        put("lengths", Tensor::from_vec(lengths, g.batch, &Device::Cpu)?);
        Ok(())
    }
}
