//! A trained model, loaded to write guides.

use crate::config::ModelConfig;
use crate::decoding::decode::{DecodeOptions, Decoder, Hypothesis, Task};
use crate::decoding::grammar::Grammar;
use crate::decoding::tree_builder::TreeBuilder;
use crate::network::batch::{Features, encoder_batch};
use crate::network::dropout::Dropout;
use crate::network::parameters::{Parameters, load_safetensors};
use crate::network::threads::one_thread_per_operation;
use crate::network::transformer::Transformer;
use crate::tokens::tree::{Renaming, tokenise};
use crate::tokens::vocabulary::Vocabulary;
use crate::training::checkpoint::{Description, MODEL_FILE, load_description};
use anyhow::{Context, Result, anyhow, ensure};
use candle_core::Device;
use egraph::{Language, System, TermBank, TermId};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Hypotheses that one thread decodes at a time.
const ROWS: usize = 64;

/// A term that may lie on the way from a task's start to its target.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// The term, in the task's own variables.
    pub term: TermId,
    /// ln of the probability that the model gives it among all terms that it may write.
    pub log_probability: f32,
    /// The probability of every node given those before it, in pre-order.
    pub node_probabilities: Vec<f32>,
}

/// A network with its vocabulary and the rewrite system that it was trained for.
pub struct GuideModel {
    system: System,
    config: ModelConfig,
    vocabulary: Vocabulary,
    features: Features,
    network: Transformer,
}

impl GuideModel {
    /// Loads the model in a directory that `cairn train` wrote.
    ///
    /// # Errors
    /// A file is missing, truncated or does not fit the others; it is named.
    pub fn load(directory: &Path, device: &Device) -> Result<GuideModel> {
        one_thread_per_operation();
        let Description { system, vocabulary, run } = load_description(directory)?;
        let path = directory.join(MODEL_FILE);
        let (tensors, _) = load_safetensors(&path, device)?;
        let features = Features::new(&vocabulary);
        let mut parameters = Parameters::fixed(tensors, device);
        let config = run.config.model;
        let network = Transformer::new(&config, features, vocabulary.len(), &mut parameters)
            .and_then(|network| parameters.finish().map(|_| network))
            .map_err(|e| anyhow!("{} does not fit its config.json: {e}", path.display()))?;
        Ok(GuideModel { system, config, vocabulary, features, network })
    }

    /// Hash of the rewrite system that the model was trained for.
    pub fn system_hash(&self) -> &str {
        &self.system.hash
    }

    /// The rewrite system that the model was trained for.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The language of the terms that it reads and writes.
    pub fn language(&self) -> &Arc<Language> {
        &self.system.language
    }

    /// Refuses to work for another rewrite system than the model's own.
    ///
    /// # Errors
    /// The systems differ; both hashes are named.
    pub fn expect_system(&self, system: &System) -> Result<()> {
        ensure!(
            system.hash == self.system.hash,
            "the model was trained for another rewrite system: its hash is {}, but that of the \
             system in use is {}",
            self.system.hash,
            system.hash
        );
        Ok(())
    }

    /// Whether the model can read a question: none of its terms is longer than `max_tokens`. It
    /// gives no guide for others.
    ///
    /// # Errors
    /// The terms are not of the model's language.
    pub fn can_read(&self, bank: &TermBank, start: TermId, target: TermId) -> Result<bool> {
        let limit = self.config.max_tokens;
        // Before the terms are written out: the size of a shared term may be astronomical.
        if bank.size(start).max(bank.size(target)) > limit as u64 {
            return Ok(false);
        }
        let renaming = Renaming::new(bank, &[start, target]);
        let fits = |t| -> Result<bool> {
            Ok(tokenise(&self.vocabulary, bank, t, &renaming)?.tokens().len() <= limit)
        };
        Ok(fits(start)? && fits(target)?)
    }

    /// Writes guides for tasks (start, target), the likeliest first, all different. Computes in
    /// the current rayon pool.
    ///
    /// A task gets no guides if a term of it is longer than the model's `max_tokens`, or if no
    /// term of its sort is small enough.
    ///
    /// # Errors
    /// The bank is not of the model's language, start and target have different sorts, an option
    /// is out of range, or the device fails.
    pub fn guides(
        &self,
        bank: &mut TermBank,
        tasks: &[(TermId, TermId)],
        options: &DecodeOptions,
    ) -> Result<Vec<Vec<Guide>>> {
        options.check()?;
        ensure!(
            **bank.language() == *self.system.language,
            "the terms are not of the language that the model was trained for"
        );
        let mut guides: Vec<Vec<Guide>> = vec![Vec::new(); tasks.len()];
        let mut readable = Vec::new();
        for (i, (start, target)) in tasks.iter().enumerate() {
            ensure!(
                bank.sort(*start) == bank.sort(*target),
                "task {i}: start and target have different sorts"
            );
            if let Some(task) = self.read(bank, i, *start, *target, options)? {
                readable.push(task);
            }
        }
        let decoded: Vec<Vec<Vec<Hypothesis>>> = readable
            .par_chunks((ROWS / options.guides).max(1))
            .map(|chunk| self.decode(chunk, options))
            .collect::<Result<_>>()?;
        for (task, hypotheses) in readable.iter().zip(decoded.into_iter().flatten()) {
            let found = &mut guides[task.index];
            let mut seen = BTreeSet::new();
            for hypothesis in hypotheses {
                let guide = self.guide(bank, &task.renaming, &hypothesis)?;
                // A word can be spelled in several ways.
                if found.len() < options.guides && seen.insert(guide.term) {
                    found.push(guide);
                }
            }
        }
        Ok(guides)
    }

    fn read(
        &self,
        bank: &TermBank,
        index: usize,
        start: TermId,
        target: TermId,
        options: &DecodeOptions,
    ) -> Result<Option<Readable>> {
        let limit = self.config.max_tokens as u64;
        // Before the terms are written out: the size of a shared term may be astronomical.
        if bank.size(start) > limit || bank.size(target) > limit {
            return Ok(None);
        }
        let renaming = Renaming::new(bank, &[start, target]);
        let read = |t| tokenise(&self.vocabulary, bank, t, &renaming).context("a term of a task");
        let (start_tree, target_tree) = (read(start)?, read(target)?);
        let longest = start_tree.tokens().len().max(target_tree.tokens().len());
        let grammar = Grammar::new(&self.vocabulary, &renaming, options.max_size);
        let fits = longest as u64 <= limit && grammar.can_begin(bank.sort(start));
        Ok(fits.then_some(Readable { index, start: start_tree, target: target_tree, renaming }))
    }

    fn decode(&self, tasks: &[Readable], options: &DecodeOptions) -> Result<Vec<Vec<Hypothesis>>> {
        let buckets = self.config.buckets();
        let encode = |side: fn(&Readable) -> &TreeBuilder| {
            let trees: Vec<&TreeBuilder> = tasks.iter().map(side).collect();
            encoder_batch(self.features, buckets, &trees)
        };
        let (start, target) = (encode(|task| &task.start), encode(|task| &task.target));
        let memory = self.network.encode(&start, &target, &Dropout::none())?;
        let decoder_tasks: Vec<Task> = tasks
            .iter()
            .map(|task| Task {
                grammar: RefCell::new(Grammar::new(
                    &self.vocabulary,
                    &task.renaming,
                    options.max_size,
                )),
                sort: egraph::SortId(task.start.slots()[0].sort),
                stream: stream(&task.start, &task.target),
            })
            .collect();
        let decoder = Decoder {
            network: &self.network,
            vocabulary: &self.vocabulary,
            features: self.features,
            buckets,
            memory: &memory,
            tasks: &decoder_tasks,
        };
        decoder.run(options)
    }

    fn guide(&self, bank: &mut TermBank, renaming: &Renaming, h: &Hypothesis) -> Result<Guide> {
        let spelled = h
            .tree
            .term(&self.vocabulary, bank)
            .map_err(|e| support::errors::Internal::new(format!("a guide is no term: {e}")))?;
        let mut starts = h.tree.node_starts(&self.vocabulary);
        starts.push(h.log_probabilities.len());
        let node_probabilities = starts
            .windows(2)
            .map(|w| h.log_probabilities[w[0]..w[1]].iter().sum::<f32>().exp())
            .collect();
        Ok(Guide {
            term: renaming.restore(bank, spelled),
            log_probability: h.total,
            node_probabilities,
        })
    }
}

/// A task that the model can read.
struct Readable {
    index: usize,
    start: TreeBuilder,
    target: TreeBuilder,
    renaming: Renaming,
}

/// A number that depends on the task alone (FNV-1a over its tokens), so that its samples do not
/// depend on which other tasks are asked for with it.
fn stream(start: &TreeBuilder, target: &TreeBuilder) -> u64 {
    let tokens = start.tokens().iter().chain(&[u32::MAX]).chain(target.tokens());
    tokens.fold(0xcbf2_9ce4_8422_2325, |hash, token| {
        (hash ^ u64::from(*token)).wrapping_mul(0x0100_0000_01b3)
    })
}
