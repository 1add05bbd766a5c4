// Machine code as text, by objdump.
#pragma once

#include <string>

#include "frontend/repl/expression.h"

namespace caten::repl {

/// The kernels of an expression as TinyCC compiles them, disassembled; fails when there is no
/// objdump.
std::string machine_code_text(lisp::Interpreter& interp, const Expression& expression);

}  // namespace caten::repl
