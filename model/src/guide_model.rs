//! A trained model, loaded to write guides.

use crate::config::ModelConfig;
use crate::decoding::choices::{Choices, Free, Narrow, Within};
use crate::decoding::decode::{DecodeOptions, Decoder, Task, Written};
use crate::decoding::grammar::Grammar;
use crate::decoding::score::{Given, Likelihood, log_likelihoods};
use crate::decoding::tree_builder::TreeBuilder;
use crate::network::batch::{Features, encoder_batch};
use crate::network::dropout::Dropout;
use crate::network::parameters::{Parameters, load_safetensors};
use crate::network::threads::one_thread_per_operation;
use crate::network::transformer::{Memory, Transformer};
use crate::tokens::tree::tokenise;
use crate::tokens::vocabulary::Vocabulary;
use crate::training::checkpoint::{Description, MODEL_FILE, load_description};
use anyhow::{Context, Result, anyhow, ensure};
use candle_core::Device;
use dataset_gen::seeds::normal_form::Renaming;
use egraph::{Language, SortId, System, TermBank, TermId};
use rayon::prelude::*;
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
    /// ln of the probability that a single sample is this term: only among the terms of the
    /// [`Choices`], and after nucleus and temperature, where these apply.
    pub log_proposal: f32,
    /// The number of tokens that spell it.
    pub tokens: u32,
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
    /// The terms are not of the model's language, or of different sorts.
    pub fn can_read(&self, bank: &TermBank, start: TermId, target: TermId) -> Result<bool> {
        Ok(self.read(bank, 0, (start, target))?.is_some())
    }

    /// Writes guides for tasks (start, target), the likeliest first, all different. Computes in
    /// the current rayon pool; what is written for a task does not depend on the others.
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
        self.write(bank, tasks, options, |_| Free)
    }

    /// The same, but for every task only terms of the set that its [`Choices`] stand for; none if
    /// no such term is found. Of leaves that can't be spelled (a variable that neither start nor
    /// target has) no term is made.
    ///
    /// # Errors
    /// As [`GuideModel::guides`].
    pub fn guides_within<C: Choices>(
        &self,
        bank: &mut TermBank,
        tasks: &[(TermId, TermId)],
        choices: &[C],
        options: &DecodeOptions,
    ) -> Result<Vec<Vec<Guide>>> {
        ensure!(tasks.len() == choices.len(), "expected one set of choices per task");
        self.write(bank, tasks, options, |question| {
            let (renaming, choices) = (question.renaming.clone(), choices[question.index].clone());
            Within::new(&self.vocabulary, renaming, choices, options.max_size)
        })
    }

    /// How likely the model is to write each of `terms`, of at most `max_size` nodes, for a task
    /// (start, target). `None` for terms that it can't write (too large or of too many tokens,
    /// of another sort, with a variable that neither start nor target has), and for all terms if
    /// it can't read the task. Computes in the current rayon pool; what is found for a term does
    /// not depend on the others.
    ///
    /// # Errors
    /// As [`GuideModel::guides`].
    pub fn log_likelihoods(
        &self,
        bank: &TermBank,
        task: (TermId, TermId),
        terms: &[TermId],
        max_size: usize,
    ) -> Result<Vec<Option<Likelihood>>> {
        self.expect_language(bank)?;
        let Some(question) = self.read(bank, 0, task)? else {
            return Ok(vec![None; terms.len()]);
        };
        let limit = self.config.max_tokens;
        let mut grammar = Grammar::new(&self.vocabulary, &question.renaming, max_size);
        let mut given = Vec::new();
        let mut places = Vec::with_capacity(terms.len()); // among the given ones
        for &t in terms {
            let readable = bank.size(t) <= limit as u64 && bank.sort(t) == question.sort;
            let tree = readable.then(|| tokenise(&self.vocabulary, bank, t, &question.renaming));
            let one = tree.and_then(Result::ok).and_then(|tree| {
                let tokens = tree.tokens();
                let fits = tokens.len() <= limit;
                fits.then(|| Given::read(&self.vocabulary, &mut grammar, question.sort, tokens))?
            });
            places.push(one.is_some().then_some(given.len()));
            given.extend(one);
        }
        let memory = self.encode(&[question])?;
        let buckets = self.config.buckets();
        let found = log_likelihoods(&self.network, self.features, buckets, &memory, &given)?;
        Ok(places.into_iter().map(|place| place.map(|i| found[i])).collect())
    }

    /// Refuses terms of another language.
    fn expect_language(&self, bank: &TermBank) -> Result<()> {
        ensure!(
            **bank.language() == *self.system.language,
            "the terms are not of the language that the model was trained for"
        );
        Ok(())
    }

    /// Writes guides as far as what `narrow` makes of a question allows.
    fn write<N: Narrow>(
        &self,
        bank: &mut TermBank,
        tasks: &[(TermId, TermId)],
        options: &DecodeOptions,
        narrow: impl Fn(&Question) -> N + Sync,
    ) -> Result<Vec<Vec<Guide>>> {
        options.check()?;
        self.expect_language(bank)?;
        let mut questions = Vec::new();
        for (i, task) in tasks.iter().enumerate() {
            questions.extend(self.read(bank, i, *task)?);
        }
        let written: Vec<Vec<Vec<Written>>> = questions
            .par_chunks((ROWS / options.width()).max(1))
            .map(|questions| self.decode(questions, options, &narrow))
            .collect::<Result<_>>()?;
        let mut guides: Vec<Vec<Guide>> = vec![Vec::new(); tasks.len()];
        for (question, written) in questions.iter().zip(written.into_iter().flatten()) {
            let found = &mut guides[question.index];
            let mut seen = BTreeSet::new();
            for one in written {
                let guide = self.guide(bank, &question.renaming, &one)?;
                // A word can be spelled in several ways.
                if found.len() < options.guides && seen.insert(guide.term) {
                    found.push(guide);
                }
            }
        }
        Ok(guides)
    }

    /// The tokens of task `index`, if the model can read it.
    fn read(
        &self,
        bank: &TermBank,
        index: usize,
        (start, target): (TermId, TermId),
    ) -> Result<Option<Question>> {
        let sort = bank.sort(start);
        ensure!(sort == bank.sort(target), "task {index}: start and target have different sorts");
        let limit = self.config.max_tokens;
        // Before the terms are written out: the size of a shared term may be astronomical.
        if bank.size(start).max(bank.size(target)) > limit as u64 {
            return Ok(None);
        }
        let renaming = Renaming::new(bank, &[start, target]);
        let read = |t| tokenise(&self.vocabulary, bank, t, &renaming).context("a term of a task");
        let (start, target) = (read(start)?, read(target)?);
        let fits = start.tokens().len().max(target.tokens().len()) <= limit;
        Ok(fits.then_some(Question { index, sort, start, target, renaming }))
    }

    /// Encodes questions.
    fn encode(&self, questions: &[Question]) -> Result<Memory> {
        let side = |side: fn(&Question) -> &TreeBuilder| {
            let trees: Vec<&TreeBuilder> = questions.iter().map(side).collect();
            encoder_batch(self.features, self.config.buckets(), &trees)
        };
        let (start, target) = (side(|q| &q.start), side(|q| &q.target));
        Ok(self.network.encode(&start, &target, &Dropout::none())?)
    }

    fn decode<N: Narrow>(
        &self,
        questions: &[Question],
        options: &DecodeOptions,
        narrow: &impl Fn(&Question) -> N,
    ) -> Result<Vec<Vec<Written>>> {
        let task = |question: &Question| Task {
            grammar: Grammar::new(&self.vocabulary, &question.renaming, options.max_size),
            narrow: narrow(question),
            sort: question.sort,
            stream: stream(&question.start, &question.target),
        };
        let decoder = Decoder {
            network: &self.network,
            vocabulary: &self.vocabulary,
            features: self.features,
            buckets: self.config.buckets(),
            memory: &self.encode(questions)?,
        };
        decoder.run(&mut questions.iter().map(task).collect::<Vec<_>>(), options)
    }

    fn guide(&self, bank: &mut TermBank, renaming: &Renaming, w: &Written) -> Result<Guide> {
        let spelled = w
            .tree
            .term(&self.vocabulary, bank)
            .map_err(|e| support::errors::Internal::new(format!("a guide is no term: {e}")))?;
        let mut starts = w.tree.node_starts(&self.vocabulary);
        starts.push(w.log_probabilities.len());
        let node_probabilities = starts
            .windows(2)
            .map(|at| w.log_probabilities[at[0]..at[1]].iter().sum::<f32>().exp())
            .collect();
        Ok(Guide {
            term: renaming.restore(bank, spelled),
            log_probability: w.total,
            log_proposal: w.proposal,
            tokens: w.tree.tokens().len() as u32,
            node_probabilities,
        })
    }
}

/// A task as tokens.
struct Question {
    /// Which of the tasks it is.
    index: usize,
    /// The sort of its terms.
    sort: SortId,
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
