// The printed representation of objects of the object system.
#pragma once

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

/// Registers the printers and defines print-object.
void install_object_printing(Interpreter& interp);

}  // namespace caten::lisp
