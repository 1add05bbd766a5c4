// "The same numbers" (LANGUAGE, numeric rules): exact for everything but reordered float sums and
// products and what is computed from them; for those, a bound per element derived from the graph
// and the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/air/air.h"
#include "ir/air/evaluate.h"

namespace caten::testing {

/// For each output: how far an element may be off (float64, the output's shape), or nullopt when it
/// must be exact. An infinite bound says nothing can be promised (a rounding step after an inexact
/// sum). `graph` must evaluate under `env`.
std::vector<std::optional<air::Array>> error_bounds(const air::Graph& graph,
                                                    const air::Environment& env);

/// Whether an exact 0.0 may stand for -0.0: max and min leave the sign of a zero free, and what is
/// computed from them too.
enum class ZeroSign : uint8_t { Free, Kept };

/// What differs, or nullopt. NaN equals NaN; every other value of an exact output must be equal.
std::optional<std::string> difference(const air::Array& expected, const air::Array& actual,
                                      const std::optional<air::Array>& bound = std::nullopt,
                                      ZeroSign zero_sign = ZeroSign::Free);

}  // namespace caten::testing
