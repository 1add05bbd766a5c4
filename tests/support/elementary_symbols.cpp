// The functions that elementary_f32.h and elementary_f64.h specify, under their C names, exported
// by a test executable: emitted C that it loads then computes with them instead of the C library's,
// and has to give the evaluator's bits. Where nothing is specified they are the C library's, which
// elementary.cpp asks for through these names, too.
#include <dlfcn.h>

#include "ir/support/elementary_f64.h"
#include "ir/support/elementary_pow.h"

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define CATEN_ELEMENTARY1(fn)
#define CATEN_ELEMENTARY2(fn)
#define CATEN_ELEMENTARY_SPEC(fn, limit)                            \
  extern "C" float fn##f(float x) {                                 \
    using namespace caten::elementary;                              \
    static auto* library = next<float(float)>(#fn "f");             \
    return magnitude(x) > (limit) ? library(x) : specified_##fn(x); \
  }
#define CATEN_ELEMENTARY_SPEC2(fn, limit, limit64, when64)                         \
  CATEN_ELEMENTARY_SPEC(fn, limit)                                                 \
  extern "C" double fn(double x) {                                                 \
    using namespace caten::elementary;                                             \
    static auto* library = next<double(double)>(#fn);                              \
    return (when64) && !(magnitude_f64(x) > (limit64)) ? fn##_f64(x) : library(x); \
  }
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY2
#undef CATEN_ELEMENTARY_SPEC
#undef CATEN_ELEMENTARY_SPEC2

extern "C" float powf(float x, float y) {
  using namespace caten::elementary;
  static auto* library = next<float(float, float)>("powf");
  return is_fused() && has_pow_f32(x, y) ? pow_f32(x, y) : library(x, y);
}

extern "C" double pow(double x, double y) {
  using namespace caten::elementary;
  static auto* library = next<double(double, double)>("pow");
  return is_fused() && has_pow_f64(x, y) ? pow_f64(x, y) : library(x, y);
}
