// Sums of rows, for the gradients of other operations.
#include "common.cuh"

struct SumRows {
  u64 x, out; // [rows, width], [width]
  u32 rows, width;
};

// A thread a column.
DEVICE void sum_rows(const SumRows &a) {
  for (u64 c = thread_number(); c < a.width; c += threads()) {
    float sum = 0;
    AHEAD for (u32 row = 0; row < a.rows; row++) sum += ((const float *)a.x)[(u64)row * a.width + c];
    ((float *)a.out)[c] = sum;
  }
}
KERNEL(sum_rows_f32, SumRows, sum_rows)

struct SumColumns {
  u64 x, out; // [rows, width], [width]
  u32 rows, width;
};

// A block a column; its threads sum up every so many rows, and then each other. Shared: their sums.
DEVICE void sum_columns(const SumColumns &a) {
  SHARED(sums);
  float sum = 0;
  for (u64 row = threadIdx.x; row < a.rows; row += blockDim.x)
    sum += ((const float *)a.x)[row * a.width + blockIdx.x];
  sum = block_sum(sum, sums);
  if (threadIdx.x == 0) ((float *)a.out)[blockIdx.x] = sum;
}
KERNEL(sum_columns_f32, SumColumns, sum_columns)
