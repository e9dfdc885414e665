// The loss over the tokens that the grammar allows, how well they are predicted, and its gradient.
#include "../cuda/common.cuh"

struct CrossEntropy {
  u64 logits, tokens, masks, sets; // f32 [rows, width], u32 [rows], u32 [rows], u64 [·, words]
  u64 grad, out;                   // forward: 0 and f32 [rows, 3]; backward: f32 and f32 [rows, width]
  u32 rows, width, words, pad;     // rows whose token is `pad` do not count
  float smoothing, each;           // each: what a counted row weighs
};

DEVICE bool allows(const u64 *set, u32 i) { return set[i / 64] >> i % 64 & 1; }

// A warp a row. Forward it writes the loss, −ln p(target), and whether the target is likeliest.
DEVICE void cross_entropy(const CrossEntropy &a) {
  u32 lane = threadIdx.x % LANES;
  for (u64 row = thread_number() / LANES; row < a.rows; row += threads() / LANES) {
    const float *logits = (const float *)a.logits + row * a.width;
    u32 token = ((const u32 *)a.tokens)[row];
    const u64 *set = (const u64 *)a.sets + (u64)((const u32 *)a.masks)[row] * a.words;
    bool counts = token != a.pad;
    float largest = -INFINITY, sum = 0, all = 0, allowed = 0;
    for (u32 i = lane; counts && i < a.width; i += LANES)
      if (allows(set, i)) largest = fmaxf(largest, logits[i]);
    largest = warp_max(largest);
    for (u32 i = lane; counts && i < a.width; i += LANES)
      if (allows(set, i)) sum += expf(logits[i] - largest), all += logits[i], allowed++;
    sum = warp_sum(sum), all = warp_sum(all), allowed = warp_sum(allowed);
    float log_sum = largest + logf(sum);
    if (!a.grad) {
      float *out = (float *)a.out + row * 3;
      if (lane == 0) {
        float logit = counts ? logits[token] : 0;
        float wanted = (1 - a.smoothing) * logit + (a.smoothing > 0 ? a.smoothing * all / allowed : 0);
        out[0] = counts ? (log_sum - wanted) * a.each : 0;
        out[1] = counts ? log_sum - logit : 0;
        out[2] = counts && largest <= logit;
      }
      continue;
    }
    float scale = *(const float *)a.grad * a.each, rest = a.smoothing / allowed;
    float *out = (float *)a.out + row * a.width;
    for (u32 i = lane; i < a.width; i += LANES) {
      float d = 0;
      if (counts && allows(set, i)) d = (expf(logits[i] - log_sum) - rest) * scale;
      if (counts && i == token) d -= (1 - a.smoothing) * scale;
      out[i] = d;
    }
  }
}
KERNEL(cross_entropy_f32, CrossEntropy, cross_entropy)
