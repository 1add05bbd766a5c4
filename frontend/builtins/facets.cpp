// The numbers of tensors in Lisp: facets, comparison, and the floats that have no notation.
#include <cmath>
#include <limits>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tensor_tables.h"
#include "frontend/tensor/convert.h"
#include "frontend/tensor/runtime.h"
#include "frontend/tensor/session.h"

namespace caten::lisp {
namespace {

using runtime::StoragePtr;
using tensor::Tensor;

StoragePtr data_of(Interpreter& interp, Value value, std::string_view what) {
  return tensor::realized_storage(interp, tensor::expect_tensor(interp, value, what));
}

Value item(Interpreter& interp, std::span<Value> args) {
  const StoragePtr data = data_of(interp, args[0], "the tensor");
  if (data->elements() != 1) {
    fail(Diag::ShapeMismatch, interp.current_span(),
         "`item` needs a tensor of one element, not of shape {}",
         runtime::shape_text(data->shape()));
  }
  return tensor::scalar_value(interp, data->at(0));
}

Value elements(Interpreter& interp, std::span<Value> args) {
  const Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  return tensor::data_as_vector(interp, *data_of(interp, args[0], "the tensor"), t.order);
}

Value change_facet(Interpreter& interp, std::span<Value> args) {
  const std::string_view facet = expect_symbol(interp, args[1], "the facet").name;
  Tensor* source = args[0].try_as<Tensor>();
  if (facet == "TENSOR") {
    return source != nullptr
               ? args[0]
               : Value::object(tensor::new_stored(
                     interp, tensor::storage_from_data(interp, args[0], std::nullopt)));
  }
  const StoragePtr data = source != nullptr
                              ? tensor::realized_storage(interp, *source)
                              : tensor::storage_from_data(interp, args[0], std::nullopt);
  const tensor::Order order = source != nullptr ? source->order : tensor::Order::Row;
  if (facet == "ARRAY") {
    return tensor::data_as_array(interp, *data);
  }
  if (facet == "SIMPLE-ARRAY" || facet == "VECTOR") {
    return tensor::data_as_vector(interp, *data, order);
  }
  if (facet == "LIST") {
    return tensor::data_as_list(interp, *data);
  }
  if (facet == "NUMBER") {
    return item(interp, args.first(1));
  }
  wrong_type(interp, args[1], "the facet",
             ":tensor, :array, :simple-array, :vector, :list or :number");
}

/// (%write-facet tensor data): the tensor's elements become those of the array or list.
Value write_facet(Interpreter& interp, std::span<Value> args) {
  Tensor& t = tensor::expect_tensor(interp, args[0], "the tensor");
  if (!t.is<tensor::Stored>()) {
    fail(Diag::BadAssign, interp.current_span(),
         "only a stored tensor can be written through a facet");
  }
  const StoragePtr place = tensor::storage_of(interp, t);
  const StoragePtr data = tensor::storage_from_data(interp, args[1], t.dtype);
  if (data->elements() != place->elements()) {
    fail(Diag::ShapeMismatch, interp.current_span(), "the facet has shape {}, the tensor has {}",
         runtime::shape_text(data->shape()), runtime::shape_text(place->shape()));
  }
  // A vector lists the elements in the tensor's own order.
  const tensor::Order order = data->rank() == 1 ? t.order : tensor::Order::Row;
  for (int64_t i = 0; i < data->elements(); ++i) {
    place->set(tensor::row_major_index(*place, order, i), data->at(i));
  }
  return args[0];
}

Value allclose(Interpreter& interp, std::span<Value> args) {
  const KeywordArgs keys(interp, args, 2, {"RTOL", "ATOL", "EQUAL-NAN"});
  const auto operand = [&](Value v) {
    return v.is<Tensor>() ? data_of(interp, v, "an operand")
                          : tensor::storage_from_data(interp, v, std::nullopt);
  };
  const StoragePtr a = operand(args[0]);
  const StoragePtr b = operand(args[1]);
  const double relative =
      keys.given("RTOL") ? expect_real(interp, keys.get("RTOL"), ":rtol") : 1e-5;
  const double absolute =
      keys.given("ATOL") ? expect_real(interp, keys.get("ATOL"), ":atol") : 1e-8;
  const bool b_is_scalar = b->elements() == 1 && b->rank() == 0;
  if (a->shape() != b->shape() && !b_is_scalar) {
    return Value::nil();
  }
  for (int64_t i = 0; i < a->elements(); ++i) {
    const Scalar left = a->at(i);
    const Scalar right = b->at(b_is_scalar ? 0 : i);
    if (left == right ||
        (is_int(left.dtype()) && is_int(right.dtype()) && left.as_int() == right.as_int())) {
      if (!std::isnan(left.as_double()) || keys.get("EQUAL-NAN").truthy()) {
        continue;
      }
    }
    const double x = is_float(left.dtype()) ? left.as_double() : static_cast<double>(left.as_int());
    const double y =
        is_float(right.dtype()) ? right.as_double() : static_cast<double>(right.as_int());
    const bool both_nan = std::isnan(x) && std::isnan(y) && keys.get("EQUAL-NAN").truthy();
    const bool close =
        x == y || (std::isfinite(y) && std::fabs(x - y) <= absolute + relative * std::fabs(y));
    if (!both_nan && !close) {
      return Value::nil();
    }
  }
  return Value::t();
}

Value special_float(Interpreter& interp, std::span<Value> args, double value) {
  const KeywordArgs keys(interp, args, 0, {"DTYPE"});
  const DType dtype = keys.given("DTYPE")
                          ? tensor::expect_dtype(interp, keys.get("DTYPE"), ":dtype")
                          : tensor::default_float(interp);
  return tensor::scalar_value(interp,
                              Scalar::of_double(is_float(dtype) ? dtype : DType::Float32, value));
}
Value positive_infinity(Interpreter& interp, std::span<Value> args) {
  return special_float(interp, args, std::numeric_limits<double>::infinity());
}
Value negative_infinity(Interpreter& interp, std::span<Value> args) {
  return special_float(interp, args, -std::numeric_limits<double>::infinity());
}
Value not_a_number(Interpreter& interp, std::span<Value> args) {
  return special_float(interp, args, std::numeric_limits<double>::quiet_NaN());
}

// clang-format off
constexpr Builtin kFacetBuiltins[] = {
    {"ITEM", "CATEN", 1, 1, "the number in a tensor of one element", item},
    {"ELEMENTS", "CATEN", 1, 1, "all elements of a tensor as a vector", elements},
    {"CHANGE-FACET", "CATEN", 2, 2, "(change-facet object facet): numbers, nested lists and arrays to :tensor, tensors to :array :simple-array :vector :list :number", change_facet},
    {"%WRITE-FACET", "CATEN", 2, 2, "writes an array back to the tensor whose facet it is", write_facet},
    {"ALLCLOSE", "CATEN", 2, -1, "(allclose a b &key (rtol 1e-5) (atol 1e-8) equal-nan)", allclose},
    {"INF", "CATEN", 0, 2, "positive infinity", positive_infinity},
    {"-INF", "CATEN", 0, 2, "negative infinity", negative_infinity},
    {"NAN", "CATEN", 0, 2, "a NaN", not_a_number},
};
// clang-format on

}  // namespace

std::span<const Builtin> facet_builtins() {
  return kFacetBuiltins;
}

}  // namespace caten::lisp
