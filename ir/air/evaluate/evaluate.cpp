// The reference interpreter: one table of evaluators, one loop over ids.
#include "ir/air/evaluate.h"

#include <fmt/core.h>

#include <array>
#include <optional>

#include "ir/air/evaluate/view.h"

namespace caten::air {

using evaluation::Extents;
using evaluation::Step;
using evaluation::View;

namespace {

using Evaluator = View (*)(const Step&);

constexpr Evaluator by_class(OpClass cls) {
  switch (cls) {
    case OpClass::Unary:
      return evaluation::unary;
    case OpClass::Binary:
      return evaluation::binary;
    case OpClass::Leaf:
    case OpClass::Ternary:
    case OpClass::Movement:
    case OpClass::Reduce:
    case OpClass::Indexed:
    case OpClass::Ordered:
    case OpClass::Effect:
      break;
  }
  return nullptr;
}

struct Row {
  Op op;
  Evaluator evaluator;
};
/// Ops that the evaluator of their class does not cover.
constexpr std::array kRows = {
    Row{Op::Const, evaluation::constant},  Row{Op::Input, evaluation::input},
    Row{Op::Param, evaluation::param},     Row{Op::DimValue, evaluation::dim_value},
    Row{Op::Iota, evaluation::iota},       Row{Op::Cast, evaluation::cast},
    Row{Op::Bitcast, evaluation::bitcast}, Row{Op::Where, evaluation::where},
    Row{Op::Reshape, evaluation::reshape}, Row{Op::Permute, evaluation::permute},
    Row{Op::Expand, evaluation::expand},   Row{Op::Slice, evaluation::slice},
    Row{Op::Pad, evaluation::pad},         Row{Op::Concat, evaluation::concat},
    Row{Op::Reduce, evaluation::reduce},   Row{Op::ArgReduce, evaluation::arg_reduce},
    Row{Op::Gather, evaluation::gather},   Row{Op::TakeAlong, evaluation::take_along},
    Row{Op::Scatter, evaluation::scatter}, Row{Op::Scan, evaluation::scan},
    Row{Op::Sort, evaluation::sort},       Row{Op::Assign, evaluation::assign},
};

constexpr std::array kEvaluators = [] {
  std::array evaluators = {
#define AIR_OP(name, text, arity, cls, attr, traits) by_class(OpClass::cls),
#include "ir/air/ops.def"
#undef AIR_OP
  };
  for (const Row& row : kRows) {
    evaluators[static_cast<size_t>(row.op)] = row.evaluator;
  }
  return evaluators;
}();

// By the rows and classes: UBSan makes comparing a function's address no constant expression.
constexpr bool all_covered() {
  constexpr std::array kClasses = {
#define AIR_OP(name, text, arity, cls, attr, traits) OpClass::cls,
#include "ir/air/ops.def"
#undef AIR_OP
  };
  for (size_t op = 0; op < kClasses.size(); ++op) {
    bool covered = kClasses[op] == OpClass::Unary || kClasses[op] == OpClass::Binary;
    for (const Row& row : kRows) {
      covered = covered || row.op == static_cast<Op>(op);
    }
    if (!covered) {
      return false;
    }
  }
  return true;
}
static_assert(all_covered(), "an op of ops.def has no evaluator");

Extents concrete(const Shape& shape, const Step& step) {
  Extents out;
  out.reserve(shape.size());
  for (const Dim& dim : shape) {
    out.push_back(step.size(dim));
  }
  return out;
}

void check_sizes(const Graph& graph, const Environment& env) {
  const Node none;
  const Step step{none, {}, {}, env};
  for (const auto& [symbol, value] : env.symbols) {
    if (value < 0) {
      throw EvaluateError(fmt::format("size `{}` is negative: {}", symbol, value));
    }
  }
  for (const SizeCheck& check : graph.checks) {
    const int64_t left = step.size(check.left);
    const int64_t right = step.size(check.right);
    if (left != right) {
      throw EvaluateError(check_message(check, left, right));
    }
  }
}

/// Applies the assignments to their storage, in order of ids, once everything has been read.
void commit(const Graph& graph, const std::vector<std::optional<View>>& values, Environment& env) {
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph[NodeId{i}];
    if (node.op != Op::Assign) {
      continue;
    }
    NodeId root = node.inputs[0];
    while (graph[root].op == Op::Assign) {
      root = graph[root].inputs[0];
    }
    env.params.at(graph[root].get<ParamAttr>().storage) = evaluation::to_array(*values[i]);
  }
}

}  // namespace

std::string check_message(const SizeCheck& check, int64_t left, int64_t right) {
  std::string message = check.message;
  const auto replace = [&message](std::string_view key, int64_t value) {
    const std::string text = fmt::format("{}", value);
    for (size_t at = message.find(key); at != std::string::npos;
         at = message.find(key, at + text.size())) {
      message.replace(at, key.size(), text);
    }
  };
  replace("{left}", left);
  replace("{right}", right);
  return message;
}

std::vector<Array> evaluate(const Graph& graph, Environment& env) {
  check_sizes(graph, env);
  const std::vector<bool> live = live_nodes(graph);
  std::vector<uint32_t> last_use(graph.size(), 0);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    for (const NodeId input : graph[NodeId{i}].inputs) {
      last_use[input.index] = live[i] ? i : last_use[input.index];
    }
  }
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (graph[NodeId{i}].op == Op::Assign) {
      last_use[i] = graph.size();  // commit() reads it
    }
  }
  for (const Output& output : graph.outputs) {
    last_use[output.node.index] = graph.size();
  }
  std::vector<std::optional<View>> values(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) {
    if (!live[i]) {
      continue;
    }
    if (env.between_nodes != nullptr) {
      env.between_nodes();
    }
    const Node& node = graph[NodeId{i}];
    Step step{node, {}, {}, env};
    step.shape = concrete(node.shape, step);
    evaluation::count_elements(step.shape, node.dtype);
    for (const NodeId input : node.inputs) {
      step.inputs.push_back(*values[input.index]);
    }
    values[i] = kEvaluators[static_cast<size_t>(node.op)](step);
    for (const NodeId input : node.inputs) {
      if (last_use[input.index] == i) {
        values[input.index].reset();
      }
    }
  }
  std::vector<Array> outputs;
  for (const Output& output : graph.outputs) {
    outputs.push_back(evaluation::to_array(*values[output.node.index]));
  }
  commit(graph, values, env);
  return outputs;
}

}  // namespace caten::air
