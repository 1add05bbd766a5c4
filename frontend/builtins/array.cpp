// Arrays of any rank, and vectors with fill pointers. Strings are their own kind of object.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

constexpr size_t kMaxRank = 128;
constexpr int64_t kMaxElements = int64_t{1} << 28;

/// One vector, array or string, seen alike.
struct ArrayView {
  Array* array = nullptr;
  String* string = nullptr;

  size_t rank() const { return array != nullptr ? array->dims.size() : 1; }
  int64_t total() const {
    return static_cast<int64_t>(array != nullptr ? array->data.size() : string->chars.size());
  }
  int64_t dim(size_t axis) const { return array != nullptr ? array->dims[axis] : total(); }
  int64_t* fill_pointer() const {
    return array != nullptr ? &array->fill_pointer : &string->fill_pointer;
  }
  bool adjustable() const { return array != nullptr ? array->adjustable : string->adjustable; }
  Value get(int64_t index) const {
    const auto i = static_cast<size_t>(index);
    return array != nullptr ? array->data[i] : Value::character(string->chars[i]);
  }
};

ArrayView expect_array(Interpreter& interp, Value v) {
  ArrayView view{v.try_as<Array>(), v.try_as<String>()};
  if (view.array == nullptr && view.string == nullptr) {
    wrong_type(interp, v, "argument", "an array");
  }
  return view;
}

/// The vector with a fill pointer that vector-push and its kin work on.
ArrayView expect_filled(Interpreter& interp, Value v) {
  const ArrayView view = expect_array(interp, v);
  if (*view.fill_pointer() < 0) {
    wrong_type(interp, v, "argument", "a vector with a fill pointer");
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
    if (__builtin_mul_overflow(total, dim, &total) || total > kMaxElements) {
      wrong_type(interp, v, "dimensions", fmt::format("at most {} elements", kMaxElements));
    }
  }
  return dims;
}

int64_t total_of(const std::vector<int64_t>& dims) {
  int64_t total = 1;
  for (int64_t dim : dims) {
    total *= dim;
  }
  return total;
}

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

/// What an element type is stored as: CHARACTER (a string), a numeric type that elements are
/// checked against, or T.
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

Value default_element(Interpreter& interp, Value type) {
  if (type == interp.cl("SINGLE-FLOAT") || type == interp.cl("SHORT-FLOAT")) {
    return Value::single(0);
  }
  if (type == interp.cl("DOUBLE-FLOAT") || type == interp.cl("LONG-FLOAT")) {
    return interp.real(0);
  }
  return Value::fixnum(0);
}

Value make_string_array(Interpreter& interp, const std::vector<int64_t>& dims,
                        std::span<const Value> items) {
  if (dims.size() != 1) {
    fail(Diag::Unsupported, interp.current_span(),
         "arrays of characters with {} axes are not supported; expected one axis", dims.size());
  }
  return make_string_of(interp, items);
}

Value array_make(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 1,
                         {"ELEMENT-TYPE", "INITIAL-ELEMENT", "INITIAL-CONTENTS", "ADJUSTABLE",
                          "FILL-POINTER", "DISPLACED-TO", "DISPLACED-INDEX-OFFSET"});
  if (keys.get("DISPLACED-TO").truthy()) {
    fail(Diag::Unsupported, interp.current_span(),
         "displaced arrays (`:displaced-to`) are not supported");
  }
  if (keys.given("INITIAL-ELEMENT") && keys.given("INITIAL-CONTENTS")) {
    fail(Diag::BadArguments, interp.current_span(),
         "both `:initial-element` and `:initial-contents` were given");
  }
  const std::vector<int64_t> dims = expect_dims(interp, args[0]);
  const Value type = upgraded_type(interp, keys.get("ELEMENT-TYPE", Value::t()));
  const bool is_string = type == interp.cl("CHARACTER");
  std::vector<Value> items;
  if (keys.given("INITIAL-CONTENTS")) {
    collect_contents(interp, keys.get("INITIAL-CONTENTS"), dims, items);
  } else {
    const Value fill = is_string ? Value::character(0) : default_element(interp, type);
    items.assign(static_cast<size_t>(total_of(dims)), keys.get("INITIAL-ELEMENT", fill));
  }
  Value made;
  if (is_string) {
    made = make_string_array(interp, dims, items);
  } else {
    made = Value::object(interp.heap().make<Array>(std::vector<Value>(items.size()), dims));
    made.as<Array>()->element_type = type;
    for (size_t i = 0; i < items.size(); ++i) {
      store_element(interp, made, i, items[i]);
    }
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
    fail(Diag::IndexOutOfRange, interp.current_span(), "index {} is out of bounds; expected below {}",
         index, view.total());
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
    fail(Diag::IndexOutOfRange, interp.current_span(), "axis {} does not exist; the array has {}", axis,
         view.rank());
  }
  return Value::fixnum(view.dim(static_cast<size_t>(axis)));
}

Value array_rank(Interpreter& interp, Args args) {
  return Value::fixnum(static_cast<int64_t>(expect_array(interp, args[0]).rank()));
}
Value array_total_size(Interpreter& interp, Args args) {
  return Value::fixnum(expect_array(interp, args[0]).total());
}
Value array_element_type(Interpreter& interp, Args args) {
  const ArrayView view = expect_array(interp, args[0]);
  return view.array != nullptr ? view.array->element_type : interp.cl("CHARACTER");
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
                        !array->adjustable && array->element_type == Value::t());
}
Value array_bit_vector_p(Interpreter& interp, Args args) {
  const Array* array = args[0].try_as<Array>();
  return Value::boolean(array != nullptr && array->is_vector() &&
                        array->element_type == interp.cl("BIT"));
}

// --- fill pointers ----------------------------------------------------------------------------

Value array_fill_pointer(Interpreter& interp, Args args) {
  return Value::fixnum(*expect_filled(interp, args[0]).fill_pointer());
}

Value array_vector_push(Interpreter& interp, Args args) {
  const ArrayView view = expect_filled(interp, args[1]);
  const int64_t at = *view.fill_pointer();
  if (at >= view.total()) {
    return Value::nil();
  }
  store_element(interp, args[1], static_cast<size_t>(at), args[0]);
  ++*view.fill_pointer();
  return Value::fixnum(at);
}

Value array_vector_push_extend(Interpreter& interp, Args args) {
  const ArrayView view = expect_filled(interp, args[1]);
  const int64_t extension = args.size() > 2 ? expect_index(interp, args[2], "extension") : 1;
  if (*view.fill_pointer() >= view.total()) {
    const int64_t grown =
        view.total() + std::max<int64_t>({extension, view.total() / 2, int64_t{4}});
    if (grown > kMaxElements) {
      wrong_type(interp, args[1], "vector", fmt::format("at most {} elements", kMaxElements));
    }
    if (view.array != nullptr) {
      view.array->data.resize(static_cast<size_t>(grown),
                              default_element(interp, view.array->element_type));
      view.array->dims[0] = grown;
    } else {
      view.string->chars.resize(static_cast<size_t>(grown));
    }
  }
  return array_vector_push(interp, args);
}

Value array_vector_pop(Interpreter& interp, Args args) {
  const ArrayView view = expect_filled(interp, args[0]);
  if (*view.fill_pointer() == 0) {
    fail(Diag::IndexOutOfRange, interp.current_span(), "nothing left to pop");
  }
  return view.get(--*view.fill_pointer());
}

// --- adjusting --------------------------------------------------------------------------------

/// Copies the elements that both shapes have; the others keep what `items` holds.
void copy_common(const Array& from, const std::vector<int64_t>& dims, std::vector<Value>& items) {
  std::vector<int64_t> at(dims.size(), 0);
  for (Value& item : items) {
    int64_t index = 0;
    bool inside = true;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      inside = inside && at[axis] < from.dims[axis];
      index = index * from.dims[axis] + at[axis];
    }
    if (inside) {
      item = from.data[static_cast<size_t>(index)];
    }
    for (size_t axis = dims.size(); axis-- > 0 && ++at[axis] == dims[axis];) {
      at[axis] = 0;
    }
  }
}

Value copy_array(Interpreter& interp, Value v) {
  const ArrayView view = expect_array(interp, v);
  if (view.string != nullptr) {
    String* copy = interp.heap().make<String>(view.string->chars);
    copy->fill_pointer = view.string->fill_pointer;
    return Value::object(copy);
  }
  Array* copy = interp.heap().make<Array>(view.array->data, view.array->dims);
  copy->fill_pointer = view.array->fill_pointer;
  copy->element_type = view.array->element_type;
  return Value::object(copy);
}

/// (array-displacement array): no array is displaced.
Value array_displacement(Interpreter& interp, Args args) {
  expect_array(interp, args[0]);
  return interp.set_values({Value::nil(), Value::fixnum(0)});
}

Value array_adjust(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 2,
                         {"ELEMENT-TYPE", "INITIAL-ELEMENT", "INITIAL-CONTENTS", "FILL-POINTER",
                          "DISPLACED-TO", "DISPLACED-INDEX-OFFSET"});
  if (keys.get("DISPLACED-TO").truthy()) {
    fail(Diag::Unsupported, interp.current_span(),
         "displaced arrays (`:displaced-to`) are not supported");
  }
  if (!expect_array(interp, args[0]).adjustable()) {  // a new array; the given one stays as it is
    args[0] = copy_array(interp, args[0]);
  }
  const ArrayView view = expect_array(interp, args[0]);
  const std::vector<int64_t> dims = expect_dims(interp, args[1]);
  if (dims.size() != view.rank()) {
    fail(Diag::BadArray, interp.current_span(), "the array has {} axes; {} dimensions were given",
         view.rank(), dims.size());
  }
  const auto total = static_cast<size_t>(total_of(dims));
  if (view.string != nullptr) {
    const char32_t fill = expect_character(interp, keys.get("INITIAL-ELEMENT", Value::character(0)),
                                           "initial element");
    view.string->chars.resize(total, fill);
  } else {
    std::vector<Value> items(
        total, keys.get("INITIAL-ELEMENT", default_element(interp, view.array->element_type)));
    if (keys.given("INITIAL-CONTENTS")) {
      items.clear();
      collect_contents(interp, keys.get("INITIAL-CONTENTS"), dims, items);
    } else {
      copy_common(*view.array, dims, items);
    }
    view.array->data = std::move(items);
    view.array->dims = dims;
  }
  const Value fill_pointer = keys.get("FILL-POINTER");
  int64_t& at = *view.fill_pointer();
  if (fill_pointer.truthy()) {
    at = fill_pointer == Value::t() ? view.total()
                                    : expect_index(interp, fill_pointer, "fill pointer");
  }
  if (at > view.total()) {
    at = view.total();
  }
  return args[0];
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
    {"ARRAY-ELEMENT-TYPE",               "CL",   1,  1,   "the type elements are checked against",                array_element_type},
    {"UPGRADED-ARRAY-ELEMENT-TYPE",      "CL",   1,  2,   "the element type an array of a type would have",       array_upgraded_type},
    {"ADJUSTABLE-ARRAY-P",               "CL",   1,  1,   "true for arrays made with :adjustable",                array_adjustable_p},
    {"ARRAY-HAS-FILL-POINTER-P",         "CL",   1,  1,   "true for vectors with a fill pointer",                 array_has_fill_pointer_p},
    {"ARRAYP",                           "CL",   1,  1,   "true for arrays, vectors and strings",                 array_arrayp},
    {"VECTORP",                          "CL",   1,  1,   "true for vectors and strings",                         array_vectorp},
    {"SIMPLE-VECTOR-P",                  "CL",   1,  1,   "true for plain vectors of any elements",               array_simple_vector_p},
    {"SIMPLE-BIT-VECTOR-P",              "CL",   1,  1,   "true for vectors of bits",                             array_bit_vector_p},
    {"BIT-VECTOR-P",                     "CL",   1,  1,   "true for vectors of bits",                             array_bit_vector_p},
    {"FILL-POINTER",                     "CL",   1,  1,   "the number of elements in use",                        array_fill_pointer},
    {"VECTOR-PUSH",                      "CL",   2,  2,   "appends an element; its index, or NIL if there is no room", array_vector_push},
    {"VECTOR-PUSH-EXTEND",               "CL",   2,  3,   "appends an element, making room if needed; its index", array_vector_push_extend},
    {"VECTOR-POP",                       "CL",   1,  1,   "takes the last element off",                           array_vector_pop},
    {"ARRAY-DISPLACEMENT",               "CL",   1,  1,   "NIL and 0: no array is displaced",                     array_displacement},
    {"ADJUST-ARRAY",                     "CL",   2,  -1,  "changes the dimensions, keeping elements in both",     array_adjust},
};
// clang-format on

}  // namespace

std::span<const Builtin> array_builtins() {
  return kArrayBuiltins;
}

}  // namespace caten::lisp
