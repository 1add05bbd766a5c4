// Elementary functions on strips, to the bit what ir/support/elementary computes.
#include "ir/support/elementary.h"
#include "ir/support/elementary_f32.h"
#include "runtime/intrinsics/strips/loops.h"

namespace caten::runtime::strips {
namespace {

#ifdef __FMA__
constexpr bool kFused = true;
#else
constexpr bool kFused = false;
#endif

#define CATEN_ELEMENTARY1(fn)   \
  struct Of_##fn {              \
    template <typename T>       \
    static T of(T x) {          \
      return elementary::fn(x); \
    }                           \
  };
#define CATEN_ELEMENTARY2(fn)
// The vectorised body, unless some element is beyond its limit or a NaN: then one by one.
#define CATEN_ELEMENTARY_SPEC(fn, limit)                            \
  CATEN_ELEMENTARY1(fn)                                             \
  void strip_##fn(void* out, const void* a, int64_t n) {            \
    auto* r = static_cast<float*>(out);                             \
    const auto* x = static_cast<const float*>(a);                   \
    constexpr float kLimit = limit;                                 \
    if (kLimit < __builtin_inff()) {                                \
      uint32_t largest = 0;                                         \
      for (int64_t i = 0; i < n; ++i) {                             \
        const uint32_t bits = elementary::bits_of(magnitude(x[i])); \
        largest = bits > largest ? bits : largest;                  \
      }                                                             \
      if (largest > elementary::bits_of(kLimit)) {                  \
        for (int64_t i = 0; i < n; ++i) {                           \
          r[i] = elementary::fn(x[i]);                              \
        }                                                           \
        return;                                                     \
      }                                                             \
    }                                                               \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i) {          \
      r[i] = elementary::fn##_spec<kFused>(x[i]);                   \
    }                                                               \
  }
using elementary::kSinLimit;
using elementary::magnitude;
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
