// Vectors with fill pointers, arrays that change their size, and displaced arrays: windows on the
// elements of other arrays (frontend/lisp/elements.h).
#include <algorithm>

#include "frontend/builtins/array.h"
#include "frontend/builtins/sequence.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

/// The vector with a fill pointer that vector-push and its kin work on.
ArrayView expect_filled(Interpreter& interp, Value v) {
  const ArrayView view = expect_array(interp, v);
  if (*view.fill_pointer() < 0) {
    wrong_type(interp, v, "argument", "a vector with a fill pointer");
  }
  return view;
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
    if (grown > kMaxArrayElements) {
      wrong_type(interp, args[1], "vector", fmt::format("at most {} elements", kMaxArrayElements));
    }
    if (view.array != nullptr) {
      view.array->data.own().resize(static_cast<size_t>(grown),
                                    default_element(interp, view.array->element_type));
      view.array->dims[0] = grown;
    } else {
      view.string->chars.own().resize(static_cast<size_t>(grown));
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
void copy_common(const ArrayView& from, const std::vector<int64_t>& dims,
                 std::vector<Value>& items) {
  std::vector<int64_t> at(dims.size(), 0);
  for (Value& item : items) {
    int64_t index = 0;
    bool inside = true;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      inside = inside && at[axis] < from.dim(axis);
      index = index * from.dim(axis) + at[axis];
    }
    if (inside) {
      item = from.get(index);
    }
    for (size_t axis = dims.size(); axis-- > 0 && ++at[axis] == dims[axis];) {
      at[axis] = 0;
    }
  }
}

/// An array like the given one, for adjust-array of one that is not adjustable; its elements are
/// the given one's.
Value copy_array(Interpreter& interp, const ArrayView& view) {
  if (view.string != nullptr) {
    String* copy = interp.heap().make<String>(
        std::u32string(view.string->chars.begin(), view.string->chars.end()));
    copy->fill_pointer = view.string->fill_pointer;
    return Value::object(copy);
  }
  Array* copy = interp.heap().make<Array>(
      std::vector<Value>(view.array->data.begin(), view.array->data.end()), view.array->dims);
  copy->fill_pointer = view.array->fill_pointer;
  copy->element_type = view.array->element_type;
  return Value::object(copy);
}

/// Gives the array another shape and elements of its own: the ones both shapes have, and new ones.
void resize(Interpreter& interp, Value array, const std::vector<int64_t>& dims,
            const KeywordArgs& keys) {
  const ArrayView view = expect_array(interp, array);
  const Value type = array_element_type(interp, view);
  std::vector<Value> items = initial_elements(interp, keys, dims, type);
  if (!keys.given("INITIAL-CONTENTS")) {
    copy_common(view, dims, items);
  }
  const Value made = make_array_of(interp, dims, type, items);
  if (view.array != nullptr) {
    view.array->data.own() = std::move(made.as<Array>()->data.own());
    view.array->dims = dims;
  } else {
    view.string->chars.own() = std::move(made.as<String>()->chars.own());
  }
}

template <typename T>
void open_window(Interpreter& interp, Elements<T>& elements, const HeapObject* target,
                 Elements<T>& of, int64_t offset, int64_t count) {
  if (of.is_window_on(elements)) {
    fail(Diag::BadArray, interp.current_span(), "an array cannot be displaced to itself");
  }
  const auto size = static_cast<int64_t>(of.size());
  if (count > size || offset > size - count) {
    fail(Diag::BadArray, interp.current_span(),
         "the array to displace to has {} elements; expected {} from {} on", size, count, offset);
  }
  elements.displace(target, of, static_cast<size_t>(offset), static_cast<size_t>(count));
}

Value array_displacement(Interpreter& interp, Args args) {
  const ArrayView view = expect_array(interp, args[0]);
  const HeapObject* target =
      view.array != nullptr ? view.array->data.target() : view.string->chars.target();
  const size_t offset =
      view.array != nullptr ? view.array->data.offset() : view.string->chars.offset();
  return interp.set_values({target == nullptr ? Value::nil() : Value::object(target),
                            Value::fixnum(static_cast<int64_t>(offset))});
}

/// The fill pointer after adjusting: the one given, or as it was.
void adjust_fill_pointer(Interpreter& interp, Value array, int64_t total, Value given) {
  int64_t& at = *expect_array(interp, array).fill_pointer();
  if (given.truthy() && at < 0) {
    wrong_type(interp, array, "argument", "an array with a fill pointer");
  }
  const int64_t wanted = given.is_nil()        ? at
                         : given == Value::t() ? total
                                               : expect_index(interp, given, "fill pointer");
  if (wanted > total) {
    fail(Diag::BadArray, interp.current_span(),
         "the fill pointer {} does not fit a vector of {} elements", wanted, total);
  }
  at = wanted;
}

Value array_adjust(Interpreter& interp, Args args) {
  const KeywordArgs keys(interp, args, 2,
                         {"ELEMENT-TYPE", "INITIAL-ELEMENT", "INITIAL-CONTENTS", "FILL-POINTER",
                          "DISPLACED-TO", "DISPLACED-INDEX-OFFSET"});
  const ArrayView given = expect_array(interp, args[0]);
  const std::vector<int64_t> dims = expect_dims(interp, args[1]);
  if (dims.size() != given.rank()) {
    fail(Diag::BadArray, interp.current_span(), "the array has {} axes; {} dimensions were given",
         given.rank(), dims.size());
  }
  if (keys.given("ELEMENT-TYPE")) {
    const Value wanted = upgraded_type(interp, keys.get("ELEMENT-TYPE"));
    const Value type = array_element_type(interp, given);
    if (!equal(wanted, type)) {
      fail(Diag::BadArray, interp.current_span(), "the array holds {}, not {}", interp.print(type),
           interp.print(wanted));
    }
  }
  check_displacement_keys(interp, keys);
  if (!given.adjustable()) {  // a new array; the given one stays as it is
    args[0] = copy_array(interp, given);
  }
  adjust_fill_pointer(interp, args[0], total_of(dims), keys.get("FILL-POINTER"));
  if (keys.get("DISPLACED-TO").truthy()) {
    displace(interp, args[0], dims, keys);
  } else {
    resize(interp, args[0], dims, keys);
  }
  return args[0];
}

// clang-format off
constexpr Builtin kAdjustBuiltins[] = {
    // name                              package min max  doc                                                     function
    {"FILL-POINTER",                     "CL",   1,  1,   "the number of elements in use",                        array_fill_pointer},
    {"VECTOR-PUSH",                      "CL",   2,  2,   "appends an element; its index, or NIL if there is no room", array_vector_push},
    {"VECTOR-PUSH-EXTEND",               "CL",   2,  3,   "appends an element, making room if needed; its index", array_vector_push_extend},
    {"VECTOR-POP",                       "CL",   1,  1,   "takes the last element off",                           array_vector_pop},
    {"ARRAY-DISPLACEMENT",               "CL",   1,  1,   "what it is displaced to, and the offset; NIL and 0",   array_displacement},
    {"ADJUST-ARRAY",                     "CL",   2,  -1,  "changes the dimensions, keeping elements in both",     array_adjust},
};
// clang-format on

}  // namespace

void check_displacement_keys(Interpreter& interp, const KeywordArgs& keys) {
  if (keys.get("DISPLACED-TO").is_nil()) {
    if (keys.given("DISPLACED-INDEX-OFFSET")) {
      fail(Diag::BadArguments, interp.current_span(),
           "`:displaced-index-offset` was given without `:displaced-to`");
    }
    return;
  }
  for (const std::string_view name : {"INITIAL-ELEMENT", "INITIAL-CONTENTS"}) {
    if (keys.given(name)) {
      fail(Diag::BadArguments, interp.current_span(),
           "`:displaced-to` was given together with `:{}`",
           name == "INITIAL-ELEMENT" ? "initial-element" : "initial-contents");
    }
  }
}

void displace(Interpreter& interp, Value array, std::vector<int64_t> dims,
              const KeywordArgs& keys) {
  const Value target = keys.get("DISPLACED-TO");
  const ArrayView view = expect_array(interp, array);
  const ArrayView of = expect_array(interp, target);
  const int64_t offset = expect_index(interp, keys.get("DISPLACED-INDEX-OFFSET", Value::fixnum(0)),
                                      "displaced index offset");
  const Value type = array_element_type(interp, view);
  const Value target_type = array_element_type(interp, of);
  if (!equal(type, target_type)) {
    fail(Diag::BadArray, interp.current_span(),
         "an array of element type {} cannot be displaced to one of {}", interp.print(type),
         interp.print(target_type));
  }
  if ((view.array == nullptr) != (of.array == nullptr)) {
    fail(Diag::Unsupported, interp.current_span(),
         "displacing strings to arrays of characters of another rank, or these to strings, is not "
         "supported");
  }
  const int64_t count = total_of(dims);
  if (view.array != nullptr) {
    open_window(interp, view.array->data, of.array, of.array->data, offset, count);
    view.array->dims = std::move(dims);
  } else {
    open_window(interp, view.string->chars, of.string, of.string->chars, offset, count);
  }
}

std::span<const Builtin> adjust_builtins() {
  return kAdjustBuiltins;
}

}  // namespace caten::lisp
