// Tensor: a node of the lazy tensor graph. Nothing is computed until a program made from the graph
// runs. Semantics:
// - `source` says what the tensor is: the result of an op, a named input, a constant, the value of
//   a size, or stored data. A Fresh tensor is what an op's `forward` returns before the op is
//   attached.
// - Ops are objects supplied by the frontend; the graph only keeps them alive and apart. Outputs of
//   one op share the op, the inputs and the siblings.
// - A stored tensor is a place. An assignment (the result of an op of OpKind::Assign) is its next
//   version; a view is a part of it. An op that takes a place, an assignment or a view as input
//   takes the newest version there is when the op is attached, so reads and assignments take effect
//   in the order in which they were built. An assignment that a program has executed is `applied`:
//   what still refers to it reads the place.
// - Tensors are collected objects; all references to other objects are traced.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ir/air/air.h"
#include "ir/dim.h"
#include "ir/support/heap.h"
#include "ir/support/span.h"
#include "ir/tensor/order.h"
#include "ir/type.h"

namespace caten::tensor {

/// Shape and dtype only: no op yet.
struct Fresh {};
/// Output number `output` of `Tensor::op`.
struct Computed {
  int output = 0;
};
/// A named input of the program.
struct Input {};
/// Every element is `value`. A weak constant takes the dtype of what it meets.
struct Constant {
  Scalar value;
  bool weak = false;
};
/// The value of a size, a rank-0 integer.
struct SizeValue {
  Dim value;
};
/// Owned data: the runtime's storage, made at first use when it is null (filled with `fill`).
struct Stored {
  std::shared_ptr<void> data;
  Scalar fill;
};
using Source = std::variant<Fresh, Computed, Input, Constant, SizeValue, Stored>;

struct Tensor : HeapObject {
  Shape shape;
  DType dtype = DType::Float32;
  Order order = Order::Row;
  Source source;

  HeapObject* op = nullptr;            // Computed
  std::vector<Tensor*> inputs;         // Computed: the op's inputs, in order
  std::vector<Tensor*> siblings;       // Computed: all outputs of the op when there are several
  std::vector<air::SizeCheck> checks;  // size relations found while this tensor was made

  Tensor* place = nullptr;    // assignments and views: the stored tensor behind them
  Tensor* version = nullptr;  // stored: the newest assignment that was not executed yet
  bool is_view = false;
  bool is_assignment = false;
  bool applied = false;  // assignments: a program has executed it

  int64_t id = 0;
  std::string name;  // Input: its name; otherwise the name of a parameter, or ""
  Span span;

  bool requires_grad = false;  // a leaf whose gradient the user wants
  bool needs_grad = false;     // a gradient flows through it to such a leaf
  Tensor* grad = nullptr;      // what `backward` accumulated

  int rank() const { return static_cast<int>(shape.size()); }
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(source);
  }
  template <typename T>
  T& get() {
    return std::get<T>(source);
  }
  template <typename T>
  const T& get() const {
    return std::get<T>(source);
  }
  /// Which output of its op this is; 0 for anything else.
  int output_index() const;
  /// The same for all outputs of one application of an op, different for any two applications.
  const Tensor* application() const { return siblings.empty() ? this : siblings.front(); }

  static const ObjectType kType;
};

inline void trace(Tracer& tracer, Tensor* tensor) {
  tracer.mark(tensor);
}

/// What the graph has to know of an op.
enum class OpKind : uint8_t {
  Plain,
  View,    // rearranges its one input: a part of the place that the input is (a part of)
  Assign,  // the next version of the place that input 0 is
};
struct Attachment {
  OpKind kind = OpKind::Plain;
  bool tracks_gradients = true;  // false inside with-no-grad
  bool takes_newest = true;      // false: inputs are taken as they are, whatever was assigned since
};

/// Makes `outputs` the results of `op` applied to `inputs`; they are Fresh (InternalError
/// otherwise). Inputs that are places are replaced by their newest versions, for which tensors may
/// be made in `heap`.
void attach_op(Heap& heap, HeapObject* op, std::span<Tensor* const> inputs,
               std::span<Tensor* const> outputs, Attachment attachment);

/// The tensor that stands for `tensor` when an op takes it now.
Tensor* newest_version(Heap& heap, Tensor* tensor);

/// Notes that a program executed the assignment.
void mark_applied(Tensor& assignment);

/// Every tensor that `roots` depend on and the roots, inputs before their users; siblings that
/// nobody reads are not listed. Applied assignments count as leaves, except as roots. Not
/// recursive: graphs may be deep.
std::vector<Tensor*> topological_order(std::span<Tensor* const> roots);

}  // namespace caten::tensor
