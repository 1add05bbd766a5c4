// Matching with complete backtracking over the operand orders of commutative ops, and the text of
// patterns.
#include "ir/rewrite/pattern.h"

#include <fmt/core.h>

namespace caten::rewrite {

using air::Node;
using air::NodeId;
using air::Op;

Pat::Pat(double number) : Pat(Rep{Kind::Literal, "", 0, number, Op::Const, {}}) {}

Pat Pat::variable(Kind kind, std::string_view name, size_t slot) {
  return Pat(Rep{kind, name, slot, 0, Op::Const, {}});
}

Pat Pat::apply(Op op, std::vector<Pat> args) {
  return Pat(Rep{Kind::Apply, "", 0, 0, op, std::move(args)});
}

Pat Pat::fold(Pat expression) {
  return Pat(Rep{Kind::Fold, "", 0, 0, Op::Const, {std::move(expression)}});
}

Pat Pat::all_constant() {
  return Pat(Rep{Kind::AllConstant, "", 0, 0, Op::Const, {}});
}

namespace {

/// A pattern that a node still has to match. Patterns are small: the list has a fixed size.
struct Goal {
  const Pat* pattern;
  NodeId node;
};
struct Goals {
  std::array<Goal, 24> items{};
  size_t count = 0;

  void push(const Pat& pattern, NodeId node) {
    CATEN_CHECK(count < items.size(), "pattern {} is too large", pattern.to_string());
    items[count++] = {&pattern, node};
  }
};

bool solve(Goals goals, Match& match);

/// Goals for the inputs of a node that an Apply pattern stands for; both orders if commutative.
bool solve_inputs(const Pat& pattern, const Node& node, const Goals& goals, Match& match) {
  if (pattern->op != node.op || pattern->args.size() > node.inputs.size()) {
    return false;
  }
  const auto before = match.bound;
  Goals straight = goals;
  for (size_t i = pattern->args.size(); i-- > 0;) {
    straight.push(pattern->args[i], node.inputs[i]);
  }
  if (solve(straight, match)) {
    return true;
  }
  if (!info(node.op).has(air::kCommutative)) {
    return false;
  }
  match.bound = before;
  Goals swapped = goals;
  swapped.push(pattern->args[1], node.inputs[0]);
  swapped.push(pattern->args[0], node.inputs[1]);
  return solve(swapped, match);
}

bool bind(const Pat& variable, NodeId node, Match& match) {
  NodeId& slot = match.bound[variable->slot];
  if (slot.valid()) {
    return slot == node;
  }
  slot = node;
  return true;
}

/// Recursion only as deep as the pattern has nodes.
bool solve(Goals goals, Match& match) {
  while (goals.count > 0) {
    const auto [pattern, id] = goals.items[--goals.count];
    const Node& node = match.graph[id];
    switch ((*pattern)->kind) {
      case Pat::Kind::Any:
        if (!bind(*pattern, id, match)) {
          return false;
        }
        break;
      case Pat::Kind::Constant:
        if (node.op != Op::Const || !bind(*pattern, id, match)) {
          return false;
        }
        break;
      case Pat::Kind::Literal:
        if (node.op != Op::Const ||
            !node.get<air::ConstAttr>().value.is_number((*pattern)->number)) {
          return false;
        }
        break;
      case Pat::Kind::Apply:
        return solve_inputs(*pattern, node, goals, match);
      case Pat::Kind::Fold:
      case Pat::Kind::AllConstant:
        return false;  // Fold is no left side, AllConstant only a root
    }
  }
  return true;
}

bool all_inputs_constant(const Match& match) {
  for (const NodeId input : match.root.inputs) {
    if (match.graph[input].op != Op::Const) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool matches(const Pat& pattern, Match& match) {
  match.bound.fill(NodeId{});
  if (pattern->kind == Pat::Kind::AllConstant) {
    return all_inputs_constant(match);
  }
  return solve_inputs(pattern, match.root, {}, match);
}

namespace {

std::string_view infix(Op op) {
  switch (op) {
    case Op::Add:
      return "+";
    case Op::Sub:
      return "-";
    case Op::Mul:
      return "*";
    case Op::Div:
      return "/";
    case Op::And:
      return "&";
    case Op::Or:
      return "|";
    case Op::Xor:
      return "^";
    default:
      return "";
  }
}

std::string operand_text(const Pat& pattern) {
  const bool compound = pattern->kind == Pat::Kind::Apply && !infix(pattern->op).empty();
  return compound ? fmt::format("({})", pattern.to_string()) : pattern.to_string();
}

}  // namespace

std::string Pat::to_string() const {
  const Rep& rep = *rep_;
  switch (rep.kind) {
    case Kind::Any:
    case Kind::Constant:
      return std::string(rep.name);
    case Kind::Literal:
      return fmt::format("{}", rep.number);
    case Kind::Fold:
      return fmt::format("fold({})", rep.args[0].to_string());
    case Kind::AllConstant:
      return "op(constants)";
    case Kind::Apply:
      break;
  }
  if (!infix(rep.op).empty()) {
    return fmt::format("{} {} {}", operand_text(rep.args[0]), infix(rep.op),
                       operand_text(rep.args[1]));
  }
  if (rep.op == Op::Neg || rep.op == Op::Not) {
    return fmt::format("{}{}", rep.op == Op::Neg ? "-" : "~", operand_text(rep.args[0]));
  }
  std::string out = fmt::format("{}(", name(rep.op));
  for (size_t i = 0; i < rep.args.size(); ++i) {
    out += (i == 0 ? "" : ", ") + rep.args[i].to_string();
  }
  return out + ")";
}

}  // namespace caten::rewrite
