// Costs of recomputation: one forward sweep.
#include "codegen/schedule/cost.h"

#include <fmt/core.h>

#include <algorithm>

#include "codegen/cost_model.h"

namespace caten::schedule {
namespace {

using codegen::kDivisionOps;
using codegen::kIndexedOps;
using codegen::kTranscendentalOps;

constexpr int kSaturated = 1 << 20;

int own_cost(const air::Node& node) {
  using air::Op;
  const air::OpInfo& info = air::info(node.op);
  if (info.has(air::kTranscendental)) {
    return kTranscendentalOps;
  }
  switch (info.cls) {
    case air::OpClass::Leaf:
    case air::OpClass::Reduce:
    case air::OpClass::Ordered:
    case air::OpClass::Effect:
      return 0;
    case air::OpClass::Movement:
      return node.op == Op::Pad || node.op == Op::Concat ? 1 : 0;
    case air::OpClass::Indexed:
      return kIndexedOps;
    case air::OpClass::Unary:
    case air::OpClass::Binary:
    case air::OpClass::Ternary:
      break;
  }
  const bool slow = node.op == Op::Div || node.op == Op::Recip || node.op == Op::Sqrt ||
                    node.op == Op::Idiv || node.op == Op::Mod || node.op == Op::Rem;
  return slow ? kDivisionOps : 1;
}

}  // namespace

std::vector<Cost> estimate_costs(const air::Graph& graph) {
  std::vector<Cost> costs(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const air::Node& node = graph[air::NodeId{i}];
    Cost& cost = costs[i];
    cost.ops = own_cost(node);
    cost.transcendental = air::info(node.op).has(air::kTranscendental);
    const air::OpClass cls = air::info(node.op).cls;
    if (cls == air::OpClass::Reduce || cls == air::OpClass::Ordered ||
        cls == air::OpClass::Effect || node.op == air::Op::Scatter) {
      cost.reduction = cls == air::OpClass::Reduce || cls == air::OpClass::Ordered;
      cost.replaces_reduction = cls == air::OpClass::Reduce;
      continue;  // read back from where it is stored
    }
    for (air::NodeId input : node.inputs) {
      cost.ops = std::min(cost.ops + costs[input.index].ops, kSaturated);
      cost.transcendental |= costs[input.index].transcendental;
      cost.reduction |= costs[input.index].reduction;
      cost.replaces_reduction |= costs[input.index].replaces_reduction;
    }
    // Other movement and indexing ops have fewer or more elements.
    if (cls == air::OpClass::Indexed ||
        (cls == air::OpClass::Movement && node.op != air::Op::Reshape &&
         node.op != air::Op::Permute)) {
      cost.replaces_reduction = false;
    }
  }
  return costs;
}

bool are_many(const index::Pool& pool, const std::vector<index::RangeId>& ranges, int64_t least) {
  if (ranges.empty()) {
    return false;
  }
  int64_t elements = 1;
  for (const index::RangeId range : ranges) {
    const std::optional<int64_t> extent = pool.constant_value(pool.range_info(range).extent);
    if (!extent || *extent >= least) {
      return true;
    }
    elements *= *extent;
  }
  return elements >= least;
}

std::string describe(const Cost& cost) {
  if (cost.transcendental) {
    return "a transcendental function";
  }
  return fmt::format("{} ops", cost.ops);
}

}  // namespace caten::schedule
