// Random steps over lines of elements: reductions, gather, scatter, scans, sorts, writes.
#include "tests/support/random_graph_generator.h"

namespace caten::testing {

void GraphGenerator::reduce() {
  NodeId x = any();
  std::vector<int> axes;
  for (int axis = 0; axis < node(x).rank(); ++axis) {
    if (random_.chance(50)) {
      axes.push_back(axis);
    }
  }
  using air::ReduceOp;
  ReduceOp op = random_.pick({ReduceOp::Add, ReduceOp::Add, ReduceOp::Add, ReduceOp::Mul,
                              ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or});
  bool bitwise = op == ReduceOp::And || op == ReduceOp::Or;
  keep(builder_.reduce(bitwise && is_float(node(x).dtype) ? ReduceOp::Max : op, x, axes));
}

void GraphGenerator::arg_reduce() {
  NodeId x = any();
  if (node(x).rank() > 0) {
    keep(builder_.arg_reduce(random_.chance(50), x,
                             static_cast<int>(random_.below(node(x).rank()))));
  }
}

void GraphGenerator::gather() {
  std::optional<NodeId> x = find([&](const air::Node& candidate) { return candidate.rank() > 0; });
  if (!x) {
    return;
  }
  int64_t axis = random_.below(node(*x).rank());
  const Dim size = node(*x).shape[static_cast<size_t>(axis)];
  if (value(size) == 0) {
    return;
  }
  NodeId raw = any();
  Shape shape = node(raw).shape;
  Shape result = node(*x).shape;
  result.erase(result.begin() + axis);
  result.insert(result.end(), shape.begin(), shape.end());
  if (!small_enough(result) || result.size() > 6) {
    return;
  }
  keep(builder_.gather(*x, indices(raw, size), static_cast<int>(axis)));
}

/// What `raw` holds, folded into the indices of an axis of this size, some counted from the end.
NodeId GraphGenerator::indices(NodeId raw, const Dim& size) {
  const Shape shape = node(raw).shape;
  DType dtype =
      is_int(node(raw).dtype) && size_of(node(raw).dtype) >= 4 ? node(raw).dtype : DType::Int64;
  auto splat = [&](NodeId scalar) {
    NodeId cast = builder_.cast(scalar, dtype);
    return shape.empty()
               ? cast
               : builder_.expand(builder_.reshape(cast, Shape(shape.size(), Dim(1))), shape);
  };
  NodeId extent = splat(builder_.dim(size));
  NodeId index = builder_.binary(Op::Mod, builder_.cast(raw, dtype), extent);
  if (is_signed(dtype) && random_.chance(50)) {
    NodeId negative = builder_.binary(Op::Sub, index, extent);
    index = builder_.where(fit(any(), shape, DType::Bool), index, negative);
  }
  return index;
}

/// Node `x` and an axis of it that is not empty.
std::optional<std::pair<NodeId, int>> GraphGenerator::line() {
  const std::optional<NodeId> x = find([&](const air::Node& n) { return n.rank() > 0; });
  if (!x) {
    return std::nullopt;
  }
  const auto axis = static_cast<int>(random_.below(node(*x).rank()));
  if (value(node(*x).shape[static_cast<size_t>(axis)]) == 0) {
    return std::nullopt;
  }
  return std::pair(*x, axis);
}

void GraphGenerator::take_along() {
  if (const auto found = line()) {
    const auto [x, axis] = *found;
    Shape shape = node(x).shape;
    const Dim size = shape[static_cast<size_t>(axis)];
    shape[static_cast<size_t>(axis)] = random_size();
    if (small_enough(shape)) {
      keep(builder_.take_along(x, indices(fit(any(), shape, DType::Int64), size), axis));
    }
  }
}

void GraphGenerator::scatter() {
  if (const auto found = line()) {
    const auto [x, axis] = *found;
    using air::ScatterMode;
    const air::ScatterAttr attr{
        random_.pick({ScatterMode::Set, ScatterMode::Set, ScatterMode::Add, ScatterMode::Mul,
                      ScatterMode::Max, ScatterMode::Min}),
        axis, random_.chance(50)};
    const Dim size = node(x).shape[static_cast<size_t>(axis)];
    Shape index_shape;
    if (attr.along) {
      index_shape = node(x).shape;
      index_shape[static_cast<size_t>(axis)] = random_size();
    } else {
      index_shape = node(any()).shape;
    }
    const Shape shape =
        attr.along ? index_shape : air::taken_shape(node(x).shape, index_shape, axis);
    if (small_enough(shape) && shape.size() <= 6) {
      const NodeId at = indices(fit(any(), index_shape, DType::Int64), size);
      const NodeId updates = fit(any(), shape, node(x).dtype);
      keep(builder_.scatter(x, at, updates, attr));
    }
  }
}

void GraphGenerator::scan() {
  if (const auto found = line()) {
    using air::ReduceOp;
    const ReduceOp op = random_.pick(
        {ReduceOp::Add, ReduceOp::Add, ReduceOp::Mul, ReduceOp::Max, ReduceOp::Min, ReduceOp::Or});
    const bool bitwise = op == ReduceOp::Or && is_float(node(found->first).dtype);
    keep(builder_.scan(bitwise ? ReduceOp::Add : op, found->first, found->second));
  }
}

void GraphGenerator::sort() {
  const std::optional<NodeId> x = find([&](const air::Node& n) { return n.rank() > 0; });
  if (x) {
    keep(builder_.sort(*x, static_cast<int>(random_.below(node(*x).rank())), random_.chance(50)));
  }
}

void GraphGenerator::assign() {
  if (versions_.empty()) {
    return;
  }
  size_t which = static_cast<size_t>(random_.below(static_cast<int64_t>(versions_.size())));
  NodeId base = versions_[which];
  air::SliceAttr attr;
  Shape place;
  for (const Dim& size : node(base).shape) {
    attr.axes.push_back(random_slice(size));
    place.push_back(attr.axes.back().size);
  }
  NodeId value = fit(any(), place, node(base).dtype);
  versions_[which] = builder_.assign(base, value, attr);
  keep(versions_[which]);
}

}  // namespace caten::testing
