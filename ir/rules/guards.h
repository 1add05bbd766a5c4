// Conditions that several tables use. `root` is the node that a left side matched.
#pragma once

#include "ir/rewrite/rule_set.h"

namespace caten::rules {

/// The result is an integer or bool.
const rewrite::Guard& is_int();
const rewrite::Guard& is_float();
const rewrite::Guard& is_bool();
/// The operands (of a comparison) are integers or bool.
const rewrite::Guard& of_ints();

/// The value of a constant satisfies a predicate.
rewrite::Guard constant_is(const rewrite::Pat& constant, std::string text,
                           bool (*predicate)(const Scalar&));
bool is_zero(const Scalar& value);           // all bits 0: an integer 0, false or +0.0
bool is_negative_zero(const Scalar& value);  // -0.0
bool is_all_ones(const Scalar& value);       // ~0, true
bool is_lowest(const Scalar& value);         // -inf or the lowest integer, false
bool is_highest(const Scalar& value);
bool is_exact_divisor(const Scalar& value);  // its reciprocal is exact: a power of two

}  // namespace caten::rules
