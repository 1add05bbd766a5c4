// The rewriter: root rewriting in a loop, right sides bottom-up through the same door, a budget
// that turns a loop among rules into an internal error naming them.
#include "ir/rewrite/rewriter.h"

#include <fmt/core.h>

#include <algorithm>

#include "ir/air/evaluate.h"
#include "ir/support/diagnostics.h"

namespace caten::rewrite {

using air::Node;
using air::NodeId;
using air::Op;

namespace {

constexpr int kMaxSteps = 2000;
constexpr int kMaxDepth = 100;

std::string recent_text(const std::array<const Rule*, 8>& recent) {
  std::string out;
  for (const Rule* rule : recent) {
    if (rule != nullptr) {
      out += (out.empty() ? "`" : ", `") + rule->name + "`";
    }
  }
  return out;
}

}  // namespace

Rewriter::Rewriter(air::Graph& graph, std::vector<const RuleSet*> tables)
    : graph_(graph), tables_(std::move(tables)) {
  for (const RuleSet* table : tables_) {
    counts_.emplace_back(table->rules().size(), 0);
  }
}

void Rewriter::order_operands(Node& node) const {
  if (!info(node.op).has(air::kCommutative)) {
    return;
  }
  const auto goes_right = [this](NodeId id) { return graph_[id].op == Op::Const; };
  NodeId& a = node.inputs[0];
  NodeId& b = node.inputs[1];
  if (goes_right(a) != goes_right(b) ? goes_right(a) : b < a) {
    std::swap(a, b);
  }
}

void Rewriter::count(size_t table, uint32_t rule) {
  ++counts_[table][rule];
  recent_[static_cast<size_t>(steps_) % recent_.size()] = &tables_[table]->rules()[rule];
  if (++steps_ > kMaxSteps) {
    endless();
  }
}

void Rewriter::endless() const {
  std::string text =
      fmt::format("rules do not come to an end; the last ones are {}", recent_text(recent_));
  // With rules of the user's the mistake is theirs: ours come to an end.
  for (const RuleSet* table : tables_) {
    if (table->span().known()) {
      throw CompileError(Diag::BadOp, table->span(), std::move(text));
    }
  }
  throw InternalError(text);
}

NodeId Rewriter::make(Node node) {
  if (depth_ == 0) {
    steps_ = 0;
  }
  if (depth_ == kMaxDepth) {
    endless();
  }
  ++depth_;
  std::optional<NodeId> done;
  while (!done) {
    order_operands(node);
    Step step = apply_first_rule(node);
    if (!step.fired) {
      done = graph_.add(std::move(node), span_);
    } else if (step.done) {
      done = step.done;
    } else {
      node = std::move(step.node);
    }
  }
  --depth_;
  return *done;
}

Rewriter::Step Rewriter::apply_first_rule(const Node& node) {
  Match match{graph_, node, {}};
  for (size_t t = 0; t < tables_.size(); ++t) {
    for (const uint32_t index : tables_[t]->rules_for(node.op)) {
      const Rule& rule = tables_[t]->rules()[index];
      if (!matches(rule.lhs, match) || (rule.guard.holds && !rule.guard.holds(match))) {
        continue;
      }
      Step step;
      if (const auto* pattern = std::get_if<Pat>(&rule.rhs)) {
        count(t, index);
        step = instantiate_root(*pattern, match);
      } else {
        step.done = std::get<Build>(rule.rhs).run(*this, match);
        step.fired = step.done.has_value();
        if (!step.fired) {
          continue;
        }
        count(t, index);
      }
      if (trace) {
        trace(rule, node);
      }
      return step;
    }
  }
  return {};
}

Rewriter::Step Rewriter::instantiate_root(const Pat& rhs, const Match& match) {
  if (rhs->kind != Pat::Kind::Apply) {
    return {true, instantiate(rhs, match), {}};
  }
  Step step{true, std::nullopt, {rhs->op, match.root.dtype, match.root.shape, {}, air::NoAttr{}}};
  for (const Pat& arg : rhs->args) {
    step.node.inputs.push_back(instantiate(arg, match));
  }
  return step;
}

NodeId Rewriter::instantiate(const Pat& rhs, const Match& match) {
  switch (rhs->kind) {
    case Pat::Kind::Any:
    case Pat::Kind::Constant:
      return match[rhs];
    case Pat::Kind::Literal:
      return constant(Scalar::of_double(match.root.dtype, rhs->number), match.root.shape);
    case Pat::Kind::Fold:
      return constant(fold(rhs->args[0], match), match.root.shape);
    case Pat::Kind::Apply: {
      std::vector<NodeId> inputs;
      for (const Pat& arg : rhs->args) {
        inputs.push_back(instantiate(arg, match));
      }
      return elementwise(rhs->op, std::move(inputs));
    }
    case Pat::Kind::AllConstant:
      break;
  }
  CATEN_UNREACHABLE("`{}` is no right side", rhs.to_string());
}

Scalar Rewriter::fold(const Pat& expression, const Match& match) const {
  if (expression->kind == Pat::Kind::Constant) {
    return match.value(expression);
  }
  if (expression->kind == Pat::Kind::Literal) {
    return Scalar::of_double(match.root.dtype, expression->number);
  }
  CATEN_CHECK(expression->kind == Pat::Kind::Apply, "cannot fold {}", expression.to_string());
  std::vector<Scalar> args;
  for (const Pat& arg : expression->args) {
    args.push_back(fold(arg, match));
  }
  return air::apply(expression->op, args[0].dtype(), args);
}

NodeId Rewriter::constant(Scalar value, Shape shape) {
  return make({Op::Const, value.dtype(), std::move(shape), {}, air::ConstAttr{value}});
}

NodeId Rewriter::elementwise(Op op, std::vector<NodeId> inputs) {
  const Node& last = node(inputs.back());
  const DType dtype = info(op).has(air::kCompare) ? DType::Bool : last.dtype;
  Shape shape = last.shape;
  return make({op, dtype, std::move(shape), std::move(inputs), air::NoAttr{}});
}

NodeId Rewriter::cast(NodeId x, DType to) {
  if (node(x).dtype == to) {
    return x;
  }
  Shape shape = node(x).shape;
  return make({Op::Cast, to, std::move(shape), {x}, air::NoAttr{}});
}

NodeId Rewriter::reshape(NodeId x, Shape shape) {
  if (node(x).shape == shape) {
    return x;
  }
  return make({Op::Reshape, node(x).dtype, shape, {x}, air::ShapeAttr{shape}});
}

NodeId Rewriter::permute(NodeId x, std::vector<int> order) {
  Shape shape;
  for (const int axis : order) {
    shape.push_back(node(x).shape[static_cast<size_t>(axis)]);
  }
  return make(
      {Op::Permute, node(x).dtype, std::move(shape), {x}, air::PermuteAttr{std::move(order)}});
}

NodeId Rewriter::expand(NodeId x, Shape shape) {
  if (node(x).shape == shape) {
    return x;
  }
  return make({Op::Expand, node(x).dtype, shape, {x}, air::ShapeAttr{shape}});
}

NodeId Rewriter::slice(NodeId x, std::vector<air::SliceAxis> axes) {
  Shape shape;
  for (const air::SliceAxis& axis : axes) {
    shape.push_back(axis.size);
  }
  return make(
      {Op::Slice, node(x).dtype, std::move(shape), {x}, air::SliceAttr{std::move(axes), {}}});
}

NodeId Rewriter::reduce(air::ReduceOp op, NodeId x, std::vector<int> axes) {
  if (axes.empty()) {
    return x;
  }
  Shape shape = node(x).shape;
  for (const int axis : axes) {
    shape[static_cast<size_t>(axis)] = 1;
  }
  return make(
      {Op::Reduce, node(x).dtype, std::move(shape), {x}, air::ReduceAttr{op, std::move(axes)}});
}

std::vector<Rewriter::Hit> Rewriter::hits() const {
  std::vector<Hit> out;
  for (size_t t = 0; t < tables_.size(); ++t) {
    for (size_t i = 0; i < counts_[t].size(); ++i) {
      if (counts_[t][i] > 0) {
        out.push_back({tables_[t], &tables_[t]->rules()[i], counts_[t][i]});
      }
    }
  }
  return out;
}

}  // namespace caten::rewrite
