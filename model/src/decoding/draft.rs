//! Guides that are written by a network which is run elsewhere, such as one in PyTorch: what it reads of a task, and
//! which tokens it may write. Whatever it chooses among these, a term comes out.

use crate::config::ModelConfig;
use crate::network::batch::{Batch, Features, decoder_batch, decoder_step, encoder_batch};
use crate::tokens::grammar::Grammar;
use crate::tokens::tree::tokenise;
use crate::tokens::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{Token, Vocabulary};
use crate::training::checkpoint::{Description, load_description};
use anyhow::{Result, ensure};
use egraph::{SortId, System, TermBank, TermId};
use std::path::Path;
use std::sync::Arc;
use terms::Renaming;

/// What a checkpoint says of the terms that its network reads and writes.
pub struct Tokens {
    pub(crate) system: System,
    pub(crate) config: ModelConfig,
    pub(crate) vocabulary: Arc<Vocabulary>,
    pub(crate) features: Features,
}

/// A task as tokens, apart from the bank of its terms.
pub(crate) struct Question {
    /// The sort of its terms.
    pub(crate) sort: SortId,
    /// The start and the target.
    pub(crate) ends: [TreeBuilder; 2],
    pub(crate) renaming: Renaming,
}

/// The nodes of a tree in pre-order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// The features of all nodes, one node after another.
    pub features: Vec<u32>,
    /// By node: where its features begin.
    pub starts: Vec<u32>,
    /// By node: index, depth, end of the subtree, parent and rank. Of a guide the first is that of its beginning,
    /// which is no node.
    pub places: Vec<[i32; 5]>,
}

/// A guide for a task, as far as it is written.
#[derive(Clone)]
pub struct Draft {
    vocabulary: Arc<Vocabulary>,
    features: Features,
    renaming: Renaming,
    grammar: Grammar,
    ends: Arc<[TreeBuilder; 2]>,
    tree: TreeBuilder,
}

impl Tokens {
    /// Those of the model in a directory.
    ///
    /// # Errors
    /// A file is missing, or not what it should be.
    pub fn load(directory: &Path) -> Result<Tokens> {
        let Description { system, vocabulary, run } = load_description(directory)?;
        let config = run.config.model;
        let features = Features::new(&vocabulary, config.positions);
        Ok(Tokens { system, config, vocabulary: Arc::new(vocabulary), features })
    }

    /// The rewrite system that the model was trained for.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.vocabulary.len()
    }

    /// Whether there are none, which no vocabulary is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A guide of at most `max_size` nodes for a task, nothing of it written; none if a term of the task is
    /// longer than the network reads, or no guide is small enough.
    ///
    /// # Errors
    /// The terms are of another language, or of different sorts.
    pub fn draft(
        &self,
        bank: &TermBank,
        task: [TermId; 2],
        max_size: usize,
    ) -> Result<Option<Draft>> {
        let question = self.question(bank, task)?;
        let sort = bank.sort(task[0]);
        let draft = question.map(|question| self.begun(&question, max_size));
        Ok(draft.filter(|draft| draft.grammar.can_begin(sort)))
    }

    /// A draft of which nothing is written.
    pub(crate) fn begun(&self, question: &Question, max_size: usize) -> Draft {
        let Question { sort, ends, renaming } = question;
        Draft {
            vocabulary: self.vocabulary.clone(),
            features: self.features,
            renaming: renaming.clone(),
            grammar: Grammar::new(&self.vocabulary, renaming, max_size),
            ends: Arc::new(ends.clone()),
            tree: TreeBuilder::new(*sort),
        }
    }

    /// Refuses terms of another language.
    ///
    /// # Errors
    /// The bank is of another language.
    pub(crate) fn expect_language(&self, bank: &TermBank) -> Result<()> {
        ensure!(
            **bank.language() == *self.system.language,
            "the terms are not of the language that the model was trained for"
        );
        Ok(())
    }

    /// A task, if none of its terms is longer than the network reads.
    ///
    /// # Errors
    /// The terms are of another language, or of different sorts.
    pub(crate) fn question(&self, bank: &TermBank, task: [TermId; 2]) -> Result<Option<Question>> {
        self.expect_language(bank)?;
        let sort = sort_of(bank, task)?;
        let most = self.config.max_tokens;
        // Before the terms are written out: the size of a shared term may be astronomical.
        if task.iter().any(|&term| bank.size(term) > most as u64) {
            return Ok(None);
        }
        let renaming = self.vocabulary.literals().renaming(bank, &task);
        let read = |term| tokenise(&self.vocabulary, bank, term, &renaming);
        let ends = [read(task[0])?, read(task[1])?];
        let fits = ends.iter().all(|end| end.tokens().len() <= most);
        Ok(fits.then_some(Question { sort, ends, renaming }))
    }
}

/// The sort of both ends of a task.
///
/// # Errors
/// There are two.
pub(crate) fn sort_of(bank: &TermBank, [start, target]: [TermId; 2]) -> Result<SortId> {
    let sort = bank.sort(start);
    ensure!(sort == bank.sort(target), "start and target have different sorts");
    Ok(sort)
}

impl Draft {
    /// The same task, with this written.
    pub(crate) fn with(&self, tree: TreeBuilder) -> Draft {
        Draft { tree, ..self.clone() }
    }

    /// The start, or the target, as an encoder reads it.
    pub fn end(&self, target: bool) -> Nodes {
        Nodes::of(&encoder_batch(self.features, &[&self.ends[usize::from(target)]]))
    }

    /// What is written and the hole that comes next, as the decoder reads it: the last node is what it predicts.
    /// A guide that is complete has no hole.
    pub fn guide(&self) -> Nodes {
        let mut nodes = Nodes::of(&decoder_batch(self.features, &[&self.tree]).0);
        if !self.is_complete() {
            let hole = Nodes::of(&decoder_step(self.features, &[&self.tree]));
            nodes.starts.push(nodes.features.len() as u32);
            nodes.features.extend(hole.features);
            nodes.places = hole.places;
        }
        nodes
    }

    /// Whether nothing is left to write.
    pub fn is_complete(&self) -> bool {
        self.tree.next_slot().is_none()
    }

    /// The tokens that may come next, in ascending order; at least one if it is not complete.
    pub fn allowed(&mut self) -> Vec<Token> {
        self.grammar.allowed(&self.tree).to_vec()
    }

    /// Writes a token.
    ///
    /// # Errors
    /// It is not allowed there.
    pub fn push(&mut self, token: Token) -> Result<()> {
        let known = self.allowed().binary_search(&token).is_ok();
        ensure!(known, "token {token} is not allowed here");
        Ok(self.tree.push(&self.vocabulary, token)?)
    }

    /// The tokens of a term, as a guide of this task.
    ///
    /// # Errors
    /// A leaf has no spelling.
    pub fn tokens_of(&self, bank: &TermBank, term: TermId) -> Result<Vec<Token>> {
        Ok(tokenise(&self.vocabulary, bank, term, &self.renaming)?.tokens().to_vec())
    }

    /// The complete guide, in the variables of the task.
    ///
    /// # Errors
    /// It is not complete.
    pub fn term(&self, bank: &mut TermBank) -> Result<TermId> {
        let spelled = self.tree.term(&self.vocabulary, bank)?;
        Ok(self.renaming.restore(bank, spelled))
    }
}

impl Nodes {
    /// Of a batch of one tree.
    fn of(batch: &Batch) -> Nodes {
        let mut nodes = Nodes::default();
        for features in batch.features.nodes() {
            nodes.starts.push(nodes.features.len() as u32);
            nodes.features.extend(features);
        }
        let places = batch.geometry.places.iter().flat_map(|places| &places.places);
        nodes.places = places.map(|p| [p.index, p.depth, p.end, p.parent, p.rank]).collect();
        nodes
    }
}
