// Builtins: functions and macros of the Lisp that are written in C++, as tables.
//
//   // frontend/builtins/list.cpp
//   Value list_reverse(Interpreter& interp, std::span<Value> args) {
//     Value out = Value::nil();
//     for (Value item : list_items(expect_list(interp, args[0], "list"))) {
//       out = interp.cons(item, out);
//     }
//     return out;
//   }
//   constexpr Builtin kListBuiltins[] = {
//       // name       package  min max  doc                          function
//       {"REVERSE",   "CL",    1,  1,   "a reversed copy of a list", list_reverse},
//   };
//   std::span<const Builtin> list_builtins() { return kListBuiltins; }
//
// The function is called with a number of arguments already checked against min and max. `args`
// lies on the VM stack and stays valid (and rooted) during the call. Symbols of the packages
// "CL" and "CATEN" are exported unless the name starts with `%`.
//
// Macros: {"WHEN", "CL", "doc", expand} with `Value expand(interp, form, env)`: form to form.
// Build the expansion from interp.list / interp.cl("...") symbols. A list made by a macro gets the
// span of the macro call. Functions that macros expand into and users should not see are named
// with a leading `%` in package CATEN.
//
// Several values: return interp.set_values({a, b}). A plain return is one value.
// Errors: fail(Diag::WrongType, interp.current_span(), "...") or the expect_ functions.
// Calling back: interp.call(function, {a, b}); then values held in std::vector must be rooted
// (RootedVector); locals and `args` are safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

struct HashTable;

struct Builtin {
  const char* name;     // as the reader would intern it: upper case
  const char* package;  // "CL", "CATEN", "ALEXANDRIA", ...; made if absent
  int min_args;
  int max_args;  // -1: any number
  const char* doc;
  NativeFn fn;
};

using MacroFn = Value (*)(Interpreter& interp, Value form, const Environment* env);

struct MacroRow {
  const char* name;
  const char* package;
  const char* doc;
  MacroFn expand;
};

/// Raises wrong_type: "`what` is VALUE; expected EXPECTED".
[[noreturn]] void wrong_type(Interpreter& interp, Value value, std::string_view what,
                             std::string_view expected);

// Each returns the value in C++ form, or raises wrong_type naming the argument `what`.
int64_t expect_int(Interpreter& interp, Value v, std::string_view what);
/// An index or size: an integer 0 or more.
int64_t expect_index(Interpreter& interp, Value v, std::string_view what);
/// Any real number, as a double.
double expect_real(Interpreter& interp, Value v, std::string_view what);
bool is_number(Value v);
bool is_integer(Value v);
/// The value of an integer (is_integer).
int64_t integer_value(Value v);
char32_t expect_character(Interpreter& interp, Value v, std::string_view what);
String& expect_string(Interpreter& interp, Value v, std::string_view what);
/// A string, symbol (its name) or character, as UTF-8.
std::string expect_string_designator(Interpreter& interp, Value v, std::string_view what);
Symbol& expect_symbol(Interpreter& interp, Value v, std::string_view what);
/// A cons or NIL.
Value expect_list(Interpreter& interp, Value v, std::string_view what);
/// A proper list, as a vector. Not rooted: do not keep it over calls into Lisp.
std::vector<Value> expect_list_items(Interpreter& interp, Value v, std::string_view what);
Cons& expect_cons(Interpreter& interp, Value v, std::string_view what);
HashTable& expect_hash_table(Interpreter& interp, Value v, std::string_view what);
Package& expect_package(Interpreter& interp, Value designator, std::string_view what);
/// A function or a symbol that names one.
Value expect_function(Interpreter& interp, Value designator, std::string_view what);
template <typename T>
T& expect_object(Interpreter& interp, Value v, std::string_view what) {
  if (T* object = v.try_as<T>()) {
    return *object;
  }
  wrong_type(interp, v, what, T::kType.name);
}

/// The keyword arguments of a call, from position `first` on.
///   KeywordArgs keys(interp, args, 2, {"KEY", "TEST", "FROM-END"});
///   Value test = keys.get("TEST", default_value);
/// Fails for an odd number, a key that is not a keyword, or one not listed (did you mean).
class KeywordArgs {
 public:
  KeywordArgs(Interpreter& interp, std::span<Value> args, size_t first,
              std::initializer_list<std::string_view> allowed);
  /// The argument, or the default if absent.
  Value get(std::string_view name, Value otherwise = Value::nil()) const;
  bool given(std::string_view name) const { return find(name) != nullptr; }

 private:
  const Value* find(std::string_view name) const;
  std::span<Value> rest_;
};

/// The argument at `index`, or a default if not given.
inline Value arg_or(std::span<Value> args, size_t index, Value otherwise = Value::nil()) {
  return index < args.size() ? args[index] : otherwise;
}

/// The closest of some candidates by edit distance, if close enough to suggest.
std::optional<std::string> did_you_mean(std::string_view name,
                                        std::span<const std::string> candidates);

// The tables that the constructor of Interpreter installs; whoever assembles the whole language
// installs the others.
std::span<const Builtin> core_builtins();
std::span<const Builtin> core_macro_support();
std::span<const MacroRow> core_macros();
std::span<const Builtin> package_builtins();

}  // namespace caten::lisp
