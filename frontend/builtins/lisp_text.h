// Builtins and macros whose code is Lisp text inside C++ files (library_function.h):
//
//   constexpr const char* kTwice = "(lambda (x) (* 2 x))";
//   {"TWICE", "CATEN", 1, 1, "twice a number", run_text<kTwice>},
#pragma once

#include "frontend/builtins/builtins.h"
#include "frontend/lisp/library_function.h"

namespace caten::lisp {

/// A builtin that calls the function of a text.
template <const char* const& Text>
Value run_text(Interpreter& interp, std::span<Value> args) {
  const std::vector<Value> values =
      interp.values_after(interp.call(library_function(interp, Text), args));
  return interp.set_values(values);
}

/// A macro whose expander is the function of a text, of the whole form.
template <const char* const& Text>
Value expand_text(Interpreter& interp, Value form, const Environment*) {
  return interp.call(library_function(interp, Text), {form});
}

}  // namespace caten::lisp
