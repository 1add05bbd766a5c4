// Size expressions as linear functions of the one symbol that is not known yet.
#include "runtime/size_solver.h"

#include <algorithm>
#include <vector>

namespace caten::runtime {
namespace {

/// slope * x + offset, x being the unknown.
struct Linear {
  int64_t slope = 0;
  int64_t offset = 0;
};

std::optional<Linear> combine(SizeExpr::Op op, Linear a, Linear b) {
  Linear result;
  bool overflow = false;
  switch (op) {
    case SizeExpr::Op::Add:
      overflow = __builtin_add_overflow(a.slope, b.slope, &result.slope) ||
                 __builtin_add_overflow(a.offset, b.offset, &result.offset);
      break;
    case SizeExpr::Op::Sub:
      overflow = __builtin_sub_overflow(a.slope, b.slope, &result.slope) ||
                 __builtin_sub_overflow(a.offset, b.offset, &result.offset);
      break;
    case SizeExpr::Op::Mul: {
      if (a.slope != 0) {
        std::swap(a, b);
      }
      if (a.slope != 0) {
        return std::nullopt;  // quadratic
      }
      overflow = __builtin_mul_overflow(a.offset, b.slope, &result.slope) ||
                 __builtin_mul_overflow(a.offset, b.offset, &result.offset);
      break;
    }
    case SizeExpr::Op::FloorDiv:
    case SizeExpr::Op::Mod:
    case SizeExpr::Op::Max:
    case SizeExpr::Op::Min: {
      if (a.slope != 0 || b.slope != 0) {
        return std::nullopt;
      }
      SizeExpr known{{{SizeExpr::Op::Const, a.offset}, {SizeExpr::Op::Const, b.offset}, {op, 0}}};
      std::optional<int64_t> value = known.evaluate({});
      if (!value) {
        return std::nullopt;
      }
      result.offset = *value;
      break;
    }
    case SizeExpr::Op::Const:
    case SizeExpr::Op::Symbol:
      return std::nullopt;
  }
  return overflow ? std::nullopt : std::optional(result);
}

}  // namespace

bool all_known(const SizeExpr& expr, std::span<const int64_t> sizes) {
  return std::all_of(expr.items.begin(), expr.items.end(), [&](const SizeExpr::Item& item) {
    return item.op != SizeExpr::Op::Symbol ||
           sizes[static_cast<size_t>(item.value)] != kUnknownSize;
  });
}

std::optional<Solution> solve(const SizeExpr& expr, int64_t value, std::span<const int64_t> sizes) {
  int64_t unknown = -1;
  std::vector<Linear> stack;
  for (const SizeExpr::Item& item : expr.items) {
    if (item.op == SizeExpr::Op::Const) {
      stack.push_back({0, item.value});
      continue;
    }
    if (item.op == SizeExpr::Op::Symbol) {
      int64_t known = sizes[static_cast<size_t>(item.value)];
      if (known != kUnknownSize) {
        stack.push_back({0, known});
        continue;
      }
      if (unknown >= 0 && unknown != item.value) {
        return std::nullopt;
      }
      unknown = item.value;
      stack.push_back({1, 0});
      continue;
    }
    Linear right = stack.back();
    stack.pop_back();
    std::optional<Linear> result = combine(item.op, stack.back(), right);
    if (!result) {
      return std::nullopt;
    }
    stack.back() = *result;
  }
  Linear equation = stack.back();
  int64_t difference = 0;
  if (unknown < 0 || equation.slope == 0 || equation.slope == INT64_MIN ||
      __builtin_sub_overflow(value, equation.offset, &difference) ||
      (difference == INT64_MIN && equation.slope == -1) || difference % equation.slope != 0) {
    return std::nullopt;
  }
  int64_t solution = difference / equation.slope;
  return solution < 0 ? std::nullopt : std::optional(Solution{unknown, solution});
}

}  // namespace caten::runtime
