//! The whole network against plain loops over numbers: embeddings, pre-norm residual blocks, attention
//! with every scheme of positions, cross-attention, tied logits, and the value head.

use crate::common;
use candle_core::Device;
use model::config::{Config, Encoders};
use model::geometry::positions::Positions;
use model::geometry::relations::Relation;
use model::network::batch::{Batch, Features};
use model::network::ops::attention::inputs::Geometry;
use model::network::ops::dropout::Dropout;
use model::network::parameters::Parameters;
use model::network::transformer::Transformer;
use model::training::examples::data::{Dataset, Example};
use model::training::examples::token_file::Examples;
use model::training::step::{Fitting, Inputs};
use model::training::workers::Workers;
use std::collections::BTreeMap;

type Rows = Vec<Vec<f64>>;

/// Parameters by name, as rows; a vector is one row.
struct Weights(BTreeMap<String, Rows>);

impl Weights {
    fn get(&self, name: &str) -> &Rows {
        self.0.get(name).unwrap_or_else(|| panic!("no parameter {name}"))
    }
}

fn product(x: &Rows, w: &Rows) -> Rows {
    let of_row = |x: &Vec<f64>| {
        (0..w[0].len()).map(|j| x.iter().zip(w).map(|(x, w)| x * w[j]).sum()).collect()
    };
    x.iter().map(of_row).collect()
}

fn sum(a: Rows, b: Rows) -> Rows {
    let rows = a.into_iter().zip(b);
    rows.map(|(a, b)| a.into_iter().zip(b).map(|(a, b)| a + b).collect()).collect()
}

fn norm(x: &Rows, gain: &Rows) -> Rows {
    let of_row = |x: &Vec<f64>| {
        let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
        x.iter().zip(&gain[0]).map(|(x, gain)| x / (mean + 1e-6).sqrt() * gain).collect()
    };
    x.iter().map(of_row).collect()
}

fn squared_relu(x: Rows) -> Rows {
    x.into_iter().map(|row| row.into_iter().map(|x| x.max(0.0).powi(2)).collect()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let all: f64 = scores.iter().map(|s| s.exp()).sum();
    scores.iter().map(|s| s.exp() / all).collect()
}

/// The number of the bucket of a difference, and of none.
fn bucket(difference: Option<i32>, k: i32) -> usize {
    difference.map_or(2 * k + 1, |difference| difference.clamp(-k, k) + k) as usize
}

/// Turns pairs of columns of every head by the angle of a row's place.
fn rotated(rows: &[Vec<f64>], each: usize) -> Rows {
    let of_row = |(place, row): (usize, &Vec<f64>)| {
        let (mut out, half) = (row.clone(), each / 2);
        for head in 0..row.len() / each {
            for c in 0..half {
                let angle = place as f64 * 10_000f64.powf(-2.0 * c as f64 / each as f64);
                let (u, v) = (row[head * each + c], row[head * each + half + c]);
                out[head * each + c] = u * angle.cos() - v * angle.sin();
                out[head * each + half + c] = u * angle.sin() + v * angle.cos();
            }
        }
        out
    };
    rows.iter().enumerate().map(of_row).collect()
}

struct Formula<'a> {
    config: &'a Config,
    weights: &'a Weights,
    tokens: usize,
}

impl Formula<'_> {
    /// The nodes of row b that are not padding.
    fn embed(&self, batch: &Batch, b: usize) -> Rows {
        let g = &batch.geometry;
        let table = self.weights.get("embedding");
        let nodes = batch.features.nodes().skip(b * g.queries).take(g.query_lengths[b]);
        let of_node = |features: &[u32]| {
            let mut sum = vec![0.0; table[0].len()];
            for feature in features {
                for (sum, x) in sum.iter_mut().zip(&table[*feature as usize]) {
                    *sum += x;
                }
            }
            sum
        };
        nodes.map(of_node).collect()
    }

    /// Attention of `name` by normalised `x` to the nodes of `memory`, or of x itself.
    /// `stack` has the embeddings of relations.
    fn attention(
        &self,
        name: &str,
        x: &Rows,
        memory: Option<&Rows>,
        own: Option<(&str, &Geometry, usize)>,
    ) -> Rows {
        let m = &self.config.model;
        let (w, d, e) =
            (|part: &str| self.weights.get(&format!("{name}.{part}")), m.width, m.width / m.heads);
        let x = norm(x, w("norm"));
        let mut q = product(&x, w("query"));
        let kv = product(memory.unwrap_or(&x), w("key_value"));
        let mut keys: Rows = kv.iter().map(|row| row[..d].to_vec()).collect();
        let values: Rows = kv.iter().map(|row| row[d..].to_vec()).collect();
        if own.is_some() && m.positions == Positions::Rope {
            (q, keys) = (rotated(&q, e), rotated(&keys, e));
        }
        // The relation of every head, with its K_R and Q_R.
        let mut related: Vec<(Relation, Rows, Rows)> = Vec::new();
        if let Some((stack, ..)) = own {
            for (relation, heads) in m.relation_heads.clone() {
                let embedding = self.weights.get(&format!("{stack}.relation.{}", relation.name()));
                let table =
                    |what: &str| product(embedding, w(&format!("{what}.{}", relation.name())));
                let (k_r, q_r) = (table("relation_key"), table("relation_query"));
                for head in 0..heads {
                    let part = |t: &Rows| -> Rows {
                        t.iter().map(|row| row[head * e..(head + 1) * e].to_vec()).collect()
                    };
                    related.push((relation, part(&k_r), part(&q_r)));
                }
            }
        }
        let terms = if related.is_empty() { 1.0 } else { 3.0 };
        let mut mixed = vec![vec![0.0; d]; x.len()];
        for h in 0..m.heads {
            let head = h * e..(h + 1) * e;
            for (i, q) in q.iter().enumerate() {
                let seen = match own {
                    Some((_, g, _)) if g.causal => (i + 1).min(keys.len()),
                    _ => keys.len(),
                };
                let score = |j: usize| {
                    let (q, key) = (&q[head.clone()], &keys[j][head.clone()]);
                    let mut score = dot(q, key);
                    if let (Some((relation, k_r, q_r)), Some((_, g, b))) = (related.get(h), own) {
                        let places = g.places.as_ref().unwrap();
                        let row = &places.places[b * places.row..][..places.row];
                        let (node, other) = (row[places.first_query + i], row[j]);
                        let k = i32::from(m.clip);
                        score += dot(q, &k_r[bucket(relation.difference(node, other), k)]);
                        score += dot(key, &q_r[bucket(relation.difference(other, node), k)]);
                    }
                    score / (terms * e as f64).sqrt()
                };
                let p = softmax(&(0..seen).map(score).collect::<Vec<_>>());
                for (p, value) in p.iter().zip(&values) {
                    for c in head.clone() {
                        mixed[i][c] += p * value[c];
                    }
                }
            }
        }
        product(&mixed, w("output"))
    }

    fn feed_forward(&self, name: &str, x: &Rows) -> Rows {
        let w = |part: &str| self.weights.get(&format!("{name}.feed_forward.{part}"));
        product(&squared_relu(product(&norm(x, w("norm")), w("up"))), w("down"))
    }

    /// Row b of a batch, encoded.
    fn encode(&self, stack: &str, batch: &Batch, b: usize) -> Rows {
        let mut x = self.embed(batch, b);
        for layer in 0..self.config.model.encoder_layers {
            let name = format!("{stack}.{layer}");
            let own = Some((stack, &*batch.geometry, b));
            let mixed = self.attention(&format!("{name}.attention"), &x, None, own);
            x = sum(x, mixed);
            let further = self.feed_forward(&name, &x);
            x = sum(x, further);
        }
        norm(&x, self.weights.get(&format!("{stack}.norm")))
    }

    /// Logits of row b of the guides.
    fn decode(&self, guide: &Batch, b: usize, [start, target]: [&Rows; 2]) -> Rows {
        let mut x = self.embed(guide, b);
        for layer in 0..self.config.model.decoder_layers {
            let name = format!("decoder.{layer}");
            let own = Some(("decoder", &*guide.geometry, b));
            let mixed = self.attention(&format!("{name}.attention"), &x, None, own);
            x = sum(x, mixed);
            for (side, memory) in [("start", start), ("target", target)] {
                let mixed = self.attention(&format!("{name}.{side}"), &x, Some(memory), None);
                x = sum(x, mixed);
            }
            let further = self.feed_forward(&name, &x);
            x = sum(x, further);
        }
        let x = norm(&x, self.weights.get("decoder.norm"));
        let table = &self.weights.get("embedding")[..self.tokens];
        let scale = (self.config.model.width as f64).sqrt();
        let logits = |x: &Vec<f64>| table.iter().map(|token| dot(x, token) / scale).collect();
        x.iter().map(logits).collect()
    }
}

fn close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let difference = (f64::from(*found) - expected).abs();
        assert!(difference < 1e-4 * (1.0 + expected.abs()), "{found}, expected {expected}");
    }
}

#[test]
fn logits_are_those_of_plain_loops() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    common::write_dataset(&data, &common::triples(1, 40), &common::triples(2, 3));
    let dataset = Dataset::load(&data).unwrap();
    let schemes = [
        (Positions::Tree, Encoders::Separate),
        (Positions::Tree, Encoders::Shared),
        (Positions::Rope, Encoders::Separate),
        (Positions::None, Encoders::Separate),
    ];
    for (positions, encoders) in schemes {
        let mut config = common::small_config();
        (config.model.positions, config.model.encoders) = (positions, encoders);
        (config.model.encoder_layers, config.model.decoder_layers) = (2, 2);
        if positions != Positions::Tree {
            config.model.relation_heads = Default::default();
        }
        let examples = Examples::open(&dataset, &config, None, &data, &false.into()).unwrap();
        let batch: Vec<Example> = (0..4).map(|i| examples.train(i).unwrap()).collect();
        let (vocabulary, masks) = (&examples.vocabulary, examples.masks.clone());
        let (drawn, workers) = (Parameters::random(3, &Device::Cpu), Workers::new(1).unwrap());
        let fitting = Fitting::new(&config, vocabulary, drawn, masks, 1, workers).unwrap();
        let Inputs { start, target, guide, .. } = fitting.inputs(&batch).unwrap();
        let features = Features::new(vocabulary, positions);
        let mut views = Parameters::views(&fitting.vars, &Device::Cpu);
        let network =
            Transformer::new(&config.model, features, vocabulary.len(), &mut views).unwrap();
        let memory = network.encode(&start, &target, &Dropout::none()).unwrap();
        let logits = network.decode(&guide, &memory, &Dropout::none()).unwrap();
        let logits: Vec<Vec<f32>> = logits.to_vec2().unwrap();

        let rows = |tensor: &candle_core::Tensor| -> Rows {
            let width = *tensor.dims().last().unwrap();
            let all: Vec<f32> = tensor.flatten_all().unwrap().to_vec1().unwrap();
            let wide = all.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
            wide.chunks_exact(width).map(<[f64]>::to_vec).collect()
        };
        let named = fitting.vars.iter();
        let weights = Weights(named.map(|(name, var)| (name.clone(), rows(var))).collect());
        let formula = Formula { config: &config, weights: &weights, tokens: vocabulary.len() };
        let stacks = match encoders {
            Encoders::Separate => ["start", "target"],
            Encoders::Shared => ["encoder", "encoder"],
        };
        for b in 0..batch.len() {
            let start = formula.encode(stacks[0], &start, b);
            let target = formula.encode(stacks[1], &target, b);
            let expected = formula.decode(&guide, b, [&start, &target]);
            assert_eq!(expected.len(), batch[b].tokens[2].len());
            for (found, expected) in logits[b * guide.geometry.queries..].iter().zip(&expected) {
                close(found, expected);
            }
        }
    }
}
