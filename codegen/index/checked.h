// Checked int64 arithmetic of index expressions.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/support/check.h"

namespace caten::index {

/// A number of an index expression is beyond int64. Proofs, which multiply expressions by each
/// other, take it as "not proven"; everywhere else it is a bug, since sizes are checked to fit.
class Overflow : public InternalError {
 public:
  Overflow() : InternalError("index arithmetic overflows int64") {}
};

inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) {
    throw Overflow();
  }
  return result;
}

inline int64_t checked_mul(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    throw Overflow();
  }
  return result;
}

inline std::optional<int64_t> try_add(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t result = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &result)) {
    return std::nullopt;
  }
  return result;
}

inline std::optional<int64_t> try_mul(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t result = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &result)) {
    return std::nullopt;
  }
  return result;
}

inline int64_t floor_quotient(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

}  // namespace caten::index
