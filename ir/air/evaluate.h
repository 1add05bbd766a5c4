// The reference interpreter of AIR: slow, obvious, to the bit where the numeric rules are exact.
// The oracle of the tests and the `interp` backend. Elementary functions are those of
// support/elementary.h, so compiled kernels can agree to the bit; float sums and products are
// accumulated in a wider type and rounded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/air/air.h"

namespace caten::air {

/// A dense row-major array.
struct Array {
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;

  static Array zeros(DType dtype, std::vector<int64_t> shape);
  int64_t elements() const;
  Scalar at(int64_t i) const;
  void set(int64_t i, Scalar value);
};

struct Environment {
  std::map<std::string, int64_t> symbols;
  std::map<std::string, Array> inputs;
  /// Storage table for Param nodes; Assign writes into it.
  std::map<int, Array> params;
  /// Called before every node, if set; may leave by an exception.
  void (*between_nodes)() = nullptr;
};

/// Raised for mistakes that show only with data: size relation failed, index out of range.
class EvaluateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text of a failed size check.
std::string check_message(const SizeCheck& check, int64_t left, int64_t right);

/// Evaluates the outputs in order. Reads env; Assigns (outputs or not) update env.params after all
/// values have been computed.
std::vector<Array> evaluate(const Graph& graph, Environment& env);

/// One elementwise op on scalars: what constant folding uses as well.
Scalar apply(Op op, DType result, std::span<const Scalar> args);
/// The identity of a reduction in `dtype`.
Scalar identity(ReduceOp op, DType dtype);

}  // namespace caten::air
