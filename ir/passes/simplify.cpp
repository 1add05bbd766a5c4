// simplify and canonicalize: every live node is made again through the rewriter, in order of ids.
#include "ir/passes/passes.h"
#include "ir/passes/rebuild.h"
#include "ir/rewrite/rewriter.h"
#include "ir/rules/rules.h"

namespace caten::air {
namespace {

Graph rewrite_with(const Graph& graph, std::vector<const rewrite::RuleSet*> tables) {
  const std::vector<bool> live = live_nodes(graph);
  Rebuild rebuild(graph);
  rewrite::Rewriter rewriter(rebuild.graph(), std::move(tables));
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const NodeId id{i};
    if (live[i] && !rebuild[id].valid()) {
      rewriter.set_span(graph.span(id));
      rebuild.set(id, rewriter.make(rebuild.with_mapped_inputs(id)));
    }
  }
  return rebuild.finish();
}

}  // namespace

Graph simplify(const Graph& graph) {
  return rewrite_with(graph, rules::all());
}

Graph simplify_with(const Graph& graph, const std::vector<const rewrite::RuleSet*>& first) {
  std::vector<const rewrite::RuleSet*> tables = first;
  const std::vector<const rewrite::RuleSet*> ours = rules::all();
  tables.insert(tables.end(), ours.begin(), ours.end());
  return rewrite_with(graph, std::move(tables));
}

Graph canonicalize(const Graph& graph) {
  return rewrite_with(graph, {&rules::movement()});
}

}  // namespace caten::air
