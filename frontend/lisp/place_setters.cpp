// The functions that SETF of the standard accessors expands into: arguments of the accessor, then
// the new value, which they return.
#include <algorithm>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/sequence.h"
#include "frontend/clos/tables.h"
#include "frontend/lisp/code.h"
#include "frontend/lisp/forms.h"
#include "frontend/lisp/hash_table.h"

namespace caten::lisp {

namespace {

Value set_car(Interpreter& interp, std::span<Value> args) {
  return expect_cons(interp, args[0], "the place to set").car = args[1];
}

Value set_cdr(Interpreter& interp, std::span<Value> args) {
  return expect_cons(interp, args[0], "the place to set").cdr = args[1];
}

[[noreturn]] void index_out_of_range(Interpreter& interp, int64_t index, size_t length) {
  fail(Diag::IndexOutOfRange, interp.current_span(), "index {} is out of range; expected 0 to {}",
       index, static_cast<int64_t>(length) - 1);
}

Value& list_element(Interpreter& interp, Value list, int64_t index) {
  Value rest = list;
  constexpr int64_t kLong = 1 << 24;
  if (index >= kLong && list.is_cons() && list_length(list) < 0) {
    wrong_type(interp, Value::fixnum(index), "index",
               "one within the list, which is no proper list");
  }
  for (int64_t i = 0; i < index && rest.is_cons(); ++i) {
    rest = cdr(rest);
  }
  if (!rest.is_cons()) {
    index_out_of_range(interp, index, static_cast<size_t>(std::max<int64_t>(list_length(list), 0)));
  }
  return rest.cons_pointer()->car;
}

// (%set-nth index list value)
Value set_nth(Interpreter& interp, std::span<Value> args) {
  int64_t index = expect_index(interp, args[0], "index");
  return list_element(interp, expect_list(interp, args[1], "list"), index) = args[2];
}

/// Stores into element `index` of the whole storage of a string or array.
void store_element(Interpreter& interp, Value array, int64_t index, size_t length, Value value) {
  if (index < 0 || static_cast<uint64_t>(index) >= length) {
    index_out_of_range(interp, index, length);
  }
  // The library's checks the element type, too.
  lisp::store_element(interp, array, static_cast<size_t>(index), value);
}

// (%set-elt sequence index value)
Value set_elt(Interpreter& interp, std::span<Value> args) {
  int64_t index = expect_index(interp, args[1], "index");
  if (const String* string = args[0].try_as<String>()) {
    store_element(interp, args[0], index, string->length(), args[2]);
  } else if (const Array* array = args[0].try_as<Array>(); array != nullptr && array->is_vector()) {
    store_element(interp, args[0], index, array->length(), args[2]);
  } else {
    list_element(interp, expect_list(interp, args[0], "sequence"), index) = args[2];
  }
  return args[2];
}

// (%set-aref array index... value)
Value set_aref(Interpreter& interp, std::span<Value> args) {
  Value value = args.back();
  std::span<Value> subscripts = args.subspan(1, args.size() - 2);
  if (const String* string = args[0].try_as<String>();
      string != nullptr && subscripts.size() == 1) {
    store_element(interp, args[0], expect_int(interp, subscripts[0], "index"), string->chars.size(),
                  value);
    return value;
  }
  const Array& array = expect_object<Array>(interp, args[0], "array");
  if (subscripts.size() != array.dims.size()) {
    fail(Diag::BadArray, interp.current_span(), "{} subscripts for an array of rank {}",
         subscripts.size(), array.dims.size());
  }
  int64_t index = 0;
  for (size_t axis = 0; axis < subscripts.size(); ++axis) {
    int64_t subscript = expect_int(interp, subscripts[axis], "index");
    if (subscript < 0 || subscript >= array.dims[axis]) {
      index_out_of_range(interp, subscript, static_cast<size_t>(array.dims[axis]));
    }
    index = index * array.dims[axis] + subscript;
  }
  store_element(interp, args[0], index, array.data.size(), value);
  return value;
}

Value set_row_major_aref(Interpreter& interp, std::span<Value> args) {
  int64_t index = expect_index(interp, args[1], "index");
  const String* string = args[0].try_as<String>();
  size_t length = string != nullptr ? string->chars.size()
                                    : expect_object<Array>(interp, args[0], "array").data.size();
  store_element(interp, args[0], index, length, args[2]);
  return args[2];
}

Value set_char(Interpreter& interp, std::span<Value> args) {
  const String& string = expect_string(interp, args[0], "string");
  store_element(interp, args[0], expect_index(interp, args[1], "index"), string.chars.size(),
                args[2]);
  return args[2];
}

/// The elements of a sequence, to store one by one.
std::vector<Value> sequence_items(Interpreter& interp, Value sequence) {
  std::vector<Value> items;
  if (const String* string = sequence.try_as<String>()) {
    for (char32_t c : string->view()) {
      items.push_back(Value::character(c));
    }
  } else if (const Array* array = sequence.try_as<Array>();
             array != nullptr && array->is_vector()) {
    items.assign(array->data.begin(),
                 array->data.begin() + static_cast<std::ptrdiff_t>(array->length()));
  } else {
    items = expect_list_items(interp, sequence, "sequence");
  }
  return items;
}

// (%set-subseq sequence start [end] value): replaces as much as both have
Value set_subseq(Interpreter& interp, std::span<Value> args) {
  int64_t start = expect_index(interp, args[1], "start");
  std::vector<Value> items = sequence_items(interp, args.back());
  int64_t length = static_cast<int64_t>(sequence_items(interp, args[0]).size());
  int64_t end =
      args.size() == 4 && args[2].truthy() ? expect_index(interp, args[2], "end") : length;
  if (start > end || end > length) {
    fail(Diag::WrongType, interp.current_span(),
         "the range {} to {} does not fit a sequence of length {}", start, end, length);
  }
  for (size_t i = 0; i < items.size() && start < end; ++i, ++start) {
    Value one[] = {args[0], Value::fixnum(start), items[i]};
    set_elt(interp, one);
  }
  return args.back();
}

Value set_fill_pointer(Interpreter& interp, std::span<Value> args) {
  int64_t wanted = expect_index(interp, args[1], "fill pointer");
  String* string = args[0].try_as<String>();
  int64_t& pointer = string != nullptr
                         ? string->fill_pointer
                         : expect_object<Array>(interp, args[0], "vector").fill_pointer;
  size_t size = string != nullptr ? string->chars.size() : args[0].as<Array>()->data.size();
  if (pointer < 0) {
    wrong_type(interp, args[0], "the vector", "a vector with a fill pointer");
  }
  if (static_cast<uint64_t>(wanted) > size) {
    index_out_of_range(interp, wanted, size + 1);
  }
  pointer = wanted;
  return args[1];
}

// (%set-gethash key table [default] value)
Value set_gethash(Interpreter& interp, std::span<Value> args) {
  expect_hash_table(interp, args[1], "hash table").set(args[0], args.back());
  return args.back();
}

/// The property list with an indicator's value replaced or put in front.
Value put_property(Interpreter& interp, Value list, Value indicator, Value value) {
  for (Value rest = list; rest.is_cons() && cdr(rest).is_cons(); rest = cddr(rest)) {
    if (car(rest) == indicator) {
      cdr(rest).cons_pointer()->car = value;
      return list;
    }
  }
  return interp.cons(indicator, interp.cons(value, list));
}

// (%putf list indicator value)
Value putf(Interpreter& interp, std::span<Value> args) {
  return put_property(interp, expect_list(interp, args[0], "property list"), args[1], args[2]);
}

// (%remf list indicator): the list without the property, and whether it was there
Value remf(Interpreter& interp, std::span<Value> args) {
  Value previous = Value::nil();
  Value list = expect_list(interp, args[0], "property list");
  for (Value rest = list; rest.is_cons() && cdr(rest).is_cons(); rest = cddr(rest)) {
    if (car(rest) == args[1]) {
      if (previous.is_nil()) {
        return interp.set_values({cddr(rest), Value::t()});
      }
      previous.cons_pointer()->cdr = cddr(rest);
      return interp.set_values({list, Value::t()});
    }
    previous = cdr(rest);
  }
  return interp.set_values({list, Value::nil()});
}

Symbol& writable_symbol(Interpreter& interp, Value v) {
  Symbol& symbol = expect_symbol(interp, v, "symbol");
  if (symbol.is_static()) {
    fail(Diag::ConstantAssignment, interp.current_span(), "`{}` is constant", symbol.name);
  }
  return symbol;
}

// (%set-get symbol indicator [default] value)
Value set_get(Interpreter& interp, std::span<Value> args) {
  Symbol& symbol = writable_symbol(interp, args[0]);
  Value list = symbol.plist.is_none() ? Value::nil() : symbol.plist;
  symbol.plist = put_property(interp, list, args[1], args.back());
  return args.back();
}

Value set_symbol_plist(Interpreter& interp, std::span<Value> args) {
  return writable_symbol(interp, args[0]).plist = expect_list(interp, args[1], "property list");
}

Value set_function(Interpreter& interp, std::span<Value> args) {
  if (!args[1].is_function()) {
    wrong_type(interp, args[1], "the new definition", "a function");
  }
  interp.set_function(args[0], args[1]);
  return args[1];
}

Value set_macro_function(Interpreter& interp, std::span<Value> args) {
  Value function = expect_function(interp, args.back(), "macro function");
  interp.set_function(args[0],
                      Value::object(interp.heap().make<Macro>(args[0], nullptr, function)));
  return args.back();
}

constexpr Builtin kSetterBuiltins[] = {
    {"%SET-CAR", "CATEN", 2, 2, "cons, value", set_car},
    {"%SET-CDR", "CATEN", 2, 2, "cons, value", set_cdr},
    {"%SET-NTH", "CATEN", 3, 3, "index, list, value", set_nth},
    {"%SET-ELT", "CATEN", 3, 3, "sequence, index, value", set_elt},
    {"%SET-AREF", "CATEN", 2, -1, "array, indices, value", set_aref},
    {"%SET-ROW-MAJOR-AREF", "CATEN", 3, 3, "array, index, value", set_row_major_aref},
    {"%SET-CHAR", "CATEN", 3, 3, "string, index, value", set_char},
    {"%SET-SUBSEQ", "CATEN", 3, 4, "sequence, start, end, value", set_subseq},
    {"%SET-FILL-POINTER", "CATEN", 2, 2, "vector, value", set_fill_pointer},
    {"%SET-GETHASH", "CATEN", 3, 4, "key, table, default, value", set_gethash},
    {"%SET-GET", "CATEN", 3, 4, "symbol, indicator, default, value", set_get},
    {"%PUTF", "CATEN", 3, 3, "property list, indicator, value", putf},
    {"%REMF", "CATEN", 2, 2, "property list, indicator", remf},
    {"%SET-SYMBOL-PLIST", "CATEN", 2, 2, "symbol, list", set_symbol_plist},
    {"%SET-FUNCTION", "CATEN", 2, 2, "name, function", set_function},
    {"%SET-MACRO-FUNCTION", "CATEN", 2, 3, "symbol, function", set_macro_function},
};

}  // namespace

std::span<const Builtin> setter_builtins() {
  return kSetterBuiltins;
}

}  // namespace caten::lisp
