//! Writing guides node by node, batched over tasks and hypotheses, with cached keys and values.
//!
//! Of the extensions of all hypotheses of a task, those with the highest scores go on. The score is the
//! probability so far, perturbed by noise, which makes the result a sample without repetition.

use crate::decoding::sampling::{Choice, log_sum_exp, nucleus, perturb};
use crate::network::batch::{Features, decoder_step};
use crate::network::cache::Cache;
use crate::network::transformer::{Memory, Transformer};
use crate::tokens::grammars::Lent;
use crate::tokens::tree_builder::TreeBuilder;
use crate::tokens::vocabulary::{Token, Vocabulary};
use anyhow::{Result, ensure};
use egraph::SortId;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::rc::Rc;
use support::Internal;

/// What to decode: samples from the smallest set of tokens that have a probability together, after
/// sharpening by a temperature (Holtzman et al., 2020), drawn without replacement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecodeOptions {
    /// The probability of that set, in (0, 1]. Near 0 it is the likeliest token alone.
    pub nucleus: f64,
    /// Above 0; 1 leaves the distribution as it is.
    pub temperature: f64,
    /// Guides per task, all of them different; fewer if no more are found.
    pub guides: usize,
    /// The largest number of nodes of a guide.
    pub max_size: usize,
    /// Seed of the samples.
    pub seed: u64,
}

impl DecodeOptions {
    /// # Errors
    /// A value out of its range.
    pub fn check(&self) -> Result<()> {
        ensure!(self.guides > 0, "guides: expected at least 1");
        ensure!(self.max_size > 0, "max_size: expected at least 1");
        let DecodeOptions { nucleus, temperature, .. } = *self;
        ensure!(nucleus > 0.0 && nucleus <= 1.0, "nucleus probability {nucleus}: expected 0 to 1");
        ensure!(temperature > 0.0, "temperature {temperature}: expected more than 0");
        Ok(())
    }
}

/// A task as the decoder sees it.
pub(crate) struct Task<'a> {
    /// Shared with other tasks of the same variables and size, since what it allows is found but once.
    pub(crate) grammar: Rc<RefCell<Lent<'a>>>,
    pub(crate) options: DecodeOptions,
    pub(crate) sort: SortId,
    /// Tells the samples of this task from those of others.
    pub(crate) stream: u64,
}

/// A complete tree.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) tree: TreeBuilder,
    /// ln of the probability of each token among those that the grammar allows.
    pub(crate) log_probabilities: Vec<f32>,
    /// Their sum.
    pub(crate) total: f32,
    /// ln of the probability that a single sample is this tree.
    pub(crate) proposal: f32,
}

/// A tree in the making.
#[derive(Clone)]
struct Hypothesis {
    written: Written,
    /// What decides whether it goes on.
    score: f64,
}

impl Hypothesis {
    fn complete(&self) -> bool {
        self.written.tree.next_slot().is_none()
    }
}

/// A hypothesis with one token more, before it is made.
struct Extension {
    score: f64,
    /// Index of the hypothesis.
    from: usize,
    /// The token with its probabilities among those allowed by the grammar and as a proposal;
    /// none if the hypothesis is complete and stays as it is.
    token: Option<(Token, f32, f32)>,
}

/// A network that says what may come next.
pub(crate) trait NextLogits {
    /// The logits of the next tokens of trees in the making, each with the number of its task.
    fn next(&mut self, trees: &[&TreeBuilder], tasks: &[u32]) -> Result<Vec<Vec<f32>>>;

    /// Of the next trees each goes on from one of these.
    fn keep(&mut self, _rows: &[u32]) {}
}

/// A network of ours, with what it reads.
pub(crate) struct Cached<'a> {
    pub(crate) network: &'a Transformer,
    pub(crate) features: Features,
    /// The tasks, encoded.
    pub(crate) memory: &'a Memory,
    pub(crate) cache: Cache,
}

impl NextLogits for Cached<'_> {
    fn next(&mut self, trees: &[&TreeBuilder], tasks: &[u32]) -> Result<Vec<Vec<f32>>> {
        let step = decoder_step(self.features, trees);
        let logits = self.network.decode_step(step, self.memory, tasks, &mut self.cache)?;
        Ok(logits.to_vec2()?) // [rows, tokens]
    }

    fn keep(&mut self, rows: &[u32]) {
        self.cache.select(rows);
    }
}

/// The network, and its tokens.
pub(crate) struct Decoder<'a, N> {
    pub(crate) network: N,
    pub(crate) vocabulary: &'a Vocabulary,
}

impl<N: NextLogits> Decoder<'_, N> {
    /// Complete trees for every task, the likeliest first, all with different tokens. What is
    /// written for a task does not depend on the others.
    pub(crate) fn run(&mut self, tasks: &[Task<'_>]) -> Result<Vec<Vec<Written>>> {
        let mut generators: Vec<ChaCha8Rng> =
            tasks.iter().map(|t| ChaCha8Rng::seed_from_u64(t.options.seed ^ t.stream)).collect();
        // By task: hypotheses, complete ones among them.
        let mut beams: Vec<Vec<Hypothesis>> = tasks.iter().map(begin).collect();
        loop {
            let open = |task: usize, beam: &Vec<Hypothesis>| {
                vec![task as u32; beam.iter().filter(|h| !h.complete()).count()]
            };
            let rows: Vec<u32> =
                beams.iter().enumerate().flat_map(|(task, beam)| open(task, beam)).collect();
            if rows.is_empty() {
                break;
            }
            let trees: Vec<&TreeBuilder> =
                beams.iter().flatten().filter(|h| !h.complete()).map(|h| &h.written.tree).collect();
            let logits = self.network.next(&trees, &rows)?;
            // Rows of this step that the rows of the next one go on from.
            let mut kept: Vec<u32> = Vec::new();
            let mut row = 0;
            for ((task, beam), rng) in tasks.iter().zip(&mut beams).zip(&mut generators) {
                let mut extensions = Vec::new();
                let mut row_of = Vec::with_capacity(beam.len());
                for (from, hypothesis) in beam.iter().enumerate() {
                    row_of.push(row);
                    if hypothesis.complete() {
                        extensions.push(Extension { score: hypothesis.score, from, token: None });
                        continue;
                    }
                    let logits = &logits[row as usize];
                    row += 1;
                    extend(task, hypothesis, from, logits, rng, &mut extensions)?;
                }
                best(&mut extensions, task.options.guides);
                // How many of them each hypothesis goes on in: the last takes it itself.
                let mut uses = vec![0usize; beam.len()];
                extensions.iter().for_each(|extension| uses[extension.from] += 1);
                let mut beam_of: Vec<Option<Hypothesis>> = beam.drain(..).map(Some).collect();
                // Rows of a task stay in the order of their hypotheses.
                let mut next = Vec::with_capacity(extensions.len());
                for extension in extensions {
                    uses[extension.from] -= 1;
                    let from = &mut beam_of[extension.from];
                    let taken = if uses[extension.from] == 0 { from.take() } else { from.clone() };
                    let Some(mut hypothesis) = taken else { continue };
                    if let Some((token, log_p, proposal)) = extension.token {
                        hypothesis.score = extension.score;
                        self.push(&mut hypothesis.written, token, log_p, proposal)?;
                        if !hypothesis.complete() {
                            kept.push(row_of[extension.from]);
                        }
                    }
                    next.push(hypothesis);
                }
                *beam = next;
            }
            self.network.keep(&kept);
        }
        let finish = |beam: Vec<Hypothesis>| {
            let mut written: Vec<Written> = beam.into_iter().map(|h| h.written).collect();
            written.sort_by(|a, b| {
                b.total.total_cmp(&a.total).then_with(|| a.tree.tokens().cmp(b.tree.tokens()))
            });
            written
        };
        Ok(beams.into_iter().map(finish).collect())
    }

    fn push(&self, w: &mut Written, token: Token, log_p: f32, proposal: f32) -> Result<()> {
        w.tree
            .push(self.vocabulary, token)
            .map_err(|e| Internal::new(format!("an allowed token does not fit: {e}")))?;
        w.log_probabilities.push(log_p);
        w.total += log_p;
        w.proposal += proposal;
        Ok(())
    }
}

/// Keeps the `count` best, the best first; of equal ones those of earlier hypotheses, and with
/// smaller tokens.
fn best(extensions: &mut Vec<Extension>, count: usize) {
    let order = |a: &Extension, b: &Extension| {
        let place = |e: &Extension| (e.from, e.token.map(|t| t.0));
        b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
    };
    if count < extensions.len() {
        extensions.select_nth_unstable_by(count, order);
        extensions.truncate(count);
    }
    extensions.sort_unstable_by(order);
}

/// Nothing written; no hypothesis at all if no term of the task's sort is small enough.
fn begin(task: &Task<'_>) -> Vec<Hypothesis> {
    if !task.grammar.borrow().can_begin(task.sort) {
        return Vec::new();
    }
    let written = Written {
        tree: TreeBuilder::new(task.sort),
        log_probabilities: Vec::new(),
        total: 0.0,
        proposal: 0.0,
    };
    vec![Hypothesis { written, score: 0.0 }]
}

/// Adds what a hypothesis can become, given the logits of its next token.
fn extend(
    task: &Task<'_>,
    hypothesis: &Hypothesis,
    from: usize,
    logits: &[f32],
    rng: &mut ChaCha8Rng,
    extensions: &mut Vec<Extension>,
) -> Result<()> {
    let tree = &hypothesis.written.tree;
    let allowed = task.grammar.borrow_mut().allowed(tree);
    ensure!(!allowed.is_empty(), Internal::new("a hole that no token fits"));
    let logit = |token: &Token| logits[*token as usize];
    let whole = log_sum_exp(allowed.iter().map(logit));
    let mut choices: Vec<Choice> = allowed.iter().map(|t| (*t, logit(t) - whole)).collect();
    nucleus(&mut choices, task.options.nucleus, task.options.temperature);
    let proposal = f64::from(hypothesis.written.proposal);
    let mut scores: Vec<f64> =
        choices.iter().map(|(_, log_p)| proposal + f64::from(*log_p)).collect();
    perturb(hypothesis.score, &mut scores, task.options.guides, rng);
    extensions.extend(choices.iter().zip(scores).map(|((token, proposal), score)| Extension {
        score,
        from,
        token: Some((*token, logit(token) - whole, *proposal)),
    }));
    Ok(())
}
