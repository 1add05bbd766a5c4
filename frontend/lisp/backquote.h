// Backquote: (%backquote template) to a form that builds it.
#pragma once

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

/// The macro CATEN::%BACKQUOTE. Nested backquotes follow the standard: the innermost comma belongs
/// to the innermost backquote.
Value expand_backquote(Interpreter& interp, Value form, const Environment* env);

}  // namespace caten::lisp
