// Decisions: the choices of scheduling and tiling that may change how numbers are computed, but not
// the numbers. The compiler takes what its cost model says; the fuzz driver draws from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace caten::codegen {

class Decisions {
 public:
  /// What the cost model says, always.
  Decisions() = default;
  /// At random.
  explicit Decisions(uint64_t seed) : state_(seed), random_(true) {}

  /// `usual`; at random one time in `odds` the opposite.
  bool choose(bool usual, uint64_t odds) { return random_ && draw(odds) == 0 ? !usual : usual; }

  /// `usual`; at random as likely one of the others.
  int64_t pick(int64_t usual, std::initializer_list<int64_t> others) {
    const uint64_t at = random_ ? draw(others.size() + 1) : others.size();
    return at == others.size() ? usual : others.begin()[at];
  }

  /// The order as it is; at random any, half of the time.
  template <typename T>
  void order(std::vector<T>& items) {
    if (!random_ || draw(2) == 0) {
      return;
    }
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[draw(i)]);
    }
  }

 private:
  /// SplitMix64, Steele, Lea and Flood 2014.
  uint64_t draw(uint64_t below) {
    state_ += 0x9e3779b97f4a7c15U;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % below;
  }

  uint64_t state_ = 0;
  bool random_ = false;
};

}  // namespace caten::codegen
