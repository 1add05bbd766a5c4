// Rebuild: how a pass makes its new graph: nodes in the order of the old ids, inputs mapped, spans,
// labels, symbols, checks and the input list carried over.
#pragma once

#include <vector>

#include "ir/air/air.h"

namespace caten::air {

class Rebuild {
 public:
  /// Starts with the old graph's inputs: they stay in parameter order, used or not.
  explicit Rebuild(const Graph& old);

  Graph& graph() { return graph_; }
  const Graph& old() const { return old_; }
  /// The new node that stands for an old one (invalid while it has none).
  NodeId operator[](NodeId old_id) const { return map_[old_id.index]; }
  /// Says so; the old node's label goes along unless the new one has its own.
  void set(NodeId old_id, NodeId new_id);
  /// The old node with mapped inputs, added as it is.
  NodeId copy(NodeId old_id);
  /// The old node with mapped inputs, not added.
  Node with_mapped_inputs(NodeId old_id) const;

  /// Maps the outputs and gives the graph away.
  Graph finish();

 private:
  const Graph& old_;
  Graph graph_;
  std::vector<NodeId> map_;
};

}  // namespace caten::air
