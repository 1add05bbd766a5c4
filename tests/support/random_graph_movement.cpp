// Random steps that move elements, and concatenation; see random_graph_generator.h.
#include "tests/support/random_graph_generator.h"

namespace caten::testing {

void GraphGenerator::reshape() {
  NodeId x = any();
  Shape shape = node(x).shape;
  switch (random_.below(4)) {
    case 0:  // flatten
      shape = {element_count(shape)};
      break;
    case 1:  // a new axis of size 1
      shape.insert(shape.begin() + random_.below(static_cast<int64_t>(shape.size()) + 1), Dim(1));
      break;
    case 2:  // join two neighbours
      if (shape.size() >= 2) {
        int64_t at = random_.below(static_cast<int64_t>(shape.size()) - 1);
        shape[static_cast<size_t>(at)] =
            shape[static_cast<size_t>(at)] * shape[static_cast<size_t>(at) + 1];
        shape.erase(shape.begin() + at + 1);
      }
      break;
    default:  // split an even axis, with the 2 on either side
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        std::optional<int64_t> size = shape[axis].constant();
        if (size && *size % 2 == 0 && *size > 0) {
          bool outer = random_.chance(50);
          shape[axis] = outer ? Dim(2) : Dim(*size / 2);
          shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                       outer ? Dim(*size / 2) : Dim(2));
          break;
        }
      }
  }
  if (shape.size() <= 6) {
    keep(builder_.reshape(x, shape));
  }
}

void GraphGenerator::permute() {
  NodeId x = any();
  std::vector<int> order;
  for (int axis = 0; axis < node(x).rank(); ++axis) {
    order.insert(order.begin() + random_.below(static_cast<int64_t>(order.size()) + 1), axis);
  }
  keep(builder_.permute(x, order));
}

void GraphGenerator::expand() {
  NodeId x = any();
  Shape shape = node(x).shape;
  bool has_one = false;
  for (const Dim& size : shape) {
    has_one = has_one || size.is(1);
  }
  if (!has_one) {
    shape.insert(shape.begin() + random_.below(static_cast<int64_t>(shape.size()) + 1), Dim(1));
    x = builder_.reshape(x, shape);
  }
  for (Dim& size : shape) {
    if (size.is(1) && random_.chance(80)) {
      size = random_size();
    }
  }
  if (small_enough(shape) && shape.size() <= 6) {
    keep(builder_.expand(x, shape));
  }
}

air::SliceAxis GraphGenerator::random_slice(const Dim& size) {
  if (random_.chance(20)) {
    return {size - Dim(1), size, -1};  // reversed
  }
  int64_t extent = value(size);
  if (random_.chance(30) || extent == 0) {
    return {Dim(0), size, 1};
  }
  // By value: where the size is symbolic, that the slice fits becomes an entry check.
  int64_t step = random_.pick({1, 1, 1, 2, 3, -1, -2});
  int64_t start = random_.below(extent);
  int64_t room = step > 0 ? extent - 1 - start : start;
  int64_t count = random_.between(random_.chance(5) ? 0 : 1, room / (step > 0 ? step : -step) + 1);
  return {Dim(start), Dim(count), step};
}

void GraphGenerator::slice() {
  NodeId x = any();
  air::SliceAttr attr;
  std::vector<NodeId> starts;
  for (int axis = 0; axis < node(x).rank(); ++axis) {
    const Dim size = node(x).shape[static_cast<size_t>(axis)];
    if (random_.chance(8) && value(size) > 0) {
      // A start known at run time only; the size leaves it some room.
      attr.axes.push_back({Dim(0), Dim(random_.between(1, value(size))), 1});
      attr.dynamic_axes.push_back(axis);
      starts.push_back(builder_.cast(fit(any(), {}, DType::Int8), DType::Int64));
    } else {
      attr.axes.push_back(random_slice(size));
    }
  }
  keep(builder_.slice(x, attr, starts));
}

void GraphGenerator::pad() {
  NodeId x = any();
  std::vector<Dim> lo;
  std::vector<Dim> hi;
  Shape padded;
  for (const Dim& size : node(x).shape) {
    lo.emplace_back(random_.pick({0, 0, 1, 2}));
    hi.push_back(random_.chance(10) && options_.symbols ? Dim::symbol("n")
                                                        : Dim(random_.pick({0, 0, 1, 3})));
    padded.push_back(size + lo.back() + hi.back());
  }
  if (small_enough(padded)) {
    Scalar fill = random_array(random_.bits(), node(x).dtype, {}, options_.wild_values).at(0);
    keep(builder_.pad(x, lo, hi, fill));
  }
}

void GraphGenerator::concat() {
  NodeId first = any();
  if (node(first).rank() == 0) {
    return;
  }
  int64_t axis = random_.below(node(first).rank());
  std::vector<NodeId> parts = {first};
  Shape joined = node(first).shape;
  for (int64_t i = random_.between(1, 2); i > 0; --i) {
    Shape shape = node(first).shape;
    if (random_.chance(50)) {
      shape[static_cast<size_t>(axis)] = random_size();
    }
    joined[static_cast<size_t>(axis)] =
        joined[static_cast<size_t>(axis)] + shape[static_cast<size_t>(axis)];
    if (!small_enough(joined)) {
      return;
    }
    parts.push_back(fit(any(), shape, node(first).dtype));
  }
  keep(builder_.concat(parts, static_cast<int>(axis)));
}

}  // namespace caten::testing
