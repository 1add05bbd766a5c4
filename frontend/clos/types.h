// Types: TYPEP, SUBTYPEP, COERCE, TYPE-OF over type specifiers (CLHS 4.2.3): class names, ranges,
// AND OR NOT MEMBER EQL SATISFIES, CONS, array types, and what DEFTYPE defines.
#pragma once

#include <optional>

#include "frontend/clos/classes.h"

namespace caten::lisp {

bool typep(Interpreter& interp, Value object, Value type);
/// What is known: yes, no, or nothing (nullopt).
std::optional<bool> subtypep(Interpreter& interp, Value a, Value b);
Value coerce(Interpreter& interp, Value object, Value type);
Value type_of(Interpreter& interp, Value object);
/// Expands names that deftype defined, and standard abbreviations such as (unsigned-byte 8), until
/// none is left at the top.
Value expand_type(Interpreter& interp, Value type);

}  // namespace caten::lisp
