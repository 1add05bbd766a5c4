// Objects in a few words, for backtraces: `(1 2 ...)`, `"a long te..."`, `#<tensor (2 3) float32>`.
#pragma once

#include <string>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

/// Runs no Lisp code, computes no tensor and allocates no objects: it works in the middle of an
/// error, whatever the object.
std::string brief_text(Interpreter& interp, Value object);

}  // namespace caten::lisp
