// Levels of the REPL: what repl.cpp and levels.cpp share.
#pragma once

#include <string>
#include <vector>

#include "frontend/lisp/interpreter.h"

namespace caten::repl {

/// The calls in progress, innermost first, from frame number `frames` down: one line each.
std::string backtrace_text(lisp::Interpreter& interp, size_t frames, size_t limit);

}  // namespace caten::repl
