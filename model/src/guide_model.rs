//! A trained model, loaded to write guides.

use crate::by_name::{ByName, sorts};
use crate::decoding::decode::{Cached, DecodeOptions, Decoder, NextLogits, Task, Written};
use crate::decoding::draft::{Draft, Question, Tokens, sort_of};
use crate::network::batch::encoder_batch;
use crate::network::cache::Cache;
use crate::network::ops::dropout::Dropout;
use crate::network::parameters::{Parameters, load_safetensors};
use crate::network::threads::one_thread_per_operation;
use crate::network::transformer::{Memory, Transformer};
use crate::tokens::grammars::{Grammars, Lent};
use crate::tokens::tree_builder::TreeBuilder;
use crate::training::checkpoint::MODEL_FILE;
use anyhow::{Result, anyhow, ensure};
use candle_core::Device;
use egraph::{Language, Leaf, System, TermBank, TermId};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use terms::Renaming;

/// Hypotheses that one thread decodes at a time: enough for the products to be fast, few enough
/// that what is computed of them stays in a core's cache.
const LEAST_ROWS: usize = 32;
const MOST_ROWS: usize = 256;

/// A term that may lie on the way from a task's start to its target.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// The term, in the task's own variables.
    pub term: TermId,
    /// ln of the probability that the model gives it among all terms that it may write.
    pub log_probability: f32,
    /// ln of the probability that a single sample is this term, after nucleus and temperature.
    pub log_proposal: f32,
    /// The number of tokens that spell it.
    pub tokens: u32,
    /// The probability of every node given those before it, in pre-order.
    pub node_probabilities: Vec<f32>,
}

/// A network with its vocabulary and the rewrite system that it was trained for.
pub struct GuideModel {
    tokens: Tokens,
    network: Network,
    grammars: Grammars,
}

/// Gives the logits of what comes next in each of some drafts, by token.
pub type Elsewhere = dyn Fn(&[Draft]) -> Result<Vec<Vec<f32>>> + Send + Sync;

enum Network {
    Own(Transformer),
    /// One that is run elsewhere, as one in PyTorch.
    Elsewhere(Box<Elsewhere>),
}

impl GuideModel {
    /// Loads the model in a directory that `cairn train` wrote.
    ///
    /// # Errors
    /// A file is missing, truncated or does not fit the others; it is named.
    pub fn load(directory: &Path, device: &Device) -> Result<GuideModel> {
        one_thread_per_operation();
        let tokens = Tokens::load(directory)?;
        let path = directory.join(MODEL_FILE);
        let (tensors, _) = load_safetensors(&path, device)?;
        let mut parameters = Parameters::fixed(tensors, device);
        let Tokens { config, features, .. } = &tokens;
        let network = Transformer::new(config, *features, tokens.len(), &mut parameters)
            .and_then(|network| parameters.finish().map(|_| network))
            .map_err(|e| anyhow!("{} does not fit its config.json: {e}", path.display()))?;
        Ok(GuideModel { tokens, network: Network::Own(network), grammars: Grammars::default() })
    }

    /// The model in a directory with another network in the place of its own, whose weights are not read.
    ///
    /// # Errors
    /// As [`GuideModel::load`].
    pub fn load_with(directory: &Path, network: Box<Elsewhere>) -> Result<GuideModel> {
        let (tokens, network) = (Tokens::load(directory)?, Network::Elsewhere(network));
        Ok(GuideModel { tokens, network, grammars: Grammars::default() })
    }

    /// The rewrite system that the model was trained for.
    pub fn system(&self) -> &System {
        &self.tokens.system
    }

    /// The language of the terms that it reads and writes.
    pub fn language(&self) -> &Arc<Language> {
        &self.system().language
    }

    /// Refuses to work for a system none of whose sorts has the operators that a sort of the model's has, by name, or a part of
    /// them. Rules may be others: the model reads and writes terms, and knows no rules.
    ///
    /// # Errors
    /// There is no such sort; both hashes are named.
    pub fn expect_language(&self, system: &System) -> Result<()> {
        let (theirs, own) = (&*system.language, &**self.language());
        ensure!(
            self.reads_by_name(system) || theirs == own,
            "the model was trained for another rewrite system: its hash is {}, but that of the \
             system in use is {}, no sort of which has the operators that the model knows, by \
             name, or some of these alone",
            self.system().hash,
            system.hash
        );
        Ok(())
    }

    /// Whether it reads terms of a system by the names of their operators, as its language is another one.
    pub fn reads_by_name(&self, system: &System) -> bool {
        let (theirs, own) = (&*system.language, &**self.language());
        theirs != own && sorts(theirs).any(|sort| ByName::new(theirs, sort, own).is_some())
    }

    /// Whether the model can read a question: none of its terms is longer than `max_tokens`, and if the language is another one,
    /// it knows all of their operators by name. It gives no guide for others.
    ///
    /// # Errors
    /// The terms are of different sorts.
    pub fn can_read(&self, bank: &TermBank, start: TermId, target: TermId) -> Result<bool> {
        let own = self.language();
        if bank.language() == own {
            return Ok(self.tokens.question(bank, [start, target])?.is_some());
        }
        let mut own_bank = TermBank::new(own.clone());
        let names = ByName::new(bank.language(), sort_of(bank, [start, target])?, own);
        let ends = names.and_then(|names| names.read_ends(bank, [start, target], &mut own_bank));
        Ok(match ends {
            Some(ends) => self.tokens.question(&own_bank, ends)?.is_some(),
            None => false,
        })
    }

    /// Writes guides for tasks (start, target), the likeliest first, all different. Computes in
    /// the current rayon pool; what is written for a task does not depend on the others.
    ///
    /// A task gets no guides if a term of it is longer than the model's `max_tokens`, or if no
    /// term of its sort is small enough. Terms of another language are read by the names of their operators
    /// ([`GuideModel::can_read`]), and what can't be said in it is left out.
    ///
    /// # Errors
    /// Start and target have different sorts, an option is out of range, or the device fails.
    pub fn guides(
        &self,
        bank: &mut TermBank,
        tasks: &[(TermId, TermId)],
        options: &DecodeOptions,
    ) -> Result<Vec<Vec<Guide>>> {
        options.check()?;
        match bank.language() == self.language() {
            true => self.guides_of_own(bank, tasks, options),
            false => self.guides_by_name(bank, tasks, options),
        }
    }

    fn guides_by_name(
        &self,
        bank: &mut TermBank,
        tasks: &[(TermId, TermId)],
        options: &DecodeOptions,
    ) -> Result<Vec<Vec<Guide>>> {
        let theirs = bank.language().clone();
        let mut names = FxHashMap::default();
        let mut own = TermBank::new(self.language().clone());
        let (mut places, mut asked) = (Vec::new(), Vec::new());
        for (i, &(start, target)) in tasks.iter().enumerate() {
            let sort = sort_of(bank, [start, target]).map_err(|e| anyhow!("task {i}: {e:#}"))?;
            let names: &Option<ByName> =
                names.entry(sort).or_insert_with(|| ByName::new(&theirs, sort, self.language()));
            let read = names.as_ref().and_then(|n| n.read_ends(bank, [start, target], &mut own));
            if let Some([start, target]) = read {
                places.push((i, sort));
                asked.push((start, target));
            }
        }
        let mut guides: Vec<Vec<Guide>> = vec![Vec::new(); tasks.len()];
        let written = self.guides_of_own(&mut own, &asked, options)?;
        for ((i, sort), written) in places.into_iter().zip(written) {
            let Some(names) = &names[&sort] else { continue };
            let said =
                |guide: Guide| Some(Guide { term: names.write(&own, guide.term, bank)?, ..guide });
            guides[i] = written.into_iter().filter_map(said).collect();
        }
        Ok(guides)
    }

    fn guides_of_own(
        &self,
        bank: &mut TermBank,
        tasks: &[(TermId, TermId)],
        options: &DecodeOptions,
    ) -> Result<Vec<Vec<Guide>>> {
        let (mut places, mut questions) = (Vec::new(), Vec::new());
        for (i, &(start, target)) in tasks.iter().enumerate() {
            let question = self.tokens.question(bank, [start, target]);
            if let Some(question) = question.map_err(|e| anyhow!("task {i}: {e:#}"))? {
                places.push(i);
                questions.push(question);
            }
        }
        let mut guides: Vec<Vec<Guide>> = vec![Vec::new(); tasks.len()];
        let written = self.write_all(&questions, options)?;
        for ((place, question), written) in places.iter().zip(&questions).zip(written) {
            guides[*place] = self.read_back(bank, question, &written, options.guides)?;
        }
        Ok(guides)
    }

    /// The first `count` different terms of what was written for a question.
    fn read_back(
        &self,
        bank: &mut TermBank,
        question: &Question,
        written: &[Written],
        count: usize,
    ) -> Result<Vec<Guide>> {
        let mut guides: Vec<Guide> = Vec::new();
        let mut seen = BTreeSet::new();
        for one in written {
            let guide = self.guide(bank, &question.renaming, one)?;
            // A word can be spelled in several ways.
            if guides.len() < count && seen.insert(guide.term) {
                guides.push(guide);
            }
        }
        Ok(guides)
    }

    fn guide(&self, bank: &mut TermBank, renaming: &Renaming, w: &Written) -> Result<Guide> {
        let spelled = w
            .tree
            .term(&self.tokens.vocabulary, bank)
            .map_err(|e| support::Internal::new(format!("a guide is no term: {e}")))?;
        let mut starts = w.tree.node_starts(&self.tokens.vocabulary);
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

/// A number that depends on the task alone (FNV-1a over its tokens), so that its samples do not
/// depend on which other tasks are asked for with it.
fn stream([start, target]: &[TreeBuilder; 2]) -> u64 {
    let tokens = start.tokens().iter().chain(&[u32::MAX]).chain(target.tokens());
    tokens.fold(0xcbf2_9ce4_8422_2325, |hash, token| {
        (hash ^ u64::from(*token)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl GuideModel {
    /// Encodes questions.
    fn encode(&self, network: &Transformer, questions: &[Question]) -> Result<Memory> {
        let side = |side: usize| {
            let trees: Vec<&TreeBuilder> = questions.iter().map(|q| &q.ends[side]).collect();
            encoder_batch(self.tokens.features, &trees)
        };
        let (start, target) = (side(0), side(1));
        Ok(network.encode(&start, &target, &Dropout::none())?)
    }

    /// What is written for each question, the likeliest first.
    fn write_all(
        &self,
        questions: &[Question],
        options: &DecodeOptions,
    ) -> Result<Vec<Vec<Written>>> {
        let total = questions.len().saturating_mul(options.guides);
        let rows = total.div_ceil(rayon::current_num_threads()).clamp(LEAST_ROWS, MOST_ROWS);
        let decode = |chunk: &[Question]| {
            let mut grammars = FxHashMap::default();
            let tasks = chunk.iter().map(|question| self.task(question, options, &mut grammars));
            let (tasks, vocabulary) = (tasks.collect::<Vec<_>>(), &*self.tokens.vocabulary);
            match &self.network {
                Network::Own(network) => {
                    let memory = &self.encode(network, chunk)?;
                    let (features, cache) = (self.tokens.features, Cache::default());
                    let network = Cached { network, features, memory, cache };
                    Decoder { network, vocabulary }.run(&tasks)
                }
                Network::Elsewhere(network) => {
                    let drafts = chunk.iter().map(|q| self.tokens.begun(q, options.max_size));
                    let (tokens, drafts) = (self.tokens.len(), drafts.collect());
                    let network = Drafted { network, tokens, drafts };
                    Decoder { network, vocabulary }.run(&tasks)
                }
            }
        };
        let each = (rows / options.guides).max(1);
        let written: Vec<Vec<Vec<Written>>> =
            questions.par_chunks(each).map(decode).collect::<Result<_>>()?;
        Ok(written.into_iter().flatten().collect())
    }

    /// A question as the decoder sees it. What a grammar allows depends on its names and on the
    /// size alone.
    fn task<'a>(
        &'a self,
        question: &Question,
        options: &DecodeOptions,
        grammars: &mut FxHashMap<Vec<Leaf>, Rc<RefCell<Lent<'a>>>>,
    ) -> Task<'a> {
        let renaming = &question.renaming;
        let lend = || self.grammars.lend(&self.tokens.vocabulary, renaming, options.max_size);
        let new = || Rc::new(RefCell::new(lend()));
        Task {
            grammar: grammars.entry(renaming.names()).or_insert_with(new).clone(),
            options: *options,
            sort: question.sort,
            stream: stream(&question.ends),
        }
    }
}

/// A network that is run elsewhere, and by task a draft of which nothing is written.
struct Drafted<'a> {
    network: &'a Elsewhere,
    tokens: usize,
    drafts: Vec<Draft>,
}

impl NextLogits for Drafted<'_> {
    fn next(&mut self, trees: &[&TreeBuilder], tasks: &[u32]) -> Result<Vec<Vec<f32>>> {
        let draft = |(&tree, &task): (&&TreeBuilder, &u32)| {
            self.drafts[task as usize].with(TreeBuilder::clone(tree))
        };
        let drafts: Vec<Draft> = trees.iter().zip(tasks).map(draft).collect();
        let rows = (self.network)(&drafts)?;
        let tokens = self.tokens;
        ensure!(
            rows.len() == drafts.len() && rows.iter().all(|row| row.len() == tokens),
            "network: expected {} rows of {tokens} logits, a number for each token",
            drafts.len()
        );
        ensure!(rows.iter().flatten().all(|x| !x.is_nan()), "network: a logit is not a number");
        Ok(rows)
    }
}
