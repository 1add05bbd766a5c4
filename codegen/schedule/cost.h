// What recomputing a value costs, against storing and loading it.
#pragma once

#include <string>
#include <vector>

#include "codegen/index/index.h"
#include "ir/air/air.h"

namespace caten::schedule {

/// Plain ops from a node back to leaves, reductions and state updates. Saturates.
struct Cost {
  int ops = 0;
  bool transcendental = false;
  /// Computed from the result of a reduction: it can follow it in its kernel.
  bool reduction = false;
  /// As many elements as a reduction that it is computed from, one of each: it can be stored in the
  /// place of the reduction's result.
  bool replaces_reduction = false;
};

/// Whether the ranges together have at least so many elements; a symbolic size counts as enough.
bool are_many(const index::Pool& pool, const std::vector<index::RangeId>& ranges, int64_t least);

std::vector<Cost> estimate_costs(const air::Graph& graph);
std::string describe(const Cost& cost);

}  // namespace caten::schedule
