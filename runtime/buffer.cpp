// Storage: checked sizes, aligned allocation, counted bytes.
#include "runtime/buffer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "ir/support/check.h"
#include "runtime/backend.h"

#if defined(__SANITIZE_ADDRESS__)
// Memory that is not there is a RuntimeError, under AddressSanitizer too.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
#endif

namespace caten::runtime {
namespace {

constexpr size_t kAlignment = 64;

}  // namespace

std::optional<int64_t> checked_elements(std::span<const int64_t> shape) {
  // A size of 0 does not excuse the others: (0 -1) is refused, (0 2^62 2^62) overflows.
  int64_t product = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0) {
      return std::nullopt;
    }
    if (size == 0) {
      empty = true;
      continue;
    }
    if (__builtin_mul_overflow(product, size, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

std::optional<int64_t> checked_bytes(DType dtype, std::span<const int64_t> shape) {
  std::optional<int64_t> elements = checked_elements(shape);
  int64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, int64_t{size_of(dtype)}, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (int64_t size : shape) {
    text += (text.size() > 1 ? " " : "") + std::to_string(size);
  }
  return text + ")";
}

Storage::Storage(DType dtype, std::vector<int64_t> shape)
    : dtype_(dtype), shape_(std::move(shape)) {
  std::optional<int64_t> bytes = checked_bytes(dtype_, shape_);
  if (!bytes) {
    throw RuntimeError(
        fmt::format("an array of {} {} is impossible: {}", name(dtype_), shape_text(shape_),
                    std::any_of(shape_.begin(), shape_.end(), [](int64_t size) { return size < 0; })
                        ? "a size is negative"
                        : "its size overflows"));
  }
  bytes_ = static_cast<size_t>(*bytes);
  elements_ = *bytes / size_of(dtype_);
}

StoragePtr Storage::allocate(DType dtype, std::vector<int64_t> shape, Fill fill,
                             std::shared_ptr<ByteCounter> counter) {
  StoragePtr storage(new Storage(dtype, std::move(shape)));
  // Rounded up, and never 0, so that every storage has an address of its own.
  size_t rounded = (storage->bytes_ / kAlignment + 1) * kAlignment;
  storage->data_ = std::aligned_alloc(kAlignment, rounded);
  if (storage->data_ == nullptr) {
    throw RuntimeError(fmt::format("out of memory for an array of {} {} ({} bytes)", name(dtype),
                                   shape_text(storage->shape_), storage->bytes_));
  }
  storage->owned_ = true;
  if (fill == Fill::Zero) {
    std::memset(storage->data_, 0, rounded);
  }
  if (counter) {
    counter->add(static_cast<int64_t>(rounded));
    storage->counted_ = static_cast<int64_t>(rounded);
    storage->counter_ = std::move(counter);
  }
  return storage;
}

StoragePtr Storage::wrap(DType dtype, std::vector<int64_t> shape, void* data,
                         std::shared_ptr<void> owner) {
  StoragePtr storage(new Storage(dtype, std::move(shape)));
  storage->data_ = data;
  storage->owner_ = std::move(owner);
  return storage;
}

StoragePtr Storage::reshaped(StoragePtr storage, std::vector<int64_t> shape) {
  StoragePtr result(new Storage(storage->dtype_, std::move(shape)));
  CATEN_CHECK(result->elements_ == storage->elements_, "reshape of {} to {}",
              shape_text(storage->shape_), shape_text(result->shape_));
  result->data_ = storage->data_;
  result->owner_ = std::move(storage);
  return result;
}

Storage::~Storage() {
  if (owned_) {
    std::free(data_);
  }
  if (counter_) {
    counter_->add(-counted_);
  }
}

Scalar Storage::at(int64_t i) const {
  CATEN_CHECK(i >= 0 && i < elements_, "element {} of {}", i, elements_);
  return Scalar::load(dtype_, static_cast<const std::byte*>(data_) + i * size_of(dtype_));
}

void Storage::set(int64_t i, Scalar value) {
  CATEN_CHECK(i >= 0 && i < elements_, "element {} of {}", i, elements_);
  value.cast(dtype_).store(static_cast<std::byte*>(data_) + i * size_of(dtype_));
}

StoragePtr Storage::clone() const {
  StoragePtr copy = allocate(dtype_, shape_, Fill::Undefined, counter_);
  if (bytes_ != 0) {
    std::memcpy(copy->data_, data_, bytes_);
  }
  return copy;
}

void normalize_bools(Storage& storage) {
  if (storage.dtype() != DType::Bool) {
    return;
  }
  std::span bytes(static_cast<uint8_t*>(storage.data()), storage.bytes());
  for (uint8_t& byte : bytes) {
    byte = byte != 0 ? 1 : 0;
  }
}

}  // namespace caten::runtime
