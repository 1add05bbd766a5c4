// Elements: what an array holds, in row-major order: its own store (a std::vector<Value> or a
// std::u32string), or a window on the elements of another array ("displaced"). Windows may be on
// windows. An adjusted array may become too small for the windows on it: these then fail at their
// next use, with an error of the user's, and never read beyond a store.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "ir/support/heap.h"

namespace caten::lisp {

/// Fails: an array displaced to another looks beyond the end of that.
[[noreturn]] void fail_outgrown();

template <typename Store>
class Elements {
 public:
  using T = typename Store::value_type;

  explicit Elements(Store own) : own_(std::move(own)) {}

  size_t size() const { return window_ == nullptr ? own_.size() : window_->count; }
  bool empty() const { return size() == 0; }
  T* data() { return window_ == nullptr ? own_.data() : const_cast<T*>(window(0, size())); }
  const T* data() const { return window_ == nullptr ? own_.data() : window(0, size()); }
  T& operator[](size_t i) { return window_ == nullptr ? own_[i] : *const_cast<T*>(window(i, 1)); }
  const T& operator[](size_t i) const { return window_ == nullptr ? own_[i] : *window(i, 1); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }

  /// The store itself, to change its size: a window first becomes a copy of what it shows.
  Store& own() {
    if (window_ != nullptr) {
      own_ = Store(begin(), end());
      window_.reset();
    }
    return own_;
  }

  /// Makes this a window of `count` elements on those of `target`, an object of the heap, from
  /// `offset` on; they must be there, and `of` must not be a window on this (see is_window_on).
  void displace(const HeapObject* target, Elements& of, size_t offset, size_t count) {
    window_ = std::make_unique<Window>(Window{target, &of, offset, count});
    own_ = Store();
  }
  bool is_window_on(const Elements& other) const {
    const Elements* at = this;
    while (at->window_ != nullptr && at != &other) {
      at = at->window_->of;
    }
    return at == &other;
  }
  /// What array-displacement tells: null if the elements are its own.
  const HeapObject* target() const { return window_ == nullptr ? nullptr : window_->target; }
  size_t offset() const { return window_ == nullptr ? 0 : window_->offset; }

  /// False for a window that looks beyond the end of what it is on.
  bool intact() const { return window_ == nullptr || find(0, size()) != nullptr; }

 private:
  struct Window {
    const HeapObject* target;
    Elements* of;  // inside `target`
    size_t offset, count;
  };

  /// `count` elements from `i` on in the store at the end of the windows, or null.
  const T* find(size_t i, size_t count) const {
    const Elements* at = this;
    for (; at->window_ != nullptr; at = at->window_->of) {
      if (count > at->window_->count || i > at->window_->count - count) {
        return nullptr;
      }
      i += at->window_->offset;
    }
    const size_t size = at->own_.size();
    return count > size || i > size - count ? nullptr : at->own_.data() + i;
  }
  const T* window(size_t i, size_t count) const {
    const T* found = find(i, count);
    if (found == nullptr) {
      fail_outgrown();
    }
    return found;
  }

  Store own_;
  std::unique_ptr<Window> window_;
};

}  // namespace caten::lisp
