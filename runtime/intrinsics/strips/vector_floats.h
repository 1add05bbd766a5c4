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

struct Floats {
  FloatVector v;
  Floats(FloatVector vector) : v(vector) {}
  Floats(float number) : v(CATEN_MM(set1_ps)(number)) {}
};
struct Bits {
  IntVector v;
  Bits() : Bits(0U) {}
  Bits(IntVector vector) : v(vector) {}
  Bits(uint32_t number) : v(CATEN_MM(set1_epi32)(static_cast<int>(number))) {}
};
struct Mask {
  FloatMask v;
};
struct Doubles {
  DoubleVector v;
  Doubles(DoubleVector vector) : v(vector) {}
  Doubles(double number) : v(CATEN_MM(set1_pd)(number)) {}
};
struct Bits64 {
  IntVector v;
  Bits64(IntVector vector) : v(vector) {}
  Bits64(uint64_t number) : v(every_64(number)) {}
};
struct Mask64 {
  DoubleMask v;
};

// What floats and doubles have alike; `p` and `i` end the names of their intrinsics.
#define CATEN_BINARY(Type, op, name)        \
  inline Type operator op(Type a, Type b) { \
    return CATEN_MM(name)(a.v, b.v);        \
  }
#define CATEN_BITWISE(Type, op)             \
  inline Type operator op(Type a, Type b) { \
    return a.v op b.v;                      \
  }
#define CATEN_COMPARE(Type, Result, op, predicate) \
  inline Result operator op(Type a, Type b) {      \
    return {compare<predicate>(a.v, b.v)};         \
  }
#define CATEN_LANES(Number, Type, Integers, Truth, p, i)          \
  CATEN_BINARY(Type, +, add_##p)                                  \
  CATEN_BINARY(Type, -, sub_##p)                                  \
  CATEN_BINARY(Type, *, mul_##p)                                  \
  CATEN_BINARY(Type, /, div_##p)                                  \
  CATEN_BINARY(Integers, +, add_##i)                              \
  CATEN_BINARY(Integers, -, sub_##i)                              \
  CATEN_BITWISE(Integers, &)                                      \
  CATEN_BITWISE(Integers, |)                                      \
  CATEN_BITWISE(Integers, ^)                                      \
  CATEN_COMPARE(Type, Truth, <, _CMP_LT_OQ)                       \
  CATEN_COMPARE(Type, Truth, >, _CMP_GT_OQ)                       \
  CATEN_COMPARE(Type, Truth, >=, _CMP_GE_OQ)                      \
  CATEN_COMPARE(Type, Truth, ==, _CMP_EQ_OQ)                      \
  inline Integers bits_of(Type x) {                               \
    return reinterpret_cast<IntVector>(x.v);                      \
  }                                                               \
  inline Type in_one_step(Type a, Type b, Type c) {               \
    return CATEN_MM(fmadd_##p)(a.v, b.v, c.v);                    \
  }                                                               \
  /* A NaN stays when it is the second. */                        \
  inline Type at_most(Type x, Number most) {                      \
    return CATEN_MM(min_##p)(Type(most).v, x.v);                  \
  }                                                               \
  inline Type at_least(Type x, Number least) {                    \
    return CATEN_MM(max_##p)(Type(least).v, x.v);                 \
  }                                                               \
  inline Type choose(Truth condition, Type a, Type b) {           \
    return blend(condition.v, a.v, b.v);                          \
  }                                                               \
  inline Integers shift_left(Integers x, int count) {             \
    return CATEN_MM(slli_##i)(x.v, static_cast<unsigned>(count)); \
  }                                                               \
  inline Integers shift_right(Integers x, int count) {            \
    return CATEN_MM(srli_##i)(x.v, static_cast<unsigned>(count)); \
  }                                                               \
  inline Truth operator&(Truth a, Truth b) {                      \
    return {both(a.v, b.v)};                                      \
  }                                                               \
  inline Truth operator!(Truth mask) {                            \
    return {opposite(mask.v)};                                    \
  }                                                               \
  inline bool any(Truth mask) {                                   \
    return is_set(mask.v);                                        \
  }                                                               \
  inline Type loaded(const Number* x) {                           \
    return CATEN_MM(loadu_##p)(x);                                \
  }                                                               \
  inline void store(Number* to, Type x) {                         \
    CATEN_MM(storeu_##p)(to, x.v);                                \
  }
CATEN_LANES(float, Floats, Bits, Mask, ps, epi32)
CATEN_LANES(double, Doubles, Bits64, Mask64, pd, epi64)
#undef CATEN_LANES
#undef CATEN_COMPARE
#undef CATEN_BITWISE
#undef CATEN_BINARY

inline Floats float_of(Bits x) {
  return reinterpret_cast<FloatVector>(x.v);
}
inline Doubles double_of(Bits64 x) {
  return reinterpret_cast<DoubleVector>(x.v);
}
inline Floats signed_to_float(Bits x) {
  return CATEN_MM(cvtepi32_ps)(x.v);
}
inline Bits shift_right_signed(Bits x, int count) {
  return CATEN_MM(srai_epi32)(x.v, static_cast<unsigned>(count));
}
inline Mask is_odd(Bits x) {
  return {odd_32(x.v)};
}
inline Mask64 is_odd(Bits64 x) {
  return {odd_64(x.v)};
}
inline Floats lookup(Bits index, const float (&table)[8]) {
  return chosen_of_eight(index.v, table);
}
inline Doubles first_half(Floats x) {
  return lower(x.v);
}
inline Doubles second_half(Floats x) {
  return upper(x.v);
}
inline Floats narrowed(Doubles first, Doubles second) {
  return joined(first.v, second.v);
}
#undef CATEN_MM

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
