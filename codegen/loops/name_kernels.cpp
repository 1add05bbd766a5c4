// Kernel names such as `softmax` or `linear_relu`.
#include "codegen/loops/name_kernels.h"

#include <algorithm>
#include <vector>

namespace caten::loops {
namespace {

constexpr size_t kMaxWords = 3;

std::string op_word(const schedule::Schedule& schedule, const schedule::Statement& statement) {
  const air::Node& node = schedule.graph->node(statement.node);
  if (node.op != air::Op::Reduce) {
    return std::string(air::name(node.op));
  }
  switch (node.get<air::ReduceAttr>().op) {
    case air::ReduceOp::Add:
      return "sum";
    case air::ReduceOp::Mul:
      return "prod";
    case air::ReduceOp::Max:
      return "max";
    case air::ReduceOp::Min:
      return "min";
    case air::ReduceOp::And:
      return "all";
    case air::ReduceOp::Or:
      return "any";
  }
  return "reduce";
}

}  // namespace

std::string label_of(const air::Graph& graph, air::NodeId id) {
  const air::Node& node = graph[id];
  if (node.op == air::Op::Input) {
    return node.get<air::InputAttr>().name;
  }
  if (node.op == air::Op::Param) {
    return node.get<air::ParamAttr>().name;
  }
  if (node.op == air::Op::ArgReduce) {
    return node.get<air::ArgReduceAttr>().max ? "argmax" : "argmin";
  }
  return node.op == air::Op::Sort ? "order" : graph.label(id);
}

std::string kernel_name(const schedule::Schedule& schedule, const schedule::Kernel& kernel) {
  std::vector<std::string> words;
  const auto add = [&](std::string word) {
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(std::move(word));
    }
  };
  for (schedule::StatementId id : kernel.statements) {
    add(schedule.graph->label(schedule.statement(id).node));
  }
  if (words.empty()) {
    for (schedule::StatementId id : kernel.statements) {
      add(op_word(schedule, schedule.statement(id)));
    }
  }
  if (words.size() > kMaxWords) {  // the last ones: what the kernel is for
    words.erase(words.begin(), words.end() - static_cast<std::ptrdiff_t>(kMaxWords));
  }
  std::string name;
  for (const std::string& word : words) {
    name += (name.empty() ? "" : "_") + word;
  }
  return name;
}

}  // namespace caten::loops
