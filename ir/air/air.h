// AIR: a pure, hash-consed SSA graph of primitive ops on (symbolically) shaped arrays.
//
// Semantics, in short (the reference is air/evaluate/):
// - A node has one result: an array of `dtype` and `shape`. Inputs have smaller ids than their
//   users, so storage order is a topological order and a pass is a loop over ids.
// - Elementwise ops take inputs of equal shape (broadcasting is an explicit Expand) and equal dtype
//   (promotion is an explicit Cast); Where takes (bool, T, T); comparisons give bool.
// - Integers wrap at their width. Idiv floors, Mod takes the divisor's sign, Rem truncates, x/0 and
//   x mod 0 and x rem 0 give 0. Shift counts are taken modulo the width (Shr: arithmetic when
//   signed). Not of an integer is bitwise.
// - bool: Add and Max are OR, Mul and Min are AND, Not is logical; Neg, Sub, Idiv, Mod, Rem and
//   shifts are refused. Bitcast to bool is x != 0.
// - Float ops are IEEE; Max and Min propagate NaN; Idiv is floor(x/y), Rem is fmod, Mod is fmod
// plus
//   the divisor where the signs differ, Round half to even. float16 and bfloat16 compute in float32
//   and round after every op.
// - Expand repeats axes of size 1 (same rank); Reshape keeps the row-major order of elements.
// - Scatter takes its updates one after the other in row-major order, Scan its elements in the
// order
//   of the axis: unlike those of Reduce, their results do not depend on the order of computation.
// - Sort gives positions: element k of the axis is where the k-th smallest (greatest) element is.
//   It is stable either way, and NaN come last.
// - ArgReduce over an empty axis gives 0, Reduce the identity.
// - Effects: only Assign. It yields the new version of its base: readers of the old version are
//   ordered before it, readers of the new one after it, by ordinary inputs and by the rule that
//   whoever reads the old version runs first. The base is a Param or an Assign, and each version is
//   the base of at most one Assign. Assigns take effect whether or not an output needs them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/air/attr.h"
#include "ir/dim.h"
#include "ir/support/check.h"
#include "ir/support/id.h"
#include "ir/support/span.h"
#include "ir/type.h"

namespace caten::air {

enum class OpClass : uint8_t {
  Leaf,
  Unary,
  Binary,
  Ternary,
  Movement,
  Reduce,
  Indexed,
  Ordered,
  Effect
};

enum Trait : uint32_t {
  kPure = 1U << 0,
  kCommutative = 1U << 1,
  kTranscendental = 1U << 2,  // costs more than a store and a load: never recomputed per consumer
  kCompare = 1U << 3,         // result is bool
  kFloatOnly = 1U << 4,
  kIntOnly = 1U << 5,      // integers and bool
  kResultTyped = 1U << 6,  // the node's dtype is given, not derived from the inputs
};

enum class Op : uint8_t {
#define AIR_OP(name, text, arity, cls, attr, traits) name,
#include "ir/air/ops.def"
#undef AIR_OP
};

struct OpInfo {
  std::string_view name;
  int arity;  // -1: one or more
  OpClass cls;
  uint32_t traits;
  bool has(Trait trait) const { return (traits & trait) != 0; }
};
const OpInfo& info(Op op);
inline std::string_view name(Op op) {
  return info(op).name;
}
int op_count();
/// The op's kind of attribute, with default values.
Attr default_attr(Op op);

/// "add", "mul", "max", "min", "and", "or".
std::string_view name(ReduceOp op);
std::optional<ReduceOp> reduce_op_from_name(std::string_view name);
/// "set", "add", "mul", "max", "min".
std::string_view name(ScatterMode mode);
std::optional<ScatterMode> scatter_mode_from_name(std::string_view name);
/// The op that combines two elements.
Op elementwise(ReduceOp op);
/// The op that combines what is there with an update; none for Set.
std::optional<Op> elementwise(ScatterMode mode);
std::optional<Op> op_from_name(std::string_view name);

using NodeId = Id<struct NodeTag>;

struct Node {
  Op op = Op::Const;
  DType dtype = DType::Float32;
  Shape shape;
  std::vector<NodeId> inputs;
  Attr attr;

  template <typename T>
  const T& get() const {
    return std::get<T>(attr);
  }
  int rank() const { return static_cast<int>(shape.size()); }
  friend bool operator==(const Node&, const Node&) = default;
};

/// What a compiled graph returns, in order.
struct Output {
  std::string name;
  NodeId node;
};

/// A size relation that could not be decided when the graph was built; checked at entry.
struct SizeCheck {
  Dim left;
  Dim right;
  std::string
      message;  // "axis 1 of `x` is {left}, axis 0 of `y` is {right}": {left}/{right} are replaced
  Span span;
};

class Graph {
 public:
  /// Adds a node, or finds the equal one that is there already (its span stays: first creator
  /// wins). Shape, dtype and attributes must be consistent: see verify().
  NodeId add(Node node, Span span);

  const Node& node(NodeId id) const { return nodes_[id.index]; }
  const Node& operator[](NodeId id) const { return nodes_[id.index]; }
  Span span(NodeId id) const { return spans_[id.index]; }
  /// The Lisp-level name a node came from ("Softmax", "x"), for kernel names and comments; may be
  /// "".
  const std::string& label(NodeId id) const { return labels_[id.index]; }
  void set_label(NodeId id, std::string label);
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

  std::vector<Output> outputs;
  std::vector<SizeCheck> checks;
  /// Symbols in order of first appearance (the order of the C prototype's sizes).
  std::vector<std::string> symbols;
  /// Input names in parameter order (an Input may be unused by the outputs and still be listed).
  std::vector<NodeId> inputs;

 private:
  std::vector<Node> nodes_;
  std::vector<Span> spans_;
  std::vector<std::string> labels_;
  std::unordered_multimap<size_t, uint32_t> interned_;
};

size_t hash(const Node& node);

/// The shape of Gather: `axis` of `from` replaced by the axes of `indices`.
Shape taken_shape(const Shape& from, const Shape& indices, int axis);

/// Which nodes an output or an effect needs.
std::vector<bool> live_nodes(const Graph& graph);

/// Checks arity, attribute kinds, dtypes, shapes and id order of every node; throws InternalError
/// naming the node. Also what the tests run after every pass.
void verify(const Graph& graph);
/// What is wrong with one node, if anything; verify() of all nodes is this in a loop.
std::optional<std::string> find_fault(const Graph& graph, NodeId id);

/// The graph as s-expressions, one node a line: op, dtype, shape, inputs, then the attribute, e.g.
///   (symbols n)
///   %0 = (input float32 (3 n) x)
///   %1 = (const float32 (3 n) 1.5)
///   %2 = (dim int64 () (+ n 1))
///   %3 = (add float32 (3 n) %0 %1)             ; the label
///   %4 = (permute float32 (n 3) %3 (1 0))
///   %5 = (slice float32 (1 3) %4 ((0 1 1) (0 3 1)) (0) %2)   ; (start size step)…, dynamic axes,
///   starts %6 = (pad float32 (3 3) %5 ((1 1) (0 0)) 0.0) %7 = (reduce float32 (3 1) %6 add (1))
///   (inputs %0)
///   (checks (= n 3 "axis 1 of `x` is {left}, expected {right}"))
///   (outputs (y %7))
/// parse() reads it back; `;` starts a comment.
std::string print(const Graph& graph);
/// Throws CompileError with spans into source `file`.
Graph parse(std::string_view text, uint32_t file);
std::string to_dot(const Graph& graph);
std::string to_json(const Graph& graph);

}  // namespace caten::air
