// Unification of a shape notation with tensors: binds names to sizes, decides what can be decided,
// leaves the rest as checks for the program's entry, and computes the shapes of the outputs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/tensor/notation.h"
#include "ir/air/air.h"
#include "ir/dim.h"
#include "ir/tensor/order.h"
#include "ir/type.h"

namespace caten::notation {

/// What unification needs to know of one tensor.
struct Operand {
  Shape shape;
  DType dtype = DType::Float32;
  tensor::Order order = tensor::Order::Row;
  std::string name;  // for messages: the user's own name of it, or ""
  Span span;         // where it was made
};

/// A where clause that binds a name (one dim) or a list `~name` (any number).
struct Binding {
  std::string name;  // lower case, without `~`
  bool list = false;
  Shape dims;
  Span span;
};
struct Clauses {
  std::vector<Binding> bindings;
  std::optional<DType> dtype;
  std::optional<tensor::Order> order;
};

struct Result {
  Shape shape;
  DType dtype = DType::Float32;
  tensor::Order order = tensor::Order::Row;
  int source = -1;  // the input of the same name, else the first; -1 when there is no input
};
struct Unified {
  std::vector<Result> results;
  std::vector<air::SizeCheck> checks;
  /// Every name to its size, and every `~name` (without `~`) to its list.
  std::map<std::string, Dim> sizes;
  std::map<std::string, Shape> lists;
};

/// `st`: every name and list unifies exactly. Throws ShapeMismatch, ShapeNotation or
/// WrongArgumentCount at `form`, with notes that show the tensors.
Unified unify(const Notation& notation, std::span<const Operand> operands, const Clauses& clauses,
              Span form, DType default_dtype);

/// Terms alone (`defcall`): binds their names to the operands' sizes.
Unified bind(const std::vector<Term>& terms, std::span<const Operand> operands, Span form);

/// `bc`: as unify, but the axes of `~` and of unbound lists broadcast (NumPy's rule). A result's
/// shape is what its source is to be broadcast to.
Unified broadcast(const Notation& notation, std::span<const Operand> operands,
                  const Clauses& clauses, Span form, DType default_dtype);

/// NumPy's rule for two shapes; symbolic sizes that may differ add a check with this message.
Shape broadcast_shapes(const Shape& a, const Shape& b, const std::string& what,
                       std::vector<air::SizeCheck>& checks, Span form);

}  // namespace caten::notation
