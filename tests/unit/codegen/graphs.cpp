// Library-shaped graphs for tests.
#include "tests/unit/codegen/graphs.h"

#include <cmath>

namespace caten::testing {

using air::NodeId;
using air::Op;

NodeId GraphMaker::input(const char* name, Shape shape, DType dtype) {
  return builder.input(name, dtype, std::move(shape));
}

NodeId GraphMaker::param(const char* name, int storage, Shape shape, DType dtype) {
  return builder.param(name, storage, dtype, std::move(shape));
}

NodeId GraphMaker::number(double value, DType dtype) {
  return builder.constant(Scalar::of_double(dtype, value));
}

NodeId GraphMaker::broadcast(NodeId x, Shape target) {
  Shape padded(target.size() - shape(x).size(), Dim(1));
  padded.insert(padded.end(), shape(x).begin(), shape(x).end());
  const NodeId wide = padded == shape(x) ? x : reshape(x, padded);
  return shape(wide) == target ? wide : builder.expand(wide, std::move(target));
}

NodeId GraphMaker::op(Op o, NodeId a, NodeId b) {
  Shape target;
  const size_t count = std::max(shape(a).size(), shape(b).size());
  for (size_t i = 0; i < count; ++i) {
    const auto size = [&](NodeId x) {
      const size_t missing = count - shape(x).size();
      return i < missing ? Dim(1) : shape(x)[i - missing];
    };
    target.push_back(size(a).is(1) ? size(b) : size(a));
  }
  return builder.binary(o, broadcast(a, target), broadcast(b, target));
}

NodeId GraphMaker::reduce(air::ReduceOp o, NodeId x, int axis) {
  return builder.reduce(o, x, {axis < 0 ? axis + rank(x) : axis});
}

NodeId GraphMaker::mean(NodeId x, int axis) {
  const Dim size = shape(x)[static_cast<size_t>(axis < 0 ? axis + rank(x) : axis)];
  const NodeId count = builder.cast(builder.dim(size), graph[x].dtype);
  return div(sum(x, axis), count);
}

NodeId GraphMaker::matmul(NodeId a, NodeId b) {
  // a: (… n 1 k), b transposed: (… 1 m k), product summed over k.
  Shape left = shape(a);
  left.insert(left.end() - 1, Dim(1));
  std::vector<int> order;
  for (int i = 0; i < rank(b); ++i) {
    order.push_back(i);
  }
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  const NodeId turned = permute(b, order);
  Shape right = shape(turned);
  right.insert(right.end() - 2, Dim(1));
  const NodeId product = mul(reshape(a, left), reshape(turned, right));
  const NodeId total = sum(product, -1);
  Shape out = shape(total);
  out.pop_back();
  return reshape(total, out);
}

NodeId GraphMaker::gelu(NodeId x) {
  const NodeId inner = mul(number(std::sqrt(2 / 3.14159265358979)),
                           add(x, mul(number(0.044715), mul(x, mul(x, x)))));
  return mul(mul(number(0.5), x), add(number(1), op(Op::Tanh, inner)));
}

NodeId GraphMaker::softmax(NodeId x, int axis) {
  const NodeId e = exp(sub(x, reduce(air::ReduceOp::Max, x, axis)));
  return mul(e, op(Op::Recip, sum(e, axis)));
}

NodeId GraphMaker::rms_norm(NodeId x, NodeId scale) {
  const NodeId square = mean(mul(x, x), -1);
  return mul(mul(x, op(Op::Recip, op(Op::Sqrt, add(square, number(1e-5))))), scale);
}

NodeId GraphMaker::layer_norm(NodeId x, NodeId scale, NodeId shift) {
  const NodeId d = sub(x, mean(x, -1));
  const NodeId variance = mean(mul(d, d), -1);
  const NodeId normal = mul(d, op(Op::Recip, op(Op::Sqrt, add(variance, number(1e-5)))));
  return add(mul(normal, scale), shift);
}

NodeId transformer_block(GraphMaker& g, NodeId x, const Dim& batch, const Dim& length, int heads,
                         int width, int first_param) {
  const int64_t head = width / heads;
  int next = first_param;
  const auto weights = [&](Shape shape) {
    const int storage = next++;
    return g.param(fmt::format("w{}", storage).c_str(), storage, std::move(shape));
  };
  const auto linear = [&](NodeId v, int64_t from, int64_t to) {
    const NodeId w = weights({to, from});
    return g.add(g.matmul(v, g.permute(w, {1, 0})), weights({to}));
  };
  const auto split = [&](NodeId v) {
    return g.permute(g.reshape(v, {batch, length, heads, head}), {0, 2, 1, 3});
  };
  const NodeId h = g.layer_norm(x, weights({width}), weights({width}));
  const NodeId q = split(linear(h, width, width));
  const NodeId k = split(linear(h, width, width));
  const NodeId v = split(linear(h, width, width));
  const NodeId scores =
      g.mul(g.matmul(q, g.permute(k, {0, 1, 3, 2})), g.number(1 / std::sqrt(double(head))));
  const NodeId mixed = g.matmul(g.softmax(scores, -1), v);
  const NodeId joined = g.reshape(g.permute(mixed, {0, 2, 1, 3}), {batch, length, width});
  const NodeId after = g.add(x, linear(joined, width, width));
  const NodeId h2 = g.layer_norm(after, weights({width}), weights({width}));
  return g.add(after, linear(g.gelu(linear(h2, width, 4 * width)), 4 * width, width));
}

}  // namespace caten::testing
