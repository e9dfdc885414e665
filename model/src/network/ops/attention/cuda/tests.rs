//! The kernels of attention, compiled for the host, beside the operation on the CPU.

use super::{Attention, AttentionBackward, numbers};
use crate::geometry::positions::Place;
use crate::geometry::positions::{Slot, places};
use crate::geometry::relations::Buckets;
use crate::geometry::relations::Relation;
use crate::network::ops::attention::attention;
use crate::network::ops::attention::inputs::{Geometry, Heads, Places, Source};
use crate::network::ops::cuda::Number;
use crate::network::ops::cuda::sums::SumRows;
use crate::network::ops::cuda::twin::{Host, Twin, close};
use crate::network::ops::tensors::OnGpu;
use candle_core::{Device, Tensor, Var};
use std::sync::Arc;

fn values(number: Number, n: usize, phase: f32) -> Host {
    let of = |i| (i as f32 * 1.3 + phase).sin() + (i as f32 * 0.37 + phase).cos();
    Host::new(number, &(0..n).map(of).collect::<Vec<_>>())
}

fn var(host: &Host, shape: &[usize]) -> Var {
    Var::from_vec(host.floats(), shape, &Device::Cpu).unwrap()
}

fn flat(tensor: &Tensor) -> Vec<f32> {
    tensor.flatten_all().unwrap().to_vec1().unwrap()
}

/// What no kernel may leave behind.
fn unwritten(number: Number, count: usize) -> Host {
    Host::new(number, &vec![f32::NAN; count])
}

/// A tree of so many nodes, bushy and deep, filled up with nodes that are nowhere.
fn tree(nodes: usize, row: usize, seed: usize) -> Vec<Place> {
    let (mut slots, mut path) = (vec![Slot::root(0)], vec![(0, 0)]);
    for i in 1..nodes {
        let up = (i * 7 + seed) * (i + 3) % 5;
        path.truncate(path.len().saturating_sub(up.saturating_sub(1)).max(1));
        let (parent, rank) = path.last_mut().unwrap();
        slots.push(slots[*parent].child(*parent as u32, *rank, 0));
        *rank += 1;
        path.push((i, 0));
    }
    let mut places = places(&slots);
    places.resize(row, Place::NOWHERE);
    places
}

fn heads(count: usize, each: usize, k: u8) -> Arc<Heads> {
    let relations = [Relation::Ancestor, Relation::Sibling];
    let relations = (0..count).map(|h| relations[h % 2]).collect();
    let buckets = Buckets { k };
    Arc::new(Heads { width: count * each, count, relations, buckets, rope: false })
}

fn geometry(queries: (usize, &[usize]), keys: (usize, &[usize])) -> Geometry {
    Geometry {
        batch: queries.1.len(),
        queries: queries.0,
        keys: keys.0,
        query_lengths: queries.1.to_vec(),
        key_lengths: keys.1.to_vec(),
        causal: false,
        places: None,
        source: Source::Own,
        on_gpu: OnGpu::default(),
    }
}

/// Nodes see the nodes of their tree.
fn trees(row: usize, lengths: &[usize]) -> Geometry {
    let of = |(b, length): (usize, &usize)| tree(*length, row, b);
    let places = lengths.iter().enumerate().flat_map(of).collect();
    let places = Some(Places { places, row, first_query: 0 });
    Geometry { places, ..geometry((row, lengths), (row, lengths)) }
}

/// A decoder's: of each tree, the node after i sees the nodes up to i.
fn decoder(row: usize, lengths: &[usize]) -> Geometry {
    let of = |(b, length): (usize, &usize)| tree(*length + 1, row + 1, b);
    let places = lengths.iter().enumerate().flat_map(of).collect();
    let places = Some(Places { places, row: row + 1, first_query: 1 });
    Geometry { places, causal: true, ..geometry((row, lengths), (row, lengths)) }
}

/// Runs the kernels as [`attention`] would, and compares results and gradients.
fn compare(heads: &Arc<Heads>, geometry: Geometry) {
    for (number, twin) in Twin::all() {
        compare_with(number, &twin, heads, geometry.clone());
    }
}

fn compare_with(number: Number, twin: &Twin, heads: &Arc<Heads>, geometry: Geometry) {
    let g = Arc::new(geometry);
    let (d, n, m, r) = (heads.width, g.queries, g.keys, heads.buckets.len());
    let keys: Vec<usize> = match &g.source {
        Source::Own => vec![g.batch, m, 2 * d],
        Source::Rows(rows) => vec![*rows.iter().max().unwrap() as usize + 1, m, 2 * d],
        Source::Scattered(nodes) => vec![*nodes.iter().max().unwrap() as usize + 1, 2 * d],
    };
    let q = values(number, g.batch * n * d, 0.0);
    let kv = values(number, keys.iter().product(), 1.0);
    let tables = g.places.as_ref().map(|_| values(number, 2 * r * d, 2.0));
    let grad = values(number, g.batch * n * d, 3.0);
    let (q_var, kv_var) = (var(&q, &[g.batch, n, d]), var(&kv, &keys));
    let tables_var = tables.as_ref().map(|tables| var(tables, &[2, r, d]));
    let expected =
        attention(heads, &g, &q_var, &kv_var, tables_var.as_ref().map(Var::as_tensor)).unwrap();

    let lengths = |of: &[usize]| of.iter().map(|n| *n as u32).collect::<Vec<_>>();
    let (query_lengths, key_lengths) = (lengths(&g.query_lengths), lengths(&g.key_lengths));
    let relations: Vec<u32> = heads.relations.iter().map(|r| super::number(*r)).collect();
    let places = g.places.as_ref().map_or(vec![], |places| numbers(&places.places));
    let at = |numbers: &[u32]| numbers.as_ptr() as u64;
    let (rows, nodes) = match &g.source {
        Source::Own => (0, 0),
        Source::Rows(rows) => (at(rows), 0),
        Source::Scattered(nodes) => (0, at(nodes)),
    };
    let mut out = unwritten(number, g.batch * n * d);
    let mut log_sums = unwritten(Number::F32, g.batch * heads.count * n);
    let of = Attention {
        queries: q.address(),
        keys_values: kv.address(),
        tables: tables.as_ref().map_or(0, Host::address),
        out: out.address_mut(),
        log_sums: log_sums.address_mut(),
        places: places.as_ptr() as u64,
        relations: at(&relations),
        query_lengths: at(&query_lengths),
        key_lengths: at(&key_lengths),
        rows,
        nodes,
        batch: g.batch as u32,
        n: n as u32,
        m: m as u32,
        heads: heads.count as u32,
        each: heads.each() as u32,
        row: g.places.as_ref().map_or(0, |places| places.row as u32),
        first_query: g.places.as_ref().map_or(0, |places| places.first_query as u32),
        k: heads.buckets.k.into(),
        causal: g.causal.into(),
        scale: heads.scale(tables.is_some()),
    };
    twin.run(of.launch(number).unwrap());
    close(number, &out, &flat(&expected));
    if !matches!(g.source, Source::Own) {
        return;
    }

    let all = (expected * var(&grad, &[g.batch, n, d]).as_tensor()).unwrap();
    let all = all.sum_all().unwrap().backward().unwrap();
    let mut dq = unwritten(number, g.batch * n * d);
    let mut sums = unwritten(Number::F32, g.batch * n * d);
    let mut dkv = unwritten(number, g.batch * m * 2 * d);
    let mut parts = unwritten(Number::F32, g.batch * 2 * r * d);
    let mut dtables = unwritten(Number::F32, 2 * r * d);
    let dqueries = dq.address_mut();
    let backward = AttentionBackward {
        of,
        grad: grad.address(),
        sums: if number == Number::F32 { dqueries } else { sums.address_mut() },
        dqueries,
        dkeys_values: dkv.address_mut(),
        parts: if tables.is_some() { parts.address_mut() } else { 0 },
    };
    twin.run(backward.launch(number).unwrap());
    close(number, &dq, &flat(all.get(&q_var).unwrap()));
    close(number, &dkv, &flat(all.get(&kv_var).unwrap()));
    if let Some(tables) = tables_var {
        let (rows, width) = (g.batch as u32, (2 * r * d) as u32);
        let sum = SumRows { x: parts.address(), out: dtables.address_mut(), rows, width };
        twin.run(sum.launch());
        close(number, &dtables, &flat(all.get(&tables).unwrap()));
    }
}

#[test]
fn attention_in_trees_and_its_gradients_are_those_of_the_cpu() {
    compare(&heads(2, 8, 2), trees(45, &[45, 1, 33]));
    compare(&heads(2, 40, 4), trees(7, &[7, 5]));
    compare(&heads(2, 100, 1), trees(34, &[34]));
}

#[test]
fn causal_attention_and_its_gradients_are_those_of_the_cpu() {
    compare(&heads(2, 8, 8), decoder(70, &[70, 1]));
    compare(&heads(1, 40, 2), decoder(9, &[4, 9]));
}

#[test]
fn attention_without_relations_and_its_gradients_are_those_of_the_cpu() {
    compare(&heads(2, 8, 2), geometry((45, &[45, 1]), (70, &[40, 70])));
    compare(&heads(1, 40, 2), geometry((3, &[2, 3]), (34, &[1, 34])));
    compare(&heads(1, 100, 2), geometry((34, &[33]), (5, &[4])));
}

#[test]
fn keys_are_read_from_shared_rows_and_scattered_nodes() {
    let rows = Source::Rows(vec![1, 0, 1]);
    let shared = geometry((2, &[2, 1, 2]), (40, &[40, 3, 35]));
    compare(&heads(2, 8, 2), Geometry { source: rows, ..shared });

    let (row, first_query) = (41, 40);
    let places = (0..2).flat_map(|b| tree(row, row, b)).collect();
    let nodes = Source::Scattered((0..80).map(|i| i * 37 % 101).collect());
    let scattered = Geometry {
        places: Some(Places { places, row, first_query }),
        source: nodes,
        ..geometry((1, &[1, 1]), (40, &[40, 33]))
    };
    compare(&heads(2, 40, 3), scattered);
}

#[test]
fn heads_that_are_too_wide_have_no_kernel() {
    let of = |each, k| Attention { each, k, tables: 1, ..Attention::default() };
    assert!(of(128, 8).fits().is_ok() && of(128, 8).fits_backward().is_ok());
    assert!(of(129, 8).fits().is_err() && of(129, 8).fits_backward().is_err());
    assert!(of(128, 12).fits().is_ok() && of(128, 12).fits_backward().is_err());
    let message = of(128, 100).launch(Number::F32).unwrap_err().to_string();
    assert!(message.contains("heads of width 128 and differences up to ±100"), "{message}");
}
