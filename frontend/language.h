// Assembles the whole language: every table of builtins, then the library written in Lisp.
#pragma once

#include "frontend/lisp/interpreter.h"

namespace caten {

/// Installs every builtin, macro and hook that is written in C++. One line per table.
void install_language(lisp::Interpreter& interp);

/// Loads the embedded stdlib/ (after install_language).
void load_stdlib(lisp::Interpreter& interp);

}  // namespace caten
