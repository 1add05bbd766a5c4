// Builder: the one way passes and the frontend make AIR nodes. Derives dtype and shape, checks the
// user's mistakes (CompileError at the current span), and interns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/air/air.h"
#include "ir/support/diagnostics.h"

namespace caten::air {

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}
  Graph& graph() { return graph_; }
  /// Where the nodes made from now on come from.
  void set_span(Span span) { span_ = span; }
  Span span() const { return span_; }

  NodeId constant(Scalar value, Shape shape = {});
  NodeId input(std::string name, DType dtype, Shape shape);
  NodeId param(std::string name, int storage, DType dtype, Shape shape);
  NodeId dim(const Dim& value);  // folds to a Const when the size is a number
  NodeId iota(Shape shape, int axis);

  /// Elementwise ops; inputs already have equal shapes and dtypes (else WrongDtype/ShapeMismatch).
  /// Sizes that may be equal (n and 3, n and m) get a SizeCheck and an implicit Reshape.
  NodeId unary(Op op, NodeId x);
  NodeId binary(Op op, NodeId a, NodeId b);
  NodeId where(NodeId condition, NodeId a, NodeId b);
  NodeId cast(NodeId x, DType to);
  NodeId bitcast(NodeId x, DType to);  // sizes of the two types must be equal

  NodeId reshape(NodeId x, Shape shape);  // element counts must be provably equal, else a SizeCheck
  NodeId permute(NodeId x, std::vector<int> order);
  NodeId expand(NodeId x, Shape shape);
  NodeId slice(NodeId x, SliceAttr attr, std::span<const NodeId> dynamic_starts = {});
  NodeId pad(NodeId x, std::vector<Dim> lo, std::vector<Dim> hi, Scalar value);
  NodeId concat(std::span<const NodeId> parts, int axis);

  NodeId reduce(ReduceOp op, NodeId x, std::vector<int> axes);
  NodeId arg_reduce(bool max, NodeId x, int axis);
  NodeId gather(NodeId x, NodeId indices, int axis);  // any integer dtype; made int64
  /// NumPy's take_along_axis: the other axes of x and indices agree.
  NodeId take_along(NodeId x, NodeId indices, int axis);
  NodeId scatter(NodeId base, NodeId indices, NodeId updates, ScatterAttr attr);
  NodeId scan(ReduceOp op, NodeId x, int axis);
  NodeId sort(NodeId x, int axis, bool descending);  // positions, int64
  NodeId assign(NodeId base, NodeId value, SliceAttr attr,
                std::span<const NodeId> dynamic_starts = {});

  /// Requires two sizes to be equal: nothing when they are, BadBroadcast/ShapeMismatch when they
  /// provably are not, else a SizeCheck for the entry.
  void require_equal(const Dim& left, const Dim& right, std::string message);

 private:
  NodeId make(Op op, DType dtype, Shape shape, std::vector<NodeId> inputs, Attr attr);
  const Node& node(NodeId id) const { return graph_[id]; }
  void note_symbols(const Dim& dim);
  void require(Diag kind, const Dim& left, const Dim& right, std::string message);
  /// Requires left <= right, as an equality of max(left, right) and right.
  void require_at_most(const Dim& left, const Dim& right, std::string message);
  /// `x` under a shape whose sizes are equal by a check made before.
  NodeId reshaped(NodeId x, const Shape& shape);
  void check_axis(int axis, int rank, std::string_view what) const;
  void check_slice(const Shape& shape, const SliceAttr& attr, size_t dynamic_starts);
  std::vector<NodeId> slice_inputs(std::vector<NodeId> first,
                                   std::span<const NodeId> dynamic_starts) const;
  Shape unify(std::string_view what, std::span<const NodeId> xs, int skip_axis = -1);
  /// Indices as int64; values that do not fit stay out of range.
  NodeId index_values(std::string_view what, NodeId indices);
  Graph& graph_;
  Span span_;
};

}  // namespace caten::air
