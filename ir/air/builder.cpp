// Builder: shape and dtype derivation with the user's mistakes.
#include "ir/air/builder.h"

#include <algorithm>
#include <array>
#include <set>

namespace caten::air {
namespace {

enum class Relation : uint8_t { Equal, Different, Unknown };

Relation relate(const Dim& a, const Dim& b) {
  if (a == b) {
    return Relation::Equal;
  }
  if (a.is_constant() && b.is_constant()) {
    return Relation::Different;
  }
  const Dim difference = a - b;
  if (difference.is(0)) {
    return Relation::Equal;
  }
  const auto lo = difference.lower_bound();
  const auto hi = difference.upper_bound();
  return (lo && *lo > 0) || (hi && *hi < 0) ? Relation::Different : Relation::Unknown;
}

/// Replaces {left} and {right} by the sizes.
std::string fill_in(std::string message, const Dim& left, const Dim& right) {
  const auto replace = [&message](std::string_view key, const std::string& text) {
    for (size_t at = message.find(key); at != std::string::npos;
         at = message.find(key, at + text.size())) {
      message.replace(at, key.size(), text);
    }
  };
  replace("{left}", left.to_string());
  replace("{right}", right.to_string());
  return message;
}

}  // namespace

void Builder::note_symbols(const Dim& dim) {
  if (dim.is_constant()) {
    return;
  }
  std::set<std::string> found;
  dim.collect_symbols(found);
  for (const std::string& symbol : found) {
    if (std::find(graph_.symbols.begin(), graph_.symbols.end(), symbol) == graph_.symbols.end()) {
      graph_.symbols.push_back(symbol);
    }
  }
}

void Builder::require(Diag kind, const Dim& left, const Dim& right, std::string message) {
  const Relation relation = relate(left, right);
  if (relation == Relation::Equal) {
    return;
  }
  if (relation == Relation::Different) {
    throw CompileError(kind, span_, fill_in(std::move(message), left, right));
  }
  note_symbols(left);
  note_symbols(right);
  for (const SizeCheck& check : graph_.checks) {
    if ((check.left == left && check.right == right) ||
        (check.left == right && check.right == left)) {
      return;
    }
  }
  graph_.checks.push_back({left, right, std::move(message), span_});
}

void Builder::require_equal(const Dim& left, const Dim& right, std::string message) {
  require(Diag::ShapeMismatch, left, right, std::move(message));
}

void Builder::require_at_most(const Dim& left, const Dim& right, std::string message) {
  const Dim larger = Dim::max(left, right);
  if (larger == right) {
    return;
  }
  const Dim excess = left - right;
  if (const auto lo = excess.lower_bound(); lo && *lo > 0) {
    throw CompileError(Diag::BadSize, span_, fill_in(std::move(message), left, right));
  }
  require(Diag::BadSize, larger, right, std::move(message));
}

NodeId Builder::make(Op op, DType dtype, Shape shape, std::vector<NodeId> inputs, Attr attr) {
  Dim count(size_of(dtype));
  for (const Dim& dim : shape) {
    if (const auto hi = dim.upper_bound(); hi && *hi < 0) {
      fail(Diag::BadSize, span_, "`{}` would have a negative size; its shape is {}", name(op),
           caten::to_string(shape));
    }
    note_symbols(dim);
    count = count * dim;  // overflow is BadSize
  }
  return graph_.add({op, dtype, std::move(shape), std::move(inputs), std::move(attr)}, span_);
}

void Builder::check_axis(int axis, int rank, std::string_view what) const {
  if (axis < 0 || axis >= rank) {
    fail(Diag::BadAxis, span_, "`{}` has no axis {}; the rank is {}", what, axis, rank);
  }
}

// Leaves.

NodeId Builder::constant(Scalar value, Shape shape) {
  const DType dtype = value.dtype();
  return make(Op::Const, dtype, std::move(shape), {}, ConstAttr{value});
}

NodeId Builder::input(std::string name, DType dtype, Shape shape) {
  for (const NodeId id : graph_.inputs) {
    const Node& other = node(id);
    if (other.get<InputAttr>().name == name && (other.dtype != dtype || other.shape != shape)) {
      fail(Diag::ShapeMismatch, span_, "input `{}` is {} {} here and {} {} elsewhere", name,
           caten::name(dtype), caten::to_string(shape), caten::name(other.dtype),
           caten::to_string(other.shape));
    }
  }
  const NodeId id = make(Op::Input, dtype, std::move(shape), {}, InputAttr{std::move(name)});
  if (std::find(graph_.inputs.begin(), graph_.inputs.end(), id) == graph_.inputs.end()) {
    graph_.inputs.push_back(id);
  }
  return id;
}

NodeId Builder::param(std::string name, int storage, DType dtype, Shape shape) {
  return make(Op::Param, dtype, std::move(shape), {}, ParamAttr{std::move(name), storage});
}

NodeId Builder::dim(const Dim& value) {
  if (const auto number = value.constant()) {
    return constant(Scalar::of_int(DType::Int64, *number));
  }
  note_symbols(value);
  return make(Op::DimValue, DType::Int64, {}, {}, DimAttr{value});
}

NodeId Builder::iota(Shape shape, int axis) {
  check_axis(axis, static_cast<int>(shape.size()), "iota");
  return make(Op::Iota, DType::Int64, std::move(shape), {}, AxisAttr{axis});
}

// Elementwise.

namespace {

bool is_logical(DType dtype) {
  return dtype == DType::Bool;
}

/// Whether `op` is defined on operands of `dtype`; see the semantics in air.h.
bool accepts(Op op, DType dtype) {
  if (info(op).has(kFloatOnly)) {
    return is_float(dtype);
  }
  if (info(op).has(kIntOnly)) {
    const bool shift = op == Op::Shl || op == Op::Shr;
    return !is_float(dtype) && !(shift && is_logical(dtype));
  }
  const bool numeric_only =
      op == Op::Neg || op == Op::Sub || op == Op::Idiv || op == Op::Mod || op == Op::Rem;
  return !(numeric_only && is_logical(dtype));
}

std::string_view wanted(Op op) {
  if (info(op).has(kFloatOnly)) {
    return "a float type";
  }
  return info(op).has(kIntOnly) ? "an integer type" : "a number type";
}

}  // namespace

NodeId Builder::reshaped(NodeId x, const Shape& shape) {
  if (node(x).shape == shape) {
    return x;
  }
  return make(Op::Reshape, node(x).dtype, shape, {x}, ShapeAttr{shape});
}

/// The shape that all of xs have once the checks hold: per axis the most definite size.
Shape Builder::unify(std::string_view what, std::span<const NodeId> xs, int skip_axis) {
  Shape shape = node(xs[0]).shape;
  for (size_t k = 1; k < xs.size(); ++k) {
    const Shape& other = node(xs[k]).shape;
    if (other.size() != shape.size()) {
      fail(Diag::ShapeMismatch, span_, "`{}` operands differ in rank; shapes are {} and {}", what,
           caten::to_string(shape), caten::to_string(other));
    }
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (static_cast<int>(axis) == skip_axis) {
        continue;
      }
      require_equal(shape[axis], other[axis],
                    fmt::format("`{}` operands disagree on axis {}; the first has {{left}}, "
                                "another has {{right}}",
                                what, axis));
      if (other[axis].is_constant()) {
        shape[axis] = other[axis];
      }
    }
  }
  return shape;
}

NodeId Builder::unary(Op op, NodeId x) {
  CATEN_CHECK(info(op).arity == 1 && info(op).cls == OpClass::Unary && !info(op).has(kResultTyped),
              "`{}` is not a plain unary op", name(op));
  const DType dtype = node(x).dtype;
  if (!accepts(op, dtype)) {
    fail(Diag::WrongDtype, span_, "`{}` was given {}, it takes {}", name(op), caten::name(dtype),
         wanted(op));
  }
  return make(op, dtype, node(x).shape, {x}, NoAttr{});
}

NodeId Builder::binary(Op op, NodeId a, NodeId b) {
  CATEN_CHECK(info(op).cls == OpClass::Binary, "`{}` is not a binary op", name(op));
  const DType dtype = node(a).dtype;
  if (node(b).dtype != dtype) {
    fail(Diag::WrongDtype, span_, "`{}` operands differ in dtype; left is {}, right is {}",
         name(op), caten::name(dtype), caten::name(node(b).dtype));
  }
  if (!accepts(op, dtype)) {
    fail(Diag::WrongDtype, span_, "`{}` was given {}, it takes {}", name(op), caten::name(dtype),
         wanted(op));
  }
  const std::array inputs = {a, b};
  Shape shape = unify(name(op), inputs);
  const NodeId left = reshaped(a, shape);
  const NodeId right = reshaped(b, shape);
  const DType result = info(op).has(kCompare) ? DType::Bool : dtype;
  return make(op, result, std::move(shape), {left, right}, NoAttr{});
}

NodeId Builder::where(NodeId condition, NodeId a, NodeId b) {
  if (node(condition).dtype != DType::Bool) {
    fail(Diag::WrongDtype, span_, "`where` condition is {}, it must be bool",
         caten::name(node(condition).dtype));
  }
  const DType dtype = node(a).dtype;
  if (node(b).dtype != dtype) {
    fail(Diag::WrongDtype, span_, "`where` branches differ in dtype; one is {}, the other is {}",
         caten::name(dtype), caten::name(node(b).dtype));
  }
  const std::array inputs = {condition, a, b};
  Shape shape = unify("where", inputs);
  std::vector<NodeId> fitted = {reshaped(condition, shape), reshaped(a, shape), reshaped(b, shape)};
  return make(Op::Where, dtype, std::move(shape), std::move(fitted), NoAttr{});
}

NodeId Builder::cast(NodeId x, DType to) {
  return node(x).dtype == to ? x : make(Op::Cast, to, node(x).shape, {x}, NoAttr{});
}

NodeId Builder::bitcast(NodeId x, DType to) {
  const DType from = node(x).dtype;
  if (size_of(from) != size_of(to)) {
    fail(Diag::WrongDtype, span_, "`bitcast` from {} to {}; their widths differ", caten::name(from),
         caten::name(to));
  }
  return from == to ? x : make(Op::Bitcast, to, node(x).shape, {x}, NoAttr{});
}

// Movement.

NodeId Builder::reshape(NodeId x, Shape shape) {
  require(Diag::BadReshape, element_count(node(x).shape), element_count(shape),
          fmt::format("`reshape` from {} ({{left}} elements) to {} ({{right}} elements)",
                      caten::to_string(node(x).shape), caten::to_string(shape)));
  return reshaped(x, shape);
}

NodeId Builder::permute(NodeId x, std::vector<int> order) {
  const int rank = node(x).rank();
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  if (order.size() != seen.size()) {
    fail(Diag::BadAxis, span_, "`permute` was given {} axes, the rank is {}", order.size(), rank);
  }
  Shape shape;
  for (const int axis : order) {
    check_axis(axis, rank, "permute");
    if (seen[static_cast<size_t>(axis)]) {
      fail(Diag::BadAxis, span_, "`permute` names axis {} twice", axis);
    }
    seen[static_cast<size_t>(axis)] = true;
    shape.push_back(node(x).shape[static_cast<size_t>(axis)]);
  }
  return make(Op::Permute, node(x).dtype, std::move(shape), {x}, PermuteAttr{std::move(order)});
}

NodeId Builder::expand(NodeId x, Shape shape) {
  Shape from = node(x).shape;
  if (from.size() != shape.size()) {
    fail(Diag::BadBroadcast, span_, "`expand` from {} to {}; the ranks differ",
         caten::to_string(from), caten::to_string(shape));
  }
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis].is(1)) {
      continue;
    }
    require(Diag::BadBroadcast, from[axis], shape[axis],
            fmt::format(
                "`expand` of axis {} from {{left}} to {{right}}; only axes known to have size 1 "
                "are repeated",
                axis));
    from[axis] = shape[axis];
  }
  const NodeId fitted = reshaped(x, from);
  if (from == shape) {
    return fitted;
  }
  return make(Op::Expand, node(x).dtype, shape, {fitted}, ShapeAttr{shape});
}

void Builder::check_slice(const Shape& shape, const SliceAttr& attr, size_t dynamic_starts) {
  if (attr.axes.size() != shape.size()) {
    fail(Diag::BadAxis, span_, "slice has {} axes, the shape is {}", attr.axes.size(),
         caten::to_string(shape));
  }
  CATEN_CHECK(attr.dynamic_axes.size() == dynamic_starts, "slice names {} dynamic axes, has {}",
              attr.dynamic_axes.size(), dynamic_starts);
  for (const int axis : attr.dynamic_axes) {
    check_axis(axis, static_cast<int>(shape.size()), "slice");
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const SliceAxis& axis = attr.axes[i];
    if (axis.step == 0) {
      fail(Diag::BadSize, span_, "slice of axis {} has step 0", i);
    }
    note_symbols(axis.start);
    require_at_most(0, axis.size, fmt::format("slice of axis {} has negative size {{right}}", i));
    if (axis.size.is(0)) {
      continue;
    }
    const Dim last = axis.start + (axis.size - Dim(1)) * Dim(axis.step);
    const Dim& lowest = axis.step > 0 ? axis.start : last;
    const Dim& highest = axis.step > 0 ? last : axis.start;
    require_at_most(Dim(0) - lowest, 0,
                    fmt::format("slice of axis {} begins {{left}} before the axis", i));
    require_at_most(highest + Dim(1), shape[i],
                    fmt::format("slice of axis {} needs {{left}} elements, it has {{right}}", i));
  }
}

std::vector<NodeId> Builder::slice_inputs(std::vector<NodeId> first,
                                          std::span<const NodeId> dynamic_starts) const {
  for (const NodeId start : dynamic_starts) {
    if (node(start).dtype != DType::Int64 || node(start).rank() != 0) {
      fail(Diag::WrongDtype, span_, "slice start is {} {}, it must be an int64 scalar",
           caten::name(node(start).dtype), caten::to_string(node(start).shape));
    }
    first.push_back(start);
  }
  return first;
}

NodeId Builder::slice(NodeId x, SliceAttr attr, std::span<const NodeId> dynamic_starts) {
  check_slice(node(x).shape, attr, dynamic_starts.size());
  Shape shape;
  for (const SliceAxis& axis : attr.axes) {
    shape.push_back(axis.size);
  }
  return make(Op::Slice, node(x).dtype, std::move(shape), slice_inputs({x}, dynamic_starts),
              std::move(attr));
}

NodeId Builder::pad(NodeId x, std::vector<Dim> lo, std::vector<Dim> hi, Scalar value) {
  Shape shape = node(x).shape;
  if (lo.size() != shape.size() || hi.size() != shape.size()) {
    fail(Diag::BadAxis, span_, "`pad` was given {} axes, the rank is {}", lo.size(), shape.size());
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    for (const Dim* amount : {&lo[axis], &hi[axis]}) {
      require_at_most(0, *amount, fmt::format("`pad` of axis {} by {{right}}", axis));
      note_symbols(*amount);
    }
    shape[axis] = shape[axis] + lo[axis] + hi[axis];
  }
  return make(Op::Pad, node(x).dtype, std::move(shape), {x},
              PadAttr{std::move(lo), std::move(hi), value.cast(node(x).dtype)});
}

NodeId Builder::concat(std::span<const NodeId> parts, int axis) {
  if (parts.empty()) {
    fail(Diag::ShapeMismatch, span_, "`concat` of no arrays");
  }
  check_axis(axis, node(parts[0]).rank(), "concat");
  const DType dtype = node(parts[0]).dtype;
  const auto along = static_cast<size_t>(axis);
  Shape shape = unify("concat", parts, axis);
  Dim total;
  std::vector<NodeId> fitted;
  for (const NodeId part : parts) {
    if (node(part).dtype != dtype) {
      fail(Diag::WrongDtype, span_, "`concat` parts differ in dtype; one is {}, another is {}",
           caten::name(dtype), caten::name(node(part).dtype));
    }
    shape[along] = node(part).shape[along];
    total = total + shape[along];
    fitted.push_back(reshaped(part, shape));
  }
  shape[along] = total;
  return make(Op::Concat, dtype, std::move(shape), std::move(fitted), AxisAttr{axis});
}

// Reductions, indexing, effects.

NodeId Builder::reduce(ReduceOp op, NodeId x, std::vector<int> axes) {
  if (axes.empty()) {
    return x;
  }
  std::sort(axes.begin(), axes.end());
  Shape shape = node(x).shape;
  for (size_t i = 0; i < axes.size(); ++i) {
    check_axis(axes[i], node(x).rank(), "reduce");
    if (i > 0 && axes[i] == axes[i - 1]) {
      fail(Diag::BadAxis, span_, "`reduce` names axis {} twice", axes[i]);
    }
    shape[static_cast<size_t>(axes[i])] = 1;
  }
  const DType dtype = node(x).dtype;
  if ((op == ReduceOp::And || op == ReduceOp::Or) && is_float(dtype)) {
    fail(Diag::WrongDtype, span_, "bitwise `reduce` was given {}, it takes an integer type",
         caten::name(dtype));
  }
  return make(Op::Reduce, dtype, std::move(shape), {x}, ReduceAttr{op, std::move(axes)});
}

NodeId Builder::arg_reduce(bool max, NodeId x, int axis) {
  check_axis(axis, node(x).rank(), max ? "argmax" : "argmin");
  Shape shape = node(x).shape;
  shape[static_cast<size_t>(axis)] = 1;
  return make(Op::ArgReduce, DType::Int64, std::move(shape), {x}, ArgReduceAttr{max, axis});
}

NodeId Builder::assign(NodeId base, NodeId value, SliceAttr attr,
                       std::span<const NodeId> dynamic_starts) {
  CATEN_CHECK(node(base).op == Op::Param || node(base).op == Op::Assign,
              "`assign` to a `{}`, which is no place", name(node(base).op));
  check_slice(node(base).shape, attr, dynamic_starts.size());
  if (node(value).dtype != node(base).dtype) {
    fail(Diag::WrongDtype, span_, "`assign` of {} to a place of {}", caten::name(node(value).dtype),
         caten::name(node(base).dtype));
  }
  Shape slot;
  for (const SliceAxis& axis : attr.axes) {
    slot.push_back(axis.size);
  }
  if (node(value).shape.size() != slot.size()) {
    fail(Diag::ShapeMismatch, span_, "`assign` of {} to a place of {}",
         caten::to_string(node(value).shape), caten::to_string(slot));
  }
  for (size_t axis = 0; axis < slot.size(); ++axis) {
    require_equal(node(value).shape[axis], slot[axis],
                  fmt::format("`assign` disagrees on axis {}; the value has {{left}}, the place "
                              "has {{right}}",
                              axis));
  }
  const NodeId fitted = reshaped(value, slot);
  return make(Op::Assign, node(base).dtype, node(base).shape,
              slice_inputs({base, fitted}, dynamic_starts), std::move(attr));
}

}  // namespace caten::air
