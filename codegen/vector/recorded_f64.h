// Doubles that record what is done to them: what recorded.h is for float, for the templates of
// elementary_f64.h. One made from a number is a constant of the program that it meets.
#pragma once

#include "codegen/vector/vector.h"

namespace caten::vector {

struct Double {
  Builder* builder = nullptr;  // none: `number` is known
  Value value = kNone;
  double number = 0;

  Double(Builder* to, Value recorded) : builder(to), value(recorded) {}
  Double(double known) : number(known) {}
  Value in(Builder& to) const { return builder == nullptr ? to.constant(number) : value; }
};
struct Bits64 {
  Builder* builder;
  Value value;
};
struct Mask64 {
  Builder* builder;
  Value value;
};

inline Builder* builder_of(const Double& a, const Double& b) {
  return a.builder != nullptr ? a.builder : b.builder;
}

#define CATEN_RECORDED(op, Code_)                                                   \
  inline Double operator op(Double a, Double b) {                                   \
    Builder* builder = builder_of(a, b);                                            \
    if (builder == nullptr) {                                                       \
      return a.number op b.number;                                                  \
    }                                                                               \
    return {builder, builder->binary(Code::Code_, a.in(*builder), b.in(*builder))}; \
  }
CATEN_RECORDED(+, Add)
CATEN_RECORDED(-, Sub)
CATEN_RECORDED(*, Mul)
CATEN_RECORDED(/, Div)
#undef CATEN_RECORDED

#define CATEN_RECORDED(op, Code_)                                         \
  inline Bits64 operator op(Bits64 a, Bits64 b) {                         \
    return {a.builder, a.builder->binary(Code::Code_, a.value, b.value)}; \
  }                                                                       \
  inline Bits64 operator op(Bits64 a, uint64_t b) {                       \
    return a op Bits64{a.builder, a.builder->constant(b)};                \
  }
CATEN_RECORDED(+, AddInt)
CATEN_RECORDED(-, SubInt)
CATEN_RECORDED(&, And)
CATEN_RECORDED(|, Or)
CATEN_RECORDED(^, Xor)
#undef CATEN_RECORDED

/// One of the operands is recorded.
inline Mask64 compare(Code code, Double a, Double b) {
  Builder* builder = builder_of(a, b);
  return {builder, builder->binary(code, a.in(*builder), b.in(*builder))};
}
inline Mask64 operator<(Double a, Double b) {
  return compare(Code::Less, a, b);
}
inline Mask64 operator>(Double a, Double b) {
  return compare(Code::Less, b, a);
}
inline Mask64 operator>=(Double a, Double b) {
  return compare(Code::LessEqual, b, a);
}
inline Mask64 operator==(Double a, Double b) {
  return compare(Code::Equal, a, b);
}

inline Bits64 bits_of(Double x) {
  return {x.builder, x.value};
}
inline Double double_of(Bits64 x) {
  return {x.builder, x.value};
}
inline Double in_one_step(Double a, Double b, Double c) {
  Builder* builder = builder_of(a, b);
  builder = builder != nullptr ? builder : c.builder;
  return {builder, builder->multiply_add(a.in(*builder), b.in(*builder), c.in(*builder))};
}
inline Double at_most(Double x, double most) {
  return {x.builder, x.builder->binary(Code::Min, x.builder->constant(most), x.value)};
}
inline Double at_least(Double x, double least) {
  return {x.builder, x.builder->binary(Code::Max, x.builder->constant(least), x.value)};
}
inline Double choose(Mask64 condition, Double a, Double b) {
  Builder& builder = *condition.builder;
  return {&builder, builder.select(condition.value, a.in(builder), b.in(builder))};
}
inline Bits64 shift_left(Bits64 x, int count) {
  return {x.builder, x.builder->unary(Code::ShiftLeft, x.value, static_cast<uint64_t>(count))};
}
inline Bits64 shift_right(Bits64 x, int count) {
  return {x.builder, x.builder->unary(Code::ShiftBits, x.value, static_cast<uint64_t>(count))};
}
/// Select looks at the sign.
inline Mask64 is_odd(Bits64 x) {
  return {x.builder, x.builder->unary(Code::ShiftLeft, x.value, 63)};
}

}  // namespace caten::vector
