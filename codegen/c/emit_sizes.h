// Size expressions of a Program as C, plain or checked for overflow.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/c/spelling.h"
#include "runtime/program.h"

namespace caten::c {

/// `n * m * 4`: for sizes that have been checked.
std::string size_text(const runtime::SizeExpr& expr, std::span<const std::string> symbols,
                      Uses& uses);
/// `size_mul(size_mul(n, m, &bad), 4, &bad)`.
std::string checked_size_text(const runtime::SizeExpr& expr, std::span<const std::string> symbols,
                              Uses& uses);
runtime::SizeExpr buffer_bytes(const runtime::Buffer& buffer);
bool is_constant(const runtime::SizeExpr& expr);

}  // namespace caten::c
