// Elementary functions: the vectorisable specifications of elementary_f32.h, elementary_f64.h and
// elementary_pow.h where there is one, else the C library's, which are within the bound and correct
// at the special values; rint assumes the default rounding mode (to nearest even).
#include "ir/support/elementary.h"

#include <cmath>

#include "ir/support/elementary_f64.h"
#include "ir/support/elementary_pow.h"
#include "ir/support/isa.h"

namespace caten::elementary {

bool is_fused() {
  return isa() >= Isa::Avx2;
}

namespace {

template <typename T>
T own_fmod(T x, T y) {
  return std::fmod(x, y);
}
float own_pow(float x, float y) {
  return is_fused() && has_pow_f32(x, y) ? pow_f32(x, y) : std::pow(x, y);
}
double own_pow(double x, double y) {
  return is_fused() && has_pow_f64(x, y) ? pow_f64(x, y) : std::pow(x, y);
}

}  // namespace

#define CATEN_ELEMENTARY1(fn) \
  float fn(float x) {         \
    return std::fn(x);        \
  }                           \
  double fn(double x) {       \
    return std::fn(x);        \
  }
// A NaN is not beyond any limit.
#define CATEN_ELEMENTARY_SPEC(fn, limit)                            \
  float fn(float x) {                                               \
    return std::fabs(x) > (limit) ? std::fn(x) : specified_##fn(x); \
  }                                                                 \
  double fn(double x) {                                             \
    return std::fn(x);                                              \
  }
#define CATEN_ELEMENTARY_SPEC2(fn, limit, limit64, when64)                     \
  float fn(float x) {                                                          \
    return std::fabs(x) > (limit) ? std::fn(x) : specified_##fn(x);            \
  }                                                                            \
  double fn(double x) {                                                        \
    return (when64) && !(std::fabs(x) > (limit64)) ? fn##_f64(x) : std::fn(x); \
  }
#define CATEN_ELEMENTARY2(fn)     \
  float fn(float x, float y) {    \
    return own_##fn(x, y);        \
  }                               \
  double fn(double x, double y) { \
    return own_##fn(x, y);        \
  }
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY_SPEC
#undef CATEN_ELEMENTARY_SPEC2
#undef CATEN_ELEMENTARY2

}  // namespace caten::elementary
