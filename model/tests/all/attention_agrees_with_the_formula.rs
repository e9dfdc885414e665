//! The processor's attention against the formula written as plain loops, and its gradients against finite differences.
//! That of a GPU is compared with the processor's beside it, in `ops/attention/tests.rs`.

use candle_core::{Device, Result, Tensor, Var};
use model::geometry::positions::{NodePlace, Slot, places};
use model::geometry::relations::{Buckets, Relation};
use model::network::ops::attention::attention;
use model::network::ops::attention::inputs::{Geometry, Heads, Places, Source};
use model::network::ops::tensors::OnGpu;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

fn heads() -> Arc<Heads> {
    Arc::new(Heads {
        width: 12,
        count: 3,
        relations: vec![Relation::Ancestor, Relation::Sibling, Relation::Sibling],
        buckets: Buckets { k: 2 },
        rope: false,
    })
}

/// A random tree of `n` nodes in pre-order.
fn tree(rng: &mut ChaCha8Rng, n: usize) -> Vec<NodePlace> {
    let mut slots = vec![Slot::root(0)];
    let mut children = vec![0];
    for i in 1..n {
        // Under a node on the path to the one before, so that pre-order is kept.
        let mut parent = i - 1;
        while let (Some(up), true) = (slots[parent].parent, rng.random_bool(0.4)) {
            parent = up as usize;
        }
        let slot = slots[parent].child(parent as u32, children[parent], 0);
        children[parent] += 1;
        children.push(0);
        slots.push(slot);
    }
    places(&slots)
}

struct Case {
    geometry: Arc<Geometry>,
    q: Vec<f32>,
    kv: Vec<f32>,
    tables: Option<Vec<f32>>,
}

impl Case {
    /// `relations` and `causal` as asked; queries = keys if causal.
    fn new(seed: u64, relations: bool, causal: bool, queries: usize) -> Case {
        let heads = heads();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let batch = 2;
        let keys = if causal { queries } else { 7 };
        let all: Vec<NodePlace> = (0..batch)
            .flat_map(|_| [vec![NodePlace::NOWHERE], tree(&mut rng, 7)].concat())
            .collect();
        // The last nodes of the rows are the queries.
        let places = Places { places: all, row: 8, first_query: 8 - queries };
        let mut floats =
            |n: usize| (0..n).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f32>>();
        let geometry = Geometry {
            batch,
            queries,
            keys,
            query_lengths: vec![queries; 2],
            key_lengths: vec![keys, keys - 2],
            causal,
            places: relations.then_some(places),
            source: Source::Own,
            on_gpu: OnGpu::default(),
        };
        Case {
            geometry: Arc::new(geometry),
            q: floats(batch * queries * heads.width),
            kv: floats(batch * keys * 2 * heads.width),
            tables: relations.then(|| floats(2 * heads.buckets.len() * heads.width)),
        }
    }

    fn tensors(&self) -> Result<(Var, Var, Option<Var>)> {
        let g = &self.geometry;
        let d = heads().width;
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
        let heads = heads();
        let (d, e) = (heads.width, heads.each());
        let mut out = vec![0.0; self.q.len()];
        for b in 0..g.batch {
            for h in 0..heads.count {
                let q = |i: usize, x: usize| self.q[(b * g.queries + i) * d + h * e + x];
                let k_j = |j: usize, x: usize| self.kv[(b * g.keys + j) * 2 * d + h * e + x];
                let v = |j: usize, x: usize| self.kv[(b * g.keys + j) * 2 * d + d + h * e + x];
                for i in 0..g.queries {
                    let mut weights = Vec::new();
                    for j in 0..g.keys {
                        if j >= g.key_lengths[b] || (g.causal && j > i) {
                            weights.push(0.0);
                            continue;
                        }
                        let mut score: f32 = (0..e).map(|x| q(i, x) * k_j(j, x)).sum();
                        let mut terms = 1.0;
                        if let (Some(p), Some(tables)) = (&g.places, &self.tables) {
                            let row = &p.places[b * p.row..][..p.row];
                            let (here, there) = (row[p.first_query + i], row[j]);
                            let k = i32::from(heads.buckets.k);
                            let bucket = |a, b| match heads.relations[h].difference(a, b) {
                                Some(difference) => (difference.clamp(-k, k) + k) as usize,
                                None => 2 * k as usize + 1,
                            };
                            let (ij, ji) = (bucket(here, there), bucket(there, here));
                            let key = |x: usize| tables[ij * d + h * e + x];
                            let query =
                                |x: usize| tables[(heads.buckets.len() + ji) * d + h * e + x];
                            score += (0..e).map(|x| q(i, x) * key(x)).sum::<f32>();
                            score += (0..e).map(|x| k_j(j, x) * query(x)).sum::<f32>();
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
        let fused = attention(&heads(), &case.geometry, &q, &kv, tables).unwrap();
        close(&values(&fused), &case.naive(), 1e-5);
    }
}

/// As in generation: one query, and keys and values scattered over a larger tensor.
#[test]
fn scattered_keys() {
    for seed in [6, 7] {
        let case = Case::new(seed, seed == 6, false, 1);
        let (q, kv, tables) = case.tensors().unwrap();
        let tables = tables.as_ref().map(Var::as_tensor);
        let (g, heads) = (&*case.geometry, heads());
        let nodes = g.batch * g.keys;
        // Node i of the keys is row 3i + 1 mod the number of rows.
        let at: Vec<u32> = (0..nodes as u32).map(|i| (3 * i + 1) % (nodes as u32 + 2)).collect();
        let mut room = vec![vec![f32::NAN; 2 * heads.width]; nodes + 2];
        for (row, at) in case.kv.chunks_exact(2 * heads.width).zip(&at) {
            room[*at as usize] = row.to_vec();
        }
        let room = Tensor::from_vec(room.concat(), (nodes + 2, 2 * heads.width), kv.device());
        let scattered = Arc::new(Geometry { source: Source::Scattered(at), ..g.clone() });
        let out = attention(&heads, &scattered, &q, &room.unwrap(), tables).unwrap();
        close(&values(&out), &case.naive(), 1e-5);
    }
}

/// As in generation: rows that share their keys and values, side by side or not.
#[test]
fn shared_keys() {
    let case = Case::new(8, false, false, 1);
    let (q, kv, _) = case.tensors().unwrap();
    let naive = case.naive();
    let (heads, d) = (heads(), heads().width);
    let rows = [0u32, 0, 1, 0];
    let queries: Vec<Tensor> = rows.iter().map(|row| q.get(*row as usize).unwrap()).collect();
    let shared = Geometry {
        batch: 4,
        query_lengths: vec![1; 4],
        key_lengths: rows.iter().map(|row| case.geometry.key_lengths[*row as usize]).collect(),
        source: Source::Rows(rows.to_vec()),
        ..(*case.geometry).clone()
    };
    let queries = Tensor::stack(&queries, 0).unwrap();
    let out = attention(&heads, &Arc::new(shared), &queries, &kv, None).unwrap();
    let expected = rows.iter().flat_map(|row| naive[*row as usize * d..][..d].to_vec());
    close(&values(&out), &expected.collect::<Vec<f32>>(), 1e-5);
}

/// A loss in which every output has another weight.
fn loss(out: &Tensor) -> Tensor {
    let n = out.elem_count();
    let weights: Vec<f32> = (0..n).map(|i| (i as f32 * 0.7).sin()).collect();
    let weights = Tensor::from_vec(weights, out.shape(), out.device()).unwrap();
    (out * weights).unwrap().sum_all().unwrap()
}

#[test]
fn gradients_agree_with_finite_differences() {
    for case in cases() {
        let (q, kv, tables) = case.tensors().unwrap();
        let run = |q: &Tensor, kv: &Tensor, tables: Option<&Tensor>| {
            loss(&attention(&heads(), &case.geometry, q, kv, tables).unwrap())
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
