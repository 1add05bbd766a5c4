// The matrix routines of contractions as C text with GCC's vector types, for the gnu target.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace caten::c {

/// The definition of a routine that pass `contract` calls (ct_pack_rows_f32, ct_multiply_f64, …),
/// to the contract of runtime/intrinsics/strips/matmul.cpp and windows.cpp; nullopt for other
/// names. They come with what they need, unless `tiles` has it, which this adds to.
std::optional<std::string> matmul_helper_text(std::string_view name, std::set<std::string>& tiles);

}  // namespace caten::c
