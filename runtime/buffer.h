// Storage: the bytes of one concrete array: dtype, shape, 64-byte aligned row-major elements.
// Shared by shared_ptr and freed with the last reference; sizes are checked before anything is
// allocated. Live bytes are counted in a ByteCounter, so that a collector whose objects hold
// storages can feel their weight.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/type.h"

namespace caten::runtime {

/// Bytes of live storages that were allocated with this counter. Thread safe.
class ByteCounter {
 public:
  int64_t live() const { return live_.load(std::memory_order_relaxed); }
  void add(int64_t bytes) { live_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> live_{0};
};

/// Product of the sizes; nullopt when one is negative or the product overflows int64.
std::optional<int64_t> checked_elements(std::span<const int64_t> shape);
/// Bytes of an array; nullopt when that overflows or a size is negative.
std::optional<int64_t> checked_bytes(DType dtype, std::span<const int64_t> shape);
/// "(3 4)"; "()" for rank 0.
std::string shape_text(std::span<const int64_t> shape);

enum class Fill : uint8_t { Zero, Undefined };

class Storage;
using StoragePtr = std::shared_ptr<Storage>;

class Storage {
 public:
  /// Throws RuntimeError for negative or overflowing sizes and when memory is exhausted.
  static StoragePtr allocate(DType dtype, std::vector<int64_t> shape, Fill fill = Fill::Zero,
                             std::shared_ptr<ByteCounter> counter = nullptr);
  /// Memory of somebody else (a mapped file): `owner` is kept as long as the storage.
  static StoragePtr wrap(DType dtype, std::vector<int64_t> shape, void* data,
                         std::shared_ptr<void> owner);

  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  int64_t elements() const { return elements_; }
  size_t bytes() const { return bytes_; }
  /// Whether the bytes are this storage's alone (made by allocate(), neither wrapped nor shared).
  bool owns_memory() const { return owned_; }
  void* data() { return data_; }
  const void* data() const { return data_; }

  /// Element `i` in row-major order; a bug of ours (InternalError) when out of range.
  Scalar at(int64_t i) const;
  /// Stores `value` cast to the dtype.
  void set(int64_t i, Scalar value);

  /// A copy of the elements in memory of its own.
  StoragePtr clone() const;
  /// The same bytes under another shape of equal element count. Keeps `storage` alive.
  static StoragePtr reshaped(StoragePtr storage, std::vector<int64_t> shape);

 private:
  Storage(DType dtype, std::vector<int64_t> shape);

  DType dtype_;
  std::vector<int64_t> shape_;
  int64_t elements_ = 0;
  size_t bytes_ = 0;
  void* data_ = nullptr;
  bool owned_ = false;                    // data_ came from allocate()
  std::shared_ptr<void> owner_;           // of data_, when not owned_
  std::shared_ptr<ByteCounter> counter_;  // may be null
  int64_t counted_ = 0;
};

/// Makes every element of a bool storage 0 or 1, for bytes that come from outside; other dtypes
/// are left alone.
void normalize_bools(Storage& storage);

}  // namespace caten::runtime
