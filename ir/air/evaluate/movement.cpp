// Leaves, movement and Assign. Expand, Permute and Slice only change strides.
#include <fmt/core.h>

#include <algorithm>

#include "ir/air/evaluate/view.h"

namespace caten::air::evaluation {
namespace {

/// Checks what was supplied for a leaf against what the graph says.
void check_supplied(const Step& step, const Array& given, std::string_view kind,
                    std::string_view called) {
  if (given.dtype != step.node.dtype) {
    throw EvaluateError(fmt::format("{} `{}` is {}, expected {}", kind, called,
                                    caten::name(given.dtype), caten::name(step.node.dtype)));
  }
  if (given.shape != step.shape) {
    const auto text = [](const Extents& shape) {
      std::string out = "(";
      for (size_t i = 0; i < shape.size(); ++i) {
        out += fmt::format("{}{}", i == 0 ? "" : " ", shape[i]);
      }
      return out + ")";
    };
    throw EvaluateError(fmt::format("{} `{}` has shape {}, expected {}", kind, called,
                                    text(given.shape), text(step.shape)));
  }
}

}  // namespace

View constant(const Step& step) {
  Array one = Array::zeros(step.node.dtype, {});
  one.set(0, step.node.get<ConstAttr>().value);
  View view = own(std::move(one));
  view.shape = step.shape;
  view.strides.assign(step.shape.size(), 0);
  return view;
}

View input(const Step& step) {
  const std::string& called = step.node.get<InputAttr>().name;
  const auto found = step.env.inputs.find(called);
  if (found == step.env.inputs.end()) {
    throw EvaluateError(fmt::format("input `{}` was not supplied", called));
  }
  check_supplied(step, found->second, "input", called);
  return borrow(found->second);
}

View param(const Step& step) {
  const auto& attr = step.node.get<ParamAttr>();
  const auto found = step.env.params.find(attr.storage);
  if (found == step.env.params.end()) {
    throw EvaluateError(fmt::format("parameter `{}` was not supplied", attr.name));
  }
  check_supplied(step, found->second, "parameter", attr.name);
  return borrow(found->second);
}

View dim_value(const Step& step) {
  Array out = Array::zeros(DType::Int64, {});
  out.set(0, Scalar::of_int(DType::Int64, step.size(step.node.get<DimAttr>().value)));
  return own(std::move(out));
}

View iota(const Step& step) {
  const auto axis = static_cast<size_t>(step.node.get<AxisAttr>().axis);
  Array line = Array::zeros(DType::Int64, {step.shape[axis]});
  for (int64_t i = 0; i < step.shape[axis]; ++i) {
    line.set(i, Scalar::of_int(DType::Int64, i));
  }
  View view = own(std::move(line));
  view.shape = step.shape;
  view.strides.assign(step.shape.size(), 0);
  view.strides[axis] = 1;
  return view;
}

View reshape(const Step& step) {
  const View& x = step.inputs[0];
  if (count_elements(x.shape, x.dtype) != count_elements(step.shape, x.dtype)) {
    throw EvaluateError(fmt::format("reshape of {} elements to {}",
                                    count_elements(x.shape, x.dtype),
                                    count_elements(step.shape, x.dtype)));
  }
  View out = is_dense(x) ? x : own(to_array(x));
  out.shape = step.shape;
  out.strides = dense_strides(step.shape);
  return out;
}

View permute(const Step& step) {
  View out = step.inputs[0];
  const auto& order = step.node.get<PermuteAttr>().order;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<size_t>(order[i]);
    out.shape[i] = step.inputs[0].shape[from];
    out.strides[i] = step.inputs[0].strides[from];
  }
  return out;
}

View expand(const Step& step) {
  View out = step.inputs[0];
  for (size_t i = 0; i < out.shape.size(); ++i) {
    if (out.shape[i] != step.shape[i]) {
      out.strides[i] = 0;
    }
  }
  out.shape = step.shape;
  return out;
}

namespace {

/// The first and last start that keep a slice of an axis inside it.
struct Room {
  int64_t lowest;
  int64_t highest;
};
Room room(int64_t extent, int64_t size, int64_t step) {
  const int64_t reach = (size - 1) * step;
  return step > 0 ? Room{0, extent - 1 - reach} : Room{-reach, extent - 1};
}

}  // namespace

View slice_of(const View& base, const Step& step, size_t first_dynamic_input) {
  const auto& attr = step.node.get<SliceAttr>();
  View out = base;
  Extents moved(attr.axes.size(), 0);
  for (size_t k = 0; k < attr.dynamic_axes.size(); ++k) {
    const View& start = step.inputs[first_dynamic_input + k];
    int64_t& sum = moved[static_cast<size_t>(attr.dynamic_axes[k])];
    const int64_t more = Scalar::load(DType::Int64, start.first()).as_int();
    if (__builtin_add_overflow(sum, more, &sum)) {
      sum = more < 0 ? INT64_MIN / 2 : INT64_MAX / 2;
    }
  }
  for (size_t i = 0; i < attr.axes.size(); ++i) {
    const int64_t size = step.size(attr.axes[i].size);
    const int64_t by = attr.axes[i].step;
    const bool is_dynamic =
        std::count(attr.dynamic_axes.begin(), attr.dynamic_axes.end(), static_cast<int>(i)) > 0;
    int64_t start = step.size(attr.axes[i].start);
    if (size > 0) {
      const Room allowed = room(base.shape[i], size, by);
      const bool fits = start >= allowed.lowest && start <= allowed.highest;
      if (allowed.lowest > allowed.highest || (!is_dynamic && !fits)) {
        throw EvaluateError(
            fmt::format("slice of axis {} leaves it; {} elements from {} by {}, "
                        "the axis has {}",
                        i, size, start, by, base.shape[i]));
      }
      if (__builtin_add_overflow(start, moved[i], &start)) {
        start = moved[i] < 0 ? allowed.lowest : allowed.highest;
      }
      start = std::clamp(start, allowed.lowest, allowed.highest);
      out.offset += start * base.strides[i];
    }
    out.shape[i] = size;
    out.strides[i] = base.strides[i] * by;
  }
  return out;
}

View slice(const Step& step) {
  return slice_of(step.inputs[0], step, 1);
}

View pad(const Step& step) {
  const auto& attr = step.node.get<PadAttr>();
  Array out = Array::zeros(step.node.dtype, step.shape);
  const int64_t count = out.elements();
  for (int64_t i = 0; i < count; ++i) {
    out.set(i, attr.value);
  }
  const Extents strides = dense_strides(step.shape);
  int64_t offset = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    offset += step.size(attr.lo[i]) * strides[i];
  }
  copy_into(step.inputs[0], out.data, offset, strides);
  return own(std::move(out));
}

View concat(const Step& step) {
  const auto axis = static_cast<size_t>(step.node.get<AxisAttr>().axis);
  Array out = Array::zeros(step.node.dtype, step.shape);
  const Extents strides = dense_strides(step.shape);
  int64_t offset = 0;
  for (const View& part : step.inputs) {
    copy_into(part, out.data, offset, strides);
    offset += part.shape[axis] * strides[axis];
  }
  return own(std::move(out));
}

View assign(const Step& step) {
  View out = own(to_array(step.inputs[0]));
  const View place = slice_of(out, step, 2);
  Bytes bytes = *out.data;
  copy_into(step.inputs[1], bytes, place.offset, place.strides);
  out.data = std::make_shared<const Bytes>(std::move(bytes));
  return out;
}

}  // namespace caten::air::evaluation
