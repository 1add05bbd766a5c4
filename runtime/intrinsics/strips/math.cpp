// Elementary functions on strips, to the bit what ir/support/elementary computes.
#include <algorithm>
#include <limits>

#include "ir/support/elementary.h"
#include "ir/support/elementary_f64.h"
#include "ir/support/elementary_pow.h"
#include "runtime/intrinsics/strips/loops.h"
#ifdef __AVX2__
#include "runtime/intrinsics/strips/vector_floats.h"
#endif

namespace caten::runtime::strips {
namespace {

#ifdef __AVX2__
/// Positive, finite and not subnormal.
inline elementary::Mask64 is_normal(elementary::Doubles x) {
  using Limits = std::numeric_limits<double>;
  return (x >= elementary::Doubles(Limits::min())) & (x < elementary::Doubles(Limits::infinity()));
}

template <typename T>
constexpr int64_t kVectorLanes = sizeof(elementary::Floats) / sizeof(T);

/// A vector of elements; where some are beyond the limit, those one by one.
template <typename T, typename Spec>
inline auto whole(const T* x, T limit, T (*beyond)(T), Spec spec) {
  const auto argument = elementary::loaded(x);
  auto result = spec(argument);
  constexpr T kNone = std::numeric_limits<T>::infinity();
  if (limit < kNone && (any(argument > limit) || any(argument < -limit))) {
    T numbers[kVectorLanes<T>];
    T results[kVectorLanes<T>];
    store(numbers, argument);
    store(results, result);
    for (int i = 0; i < kVectorLanes<T>; ++i) {
      const bool is_beyond = numbers[i] > limit || numbers[i] < -limit;
      results[i] = is_beyond ? beyond(numbers[i]) : results[i];
    }
    result = elementary::loaded(results);
  }
  return result;
}

template <typename T, typename Spec>
inline void strip(void* out, const void* a, int64_t n, T limit, T (*beyond)(T), Spec spec) {
  constexpr int64_t kLanes = kVectorLanes<T>;
  auto* r = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(r + i, whole(x + i, limit, beyond, spec));
  }
  if (i < n) {
    T rest[kLanes] = {};
    std::copy(x + i, x + n, rest);
    store(rest, whole(rest, limit, beyond, spec));
    std::copy_n(rest, n - i, r + i);
  }
}
#define CATEN_STRIP(fn, limit)                                                   \
  strip<float>(out, a, n, limit, static_cast<float (*)(float)>(&elementary::fn), \
               [](elementary::Floats x) { return elementary::fn##_spec<true>(x); })
#define CATEN_STRIP64(fn, limit)                                                    \
  strip<double>(out, a, n, limit, static_cast<double (*)(double)>(&elementary::fn), \
                [](elementary::Doubles x) { return spec_##fn(x); })

#define CATEN_DOUBLE_SPEC(fn)                                   \
  inline elementary::Doubles spec_##fn(elementary::Doubles x) { \
    return elementary::fn##_f64(x);                             \
  }
CATEN_DOUBLE_SPEC(exp)
CATEN_DOUBLE_SPEC(exp2)
CATEN_DOUBLE_SPEC(sin)
CATEN_DOUBLE_SPEC(cos)
CATEN_DOUBLE_SPEC(tanh)
CATEN_DOUBLE_SPEC(erf)
CATEN_DOUBLE_SPEC(erfc)
#undef CATEN_DOUBLE_SPEC
// Logarithms of normal numbers need nothing for the ends of the range.
#define CATEN_LOGARITHM(fn)                                                                  \
  inline elementary::Doubles spec_##fn(elementary::Doubles x) {                              \
    return any(!is_normal(x)) ? elementary::fn##_f64(x) : elementary::fn##_of_normal_f64(x); \
  }
CATEN_LOGARITHM(log)
CATEN_LOGARITHM(log2)
#undef CATEN_LOGARITHM

/// x^y of a vector of floats, in double; when one is no such power, one by one.
inline void powers(float* out, const float* x, const float* y) {
  using elementary::Floats;
  const Floats bases = elementary::loaded(x);
  const Floats exponents = elementary::loaded(y);
  const Floats infinity = std::numeric_limits<float>::infinity();
  const elementary::Mask fine = (bases > Floats(0.0F)) & (bases < infinity) &
                                (exponents < infinity) & (exponents > Floats(0.0F) - infinity);
  if (any(!fine)) {
    for (int64_t k = 0; k < kVectorLanes<float>; ++k) {
      out[k] = elementary::pow(x[k], y[k]);
    }
    return;
  }
  const auto wide = [](Floats numbers) {
    return elementary::TwoDoubles(first_half(numbers), second_half(numbers));
  };
  const auto power = elementary::pow_f64_of_floats(wide(bases), wide(exponents));
  store(out, narrowed(power.a, power.b));
}
inline void powers(double* out, const double* x, const double* y) {
  using elementary::Doubles;
  const Doubles bases = elementary::loaded(x);
  const Doubles exponents = elementary::loaded(y);
  const Doubles infinity = std::numeric_limits<double>::infinity();
  if (any(!(is_normal(bases) & (magnitude_f64(exponents) < infinity)))) {
    for (int64_t k = 0; k < kVectorLanes<double>; ++k) {
      out[k] = elementary::pow(x[k], y[k]);
    }
    return;
  }
  store(out, elementary::pow_f64(bases, exponents));
}
template <typename T>
void strip_pow(void* out, const void* a, const void* b, int64_t n, int32_t scalars) {
  constexpr int64_t kLanes = kVectorLanes<T>;
  auto* r = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  T base[kLanes];
  T exponent[kLanes];
  std::fill_n(base, kLanes, n > 0 && (scalars & 1) != 0 ? *x : T(1));
  std::fill_n(exponent, kLanes, n > 0 && (scalars & 2) != 0 ? *y : T(1));
  const bool moves = (scalars & 1) == 0;
  const bool varies = (scalars & 2) == 0;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    powers(r + i, moves ? x + i : base, varies ? y + i : exponent);
  }
  if (i < n) {
    const int64_t count = n - i;
    if (moves) {
      std::copy_n(x + i, count, base);
    }
    if (varies) {
      std::copy_n(y + i, count, exponent);
    }
    T rest[kLanes];
    powers(rest, base, exponent);
    std::copy_n(rest, count, r + i);
  }
}
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
#define CATEN_STRIP64(fn, limit) unary<Of_##fn, double, double>(out, a, n)
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
#define CATEN_ELEMENTARY_SPEC2(fn, limit, limit64, when64) \
  CATEN_ELEMENTARY_SPEC(fn, limit)                         \
  void strip64_##fn(void* out, const void* a, int64_t n) { \
    CATEN_STRIP64(fn, limit64);                            \
  }
using elementary::kSinLimit;
using elementary::kSinLimitF64;
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY2
#undef CATEN_ELEMENTARY_SPEC
#undef CATEN_ELEMENTARY_SPEC2

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
#define CATEN_ELEMENTARY_SPEC2(fn, limit, limit64, when64) \
  {"ct_" #fn "_f32", address(&strip_##fn)}, {"ct_" #fn "_f64", address(&strip64_##fn)},
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY2
#undef CATEN_ELEMENTARY_SPEC
#undef CATEN_ELEMENTARY_SPEC2
};

// These win over the rows above: the same bits, vectorised.
const Entry kSingleInstructions[] = {
#ifdef __AVX2__
    {"ct_pow_f32", address(&strip_pow<float>)},
    {"ct_pow_f64", address(&strip_pow<double>)},
#endif
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
