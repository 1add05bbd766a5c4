/* What a C programmer would write by hand, compiled by gcc -O3 -march=native under our numeric rules
   (-ffp-contract=off, no -ffast-math): the peer of kernels.py for rows that have no library. */
#include <stddef.h>

#define CHAIN(name, body)                                                                     \
  void name(float *restrict out, const float *restrict x, const float *restrict y, size_t n) { \
    for (size_t i = 0; i < n; ++i) {                                                          \
      const float a = x[i], b = y[i];                                                         \
      float v = a;                                                                            \
      body out[i] = v;                                                                        \
    }                                                                                         \
  }
#define TWO v = v + b; v = v * a;
#define FOUR TWO v = v - b; v = v > 0.25f ? v : v != v ? v : 0.25f;
CHAIN(chain2, TWO)
CHAIN(chain4, FOUR)
CHAIN(chain12, FOUR FOUR FOUR)

void transpose(float *restrict out, const float *restrict x, size_t rows, size_t columns) {
  enum { kBlock = 16 };
  for (size_t i = 0; i < columns; i += kBlock) {
    for (size_t j = 0; j < rows; j += kBlock) {
      for (size_t k = i; k < i + kBlock; ++k) {
        for (size_t l = j; l < j + kBlock; ++l) {
          out[k * rows + l] = x[l * columns + k];
        }
      }
    }
  }
}
