// FORMAT: control strings interpreted with a stream and arguments.
#pragma once

#include <span>

#include "frontend/lisp/interpreter.h"
#include "frontend/lisp/stream.h"

namespace caten::lisp {

/// Writes the control string (or the output of a control function) with its arguments. The
/// arguments must be rooted. A mistake fails (lisp_error) naming the place in the control string.
void format(Interpreter& interp, Stream& out, Value control, std::span<const Value> arguments);

/// (format nil control arguments...).
std::string format_to_string(Interpreter& interp, Value control, std::span<const Value> arguments);

}  // namespace caten::lisp
