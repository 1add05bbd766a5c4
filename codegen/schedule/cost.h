// What recomputing a value costs, against storing and loading it.
#pragma once

#include <string>
#include <vector>

#include "ir/air/air.h"

namespace caten::schedule {

/// Plain ops from a node back to leaves, reductions and state updates. Saturates.
struct Cost {
  int ops = 0;
  bool transcendental = false;
  bool reduction =
      false;  // computed from the result of a reduction: it can follow it in its kernel
};

/// More uses than one: recomputing up to this many ops is cheaper than a store and loads.
inline constexpr int kCheapOps = 4;
/// Elements read repeatedly (broadcast, gather): up to this many are recomputed at each read.
inline constexpr int kCheapRepeatedOps = 2;

std::vector<Cost> estimate_costs(const air::Graph& graph);
std::string describe(const Cost& cost);

}  // namespace caten::schedule
