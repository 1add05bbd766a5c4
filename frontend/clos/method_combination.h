// Method combinations by name: the ones of the standard and what define-method-combination adds.
#pragma once

#include "frontend/clos/generic.h"

namespace caten::lisp {

/// A short combination applies `op` to the values of all primary methods; a long one has a
/// function that makes the effective method's form.
struct Combination {
  Value op;
  bool identity_with_one_argument = false;
  Value form_maker;  // long: (lambda (generic arguments methods) form); no value: short
  bool is_long() const { return !form_maker.is_none(); }
};

/// The combination of a name, if there is one.
std::optional<Combination> find_combination(Interpreter& interp, Value name);

/// What runs for applicable methods, most specific first.
Dispatch combine_short(Interpreter& interp, StandardGeneric& generic,
                       const Combination& combination, const std::vector<Method*>& methods);
Dispatch combine_long(Interpreter& interp, StandardGeneric& generic, const Combination& combination,
                      const std::vector<Method*>& methods);

/// Callable links for a chain of methods that ends in `tail` (null: no next method).
NextMethod* make_chain(Interpreter& interp, StandardGeneric& generic,
                       std::span<Method* const> methods, NextMethod* tail);
/// A link that calls a function.
NextMethod* make_function_link(Interpreter& interp, StandardGeneric& generic, Value function);
/// Around methods, outermost first, then `core`.
Dispatch with_arounds(Interpreter& interp, StandardGeneric& generic,
                      const std::vector<Method*>& arounds, NextMethod* core);

std::span<const Builtin> combination_builtins();
std::span<const MacroRow> combination_macros();

}  // namespace caten::lisp
