//! Disentangled attention of one batch row on the CPU, forward and backward, without ever storing
//! more than one head's `[n, m]` scores. Most pairs of nodes are not related: the scores are
//! computed as if none were, and then put right for those that are.

use crate::geometry::positions::NodePlace;
use crate::geometry::relations::Relation;
use crate::network::ops::attention::inputs::{Heads, Sight};
use crate::network::ops::rows::{dot, padded, softmax};
use matrices::{Matrix, Product, transpose};
use pulp::{Arch, Simd, WithSimd};

/// The inputs of a batch row: queries `[n, d]`, keys and values `[m, 2d]`.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) queries: &'a [f32],
    pub(crate) keys_values: &'a [f32],
    /// Which rows of `keys_values` are the keys; `None` if they are all of them in order.
    pub(crate) nodes: Option<&'a [u32]>,
    /// The keys once more, as [`TransposedKeys`](super::transposed_keys::TransposedKeys) has them,
    /// where somebody has transposed them.
    pub(crate) transposed: Option<(&'a [f32], usize)>,
    pub(crate) tables: &'a Tables<'a>,
}

/// The relation tables, which all rows of a batch share.
pub(crate) struct Tables<'a> {
    /// Keys K_R, then queries Q_R; empty where there are no relations. `[2, r, d]`
    own: &'a [f32],
    /// K_R, transposed; empty where there is one query, which does without. `[d, R]`, where R is r,
    /// padded.
    transposed: Vec<f32>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(heads: &Heads, own: &'a [f32], one_query: bool) -> Tables<'a> {
        let (r, mut transposed) = (heads.buckets.len(), Vec::new());
        if !own.is_empty() && !one_query {
            transpose(own, heads.width, (r, heads.width), padded(r), &mut transposed);
        }
        Tables { own, transposed }
    }
}

/// Where a batch row's gradients are added, in the shapes of [`Inputs`].
pub(crate) struct Gradients<'a> {
    pub(crate) queries: &'a mut [f32],
    pub(crate) keys_values: &'a mut [f32],
    pub(crate) tables: &'a mut [f32],
}

/// Writes the attention of a batch row to `out` `[n, d]`, which is zero. `scratch` is of rows before.
pub(crate) fn forward(
    heads: &Heads,
    sight: Sight<'_>,
    inputs: Inputs<'_>,
    out: &mut [f32],
    scratch: &mut Scratch,
) {
    let arch = Arch::new();
    match inputs.nodes {
        Some(nodes) => arch.dispatch(SingleQuery { heads, sight, inputs, nodes, out, scratch }),
        None => arch.dispatch(Forward { heads, sight, inputs, out, scratch }),
    }
}

/// Adds to `gradients` what `grad`, the gradient of the output `[n, d]`, implies.
pub(crate) fn backward(
    heads: &Heads,
    sight: Sight<'_>,
    inputs: Inputs<'_>,
    grad: &[f32],
    gradients: Gradients<'_>,
    scratch: &mut Scratch,
) {
    Arch::new().dispatch(Backward { heads, sight, inputs, grad, gradients, scratch });
}

/// Memory for what is computed of one row after the other.
#[derive(Default)]
pub(crate) struct Scratch {
    head: Head,
    vt: Vec<f32>,
    ds: Vec<f32>,
    dby_query: Vec<f32>,
    dby_key: Vec<f32>,
    one: ScratchOfSingle,
}

/// The same for a single query.
#[derive(Default)]
struct ScratchOfSingle {
    p: Vec<f32>,
    buckets: Vec<u8>,
    /// By bucket: q·K_R, and q + Q_R of the mirrored bucket, where they are known.
    known: Vec<bool>,
    by_query: Vec<f32>,
    sums: Vec<f32>,
}

/// `c = a · b`, or `c += a · b` if `add`; the rows of c are slice and distance.
#[inline(always)]
fn product<S: Simd>(
    simd: S,
    sizes: (usize, usize, usize),
    a: Matrix<'_>,
    b: Matrix<'_>,
    c: (&mut [f32], usize),
    add: bool,
) {
    simd.vectorize(Product { sizes, a, b, c, add });
}

/// Room for n numbers, which may be any.
fn scratch_for(v: &mut Vec<f32>, n: usize) -> &mut [f32] {
    if v.len() < n {
        v.resize(n, 0.0);
    }
    &mut v[..n]
}

fn zeroed(v: &mut Vec<f32>, n: usize) -> &mut [f32] {
    v.clear();
    v.resize(n, 0.0);
    v
}

/// Pairs of a query i and a key j that it sees and that are related, with the bucket of δ(i, j).
#[derive(Default)]
struct Related {
    relation: Option<Relation>,
    pairs: Vec<(u32, u32, u8)>,
}

impl Related {
    /// The pairs of `relation`, unless they are at hand.
    #[inline(always)]
    fn find(&mut self, relation: Relation, heads: &Heads, sight: &Sight<'_>) {
        if self.relation == Some(relation) {
            return;
        }
        self.relation = Some(relation);
        self.pairs.clear();
        let Some((queries, keys)) = sight.places else { return };
        for (i, query) in queries.iter().enumerate().take(sight.queries) {
            for (j, key) in keys[..sight.seen(i)].iter().enumerate() {
                if let Some(difference) = relation.difference(*query, *key) {
                    self.pairs.push((i as u32, j as u32, heads.buckets.of(difference)));
                }
            }
        }
    }
}

/// SingleQuery head's matrices. M is m, padded.
#[derive(Default)]
struct Head {
    related: Related,
    /// Keys, transposed. `[e, M]`
    kt: Vec<f32>,
    /// q·K_R, `[n, R]`; Q_R·k, `[r, M]`. R is r, padded.
    by_query: Vec<f32>,
    by_key: Vec<f32>,
    /// Probabilities. `[n, M]`
    p: Vec<f32>,
}

impl Head {
    /// Fills in head `h`, up to the probabilities.
    #[inline(always)]
    fn load<S: Simd>(&mut self, simd: S, heads: &Heads, s: &Sight<'_>, h: usize, i: &Inputs<'_>) {
        let (n, m, d, e) = (s.queries, s.keys, heads.width, heads.each());
        let related = !i.tables.own.is_empty();
        let (scale, wide, none) =
            (heads.scale(related), padded(m), usize::from(heads.buckets.none()));
        let queries = Matrix::rows(&i.queries[h * e..], d);
        let kt = match i.transposed {
            Some((transposed, across)) => Matrix::rows(&transposed[h * e * across..], across),
            None => {
                transpose(&i.keys_values[h * e..], 2 * d, (m, e), wide, &mut self.kt);
                Matrix::rows(&self.kt, wide)
            }
        };
        let p = scratch_for(&mut self.p, n * wide);
        product(simd, (n, e, wide), queries, kt, (p, wide), false);
        if related {
            let r = heads.buckets.len();
            let across = padded(r);
            let k_r = Matrix::rows(&i.tables.transposed[h * e * across..], across);
            let by_query = scratch_for(&mut self.by_query, n * across);
            product(simd, (n, e, across), queries, k_r, (by_query, across), false);
            let q_r = Matrix::rows(&i.tables.own[r * d + h * e..], d);
            let by_key = scratch_for(&mut self.by_key, r * wide);
            product(simd, (r, e, wide), q_r, kt, (by_key, wide), false);
            let unrelated = &by_key[none * wide..][..wide];
            for (p, by_query) in p.chunks_exact_mut(wide).zip(by_query.chunks_exact(across)) {
                for (p, by_key) in p.iter_mut().zip(unrelated) {
                    *p += by_query[none] + by_key;
                }
            }
            self.related.find(heads.relations[h], heads, s);
            for &(i, j, bucket) in &self.related.pairs {
                let (i, j, mirror) =
                    (i as usize, j as usize, usize::from(heads.buckets.mirror(bucket)));
                let by_query = &by_query[i * across..][..r];
                let by_query = by_query[usize::from(bucket)] - by_query[none];
                p[i * wide + j] += by_query + (by_key[mirror * wide + j] - unrelated[j]);
            }
        }
        for (i, row) in p.chunks_exact_mut(wide).enumerate() {
            softmax(row, s.seen(i), scale);
        }
    }
}

struct Forward<'a> {
    heads: &'a Heads,
    sight: Sight<'a>,
    inputs: Inputs<'a>,
    out: &'a mut [f32],
    scratch: &'a mut Scratch,
}

impl WithSimd for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Forward { heads, sight, inputs, out, scratch } = self;
        let (n, m, d, e) = (sight.queries, sight.keys, heads.width, heads.each());
        let head = &mut scratch.head;
        head.related.relation = None;
        for h in 0..heads.count {
            head.load(simd, heads, &sight, h, &inputs);
            let p = Matrix::rows(&head.p, padded(m));
            let values = Matrix::rows(&inputs.keys_values[d + h * e..], 2 * d);
            product(simd, (n, m, e), p, values, (&mut out[h * e..], d), false);
        }
    }
}

/// The same for a single query and scattered keys, as in generation, where copying the keys would
/// cost more than looking at them: q·k + k·Q_R[ji] = (q + Q_R[ji])·k, and there are few buckets.
struct SingleQuery<'a> {
    heads: &'a Heads,
    sight: Sight<'a>,
    inputs: Inputs<'a>,
    nodes: &'a [u32],
    out: &'a mut [f32],
    scratch: &'a mut Scratch,
}

impl WithSimd for SingleQuery<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let SingleQuery { heads, sight, inputs, nodes, out, scratch } = self;
        let (d, e, r) = (heads.width, heads.each(), heads.buckets.len());
        let related = !inputs.tables.own.is_empty();
        let (scale, none) = (heads.scale(related), heads.buckets.none());
        let nodes = &nodes[..sight.keys];
        let ScratchOfSingle { p, buckets, known, by_query, sums } = &mut scratch.one;
        let p = scratch_for(p, padded(nodes.len()));
        by_query.resize(r, 0.0);
        sums.resize(r * e, 0.0);
        for h in 0..heads.count {
            let q = &inputs.queries[h * e..][..e];
            let key = |node: u32| &inputs.keys_values[node as usize * 2 * d + h * e..][..e];
            if let (true, Some((queries, keys))) = (related, sight.places) {
                let relation = heads.relations[h];
                if h == 0 || relation != heads.relations[h - 1] {
                    let bucket = |key: &NodePlace| {
                        let difference = relation.difference(queries[0], *key);
                        difference.map_or(none, |difference| heads.buckets.of(difference))
                    };
                    buckets.clear();
                    buckets.extend(keys[..nodes.len()].iter().map(bucket));
                }
                let (k_r, q_r) = inputs.tables.own.split_at(r * d);
                known.clear();
                known.resize(r, false);
                for ((p, node), bucket) in p.iter_mut().zip(nodes).zip(&*buckets) {
                    let (mirror, bucket) =
                        (usize::from(heads.buckets.mirror(*bucket)), usize::from(*bucket));
                    let sum = &mut sums[bucket * e..][..e];
                    if !known[bucket] {
                        known[bucket] = true;
                        by_query[bucket] = dot(q, &k_r[bucket * d + h * e..][..e]);
                        let q_r = &q_r[mirror * d + h * e..][..e];
                        sum.iter_mut().zip(q).zip(q_r).for_each(|((sum, q), r)| *sum = q + r);
                    }
                    *p = dot(sum, key(*node)) + by_query[bucket];
                }
            } else {
                for (p, node) in p.iter_mut().zip(nodes) {
                    *p = dot(q, key(*node));
                }
            }
            softmax(p, nodes.len(), scale);
            let out = &mut out[h * e..][..e];
            for (p, node) in p.iter().zip(nodes) {
                let v = &inputs.keys_values[*node as usize * 2 * d + d + h * e..][..e];
                out.iter_mut().zip(v).for_each(|(out, v)| *out += p * v);
            }
        }
    }
}

struct Backward<'a> {
    heads: &'a Heads,
    sight: Sight<'a>,
    inputs: Inputs<'a>,
    grad: &'a [f32],
    gradients: Gradients<'a>,
    scratch: &'a mut Scratch,
}

impl WithSimd for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Backward { heads, sight, inputs, grad, gradients, scratch } = self;
        let (n, m, d, e) = (sight.queries, sight.keys, heads.width, heads.each());
        let related = !inputs.tables.own.is_empty();
        let (scale, wide, none) =
            (heads.scale(related), padded(m), usize::from(heads.buckets.none()));
        let Scratch { head, vt, ds, dby_query, dby_key, .. } = scratch;
        head.related.relation = None;
        for h in 0..heads.count {
            // Recomputing the probabilities is cheaper than keeping them for the whole pass.
            head.load(simd, heads, &sight, h, &inputs);
            let queries = Matrix::rows(&inputs.queries[h * e..], d);
            let keys = Matrix::rows(&inputs.keys_values[h * e..], 2 * d);
            let dout = Matrix::rows(&grad[h * e..], d);
            // dV = pᵀ · dO
            let dv = (&mut gradients.keys_values[d + h * e..], 2 * d);
            product(simd, (m, n, e), Matrix::transposed(&head.p, wide), dout, dv, true);
            // dP = dO · vᵀ, and from it the gradient of the scores before they are scaled.
            transpose(&inputs.keys_values[d + h * e..], 2 * d, (m, e), wide, vt);
            let ds = scratch_for(ds, n * wide);
            product(simd, (n, e, wide), dout, Matrix::rows(vt, wide), (ds, wide), false);
            for (ds, p) in ds.chunks_exact_mut(wide).zip(head.p.chunks_exact(wide)) {
                let mean = dot(ds, p);
                for (ds, p) in ds.iter_mut().zip(p) {
                    *ds = p * (*ds - mean) * scale;
                }
            }
            // dQ = dS · k, dK = dSᵀ · q
            let dq = &mut gradients.queries[h * e..];
            product(simd, (n, m, e), Matrix::rows(ds, wide), keys, (dq, d), true);
            let dk = &mut gradients.keys_values[h * e..];
            product(simd, (m, n, e), Matrix::transposed(ds, wide), queries, (dk, 2 * d), true);
            if !related {
                continue;
            }
            let r = heads.buckets.len();
            let (k_r, q_r) = inputs.tables.own.split_at(r * d);
            let k_r = Matrix::rows(&k_r[h * e..], d);
            let q_r = Matrix::rows(&q_r[h * e..], d);
            let dby_query = zeroed(dby_query, n * r); // [n, r]
            let dby_key = zeroed(dby_key, r * wide); // [r, M]
            let unrelated = none * wide..(none + 1) * wide;
            for (i, ds) in ds.chunks_exact(wide).enumerate() {
                let sums = &mut dby_key[unrelated.clone()];
                sums.iter_mut().zip(ds).for_each(|(sum, ds)| *sum += ds);
                dby_query[i * r + none] = ds.iter().sum();
            }
            for &(i, j, bucket) in &head.related.pairs {
                let (i, j, mirror) =
                    (i as usize, j as usize, usize::from(heads.buckets.mirror(bucket)));
                let ds = ds[i * wide + j];
                dby_query[i * r + usize::from(bucket)] += ds;
                dby_query[i * r + none] -= ds;
                dby_key[mirror * wide + j] += ds;
                dby_key[none * wide + j] -= ds;
            }
            // dQ += dBQ · K_R, dK_R = dBQᵀ · q
            let (dk_r, dq_r) = gradients.tables.split_at_mut(r * d);
            product(simd, (n, r, e), Matrix::rows(dby_query, r), k_r, (dq, d), true);
            let (transposed, dk_r) = (Matrix::transposed(dby_query, r), (&mut dk_r[h * e..], d));
            product(simd, (r, n, e), transposed, queries, dk_r, true);
            // dK += dBKᵀ · Q_R, dQ_R = dBK · k
            let (transposed, dk) = (Matrix::transposed(dby_key, wide), (&mut dk[..], 2 * d));
            product(simd, (m, r, e), transposed, q_r, dk, true);
            let dq_r = (&mut dq_r[h * e..], d);
            product(simd, (r, m, e), Matrix::rows(dby_key, wide), keys, dq_r, true);
        }
    }
}
