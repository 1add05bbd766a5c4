// The bytecode of a function as text.
#pragma once

#include <string>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

/// One instruction a line: its offset, name, operands, and the constants, functions and jump
/// targets that they mean. Functions inside (closures) follow. Compiles what is not compiled yet.
std::string disassemble(Interpreter& interp, Closure& function);

}  // namespace caten::lisp
