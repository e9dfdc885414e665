//! Disentangled attention of one batch row on the CPU, forward and backward, without ever
//! storing more than one head's `[n, m]` scores.

use crate::network::attention::{Geometry, Heads};
use crate::network::kernels::small_matrix::{
    add_product, add_transposed_product, dot, padded, softmax, transpose,
};

/// The inputs of a batch row: queries `[n, d]`, keys and values `[m, 2d]`, and the relation
/// tables `[2, r, d]` (keys K_R, then queries Q_R), empty where there are no relations.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) queries: &'a [f32],
    pub(crate) keys_values: &'a [f32],
    pub(crate) tables: &'a [f32],
}

/// Where a batch row's gradients are written, in the shapes of [`Inputs`].
pub(crate) struct Gradients<'a> {
    pub(crate) queries: &'a mut [f32],
    pub(crate) keys_values: &'a mut [f32],
    pub(crate) tables: &'a mut [f32],
}

/// Compiles a function for AVX2 as well, and takes that version where the processor has it.
/// The arithmetic is the same operation by operation, so the result is the same too.
macro_rules! for_each_instruction_set {
    ($name:ident, $inner:ident, ($($arg:ident: $type:ty),*)) => {
        pub(crate) fn $name($($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide($($arg: $type),*) {
                    $inner($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has just been found to have AVX2, which is all that
                    // calling the function needs.
                    #[allow(unsafe_code)] // there is no safe way to call it
                    return unsafe { wide($($arg),*) };
                }
            }
            $inner($($arg),*)
        }
    };
}

for_each_instruction_set!(forward, forward_inner, (
    heads: Heads, geometry: &Geometry, b: usize, inputs: Inputs<'_>, out: &mut [f32]
));
for_each_instruction_set!(backward, backward_inner, (
    heads: Heads, geometry: &Geometry, b: usize, inputs: Inputs<'_>, grad: &[f32],
    gradients: &mut Gradients<'_>
));

/// One head's matrices. M and R are m and r, padded.
#[derive(Default)]
struct Head {
    /// Queries, scaled. `[n, e]`
    q: Vec<f32>,
    /// Keys, as they are and transposed. `[m, e]`, `[e, M]`
    k: Vec<f32>,
    kt: Vec<f32>,
    v: Vec<f32>,
    /// K_R and its transpose. `[r, e]`, `[e, R]`
    kr: Vec<f32>,
    krt: Vec<f32>,
    /// Q_R, scaled. `[r, e]`
    qr: Vec<f32>,
    /// q·K_R, `[n, R]`; Q_R·k, `[r, M]`
    by_query: Vec<f32>,
    by_key: Vec<f32>,
    /// Probabilities. `[n, M]`
    p: Vec<f32>,
}

/// Copies columns `[from, from + e)` of rows of width `d`, scaled.
#[inline(always)]
fn gather(to: &mut Vec<f32>, rows: &[f32], d: usize, from: usize, e: usize, scale: f32) {
    to.clear();
    for row in rows.chunks_exact(d) {
        to.extend(row[from..from + e].iter().map(|x| x * scale));
    }
}

/// Adds rows of width `e` to columns `[from, from + e)` of rows of width `d`, scaled.
#[inline(always)]
fn scatter(to: &mut [f32], d: usize, from: usize, rows: &[f32], e: usize, scale: f32) {
    for (to, row) in to.chunks_exact_mut(d).zip(rows.chunks_exact(e)) {
        for (to, x) in to[from..from + e].iter_mut().zip(row) {
            *to += x * scale;
        }
    }
}

#[inline(always)]
fn zeroed(v: &mut Vec<f32>, n: usize) -> &mut [f32] {
    v.clear();
    v.resize(n, 0.0);
    v
}

impl Head {
    /// Fills in head `h` of batch row `b`, up to the probabilities.
    #[inline(always)]
    fn load(&mut self, heads: Heads, g: &Geometry, b: usize, h: usize, inputs: Inputs<'_>) {
        let (n, m, d, e) = (g.queries, g.keys, heads.width, heads.width / heads.count);
        let scale = heads.scale(g.relations.is_some());
        gather(&mut self.q, inputs.queries, d, h * e, e, scale);
        gather(&mut self.k, inputs.keys_values, 2 * d, h * e, e, 1.0);
        gather(&mut self.v, inputs.keys_values, 2 * d, d + h * e, e, 1.0);
        let wide = padded(m);
        transpose(&self.k, (e, e), wide, &mut self.kt);
        let p = zeroed(&mut self.p, n * wide);
        add_product(p, &self.q, (e, e), &self.kt, wide);
        if let Some(relations) = &g.relations {
            let r = relations.buckets.len();
            let (keys, queries) = inputs.tables.split_at(r * d);
            gather(&mut self.kr, keys, d, h * e, e, 1.0);
            gather(&mut self.qr, queries, d, h * e, e, scale);
            transpose(&self.kr, (e, e), padded(r), &mut self.krt);
            let by_query = zeroed(&mut self.by_query, n * padded(r));
            add_product(by_query, &self.q, (e, e), &self.krt, padded(r));
            let by_key = zeroed(&mut self.by_key, r * wide);
            add_product(by_key, &self.qr, (e, e), &self.kt, wide);
            for i in 0..n {
                let row = &relations.of(heads.relation(h), b, i, n, m)[..g.seen(b, i)];
                let by_query = &by_query[i * padded(r)..][..r];
                for (j, bucket) in row.iter().enumerate() {
                    let mirror = usize::from(relations.buckets.mirror(*bucket));
                    p[i * wide + j] += by_query[usize::from(*bucket)] + by_key[mirror * wide + j];
                }
            }
        }
        for (i, row) in p.chunks_exact_mut(wide).enumerate() {
            let (seen, unseen) = row.split_at_mut(g.seen(b, i));
            softmax(seen);
            unseen.fill(0.0);
        }
    }
}

#[inline(always)]
fn forward_inner(heads: Heads, g: &Geometry, b: usize, inputs: Inputs<'_>, out: &mut [f32]) {
    if g.queries == 1 {
        return forward_of_one(heads, g, b, inputs, out);
    }
    let (d, e) = (heads.width, heads.width / heads.count);
    let mut head = Head::default();
    let mut mixed = Vec::new();
    for h in 0..heads.count {
        head.load(heads, g, b, h, inputs);
        let mixed = zeroed(&mut mixed, g.queries * e);
        add_product(mixed, &head.p, (padded(g.keys), g.keys), &head.v, e);
        scatter(out, d, h * e, mixed, e, 1.0);
    }
}

/// The same for a single query, as in generation, where copying the keys would cost more than
/// looking at them: q·k + k·Q_R[ji] = (q + Q_R[ji])·k, and there are few buckets.
#[inline(always)]
fn forward_of_one(heads: Heads, g: &Geometry, b: usize, inputs: Inputs<'_>, out: &mut [f32]) {
    let (m, d, e) = (g.keys, heads.width, heads.width / heads.count);
    let scale = heads.scale(g.relations.is_some());
    let seen = g.seen(b, 0);
    let mut p = vec![0f32; seen];
    let (mut sums, mut by_query) = (Vec::new(), Vec::new());
    for h in 0..heads.count {
        let q = &inputs.queries[h * e..][..e];
        let key = |j: usize| &inputs.keys_values[j * 2 * d + h * e..][..e];
        match &g.relations {
            None => {
                for (j, p) in p.iter_mut().enumerate() {
                    *p = scale * dot(q, key(j));
                }
            }
            Some(relations) => {
                let (keys, queries) = inputs.tables.split_at(relations.buckets.len() * d);
                sums.clear();
                by_query.clear();
                for (k_r, q_r) in keys.chunks_exact(d).zip(queries.chunks_exact(d)) {
                    by_query.push(dot(q, &k_r[h * e..][..e]));
                    sums.extend(q.iter().zip(&q_r[h * e..][..e]).map(|(q, r)| q + r));
                }
                let row = relations.of(heads.relation(h), b, 0, 1, m);
                for ((j, p), bucket) in p.iter_mut().enumerate().zip(row) {
                    let mirror = usize::from(relations.buckets.mirror(*bucket));
                    let sum = &sums[mirror * e..][..e];
                    *p = scale * (dot(sum, key(j)) + by_query[usize::from(*bucket)]);
                }
            }
        }
        softmax(&mut p);
        let out = &mut out[h * e..][..e];
        for (j, p) in p.iter().enumerate() {
            let v = &inputs.keys_values[j * 2 * d + d + h * e..][..e];
            out.iter_mut().zip(v).for_each(|(out, v)| *out += p * v);
        }
    }
}

/// Adds to `gradients` what `grad`, the gradient of the output `[n, d]`, implies.
#[inline(always)]
fn backward_inner(
    heads: Heads,
    g: &Geometry,
    b: usize,
    inputs: Inputs<'_>,
    grad: &[f32],
    gradients: &mut Gradients<'_>,
) {
    let (n, m, d, e) = (g.queries, g.keys, heads.width, heads.width / heads.count);
    let (scale, wide) = (heads.scale(g.relations.is_some()), padded(m));
    let mut head = Head::default();
    let (mut dout, mut vt, mut ds) = (Vec::new(), Vec::new(), Vec::new());
    let (mut dq, mut dk, mut dv, mut room) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut dby_query, mut dby_key, mut dtable) = (Vec::new(), Vec::new(), Vec::new());
    for h in 0..heads.count {
        // Recomputing the probabilities is cheaper than keeping them for the whole pass.
        head.load(heads, g, b, h, inputs);
        gather(&mut dout, grad, d, h * e, e, 1.0);
        transpose(&head.v, (e, e), wide, &mut vt);
        let dv = zeroed(&mut dv, m * e);
        add_transposed_product(dv, &head.p, (wide, m), &dout, e, &mut room);
        let ds = zeroed(&mut ds, n * wide);
        add_product(ds, &dout, (e, e), &vt, wide);
        for (ds, p) in ds.chunks_exact_mut(wide).zip(head.p.chunks_exact(wide)) {
            let mean = dot(ds, p);
            for (ds, p) in ds.iter_mut().zip(p) {
                *ds = p * (*ds - mean);
            }
        }
        let dq = zeroed(&mut dq, n * e);
        add_product(dq, ds, (wide, m), &head.k, e);
        let dk = zeroed(&mut dk, m * e);
        add_transposed_product(dk, ds, (wide, m), &head.q, e, &mut room);
        if let Some(relations) = &g.relations {
            let r = relations.buckets.len();
            let dby_query = zeroed(&mut dby_query, n * padded(r));
            let dby_key = zeroed(&mut dby_key, r * wide);
            for i in 0..n {
                let row = &relations.of(heads.relation(h), b, i, n, m)[..g.seen(b, i)];
                for (j, bucket) in row.iter().enumerate() {
                    let mirror = usize::from(relations.buckets.mirror(*bucket));
                    let ds = ds[i * wide + j];
                    dby_query[i * padded(r) + usize::from(*bucket)] += ds;
                    dby_key[mirror * wide + j] += ds;
                }
            }
            add_product(dq, dby_query, (padded(r), r), &head.kr, e);
            add_transposed_product(dk, dby_key, (wide, m), &head.qr, e, &mut room);
            let (dkeys, dqueries) = gradients.tables.split_at_mut(r * d);
            let dtable_keys = zeroed(&mut dtable, r * e);
            add_transposed_product(dtable_keys, dby_query, (padded(r), r), &head.q, e, &mut room);
            scatter(dkeys, d, h * e, dtable_keys, e, 1.0);
            let dtable_queries = zeroed(&mut dtable, r * e);
            add_product(dtable_queries, dby_key, (wide, m), &head.k, e);
            scatter(dqueries, d, h * e, dtable_queries, e, scale);
        }
        scatter(gradients.queries, d, h * e, dq, e, scale);
        scatter(gradients.keys_values, 2 * d, h * e, dk, e, 1.0);
        scatter(gradients.keys_values, 2 * d, d + h * e, dv, e, 1.0);
    }
}
