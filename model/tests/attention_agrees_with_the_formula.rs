//! The fused attention against the formula written as loops, its gradients against the composed
//! form's and against finite differences.

use candle_core::{Device, Result, Tensor, Var};
use model::network::attention::{
    Geometry, Heads, Relation, Relations, attention, composed_attention,
};
use model::tokens::positions::Buckets;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

const HEADS: Heads = Heads { width: 12, count: 3, ancestor: 1 };

struct Case {
    geometry: Arc<Geometry>,
    q: Vec<f32>,
    kv: Vec<f32>,
    tables: Option<Vec<f32>>,
}

impl Case {
    /// `relations` and `causal` as asked; queries = keys if causal.
    fn new(seed: u64, relations: bool, causal: bool, queries: usize) -> Case {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let batch = 2;
        let keys = if causal { queries } else { 7 };
        let buckets = Buckets { k: 2 };
        let mut floats =
            |n: usize| (0..n).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f32>>();
        let q = floats(batch * queries * HEADS.width);
        let kv = floats(batch * keys * 2 * HEADS.width);
        let tables = relations.then(|| floats(2 * buckets.len() * HEADS.width));
        let mut index = |n: usize| {
            (0..n).map(|_| rng.random_range(0..buckets.len() as u8)).collect::<Vec<u8>>()
        };
        let relations = relations.then(|| Relations {
            buckets,
            ancestor: index(batch * queries * keys),
            sibling: index(batch * queries * keys),
        });
        let key_lengths = vec![keys, keys - 2];
        let geometry =
            Geometry { batch, queries, keys, key_lengths, causal, relations, key_rows: None };
        Case { geometry: Arc::new(geometry), q, kv, tables }
    }

    fn tensors(&self) -> Result<(Var, Var, Option<Var>)> {
        let g = &self.geometry;
        let d = HEADS.width;
        let var = |v: &[f32], shape| Var::from_slice(v, shape, &Device::Cpu);
        Ok((
            var(&self.q, (g.batch, g.queries, d))?,
            var(&self.kv, (g.batch, g.keys, 2 * d))?,
            match &self.tables {
                Some(tables) => Some(var(tables, (2, tables.len() / 2 / d, d))?),
                None => None,
            },
        ))
    }

    /// Every score from the definition.
    fn naive(&self) -> Vec<f32> {
        let g = &self.geometry;
        let (d, e) = (HEADS.width, HEADS.width / HEADS.count);
        let mut out = vec![0.0; self.q.len()];
        for b in 0..g.batch {
            for h in 0..HEADS.count {
                let q = |i: usize, x: usize| self.q[(b * g.queries + i) * d + h * e + x];
                let k = |j: usize, x: usize| self.kv[(b * g.keys + j) * 2 * d + h * e + x];
                let v = |j: usize, x: usize| self.kv[(b * g.keys + j) * 2 * d + d + h * e + x];
                for i in 0..g.queries {
                    let mut weights = Vec::new();
                    for j in 0..g.keys {
                        if j >= g.key_lengths[b] || (g.causal && j > i) {
                            weights.push(0.0);
                            continue;
                        }
                        let mut score: f32 = (0..e).map(|x| q(i, x) * k(j, x)).sum();
                        let mut terms = 1.0;
                        if let (Some(r), Some(tables)) = (&g.relations, &self.tables) {
                            let table = match HEADS.relation(h) {
                                Relation::Ancestor => &r.ancestor,
                                Relation::Sibling => &r.sibling,
                            };
                            let ij = usize::from(table[(b * g.queries + i) * g.keys + j]);
                            let k2 = 2 * usize::from(r.buckets.k);
                            let ji = if ij == k2 + 1 { ij } else { k2 - ij };
                            let key = |x: usize| tables[ij * d + h * e + x];
                            let query = |x: usize| tables[(r.buckets.len() + ji) * d + h * e + x];
                            score += (0..e).map(|x| q(i, x) * key(x)).sum::<f32>();
                            score += (0..e).map(|x| k(j, x) * query(x)).sum::<f32>();
                            terms = 3.0;
                        }
                        weights.push((score / (terms * e as f32).sqrt()).exp());
                    }
                    let sum: f32 = weights.iter().sum();
                    for x in 0..e {
                        out[(b * g.queries + i) * d + h * e + x] =
                            weights.iter().enumerate().map(|(j, w)| w / sum * v(j, x)).sum();
                    }
                }
            }
        }
        out
    }
}

fn cases() -> Vec<Case> {
    vec![
        Case::new(1, true, false, 5),
        Case::new(2, true, true, 5),
        Case::new(3, false, false, 5),
        Case::new(4, true, false, 1),
        Case::new(5, false, false, 1),
    ]
}

fn close(a: &[f32], b: &[f32], tolerance: f32) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance, "at {i}: {a} and {b}");
    }
}

fn values(t: &Tensor) -> Vec<f32> {
    t.flatten_all().unwrap().to_vec1().unwrap()
}

#[test]
fn forward() {
    for case in cases() {
        let (q, kv, tables) = case.tensors().unwrap();
        let tables = tables.as_ref().map(Var::as_tensor);
        let fused = attention(HEADS, &case.geometry, &q, &kv, tables).unwrap();
        close(&values(&fused), &case.naive(), 1e-5);
        let composed = composed_attention(HEADS, &case.geometry, &q, &kv, tables).unwrap();
        close(&values(&composed), &case.naive(), 1e-5);
    }
}

/// A loss in which every output has another weight.
fn loss(out: &Tensor) -> Tensor {
    let n = out.elem_count();
    let weights: Vec<f32> = (0..n).map(|i| (i as f32 * 0.7).sin()).collect();
    let weights = Tensor::from_vec(weights, out.shape(), out.device()).unwrap();
    (out * weights).unwrap().sum_all().unwrap()
}

#[test]
fn gradients_of_both_forms_agree() {
    for case in cases() {
        let (q, kv, tables) = case.tensors().unwrap();
        let table = tables.as_ref().map(Var::as_tensor);
        let fused = loss(&attention(HEADS, &case.geometry, &q, &kv, table).unwrap());
        let composed = loss(&composed_attention(HEADS, &case.geometry, &q, &kv, table).unwrap());
        let (fused, composed) = (fused.backward().unwrap(), composed.backward().unwrap());
        for var in [Some(&q), Some(&kv), tables.as_ref()].into_iter().flatten() {
            close(&values(fused.get(var).unwrap()), &values(composed.get(var).unwrap()), 2e-5);
        }
    }
}

#[test]
fn gradients_agree_with_finite_differences() {
    for case in cases() {
        let (q, kv, tables) = case.tensors().unwrap();
        let run = |q: &Tensor, kv: &Tensor, tables: Option<&Tensor>| {
            loss(&attention(HEADS, &case.geometry, q, kv, tables).unwrap())
        };
        let table = tables.as_ref().map(Var::as_tensor);
        let gradients = run(&q, &kv, table).backward().unwrap();
        let step = 1e-2f32;
        for (which, var) in [Some(&q), Some(&kv), tables.as_ref()].into_iter().enumerate() {
            let Some(var) = var else { continue };
            let gradient = values(gradients.get(var).unwrap());
            let base = values(var);
            // Every seventh element: all of them would take long and show no more.
            for at in (0..base.len()).step_by(7) {
                let shifted = |by: f32| {
                    let mut x = base.clone();
                    x[at] += by;
                    let x = Tensor::from_vec(x, var.shape(), &Device::Cpu).unwrap();
                    let out = match which {
                        0 => run(&x, &kv, table),
                        1 => run(&q, &x, table),
                        _ => run(&q, &kv, Some(&x)),
                    };
                    out.to_scalar::<f32>().unwrap()
                };
                let difference = (shifted(step) - shifted(-step)) / (2.0 * step);
                let error = (difference - gradient[at]).abs();
                assert!(error < 2e-3 + 0.01 * difference.abs(), "{difference} {}", gradient[at]);
            }
        }
    }
}
