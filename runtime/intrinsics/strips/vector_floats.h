// Vectors of floats and doubles as types that the templates of ir/support/elementary_f32.h and
// elementary_f64.h take: from AVX2 on the routines are vectors whatever the compiler makes of
// loops, table lookups included.
#pragma once

#ifdef __AVX512F__
#include "runtime/intrinsics/strips/vector_floats_avx512.h"
#else
#include "runtime/intrinsics/strips/vector_floats_avx2.h"
#endif

namespace caten::elementary {
namespace {

/// Two vectors step by step: their chains of dependent operations overlap.
template <typename T>
struct Two {
  T a;
  T b;
  Two(T first, T second) : a(first), b(second) {}
  template <typename Number>
  Two(Number number) : a(number), b(number) {}
};
using TwoDoubles = Two<Doubles>;
using TwoBits64 = Two<Bits64>;

#define CATEN_TWO(Type, op)                 \
  inline Type operator op(Type x, Type y) { \
    return {x.a op y.a, x.b op y.b};        \
  }
CATEN_TWO(TwoDoubles, +)
CATEN_TWO(TwoDoubles, -)
CATEN_TWO(TwoDoubles, *)
CATEN_TWO(TwoDoubles, /)
CATEN_TWO(TwoBits64, +)
CATEN_TWO(TwoBits64, -)
CATEN_TWO(TwoBits64, &)
CATEN_TWO(TwoBits64, |)
CATEN_TWO(TwoBits64, ^)
#undef CATEN_TWO

inline TwoBits64 bits_of(TwoDoubles x) {
  return {bits_of(x.a), bits_of(x.b)};
}
inline TwoDoubles double_of(TwoBits64 x) {
  return {double_of(x.a), double_of(x.b)};
}
inline TwoDoubles in_one_step(TwoDoubles x, TwoDoubles y, TwoDoubles z) {
  return {in_one_step(x.a, y.a, z.a), in_one_step(x.b, y.b, z.b)};
}
inline TwoDoubles at_most(TwoDoubles x, double most) {
  return {at_most(x.a, most), at_most(x.b, most)};
}
inline TwoDoubles at_least(TwoDoubles x, double least) {
  return {at_least(x.a, least), at_least(x.b, least)};
}
inline TwoBits64 shift_left(TwoBits64 x, int count) {
  return {shift_left(x.a, count), shift_left(x.b, count)};
}
inline TwoBits64 shift_right(TwoBits64 x, int count) {
  return {shift_right(x.a, count), shift_right(x.b, count)};
}

}  // namespace
}  // namespace caten::elementary
