// Sums of the embeddings of a node's features, and the gradient of the table.
#include "cuda/common.cuh"

struct Embed {
  u64 features, starts, table, out; // u32 [starts[nodes]], u32 [nodes + 1], f32 [·, width], [nodes, width]
  u32 nodes, width;
};

// A warp a node.
template <class T> DEVICE void embed(const Embed &a) {
  const u32 *features = (const u32 *)a.features, *starts = (const u32 *)a.starts;
  for (u64 node = thread_number() / LANES; node < a.nodes; node += threads() / LANES) {
    for (u32 c = threadIdx.x % LANES; c < a.width; c += LANES) {
      float sum = 0;
      for (u32 i = starts[node]; i < starts[node + 1]; i++)
        sum += ((const float *)a.table)[(u64)features[i] * a.width + c];
      put(((T *)a.out)[node * a.width + c], sum);
    }
  }
}
KERNEL(embed_f32, Embed, embed<float>)
KERNEL(embed_bf16, Embed, embed<bf16>)

struct EmbedBackward {
  u64 grad, nodes, segments, parts; // nodes: u32, those with a feature one after another
  u32 count, width;                 // count of segments; segment i: nodes[segments[i]..segments[i + 1]]
};

// A block a segment, a thread a column.
template <class T> DEVICE void embed_backward(const EmbedBackward &a) {
  const u32 *nodes = (const u32 *)a.nodes, *segments = (const u32 *)a.segments;
  for (u32 s = blockIdx.x; s < a.count; s += gridDim.x) {
    for (u32 c = threadIdx.x; c < a.width; c += blockDim.x) {
      float sum = 0;
      AHEAD for (u32 i = segments[s]; i < segments[s + 1]; i++)
        sum += get(((const T *)a.grad)[(u64)nodes[i] * a.width + c]);
      ((float *)a.parts)[(u64)s * a.width + c] = sum;
    }
  }
}
KERNEL(embed_backward_f32, EmbedBackward, embed_backward<float>)
KERNEL(embed_backward_bf16, EmbedBackward, embed_backward<bf16>)

struct SumSegments {
  u64 parts, starts, out; // [·, width], u32 [features + 1], [features, width]
  u32 features, width;
};

// A block a feature, a thread a column.
DEVICE void sum_segments(const SumSegments &a) {
  const u32 *starts = (const u32 *)a.starts;
  for (u32 f = blockIdx.x; f < a.features; f += gridDim.x) {
    for (u32 c = threadIdx.x; c < a.width; c += blockDim.x) {
      float sum = 0;
      AHEAD for (u32 s = starts[f]; s < starts[f + 1]; s++)
        sum += ((const float *)a.parts)[(u64)s * a.width + c];
      ((float *)a.out)[(u64)f * a.width + c] = sum;
    }
  }
}
KERNEL(sum_segments_f32, SumSegments, sum_segments)
