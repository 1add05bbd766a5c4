// Elementary functions of float32 as C text for the gnu target, printed from the vector programs
// that specify them: no branches and no calls, so that the loops they are in vectorise.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/air/air.h"

namespace caten::c {

/// The name of the helper that computes `op` on floats; nullopt where math.h has to serve.
std::optional<std::string> elementary_helper_name(air::Op op);
bool is_elementary_helper(std::string_view name);
/// The definition of a helper of such a name, which calls `f32_bits`, `u32_to_f32` and
/// `multiply_add_f32`; nullopt for other names.
std::optional<std::string> elementary_helper_text(std::string_view name);

}  // namespace caten::c
