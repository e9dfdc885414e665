//! The network: an encoder for the start, one for the target, and a decoder that writes the
//! guide with cross-attention to both. Pre-norm residual blocks without biases.

use crate::config::ModelConfig;
use crate::network::attention::{Geometry, Heads, attention};
use crate::network::batch::{Batch, Features};
use crate::network::dropout::Dropout;
use crate::network::embedding::embed;
use crate::network::kernels::fused::{rms_norm, squared_relu};
use crate::network::parameters::{Init, Parameters};
use candle_core::{Device, Result, Tensor};
use std::sync::Arc;

/// `x` `[…, a]` times `w` `[a, b]`.
fn linear(x: &Tensor, w: &Tensor) -> Result<Tensor> {
    let (a, b) = w.dims2()?;
    let mut shape = x.dims().to_vec();
    let rows = x.elem_count() / a;
    if let Some(last) = shape.last_mut() {
        *last = b;
    }
    x.reshape((rows, a))?.matmul(w)?.reshape(shape)
}

fn matrix(p: &mut Parameters, name: &str, from: usize, to: usize) -> anyhow::Result<Tensor> {
    p.get(name, &[from, to], Init::Normal((1.0 / from as f64).sqrt()))
}

fn gain(p: &mut Parameters, name: &str, width: usize) -> anyhow::Result<Tensor> {
    p.get(name, &[width], Init::Ones)
}

/// The embeddings of the buckets of both relations, shared by the layers of a stack.
struct RelationEmbedding {
    ancestor: Tensor, // [r, d]
    sibling: Tensor,  // [r, d]
}

impl RelationEmbedding {
    fn new(p: &mut Parameters, name: &str, c: &ModelConfig) -> anyhow::Result<Self> {
        let shape = [c.buckets().len(), c.width];
        let mut get = |relation| p.get(&format!("{name}.{relation}"), &shape, Init::Normal(1.0));
        Ok(RelationEmbedding { ancestor: get("ancestor")?, sibling: get("sibling")? })
    }
}

/// Self-attention with tree relations.
struct SelfAttention {
    heads: Heads,
    norm: Tensor,
    query: Tensor,     // [d, d]
    key_value: Tensor, // [d, 2d]
    output: Tensor,    // [d, d]
    /// Projections of the ancestor and sibling embeddings to K_R and Q_R of their heads.
    relation: [[Tensor; 2]; 2],
}

impl SelfAttention {
    fn new(p: &mut Parameters, name: &str, c: &ModelConfig) -> anyhow::Result<Self> {
        let (d, heads) = (c.width, c.heads());
        let ancestor = d / heads.count * heads.ancestor;
        let mut relation = |what: &str| -> anyhow::Result<[Tensor; 2]> {
            Ok([
                matrix(p, &format!("{name}.{what}.ancestor"), d, ancestor)?,
                matrix(p, &format!("{name}.{what}.sibling"), d, d - ancestor)?,
            ])
        };
        let relation = [relation("relation_key")?, relation("relation_query")?];
        Ok(SelfAttention {
            heads,
            norm: gain(p, &format!("{name}.norm"), d)?,
            query: matrix(p, &format!("{name}.query"), d, d)?,
            key_value: matrix(p, &format!("{name}.key_value"), d, 2 * d)?,
            output: matrix(p, &format!("{name}.output"), d, d)?,
            relation,
        })
    }

    /// K_R and Q_R, the heads side by side. `[2, r, d]`
    fn tables(&self, embedding: &RelationEmbedding) -> Result<Tensor> {
        let table = |[ancestor, sibling]: &[Tensor; 2]| {
            let ancestor = embedding.ancestor.matmul(ancestor)?;
            Tensor::cat(&[ancestor, embedding.sibling.matmul(sibling)?], 1)
        };
        Tensor::stack(&[table(&self.relation[0])?, table(&self.relation[1])?], 0)
    }

    /// `x` `[b, n, d]`; `past` are the keys and values of earlier nodes, `[b, t, 2d]`, and are
    /// brought up to date.
    fn forward(
        &self,
        x: &Tensor,
        g: &Arc<Geometry>,
        tables: &Tensor,
        past: Option<&mut Option<Tensor>>,
    ) -> Result<Tensor> {
        let x = rms_norm(x, &self.norm)?;
        let mut kv = linear(&x, &self.key_value)?;
        if let Some(past) = past {
            if let Some(past) = past {
                kv = Tensor::cat(&[&*past, &kv], 1)?;
            }
            *past = Some(kv.clone());
        }
        let mixed = attention(self.heads, g, &linear(&x, &self.query)?, &kv, Some(tables))?;
        linear(&mixed, &self.output)
    }
}

/// Attention to the nodes of an encoded tree.
struct CrossAttention {
    heads: Heads,
    norm: Tensor,
    query: Tensor,     // [d, d]
    key_value: Tensor, // [d, 2d], of the encoded tree
    output: Tensor,    // [d, d]
}

impl CrossAttention {
    fn new(p: &mut Parameters, name: &str, c: &ModelConfig) -> anyhow::Result<Self> {
        let d = c.width;
        Ok(CrossAttention {
            heads: c.heads(),
            norm: gain(p, &format!("{name}.norm"), d)?,
            query: matrix(p, &format!("{name}.query"), d, d)?,
            key_value: matrix(p, &format!("{name}.key_value"), d, 2 * d)?,
            output: matrix(p, &format!("{name}.output"), d, d)?,
        })
    }

    fn forward(&self, x: &Tensor, g: &Arc<Geometry>, memory: &Tensor) -> Result<Tensor> {
        let q = linear(&rms_norm(x, &self.norm)?, &self.query)?;
        linear(&attention(self.heads, g, &q, memory, None)?, &self.output)
    }
}

struct FeedForward {
    norm: Tensor,
    up: Tensor,   // [d, f]
    down: Tensor, // [f, d]
}

impl FeedForward {
    fn new(p: &mut Parameters, name: &str, c: &ModelConfig) -> anyhow::Result<Self> {
        Ok(FeedForward {
            norm: gain(p, &format!("{name}.norm"), c.width)?,
            up: matrix(p, &format!("{name}.up"), c.width, c.feed_forward)?,
            down: matrix(p, &format!("{name}.down"), c.feed_forward, c.width)?,
        })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let hidden = squared_relu(&linear(&rms_norm(x, &self.norm)?, &self.up)?)?;
        linear(&hidden, &self.down)
    }
}

struct Encoder {
    relation: RelationEmbedding,
    layers: Vec<(SelfAttention, FeedForward)>,
    norm: Tensor,
}

impl Encoder {
    fn new(p: &mut Parameters, name: &str, c: &ModelConfig) -> anyhow::Result<Self> {
        let mut layers = Vec::new();
        for i in 0..c.encoder_layers {
            layers.push((
                SelfAttention::new(p, &format!("{name}.{i}.attention"), c)?,
                FeedForward::new(p, &format!("{name}.{i}.feed_forward"), c)?,
            ));
        }
        Ok(Encoder {
            relation: RelationEmbedding::new(p, &format!("{name}.relation"), c)?,
            layers,
            norm: gain(p, &format!("{name}.norm"), c.width)?,
        })
    }

    fn forward(&self, mut x: Tensor, g: &Arc<Geometry>, dropout: &Dropout) -> Result<Tensor> {
        for (attention, feed_forward) in &self.layers {
            let tables = attention.tables(&self.relation)?;
            x = (&x + dropout.apply(attention.forward(&x, g, &tables, None)?)?)?;
            x = (&x + dropout.apply(feed_forward.forward(&x)?)?)?;
        }
        rms_norm(&x, &self.norm)
    }
}

struct DecoderLayer {
    attention: SelfAttention,
    start: CrossAttention,
    target: CrossAttention,
    feed_forward: FeedForward,
}

/// What the decoder needs of an encoded batch of tasks.
pub struct Memory {
    /// Keys and values of start and target for every decoder layer. `[b, n, 2d]`
    layers: Vec<[Tensor; 2]>,
    /// Nodes of start and target, `[b]` each, and the padded lengths.
    lengths: [Vec<usize>; 2],
    keys: [usize; 2],
    /// K_R and Q_R of every decoder layer.
    tables: Vec<Tensor>,
}

impl Memory {
    /// The geometry of cross-attention by `queries` queries per row. `rows` are the tasks that
    /// the rows work on, if not each on its own.
    fn geometry(&self, side: usize, queries: usize, rows: Option<&[u32]>) -> Arc<Geometry> {
        let lengths = &self.lengths[side];
        let key_lengths: Vec<usize> = match rows {
            Some(rows) => rows.iter().map(|row| lengths[*row as usize]).collect(),
            None => lengths.clone(),
        };
        Arc::new(Geometry {
            batch: key_lengths.len(),
            queries,
            keys: self.keys[side],
            key_lengths,
            causal: false,
            relations: None,
            key_rows: rows.map(<[u32]>::to_vec),
        })
    }
}

/// Keys and values of the nodes written so far, per decoder layer. `[rows, t, 2d]`
#[derive(Clone, Default)]
pub struct Cache {
    layers: Vec<Option<Tensor>>,
}

impl Cache {
    /// Keeps the given rows, in the given order; a row may be taken several times.
    ///
    /// # Errors
    /// The device fails.
    pub fn select(&mut self, rows: &[u32]) -> Result<()> {
        for layer in self.layers.iter_mut().flatten() {
            let rows = Tensor::new(rows, layer.device())?;
            *layer = layer.index_select(&rows, 0)?;
        }
        Ok(())
    }
}

/// The network.
pub struct Transformer {
    width: usize,
    embedding: Tensor, // [features, d]
    start: Encoder,
    target: Encoder,
    relation: RelationEmbedding,
    layers: Vec<DecoderLayer>,
    norm: Tensor,
    /// Tokens are the first features.
    tokens: usize,
}

impl Transformer {
    /// Builds the network from `parameters`.
    ///
    /// # Errors
    /// A parameter is missing or has another shape.
    pub fn new(
        c: &ModelConfig,
        features: Features,
        tokens: usize,
        p: &mut Parameters,
    ) -> anyhow::Result<Transformer> {
        let mut layers = Vec::new();
        for i in 0..c.decoder_layers {
            let name = |part: &str| format!("decoder.{i}.{part}");
            layers.push(DecoderLayer {
                attention: SelfAttention::new(p, &name("attention"), c)?,
                start: CrossAttention::new(p, &name("start"), c)?,
                target: CrossAttention::new(p, &name("target"), c)?,
                feed_forward: FeedForward::new(p, &name("feed_forward"), c)?,
            });
        }
        let shape = [features.count(), c.width];
        Ok(Transformer {
            width: c.width,
            embedding: p.get("embedding", &shape, Init::Normal(0.3))?,
            start: Encoder::new(p, "start", c)?,
            target: Encoder::new(p, "target", c)?,
            relation: RelationEmbedding::new(p, "decoder.relation", c)?,
            layers,
            norm: gain(p, "decoder.norm", c.width)?,
            tokens,
        })
    }

    /// The device of the parameters.
    pub fn device(&self) -> &Device {
        self.embedding.device()
    }

    fn embed(&self, batch: &Batch, dropout: &Dropout) -> Result<Tensor> {
        let g = &batch.geometry;
        let x = embed(&batch.features, &self.embedding)?;
        dropout.apply(x.reshape((g.batch, g.queries, self.width))?)
    }

    /// Encodes starts and targets.
    ///
    /// # Errors
    /// The device fails.
    pub fn encode(&self, start: &Batch, target: &Batch, dropout: &Dropout) -> Result<Memory> {
        let encoded = [
            self.start.forward(self.embed(start, dropout)?, &start.geometry, dropout)?,
            self.target.forward(self.embed(target, dropout)?, &target.geometry, dropout)?,
        ];
        let mut layers = Vec::new();
        let mut tables = Vec::new();
        for layer in &self.layers {
            layers.push([
                linear(&encoded[0], &layer.start.key_value)?,
                linear(&encoded[1], &layer.target.key_value)?,
            ]);
            tables.push(layer.attention.tables(&self.relation)?);
        }
        let side = |batch: &Batch| (batch.geometry.key_lengths.clone(), batch.geometry.keys);
        let ((start_lengths, start_keys), (target_lengths, target_keys)) =
            (side(start), side(target));
        Ok(Memory {
            layers,
            lengths: [start_lengths, target_lengths],
            keys: [start_keys, target_keys],
            tables,
        })
    }

    /// Logits of whole guides, every node predicted from those before it.
    /// `[batch · nodes, tokens]`. `rows` says which task of the memory each guide is for, if not
    /// each for its own; the memory then gets no gradient.
    ///
    /// # Errors
    /// The device fails.
    pub fn decode(
        &self,
        guide: &Batch,
        memory: &Memory,
        rows: Option<&[u32]>,
        dropout: &Dropout,
    ) -> Result<Tensor> {
        self.decoder(guide, memory, rows, None, dropout)
    }

    /// Logits of the next node of half-written guides, `[rows, tokens]`. `rows` says which task
    /// of the memory each works on; `cache` holds what earlier steps computed for the same rows.
    ///
    /// # Errors
    /// The device fails.
    pub fn decode_step(
        &self,
        step: &Batch,
        memory: &Memory,
        rows: &[u32],
        cache: &mut Cache,
    ) -> Result<Tensor> {
        cache.layers.resize(self.layers.len(), None);
        self.decoder(step, memory, Some(rows), Some(cache), &Dropout::none())
    }

    fn decoder(
        &self,
        guide: &Batch,
        memory: &Memory,
        rows: Option<&[u32]>,
        mut cache: Option<&mut Cache>,
        dropout: &Dropout,
    ) -> Result<Tensor> {
        let g = &guide.geometry;
        let start = memory.geometry(0, g.queries, rows);
        let target = memory.geometry(1, g.queries, rows);
        let mut x = self.embed(guide, dropout)?;
        for (i, layer) in self.layers.iter().enumerate() {
            let [start_memory, target_memory] = &memory.layers[i];
            let past = cache.as_mut().map(|cache| &mut cache.layers[i]);
            let mixed = layer.attention.forward(&x, g, &memory.tables[i], past)?;
            x = (&x + dropout.apply(mixed)?)?;
            let mixed = layer.start.forward(&x, &start, start_memory)?;
            x = (&x + dropout.apply(mixed)?)?;
            let mixed = layer.target.forward(&x, &target, target_memory)?;
            x = (&x + dropout.apply(mixed)?)?;
            x = (&x + dropout.apply(layer.feed_forward.forward(&x)?)?)?;
        }
        let x = rms_norm(&x, &self.norm)?;
        // A token's logit comes from its embedding, so that what is copied from start or target
        // need not be learned token by token (Press and Wolf, 2017).
        let x = (x.reshape((g.batch * g.queries, self.width))? * (self.width as f64).powf(-0.5))?;
        x.matmul(&self.embedding.narrow(0, 0, self.tokens)?.t()?)
    }
}
