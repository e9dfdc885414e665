//! The network: an encoder for the start, one for the target (or one for both), and a decoder that
//! writes the guide with cross-attention to both. Pre-norm residual blocks without biases.

use crate::config::{Encoders, ModelConfig};
use crate::geometry::relations::Relation;
use crate::network::batch::{Batch, Features};
use crate::network::cache::{Cache, Past};
use crate::network::encoded::Encoded;
use crate::network::ops::attention::attention;
use crate::network::ops::attention::inputs::{Geometry, Heads, Source};
use crate::network::ops::dropout::Dropout;
use crate::network::ops::embedding::embed;
use crate::network::ops::linear::{linear, linear_transposed};
use crate::network::ops::norm::rms_norm;
use crate::network::ops::rope::rope;
use crate::network::ops::squared_relu::squared_relu;
use crate::network::ops::tensors::OnGpu;
use crate::network::parameters::{Init, Parameters};
use candle_core::{DType, Device, Result, Tensor};
use std::sync::Arc;

fn matrix(p: &mut Parameters, name: &str, from: usize, to: usize) -> anyhow::Result<Tensor> {
    p.get(name, &[from, to], Init::Normal((1.0 / from as f64).sqrt()))
}

fn gain(p: &mut Parameters, name: &str, width: usize) -> anyhow::Result<Tensor> {
    p.get(name, &[width], Init::Ones)
}

/// The embeddings of the buckets of every relation, shared by the layers of a stack.
struct RelationEmbedding(Vec<Tensor>); // [r, d] each

impl RelationEmbedding {
    fn new(p: &mut Parameters, name: &str, c: &ModelConfig) -> anyhow::Result<Self> {
        let shape = [c.heads().buckets.len(), c.width];
        let mut get = |relation: &Relation| {
            p.get(&format!("{name}.{}", relation.name()), &shape, Init::Normal(1.0))
        };
        let embeddings: anyhow::Result<Vec<Tensor>> =
            c.relation_heads.keys().map(&mut get).collect();
        Ok(RelationEmbedding(embeddings?))
    }
}

/// What attention projects with, whatever it looks at.
struct Projections {
    heads: Arc<Heads>,
    norm: Tensor,      // [d]
    query: Tensor,     // [d, d]
    key_value: Tensor, // [d, 2d], of what is looked at
    output: Tensor,    // [d, d]
}

impl Projections {
    fn new(p: &mut Parameters, name: &str, c: &ModelConfig) -> anyhow::Result<Self> {
        let d = c.width;
        Ok(Projections {
            heads: Arc::new(c.heads()),
            norm: gain(p, &format!("{name}.norm"), d)?,
            query: matrix(p, &format!("{name}.query"), d, d)?,
            key_value: matrix(p, &format!("{name}.key_value"), d, 2 * d)?,
            output: matrix(p, &format!("{name}.output"), d, d)?,
        })
    }
}

/// Self-attention with positions.
struct SelfAttention {
    of: Projections,
    /// Projections of the embeddings of each relation to K_R and Q_R of its heads, together as wide as they.
    /// `[d, heads of the relation · e]` each
    relation: [Vec<Tensor>; 2],
}

impl SelfAttention {
    fn new(p: &mut Parameters, name: &str, c: &ModelConfig) -> anyhow::Result<Self> {
        let (d, heads) = (c.width, c.heads());
        let mut relation = |what: &str| -> anyhow::Result<Vec<Tensor>> {
            let one = |(relation, share): (&Relation, &usize)| {
                let name = format!("{name}.{what}.{}", relation.name());
                matrix(p, &name, d, share * heads.each())
            };
            c.relation_heads.iter().map(one).collect()
        };
        let relation = [relation("relation_key")?, relation("relation_query")?];
        Ok(SelfAttention { of: Projections::new(p, name, c)?, relation })
    }

    /// K_R and Q_R, the heads side by side, if heads see relations. `[2, r, d]`
    fn tables(&self, embedding: &RelationEmbedding) -> Result<Option<Tensor>> {
        if embedding.0.is_empty() {
            return Ok(None);
        }
        let table = |projections: &[Tensor]| {
            let parts = embedding.0.iter().zip(projections).map(|(e, p)| linear(e, p));
            Tensor::cat(&parts.collect::<Result<Vec<_>>>()?, 1) // [r, d]
        };
        Tensor::stack(&[table(&self.relation[0])?, table(&self.relation[1])?], 0).map(Some)
    }

    /// `x` `[b, n, d]`, a node and those after it if `past` are the keys and values of earlier
    /// nodes, to which those of `x` are added.
    fn forward(
        &self,
        x: &Tensor,
        g: &Arc<Geometry>,
        tables: Option<&Tensor>,
        past: Option<Past<'_>>,
    ) -> Result<Tensor> {
        let Projections { heads, norm, query, key_value, output } = &self.of;
        let x = rms_norm(x, norm)?;
        let (mut q, mut kv) = (linear(&x, query)?, linear(&x, key_value)?);
        if heads.rope {
            let first = past.as_ref().map_or(0, |past| past.nodes);
            (q, kv) = (rope(&q, heads, first)?, rope(&kv, heads, first)?);
        }
        let kv = match past {
            Some(past) => past.extend(&kv)?, // [nodes, 2d]
            None => kv,                      // [b, n, 2d]
        };
        linear(&attention(heads, g, &q, &kv, tables)?, output)
    }
}

/// Attention to the nodes of an encoded tree.
struct CrossAttention(Projections);

impl CrossAttention {
    /// `x` `[b, n, d]`, which looks at encoded trees. `lengths` are those of all trees where `x` is a
    /// step of generation, whose rows say at which they look.
    fn forward(
        &self,
        x: &Tensor,
        g: &Arc<Geometry>,
        memory: &Encoded,
        lengths: Option<&[usize]>,
    ) -> Result<Tensor> {
        let Projections { heads, norm, query, output, .. } = &self.0;
        let q = linear(&rms_norm(x, norm)?, query)?;
        linear(&memory.attention(heads, g, &q, lengths)?, output)
    }
}

struct FeedForward {
    norm: Tensor, // [d]
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
    norm: Tensor, // [d]
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
            x = dropout.add(&x, &attention.forward(&x, g, tables.as_ref(), None)?)?;
            x = dropout.add(&x, &feed_forward.forward(&x)?)?;
        }
        rms_norm(&x, &self.norm)
    }
}

/// The encoders of start and target.
fn encoders(p: &mut Parameters, c: &ModelConfig) -> anyhow::Result<[Arc<Encoder>; 2]> {
    let mut encoder = |name: &str| Encoder::new(p, name, c).map(Arc::new);
    match c.encoders {
        Encoders::Separate => Ok([encoder("start")?, encoder("target")?]),
        Encoders::Shared => {
            let both = encoder("encoder")?;
            Ok([both.clone(), both])
        }
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
    layers: Vec<[Encoded; 2]>,
    /// Nodes of start and target, `[b]` each, and the padded lengths.
    lengths: [Vec<usize>; 2],
    keys: [usize; 2],
    /// K_R and Q_R of every decoder layer.
    tables: Vec<Option<Tensor>>,
}

impl Memory {
    /// The geometry of cross-attention by the queries of `guide`. `rows` are the tasks that the
    /// rows work on, if not each on its own.
    fn geometry(&self, side: usize, guide: &Geometry, rows: Option<&[u32]>) -> Arc<Geometry> {
        let lengths = &self.lengths[side];
        let key_lengths: Vec<usize> = match rows {
            Some(rows) => rows.iter().map(|row| lengths[*row as usize]).collect(),
            None => lengths.clone(),
        };
        Arc::new(Geometry {
            batch: guide.batch,
            queries: guide.queries,
            keys: self.keys[side],
            query_lengths: guide.query_lengths.clone(),
            key_lengths,
            causal: false,
            places: None,
            source: rows.map_or(Source::Own, |rows| Source::Rows(rows.to_vec())),
            on_gpu: OnGpu::default(),
        })
    }
}

/// The network.
pub struct Transformer {
    width: usize,
    embedding: Tensor, // [features, d]
    /// Of start and target, which may be one.
    encoders: [Arc<Encoder>; 2],
    relation: RelationEmbedding,
    layers: Vec<DecoderLayer>,
    norm: Tensor, // [d]
    /// Tokens are the first features.
    tokens: usize,
    /// Of activations; parameters are f32.
    numbers: DType,
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
                start: CrossAttention(Projections::new(p, &name("start"), c)?),
                target: CrossAttention(Projections::new(p, &name("target"), c)?),
                feed_forward: FeedForward::new(p, &name("feed_forward"), c)?,
            });
        }
        let shape = [features.count(), c.width];
        Ok(Transformer {
            width: c.width,
            embedding: p.get("embedding", &shape, Init::Normal(0.3))?,
            encoders: encoders(p, c)?,
            relation: RelationEmbedding::new(p, "decoder.relation", c)?,
            layers,
            norm: gain(p, "decoder.norm", c.width)?,
            tokens,
            numbers: DType::F32,
        })
    }

    /// The same with activations of bf16, in which a GPU computes faster; parameters, and sums within an
    /// operation, stay f32.
    pub fn with_bf16(self) -> Transformer {
        Transformer { numbers: DType::BF16, ..self }
    }

    /// The device of the parameters.
    pub fn device(&self) -> &Device {
        self.embedding.device()
    }

    fn embed(&self, batch: &Batch, dropout: &Dropout) -> Result<Tensor> {
        let g = &batch.geometry;
        let x = embed(&batch.features, &self.embedding, self.numbers)?;
        dropout.apply(x.reshape((g.batch, g.queries, self.width))?) // [b, n, d]
    }

    /// Encodes starts and targets.
    ///
    /// # Errors
    /// The device fails.
    pub fn encode(&self, start: &Batch, target: &Batch, dropout: &Dropout) -> Result<Memory> {
        let encoded = [
            self.encoders[0].forward(self.embed(start, dropout)?, &start.geometry, dropout)?,
            self.encoders[1].forward(self.embed(target, dropout)?, &target.geometry, dropout)?,
        ];
        let mut layers = Vec::new();
        let mut tables = Vec::new();
        for layer in &self.layers {
            layers.push([
                Encoded::new(linear(&encoded[0], &layer.start.0.key_value)?),
                Encoded::new(linear(&encoded[1], &layer.target.0.key_value)?),
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
    /// `[batch · nodes, tokens]`. Each guide is for its own task of the memory.
    ///
    /// # Errors
    /// The device fails.
    pub fn decode(&self, guide: &Batch, memory: &Memory, dropout: &Dropout) -> Result<Tensor> {
        self.decoder(guide, memory, None, dropout)
    }

    /// Logits of the next node of half-written guides, `[rows, tokens]`. `rows` says which task
    /// of the memory each works on; `cache` holds what earlier steps computed for the same rows.
    ///
    /// # Errors
    /// The device fails.
    pub fn decode_step(
        &self,
        mut step: Batch,
        memory: &Memory,
        rows: &[u32],
        cache: &mut Cache,
    ) -> Result<Tensor> {
        let source = cache.begin(self.layers.len(), rows.len(), 2 * self.width, self.device())?;
        Arc::make_mut(&mut step.geometry).source = source;
        self.decoder(&step, memory, Some((rows, cache)), &Dropout::none())
    }

    fn decoder(
        &self,
        guide: &Batch,
        memory: &Memory,
        step: Option<(&[u32], &Cache)>,
        dropout: &Dropout,
    ) -> Result<Tensor> {
        let g = &guide.geometry;
        let rows = step.map(|(rows, _)| rows);
        let start = memory.geometry(0, g, rows);
        let target = memory.geometry(1, g, rows);
        let lengths = |side: usize| step.map(|_| &memory.lengths[side][..]);
        let mut x = self.embed(guide, dropout)?;
        for (i, layer) in self.layers.iter().enumerate() {
            let [start_memory, target_memory] = &memory.layers[i];
            let past = step.map(|(_, cache)| cache.past(i));
            let mixed = layer.attention.forward(&x, g, memory.tables[i].as_ref(), past)?;
            x = dropout.add(&x, &mixed)?;
            let mixed = layer.start.forward(&x, &start, start_memory, lengths(0))?;
            x = dropout.add(&x, &mixed)?;
            let mixed = layer.target.forward(&x, &target, target_memory, lengths(1))?;
            x = dropout.add(&x, &mixed)?;
            x = dropout.add(&x, &layer.feed_forward.forward(&x)?)?;
        }
        let x = rms_norm(&x, &self.norm)?;
        // A token's logit comes from its embedding, so that what is copied from start or target
        // need not be learned token by token (Press and Wolf, 2017).
        let x = x.reshape((g.batch * g.queries, self.width))?.to_dtype(DType::F32)?; // [b · n, d]
        let x = (x * (self.width as f64).powf(-0.5))?;
        linear_transposed(&x, &self.embedding.narrow(0, 0, self.tokens)?)
    }
}
