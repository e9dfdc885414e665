// Attention with disentangled tree relations (network/attention.rs has the formula), and its
// gradients. No score leaves a block: tiles of queries meet tiles of keys in shared memory, and δ is
// computed from the places of the two nodes. In a block a warp has 8 of the 32 rows of a tile, and
// its lanes are the other side's rows (scores) or columns of the head (G groups of 32).
#include "../cuda/common.cuh"

const u32 TILE = 32, WARPS = 4, EACH = TILE / WARPS;

struct Place {
  int index, depth, end, parent, rank;
};

DEVICE bool holds(Place i, Place j) { return i.index <= j.index && j.index < i.end; }

// How far j is from i; false if they are not related. The numbers are those of `number` in
// attention.rs.
DEVICE bool difference(u32 relation, Place i, Place j, int &to) {
  switch (relation) {
  case 0: to = j.depth - i.depth; return holds(i, j) || holds(j, i); // ancestor
  case 1: to = j.rank - i.rank; return i.parent == j.parent;         // sibling
  }
  return false;
}

// How differences are numbered: clipped to ±k, and `none`.
struct Buckets {
  int k;
  DEVICE u32 count() const { return 2 * k + 2; }
  DEVICE u32 none() const { return 2 * k + 1; }
  DEVICE u32 of(u32 relation, Place i, Place j) const {
    int by;
    if (!difference(relation, i, j, by)) return none();
    return (by < -k ? -k : by > k ? k : by) + k;
  }
  DEVICE u32 mirror(u32 bucket) const { return bucket == none() ? bucket : 2 * k - bucket; }
};

struct Attention {
  u64 queries, keys_values, tables; // [batch, n, d], rows of 2d, [2, r, d] or 0
  u64 out, log_sums;                // [batch, n, d], f32 [batch, heads, n] or 0
  u64 places, relations;            // int [batch, row, 5], [heads]
  u64 query_lengths, key_lengths;   // [batch]
  u64 rows, nodes;                  // [batch] or 0, [batch, m] or 0: where keys and values are
  u32 batch, n, m, heads, each, row, first_query, k, causal;
  float scale;
};

// What a block works on: a head of a row of the batch. Tiles are [TILE, across], of which the first
// `e` columns are read, by fours; `across` / 4 is odd, so that lanes that read a row each do not
// meet in a bank.
template <class T> struct Block {
  u32 b, h, d, e, across, r, r_padded, query_length, key_length, ahead, relation;
  u32 warp, lane;
  Buckets buckets;

  DEVICE Block(const Attention &a) {
    b = blockIdx.x, h = blockIdx.y, d = a.heads * a.each, e = (a.each + 3) / 4 * 4;
    across = e / 4 % 2 ? e : e + 4;
    warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    buckets = Buckets{(int)a.k};
    r = a.tables ? buckets.count() : 0;
    r_padded = (r + EACH - 1) / EACH * EACH;
    query_length = ((const u32 *)a.query_lengths)[b];
    key_length = ((const u32 *)a.key_lengths)[b];
    ahead = a.causal ? 1 : 1u << 31;
    relation = a.tables ? ((const u32 *)a.relations)[h] : 0;
  }

  // How many keys query i sees: the first ones.
  DEVICE u32 seen(u32 i) const {
    u32 most = i + ahead < key_length ? i + ahead : key_length;
    return i < query_length ? most : 0;
  }

  // Fills in this warp's rows of a tile, with zeros from row `count` on. `row` says where a row
  // begins.
  template <u32 G, class Row>
  DEVICE void load(float *tile, u32 count, u32 each, Row row) const {
    const u32 at_once = EACH / G; // Eight numbers a lane are on their way together.
    ROLLED for (u32 of = warp * EACH; of < (warp + 1) * EACH; of += at_once) {
      float x[at_once][G];
      UNROLL for (u32 q = 0; q < at_once; q++) {
        const T *from = of + q < count ? row(of + q) : nullptr;
        UNROLL for (u32 g = 0; g < G; g++) {
          u32 c = lane + g * LANES;
          x[q][g] = from && c < each ? get(from[c]) : 0;
        }
      }
      UNROLL for (u32 q = 0; q < at_once; q++) UNROLL for (u32 g = 0; g < G; g++) {
        u32 c = lane + g * LANES;
        if (c < e) tile[(of + q) * across + c] = x[q][g];
      }
    }
  }

  // This warp's rows of a tile of queries, or of what has their shape.
  template <u32 G>
  DEVICE void load_queries(const Attention &a, u64 from, u32 first, float *tile) const {
    const T *x = (const T *)from + ((u64)b * a.n + first) * d + h * a.each;
    u32 count = first < query_length ? query_length - first : 0;
    load<G>(tile, count, a.each, [&](u32 i) { return x + (u64)i * d; });
  }

  // This warp's rows of a tile of keys, and of the tile of values behind it.
  template <u32 G> DEVICE void load_keys_values(const Attention &a, u32 first, float *tiles) const {
    u64 in_batch = (u64)b * a.m + first;
    u64 begin = a.rows ? (u64)((const u32 *)a.rows)[b] * a.m + first : in_batch;
    const u32 *nodes = a.nodes ? (const u32 *)a.nodes + in_batch : nullptr;
    u32 count = first < key_length ? key_length - first : 0;
    ROLLED for (u32 part = 0; part < 2; part++) {
      const T *x = (const T *)a.keys_values + part * d + h * a.each;
      load<G>(tiles + part * TILE * across, count, a.each,
              [&](u32 j) { return x + 2 * d * (nodes ? nodes[j] : begin + j); });
    }
  }

  // This head's part of K_R (0) or Q_R (1), with zeros up to row `r_padded`.
  template <u32 G> DEVICE void load_table(const Attention &a, u32 which, float *table) const {
    const T *x = (const T *)a.tables + (u64)which * r * d + h * a.each;
    ROLLED for (u32 first = 0; first < r_padded; first += TILE)
      if (first + warp * EACH < r_padded)
        load<G>(table + first * across, r - first, a.each,
                [&](u32 i) { return x + (u64)(first + i) * d; });
  }

  // The place of the node at `at` of the row; of the last one behind the end.
  DEVICE Place place(const Attention &a, u32 at) const {
    at = at < a.row ? at : a.row - 1;
    return ((const Place *)a.places)[(u64)b * a.row + at];
  }

  // s = a · bᵀ: this warp's rows of a, the lane's row of b.
  DEVICE void dots(float (&s)[EACH], const float *a, const float *b) const {
    UNROLL for (u32 q = 0; q < EACH; q++) s[q] = 0;
    ROLLED for (u32 c = 0; c < e; c += 4) {
      Four y = four(b + c);
      UNROLL for (u32 q = 0; q < EACH; q++) {
        Four x = four(a + q * across + c);
        s[q] += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
      }
    }
  }

  // q · K_R of this warp's queries. [TILE, r_padded]
  DEVICE void products_by_query(float *by_query, const float *queries, const float *table) const {
    ROLLED for (u32 bucket = lane; bucket < r_padded; bucket += LANES) {
      float s[EACH];
      dots(s, queries + warp * EACH * across, table + bucket * across);
      UNROLL for (u32 q = 0; q < EACH; q++) by_query[(warp * EACH + q) * r_padded + bucket] = s[q];
    }
  }

  // Q_R · k, this warp's buckets. [r_padded, TILE]
  DEVICE void products_by_key(float *by_key, const float *table, const float *keys) const {
    ROLLED for (u32 bucket = warp * EACH; bucket < r_padded; bucket += TILE) {
      float s[EACH];
      dots(s, table + bucket * across, keys + lane * across);
      UNROLL for (u32 q = 0; q < EACH; q++) by_key[(bucket + q) * TILE + lane] = s[q];
    }
  }

  // The column of group g in this lane; some column where there is none.
  DEVICE u32 column(u32 g) const { return lane + g * LANES < e ? lane + g * LANES : 0; }

  // sum += x · y: rows of x [.., wide] and, from group `from` on, columns of y [count, across]; count
  // is a multiple of 4.
  template <u32 G>
  DEVICE void add(float (&sum)[EACH][G], const float *x, u32 wide, const float *y, u32 count,
                  u32 from = 0) const {
    ROLLED for (u32 j = 0; j < count; j += 4) {
      Four x4[EACH];
      UNROLL for (u32 q = 0; q < EACH; q++) x4[q] = four(x + q * wide + j);
      UNROLL for (u32 g = 0; g < G; g++) {
        const float *at = y + j * across + column(from + g);
        float y0 = at[0], y1 = at[across], y2 = at[2 * across], y3 = at[3 * across];
        UNROLL for (u32 q = 0; q < EACH; q++)
          sum[q][g] += x4[q].x * y0 + x4[q].y * y1 + x4[q].z * y2 + x4[q].w * y3;
      }
    }
  }

  // sum += xᵀ · y: columns of x [count, wide], columns of y [count, across].
  template <u32 G>
  DEVICE void add_turned(float (&sum)[EACH][G], const float *x, u32 wide, const float *y, u32 count,
                         u32 from = 0) const {
    ROLLED for (u32 i = 0; i < count; i++) {
      Four low = four(x + i * wide), high = four(x + i * wide + 4);
      float x8[EACH] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
      UNROLL for (u32 g = 0; g < G; g++) {
        float of_y = y[i * across + column(from + g)];
        UNROLL for (u32 q = 0; q < EACH; q++) sum[q][g] += x8[q] * of_y;
      }
    }
  }
};

// A block a tile of queries of a head of a row: sums over the keys are kept against the largest
// score so far, and put right when a larger one comes.
template <class T, u32 G> DEVICE void attention(const Attention &a) {
  SHARED(shared);
  const Block<T> at(a);
  float *queries = shared, *keys = queries + TILE * at.across, *values = keys + TILE * at.across;
  float *table = values + TILE * at.across, *by_query = table + at.r_padded * at.across;
  float *by_key = by_query + TILE * at.r_padded, *p = by_key + TILE * at.r_padded;
  Place *places = (Place *)(p + TILE * TILE);
  u32 first = blockIdx.z * TILE, mine = at.warp * EACH, r_padded = at.r_padded;
  u32 last = first + TILE < at.query_length ? first + TILE : at.query_length;
  u32 seen = first < last ? at.seen(last - 1) : 0; // by the last query, which sees most
  bool busy = first + mine < last;                    // whether this warp has queries

  at.template load_queries<G>(a, a.queries, first, queries);
  if (a.tables) {
    if (at.lane < EACH)
      places[mine + at.lane] = at.place(a, a.first_query + first + mine + at.lane);
    at.template load_table<G>(a, 0, table);
    __syncthreads();
    at.products_by_query(by_query, queries, table);
    __syncthreads();
    at.template load_table<G>(a, 1, table);
  }
  float sum[EACH][G] = {}, total[EACH] = {}, most[EACH];
  UNROLL for (u32 q = 0; q < EACH; q++) most[q] = -1e30f;
  for (u32 j0 = 0; j0 < seen; j0 += TILE) {
    __syncthreads();
    at.template load_keys_values<G>(a, j0, keys);
    __syncthreads();
    u32 j = j0 + at.lane;
    Place place;
    if (a.tables) {
      place = at.place(a, j);
      at.products_by_key(by_key, table, keys);
      __syncthreads();
    }
    if (!busy) continue;
    float s[EACH];
    at.dots(s, queries + mine * at.across, keys + at.lane * at.across);
    UNROLL for (u32 q = 0; q < EACH; q++) {
      if (a.tables) {
        u32 bucket = at.buckets.of(at.relation, places[mine + q], place);
        s[q] += by_query[(mine + q) * r_padded + bucket];
        s[q] += by_key[at.buckets.mirror(bucket) * TILE + at.lane];
      }
      bool visible = j < at.seen(first + mine + q);
      s[q] = visible ? s[q] * a.scale : -1e30f;
      float now = fmaxf(most[q], warp_max(s[q])), less = expf(most[q] - now);
      float e = visible ? expf(s[q] - now) : 0;
      most[q] = now;
      total[q] = total[q] * less + e;
      UNROLL for (u32 g = 0; g < G; g++) sum[q][g] *= less;
      p[(mine + q) * TILE + at.lane] = e;
    }
    __syncwarp();
    at.template add<G>(sum, p + mine * TILE, TILE, values, TILE);
  }
  UNROLL for (u32 q = 0; q < EACH; q++) {
    u32 i = first + mine + q;
    float all = warp_sum(total[q]);
    if (i >= a.n) continue; // All lanes alike.
    T *out = (T *)a.out + ((u64)at.b * a.n + i) * at.d + at.h * a.each;
    UNROLL for (u32 g = 0; g < G; g++) {
      u32 c = at.lane + g * LANES;
      if (c < a.each) put(out[c], all > 0 ? sum[q][g] / all : 0);
    }
    float *log_sums = (float *)a.log_sums + ((u64)at.b * a.heads + at.h) * a.n;
    if (a.log_sums && at.lane == 0) log_sums[i] = all > 0 ? most[q] + logf(all) : 0;
  }
}
// As many blocks at a time as shared memory has room for.
BOUNDED_KERNEL(attention_f32_1, Attention, (attention<float, 1>), WARPS * LANES, 4)
BOUNDED_KERNEL(attention_f32_2, Attention, (attention<float, 2>), WARPS * LANES, 3)
BOUNDED_KERNEL(attention_f32_4, Attention, (attention<float, 4>), WARPS * LANES, 3)
BOUNDED_KERNEL(attention_bf16_1, Attention, (attention<bf16, 1>), WARPS * LANES, 4)
BOUNDED_KERNEL(attention_bf16_2, Attention, (attention<bf16, 2>), WARPS * LANES, 3)
BOUNDED_KERNEL(attention_bf16_4, Attention, (attention<bf16, 4>), WARPS * LANES, 3)

struct AttentionBackward {
  Attention of;     // `out` and `log_sums` are what the forward pass wrote
  u64 grad;         // of `out`
  u64 sums, dq;     // f32 [batch, n, d], which is `dq` itself if that is f32; [batch, n, d]
  u64 dkeys_values; // [batch, m, 2d]
  u64 parts;        // f32 [batch, 2, r, d], of which the sum is the tables' gradient; or 0
};

// A block a head of a row, which owns all that it writes: every tile of queries passes by every tile
// of keys, whose gradients stay in registers. Shared, with dS the gradient of the scores: of a
// query and a bucket (`by_query`), and of a bucket and a key (`dby_key`), the sum of dS over the
// pairs whose δ is that bucket.
template <class T, u32 G> DEVICE void attention_backward(const AttentionBackward &backward) {
  SHARED(shared);
  Attention a = backward.of;
  a.rows = a.nodes = 0; // The caller has seen to it; now the compiler knows as well.
  const Block<T> at(a);
  const u32 H = G < 2 ? G : 2; // Groups at a time of sums that no register keeps.
  u32 across = at.across, r_padded = at.r_padded, lane = at.lane, mine = at.warp * EACH;
  u32 none = at.buckets.none();
  float *queries = shared, *grads = queries + TILE * across, *keys = grads + TILE * across;
  float *values = keys + TILE * across, *table = values + TILE * across;
  float *by_query = table + r_padded * across, *by_key = by_query + TILE * r_padded;
  float *dby_key = by_key + TILE * r_padded, *p = dby_key + TILE * r_padded;
  float *ds = p + TILE * TILE;
  float *unrelated = ds + TILE * TILE; // [WARPS, TILE]: sums of dS of a key and its unrelated queries
  Place *places = (Place *)(unrelated + WARPS * TILE);
  u32 *related = (u32 *)(places + TILE); // by key, a bit for every query
  unsigned char *buckets = (unsigned char *)(related + TILE); // [TILE, TILE]

  const float *log_sums = (const float *)a.log_sums + ((u64)at.b * a.heads + at.h) * a.n;
  u64 of_queries = (u64)at.b * a.n * at.d + at.h * a.each;
  u64 of_keys = (u64)at.b * a.m * 2 * at.d + at.h * a.each;
  float *sums = (float *)backward.sums + of_queries;
  float *parts = (float *)backward.parts + (u64)at.b * 2 * at.r * at.d + at.h * a.each;
  // Adds rows of sums to rows of memory, as far as there are any; `first` if it holds nothing yet.
  auto add_to = [&](float *to, const float(&sum)[EACH][H], u32 row, u32 rows, u32 g0, bool first) {
    UNROLL for (u32 q = 0; q < EACH; q++) UNROLL for (u32 g = 0; g < H; g++) {
      u32 c = lane + (g0 + g) * LANES;
      if (row + q >= rows || c >= a.each) continue;
      float &x = to[(u64)(row + q) * at.d + c];
      x = first ? sum[q][g] : x + sum[q][g];
    }
  };

  if (a.tables)
    for (u32 i = at.warp; i < 2 * at.r; i += WARPS)
      for (u32 c = lane; c < a.each; c += LANES) parts[(u64)i * at.d + c] = 0;
  for (u32 j0 = 0; j0 < a.m; j0 += TILE) {
    float dk[EACH][G] = {}, dv[EACH][G] = {};
    u32 j = j0 + lane;
    // From the first query on that sees the first of these keys.
    u32 i0 = j0 >= at.key_length ? at.query_length : a.causal ? j0 : 0;
    bool any = i0 < at.query_length; // All threads alike.
    if (any) {
      __syncthreads();
      at.template load_keys_values<G>(a, j0, keys);
      if (a.tables) {
        at.template load_table<G>(a, 1, table);
        for (u32 x = threadIdx.x; x < r_padded * TILE; x += blockDim.x) dby_key[x] = 0;
        __syncthreads();
        at.products_by_key(by_key, table, keys);
        __syncthreads();
        at.template load_table<G>(a, 0, table);
      }
    }
    for (; i0 < at.query_length; i0 += TILE) {
      ROLLED for (u32 part = 0; part < 2; part++)
        at.template load_queries<G>(a, part ? backward.grad : a.queries, i0, part ? grads : queries);
      if (a.tables && lane < EACH)
        places[mine + lane] = at.place(a, a.first_query + i0 + mine + lane);
      __syncthreads();
      if (a.tables) {
        at.products_by_query(by_query, queries, table);
        __syncwarp();
      }

      // Probabilities once more, and dS = p · (dO·v − dO·O), scaled.
      float s[EACH], along[EACH];
      at.dots(s, queries + mine * across, keys + lane * across);
      at.dots(along, grads + mine * across, values + lane * across);
      Place place;
      if (a.tables) place = at.place(a, j);
      float of_unrelated = 0;
      u32 bits = 0;
      UNROLL for (u32 q = 0; q < EACH; q++) {
        u32 i = i0 + mine + q, bucket = none;
        float mean = 0;
        const T *out = (const T *)a.out + of_queries + (u64)i * at.d;
        UNROLL for (u32 g = 0; g < G; g++) {
          u32 c = lane + g * LANES;
          if (i < at.query_length && c < a.each)
            mean += get(out[c]) * grads[(mine + q) * across + c];
        }
        mean = warp_sum(mean);
        if (a.tables) {
          bucket = at.buckets.of(at.relation, places[mine + q], place);
          s[q] += by_query[(mine + q) * r_padded + bucket];
          s[q] += by_key[at.buckets.mirror(bucket) * TILE + lane];
        }
        float e = j < at.seen(i) ? expf(s[q] * a.scale - log_sums[i]) : 0;
        float d = e * (along[q] - mean) * a.scale;
        p[(mine + q) * TILE + lane] = e;
        ds[(mine + q) * TILE + lane] = d;
        buckets[(mine + q) * TILE + lane] = (unsigned char)bucket;
        of_unrelated += bucket == none ? d : 0;
        bits |= (u32)(bucket != none) << q;
      }
      if (a.tables) {
        ((unsigned char *)related)[lane * WARPS + at.warp] = (unsigned char)bits;
        unrelated[at.warp * TILE + lane] = of_unrelated;
        __syncwarp();
        // From here on `by_query` holds its gradient.
        UNROLL for (u32 q = 0; q < EACH; q++) {
          u32 of_keys = __ballot_sync(~0u, bits >> q & 1), row = (mine + q) * TILE;
          float of_none = warp_sum(bits >> q & 1 ? 0 : ds[row + lane]);
          ROLLED for (u32 bucket = lane; bucket < r_padded; bucket += LANES) {
            float sum = bucket == none ? of_none : 0;
            ROLLED for (u32 left = of_keys; left; left &= left - 1) {
              u32 key = __ffs(left) - 1;
              sum += buckets[row + key] == bucket ? ds[row + key] : 0;
            }
            by_query[(mine + q) * r_padded + bucket] = sum;
          }
        }
      }
      __syncthreads();

      at.template add_turned<G>(dv, p + mine, TILE, grads, TILE);
      at.template add_turned<G>(dk, ds + mine, TILE, queries, TILE);
      UNROLL for (u32 g = 0; g < G; g += H) {
        float dq[EACH][H] = {};
        at.template add<H>(dq, ds + mine * TILE, TILE, keys, TILE, g);
        if (a.tables)
          at.template add<H>(dq, by_query + mine * r_padded, r_padded, table, r_padded, g);
        add_to(sums, dq, i0 + mine, at.query_length, g, j0 == 0);
      }
      if (a.tables) {
        ROLLED for (u32 bucket = mine; bucket < r_padded; bucket += TILE)
          UNROLL for (u32 g = 0; g < G; g += H) {
            float dk_r[EACH][H] = {};
            at.template add_turned<H>(dk_r, by_query + bucket, r_padded, queries, TILE, g);
            add_to(parts, dk_r, bucket, at.r, g, false);
          }
        // A warp has every fourth bucket.
        ROLLED for (u32 left = related[lane]; left; left &= left - 1) {
          u32 i = __ffs(left) - 1, bucket = at.buckets.mirror(buckets[i * TILE + lane]);
          if (bucket % WARPS == at.warp) dby_key[bucket * TILE + lane] += ds[i * TILE + lane];
        }
        if (none % WARPS == at.warp)
          for (u32 w = 0; w < WARPS; w++)
            dby_key[none * TILE + lane] += unrelated[w * TILE + lane];
      }
      __syncthreads();
    }
    if (any && a.tables) {
      at.template load_table<G>(a, 1, table);
      __syncthreads();
      at.template add_turned<G>(dk, dby_key + mine, TILE, table, r_padded);
      ROLLED for (u32 bucket = mine; bucket < r_padded; bucket += TILE)
        UNROLL for (u32 g = 0; g < G; g += H) {
          float dq_r[EACH][H] = {};
          at.template add<H>(dq_r, dby_key + bucket * TILE, TILE, keys, TILE, g);
          add_to(parts + (u64)at.r * at.d, dq_r, bucket, at.r, g, false);
        }
    }
    UNROLL for (u32 q = 0; q < EACH; q++) UNROLL for (u32 g = 0; g < G; g++) {
      u32 row = j0 + mine + q, c = lane + g * LANES;
      if (row >= a.m || c >= a.each) continue;
      T *to = (T *)backward.dkeys_values + of_keys + (u64)row * 2 * at.d + c;
      put(to[0], dk[q][g]);
      put(to[at.d], dv[q][g]);
    }
  }
  // Sums are complete since the last barrier.
  T *dq = (T *)backward.dq + of_queries;
  for (u32 i = at.warp; i < a.n; i += WARPS)
    for (u32 c = lane; c < a.each; c += LANES) {
      u64 x = (u64)i * at.d + c;
      put(dq[x], i < at.query_length ? sums[x] : 0);
    }
}
BOUNDED_KERNEL(attention_backward_f32_1, AttentionBackward, (attention_backward<float, 1>),
               WARPS * LANES, 4)
BOUNDED_KERNEL(attention_backward_f32_2, AttentionBackward, (attention_backward<float, 2>),
               WARPS * LANES, 3)
BOUNDED_KERNEL(attention_backward_f32_4, AttentionBackward, (attention_backward<float, 4>),
               WARPS * LANES, 2)
BOUNDED_KERNEL(attention_backward_bf16_1, AttentionBackward, (attention_backward<bf16, 1>),
               WARPS * LANES, 4)
BOUNDED_KERNEL(attention_backward_bf16_2, AttentionBackward, (attention_backward<bf16, 2>),
               WARPS * LANES, 3)
BOUNDED_KERNEL(attention_backward_bf16_4, AttentionBackward, (attention_backward<bf16, 4>),
               WARPS * LANES, 2)
