// Names of Common Lisp that are not there, so that their use is refused by name.
#pragma once

#include "frontend/lisp/value.h"

namespace caten::lisp {

/// Why a name of COMMON-LISP is not there; null for other names.
const char* unsupported_reason(std::string_view name);
/// Whether it would be a macro: its arguments are not to be looked at.
bool is_unsupported_macro(std::string_view name);

}  // namespace caten::lisp
