// CUDA's words on the host: the threads of a block are fibers that run in turn from one barrier to
// the next, in rising or falling order. Whoever writes what another reads without a barrier between
// them gives other results in one of the two orders; a barrier that some threads never reach is an
// error, not a hang.
#pragma once
#undef _FORTIFY_SOURCE // It takes a jump from one stack to another for an error.
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define DEVICE inline
typedef unsigned long long u64;
typedef unsigned u32;

struct Index {
  u32 x, y, z;
};

namespace twin {

struct Barrier {
  u32 size = 0, arrived = 0, generation = 0;
};

struct Fiber {
  ucontext_t start;
  jmp_buf context; // Unlike the former, it is entered without asking the system.
  std::vector<char> stack = std::vector<char>(1 << 16);
  bool started = false, done = false;
};

inline Index block, grid, thread, size;
inline bool falling = false;
inline jmp_buf scheduler;
inline std::vector<Fiber> fibers;
inline std::vector<Barrier> warps;
inline Barrier all;
inline std::vector<float> shared, lanes;
inline bool moved; // Whether a fiber got on since the last round began.
inline std::function<void()> body;

inline void fail(const char *what) {
  fprintf(stderr, "the twin of a kernel: %s\n", what);
  abort();
}

// From a fiber back to `run_block`, and from there on with a fiber.
__attribute__((noinline)) inline void leave(Fiber &fiber) {
  if (!_setjmp(fiber.context)) _longjmp(scheduler, 1);
}
__attribute__((noinline)) inline void resume(Fiber &fiber) {
  if (_setjmp(scheduler)) return;
  if (fiber.started) _longjmp(fiber.context, 1);
  fiber.started = true;
  setcontext(&fiber.start);
}

inline void wait(Barrier &barrier) {
  moved = true;
  if (++barrier.arrived == barrier.size) {
    barrier.arrived = 0;
    barrier.generation++;
    return;
  }
  u32 me = thread.x, generation = barrier.generation;
  while (barrier.generation == generation) {
    leave(fibers[me]);
    thread.x = me;
  }
  moved = true;
}

inline void enter() {
  u32 me = thread.x;
  body();
  fibers[me].done = true;
  moved = true;
  leave(fibers[me]);
}

inline void run_block(u32 threads) {
  all = Barrier{threads};
  warps.assign((threads + 31) / 32, Barrier{});
  for (u32 t = 0; t < threads; t++) warps[t / 32].size++;
  lanes.assign(threads, 0);
  for (u32 t = 0; t < threads; t++) {
    Fiber &fiber = fibers[t];
    fiber.started = fiber.done = false;
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = fiber.stack.data();
    fiber.start.uc_stack.ss_size = fiber.stack.size();
    fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, enter, 0);
  }
  u32 left = threads;
  while (left > 0) {
    moved = false;
    for (u32 k = 0; k < threads; k++) {
      u32 t = falling ? threads - 1 - k : k;
      if (fibers[t].done) continue;
      thread.x = t;
      resume(fibers[t]);
      left -= fibers[t].done;
    }
    if (!moved && left > 0) fail("a barrier that not all threads reach");
  }
}

// Runs a kernel of grid[0] × grid[1] × grid[2] blocks.
inline void run(const u32 *blocks, u32 threads, u32 bytes, std::function<void()> kernel) {
  grid = {blocks[0], blocks[1], blocks[2]};
  size = {threads, 1, 1};
  body = std::move(kernel);
  fibers.resize(threads);
  for (u32 z = 0; z < grid.z; z++)
    for (u32 y = 0; y < grid.y; y++)
      for (u32 x = 0; x < grid.x; x++) {
        block = {x, y, z};
        // Shared memory holds anything when a block begins.
        shared.assign((bytes + 3) / 4, NAN);
        run_block(threads);
      }
}

} // namespace twin

#define KERNEL(name, Arguments, kernel)                                                  \
  extern "C" void name(const u32 *grid, u32 threads, u32 bytes, int falling, const void *arguments) { \
    Arguments a;                                                                         \
    memcpy(&a, arguments, sizeof a);                                                     \
    twin::falling = falling;                                                             \
    twin::run(grid, threads, bytes, [a] { kernel(a); });                                 \
  }                                                                                      \
  extern "C" u32 size_of_##name() { return sizeof(Arguments); }
#define BOUNDED_KERNEL(name, Arguments, kernel, threads, blocks) KERNEL(name, Arguments, kernel)
#define SHARED(name) float *name = twin::shared.data()
#define UNROLL
#define ROLLED
#define AHEAD
#define blockIdx (twin::block)
#define gridDim (twin::grid)
#define blockDim (twin::size)
#define threadIdx (twin::thread)

inline void __syncthreads() { twin::wait(twin::all); }
inline void __syncwarp() { twin::wait(twin::warps[threadIdx.x / 32]); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline float __shfl_xor_sync(u32, float x, int mask) {
  u32 me = threadIdx.x;
  twin::lanes[me] = x;
  __syncwarp();
  float other = twin::lanes[me ^ mask];
  __syncwarp();
  return other;
}
inline u32 __ballot_sync(u32, bool x) {
  u32 me = threadIdx.x, first = me / 32 * 32, bits = 0;
  twin::lanes[me] = x;
  __syncwarp();
  for (u32 lane = 0; lane < twin::warps[me / 32].size; lane++)
    bits |= (u32)(twin::lanes[first + lane] != 0) << lane;
  __syncwarp();
  return bits;
}
