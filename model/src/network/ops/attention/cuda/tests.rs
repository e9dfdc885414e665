//! The kernels of attention, compiled for the host, beside the operation on the CPU.

use super::Attention;
use crate::fixtures::agree;
use crate::geometry::positions::{Place, Slot, places};
use crate::geometry::relations::{Buckets, Relation};
use crate::network::ops::attention::Attention as Operation;
use crate::network::ops::attention::inputs::{Geometry, Heads, Places, Source};
use crate::network::ops::cuda::Number;
use crate::network::ops::cuda::twin::{Host, Twin, close};
use crate::network::ops::tensors::OnGpu;
use std::sync::Arc;

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

/// Fails unless the kernels compute what the CPU does.
fn compare(heads: &Arc<Heads>, geometry: Geometry) {
    let g = Arc::new(geometry);
    let (d, n, r) = (heads.width, g.queries, heads.buckets.len());
    let keys = match &g.source {
        Source::Own => g.batch * g.keys,
        Source::Rows(rows) => (*rows.iter().max().unwrap() as usize + 1) * g.keys,
        Source::Scattered(nodes) => *nodes.iter().max().unwrap() as usize + 1,
    };
    let op = || Operation {
        heads: heads.clone(),
        geometry: g.clone(),
        transposed: None,
        log_sums: OnGpu::default(),
    };
    for (number, twin) in Twin::all() {
        let [q, kv, tables, grad] = [g.batch * n * d, keys * 2 * d, 2 * r * d, g.batch * n * d]
            .map(|count| Host::wave(number, count, count as f32));
        let both = [&op(), &op()];
        match (&g.source, g.places.is_some()) {
            (Source::Own, true) => agree((number, &twin), both, [&q, &kv, &tables], &grad),
            (Source::Own, false) => agree((number, &twin), both, [&q, &kv], &grad),
            // Without gradients.
            (_, related) => {
                let tables = if related { &tables } else { &Host::wave(number, 0, 0.0) };
                let on_gpu = tables.operand(&twin);
                let on_gpu = related.then_some(&on_gpu);
                let found = op().on_gpu([&q.operand(&twin), &kv.operand(&twin)], on_gpu).unwrap();
                let [q, kv, tables] = [&q, &kv, tables].map(Host::floats);
                close(number, &found, &op().on_cpu(&q, &kv, &tables).unwrap());
            }
        }
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
