// Noise is made of AIR nodes beside each reduction: n * eps * sum |x|. Where another order could
// overflow or underflow on the way, the result is NaN in one variant and a number in another:
// whatever the exact one is (it may be NaN for that very reason), it is seen to be uncertain.
#include "tests/fuzz/disturb.h"

#include <limits>
#include <optional>
#include <vector>

#include "ir/air/builder.h"

namespace caten::fuzz {
namespace {

using air::Builder;
using air::NodeId;
using air::Op;
using air::ReduceOp;

double epsilon(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return 0x1p-52;
    case DType::Float32:
      return 0x1p-23;
    case DType::Float16:
      return 0x1p-10;
    default:
      return 0x1p-7;  // bfloat16
  }
}

/// In these variants all zeros with a free sign have the one sign, or the other. (Flipping what is
/// there would be undone by the next maximum.)
constexpr int kPositiveZeros = 3;
constexpr int kNegativeZeros = 4;
/// In this variant uncertain results are 1, else NaN.
constexpr int kUncertainIsNumber = 1;

class Noise {
 public:
  Noise(Builder& builder, int variant) : b_(builder), variant_(variant) {}

  /// The reduction `sum` of `x`, disturbed.
  NodeId add_to(NodeId reduced, NodeId x, const air::ReduceAttr& attr) {
    const DType dtype = b_.graph()[reduced].dtype;
    NodeId magnitude = absolute(x);
    NodeId count = b_.cast(b_.dim(reduced_elements(x, attr)), dtype);
    // 16-bit sums are made in float32 and rounded once.
    double unit = is_half(dtype) ? epsilon(DType::Float32) : epsilon(dtype);
    NodeId room = b_.binary(Op::Mul, splat_like(count, reduced), number(unit, reduced));
    NodeId size = attr.op == ReduceOp::Add ? sum_size(magnitude, attr)
                                           : product_size(reduced, x, magnitude, attr);
    NodeId noise = b_.binary(Op::Mul, room, size);
    if (is_half(dtype)) {
      NodeId rounding = b_.binary(Op::Mul, absolute(reduced), number(epsilon(dtype), reduced));
      noise = b_.where(finite(rounding), b_.binary(Op::Add, noise, rounding), noise);
    }
    NodeId noisy = b_.binary(Op::Add, reduced, b_.binary(Op::Mul, noise, pattern(reduced)));
    if (variant_ != kUncertainIsNumber) {
      return noisy;
    }
    NodeId largest = b_.reduce(ReduceOp::Max, magnitude, attr.axes);
    NodeId uncertain = b_.binary(Op::And, is_nan(size), b_.unary(Op::Not, is_nan(largest)));
    return b_.where(uncertain, number(1, reduced), noisy);
  }

 private:
  static constexpr double kInf = std::numeric_limits<double>::infinity();
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  NodeId number(double value, NodeId like) {
    const air::Node& node = b_.graph()[like];
    return b_.constant(Scalar::of_double(node.dtype, value), node.shape);
  }
  NodeId splat_like(NodeId scalar, NodeId like) {
    Shape shape = b_.graph()[like].shape;
    return shape.empty() ? scalar
                         : b_.expand(b_.reshape(scalar, Shape(shape.size(), Dim(1))), shape);
  }
  Dim reduced_elements(NodeId x, const air::ReduceAttr& attr) {
    Dim count = 2;
    for (int axis : attr.axes) {
      count = count + b_.graph()[x].shape[static_cast<size_t>(axis)];
    }
    return count;
  }
  NodeId absolute(NodeId x) { return b_.binary(Op::Max, x, b_.unary(Op::Neg, x)); }
  NodeId is_nan(NodeId x) { return b_.binary(Op::Ne, x, x); }
  NodeId finite(NodeId x) { return b_.binary(Op::Lt, x, number(kInf, x)); }

  /// sum |x|; NaN when what is finite may add up to an infinity, otherwise 0 when an element is one
  /// (the result is sure then).
  NodeId sum_size(NodeId magnitude, const air::ReduceAttr& attr) {
    NodeId counted = b_.where(finite(magnitude), magnitude, number(0, magnitude));
    NodeId sum = b_.reduce(ReduceOp::Add, counted, attr.axes);
    NodeId largest = b_.reduce(ReduceOp::Max, magnitude, attr.axes);
    NodeId sure = b_.where(finite(largest), sum, number(0, sum));
    return b_.where(finite(sum), sure, number(kNan, sum));
  }
  /// |product|; NaN when the factors above 1 or those below 1 leave the range on their own.
  NodeId product_size(NodeId reduced, NodeId x, NodeId magnitude, const air::ReduceAttr& attr) {
    NodeId one = number(1, x);
    NodeId above = b_.reduce(ReduceOp::Mul, b_.binary(Op::Max, magnitude, one), attr.axes);
    NodeId below = b_.reduce(ReduceOp::Mul, b_.binary(Op::Min, magnitude, one), attr.axes);
    const DType dtype = b_.graph()[x].dtype;
    double tiny = dtype == DType::Float64   ? 0x1p-1000
                  : dtype == DType::Float16 ? 0x1p-13
                                            : 0x1p-120;
    NodeId sure_below = b_.binary(Op::Lt, number(tiny, below), below);
    NodeId sure = b_.binary(Op::And, finite(above), sure_below);
    NodeId size = b_.where(finite(absolute(reduced)), absolute(reduced), number(0, reduced));
    return b_.where(sure, size, number(kNan, reduced));
  }
  /// 1, -1, or numbers between that vary from element to element.
  NodeId pattern(NodeId like) {
    if (variant_ < 2) {
      return number(variant_ == 0 ? 1 : -1, like);
    }
    const air::Node node = b_.graph()[like];
    NodeId phase = b_.constant(Scalar::of_double(DType::Float64, variant_), node.shape);
    for (int axis = 0; axis < node.rank(); ++axis) {
      NodeId index = b_.cast(b_.iota(node.shape, axis), DType::Float64);
      NodeId factor =
          b_.constant(Scalar::of_double(DType::Float64, 12.9898 + 7.1 * axis), node.shape);
      phase = b_.binary(Op::Add, phase, b_.binary(Op::Mul, index, factor));
    }
    return b_.cast(b_.unary(Op::Sin, phase), node.dtype);
  }

  Builder& b_;
  int variant_;
};

bool reorders(const air::Node& node) {
  return node.op == Op::Reduce && (node.get<air::ReduceAttr>().op == ReduceOp::Add ||
                                   node.get<air::ReduceAttr>().op == ReduceOp::Mul);
}

bool has_room(const air::Node& node) {
  return node.op == Op::Reduce || node.op == Op::Max || node.op == Op::Min;
}

/// Another value for every zero, 0.0 and -0.0 alike.
NodeId replace_zeros(Builder& builder, NodeId x, double by) {
  const air::Node node = builder.graph()[x];
  NodeId zero = builder.constant(Scalar::of_double(node.dtype, 0), node.shape);
  NodeId other = builder.constant(Scalar::of_double(node.dtype, by), node.shape);
  return builder.where(builder.binary(Op::Eq, x, zero), other, x);
}

/// What becomes of zeros with a free sign; nullopt: they stay.
std::optional<double> instead_of_zeros(int variant) {
  switch (variant) {
    case kPositiveZeros:
      return 0.0;
    case kNegativeZeros:
      return -0.0;
    case kZerosAreNan:
      return std::numeric_limits<double>::quiet_NaN();
    default:
      return std::nullopt;
  }
}

}  // namespace

air::Graph disturb(const air::Graph& graph, int variant, bool& found) {
  air::Graph result;
  Builder builder(result);
  Noise noise(builder, variant);
  std::vector<NodeId> map;
  found = false;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    air::Node node = graph[NodeId{i}];
    for (NodeId& input : node.inputs) {
      input = map[input.index];
    }
    NodeId copy = result.add(node, graph.span(NodeId{i}));
    if (is_float(node.dtype) && has_room(node)) {
      found = true;
      if (reorders(node) && variant != kZerosAreNan) {
        copy = noise.add_to(copy, node.inputs[0], node.get<air::ReduceAttr>());
      }
      if (const std::optional<double> other = instead_of_zeros(variant)) {
        copy = replace_zeros(builder, copy, *other);
      }
    }
    map.push_back(copy);
  }
  for (const air::Output& output : graph.outputs) {
    result.outputs.push_back({output.name, map[output.node.index]});
  }
  result.checks = graph.checks;
  return result;
}

}  // namespace caten::fuzz
