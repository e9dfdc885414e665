// AdamW with clipping by the norm of all gradients, which never leaves the GPU on the way.
#include "cuda/common.cuh"

struct Squares {
  u64 x, out, count; // out: f32 [blocks]
};

// Sums of squares, one a block. Shared: a number a thread.
DEVICE void squares(const Squares &a) {
  SHARED(sums);
  float sum = 0;
  for (u64 i = thread_number(); i < a.count; i += threads()) {
    float x = ((const float *)a.x)[i];
    sum += x * x;
  }
  sum = block_sum(sum, sums);
  if (threadIdx.x == 0) ((float *)a.out)[blockIdx.x] = sum;
}
KERNEL(squares_f32, Squares, squares)

struct Clip {
  u64 squares, out; // f32 [count]; out: the norm, and what gradients are multiplied with
  u32 count;
  float most;
};

// One block. The factor is 0 where the norm is no number.
DEVICE void clip(const Clip &a) {
  SHARED(sums);
  float sum = 0;
  for (u32 i = threadIdx.x; i < a.count; i += blockDim.x) sum += ((const float *)a.squares)[i];
  sum = block_sum(sum, sums);
  if (threadIdx.x == 0) {
    float norm = sqrtf(sum), *out = (float *)a.out;
    out[0] = norm;
    out[1] = !(norm < INFINITY) ? 0 : norm > a.most ? a.most / norm : 1;
  }
}
KERNEL(clip_f32, Clip, clip)

struct AdamW {
  u64 p, m, v, g, clip, count; // clip: what `Clip` wrote
  float beta1, beta2, rate, second, decay, epsilon;
};

// A thread an element. Nothing changes if the norm is no number.
DEVICE void adamw(const AdamW &a) {
  float factor = ((const float *)a.clip)[1], *p = (float *)a.p, *m = (float *)a.m, *v = (float *)a.v;
  if (factor == 0) return;
  for (u64 i = thread_number(); i < a.count; i += threads()) {
    float g = ((const float *)a.g)[i] * factor;
    m[i] = a.beta1 * m[i] + (1 - a.beta1) * g;
    v[i] = a.beta2 * v[i] + (1 - a.beta2) * g * g;
    p[i] = p[i] * a.decay - a.rate * m[i] / (sqrtf(v[i] * a.second) + a.epsilon);
  }
}
KERNEL(adamw_f32, AdamW, adamw)
