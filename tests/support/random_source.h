// RandomSource: the same numbers from a seed on every machine (std distributions are not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace caten::testing {

class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(seed) {}

  /// splitmix64.
  uint64_t bits() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  /// Uniform in [0, n); n > 0.
  int64_t below(int64_t n) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(n)); }
  /// Uniform in [low, high].
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  /// True in `percent` of all cases.
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  const T& pick(std::span<const T> from) {
    return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
  }
  template <typename T>
  T pick(std::initializer_list<T> from) {
    return pick(std::span<const T>(from.begin(), from.size()));
  }

 private:
  uint64_t state_;
};

}  // namespace caten::testing
