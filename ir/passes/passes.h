// AIR passes: each a free function from graph to graph; run, timed, verified and dumped by the
// pipeline alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/air/air.h"
#include "ir/rewrite/rule_set.h"

namespace caten::air {

/// Rewrites by the rule tables until nothing changes (one sweep: results are built simplified).
Graph simplify(const Graph& graph);
/// The same with more tables, which are tried first.
Graph simplify_with(const Graph& graph, const std::vector<const rewrite::RuleSet*>& first);
/// Composes movement ops: permute of permute, slice of slice, reshape of reshape; drops identities.
Graph canonicalize(const Graph& graph);
/// Drops nodes that no output needs.
Graph dead_code(const Graph& graph);

/// Replaces symbols by numbers. Not part of the pipeline: the driver's `-D n=128`. Throws
/// CompileError (BadSize) when a size relation turns out false.
Graph bind_symbols(const Graph& graph, const std::map<std::string, int64_t, std::less<>>& values);

}  // namespace caten::air
