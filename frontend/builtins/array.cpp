// Arrays of any rank: making them, and access. Strings are their own kind of object.
#include "frontend/builtins/array.h"

#include <algorithm>

#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

constexpr size_t kMaxRank = 128;

}  // namespace

ArrayView expect_array(Interpreter& interp, Value v) {
  ArrayView view{v.try_as<Array>(), v.try_as<String>()};
  if (view.array == nullptr && view.string == nullptr) {
    wrong_type(interp, v, "argument", "an array");
  }
  return view;
}

std::vector<int64_t> expect_dims(Interpreter& interp, Value v) {
  std::vector<int64_t> dims;
  if (!v.is_list()) {
    dims.push_back(expect_index(interp, v, "dimension"));
  } else {
    for (Value dim : expect_list_items(interp, v, "dimensions")) {
      dims.push_back(expect_index(interp, dim, "dimension"));
    }
  }
  if (dims.size() > kMaxRank) {
    wrong_type(interp, v, "dimensions", fmt::format("at most {} axes", kMaxRank));
  }
  int64_t total = 1;
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(total, dim, &total) || total > kMaxArrayElements) {
      wrong_type(interp, v, "dimensions", fmt::format("at most {} elements", kMaxArrayElements));
    }
  }
  return dims;
}

int64_t total_of(std::span<const int64_t> dims) {
  int64_t total = 1;
  for (int64_t dim : dims) {
    total *= dim;
  }
  return total;
}

Value upgraded_type(Interpreter& interp, Value type) {
  const Value head = type.is_cons() ? car(type) : type;
  for (const char* name : {"CHARACTER", "BASE-CHAR", "STANDARD-CHAR"}) {
    if (head == interp.cl(name)) {
      return interp.cl("CHARACTER");
    }
  }
  for (const char* name : {"BIT", "FIXNUM", "SINGLE-FLOAT", "DOUBLE-FLOAT", "SHORT-FLOAT",
                           "LONG-FLOAT", "UNSIGNED-BYTE", "SIGNED-BYTE"}) {
    if (head == interp.cl(name)) {
      return type;
    }
  }
  return Value::t();
}

Value array_element_type(Interpreter& interp, const ArrayView& view) {
  return view.array != nullptr ? view.array->element_type : interp.cl("CHARACTER");
}

Value default_element(Interpreter& interp, Value type) {
  if (type == interp.cl("CHARACTER")) {
    return Value::character(0);
  }
  if (type == interp.cl("SINGLE-FLOAT") || type == interp.cl("SHORT-FLOAT")) {
    return Value::single(0);
  }
  if (type == interp.cl("DOUBLE-FLOAT") || type == interp.cl("LONG-FLOAT")) {
    return interp.real(0);
  }
  return Value::fixnum(0);
}

Value make_array_of(Interpreter& interp, std::vector<int64_t> dims, Value type,
                    std::span<const Value> items) {
  if (type == interp.cl("CHARACTER") && dims.size() == 1) {
    return make_string_of(interp, items);
  }
  Array* array = interp.heap().make<Array>(std::vector<Value>(items.size()), std::move(dims));
  array->element_type = type;
  for (size_t i = 0; i < items.size(); ++i) {
    store_element(interp, Value::object(array), i, items[i]);
  }
  return Value::object(array);
}

namespace {

/// Flattens nested :initial-contents in row-major order, checking every length.
void collect_contents(Interpreter& interp, Value contents, std::span<const int64_t> dims,
                      std::vector<Value>& out) {
  if (dims.empty()) {
    out.push_back(contents);
    return;
  }
  const std::vector<Value> items = sequence_items(interp, contents, "initial contents");
  if (static_cast<int64_t>(items.size()) != dims[0]) {
    fail(Diag::BadArray, interp.current_span(),
         "the initial contents have {} elements along an axis of {}", items.size(), dims[0]);
  }
  for (Value item : items) {
    collect_contents(interp, item, dims.subspan(1), out);
  }
}

}  // namespace

std::vector<Value> initial_elements(Interpreter& interp, const KeywordArgs& keys,
                                    const std::vector<int64_t>& dims, Value type) {
  std::vector<Value> items;
  if (keys.given("INITIAL-CONTENTS")) {
    collect_contents(interp, keys.get("INITIAL-CONTENTS"), dims, items);
  } else {
    items.assign(static_cast<size_t>(total_of(dims)),
                 keys.get("INITIAL-ELEMENT", default_element(interp, type)));
  }
  return items;
}

namespace {

Value array_make(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 1,
                         {"ELEMENT-TYPE", "INITIAL-ELEMENT", "INITIAL-CONTENTS", "ADJUSTABLE",
                          "FILL-POINTER", "DISPLACED-TO", "DISPLACED-INDEX-OFFSET"});
  if (keys.given("INITIAL-ELEMENT") && keys.given("INITIAL-CONTENTS")) {
    fail(Diag::BadArguments, interp.current_span(),
         "both `:initial-element` and `:initial-contents` were given");
  }
  check_displacement_keys(interp, keys);
  const std::vector<int64_t> dims = expect_dims(interp, args[0]);
  const Value type = upgraded_type(interp, keys.get("ELEMENT-TYPE", Value::t()));
  Value made;
  if (keys.get("DISPLACED-TO").truthy()) {
    made = make_array_of(interp, std::vector<int64_t>(dims.size(), 0), type, {});
    displace(interp, made, dims, keys);
  } else {
    made = make_array_of(interp, dims, type, initial_elements(interp, keys, dims, type));
  }
  const ArrayView view = expect_array(interp, made);
  const Value fill_pointer = keys.get("FILL-POINTER");
  if (fill_pointer.truthy()) {
    const int64_t at = fill_pointer == Value::t()
                           ? view.total()
                           : expect_index(interp, fill_pointer, "fill pointer");
    if (view.rank() != 1 || at > view.total()) {
      wrong_type(interp, fill_pointer, "fill pointer",
                 "one that fits a vector of the given length");
    }
    *view.fill_pointer() = at;
  }
  (view.array != nullptr ? view.array->adjustable : view.string->adjustable) =
      keys.get("ADJUSTABLE").truthy();
  return made;
}

Value array_vector(Interpreter& interp, Args args) {
  return interp.vector({args.begin(), args.end()});
}

/// The row-major index of subscripts; fails naming the axis that does not fit.
int64_t row_major_index(Interpreter& interp, const ArrayView& view, Args subscripts) {
  if (subscripts.size() != view.rank()) {
    fail(Diag::BadArray, interp.current_span(),
         "the array has {} axes, but {} subscripts were given", view.rank(), subscripts.size());
  }
  int64_t index = 0;
  for (size_t axis = 0; axis < subscripts.size(); ++axis) {
    const int64_t i = expect_int(interp, subscripts[axis], "subscript");
    if (i < 0 || i >= view.dim(axis)) {
      fail(Diag::IndexOutOfRange, interp.current_span(),
           "subscript {} of axis {} is out of bounds; expected 0 to {}", i, axis,
           view.dim(axis) - 1);
    }
    index = index * view.dim(axis) + i;
  }
  return index;
}

Value array_aref(Interpreter& interp, Args args) {
  const ArrayView view = expect_array(interp, args[0]);
  return view.get(row_major_index(interp, view, args.subspan(1)));
}

int64_t flat_index(Interpreter& interp, const ArrayView& view, Value v) {
  const int64_t index = expect_index(interp, v, "index");
  if (index >= view.total()) {
    fail(Diag::IndexOutOfRange, interp.current_span(),
         "index {} is out of bounds; expected below {}", index, view.total());
  }
  return index;
}

Value array_row_major_aref(Interpreter& interp, Args args) {
  const ArrayView view = expect_array(interp, args[0]);
  return view.get(flat_index(interp, view, args[1]));
}

Value array_svref(Interpreter& interp, Args args) {
  const Array& vector = expect_object<Array>(interp, args[0], "argument");
  if (!vector.is_vector()) {
    wrong_type(interp, args[0], "argument", "a vector");
  }
  return array_aref(interp, args);
}
Value array_row_major_index(Interpreter& interp, Args args) {
  return Value::fixnum(row_major_index(interp, expect_array(interp, args[0]), args.subspan(1)));
}

Value array_in_bounds_p(Interpreter& interp, Args args) {
  const ArrayView view = expect_array(interp, args[0]);
  if (args.size() - 1 != view.rank()) {
    row_major_index(interp, view, args.subspan(1));
  }
  for (size_t axis = 0; axis < view.rank(); ++axis) {
    const int64_t i = expect_int(interp, args[axis + 1], "subscript");
    if (i < 0 || i >= view.dim(axis)) {
      return Value::nil();
    }
  }
  return Value::t();
}

Value array_dimensions(Interpreter& interp, Args args) {
  const ArrayView view = expect_array(interp, args[0]);
  std::vector<Value> dims;
  for (size_t axis = 0; axis < view.rank(); ++axis) {
    dims.push_back(Value::fixnum(view.dim(axis)));
  }
  return interp.list(dims);
}

Value array_dimension(Interpreter& interp, Args args) {
  const ArrayView view = expect_array(interp, args[0]);
  const int64_t axis = expect_index(interp, args[1], "axis");
  if (axis >= static_cast<int64_t>(view.rank())) {
    fail(Diag::IndexOutOfRange, interp.current_span(), "axis {} does not exist; the array has {}",
         axis, view.rank());
  }
  return Value::fixnum(view.dim(static_cast<size_t>(axis)));
}

Value array_rank(Interpreter& interp, Args args) {
  return Value::fixnum(static_cast<int64_t>(expect_array(interp, args[0]).rank()));
}
Value array_total_size(Interpreter& interp, Args args) {
  return Value::fixnum(expect_array(interp, args[0]).total());
}
Value array_array_element_type(Interpreter& interp, Args args) {
  return array_element_type(interp, expect_array(interp, args[0]));
}
Value array_upgraded_type(Interpreter& interp, Args args) {
  return upgraded_type(interp, args[0]);
}
Value array_adjustable_p(Interpreter& interp, Args args) {
  return Value::boolean(expect_array(interp, args[0]).adjustable());
}
Value array_has_fill_pointer_p(Interpreter& interp, Args args) {
  return Value::boolean(*expect_array(interp, args[0]).fill_pointer() >= 0);
}
Value array_arrayp(Interpreter&, Args args) {
  return Value::boolean(args[0].is<Array>() || args[0].is<String>());
}
Value array_vectorp(Interpreter&, Args args) {
  const Array* array = args[0].try_as<Array>();
  return Value::boolean(args[0].is<String>() || (array != nullptr && array->is_vector()));
}
Value array_simple_vector_p(Interpreter&, Args args) {
  const Array* array = args[0].try_as<Array>();
  return Value::boolean(array != nullptr && array->is_vector() && array->fill_pointer < 0 &&
                        !array->adjustable && array->data.target() == nullptr &&
                        array->element_type == Value::t());
}
Value array_bit_vector_p(Interpreter& interp, Args args) {
  const Array* array = args[0].try_as<Array>();
  return Value::boolean(array != nullptr && array->is_vector() &&
                        array->element_type == interp.cl("BIT"));
}

// clang-format off
constexpr Builtin kArrayBuiltins[] = {
    // name                              package min max  doc                                                     function
    {"MAKE-ARRAY",                       "CL",   1,  -1,  "(make-array dims &key initial-element initial-contents element-type adjustable fill-pointer)", array_make},
    {"VECTOR",                           "CL",   0,  -1,  "a vector of its arguments",                            array_vector},
    {"AREF",                             "CL",   1,  -1,  "the element at subscripts",                            array_aref},
    {"BIT",                              "CL",   1,  -1,  "the element at subscripts",                            array_aref},
    {"SBIT",                             "CL",   1,  -1,  "the element at subscripts",                            array_aref},
    {"SVREF",                            "CL",   2,  2,   "the element of a vector at an index",                  array_svref},
    {"ROW-MAJOR-AREF",                   "CL",   2,  2,   "the element at an index in row-major order",           array_row_major_aref},
    {"ARRAY-ROW-MAJOR-INDEX",            "CL",   1,  -1,  "the row-major index of subscripts",                    array_row_major_index},
    {"ARRAY-IN-BOUNDS-P",                "CL",   1,  -1,  "true if subscripts are in bounds",                     array_in_bounds_p},
    {"ARRAY-DIMENSIONS",                 "CL",   1,  1,   "the list of sizes",                                    array_dimensions},
    {"ARRAY-DIMENSION",                  "CL",   2,  2,   "the size of one axis",                                 array_dimension},
    {"ARRAY-RANK",                       "CL",   1,  1,   "the number of axes",                                   array_rank},
    {"ARRAY-TOTAL-SIZE",                 "CL",   1,  1,   "the number of elements",                               array_total_size},
    {"ARRAY-ELEMENT-TYPE",               "CL",   1,  1,   "the type elements are checked against",                array_array_element_type},
    {"UPGRADED-ARRAY-ELEMENT-TYPE",      "CL",   1,  2,   "the element type an array of a type would have",       array_upgraded_type},
    {"ADJUSTABLE-ARRAY-P",               "CL",   1,  1,   "true for arrays made with :adjustable",                array_adjustable_p},
    {"ARRAY-HAS-FILL-POINTER-P",         "CL",   1,  1,   "true for vectors with a fill pointer",                 array_has_fill_pointer_p},
    {"ARRAYP",                           "CL",   1,  1,   "true for arrays, vectors and strings",                 array_arrayp},
    {"VECTORP",                          "CL",   1,  1,   "true for vectors and strings",                         array_vectorp},
    {"SIMPLE-VECTOR-P",                  "CL",   1,  1,   "true for plain vectors of any elements",               array_simple_vector_p},
    {"SIMPLE-BIT-VECTOR-P",              "CL",   1,  1,   "true for vectors of bits",                             array_bit_vector_p},
    {"BIT-VECTOR-P",                     "CL",   1,  1,   "true for vectors of bits",                             array_bit_vector_p},
};
// clang-format on

}  // namespace

std::span<const Builtin> array_builtins() {
  return kArrayBuiltins;
}

}  // namespace caten::lisp
