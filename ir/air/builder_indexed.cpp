// Builder: ops that read or write at indices, and ops that go along an axis in order.
#include "ir/air/builder.h"

namespace caten::air {

NodeId Builder::index_values(std::string_view what, NodeId indices) {
  const DType dtype = node(indices).dtype;
  if (!is_int(dtype)) {
    fail(Diag::WrongDtype, span_, "`{}` indices are {}, they must be an integer type", what,
         caten::name(dtype));
  }
  if (dtype == DType::UInt64) {
    // Values beyond int64 must stay out of range, not turn into negative indices.
    const NodeId limit =
        constant(Scalar::of_uint(dtype, static_cast<uint64_t>(INT64_MAX)), node(indices).shape);
    indices = binary(Op::Min, indices, limit);
  }
  return cast(indices, DType::Int64);
}

NodeId Builder::gather(NodeId x, NodeId indices, int axis) {
  check_axis(axis, node(x).rank(), "gather");
  indices = index_values("gather", indices);
  Shape shape = taken_shape(node(x).shape, node(indices).shape, axis);
  return make(Op::Gather, node(x).dtype, std::move(shape), {x, indices}, AxisAttr{axis});
}

NodeId Builder::take_along(NodeId x, NodeId indices, int axis) {
  check_axis(axis, node(x).rank(), "take_along");
  indices = index_values("take_along", indices);
  const std::array operands = {x, indices};
  Shape shape = unify("take_along", operands, axis);
  const auto along = static_cast<size_t>(axis);
  shape[along] = node(x).shape[along];
  const NodeId from = reshaped(x, shape);
  shape[along] = node(indices).shape[along];
  const NodeId at = reshaped(indices, shape);
  return make(Op::TakeAlong, node(x).dtype, std::move(shape), {from, at}, AxisAttr{axis});
}

NodeId Builder::scatter(NodeId base, NodeId indices, NodeId updates, ScatterAttr attr) {
  check_axis(attr.axis, node(base).rank(), "scatter");
  indices = index_values("scatter", indices);
  const DType dtype = node(base).dtype;
  if (node(updates).dtype != dtype) {
    fail(Diag::WrongDtype, span_, "`scatter` of {} into {}", caten::name(node(updates).dtype),
         caten::name(dtype));
  }
  const auto along = static_cast<size_t>(attr.axis);
  Shape shape;  // of the updates
  if (attr.along) {
    const std::array operands = {base, indices};
    shape = unify("scatter", operands, attr.axis);
    Shape base_shape = shape;
    base_shape[along] = node(base).shape[along];
    base = reshaped(base, base_shape);
    shape[along] = node(indices).shape[along];
    indices = reshaped(indices, shape);
  } else {
    shape = taken_shape(node(base).shape, node(indices).shape, attr.axis);
  }
  const Shape& given = node(updates).shape;
  if (given.size() != shape.size()) {
    fail(Diag::ShapeMismatch, span_, "`scatter` of updates {}, expected {}",
         caten::to_string(given), caten::to_string(shape));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    require_equal(given[i], shape[i],
                  fmt::format("`scatter` disagrees on axis {}; the updates have {{left}}, expected "
                              "{{right}}",
                              i));
  }
  require_at_most(Dim::min(element_count(shape), 1), node(base).shape[along],
                  fmt::format("`scatter` into axis {}, which is empty", attr.axis));
  Shape result = node(base).shape;
  return make(Op::Scatter, dtype, std::move(result), {base, indices, reshaped(updates, shape)},
              attr);
}

NodeId Builder::scan(ReduceOp op, NodeId x, int axis) {
  check_axis(axis, node(x).rank(), "scan");
  const DType dtype = node(x).dtype;
  if ((op == ReduceOp::And || op == ReduceOp::Or) && is_float(dtype)) {
    fail(Diag::WrongDtype, span_, "bitwise `scan` was given {}, it takes an integer type",
         caten::name(dtype));
  }
  if (node(x).shape[static_cast<size_t>(axis)].is(1)) {
    return x;
  }
  Shape shape = node(x).shape;
  return make(Op::Scan, dtype, std::move(shape), {x}, ScanAttr{op, axis});
}

NodeId Builder::sort(NodeId x, int axis, bool descending) {
  check_axis(axis, node(x).rank(), "sort");
  Shape shape = node(x).shape;
  if (shape[static_cast<size_t>(axis)].is(1)) {
    return constant(Scalar::of_int(DType::Int64, 0), std::move(shape));
  }
  return make(Op::Sort, DType::Int64, std::move(shape), {x}, SortAttr{axis, descending});
}

}  // namespace caten::air
