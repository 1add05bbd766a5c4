// The float functions that elementary_f32.h specifies, under their C names, exported by a test
// executable: emitted C that it loads then computes with them instead of the C library's, and has
// to give the evaluator's bits.
#include "ir/support/elementary_f32.h"

#define CATEN_ELEMENTARY1(fn)
#define CATEN_ELEMENTARY2(fn)
// Beyond the limit the double function, which nobody replaces: elementary.cpp asks for this one.
#define CATEN_ELEMENTARY_SPEC(fn, limit)                                       \
  extern "C" float fn##f(float x) {                                            \
    using namespace caten::elementary;                                         \
    const bool beyond = magnitude(x) > (limit);                                \
    return beyond ? static_cast<float>(__builtin_##fn(static_cast<double>(x))) \
                  : specified_##fn(x);                                         \
  }
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY2
#undef CATEN_ELEMENTARY_SPEC
