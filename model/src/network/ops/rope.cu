// Rotary positions: pairs of columns of every head turned by an angle that grows with the place.
#include "cuda/common.cuh"

struct Rope {
  u64 x, out;                             // [rows, w]; row i is at place first + i % places
  u32 rows, w, width, each, first, places; // the first `width` of w columns, in heads of `each`
  float sign;
};

// A thread an element.
template <class T> DEVICE void rope(const Rope &a) {
  const T *x = (const T *)a.x;
  for (u64 i = thread_number(); i < (u64)a.rows * a.w; i += threads()) {
    u32 column = (u32)(i % a.w), half = a.each / 2, c = column % a.each;
    if (column >= a.width) {
      ((T *)a.out)[i] = x[i];
      continue;
    }
    double place = a.first + (u32)(i / a.w % a.places);
    float angle = (float)(place * exp(-2.0 * (c % half) / a.each * log(10000.0)));
    float turn = sinf(a.sign * angle), stay = cosf(a.sign * angle);
    float other = get(c < half ? x[i + half] : x[i - half]);
    put(((T *)a.out)[i], get(x[i]) * stay + (c < half ? -other : other) * turn);
  }
}
KERNEL(rope_f32, Rope, rope<float>)
KERNEL(rope_bf16, Rope, rope<bf16>)
