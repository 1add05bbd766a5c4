/* What a C programmer would write by hand, compiled by gcc -O3 -march=native under our numeric rules
   (-ffp-contract=off, no -ffast-math): the peer of kernels.py for rows that have no library. */
#include <immintrin.h>
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <string.h>

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

/* Loops over the C library's functions. */
#define LIBM1(name, type, suffix, expression)                                                   \
  void name##_##suffix(type *restrict out, const type *restrict xs, const type *restrict ys, \
                       size_t n) {                                                              \
    (void)ys;                                                                                   \
    for (size_t i = 0; i < n; ++i) {                                                            \
      const type x = xs[i];                                                                     \
      out[i] = expression;                                                                      \
    }                                                                                           \
  }
#define LIBM(name) LIBM1(name, float, f32, name##f(x)) LIBM1(name, double, f64, name(x))
LIBM(exp)
LIBM(exp2)
LIBM(log)
LIBM(log2)
LIBM(sin)
LIBM(cos)
LIBM(tanh)
LIBM(erf)
LIBM1(sigmoid, float, f32, 1 / (1 + expf(-x)))
LIBM1(sigmoid, double, f64, 1 / (1 + exp(-x)))
LIBM1(gelu, float, f32, 0.5f * x * erfcf(x * -0.707106781f))
LIBM1(gelu, double, f64, 0.5 * x * erfc(x * -0.70710678118654752))
LIBM1(pow, float, f32, powf(x, ys[i]))
LIBM1(pow, double, f64, pow(x, ys[i]))

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

/* Roofs, on THREADS threads, in the widest vectors of the machine. */

#ifdef __AVX512F__
#define LANES 16
#else
#define LANES 8
#endif
typedef float vector __attribute__((vector_size(4 * LANES), aligned(4)));
size_t lanes(void) { return LANES; }

float read_sum(const float *x, size_t n) {
  float sums[THREADS];
#pragma omp parallel num_threads(THREADS)
  {
    const size_t part = n / THREADS, start = part * (size_t)omp_get_thread_num();
    vector sum[8] = {0};
    for (size_t i = start; i + 8 * LANES <= start + part; i += 8 * LANES) {
      for (size_t j = 0; j < 8; ++j) {
        sum[j] += *(const vector *)(x + i + LANES * j);
      }
    }
    for (size_t j = 1; j < 8; ++j) {
      sum[0] += sum[j];
    }
    sums[omp_get_thread_num()] = sum[0][0];
  }
  return sums[0];
}

void copy(float *restrict out, const float *restrict x, size_t n) {
#pragma omp parallel num_threads(THREADS)
  {
    const size_t part = n / THREADS, start = part * (size_t)omp_get_thread_num();
    memcpy(out + start, x + start, part * sizeof(float));
  }
}

/* `rounds` times ten multiply-adds of LANES lanes on each thread. */
__attribute__((optimize("fp-contract=fast"))) float multiply_add(size_t rounds) {
  float results[THREADS];
#pragma omp parallel num_threads(THREADS)
  {
    vector sum[10] = {0};
    vector a = sum[0] + 0.5f, b = sum[0] + 0.25f;
    for (size_t i = 0; i < rounds; ++i) {
      __asm__ volatile("" : "+x"(a), "+x"(b));
      for (size_t j = 0; j < 10; ++j) {
        sum[j] += a * b;
      }
    }
    for (size_t j = 1; j < 10; ++j) {
      sum[0] += sum[j];
    }
    results[omp_get_thread_num()] = sum[0][0];
  }
  return results[0];
}
