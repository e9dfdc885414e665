// What all kernels share. The same text is compiled by nvcc for the GPU and, with host.h, by any
// C++17 compiler for their twins on the host, which the tests compare with the CPU's operations.
//
// A kernel takes one struct of plain numbers and addresses, whose fields the .rs file of the
// same name repeats in the same order: 64-bit addresses and numbers first, then 32-bit ones. Activations are f32 or bf16;
// all sums are in f32, made in an order that does not depend on the schedule of blocks.
#pragma once

#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#define KERNEL(name, Arguments, body)                                                   \
  extern "C" __global__ void name(const Arguments a) { body(a); }
// Blocks have at most `threads`, and registers are to suffice for `blocks` of them at a time.
#define BOUNDED_KERNEL(name, Arguments, body, threads, blocks)                          \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(const Arguments a) { body(a); }
#define SHARED(name) extern __shared__ __align__(16) float name[]
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
// Reads of several rounds are on their way at a time.
#define AHEAD _Pragma("unroll 8")
typedef unsigned long long u64;
typedef unsigned u32;
#else
#include "host.h"
#endif

struct bf16 {
  unsigned short bits;
};

DEVICE float as_float(u32 bits) {
#ifdef __CUDACC__
  return __uint_as_float(bits);
#else
  float x;
  memcpy(&x, &bits, 4);
  return x;
#endif
}

DEVICE u32 as_bits(float x) {
#ifdef __CUDACC__
  return __float_as_uint(x);
#else
  u32 bits;
  memcpy(&bits, &x, 4);
  return bits;
#endif
}

DEVICE float get(float x) { return x; }
DEVICE float get(bf16 x) { return as_float((u32)x.bits << 16); }

DEVICE void put(float &to, float x) { to = x; }
// Rounds to the nearest, ties to even; what is no number stays none.
DEVICE void put(bf16 &to, float x) {
  u32 bits = as_bits(x);
  bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  to.bits = nan ? 0x7fc0 : (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

// Four numbers of shared memory that are read at once, from a multiple of 16 bytes.
struct alignas(16) Four {
  float x, y, z, w;
};
DEVICE Four four(const float *at) { return *(const Four *)at; }

const u32 LANES = 32;

// Sum over the lanes of a warp, in all of them. Every lane of the warp has to come here.
DEVICE float warp_sum(float x) {
  for (int mask = LANES / 2; mask > 0; mask /= 2) x += __shfl_xor_sync(~0u, x, mask);
  return x;
}

DEVICE float warp_max(float x) {
  for (int mask = LANES / 2; mask > 0; mask /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, mask));
  return x;
}

// Sum over the threads of a block, a power of two of them, in the first; `room` has a number for each.
DEVICE float block_sum(float x, float *room) {
  room[threadIdx.x] = x;
  for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) room[threadIdx.x] += room[threadIdx.x + half];
  }
  return room[threadIdx.x];
}

// The number of this thread and of all of them, in one dimension.
DEVICE u64 thread_number() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE u64 threads() { return (u64)gridDim.x * blockDim.x; }
