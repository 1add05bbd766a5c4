// Conditions of rules.
#include "ir/rules/guards.h"

#include <fmt/core.h>

#include <cmath>

#include "ir/air/evaluate.h"

namespace caten::rules {

using rewrite::Guard;
using rewrite::Match;

const Guard& is_int() {
  static const Guard guard{"integer or bool",
                           [](const Match& match) { return !is_float(match.root.dtype); }};
  return guard;
}

const Guard& is_float() {
  static const Guard guard{"float",
                           [](const Match& match) { return caten::is_float(match.root.dtype); }};
  return guard;
}

const Guard& is_bool() {
  static const Guard guard{"bool",
                           [](const Match& match) { return match.root.dtype == DType::Bool; }};
  return guard;
}

const Guard& of_ints() {
  static const Guard guard{"operands are integer or bool", [](const Match& match) {
                             return !caten::is_float(match.input(0).dtype);
                           }};
  return guard;
}

Guard constant_is(const rewrite::Pat& constant, std::string text,
                  bool (*predicate)(const Scalar&)) {
  return {fmt::format("{} is {}", constant.to_string(), text),
          [constant, predicate](const Match& match) { return predicate(match.value(constant)); }};
}

bool is_zero(const Scalar& value) {
  return value.bits() == 0;
}

bool is_negative_zero(const Scalar& value) {
  return caten::is_float(value.dtype()) && value.bits() != 0 && value.as_double() == 0.0;
}

bool is_all_ones(const Scalar& value) {
  return !caten::is_float(value.dtype()) && value == Scalar::of_bits(value.dtype(), ~uint64_t{0});
}

bool is_lowest(const Scalar& value) {
  return value == air::identity(air::ReduceOp::Max, value.dtype());
}

bool is_highest(const Scalar& value) {
  return value == air::identity(air::ReduceOp::Min, value.dtype());
}

bool is_exact_divisor(const Scalar& value) {
  const double number = value.as_double();
  int exponent = 0;
  if (!std::isfinite(number) || std::abs(std::frexp(number, &exponent)) != 0.5) {
    return false;
  }
  const Scalar reciprocal = Scalar::of_double(value.dtype(), 1.0 / number);
  return reciprocal.as_double() == 1.0 / number;
}

}  // namespace caten::rules
