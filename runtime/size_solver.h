// Finds the values of symbols from the concrete shapes of inputs: each size expression that is
// linear in one unknown symbol is solved, until nothing new is learnt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/program.h"

namespace caten::runtime {

/// The value in `sizes` of a symbol that is not known yet.
inline constexpr int64_t kUnknownSize = -1;

bool all_known(const SizeExpr& expr, std::span<const int64_t> sizes);

struct Solution {
  int64_t symbol;
  int64_t value;  // >= 0
};
/// The one unknown symbol of `expr` and its value for expr == value, when expr is linear in it and
/// a non-negative integer solves the equation.
std::optional<Solution> solve(const SizeExpr& expr, int64_t value, std::span<const int64_t> sizes);

}  // namespace caten::runtime
