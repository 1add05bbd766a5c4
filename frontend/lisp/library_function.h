// Functions of the library written in Lisp inside C++ files: compiled at their first use, so that
// they cost nothing at start.
#pragma once

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

/// The function for the text of a lambda expression, a literal (its address is the key). Read in
/// package CATEN.
Value library_function(Interpreter& interp, const char* lambda_text);

}  // namespace caten::lisp
