// The factors of a term: a short vector of atoms. Nearly all products have three factors at most
// and need no memory of their own: index expressions are made by the hundred thousand.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "ir/support/id.h"

namespace caten::index {

using AtomId = Id<struct AtomTag>;

class AtomList {
 public:
  using value_type = AtomId;
  using iterator = AtomId*;
  using const_iterator = const AtomId*;

  AtomList() = default;
  AtomList(std::initializer_list<AtomId> atoms) { append(atoms.begin(), atoms.end()); }
  AtomList(const AtomList& other) { append(other.begin(), other.end()); }
  AtomList(AtomList&& other) noexcept
      : size_(other.size_),
        capacity_(other.capacity_),
        inside_(other.inside_),
        outside_(std::move(other.outside_)) {
    other.forget();
  }
  AtomList& operator=(const AtomList& other) {
    if (this != &other) {
      size_ = 0;
      append(other.begin(), other.end());
    }
    return *this;
  }
  AtomList& operator=(AtomList&& other) noexcept {
    if (this != &other) {
      size_ = other.size_;
      capacity_ = other.capacity_;
      inside_ = other.inside_;
      outside_ = std::move(other.outside_);
      other.forget();
    }
    return *this;
  }
  ~AtomList() = default;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  AtomId* begin() { return outside_ ? outside_.get() : inside_.data(); }
  AtomId* end() { return begin() + size_; }
  const AtomId* begin() const { return outside_ ? outside_.get() : inside_.data(); }
  const AtomId* end() const { return begin() + size_; }
  AtomId operator[](size_t i) const { return begin()[i]; }
  AtomId front() const { return *begin(); }

  void push_back(AtomId atom) {
    reserve(size_ + 1);
    begin()[size_++] = atom;
  }
  /// The atoms must not be this list's own.
  void append(const AtomId* first, const AtomId* last) {
    const auto count = static_cast<uint32_t>(last - first);
    reserve(size_ + count);
    std::copy(first, last, end());
    size_ += count;
  }
  void erase(const AtomId* place) {
    AtomId* const at = begin() + (place - begin());
    std::copy(at + 1, end(), at);
    --size_;
  }

  friend bool operator==(const AtomList& a, const AtomList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend std::strong_ordering operator<=>(const AtomList& a, const AtomList& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr uint32_t kInside = 4;

  void reserve(uint32_t wanted) {
    if (wanted <= capacity_) {
      return;
    }
    const uint32_t capacity = std::max(wanted, 2 * capacity_);
    auto grown = std::make_unique<AtomId[]>(capacity);
    std::copy(begin(), end(), grown.get());
    outside_ = std::move(grown);
    capacity_ = capacity;
  }
  void forget() {
    size_ = 0;
    capacity_ = kInside;
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = kInside;
  std::array<AtomId, kInside> inside_;
  std::unique_ptr<AtomId[]> outside_;  // once there have been more
};

}  // namespace caten::index
