// The part of CUDA's driver and of cuBLAS that cairn uses, on the processor: memory is that of the
// host, Cairn's own kernels are their twins (model/src/network/ops/cuda/host.h), and the
// few kernels of candle and the products of cuBLAS are plain loops. See run.sh.
//
// New memory is filled with ones, which are no number in f32 and bf16: what is read before it is
// written shows.
#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

typedef unsigned long long u64;
typedef unsigned u32;

namespace {

[[noreturn]] void fail(const std::string &what) {
  fprintf(stderr, "the GPU on the host has no %s\n", what.c_str());
  abort();
}

enum class Number { F32, BF16, U32, U8 };

Number number(const std::string &name) {
  if (name == "f32") return Number::F32;
  if (name == "bf16") return Number::BF16;
  if (name == "u32") return Number::U32;
  if (name == "u8") return Number::U8;
  fail("numbers " + name);
}

size_t size(Number number) { return number == Number::U8 ? 1 : number == Number::BF16 ? 2 : 4; }

float get(Number number, const void *from, size_t i) {
  if (number == Number::F32) return ((const float *)from)[i];
  if (number == Number::U32) return (float)((const u32 *)from)[i];
  if (number == Number::U8) return (float)((const uint8_t *)from)[i];
  u32 bits = (u32)((const uint16_t *)from)[i] << 16;
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

void put(Number number, void *to, size_t i, float x) {
  if (number == Number::F32) {
    ((float *)to)[i] = x;
  } else if (number == Number::U32) {
    ((u32 *)to)[i] = (u32)x;
  } else if (number == Number::U8) {
    ((uint8_t *)to)[i] = (uint8_t)x;
  } else {
    u32 bits;
    memcpy(&bits, &x, 4);
    bool nan = (bits & 0x7fffffff) > 0x7f800000;
    ((uint16_t *)to)[i] = nan ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
}

// Arguments of a kernel, one after another.
struct Arguments {
  void **next;
  template <class T> T take() {
    T value;
    memcpy(&value, *next++, sizeof value);
    return value;
  }
};

// The elements of a kernel of candle: so many, of a shape with strides, or contiguous.
struct Elements {
  size_t count, rank;
  const size_t *shape;
  Elements(Arguments &a, size_t count)
      : count(count), rank(a.take<size_t>()), shape(a.take<const size_t *>()) {}
  // Where element i is, by the strides of operand 0 or 1.
  size_t at(size_t i, int operand) const {
    if (!shape) return i;
    size_t place = 0;
    for (size_t d = rank; d-- > 0; i /= shape[d])
      place += i % shape[d] * shape[(operand + 1) * rank + d];
    return place;
  }
};

float apply(const std::string &op, float x, float y) {
  if (op == "badd") return x + y;
  if (op == "bsub") return x - y;
  if (op == "bmul") return x * y;
  if (op == "bdiv") return x / y;
  if (op == "ge") return x >= y;
  if (op == "ucopy") return x;
  if (op == "uneg") return -x;
  if (op == "usqr") return x * x;
  if (op == "usqrt") return sqrtf(x);
  if (op == "uexp") return expf(x);
  if (op == "ulog") return logf(x);
  if (op == "urelu") return x > 0 ? x : 0;
  fail("kernel " + op);
}

// A kernel of candle, by its name: operation_number, or cast_number_number.
void run_candle(const std::string &name, Arguments a) {
  size_t last = name.rfind('_');
  std::string op = name.substr(0, last);
  Number to = number(name.substr(last + 1)), from = to;
  if (op == "copy2d") {
    auto x = a.take<const char *>();
    auto out = a.take<char *>();
    u32 rows = a.take<u32>(), columns = a.take<u32>(), x_row = a.take<u32>(), out_row = a.take<u32>();
    for (size_t i = 0; i < rows; i++)
      memcpy(out + i * out_row * size(to), x + i * x_row * size(to), columns * size(to));
    return;
  }
  if (op == "fast_sum" || op == "fast_sum_small") {
    // Sums of so many elements each, which follow one another in the order of the strides.
    size_t all = a.take<size_t>(), each = a.take<size_t>();
    Elements elements(a, op == "fast_sum" ? all : all * each);
    auto x = a.take<const void *>();
    auto out = a.take<void *>();
    for (size_t i = 0; i < elements.count / each; i++) {
      float sum = 0;
      for (size_t j = 0; j < each; j++) sum += get(to, x, elements.at(i * each + j, 0));
      put(to, out, i, sum);
    }
    return;
  }
  Elements elements(a, a.take<size_t>());
  if (op == "const_set") {
    float value = get(to, *a.next++, 0);
    auto out = a.take<void *>();
    for (size_t i = 0; i < elements.count; i++) put(to, out, elements.at(i, 0), value);
    return;
  }
  if (op.rfind("cast_", 0) == 0) {
    from = number(op.substr(5));
    op = "ucopy";
  }
  if (op == "ge") to = Number::U8;
  auto x = a.take<const void *>(), y = op[0] == 'b' || op == "ge" ? a.take<const void *>() : nullptr;
  auto out = a.take<void *>();
  float factor = 1, summand = 0;
  if (op == "affine") {
    factor = get(to, *a.next++, 0), summand = get(to, *a.next++, 0);
    op = "ucopy";
  }
  for (size_t i = 0; i < elements.count; i++) {
    float other = y ? get(from, y, elements.at(i, 1)) : 0;
    put(to, out, i, apply(op, get(from, x, elements.at(i, 0)), other) * factor + summand);
  }
}

typedef void (*Twin)(const u32 *grid, u32 threads, u32 bytes, int falling, const void *arguments);

struct Function {
  std::string name;
  Twin twin; // null for candle's
  long launches;
};

std::mutex lock;
std::map<std::string, Function> functions;
// What stands for a context, a stream and whatever else has no content here.
char thing;

struct AtTheEnd {
  ~AtTheEnd() {
    for (auto &[name, function] : functions)
      printf("%-28s %6ld launches%s\n", name.c_str(), function.launches, function.twin ? "" : " (candle's)");
  }
} at_the_end;

} // namespace

extern "C" {

int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGet(int *device, int) { return *device = 0, 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGetAttribute(int *value, int, int) { return *value = 0, 0; }
int cuDevicePrimaryCtxRetain(void **context, int) { return *context = &thing, 0; }
int cuCtxGetCurrent(void **context) { return *context = &thing, 0; }
int cuStreamCreate(void **stream, u32) { return *stream = &thing, 0; }
int cuStreamIsCapturing(void *, int *status) { return *status = 0, 0; }
int cuEventCreate(void **event, u32) { return *event = &thing, 0; }

int cuMemAlloc_v2(u64 *address, size_t bytes) {
  *address = (u64)memset(malloc(bytes), 0xff, bytes);
  return 0;
}
int cuMemFree_v2(u64 address) { return free((void *)address), 0; }
int cuMemGetInfo_v2(size_t *free, size_t *all) { return *free = *all = (size_t)64 << 30, 0; }
int cuMemsetD8Async(u64 to, unsigned char value, size_t bytes, void *) {
  return memset((void *)to, value, bytes), 0;
}
int cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t bytes, void *) {
  return memcpy((void *)to, from, bytes), 0;
}
int cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t bytes, void *) {
  return memcpy(to, (const void *)from, bytes), 0;
}
int cuMemcpyDtoDAsync_v2(u64 to, u64 from, size_t bytes, void *) {
  return memmove((void *)to, (const void *)from, bytes), 0;
}

int cuModuleLoadData(void **module, const void *) { return *module = &thing, 0; }
int cuModuleGetFunction(void **function, void *, const char *name) {
  static void *twins = dlopen(getenv("CAIRN_TWINS"), RTLD_NOW);
  if (!twins) fail("twins of the kernels, which CAIRN_TWINS names");
  std::lock_guard guard(lock);
  auto [at, is_new] = functions.try_emplace(name);
  if (is_new) at->second = {name, (Twin)dlsym(twins, name), 0};
  *function = &at->second;
  return 0;
}
int cuLaunchKernel(void *function, u32 x, u32 y, u32 z, u32 threads, u32, u32, u32 bytes, void *,
                   void **arguments, void **) {
  std::lock_guard guard(lock);
  auto &f = *(Function *)function;
  f.launches++;
  u32 grid[3] = {x, y, z};
  if (f.twin)
    f.twin(grid, threads, bytes, f.launches % 2, arguments[0]);
  else
    run_candle(f.name, {arguments});
  return 0;
}

int cublasCreate_v2(void **handle) { return *handle = &thing, 0; }
// C = αAB + βC, column by column; A and B transposed where asked for.
int cublasGemmStridedBatchedEx(void *, int turn_a, int turn_b, int m, int n, int k, const float *alpha,
                               const void *a, int type_a, int row_a, long long next_a, const void *b,
                               int type_b, int row_b, long long next_b, const float *beta, void *c,
                               int type_c, int row_c, long long next_c, int batch, int, int) {
  auto of = [](int type) {
    if (type != 0 && type != 14) fail("products of type " + std::to_string(type));
    return type == 0 ? Number::F32 : Number::BF16;
  };
  std::vector<float> rows((size_t)m * k), columns((size_t)n * k);
  for (int at = 0; at < batch; at++) {
    for (size_t i = 0; i < (size_t)m; i++)
      for (size_t l = 0; l < (size_t)k; l++)
        rows[i * k + l] = get(of(type_a), a, at * next_a + (turn_a ? i * row_a + l : l * row_a + i));
    for (size_t j = 0; j < (size_t)n; j++)
      for (size_t l = 0; l < (size_t)k; l++)
        columns[j * k + l] = get(of(type_b), b, at * next_b + (turn_b ? l * row_b + j : j * row_b + l));
    for (size_t j = 0; j < (size_t)n; j++)
      for (size_t i = 0; i < (size_t)m; i++) {
        float sum = 0;
        for (size_t l = 0; l < (size_t)k; l++) sum += rows[i * k + l] * columns[j * k + l];
        size_t place = at * next_c + j * row_c + i;
        float old = *beta == 0 ? 0 : *beta * get(of(type_c), c, place);
        put(of(type_c), c, place, *alpha * sum + old);
      }
  }
  return 0;
}
}
