// pretty_text: an object printed over several indented lines where it does not fit one.
#pragma once

#include <string>

#include "frontend/lisp/interpreter.h"

namespace caten::lisp {

/// As PPRINT prints, without the leading newline. *PRINT-RIGHT-MARGIN* limits the line (80).
std::string pretty_text(Interpreter& interp, Value object);

}  // namespace caten::lisp
