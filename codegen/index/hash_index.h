// Finds numbers of things by their hashes: a table of open addressing beside the vector that holds
// the things themselves, which are numbered in the order in which they were added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace caten::index {

class HashIndex {
 public:
  /// The number of the thing with this hash for which `equals` holds.
  template <typename Equals>
  std::optional<uint32_t> find(size_t hash, Equals equals) const {
    if (slots_.empty()) {
      return std::nullopt;
    }
    const Slot& slot = slots_[place(hash, equals)];
    return slot.number == kFree ? std::nullopt : std::optional(slot.number);
  }

  /// The same; `next`, which is added, when there is none.
  template <typename Equals>
  uint32_t find_or_add(size_t hash, uint32_t next, Equals equals) {
    if (2 * (count_ + 1) > slots_.size()) {
      grow();
    }
    Slot& slot = slots_[place(hash, equals)];
    if (slot.number == kFree) {
      slot = {next, static_cast<uint32_t>(hash)};
      ++count_;
    }
    return slot.number;
  }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  struct Slot {
    uint32_t number = kFree;
    uint32_t hash = 0;  // the low half
  };

  template <typename Equals>
  size_t place(size_t hash, Equals equals) const {
    const size_t mask = slots_.size() - 1;
    size_t at = hash & mask;
    while (slots_[at].number != kFree &&
           (slots_[at].hash != static_cast<uint32_t>(hash) || !equals(slots_[at].number))) {
      at = (at + 1) & mask;
    }
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kFree) {
        slots_[place(slot.hash, [](uint32_t) { return false; })] = slot;
      }
    }
  }

  std::vector<Slot> slots_;  // a power of two
  size_t count_ = 0;
};

}  // namespace caten::index
