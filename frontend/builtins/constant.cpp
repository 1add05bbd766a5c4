// Constants, sizes and size checks as tensors: what the library's operand rules are made of.
#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/session.h"

namespace caten::lisp {
namespace {

using tensor::Tensor;

/// (%constant value dtype shape weak): every element is the number.
Value constant(Interpreter& interp, std::span<Value> args) {
  const DType dtype = tensor::expect_dtype(interp, args[1], "the dtype");
  return Value::object(tensor::new_constant(interp, tensor::expect_scalar(interp, args[0], dtype),
                                            tensor::expect_shape(interp, args[2], "the shape"),
                                            args[3].truthy()));
}

/// (%size-tensor dim): the value of a size, weak, of the default int.
Value size_tensor(Interpreter& interp, std::span<Value> args) {
  Tensor* t = tensor::new_tensor(interp, Shape{}, tensor::default_int(interp));
  t->source = tensor::SizeValue{tensor::expect_dim(interp, args[0], "the size")};
  return Value::object(t);
}

/// (%weak-value tensor): the number or size of a weak constant and T, else NIL and NIL.
Value weak_value(Interpreter& interp, std::span<Value> args) {
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  if (t.is<tensor::SizeValue>()) {
    return interp.set_values(
        {tensor::dim_value(interp, t.get<tensor::SizeValue>().value), Value::t()});
  }
  if (t.is<tensor::Constant>() && t.get<tensor::Constant>().weak) {
    return interp.set_values(
        {tensor::scalar_value(interp, t.get<tensor::Constant>().value), Value::t()});
  }
  return interp.set_values({Value::nil(), Value::nil()});
}

/// (%size-value tensor): the size that a rank-0 integer tensor is known to be, or NIL.
Value size_value(Interpreter& interp, std::span<Value> args) {
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  if (t.is<tensor::SizeValue>()) {
    return tensor::dim_value(interp, t.get<tensor::SizeValue>().value);
  }
  if (t.is<tensor::Constant>() && t.rank() == 0 && is_int(t.dtype)) {
    return tensor::scalar_value(interp, t.get<tensor::Constant>().value);
  }
  return Value::nil();
}

/// (%entry-size tensor): as %size-value, and the symbol of a rank-0 integer input.
Value entry_size(Interpreter& interp, std::span<Value> args) {
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  if (t.is<tensor::Input>() && t.rank() == 0 && is_int(t.dtype)) {
    return tensor::dim_value(interp, Dim::symbol(t.name));
  }
  return size_value(interp, args);
}

/// (%expand-constant tensor shape): the constant with another shape; NIL for other tensors.
Value expand_constant(Interpreter& interp, std::span<Value> args) {
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  if (!t.is<tensor::Constant>()) {
    return Value::nil();
  }
  const tensor::Constant source = t.get<tensor::Constant>();
  return Value::object(tensor::new_constant(
      interp, source.value, tensor::expect_shape(interp, args[1], "the shape"), source.weak));
}

/// (%add-check tensor a b message): wherever the tensor is computed, the two sizes must be equal.
/// The message may hold {left} and {right}. Returns the tensor.
Value add_check(Interpreter& interp, std::span<Value> args) {
  Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  t.checks.push_back({tensor::expect_dim(interp, args[1], "the first size"),
                      tensor::expect_dim(interp, args[2], "the second size"),
                      expect_string(interp, args[3], "the message").utf8(), interp.current_span()});
  return args[0];
}

// clang-format off
constexpr Builtin kConstantBuiltins[] = {
    {"%CONSTANT", "CATEN", 4, 4, "(%constant value dtype shape weak): a constant tensor", constant},
    {"%SIZE-TENSOR", "CATEN", 1, 1, "(%size-tensor dim): the value of a size as a tensor", size_tensor},
    {"%WEAK-VALUE", "CATEN", 1, 1, "the number or size of a weak constant and T, or NIL and NIL", weak_value},
    {"%ENTRY-SIZE", "CATEN", 1, 1, "the size that a rank-0 integer tensor has at entry, or NIL", entry_size},
    {"%SIZE-VALUE", "CATEN", 1, 1, "the size that a rank-0 integer tensor is known to be, or NIL", size_value},
    {"%EXPAND-CONSTANT", "CATEN", 2, 2, "a constant with another shape, or NIL", expand_constant},
    {"%ADD-CHECK", "CATEN", 4, 4, "(%add-check tensor a b message): the sizes must be equal where the tensor is computed", add_check},
};
// clang-format on

}  // namespace

std::span<const Builtin> constant_builtins() {
  return kConstantBuiltins;
}

}  // namespace caten::lisp
