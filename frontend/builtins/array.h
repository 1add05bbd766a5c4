// Arrays and strings seen alike, for the functions of arrays (array.cpp: making and access;
// adjust.cpp: fill pointers, adjusting, displacing).
#pragma once

#include <vector>

#include "frontend/builtins/builtins.h"

namespace caten::lisp {

constexpr int64_t kMaxArrayElements = int64_t{1} << 28;

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
  bool is_displaced() const {
    return array != nullptr ? array->data.target() != nullptr : string->chars.target() != nullptr;
  }
  Value get(int64_t index) const {
    const auto i = static_cast<size_t>(index);
    return array != nullptr ? array->data[i] : Value::character(string->chars[i]);
  }
};

ArrayView expect_array(Interpreter& interp, Value v);
std::vector<int64_t> expect_dims(Interpreter& interp, Value v);
int64_t total_of(std::span<const int64_t> dims);

/// What an element type is stored as: CHARACTER, a numeric type that elements are checked
/// against, or T.
Value upgraded_type(Interpreter& interp, Value type);
Value array_element_type(Interpreter& interp, const ArrayView& view);
Value default_element(Interpreter& interp, Value type);

/// The elements of a new array in row-major order, from :initial-contents or :initial-element in
/// `keys`, or the default ones of the type.
std::vector<Value> initial_elements(Interpreter& interp, const KeywordArgs& keys,
                                    const std::vector<int64_t>& dims, Value type);

/// An array of the shape, or a string if it is a vector of characters.
Value make_array_of(Interpreter& interp, std::vector<int64_t> dims, Value type,
                    std::span<const Value> items);

/// Refuses combinations of keywords of displacing with others that make no sense.
void check_displacement_keys(Interpreter& interp, const KeywordArgs& keys);

/// Obeys :displaced-to and :displaced-index-offset in `keys`: the array, of the shape `dims`,
/// becomes a window on the target.
void displace(Interpreter& interp, Value array, std::vector<int64_t> dims, const KeywordArgs& keys);

}  // namespace caten::lisp
