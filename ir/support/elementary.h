// The one specification of every elementary function, in float and in double: the reference
// evaluator calls these, and code compiled in memory is bound to the same addresses, so both
// agree to the bit. At most 2 ulp over the whole range. They are out of line so that a compiler
// cannot fold a call on constants with other bits than the library gives.
#pragma once

namespace caten::elementary {

/// Whether there are fused multiply-adds (from Isa::Avx2 on), which the functions of
/// elementary_f32.h then use here, in vector routines and in machine code.
bool is_fused();

#define CATEN_ELEMENTARY1(fn) \
  float fn(float x);          \
  double fn(double x);
#define CATEN_ELEMENTARY_SPEC(fn, limit) CATEN_ELEMENTARY1(fn)
#define CATEN_ELEMENTARY2(fn) \
  float fn(float x, float y); \
  double fn(double x, double y);
#define CATEN_ELEMENTARY_SPEC2(fn, limit, limit64, when64) CATEN_ELEMENTARY_SPEC(fn, limit)
#include "ir/support/elementary.def"
#undef CATEN_ELEMENTARY1
#undef CATEN_ELEMENTARY_SPEC
#undef CATEN_ELEMENTARY_SPEC2
#undef CATEN_ELEMENTARY2

}  // namespace caten::elementary
