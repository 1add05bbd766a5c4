// Between Lisp values and the compiler's types: sizes, shapes, dtypes, orders, numbers.
// A size is an integer, a symbol, a list such as (+ n 1) or (floor-div n 2), or a scalar tensor
// that is a constant or a size. The Lisp symbol N is the size symbol "n"; a symbol whose name has
// lower-case letters, |Foo|, is "|Foo|".
#pragma once

#include <string>
#include <string_view>

#include "frontend/lisp/interpreter.h"
#include "ir/air/builder.h"
#include "ir/dim.h"
#include "ir/tensor/order.h"
#include "ir/type.h"

namespace caten::tensor {

/// "n" for N; also the names of inputs.
std::string size_name(const lisp::Symbol& symbol);
/// The symbol of a name, interned in the current package.
lisp::Value size_symbol(lisp::Interpreter& interp, std::string_view name);

Dim expect_dim(lisp::Interpreter& interp, lisp::Value value, std::string_view what);
/// A size of an axis: a Dim that is not provably negative.
Dim expect_size(lisp::Interpreter& interp, lisp::Value value, std::string_view what);
Shape expect_shape(lisp::Interpreter& interp, lisp::Value value, std::string_view what);
lisp::Value dim_value(lisp::Interpreter& interp, const Dim& dim);
lisp::Value shape_value(lisp::Interpreter& interp, const Shape& shape);

DType expect_dtype(lisp::Interpreter& interp, lisp::Value value, std::string_view what);
lisp::Value dtype_value(lisp::Interpreter& interp, DType dtype);
Order expect_order(lisp::Interpreter& interp, lisp::Value value, std::string_view what);
lisp::Value order_value(lisp::Interpreter& interp, Order order);

/// A number (or T, NIL) as a constant of `dtype`. Fails with BadConstant when an integer type
/// cannot hold it.
Scalar expect_scalar(lisp::Interpreter& interp, lisp::Value value, DType dtype);
/// The number (T or NIL for bool) that an element is.
lisp::Value scalar_value(lisp::Interpreter& interp, Scalar scalar);
/// Whether a value is a number, T or NIL.
bool is_scalar_value(lisp::Value value);
/// float for floats and ratios, bool for T and NIL, else int: by the *default-…* variables.
DType natural_dtype(lisp::Interpreter& interp, lisp::Value value);

/// The value of *DEFAULT-FLOAT* and the like.
DType default_dtype(lisp::Interpreter& interp, std::string_view variable);
inline DType default_float(lisp::Interpreter& interp) {
  return default_dtype(interp, "*DEFAULT-FLOAT*");
}
inline DType default_int(lisp::Interpreter& interp) {
  return default_dtype(interp, "*DEFAULT-INT*");
}
inline DType default_uint(lisp::Interpreter& interp) {
  return default_dtype(interp, "*DEFAULT-UINT*");
}
Order default_order(lisp::Interpreter& interp);

/// Non-negative axis of `rank`; fails with BadAxis.
int expect_axis(lisp::Interpreter& interp, lisp::Value value, int rank, std::string_view what);
std::vector<int> expect_axes(lisp::Interpreter& interp, lisp::Value value, int rank,
                             std::string_view what);

}  // namespace caten::tensor
