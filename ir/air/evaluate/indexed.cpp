// Gather, TakeAlong and Scatter, element by element.
#include <fmt/core.h>

#include <cstring>

#include "ir/air/evaluate/arithmetic.h"
#include "ir/air/evaluate/element.h"
#include "ir/air/evaluate/view.h"

namespace caten::air::evaluation {
namespace {

/// The element that an index names: a negative one counts from the end once.
int64_t checked_index(int64_t given, size_t axis, int64_t extent) {
  const int64_t index = given < 0 ? given + extent : given;
  if (index < 0 || index >= extent) {
    throw EvaluateError(
        fmt::format("index {} is out of range for axis {} of size {}", given, axis, extent));
  }
  return index;
}

/// Calls f(coordinates) for every element of a shape in row-major order.
template <typename F>
void for_each_element(const Extents& shape, F f) {
  const int64_t count = count_elements(shape, DType::UInt8);
  Extents at(shape.size(), 0);
  for (int64_t k = 0; k < count; ++k) {
    f(at);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) {
        break;
      }
      at[axis] = 0;
    }
  }
}

int64_t position(const Extents& at, const Extents& strides) {
  int64_t sum = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    sum += at[i] * strides[i];
  }
  return sum;
}

/// target = target op update, or update where there is no op.
void combine(std::optional<Op> op, DType dtype, std::byte* target, const std::byte* update) {
  if (!op) {
    std::memcpy(target, update, static_cast<size_t>(size_of(dtype)));
    return;
  }
  visit_dtype(dtype, [&](auto element) {
    using E = decltype(element);
    const auto f = binary_function<typename E::Compute>(*op);
    CATEN_CHECK(f != nullptr, "no `{}` on {}", name(*op), caten::name(dtype));
    auto* to = reinterpret_cast<typename E::Storage*>(target);
    const auto* from = reinterpret_cast<const typename E::Storage*>(update);
    *to = E::store(f(E::load(*to), E::load(*from)));
  });
}

}  // namespace

View gather(const Step& step) {
  const auto axis = static_cast<size_t>(step.node.get<AxisAttr>().axis);
  const View& x = step.inputs[0];
  const Array indices = to_array(step.inputs[1]);
  Array out = Array::zeros(step.node.dtype, step.shape);
  const Extents strides = dense_strides(step.shape);
  // One slab of x per index: x without `axis`, and the same axes of the output.
  View slab = x;
  slab.shape.erase(slab.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  slab.strides.erase(slab.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  Extents slab_strides(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(axis));
  const size_t after = axis + indices.shape.size();
  slab_strides.insert(slab_strides.end(), strides.begin() + static_cast<std::ptrdiff_t>(after),
                      strides.end());
  int64_t inner = 1;  // elements of the output between two indices
  for (size_t i = after; i < step.shape.size(); ++i) {
    inner *= step.shape[i];
  }
  const int64_t count = indices.elements();
  for (int64_t k = 0; k < count; ++k) {
    const int64_t index = checked_index(indices.at(k).as_int(), axis, x.shape[axis]);
    slab.offset = x.offset + index * x.strides[axis];
    copy_into(slab, out.data, k * inner, slab_strides);
  }
  return own(std::move(out));
}

View take_along(const Step& step) {
  const auto axis = static_cast<size_t>(step.node.get<AxisAttr>().axis);
  const View& x = step.inputs[0];
  const Array indices = to_array(step.inputs[1]);
  Array out = Array::zeros(step.node.dtype, step.shape);
  const auto width = static_cast<size_t>(size_of(x.dtype));
  int64_t k = 0;
  for_each_element(step.shape, [&](Extents at) {
    at[axis] = checked_index(indices.at(k).as_int(), axis, x.shape[axis]);
    std::memcpy(out.data.data() + static_cast<size_t>(k) * width,
                x.first() + position(at, x.strides) * size_of(x.dtype), width);
    ++k;
  });
  return own(std::move(out));
}

View scatter(const Step& step) {
  const auto& attr = step.node.get<ScatterAttr>();
  const auto axis = static_cast<size_t>(attr.axis);
  const Array indices = to_array(step.inputs[1]);
  const Array updates = to_array(step.inputs[2]);
  Array out = to_array(step.inputs[0]);
  const Extents strides = dense_strides(out.shape);
  const Extents index_strides = dense_strides(indices.shape);
  const size_t index_rank = indices.shape.size();
  const std::optional<Op> op = elementwise(attr.mode);
  const int64_t width = size_of(out.dtype);
  const auto at = [](const Extents& list, size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  int64_t k = 0;
  for_each_element(updates.shape, [&](const Extents& from) {
    Extents to = from;
    Extents index_at = from;
    if (!attr.along) {
      index_at.assign(at(from, axis), at(from, axis + index_rank));
      to.assign(from.begin(), at(from, axis));
      to.push_back(0);
      to.insert(to.end(), at(from, axis + index_rank), from.end());
    }
    const int64_t given = indices.at(position(index_at, index_strides)).as_int();
    to[axis] = checked_index(given, axis, out.shape[axis]);
    combine(op, out.dtype, out.data.data() + position(to, strides) * width,
            updates.data.data() + k * width);
    ++k;
  });
  return own(std::move(out));
}

}  // namespace caten::air::evaluation
