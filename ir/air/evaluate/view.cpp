// Arrays and views of the reference interpreter.
#include "ir/air/evaluate/view.h"

#include <fmt/core.h>

#include <cstring>

namespace caten::air {

Array Array::zeros(DType dtype, std::vector<int64_t> shape) {
  const int64_t bytes = evaluation::count_elements(shape, dtype) * size_of(dtype);
  return {dtype, std::move(shape), std::vector<std::byte>(static_cast<size_t>(bytes))};
}

int64_t Array::elements() const {
  return evaluation::count_elements(shape, dtype);
}

Scalar Array::at(int64_t i) const {
  return Scalar::load(dtype, data.data() + i * size_of(dtype));
}

void Array::set(int64_t i, Scalar value) {
  value.store(data.data() + i * size_of(dtype));
}

namespace evaluation {

Extents dense_strides(const Extents& shape) {
  Extents strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

int64_t count_elements(const Extents& shape, DType dtype) {
  int64_t count = size_of(dtype);
  bool empty = false;
  for (const int64_t extent : shape) {
    empty = empty || extent == 0;
    if (extent < 0) {
      throw EvaluateError(fmt::format("an axis has the negative size {}", extent));
    }
  }
  for (const int64_t extent : shape) {
    if (!empty && __builtin_mul_overflow(count, extent, &count)) {
      throw EvaluateError("the size of an array overflows 64 bits");
    }
  }
  return empty ? 0 : count / size_of(dtype);
}

View own(Array array) {
  Extents strides = dense_strides(array.shape);
  return {array.dtype, std::make_shared<const Bytes>(std::move(array.data)), 0,
          std::move(array.shape), std::move(strides)};
}

View borrow(const Array& array) {
  return {array.dtype, std::shared_ptr<const Bytes>(std::shared_ptr<void>(), &array.data), 0,
          array.shape, dense_strides(array.shape)};
}

bool is_dense(const View& view) {
  const Extents dense = dense_strides(view.shape);
  for (size_t i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] != 1 && view.strides[i] != dense[i]) {
      return false;
    }
  }
  return true;
}

namespace {

template <typename Word>
void copy_words(const View& source, Bytes& target, int64_t offset, const Extents& strides) {
  const std::byte* from = source.first();
  std::byte* to = target.data() + offset * static_cast<int64_t>(sizeof(Word));
  for_each_row<2>(
      source.shape, {&source.strides, &strides},
      [&](const std::array<int64_t, 2>& at, int64_t n, const std::array<int64_t, 2>& step) {
        constexpr auto kSize = static_cast<int64_t>(sizeof(Word));
        for (int64_t i = 0; i < n; ++i) {
          std::memcpy(to + (at[1] + i * step[1]) * kSize, from + (at[0] + i * step[0]) * kSize,
                      sizeof(Word));
        }
      });
}

}  // namespace

void copy_into(const View& source, Bytes& target, int64_t offset, const Extents& strides) {
  switch (size_of(source.dtype)) {
    case 1:
      return copy_words<uint8_t>(source, target, offset, strides);
    case 2:
      return copy_words<uint16_t>(source, target, offset, strides);
    case 4:
      return copy_words<uint32_t>(source, target, offset, strides);
    default:
      return copy_words<uint64_t>(source, target, offset, strides);
  }
}

Array to_array(const View& view) {
  Array out = Array::zeros(view.dtype, view.shape);
  copy_into(view, out.data, 0, dense_strides(view.shape));
  return out;
}

int64_t Step::size(const Dim& dim) const {
  if (const auto number = dim.constant()) {
    return *number;
  }
  const auto value = dim.evaluate([this](std::string_view symbol) -> std::optional<int64_t> {
    const auto found = env.symbols.find(std::string(symbol));
    if (found == env.symbols.end()) {
      throw EvaluateError(fmt::format("size `{}` has no value", symbol));
    }
    return found->second;
  });
  if (!value) {
    throw EvaluateError(fmt::format("size {} overflows or divides by zero", dim.to_string()));
  }
  return *value;
}

}  // namespace evaluation
}  // namespace caten::air
