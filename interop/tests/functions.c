#include <stdint.h>
/* all statements */
static inline int f(const unsigned x, int8_t y, bool b) {
    uint16_t t = x * 3u, v;
    int w = -y;
    t += 0x10;
    --w;
    if (b && (x > 7 || !t)) { w <<= 2; v = 1; } else if (w == 0) return -1;
    else { w ^= (int)(x >> 3); v = 2; }
    return b ? w / (t | 1) : (int)(v % 5) + __builtin_popcount(x);
}
uint64_t g(uint64_t a, uint8_t n) { return (a << (n & 63)) | a >> 5 ^ ~a; }
