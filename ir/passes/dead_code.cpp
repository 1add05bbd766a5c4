// dead_code: keeps what outputs and effects need, and every input (they are the signature).
#include "ir/passes/passes.h"
#include "ir/passes/rebuild.h"

namespace caten::air {

Graph dead_code(const Graph& graph) {
  const std::vector<bool> live = live_nodes(graph);
  Rebuild rebuild(graph);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const NodeId id{i};
    if (live[i] && !rebuild[id].valid()) {
      rebuild.set(id, rebuild.copy(id));
    }
  }
  return rebuild.finish();
}

}  // namespace caten::air
