// Floats that record what is done to them: instantiates the templates of elementary_f32.h for
// vector programs, so that machine code and library share one specification.
#pragma once

#include "codegen/vector/vector.h"

namespace caten::vector {

struct Recorded {
  Builder* builder = nullptr;
  Value value = kNone;
};
struct Float : Recorded {};
struct Bits : Recorded {};
struct Mask : Recorded {};

#define CATEN_RECORDED(op, Code_)                                           \
  inline Float operator op(Float a, Float b) {                              \
    return {{a.builder, a.builder->binary(Code::Code_, a.value, b.value)}}; \
  }                                                                         \
  inline Float operator op(Float a, float b) {                              \
    return a op Float{{a.builder, a.builder->constant(b)}};                 \
  }                                                                         \
  inline Float operator op(float a, Float b) {                              \
    return Float {                                                          \
      { b.builder, b.builder->constant(a) }                                 \
    }                                                                       \
    op b;                                                                   \
  }
CATEN_RECORDED(+, Add)
CATEN_RECORDED(-, Sub)
CATEN_RECORDED(*, Mul)
CATEN_RECORDED(/, Div)
#undef CATEN_RECORDED

#define CATEN_RECORDED(op, Code_)                                           \
  inline Bits operator op(Bits a, Bits b) {                                 \
    return {{a.builder, a.builder->binary(Code::Code_, a.value, b.value)}}; \
  }                                                                         \
  inline Bits operator op(Bits a, uint32_t b) {                             \
    return a op Bits{{a.builder, a.builder->constant(b)}};                  \
  }
CATEN_RECORDED(+, AddInt)
CATEN_RECORDED(-, SubInt)
CATEN_RECORDED(&, And)
CATEN_RECORDED(|, Or)
CATEN_RECORDED(^, Xor)
#undef CATEN_RECORDED

inline Mask compare(Code code, Float a, float b) {
  return {{a.builder, a.builder->binary(code, a.value, a.builder->constant(b))}};
}
inline Mask swapped(Code code, Float a, float b) {
  return {{a.builder, a.builder->binary(code, a.builder->constant(b), a.value)}};
}
inline Mask operator<(Float a, float b) {
  return compare(Code::Less, a, b);
}
inline Mask operator>(Float a, float b) {
  return swapped(Code::Less, a, b);
}
inline Mask operator>=(Float a, float b) {
  return swapped(Code::LessEqual, a, b);
}
inline Mask operator==(Float a, float b) {
  return compare(Code::Equal, a, b);
}
inline Mask operator!=(Float a, Float b) {
  return {{a.builder, a.builder->binary(Code::NotEqual, a.value, b.value)}};
}

inline Bits bits_of(Float x) {
  return {{x.builder, x.value}};
}
inline Float float_of(Bits x) {
  return {{x.builder, x.value}};
}
/// A factor or term that is recorded or known.
inline Value value_of(Builder& /*builder*/, Float x) {
  return x.value;
}
inline Value value_of(Builder& builder, float x) {
  return builder.constant(x);
}
template <typename B, typename C>
Float in_one_step(Float a, B b, C c) {
  Builder& builder = *a.builder;
  return {{a.builder, builder.multiply_add(a.value, value_of(builder, b), value_of(builder, c))}};
}
inline Float at_most(Float x, float most) {
  return {{x.builder, x.builder->binary(Code::Min, x.builder->constant(most), x.value)}};
}
inline Float at_least(Float x, float least) {
  return {{x.builder, x.builder->binary(Code::Max, x.builder->constant(least), x.value)}};
}
inline Float choose(Mask condition, Float a, Float b) {
  return {{a.builder, a.builder->select(condition.value, a.value, b.value)}};
}
inline Float choose(Mask condition, float a, Float b) {
  return choose(condition, Float{{b.builder, b.builder->constant(a)}}, b);
}
inline Float choose(Mask condition, Float a, float b) {
  return choose(condition, a, Float{{a.builder, a.builder->constant(b)}});
}
inline Float signed_to_float(Bits x) {
  return {{x.builder, x.builder->unary(Code::ToFloat, x.value)}};
}
inline Bits shift_left(Bits x, int count) {
  return {{x.builder, x.builder->unary(Code::ShiftLeft, x.value, static_cast<uint32_t>(count))}};
}
inline Bits shift_right(Bits x, int count) {
  return {{x.builder, x.builder->unary(Code::ShiftBits, x.value, static_cast<uint32_t>(count))}};
}
/// Select looks at the sign.
inline Mask is_odd(Bits x) {
  return {{x.builder, x.builder->unary(Code::ShiftLeft, x.value, 31)}};
}
inline Float lookup(Bits index, const float (&table)[kTableSize]) {
  return {{index.builder, index.builder->lookup(index.value, table)}};
}
inline Bits shift_right_signed(Bits x, int count) {
  return {{x.builder, x.builder->unary(Code::ShiftSign, x.value, static_cast<uint32_t>(count))}};
}

}  // namespace caten::vector
