// Scan and Sort. A scan combines in the element type, or float32 for the 16-bit floats, one element
// after the other: its results are exact to the bit.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/air/evaluate/arithmetic.h"
#include "ir/air/evaluate/element.h"
#include "ir/air/evaluate/view.h"

namespace caten::air::evaluation {
namespace {

/// Calls f(first, stride) for every line of a dense array along an axis.
template <typename F>
void for_each_line(const Extents& shape, size_t axis, F f) {
  const Extents strides = dense_strides(shape);
  const int64_t count = count_elements(shape, DType::UInt8);
  for (int64_t i = 0; i < count; ++i) {
    if (i / strides[axis] % shape[axis] == 0) {
      f(i, strides[axis]);
    }
  }
}

/// Whether `a` comes before `b`; NaN come last in either order.
template <typename T>
bool comes_before(T a, T b, bool descending) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return !std::isnan(a);
    }
  }
  return descending ? b < a : a < b;
}

}  // namespace

View scan(const Step& step) {
  const auto& attr = step.node.get<ScanAttr>();
  const auto axis = static_cast<size_t>(attr.axis);
  Array out = to_array(step.inputs[0]);
  visit_dtype(step.node.dtype, [&](auto element) {
    using E = decltype(element);
    using T = typename E::Compute;
    const auto combine = binary_function<T>(elementwise(attr.op));
    CATEN_CHECK(combine != nullptr, "no such scan on {}", caten::name(E::kDType));
    auto* data = reinterpret_cast<typename E::Storage*>(out.data.data());
    for_each_line(step.shape, axis, [&](int64_t first, int64_t stride) {
      // A sum starts at 0, as that of a reduction: it is never -0.0.
      T sum = E::load(data[first]);
      if (attr.op == ReduceOp::Add) {
        sum = combine(T(0), sum);
      }
      data[first] = E::store(sum);
      for (int64_t i = 1; i < step.shape[axis]; ++i) {
        sum = combine(sum, E::load(data[first + i * stride]));
        data[first + i * stride] = E::store(sum);
      }
    });
  });
  return own(std::move(out));
}

View sort(const Step& step) {
  const auto& attr = step.node.get<SortAttr>();
  const auto axis = static_cast<size_t>(attr.axis);
  const Array keys = to_array(step.inputs[0]);
  Array out = Array::zeros(DType::Int64, step.shape);
  auto* order = reinterpret_cast<int64_t*>(out.data.data());
  visit_dtype(keys.dtype, [&](auto element) {
    using E = decltype(element);
    const auto* data = reinterpret_cast<const typename E::Storage*>(keys.data.data());
    for_each_line(step.shape, axis, [&](int64_t first, int64_t stride) {
      std::vector<int64_t> line(static_cast<size_t>(step.shape[axis]));
      std::iota(line.begin(), line.end(), 0);
      std::stable_sort(line.begin(), line.end(), [&](int64_t a, int64_t b) {
        return comes_before(E::load(data[first + a * stride]), E::load(data[first + b * stride]),
                            attr.descending);
      });
      for (size_t i = 0; i < line.size(); ++i) {
        order[first + static_cast<int64_t>(i) * stride] = line[i];
      }
    });
  });
  return own(std::move(out));
}

}  // namespace caten::air::evaluation
