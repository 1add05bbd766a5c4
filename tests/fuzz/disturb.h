// A copy of a graph in which every float sum and product is off by about what adding up in another
// order may change, and in two variants zeros from sums, maxima and minima are all 0.0 or all -0.0:
// their sign is free. In one more they are NaN: what is a number there does not depend on such a
// sign.
#pragma once

#include "ir/air/air.h"

namespace caten::fuzz {

constexpr int kZerosAreNan = 5;

/// `variant` 0 and 1 disturb all elements upward and downward, others by a pattern of both. False
/// in `found` when the graph has nothing of the kind.
air::Graph disturb(const air::Graph& graph, int variant, bool& found);

}  // namespace caten::fuzz
