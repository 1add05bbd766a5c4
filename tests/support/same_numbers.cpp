// Error bounds are computed by AIR itself: the graph is copied and, beside every inexact node, a
// float64 node is built that holds its error. Then everything is evaluated at once.
#include "tests/support/same_numbers.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "ir/air/builder.h"

namespace caten::testing {

using air::Array;
using air::Builder;
using air::Environment;
using air::Graph;
using air::Node;
using air::NodeId;
using air::Op;
using air::OpClass;
using air::ReduceOp;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One unit in the last place of 1.0.
double unit(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return 0x1p-52;
    case DType::Float16:
      return 0x1p-10;
    case DType::BFloat16:
      return 0x1p-7;
    default:
      return 0x1p-23;
  }
}

double accumulation_unit(DType dtype) {
  return unit(dtype == DType::Float64 ? dtype : DType::Float32);
}

/// The smallest positive number of the type, as an absolute error of results that underflow.
double smallest(DType dtype) {
  return Scalar::of_bits(dtype, 1).as_double();
}

class ErrorGraph {
 public:
  ErrorGraph(const Graph& old, const std::vector<Array>& values)
      : old_(old), values_(values), b_(graph_), map_(old.size()), error_(old.size()) {
    graph_.symbols = old.symbols;
    graph_.checks = old.checks;
  }

  /// The graph whose outputs are the error bounds; `which` names the old output of each.
  Graph build(std::vector<size_t>& which) {
    for (uint32_t i = 0; i < old_.size(); ++i) {
      Node node = old_[NodeId{i}];
      for (NodeId& input : node.inputs) {
        input = map_[input.index];
      }
      map_[i] = graph_.add(std::move(node), Span{});
      error_[i] = error_of(NodeId{i});
    }
    for (size_t k = 0; k < old_.outputs.size(); ++k) {
      if (const auto error = error_[old_.outputs[k].node.index]) {
        graph_.outputs.push_back({old_.outputs[k].name, *error});
        which.push_back(k);
      }
    }
    return std::move(graph_);
  }

 private:
  using Error = std::optional<NodeId>;

  NodeId number(double value, const Shape& shape) {
    return b_.constant(Scalar::of_double(DType::Float64, value), shape);
  }
  NodeId magnitude(NodeId x) {
    const NodeId wide = b_.cast(x, DType::Float64);
    return b_.binary(Op::Max, wide, b_.unary(Op::Neg, wide));
  }
  NodeId plus(NodeId a, NodeId b) { return b_.binary(Op::Add, a, b); }
  NodeId times(NodeId a, NodeId b) { return b_.binary(Op::Mul, a, b); }
  NodeId times(NodeId a, double factor) { return times(a, number(factor, Shape(graph_[a].shape))); }
  NodeId unknown(NodeId id) { return number(kInfinity, old_[id].shape); }
  NodeId new_id(NodeId id) const { return map_[id.index]; }

  Error input_error(NodeId id, size_t i) const { return error_[old_[id].inputs[i].index]; }
  NodeId error_or_zero(NodeId old_id) {
    const Error known = error_[old_id.index];
    return known ? *known : number(0, Shape(old_[old_id].shape));
  }
  bool any_input_inexact(NodeId id) const {
    for (const NodeId input : old_[id].inputs) {
      if (error_[input.index]) {
        return true;
      }
    }
    return false;
  }

  /// `error` plus the rounding of the result, in `units` of its last place.
  NodeId with_rounding(NodeId error, NodeId id, double units) {
    const DType dtype = old_[id].dtype;
    const NodeId rounding = times(magnitude(new_id(id)), units * unit(dtype));
    return plus(plus(error, rounding), number(smallest(dtype), Shape(old_[id].shape)));
  }

  Error error_of(NodeId id) {
    const Node& node = old_[id];
    if (node.op == Op::Reduce) {
      return reduce_error(id);
    }
    if (node.op == Op::Pow && !any_input_inexact(id)) {
      return with_rounding(number(0, node.shape), id, 4);
    }
    if (!any_input_inexact(id)) {
      return std::nullopt;
    }
    switch (info(node.op).cls) {
      case OpClass::Unary:
        return unary_error(id);
      case OpClass::Binary:
        return binary_error(id);
      case OpClass::Ternary:
        return where_error(id);
      case OpClass::Movement:
        return moved_error(id);
      case OpClass::Indexed:
        return node.op == Op::Scatter ? scatter_error(id) : moved_error(id);
      case OpClass::Ordered:
        return scan_error(id);
      case OpClass::Leaf:
      case OpClass::Reduce:
      case OpClass::Effect:
        break;
    }
    return unknown(id);
  }

  /// Integers whose magnitudes sum up to less than the mantissa holds are added without rounding.
  bool is_exact_sum(NodeId x) const {
    const Array& array = values_[x.index];
    double sum = 0;
    for (int64_t i = 0; i < array.elements(); ++i) {
      const double value = array.at(i).as_double();
      if (std::trunc(value) != value || !std::isfinite(value)) {
        return false;
      }
      sum += std::abs(value);
    }
    return sum <= 2 / unit(array.dtype);
  }

  bool is_product(NodeId x) const {
    while (info(old_[x].op).cls == OpClass::Movement) {
      x = old_[x].inputs[0];
    }
    return old_[x].op == Op::Mul;
  }

  Error reduce_error(NodeId id) {
    const Node& node = old_[id];
    const auto& attr = node.get<air::ReduceAttr>();
    const NodeId x = node.inputs[0];
    const Error inner = input_error(id, 0);
    if (!is_float(node.dtype)) {
      return inner ? Error(unknown(id)) : std::nullopt;
    }
    if (attr.op == ReduceOp::Max || attr.op == ReduceOp::Min) {
      return inner ? Error(b_.reduce(ReduceOp::Max, *inner, attr.axes)) : std::nullopt;
    }
    Dim count(1);
    for (const int axis : attr.axes) {
      count = count * old_[x].shape[static_cast<size_t>(axis)];
    }
    const NodeId n = b_.expand(
        b_.reshape(b_.cast(b_.dim(count), DType::Float64), Shape(node.shape.size(), Dim(1))),
        node.shape);
    const double eps = accumulation_unit(node.dtype);
    if (attr.op == ReduceOp::Mul) {
      if (inner) {
        return unknown(id);
      }
      return with_rounding(times(times(magnitude(new_id(id)), n), eps), id, 1);
    }
    const bool unrounded = is_half(node.dtype) && is_product(x);
    if (!inner && !unrounded && is_exact_sum(x)) {
      return std::nullopt;
    }
    const NodeId sum = b_.reduce(ReduceOp::Add, magnitude(new_id(x)), attr.axes);
    NodeId error = times(times(sum, n), eps);
    if (unrounded) {  // in a contraction products of 16-bit floats stay float32 (LANGUAGE §5)
      error = plus(error, times(sum, unit(node.dtype)));
      error = plus(error, times(n, smallest(node.dtype)));
    }
    if (inner) {
      error = plus(error, b_.reduce(ReduceOp::Add, *inner, attr.axes));
    }
    return with_rounding(error, id, 1);
  }

  Error unary_error(NodeId id) {
    const Node& node = old_[id];
    const NodeId e = *input_error(id, 0);
    const NodeId x = new_id(node.inputs[0]);
    switch (node.op) {
      case Op::Neg:
        return e;
      case Op::Sin:
      case Op::Cos:
      case Op::Tanh:
      case Op::Erf:
      case Op::Atan:
        return with_rounding(times(e, 1.2), id, 4);
      case Op::Exp:
        return with_rounding(times(magnitude(new_id(id)), b_.unary(Op::Expm1, e)), id, 4);
      case Op::Recip: {
        const NodeId size = magnitude(x);
        const NodeId slack = b_.binary(Op::Sub, size, e);
        const NodeId quotient = b_.binary(Op::Div, e, times(size, slack));
        return with_rounding(where_larger(size, e, quotient), id, 1);
      }
      case Op::Cast:
        return is_float(node.dtype) ? with_rounding(e, id, 1) : unknown(id);
      default:
        return unknown(id);
    }
  }

  /// `value` where size > 2*error, else infinity.
  NodeId where_larger(NodeId size, NodeId error, NodeId value) {
    const NodeId safe = b_.binary(Op::Lt, times(error, 2), size);
    return b_.where(safe, value, number(kInfinity, Shape(graph_[value].shape)));
  }

  Error binary_error(NodeId id) {
    const Node& node = old_[id];
    if (!is_float(node.dtype)) {
      return unknown(id);
    }
    const NodeId ea = error_or_zero(node.inputs[0]);
    const NodeId eb = error_or_zero(node.inputs[1]);
    const NodeId a = magnitude(new_id(node.inputs[0]));
    const NodeId b = magnitude(new_id(node.inputs[1]));
    switch (node.op) {
      case Op::Add:
      case Op::Sub:
        return with_rounding(plus(ea, eb), id, 1);
      case Op::Mul:
        return with_rounding(plus(times(plus(a, ea), eb), times(b, ea)), id, 1);
      case Op::Max:
      case Op::Min:
        return b_.binary(Op::Max, ea, eb);
      case Op::Div: {
        const NodeId top = plus(ea, times(magnitude(new_id(id)), eb));
        const NodeId bottom = b_.binary(Op::Sub, b, eb);
        return with_rounding(where_larger(b, eb, b_.binary(Op::Div, top, bottom)), id, 1);
      }
      default:
        return unknown(id);
    }
  }

  Error where_error(NodeId id) {
    const Node& node = old_[id];
    if (input_error(id, 0)) {
      return unknown(id);
    }
    return b_.where(new_id(node.inputs[0]), error_or_zero(node.inputs[1]),
                    error_or_zero(node.inputs[2]));
  }

  /// The same movement of the errors; padding is exact.
  Error moved_error(NodeId id) {
    Node node = old_[id];
    const size_t data = node.op == Op::Concat ? node.inputs.size() : 1;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (i >= data && input_error(id, i)) {
        return unknown(id);
      }
      node.inputs[i] = i < data ? error_or_zero(node.inputs[i]) : new_id(node.inputs[i]);
    }
    node.dtype = DType::Float64;
    if (auto* pad = std::get_if<air::PadAttr>(&node.attr)) {
      pad->value = Scalar::of_double(DType::Float64, 0);
    }
    return graph_.add(std::move(node), Span{});
  }

  /// Errors go where the elements go; sums of inexact elements are not followed.
  Error scatter_error(NodeId id) {
    Node node = old_[id];
    if (node.get<air::ScatterAttr>().mode != air::ScatterMode::Set || input_error(id, 1)) {
      return unknown(id);
    }
    node.inputs = {error_or_zero(node.inputs[0]), new_id(node.inputs[1]),
                   error_or_zero(node.inputs[2])};
    node.dtype = DType::Float64;
    return graph_.add(std::move(node), Span{});
  }

  Error scan_error(NodeId id) {
    const Node& node = old_[id];
    const auto* attr = std::get_if<air::ScanAttr>(&node.attr);
    const bool extreme = attr != nullptr && is_float(node.dtype) &&
                         (attr->op == ReduceOp::Max || attr->op == ReduceOp::Min);
    return extreme ? b_.scan(ReduceOp::Max, *input_error(id, 0), attr->axis) : unknown(id);
  }

  const Graph& old_;
  const std::vector<Array>& values_;
  Graph graph_;
  Builder b_;
  std::vector<NodeId> map_;
  std::vector<Error> error_;
};

}  // namespace

std::vector<std::optional<Array>> error_bounds(const Graph& graph, const Environment& env) {
  Graph everything = graph;
  everything.outputs.clear();
  for (uint32_t i = 0; i < graph.size(); ++i) {
    everything.outputs.push_back({"", NodeId{i}});
  }
  Environment scratch = env;
  const std::vector<Array> values = air::evaluate(everything, scratch);
  std::vector<size_t> which;
  const Graph errors = ErrorGraph(graph, values).build(which);
  verify(errors);
  std::vector<std::optional<Array>> bounds(graph.outputs.size());
  scratch = env;
  std::vector<Array> results = air::evaluate(errors, scratch);
  for (size_t k = 0; k < which.size(); ++k) {
    bounds[which[k]] = std::move(results[k]);
  }
  return bounds;
}

namespace {

bool is_same(const Scalar& expected, const Scalar& actual, std::optional<double> bound,
             ZeroSign zero_sign) {
  if (!is_float(expected.dtype())) {
    return expected == actual || (bound && !std::isfinite(*bound));
  }
  const double a = expected.as_double();
  const double b = actual.as_double();
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) == std::isnan(b) || (bound && *bound == kInfinity);
  }
  if (a == b) {
    return bound || zero_sign == ZeroSign::Free || std::signbit(a) == std::signbit(b);
  }
  if (!bound) {
    return false;
  }
  if (std::isinf(a)) {
    return *bound == kInfinity;
  }
  return !std::isfinite(*bound) || std::abs(a - b) <= *bound;
}

}  // namespace

std::optional<std::string> difference(const Array& expected, const Array& actual,
                                      const std::optional<Array>& bound, ZeroSign zero_sign) {
  if (expected.dtype != actual.dtype || expected.shape != actual.shape) {
    return fmt::format("dtype or shape differs: {} of rank {}, got {} of rank {}",
                       name(expected.dtype), expected.shape.size(), name(actual.dtype),
                       actual.shape.size());
  }
  for (int64_t i = 0; i < expected.elements(); ++i) {
    const auto allowed = bound ? std::optional(bound->at(i).as_double()) : std::nullopt;
    if (!is_same(expected.at(i), actual.at(i), allowed, zero_sign)) {
      return fmt::format("element {} is {}, expected {} (off by at most {})", i,
                         actual.at(i).to_string(), expected.at(i).to_string(),
                         allowed ? fmt::format("{}", *allowed) : "nothing");
    }
  }
  return std::nullopt;
}

}  // namespace caten::testing
