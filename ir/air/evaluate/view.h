// View: what the reference interpreter computes with: shared elements under a shape and strides, so
// that movement ops move nothing. Offsets and strides count elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ir/air/evaluate.h"

namespace caten::air::evaluation {

using Extents = std::vector<int64_t>;
using Bytes = std::vector<std::byte>;

struct View {
  DType dtype = DType::Float32;
  std::shared_ptr<const Bytes> data;
  int64_t offset = 0;
  Extents shape;
  Extents strides;

  const std::byte* first() const { return data->data() + offset * size_of(dtype); }
};

/// Row-major strides.
Extents dense_strides(const Extents& shape);
/// The number of elements; throws EvaluateError when it (or its bytes) does not fit in 64 bits.
int64_t count_elements(const Extents& shape, DType dtype);

/// A view that owns the array's elements.
View own(Array array);
/// A view of elements that outlive it.
View borrow(const Array& array);
/// A copy of the elements in row-major order.
Array to_array(const View& view);
bool is_dense(const View& view);

/// Writes all elements of `source` to `target`, whose element at index i is at
/// offset + i . strides.
void copy_into(const View& source, Bytes& target, int64_t offset, const Extents& strides);

/// Calls f(offsets, n, steps) for every innermost row of `shape`: n elements whose k-th operand is
/// at offsets[k] + j * steps[k]. Rank 0 is one row of one element.
template <size_t N, typename F>
void for_each_row(const Extents& shape, const std::array<const Extents*, N>& strides, F f) {
  for (const int64_t extent : shape) {
    if (extent == 0) {
      return;
    }
  }
  std::array<int64_t, N> offsets{};
  std::array<int64_t, N> steps{};
  if (shape.empty()) {
    f(offsets, int64_t{1}, steps);
    return;
  }
  const size_t last = shape.size() - 1;
  for (size_t k = 0; k < N; ++k) {
    steps[k] = (*strides[k])[last];
  }
  Extents index(last, 0);
  while (true) {
    f(offsets, shape[last], steps);
    size_t axis = last;
    while (axis-- > 0) {
      ++index[axis];
      for (size_t k = 0; k < N; ++k) {
        offsets[k] += (*strides[k])[axis];
      }
      if (index[axis] < shape[axis]) {
        break;
      }
      for (size_t k = 0; k < N; ++k) {
        offsets[k] -= shape[axis] * (*strides[k])[axis];
      }
      index[axis] = 0;
    }
    if (axis == SIZE_MAX) {
      return;
    }
  }
}

/// One node to evaluate: its concrete shape and the values of its inputs.
struct Step {
  const Node& node;
  Extents shape;
  std::vector<View> inputs;
  const Environment& env;

  /// The value of a size; throws EvaluateError when a symbol has none or it overflows.
  int64_t size(const Dim& dim) const;
};

// One evaluator per kind of op; evaluate.cpp holds the table.
View constant(const Step& step);
View input(const Step& step);
View param(const Step& step);
View dim_value(const Step& step);
View iota(const Step& step);
View unary(const Step& step);
View cast(const Step& step);
View bitcast(const Step& step);
View binary(const Step& step);
View where(const Step& step);
View reshape(const Step& step);
View permute(const Step& step);
View expand(const Step& step);
View slice(const Step& step);
View pad(const Step& step);
View concat(const Step& step);
View reduce(const Step& step);
View arg_reduce(const Step& step);
View gather(const Step& step);
View take_along(const Step& step);
View scatter(const Step& step);
View scan(const Step& step);
View sort(const Step& step);
View assign(const Step& step);

/// The part of `base` (shape and strides; offset relative to base's first element) that a slice
/// with these dynamic starts selects.
View slice_of(const View& base, const Step& step, size_t first_dynamic_input);

}  // namespace caten::air::evaluation
