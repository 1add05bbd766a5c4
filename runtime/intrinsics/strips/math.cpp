// Elementary functions on strips, to the bit what ir/support/elementary computes.
#include "ir/support/elementary.h"
#include "ir/support/elementary_f32.h"
#include "runtime/intrinsics/strips/loops.h"
#ifdef __AVX2__
#include "runtime/intrinsics/strips/vector_floats.h"
#endif

namespace caten::runtime::strips {
namespace {

#ifdef __AVX2__
/// Eight elements; where some are beyond the limit, those one by one.
template <typename Spec>
inline elementary::Floats eight(const float* x, float limit, float (*beyond)(float), Spec spec) {
  const elementary::Floats argument = _mm256_loadu_ps(x);
  elementary::Floats result = spec(argument);
  if (limit < __builtin_inff() && any(elementary::magnitude(argument) > limit)) {
    float numbers[8];
    float results[8];
    _mm256_storeu_ps(numbers, argument.v);
    _mm256_storeu_ps(results, result.v);
    for (int i = 0; i < 8; ++i) {
      results[i] = __builtin_fabsf(numbers[i]) > limit ? beyond(numbers[i]) : results[i];
    }
    result = _mm256_loadu_ps(results);
  }
  return result;
}

template <typename Spec>
inline void strip(void* out, const void* a, int64_t n, float limit, float (*beyond)(float),
                  Spec spec) {
  auto* r = static_cast<float*>(out);
  const auto* x = static_cast<const float*>(a);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(r + i, eight(x + i, limit, beyond, spec).v);
  }
  if (i < n) {
    float rest[8] = {};
    for (int64_t k = i; k < n; ++k) {
      rest[k - i] = x[k];
    }
    _mm256_storeu_ps(rest, eight(rest, limit, beyond, spec).v);
    for (int64_t k = i; k < n; ++k) {
      r[k] = rest[k - i];
    }
  }
}
#define CATEN_STRIP(fn, limit)                                            \
  strip(out, a, n, limit, static_cast<float (*)(float)>(&elementary::fn), \
        [](elementary::Floats x) { return elementary::fn##_spec<true>(x); })
#else
/// The body, which vectorises where it looks nothing up, unless some element is beyond its limit.
template <typename Spec>
inline void strip(void* out, const void* a, int64_t n, float limit, float (*beyond)(float),
                  Spec spec) {
  auto* r = static_cast<float*>(out);
  const auto* x = static_cast<const float*>(a);
  if (limit < __builtin_inff()) {
    uint32_t largest = 0;
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t bits = elementary::bits_of(elementary::magnitude(x[i]));
      largest = bits > largest ? bits : largest;
    }
    if (largest > elementary::bits_of(limit)) {
      for (int64_t i = 0; i < n; ++i) {
        r[i] = beyond(x[i]);
      }
      return;
    }
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    r[i] = spec(x[i]);
  }
}
#define CATEN_STRIP(fn, limit)                                            \
  strip(out, a, n, limit, static_cast<float (*)(float)>(&elementary::fn), \
        [](float x) { return elementary::fn##_spec<false>(x); })
#endif

#define CATEN_ELEMENTARY1(fn)   \
  struct Of_##fn {              \
    template <typename T>       \
    static T of(T x) {          \
      return elementary::fn(x); \
    }                           \
  };
#define CATEN_ELEMENTARY2(fn)
#define CATEN_ELEMENTARY_SPEC(fn, limit)                 \
  CATEN_ELEMENTARY1(fn)                                  \
  void strip_##fn(void* out, const void* a, int64_t n) { \
    CATEN_STRIP(fn, limit);                              \
  }
using elementary::kSinLimit;
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY2
#undef CATEN_ELEMENTARY_SPEC

// Those that are single instructions.
#define CATEN_ROUNDING(Name, fn)                              \
  struct Name {                                               \
    static float of(float x) { return __builtin_##fn##f(x); } \
    static double of(double x) { return __builtin_##fn(x); }  \
  };
CATEN_ROUNDING(Sqrt, sqrt)
CATEN_ROUNDING(Floor, floor)
CATEN_ROUNDING(Ceil, ceil)
CATEN_ROUNDING(Trunc, trunc)
CATEN_ROUNDING(Rint, rint)
#undef CATEN_ROUNDING

const Entry kEntries[] = {
#define CATEN_ELEMENTARY1(fn)                                 \
  {"ct_" #fn "_f32", address(&unary<Of_##fn, float, float>)}, \
      {"ct_" #fn "_f64", address(&unary<Of_##fn, double, double>)},
#define CATEN_ELEMENTARY2(fn)
#define CATEN_ELEMENTARY_SPEC(fn, limit)    \
  {"ct_" #fn "_f32", address(&strip_##fn)}, \
      {"ct_" #fn "_f64", address(&unary<Of_##fn, double, double>)},
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY2
#undef CATEN_ELEMENTARY_SPEC
};

// These win over the rows above: the same bits, vectorised.
const Entry kSingleInstructions[] = {
#define CATEN_ROUNDING(fn, Name)                           \
  {"ct_" #fn "_f32", address(&unary<Name, float, float>)}, \
      {"ct_" #fn "_f64", address(&unary<Name, double, double>)},
    CATEN_ROUNDING(sqrt, Sqrt) CATEN_ROUNDING(floor, Floor) CATEN_ROUNDING(ceil, Ceil)
        CATEN_ROUNDING(trunc, Trunc) CATEN_ROUNDING(rint, Rint)
#undef CATEN_ROUNDING
};

}  // namespace

Table CATEN_TABLE(math)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}
Table CATEN_TABLE(rounding)() {
  return {kSingleInstructions, sizeof kSingleInstructions / sizeof *kSingleInstructions};
}

}  // namespace caten::runtime::strips
