// The frame of graph-to-graph passes.
#include "ir/passes/rebuild.h"

namespace caten::air {

Rebuild::Rebuild(const Graph& old) : old_(old), map_(old.size()) {
  graph_.symbols = old.symbols;
  graph_.checks = old.checks;
  for (const NodeId id : old.inputs) {
    const NodeId made = copy(id);
    graph_.inputs.push_back(made);
    set(id, made);
  }
}

void Rebuild::set(NodeId old_id, NodeId new_id) {
  map_[old_id.index] = new_id;
  if (const std::string& label = old_.label(old_id);
      !label.empty() && graph_.label(new_id).empty()) {
    graph_.set_label(new_id, label);
  }
}

Node Rebuild::with_mapped_inputs(NodeId old_id) const {
  Node node = old_[old_id];
  for (NodeId& input : node.inputs) {
    CATEN_CHECK(map_[input.index].valid(), "input %{} of %{} has no new node", input.index,
                old_id.index);
    input = map_[input.index];
  }
  return node;
}

NodeId Rebuild::copy(NodeId old_id) {
  return graph_.add(with_mapped_inputs(old_id), old_.span(old_id));
}

Graph Rebuild::finish() {
  for (const Output& output : old_.outputs) {
    graph_.outputs.push_back({output.name, map_[output.node.index]});
  }
  return std::move(graph_);
}

}  // namespace caten::air
