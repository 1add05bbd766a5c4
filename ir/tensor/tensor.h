// Tensor: a node of the lazy tensor graph. Nothing is computed until a program made from the graph
// runs. Semantics:
// - `source` says what the tensor is: the result of an op, a named input, a constant, the value of
//   a size, or stored data. A Fresh tensor is what an op's `forward` returns before the op is
//   attached.
// - Ops are objects supplied by the frontend; the graph only keeps them alive and apart. Outputs of
//   one op share the op, the inputs and the siblings.
// - Tensors are collected objects. `inputs`, `siblings`, `grad` and the op are traced.
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

  static const ObjectType kType;
};

inline void trace(Tracer& tracer, Tensor* tensor) {
  tracer.mark(tensor);
}

/// Makes `outputs` the results of `op` applied to `inputs`; they are Fresh (InternalError
/// otherwise). `track` is false inside with-no-grad: no gradient flows through them.
void attach_op(HeapObject* op, std::span<Tensor* const> inputs, std::span<Tensor* const> outputs,
               bool track);

/// Every tensor that `roots` depend on and the roots, inputs before their users; siblings that
/// nobody reads are not listed. Not recursive: graphs may be deep.
std::vector<Tensor*> topological_order(std::span<Tensor* const> roots);

}  // namespace caten::tensor
