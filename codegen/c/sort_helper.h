// The C function that sorts a line of keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/type.h"

namespace caten::c {

/// sort_f32_up, sort_f32_down, …
std::string sort_helper_name(DType dtype, bool descending);
/// The definition of a helper of such a name; nullopt for other names. It calls `half_to_float` and
/// `bfloat_to_float` for keys of these types.
std::optional<std::string> sort_helper_text(std::string_view name);

}  // namespace caten::c
