// RandomState: the pseudo-random generator behind RANDOM (xoshiro256**, Blackman and Vigna).
#pragma once

#include <array>

#include "frontend/lisp/value.h"

namespace caten::lisp {

struct RandomState : HeapObject {
  explicit RandomState(uint64_t seed);
  uint64_t next();
  /// Uniform in [0, bound), bound > 0, without bias.
  uint64_t below(uint64_t bound);
  /// Uniform in [0, 1) with `bits` random bits.
  double unit(int bits) {
    return static_cast<double>(next() >> (64 - bits)) / static_cast<double>(uint64_t{1} << bits);
  }

  std::array<uint64_t, 4> words{};
  static const ObjectType kType;
};

/// A state, or NIL for the value of *RANDOM-STATE*.
RandomState& random_state(Interpreter& interp, Value designator);

}  // namespace caten::lisp
