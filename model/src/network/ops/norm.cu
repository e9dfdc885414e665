// RMS norm and its gradients, row by row.
#include "cuda/common.cuh"

struct RmsNorm {
  u64 x, gain, out;
  u32 rows, width;
  float epsilon;
};

// 1 / rms of a row, in every lane.
template <class T> DEVICE float inverse_rms(const T *x, u32 width, float epsilon) {
  float squares = 0;
  for (u32 c = threadIdx.x % LANES; c < width; c += LANES) squares += get(x[c]) * get(x[c]);
  return 1 / sqrtf(warp_sum(squares) / width + epsilon);
}

// A warp a row.
template <class T> DEVICE void rms_norm(const RmsNorm &a) {
  const float *gain = (const float *)a.gain;
  for (u64 row = thread_number() / LANES; row < a.rows; row += threads() / LANES) {
    const T *x = (const T *)a.x + row * a.width;
    T *out = (T *)a.out + row * a.width;
    float r = inverse_rms(x, a.width, a.epsilon);
    for (u32 c = threadIdx.x % LANES; c < a.width; c += LANES) put(out[c], get(x[c]) * r * gain[c]);
  }
}
KERNEL(rms_norm_f32, RmsNorm, rms_norm<float>)
KERNEL(rms_norm_bf16, RmsNorm, rms_norm<bf16>)

struct RmsNormBackward {
  u64 x, gain, grad, dx, parts; // parts: of the gain's gradient, [blocks, width]
  u32 rows, width, rows_each;   // rows_each: of a block
  float epsilon;
};

// A block some rows, a warp a row. Shared: 1 / rms and the gradient along x of each row of the block.
template <class T> DEVICE void rms_norm_backward(const RmsNormBackward &a) {
  SHARED(of_rows);
  const float *gain = (const float *)a.gain;
  u64 first = (u64)blockIdx.x * a.rows_each;
  u32 rows = (u32)(a.rows - first < a.rows_each ? a.rows - first : a.rows_each);
  for (u32 i = threadIdx.x / LANES; i < rows; i += blockDim.x / LANES) {
    const T *x = (const T *)a.x + (first + i) * a.width;
    const T *grad = (const T *)a.grad + (first + i) * a.width;
    T *dx = (T *)a.dx + (first + i) * a.width;
    float r = inverse_rms(x, a.width, a.epsilon), along = 0;
    for (u32 c = threadIdx.x % LANES; c < a.width; c += LANES)
      along += get(grad[c]) * gain[c] * get(x[c]);
    along = warp_sum(along) * r * r * r / a.width;
    for (u32 c = threadIdx.x % LANES; c < a.width; c += LANES)
      put(dx[c], get(grad[c]) * gain[c] * r - get(x[c]) * along);
    if (threadIdx.x % LANES == 0) of_rows[i] = r;
  }
  __syncthreads();
  float *part = (float *)a.parts + (u64)blockIdx.x * a.width;
  for (u32 c = threadIdx.x; c < a.width; c += blockDim.x) {
    float sum = 0;
    AHEAD for (u32 i = 0; i < rows; i++) {
      u64 at = (first + i) * a.width + c;
      sum += get(((const T *)a.grad)[at]) * get(((const T *)a.x)[at]) * of_rows[i];
    }
    part[c] = sum;
  }
}
KERNEL(rms_norm_backward_f32, RmsNormBackward, rms_norm_backward<float>)
KERNEL(rms_norm_backward_bf16, RmsNormBackward, rms_norm_backward<bf16>)
