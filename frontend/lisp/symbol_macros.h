// Symbol macros: symbols that stand for a form, locally (symbol-macrolet) or everywhere
// (define-symbol-macro; the symbol has the flag kSymbolMacro).
#pragma once

#include "frontend/builtins/builtins.h"

namespace caten::lisp {

/// The form a symbol stands for in an environment, or no value if it is no symbol macro there.
Value symbol_expansion(Interpreter& interp, Value symbol, const Environment* env);
/// The form of a symbol that has the flag.
Value global_expansion(Interpreter& interp, Value symbol);

std::span<const Builtin> symbol_macro_builtins();
std::span<const MacroRow> symbol_macro_macros();

}  // namespace caten::lisp
