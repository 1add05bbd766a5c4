// Lowering: the tensor graph to one AIR graph, by calling the Lisp generic function `lower` of
// every op with AIR nodes. While it runs, the %-emitters (frontend/builtins/air.cpp) add to its
// graph.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/lisp/interpreter.h"
#include "frontend/tensor/session.h"
#include "ir/air/builder.h"
#include "ir/tensor/tensor.h"

namespace caten::tensor {

/// An AIR node as a Lisp object; it belongs to one lowering. A weak node is a constant (or an
/// expression of constants and sizes), kept in float64 or int64 until it meets a typed node.
struct AirNode : HeapObject {
  AirNode(air::NodeId node, uint64_t serial, bool weak)
      : id(node), lowering(serial), is_weak(weak) {}
  air::NodeId id;
  uint64_t lowering;
  bool is_weak;
  static const ObjectType kType;
};

/// A tensor to be computed, and its name in the program.
struct NamedTensor {
  std::string name;
  Tensor* tensor;
};

struct LoweredGraph {
  air::Graph graph;
  /// ParamAttr::storage indexes this. Rooted by the owner.
  std::vector<Tensor*> storages;
  /// The assignments that the program executes.
  std::vector<Tensor*> assignments;
};

class Lowering {
 public:
  explicit Lowering(lisp::Interpreter& interp);
  ~Lowering();
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  /// Inputs that the program has in this order, used or not.
  void declare_inputs(std::span<Tensor* const> inputs);
  LoweredGraph run(std::span<const NamedTensor> outputs);

  // What the emitters use.
  air::Builder& builder() { return builder_; }
  const air::Node& node(air::NodeId id) const { return graph_[id]; }
  lisp::Value wrap(air::NodeId id, bool is_weak = false);
  /// A node of this lowering, or a number as a weak constant.
  AirNode expect(lisp::Value value, std::string_view what);
  /// The node in its own dtype: weak ones get the default float or int.
  air::NodeId settle(const AirNode& node);
  /// A weak node in `dtype`.
  air::NodeId settle(const AirNode& node, DType dtype);
  air::NodeId convert(air::NodeId id, DType dtype, bool is_weak);
  /// The node repeated to a shape (NumPy's rule).
  air::NodeId broadcast(air::NodeId id, const Shape& shape);
  /// Nodes of equal dtype (promoted) and shape (broadcast). Returns whether all were weak.
  bool unify(std::vector<AirNode>& nodes, std::string_view what);
  /// Nodes made from now on come from the user's current form, or else from the op's tensor.
  void set_span_to_form();

 private:
  void add_checks(const Tensor& tensor);
  void note_bound(std::span<Tensor* const> order);
  void collect_sizes(std::span<Tensor* const> tensors);
  air::NodeId leaf(Tensor& tensor);
  air::NodeId place(Tensor& tensor);
  void lower_leaf(Tensor& tensor);
  std::string param_name(const Tensor& tensor, int index);
  void lower_op(Tensor& tensor);
  air::NodeId fit(const AirNode& node, const Tensor& tensor, const std::string& label);
  int storage_index(Tensor& tensor);

  lisp::Interpreter& interp_;
  Session& session_;
  Lowering* outer_;
  uint64_t serial_;
  air::Graph graph_;
  air::Builder builder_;
  Span tensor_span_;
  std::unordered_map<const Tensor*, air::NodeId> nodes_;
  std::unordered_map<const Tensor*, std::string> bound_;  // names of variables
  std::unordered_map<const Tensor*, int> storage_indices_;
  std::set<std::string> sizes_;  // symbols that shapes of the graph use
  std::set<std::string> param_names_;
  RootedVector<Tensor*> declared_;
  RootedVector<Tensor*> storages_;
  RootedVector<Tensor*> assignments_;
};

}  // namespace caten::tensor
