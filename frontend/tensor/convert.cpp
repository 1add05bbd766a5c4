// See convert.h.
#include "frontend/tensor/convert.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <vector>

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/number.h"
#include "ir/tensor/tensor.h"

namespace caten::tensor {
namespace {

using lisp::Interpreter;
using lisp::Value;

bool has_lower_case(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

struct DimOperator {
  std::string_view name;
  Dim (*apply)(const Dim&, const Dim&);
  bool is_variadic;
};

// The spellings of Dim::to_string; several operands fold from the left.
const DimOperator kDimOperators[] = {
    {"+", [](const Dim& a, const Dim& b) { return a + b; }, true},
    {"*", [](const Dim& a, const Dim& b) { return a * b; }, true},
    {"-", [](const Dim& a, const Dim& b) { return a - b; }, true},
    {"max", Dim::max, true},
    {"min", Dim::min, true},
    {"floor-div", Dim::floor_div, false},
    {"ceil-div", Dim::ceil_div, false},
    {"mod", Dim::mod, false},
};

Dim dim_of_list(Interpreter& interp, Value list, std::string_view what) {
  interp.check_stack();
  const std::vector<Value> items = lisp::expect_list_items(interp, list, what);
  if (items[0].is_symbol()) {
    const std::string name = lower_case(items[0].as<lisp::Symbol>()->name);
    for (const DimOperator& row : kDimOperators) {
      if (row.name != name) {
        continue;
      }
      const size_t operands = items.size() - 1;
      if (row.is_variadic ? operands == 0 : operands != 2) {
        break;
      }
      Dim result = expect_dim(interp, items[1], what);
      if (operands == 1 && name == "-") {
        return Dim(0) - result;
      }
      for (size_t i = 2; i < items.size(); ++i) {
        result = row.apply(result, expect_dim(interp, items[i], what));
      }
      return result;
    }
  }
  lisp::wrong_type(interp, list, what,
                   "a size: an integer, a symbol, or an expression of them such as (+ n 1)");
}

Dim dim_of_tensor(Interpreter& interp, const Tensor& tensor, std::string_view what) {
  if (tensor.rank() == 0 && is_int(tensor.dtype)) {
    if (tensor.is<Constant>()) {
      return Dim(tensor.get<Constant>().value.as_int());
    }
    if (tensor.is<SizeValue>()) {
      return tensor.get<SizeValue>().value;
    }
    if (tensor.is<Input>()) {
      return Dim::symbol(tensor.name);
    }
  }
  fail(Diag::BadSize, interp.current_span(),
       "{} is a tensor of shape {} whose value is not known at entry; a size may be a scalar "
       "integer constant, `iconst` of a symbol, or a scalar integer input",
       what, to_string(tensor.shape));
}

/// The least and greatest value of an integer type, as far as int64 reaches.
std::pair<int64_t, int64_t> int_range(DType dtype) {
  if (dtype == DType::Bool) {
    return {0, 1};
  }
  const int bits = size_of(dtype) * 8;
  if (is_unsigned(dtype)) {
    return {0, bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1};
  }
  const int64_t high = std::numeric_limits<int64_t>::max() >> (64 - bits);
  return {-high - 1, high};
}

}  // namespace

std::string size_name(const lisp::Symbol& symbol) {
  if (has_lower_case(symbol.name)) {
    return "|" + std::string(symbol.name) + "|";
  }
  return lower_case(symbol.name);
}

Value size_symbol(Interpreter& interp, std::string_view name) {
  lisp::Package& package = interp.current_package();
  if (name.size() >= 2 && name.front() == '|' && name.back() == '|') {
    return package.intern(interp.heap(), name.substr(1, name.size() - 2));
  }
  std::string upper(name);
  for (char& c : upper) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return package.intern(interp.heap(), upper);
}

Dim expect_dim(Interpreter& interp, Value value, std::string_view what) {
  if (lisp::is_integer(value)) {
    return Dim(lisp::integer_value(value));
  }
  if (value.is_cons()) {
    return dim_of_list(interp, value, what);
  }
  if (const Tensor* tensor = value.try_as<Tensor>()) {
    return dim_of_tensor(interp, *tensor, what);
  }
  if (value.is_symbol() && !value.is_nil() && value != Value::t()) {
    return Dim::symbol(size_name(*value.as<lisp::Symbol>()));
  }
  lisp::wrong_type(interp, value, what,
                   "a size: an integer, a symbol, or an expression of them such as (+ n 1)");
}

Dim expect_size(Interpreter& interp, Value value, std::string_view what) {
  Dim dim = expect_dim(interp, value, what);
  if (dim.upper_bound().value_or(0) < 0) {
    fail(Diag::BadSize, interp.current_span(), "{} is the negative size {}", what, dim.to_string());
  }
  return dim;
}

Shape expect_shape(Interpreter& interp, Value value, std::string_view what) {
  Shape shape;
  for (const Value item : lisp::expect_list_items(interp, value, what)) {
    shape.push_back(expect_size(interp, item, fmt::format("axis {} of {}", shape.size(), what)));
  }
  return shape;
}

namespace {

/// `form` with the symbols that the names of sizes stand for.
Value with_size_symbols(Interpreter& interp, Value form) {
  if (form.is_symbol()) {
    const std::string_view name = form.as<lisp::Symbol>()->name;
    return name.starts_with('|') ? size_symbol(interp, name) : form;
  }
  if (!form.is_cons()) {
    return form;
  }
  std::vector<Value> items;
  for (const Value item : lisp::expect_list_items(interp, form, "a size")) {
    items.push_back(with_size_symbols(interp, item));
  }
  return interp.list(items);
}

}  // namespace

Value dim_value(Interpreter& interp, const Dim& dim) {
  if (dim.is_constant()) {
    return interp.integer(*dim.constant());
  }
  if (const auto name = dim.as_symbol()) {
    return size_symbol(interp, *name);
  }
  // The text form is the Lisp form, but for the bars of size_name().
  const std::string text = dim.to_string();
  size_t offset = 0;
  return with_size_symbols(interp, interp.read(text, &offset));
}

Value shape_value(Interpreter& interp, const Shape& shape) {
  std::vector<Value> items;
  items.reserve(shape.size());
  for (const Dim& dim : shape) {
    items.push_back(dim_value(interp, dim));
  }
  return interp.list(items);
}

DType expect_dtype(Interpreter& interp, Value value, std::string_view what) {
  if (value.is_symbol()) {
    if (const auto dtype = dtype_from_name(lower_case(value.as<lisp::Symbol>()->name))) {
      return *dtype;
    }
    std::vector<std::string> names;
    for (int i = 0; i < kDTypeCount; ++i) {
      names.push_back(":" + std::string(name(static_cast<DType>(i))));
    }
    const auto hint = lisp::did_you_mean(":" + lower_case(value.as<lisp::Symbol>()->name), names);
    fail(Diag::UnknownDtype, interp.current_span(), "{} is `{}`, which is no dtype{}", what,
         interp.print(value), hint ? fmt::format("; did you mean `{}`?", *hint) : "");
  }
  lisp::wrong_type(interp, value, what, "a dtype such as :float32");
}

Value dtype_value(Interpreter& interp, DType dtype) {
  std::string upper(name(dtype));
  for (char& c : upper) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return interp.keyword(upper);
}

Order expect_order(Interpreter& interp, Value value, std::string_view what) {
  if (value == interp.keyword("ROW")) {
    return Order::Row;
  }
  if (value == interp.keyword("COLUMN")) {
    return Order::Column;
  }
  lisp::wrong_type(interp, value, what, ":row or :column");
}

Value order_value(Interpreter& interp, Order order) {
  return interp.keyword(order == Order::Row ? "ROW" : "COLUMN");
}

bool is_scalar_value(Value value) {
  return lisp::is_number(value) || value.is_nil() || value == Value::t();
}

Scalar expect_scalar(Interpreter& interp, Value value, DType dtype) {
  if (value.is_nil() || value == Value::t()) {
    if (dtype != DType::Bool) {
      lisp::wrong_type(interp, value, fmt::format("a constant of dtype {}", name(dtype)),
                       "a number");
    }
    return Scalar::of_int(dtype, value.is_nil() ? 0 : 1);
  }
  if (!lisp::is_number(value)) {
    lisp::wrong_type(interp, value, fmt::format("a constant of dtype {}", name(dtype)), "a number");
  }
  if (is_float(dtype)) {
    return lisp::is_integer(value) ? Scalar::of_int(dtype, lisp::integer_value(value))
                                   : Scalar::of_double(dtype, lisp::to_double(interp, value));
  }
  const auto [low, high] = int_range(dtype);
  if (lisp::is_integer(value)) {
    const int64_t n = lisp::integer_value(value);
    if (n < low || n > high) {
      fail(Diag::BadConstant, interp.current_span(), "the constant {} does not fit dtype {}", n,
           name(dtype));
    }
    return Scalar::of_int(dtype, n);
  }
  // 2^63 is the first double past the range of int64.
  const double number = lisp::to_double(interp, value);
  if (number != std::trunc(number) || !(number >= static_cast<double>(low)) || !(number < 0x1p63) ||
      static_cast<int64_t>(number) > high) {
    fail(Diag::BadConstant, interp.current_span(), "the constant {} is no {}", interp.print(value),
         name(dtype));
  }
  return Scalar::of_int(dtype, static_cast<int64_t>(number));
}

Value scalar_value(Interpreter& interp, Scalar scalar) {
  const DType dtype = scalar.dtype();
  if (dtype == DType::Bool) {
    return Value::boolean(scalar.as_bool());
  }
  if (dtype == DType::Float64) {
    return interp.real(scalar.as_double());
  }
  if (is_float(dtype)) {
    return Value::single(static_cast<float>(scalar.as_double()));
  }
  if (dtype == DType::UInt64 && scalar.as_int() < 0) {
    fail(Diag::Unsupported, interp.current_span(),
         "the uint64 {} is greater than every Lisp integer (int64)", scalar.to_string());
  }
  return interp.integer(scalar.as_int());
}

DType natural_dtype(Interpreter& interp, Value value) {
  if (value.is_nil() || value == Value::t()) {
    return DType::Bool;
  }
  return lisp::is_integer(value) ? default_int(interp) : default_float(interp);
}

DType default_dtype(Interpreter& interp, std::string_view variable) {
  return expect_dtype(interp, interp.caten(variable).as<lisp::Symbol>()->value,
                      fmt::format("the value of {}", lower_case(variable)));
}

Order default_order(Interpreter& interp) {
  return expect_order(interp, interp.caten("*DEFAULT-ORDER*").as<lisp::Symbol>()->value,
                      "the value of *default-order*");
}

int expect_axis(Interpreter& interp, Value value, int rank, std::string_view what) {
  const int64_t axis = lisp::expect_int(interp, value, what);
  if (axis < -rank || axis >= rank) {
    fail(Diag::BadAxis, interp.current_span(), "{} is axis {} of a tensor of rank {}", what, axis,
         rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int> expect_axes(Interpreter& interp, Value value, int rank, std::string_view what) {
  std::vector<int> axes;
  if (value == Value::t()) {
    for (int axis = 0; axis < rank; ++axis) {
      axes.push_back(axis);
    }
    return axes;
  }
  if (lisp::is_integer(value)) {
    return {expect_axis(interp, value, rank, what)};
  }
  for (const Value item : lisp::expect_list_items(interp, value, what)) {
    axes.push_back(expect_axis(interp, item, rank, what));
  }
  std::vector<int> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    fail(Diag::BadAxis, interp.current_span(), "{} names an axis twice: {}", what,
         interp.print(value));
  }
  return axes;
}

}  // namespace caten::tensor
