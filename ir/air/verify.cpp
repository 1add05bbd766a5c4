// verify: what every pass may assume and must leave behind. One loop over the nodes; the shape and
// dtype rules are those that the builder derives by.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "ir/air/air.h"

namespace caten::air {
namespace {

constexpr std::array kAttrIndex = {
#define AIR_OP(name, text, arity, cls, attr, traits) attr_index<attr>(),
#include "ir/air/ops.def"
#undef AIR_OP
};

/// The checks of one node. Every failure names it.
class NodeVerifier {
 public:
  NodeVerifier(const Graph& graph, NodeId id) : graph_(graph), id_(id), node_(graph[id]) {}

  std::optional<std::string> run() {
    check_structure();
    if (!fault_) {  // the rest relies on it
      check_by_class();
    }
    return fault_;
  }

 private:
  void check_by_class() {
    switch (info(node_.op).cls) {
      case OpClass::Leaf:
        return leaf();
      case OpClass::Unary:
      case OpClass::Binary:
      case OpClass::Ternary:
        return elementwise();
      case OpClass::Movement:
        return movement();
      case OpClass::Reduce:
        return reduction();
      case OpClass::Indexed:
        return node_.op == Op::Gather      ? gather()
               : node_.op == Op::TakeAlong ? take_along()
                                           : scatter();
      case OpClass::Ordered:
        return ordered();
      case OpClass::Effect:
        return assign();
    }
  }

  /// Keeps the first fault. False when there is one already: what follows may rely on it.
  bool expect(bool condition, std::string_view what) {
    if (!condition && !fault_) {
      fault_ = std::string(what);
    }
    return !fault_;
  }

  const Node& in(size_t i) const { return graph_[node_.inputs[i]]; }
  size_t rank() const { return node_.shape.size(); }
  bool is_axis(int axis, size_t of_rank) const {
    return axis >= 0 && static_cast<size_t>(axis) < of_rank;
  }

  void check_structure() {
    const OpInfo& row = info(node_.op);
    const int count = static_cast<int>(node_.inputs.size());
    expect(row.arity < 0 ? count >= 1 : count == row.arity, "wrong number of inputs");
    expect(node_.attr.index() == kAttrIndex[static_cast<size_t>(node_.op)],
           "wrong kind of attribute");
    for (const NodeId input : node_.inputs) {
      expect(input.index < id_.index, "an input does not come before it");
    }
    for (const Dim& dim : node_.shape) {
      expect(!dim.constant() || *dim.constant() >= 0, "negative size");
    }
  }

  void leaf() {
    if (node_.op == Op::Const) {
      expect(node_.get<ConstAttr>().value.dtype() == node_.dtype, "value of another dtype");
    } else if (node_.op == Op::DimValue) {
      expect(node_.dtype == DType::Int64 && rank() == 0, "a size is an int64 scalar");
    } else if (node_.op == Op::Iota) {
      expect(node_.dtype == DType::Int64, "iota is int64");
      expect(is_axis(node_.get<AxisAttr>().axis, rank()), "no such axis");
    }
  }

  void elementwise() {
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      expect(in(i).shape == node_.shape, "operand of another shape");
    }
    const OpInfo& row = info(node_.op);
    const DType operand = in(node_.inputs.size() - 1).dtype;
    expect(!row.has(kFloatOnly) || is_float(operand), "takes floats only");
    expect(!row.has(kIntOnly) || !is_float(operand), "takes integers only");
    if (node_.op == Op::Where) {
      expect(in(0).dtype == DType::Bool, "condition is not bool");
      expect(in(1).dtype == operand, "branches of different dtype");
    } else if (row.cls == OpClass::Binary) {
      expect(in(0).dtype == operand, "operands of different dtype");
    }
    if (node_.op == Op::Bitcast) {
      expect(size_of(operand) == size_of(node_.dtype), "widths differ");
    }
    if (!row.has(kResultTyped)) {
      expect(node_.dtype == (row.has(kCompare) ? DType::Bool : operand), "wrong result dtype");
    }
    const bool refuses_bool = node_.op == Op::Neg || node_.op == Op::Sub || node_.op == Op::Idiv ||
                              node_.op == Op::Mod || node_.op == Op::Rem || node_.op == Op::Shl ||
                              node_.op == Op::Shr;
    expect(!refuses_bool || operand != DType::Bool, "takes no bool");
  }

  void movement() {
    expect(in(0).dtype == node_.dtype, "changes the dtype");
    if (node_.op == Op::Reshape) {
      reshape();
    } else if (node_.op == Op::Permute) {
      permute();
    } else if (node_.op == Op::Expand) {
      expand();
    } else if (node_.op == Op::Slice) {
      slice(in(0).shape, 1);
      const auto& axes = node_.get<SliceAttr>().axes;
      if (!expect(axes.size() == rank(), "shape of another rank than its axes")) {
        return;
      }
      for (size_t i = 0; i < rank(); ++i) {
        expect(node_.shape[i] == axes[i].size, "shape differs from its sizes");
      }
    } else if (node_.op == Op::Pad) {
      pad();
    } else {
      concat();
    }
  }

  void reshape() {
    expect(node_.get<ShapeAttr>().shape == node_.shape, "attribute differs from its shape");
    const Dim difference = element_count(in(0).shape) - element_count(node_.shape);
    const auto lo = difference.lower_bound();
    const auto hi = difference.upper_bound();
    expect(!(lo && *lo > 0) && !(hi && *hi < 0), "changes the number of elements");
  }

  void permute() {
    const auto& order = node_.get<PermuteAttr>().order;
    if (!expect(order.size() == rank() && in(0).shape.size() == rank(), "order of another rank")) {
      return;
    }
    std::set<int> seen;
    for (size_t i = 0; i < order.size(); ++i) {
      if (!expect(is_axis(order[i], rank()) && seen.insert(order[i]).second, "not a permutation")) {
        return;
      }
      expect(node_.shape[i] == in(0).shape[static_cast<size_t>(order[i])], "wrong shape");
    }
  }

  void expand() {
    expect(node_.get<ShapeAttr>().shape == node_.shape, "attribute differs from its shape");
    if (!expect(in(0).shape.size() == rank(), "changes the rank")) {
      return;
    }
    for (size_t i = 0; i < rank(); ++i) {
      expect(in(0).shape[i].is(1) || in(0).shape[i] == node_.shape[i],
             "repeats an axis that is not 1");
    }
  }

  void slice(const Shape& from, size_t first_start) {
    const auto& attr = node_.get<SliceAttr>();
    expect(attr.axes.size() == from.size(), "slice of another rank");
    for (const SliceAxis& axis : attr.axes) {
      expect(axis.step != 0, "step 0");
    }
    expect(node_.inputs.size() == first_start + attr.dynamic_axes.size(),
           "wrong number of dynamic starts");
    for (const int axis : attr.dynamic_axes) {
      expect(is_axis(axis, from.size()), "dynamic start of no axis");
    }
    for (size_t i = first_start; i < node_.inputs.size(); ++i) {
      expect(in(i).dtype == DType::Int64 && in(i).shape.empty(), "start is no int64 scalar");
    }
  }

  void pad() {
    const auto& attr = node_.get<PadAttr>();
    expect(attr.value.dtype() == node_.dtype, "padding of another dtype");
    if (!expect(
            in(0).shape.size() == rank() && attr.lo.size() == rank() && attr.hi.size() == rank(),
            "amounts of another rank")) {
      return;
    }
    for (size_t i = 0; i < rank(); ++i) {
      expect(node_.shape[i] == in(0).shape[i] + attr.lo[i] + attr.hi[i], "wrong shape");
    }
  }

  void concat() {
    const int axis = node_.get<AxisAttr>().axis;
    if (!expect(is_axis(axis, rank()), "no such axis")) {
      return;
    }
    Dim total;
    for (size_t k = 0; k < node_.inputs.size(); ++k) {
      expect(in(k).dtype == node_.dtype, "parts of different dtype");
      if (!expect(in(k).shape.size() == rank(), "parts of different rank")) {
        return;
      }
      for (size_t i = 0; i < rank(); ++i) {
        expect(static_cast<int>(i) == axis || in(k).shape[i] == node_.shape[i],
               "parts disagree on another axis");
      }
      total = total + in(k).shape[static_cast<size_t>(axis)];
    }
    expect(total == node_.shape[static_cast<size_t>(axis)], "wrong size of the joined axis");
  }

  void reduction() {
    const Node& x = in(0);
    if (!expect(x.shape.size() == rank(), "changes the rank")) {
      return;
    }
    std::vector<int> axes;
    if (node_.op == Op::Reduce) {
      const auto& attr = node_.get<ReduceAttr>();
      axes = attr.axes;
      expect(node_.dtype == x.dtype, "changes the dtype");
      const bool bitwise = attr.op == ReduceOp::And || attr.op == ReduceOp::Or;
      expect(!bitwise || !is_float(x.dtype), "bitwise reduction of floats");
    } else {
      axes = {node_.get<ArgReduceAttr>().axis};
      expect(node_.dtype == DType::Int64, "an index is int64");
    }
    expect(!axes.empty() && std::is_sorted(axes.begin(), axes.end()) &&
               std::adjacent_find(axes.begin(), axes.end()) == axes.end(),
           "axes are not sorted");
    for (const int axis : axes) {
      expect(is_axis(axis, rank()), "no such axis");
    }
    for (size_t i = 0; i < rank(); ++i) {
      const bool reduced = std::binary_search(axes.begin(), axes.end(), static_cast<int>(i));
      expect(reduced ? node_.shape[i].is(1) : node_.shape[i] == x.shape[i], "wrong shape");
    }
  }

  void gather() {
    const auto axis = node_.get<AxisAttr>().axis;
    expect(in(0).dtype == node_.dtype, "changes the dtype");
    expect(in(1).dtype == DType::Int64, "indices are not int64");
    if (!expect(is_axis(axis, in(0).shape.size()), "no such axis")) {
      return;
    }
    expect(taken_shape(in(0).shape, in(1).shape, axis) == node_.shape, "wrong shape");
  }

  void take_along() {
    const int axis = node_.get<AxisAttr>().axis;
    expect(in(0).dtype == node_.dtype, "changes the dtype");
    expect(in(1).dtype == DType::Int64, "indices are not int64");
    expect(in(1).shape == node_.shape, "shape differs from that of the indices");
    same_other_axes(in(0).shape, in(1).shape, axis);
  }

  void same_other_axes(const Shape& a, const Shape& b, int axis) {
    if (!expect(a.size() == b.size() && is_axis(axis, a.size()), "indices of another rank")) {
      return;
    }
    for (size_t i = 0; i < a.size(); ++i) {
      expect(static_cast<int>(i) == axis || a[i] == b[i], "the other axes disagree");
    }
  }

  void scatter() {
    const auto& attr = node_.get<ScatterAttr>();
    expect(in(0).dtype == node_.dtype && in(2).dtype == node_.dtype, "changes the dtype");
    expect(in(0).shape == node_.shape, "changes the shape of its base");
    expect(in(1).dtype == DType::Int64, "indices are not int64");
    if (attr.along) {
      expect(in(1).shape == in(2).shape, "updates of another shape than the indices");
      same_other_axes(node_.shape, in(1).shape, attr.axis);
    } else if (expect(is_axis(attr.axis, rank()), "no such axis")) {
      expect(taken_shape(node_.shape, in(1).shape, attr.axis) == in(2).shape,
             "updates of the wrong shape");
    }
  }

  void ordered() {
    const bool scan = node_.op == Op::Scan;
    const int axis = scan ? node_.get<ScanAttr>().axis : node_.get<SortAttr>().axis;
    expect(is_axis(axis, rank()), "no such axis");
    expect(in(0).shape == node_.shape, "changes the shape");
    expect(node_.dtype == (scan ? in(0).dtype : DType::Int64), "wrong result dtype");
    if (scan) {
      const ReduceOp op = node_.get<ScanAttr>().op;
      expect((op != ReduceOp::And && op != ReduceOp::Or) || !is_float(node_.dtype),
             "bitwise scan of floats");
    }
  }

  void assign() {
    if (!expect(node_.inputs.size() >= 2, "needs a base and a value")) {
      return;
    }
    expect(in(0).op == Op::Param || in(0).op == Op::Assign, "base is no place");
    expect(in(0).dtype == node_.dtype && in(1).dtype == node_.dtype, "changes the dtype");
    expect(in(0).shape == node_.shape, "changes the shape of its base");
    slice(in(0).shape, 2);
    const auto& axes = node_.get<SliceAttr>().axes;
    if (!expect(in(1).shape.size() == axes.size(), "value of another rank")) {
      return;
    }
    for (size_t i = 0; i < axes.size(); ++i) {
      expect(in(1).shape[i] == axes[i].size, "value of another shape than the place");
    }
  }

  const Graph& graph_;
  NodeId id_;
  const Node& node_;
  std::optional<std::string> fault_;
};

/// Each version of a place has at most one successor.
void verify_versions(const Graph& graph) {
  std::vector<bool> replaced(graph.size(), false);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph[NodeId{i}];
    if (node.op == Op::Assign) {
      const uint32_t base = node.inputs[0].index;
      CATEN_CHECK(!replaced[base], "verify: %{} is assigned twice, again by %{}", base, i);
      replaced[base] = true;
    }
  }
}

}  // namespace

std::optional<std::string> find_fault(const Graph& graph, NodeId id) {
  return NodeVerifier(graph, id).run();
}

void verify(const Graph& graph) {
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (const auto fault = find_fault(graph, NodeId{i})) {
      const Node& node = graph[NodeId{i}];
      throw InternalError(fmt::format("verify: %{} = ({} {} {} ...): {}", i, name(node.op),
                                      caten::name(node.dtype), caten::to_string(node.shape),
                                      *fault));
    }
  }
  verify_versions(graph);
  for (const Output& output : graph.outputs) {
    CATEN_CHECK(output.node.index < graph.size(), "verify: output `{}` is not in the graph",
                output.name);
  }
  for (const NodeId id : graph.inputs) {
    CATEN_CHECK(id.index < graph.size() && graph[id].op == Op::Input,
                "verify: input list names %{}, which is no input", id.index);
  }
}

}  // namespace caten::air
