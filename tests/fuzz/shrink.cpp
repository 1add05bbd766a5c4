// Candidates from large cuts to small ones; a round without success ends it.
#include "tests/fuzz/shrink.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace caten::fuzz {
namespace {

using air::Graph;
using air::NodeId;
using air::Op;
using testing::RandomProgram;

void list_input(Graph& graph, NodeId id) {
  if (graph[id].op == Op::Input &&
      std::find(graph.inputs.begin(), graph.inputs.end(), id) == graph.inputs.end()) {
    graph.inputs.push_back(id);
  }
}

/// Drops what no output and no effect needs, inputs too, and the data of those.
RandomProgram tidy(RandomProgram program) {
  const Graph& old = program.graph;
  Graph graph;
  std::vector<NodeId> map(old.size());
  std::set<std::string> inputs;
  std::set<int> params;
  const std::vector<bool> live = air::live_nodes(old);
  for (uint32_t i = 0; i < old.size(); ++i) {
    if (!live[i]) {
      continue;
    }
    air::Node node = old[NodeId{i}];
    for (NodeId& input : node.inputs) {
      input = map[input.index];
    }
    if (node.op == Op::Input) {
      inputs.insert(node.get<air::InputAttr>().name);
    } else if (node.op == Op::Param) {
      params.insert(node.get<air::ParamAttr>().storage);
    }
    map[i] = graph.add(std::move(node), {});
    list_input(graph, map[i]);
  }
  for (const air::Output& output : old.outputs) {
    graph.outputs.push_back({output.name, map[output.node.index]});
  }
  graph.checks = old.checks;
  graph.symbols = old.symbols;
  program.graph = std::move(graph);
  std::erase_if(program.environment.inputs,
                [&](const auto& input) { return !inputs.contains(input.first); });
  std::erase_if(program.environment.params,
                [&](const auto& param) { return !params.contains(param.first); });
  return program;
}

/// The program with node `victim` replaced by `replacement` (a node made from scratch or, when
/// invalid, the operand number `operand`).
RandomProgram replace(const RandomProgram& program, NodeId victim,
                      const std::optional<air::Node>& replacement, size_t operand) {
  RandomProgram result = program;
  result.graph = Graph();
  Graph& graph = result.graph;
  std::vector<NodeId> map;
  for (uint32_t i = 0; i < program.graph.size(); ++i) {
    air::Node node = program.graph[NodeId{i}];
    for (NodeId& input : node.inputs) {
      input = map[input.index];
    }
    if (NodeId{i} == victim) {
      map.push_back(replacement ? graph.add(*replacement, {}) : node.inputs[operand]);
    } else {
      map.push_back(graph.add(node, {}));
    }
    list_input(graph, map.back());
  }
  for (const air::Output& output : program.graph.outputs) {
    graph.outputs.push_back({output.name, map[output.node.index]});
  }
  graph.checks = program.graph.checks;
  graph.symbols = program.graph.symbols;
  return result;
}

bool is_leaf(const air::Node& node) {
  return air::info(node.op).cls == air::OpClass::Leaf;
}

class Shrinker {
 public:
  Shrinker(RandomProgram program, const std::function<bool(const RandomProgram&)>& fails)
      : best_(std::move(program)), fails_(fails) {}

  RandomProgram run() {
    attempt(tidy(best_));
    bool progress = true;
    while (progress && attempts_ < kMaxAttempts) {
      progress = drop_outputs();
      progress = cut_nodes() || progress;
      progress = drop_checks() || progress;
    }
    return best_;
  }

 private:
  static constexpr int kMaxAttempts = 3000;

  bool attempt(RandomProgram candidate) {
    if (++attempts_ > kMaxAttempts || !fails_(candidate)) {
      return false;
    }
    best_ = std::move(candidate);
    return true;
  }

  bool drop_outputs() {
    bool any = false;
    for (size_t i = best_.graph.outputs.size(); i-- > 0 && best_.graph.outputs.size() > 1;) {
      RandomProgram candidate = best_;
      candidate.graph.outputs.erase(candidate.graph.outputs.begin() +
                                    static_cast<std::ptrdiff_t>(i));
      any = attempt(tidy(candidate)) || any;
    }
    return any;
  }

  bool drop_checks() {
    if (best_.graph.checks.empty()) {
      return false;
    }
    RandomProgram candidate = best_;
    candidate.graph.checks.clear();
    return attempt(std::move(candidate));
  }

  bool cut_nodes() {
    bool any = false;
    for (uint32_t i = best_.graph.size(); i-- > 0;) {
      if (i >= best_.graph.size()) {
        continue;
      }
      any = cut(NodeId{i}) || any;
    }
    return any;
  }

  bool cut(NodeId id) {
    const air::Node node = best_.graph[id];
    if (is_leaf(node)) {
      return false;
    }
    if (node.op != Op::Assign && as_input(id, node)) {
      return true;
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const air::Node& operand = best_.graph[node.inputs[i]];
      if (operand.dtype == node.dtype && operand.shape == node.shape &&
          attempt(tidy(replace(best_, id, std::nullopt, i)))) {
        return true;
      }
    }
    return false;
  }

  /// The node as an input that holds the value it has.
  bool as_input(NodeId id, const air::Node& node) {
    RandomProgram candidate = best_;
    candidate.graph.outputs = {{"value", id}};
    air::Environment environment = candidate.environment;
    std::vector<air::Array> value;
    try {
      value = air::evaluate(candidate.graph, environment);
    } catch (const air::EvaluateError&) {
      return false;
    }
    std::string name = fmt::format("v{}", names_++);
    air::Node input{Op::Input, node.dtype, node.shape, {}, air::InputAttr{name}};
    candidate = replace(best_, id, input, 0);
    candidate.environment.inputs.emplace(name, std::move(value[0]));
    return attempt(tidy(std::move(candidate)));
  }

  RandomProgram best_;
  const std::function<bool(const RandomProgram&)>& fails_;
  int attempts_ = 0;
  int names_ = 0;
};

}  // namespace

RandomProgram shrink(RandomProgram program,
                     const std::function<bool(const RandomProgram&)>& fails) {
  return Shrinker(std::move(program), fails).run();
}

}  // namespace caten::fuzz
