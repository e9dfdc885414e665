// Dropout whose masks are those of the CPU: 16 bits an element from ChaCha8 (Bernstein, 2008), as
// the crate rand_chacha runs it. A mask is computed where it is needed and never stored.
#include "cuda/common.cuh"

struct Dropout {
  u64 x, y, out, count;       // out = x + kept(y); x may be 0
  u64 first_word, stream;     // where in the stream of 32-bit words the mask begins
  u32 key[8];
  u32 threshold;              // an element is kept if its 16 bits are no less
  float factor;               // what is kept is multiplied with
};

const u32 WORDS = 16; // of a block of ChaCha

DEVICE u32 rotate(u32 x, int by) { return x << by | x >> (32 - by); }

DEVICE void quarter_round(u32 *s, int a, int b, int c, int d) {
  s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 16);
  s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 12);
  s[a] += s[b], s[d] = rotate(s[d] ^ s[a], 8);
  s[c] += s[d], s[b] = rotate(s[b] ^ s[c], 7);
}

// Block number `counter` of the stream.
DEVICE void chacha8(const u32 *key, u64 counter, u64 stream, u32 *out) {
  u32 start[WORDS] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (int i = 0; i < 8; i++) start[4 + i] = key[i];
  start[12] = (u32)counter, start[13] = (u32)(counter >> 32);
  start[14] = (u32)stream, start[15] = (u32)(stream >> 32);
  u32 s[WORDS];
  for (u32 i = 0; i < WORDS; i++) s[i] = start[i];
  for (int round = 0; round < 8; round += 2) {
    for (int i = 0; i < 4; i++) quarter_round(s, i, 4 + i, 8 + i, 12 + i);
    for (int i = 0; i < 4; i++) quarter_round(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
  }
  for (u32 i = 0; i < WORDS; i++) out[i] = s[i] + start[i];
}

// Each thread computes a block of the stream, and all then take the elements of all those blocks in
// order. Shared: the words, with a gap after each block against conflicts of banks.
template <class T> DEVICE void dropout(const Dropout &a) {
  SHARED(room);
  u32 *words = (u32 *)room;
  const T *x = (const T *)a.x, *y = (const T *)a.y;
  T *out = (T *)a.out;
  u64 end = a.first_word + (a.count + 1) / 2, each = (u64)blockDim.x * WORDS;
  u64 first = a.first_word / WORDS * WORDS + blockIdx.x * each;
  for (; first < end; first += gridDim.x * each) {
    u32 own[WORDS];
    chacha8(a.key, first / WORDS + threadIdx.x, a.stream, own);
    for (u32 i = 0; i < WORDS; i++) words[threadIdx.x * (WORDS + 1) + i] = own[i];
    __syncthreads();
    for (u32 k = threadIdx.x; k < 2 * each; k += blockDim.x) {
      u64 word = first + k / 2;
      if (word < a.first_word) continue;
      u64 i = 2 * (word - a.first_word) + k % 2;
      if (i >= a.count) continue;
      u32 bits = words[k / 2 / WORDS * (WORDS + 1) + k / 2 % WORDS] >> 16 * (k % 2) & 0xffff;
      // Times zero, not zero: so what is no number stays none.
      float kept = get(y[i]) * (bits >= a.threshold ? a.factor : 0);
      put(out[i], x ? get(x[i]) + kept : kept);
    }
    __syncthreads();
  }
}
KERNEL(dropout_f32, Dropout, dropout<float>)
KERNEL(dropout_bf16, Dropout, dropout<bf16>)
