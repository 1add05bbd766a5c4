// One numeric test over every rule of every table: its left side is instantiated with random
// constants, inputs and attributes, in all dtypes it is defined on; the rule alone rewrites it;
// both sides must be the same numbers. Every rule must have fired, or the test says so.
#include "ir/rules/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "ir/air/builder.h"
#include "ir/air/evaluate.h"
#include "ir/rewrite/rewriter.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_source.h"
#include "tests/support/same_numbers.h"

namespace caten::rewrite {
namespace {

using air::Array;
using air::Builder;
using air::Environment;
using air::Node;
using air::NodeId;
using air::Op;
using air::OpClass;
using air::ReduceOp;
using testing::RandomSource;

bool accepts(Op op, DType dtype) {
  const air::OpInfo& row = air::info(op);
  const bool refuses_bool = op == Op::Neg || op == Op::Sub || op == Op::Idiv || op == Op::Mod ||
                            op == Op::Rem || op == Op::Shl || op == Op::Shr;
  return !(row.has(air::kFloatOnly) && !is_float(dtype)) &&
         !(row.has(air::kIntOnly) && is_float(dtype)) && !(refuses_bool && dtype == DType::Bool);
}

/// Builds one left side with random leaves. nullopt where the draw does not fit the pattern.
class Instance {
 public:
  Instance(uint64_t seed, const Pat& lhs) : random_(seed), b_(graph_) {
    symbols_ = {{"n", random_.between(0, 4)}};
    env_.symbols = symbols_;
    dtype_ = static_cast<DType>(random_.below(kDTypeCount));
    const int64_t rank = random_.between(0, 3);
    for (int64_t i = 0; i < rank; ++i) {
      shape_.push_back(random_size());
    }
    root_ = lhs->kind == Pat::Kind::AllConstant ? all_constant() : build(lhs, dtype_, shape_);
    if (root_) {
      graph_.outputs = {{"y", *root_}};
    }
  }

  explicit operator bool() const { return root_.has_value(); }
  const air::Graph& graph() const { return graph_; }
  Environment& env() { return env_; }

 private:
  using Made = std::optional<NodeId>;

  Dim random_size() {
    return random_.chance(20) ? Dim::symbol("n") : Dim(random_.pick({1, 1, 2, 3, 5, 0}));
  }
  int64_t value(const Dim& dim) const {
    return *dim.evaluate([this](std::string_view s) -> std::optional<int64_t> {
      return symbols_.at(std::string(s));
    });
  }

  Scalar random_constant(DType dtype) {
    const uint64_t ones = ~uint64_t{0};
    switch (random_.below(8)) {
      case 0:
        return Scalar::of_double(dtype, random_.pick({0.0, 1.0, -1.0, 2.0, -0.0}));
      case 1:
        return Scalar::of_bits(dtype, ones);
      case 2:
        return air::identity(ReduceOp::Max, dtype);
      case 3:
        return air::identity(ReduceOp::Min, dtype);
      case 4:
        return Scalar::of_double(dtype, std::ldexp(1.0, static_cast<int>(random_.between(-9, 9))));
      default:
        return testing::random_array(random_.bits(), dtype, {}, true).at(0);
    }
  }

  NodeId leaf(DType dtype, const Shape& shape) {
    std::vector<int64_t> concrete;
    for (const Dim& dim : shape) {
      concrete.push_back(value(dim));
    }
    const std::string name = "x" + std::to_string(env_.inputs.size());
    env_.inputs[name] = testing::random_array(random_.bits(), dtype, concrete, true);
    return b_.input(name, dtype, shape);
  }

  Made all_constant() {
    while (true) {
      const Op op = static_cast<Op>(random_.below(air::op_count()));
      const OpClass cls = air::info(op).cls;
      const bool fits = cls == OpClass::Unary || cls == OpClass::Binary || cls == OpClass::Ternary;
      if (!fits || !accepts(op, dtype_)) {
        continue;
      }
      const auto constant = [&](DType dtype) {
        return b_.constant(random_constant(dtype), shape_);
      };
      if (op == Op::Cast || op == Op::Bitcast) {
        return convert(op, constant(dtype_), random_dtype());
      }
      if (cls == OpClass::Unary) {
        return b_.unary(op, constant(dtype_));
      }
      if (cls == OpClass::Binary) {
        return b_.binary(op, constant(dtype_), constant(dtype_));
      }
      return b_.where(constant(DType::Bool), constant(dtype_), constant(dtype_));
    }
  }

  DType random_dtype() { return static_cast<DType>(random_.below(kDTypeCount)); }

  Made convert(Op op, NodeId x, DType to) {
    const DType from = graph_[x].dtype;
    if (op == Op::Bitcast && size_of(from) != size_of(to)) {
      return std::nullopt;
    }
    // Not through the builder, which drops conversions to the same dtype.
    return graph_.add({op, to, graph_[x].shape, {x}, air::NoAttr{}}, Span{});
  }

  Made variable(const Pat& pattern, DType dtype, const Shape& shape) {
    NodeId& bound = bound_[pattern->slot];
    if (!bound.valid()) {
      bound = pattern->kind == Pat::Kind::Constant ? b_.constant(random_constant(dtype), shape)
                                                   : leaf(dtype, shape);
    }
    const Node& node = graph_[bound];
    return node.dtype == dtype && node.shape == shape ? Made(bound) : std::nullopt;
  }

  /// A node of this dtype and shape that the pattern matches.
  Made build(const Pat& pattern, DType dtype, const Shape& shape) {
    switch (pattern->kind) {
      case Pat::Kind::Any:
      case Pat::Kind::Constant:
        return variable(pattern, dtype, shape);
      case Pat::Kind::Literal: {
        const Scalar number = Scalar::of_double(dtype, pattern->number);
        return number.is_number(pattern->number) ? Made(b_.constant(number, shape)) : std::nullopt;
      }
      case Pat::Kind::Apply:
        break;
      case Pat::Kind::Fold:
      case Pat::Kind::AllConstant:
        return std::nullopt;
    }
    switch (air::info(pattern->op).cls) {
      case OpClass::Unary:
      case OpClass::Binary:
      case OpClass::Ternary:
        return elementwise(pattern, dtype, shape);
      case OpClass::Movement:
      case OpClass::Reduce:
      case OpClass::Indexed:
      case OpClass::Ordered:
        return moved(pattern, dtype);
      case OpClass::Leaf:
        return source(pattern->op, shape);
      case OpClass::Effect:
        break;
    }
    return std::nullopt;
  }

  Made elementwise(const Pat& pattern, DType dtype, const Shape& shape) {
    const Op op = pattern->op;
    const air::OpInfo& row = air::info(op);
    if (row.has(air::kCompare) && dtype != DType::Bool) {
      return std::nullopt;
    }
    DType operand = dtype;
    if (row.has(air::kCompare) || row.has(air::kResultTyped)) {
      operand = random_.chance(20) ? dtype : random_dtype();
    }
    if (!accepts(op, operand)) {
      return std::nullopt;
    }
    std::vector<NodeId> inputs;
    for (size_t i = 0; i < pattern->args.size(); ++i) {
      const bool condition = op == Op::Where && i == 0;
      const Made input = build(pattern->args[i], condition ? DType::Bool : operand, shape);
      if (!input) {
        return std::nullopt;
      }
      inputs.push_back(*input);
    }
    if (row.has(air::kResultTyped)) {
      return convert(op, inputs[0], dtype);
    }
    if (op == Op::Where) {
      return b_.where(inputs[0], inputs[1], inputs[2]);
    }
    return row.cls == OpClass::Unary ? b_.unary(op, inputs[0])
                                     : b_.binary(op, inputs[0], inputs[1]);
  }

  /// Movement, reduction or gather of what the inner pattern gives, with random attributes, often
  /// the identity.
  Made moved(const Pat& pattern, DType dtype) {
    const bool argreduce = pattern->op == Op::ArgReduce;
    const Made inner = build(pattern->args[0], argreduce ? random_dtype() : dtype, shape_);
    if (!inner) {
      return std::nullopt;
    }
    const Node node = graph_[*inner];
    const auto add = [&](Shape shape, air::Attr attr) -> Made {
      return graph_.add({pattern->op, node.dtype, std::move(shape), {*inner}, std::move(attr)},
                        Span{});
    };
    const auto axis = static_cast<int>(node.rank() == 0 ? 0 : random_.below(node.rank()));
    switch (pattern->op) {
      case Op::Reshape: {
        Shape shape = random_.chance(30) ? node.shape : Shape{element_count(node.shape)};
        return add(shape, air::ShapeAttr{shape});
      }
      case Op::Permute:
        return b_.permute(*inner, random_order(node.rank()));
      case Op::Expand: {
        Shape shape = node.shape;
        for (Dim& dim : shape) {
          dim = dim.is(1) && random_.chance(60) ? random_size() : dim;
        }
        return add(shape, air::ShapeAttr{shape});
      }
      case Op::Slice:
        return slice(*inner);
      case Op::Pad: {
        std::vector<Dim> lo;
        std::vector<Dim> hi;
        for (int i = 0; i < node.rank(); ++i) {
          lo.emplace_back(random_.pick({0, 0, 1, 2}));
          hi.emplace_back(random_.pick({0, 0, 1, 2}));
        }
        return b_.pad(*inner, lo, hi, padding(*inner));
      }
      case Op::Concat:
        return concat(*inner, axis);
      case Op::Reduce:
        return reduce(*inner);
      case Op::ArgReduce:
        return node.rank() == 0 ? std::nullopt
                                : Made(b_.arg_reduce(random_.chance(50), *inner, axis));
      case Op::Gather: {
        const NodeId at = b_.constant(Scalar::of_int(DType::Int64, random_.between(-2, 2)),
                                      Shape(static_cast<size_t>(random_.below(3)), Dim(2)));
        const int64_t index = graph_[at].get<air::ConstAttr>().value.as_int();
        const int64_t extent = node.rank() == 0 ? 0 : value(node.shape[static_cast<size_t>(axis)]);
        return index >= -extent && index < extent ? Made(b_.gather(*inner, at, axis))
                                                  : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  std::vector<int> random_order(int rank) {
    std::vector<int> order;
    for (int i = 0; i < rank; ++i) {
      const bool last = random_.chance(60);
      order.insert(last ? order.end() : order.begin(), i);
    }
    return order;
  }

  Scalar padding(NodeId inner) {
    const Node& node = graph_[inner];
    if (node.op == Op::Const && random_.chance(70)) {
      return node.get<air::ConstAttr>().value;
    }
    if (node.op == Op::Pad && random_.chance(70)) {
      return node.get<air::PadAttr>().value;
    }
    return random_constant(node.dtype);
  }

  Made slice(NodeId inner) {
    air::SliceAttr attr;
    const Shape shape = graph_[inner].shape;
    for (const Dim& dim : shape) {
      const auto number = dim.constant();
      if (!number || *number == 0 || random_.chance(40)) {
        attr.axes.push_back(random_.chance(70) ? air::SliceAxis{0, dim, 1}
                                               : air::SliceAxis{dim - Dim(1), dim, -1});
        continue;
      }
      const int64_t start = random_.below(*number);
      const int64_t step = random_.pick({1, 1, 2, -1, -2});
      const int64_t room = (step > 0 ? *number - 1 - start : start) / std::abs(step) + 1;
      attr.axes.push_back({start, random_.between(1, room), step});
    }
    std::vector<NodeId> starts;
    if (!shape.empty() && random_.chance(10)) {
      attr.dynamic_axes.push_back(0);
      starts.push_back(leaf(DType::Int64, {}));
    }
    return b_.slice(inner, std::move(attr), starts);
  }

  Made concat(NodeId inner, int axis) {
    const Node node = graph_[inner];
    if (node.rank() == 0) {
      return std::nullopt;
    }
    std::vector<NodeId> parts = {inner};
    for (int64_t i = random_.below(3); i > 0; --i) {
      const bool constant = node.op == Op::Const && random_.chance(80);
      const NodeId more = constant ? inner : leaf(node.dtype, node.shape);
      parts.push_back(more);
    }
    NodeId joined = b_.concat(parts, axis);
    if (random_.chance(50)) {
      const std::array outer = {joined, leaf(node.dtype, node.shape)};
      joined = b_.concat(outer, axis);
    }
    return joined;
  }

  Made reduce(NodeId inner) {
    const Node node = graph_[inner];
    const bool nested = node.op == Op::Reduce;
    ReduceOp op = random_.pick(
        {ReduceOp::Add, ReduceOp::Mul, ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or});
    op = nested ? node.get<air::ReduceAttr>().op : op;
    if (is_float(node.dtype) && (op == ReduceOp::And || op == ReduceOp::Or)) {
      op = ReduceOp::Max;
    }
    std::vector<int> axes;
    for (int i = 0; i < node.rank(); ++i) {
      if (random_.chance(60)) {
        axes.push_back(i);
      }
    }
    return axes.empty() ? std::nullopt : Made(b_.reduce(op, inner, axes));
  }

  Made source(Op op, const Shape& shape) {
    if (op == Op::Iota) {
      return shape.empty()
                 ? std::nullopt
                 : Made(b_.iota(
                       shape, static_cast<int>(random_.below(static_cast<int64_t>(shape.size())))));
    }
    return graph_.add({Op::DimValue, DType::Int64, {}, {}, air::DimAttr{random_size()}}, Span{});
  }

  RandomSource random_;
  air::Graph graph_;
  Builder b_;
  std::map<std::string, int64_t> symbols_;
  Environment env_;
  DType dtype_ = DType::Float32;
  Shape shape_;
  std::array<NodeId, kSlots> bound_{};
  Made root_;
};

/// What became of one left side.
struct Outcome {
  bool fired = false;
  std::optional<std::string> difference;
  DType dtype = DType::Float32;
};

std::string rule_text(const RuleSet& alone) {
  return alone.rules()[0].lhs.to_string();
}

Outcome try_rule(const RuleSet& alone, Instance& instance) {
  air::Graph after;
  Rewriter rewriter(after, {&alone});
  std::vector<NodeId> map;
  const air::Graph& before = instance.graph();
  for (uint32_t i = 0; i < before.size(); ++i) {
    Node node = before[NodeId{i}];
    for (NodeId& input : node.inputs) {
      input = map[input.index];
    }
    map.push_back(rewriter.make(std::move(node)));
  }
  const NodeId root = before.outputs[0].node;
  after.outputs = {{"y", map[root.index]}};
  after.symbols = before.symbols;
  Outcome outcome;
  outcome.fired = !rewriter.hits().empty();
  outcome.dtype = before[root].dtype;
  if (!outcome.fired) {
    return outcome;
  }
  verify(after);
  const auto bounds = testing::error_bounds(before, instance.env());
  const Array expected = air::evaluate(before, instance.env())[0];
  const Array actual = air::evaluate(after, instance.env())[0];
  const bool free_sign = rule_text(alone).find("max(") != std::string::npos ||
                         rule_text(alone).find("min(") != std::string::npos;
  outcome.difference = testing::difference(
      expected, actual, bounds[0], free_sign ? testing::ZeroSign::Free : testing::ZeroSign::Kept);
  if (outcome.difference) {
    *outcome.difference += "\nbefore:\n" + print(before) + "after:\n" + print(after);
  }
  return outcome;
}

struct RuleCase {
  const RuleSet* table;
  const Rule* rule;
};

std::vector<RuleCase> every_rule() {
  std::vector<RuleCase> out;
  for (const RuleSet* table : rules::all()) {
    for (const Rule& rule : table->rules()) {
      out.push_back({table, &rule});
    }
  }
  return out;
}

class RuleTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(RuleTest, KeepsTheNumbers) {
  const Rule& rule = *GetParam().rule;
  const RuleSet alone("alone", {rule});
  int fired = 0;
  std::set<DType> dtypes;
  for (uint64_t seed = 1; seed <= 20000 && fired < 60; ++seed) {
    Instance instance(seed * 1000003, rule.lhs);
    if (!instance) {
      continue;
    }
    const Outcome outcome = try_rule(alone, instance);
    ASSERT_FALSE(outcome.difference)
        << rule.name << ", seed " << seed << ": " << *outcome.difference;
    fired += outcome.fired ? 1 : 0;
    if (outcome.fired) {
      dtypes.insert(outcome.dtype);
    }
  }
  EXPECT_GE(fired, 20) << rule.name << " hardly ever fires";
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleTest, ::testing::ValuesIn(every_rule()), [](const auto& row) {
  std::string name = row.param.rule->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Rules, WrongRulesAreFound) {
  using namespace names;
  const std::vector<Rule> wrong = {
      {"mul-zero", x * 0, 0},           {"sub-same", x - x, 0},
      {"div-same", x / x, 1},           {"add-zero", x + 0, x},
      {"neg-sub", -(x - y), y - x},     {"add-reassociate", (x + c0) + c1, x + fold(c0 + c1)},
      {"eq-same", of(Op::Eq, x, x), 1}, {"log-exp", of(Op::Log, of(Op::Exp, x)), x},
  };
  for (const Rule& rule : wrong) {
    const RuleSet alone("alone", {rule});
    bool found = false;
    for (uint64_t seed = 1; seed <= 5000 && !found; ++seed) {
      Instance instance(seed * 1000003, rule.lhs);
      found = instance && try_rule(alone, instance).difference;
    }
    EXPECT_TRUE(found) << rule.name;
  }
}

TEST(Rules, NamesAreUniqueAndListed) {
  std::set<std::string> names;
  for (const RuleRow& row : list_rules(rules::all())) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.lhs.empty() || row.rhs.empty()) << row.name;
  }
}

TEST(Rules, ALoopAmongRulesIsAnInternalErrorThatNamesThem) {
  using namespace names;
  const RuleSet loop("loop", {{"there", x + y, x - y}, {"back", x - y, x + y}});
  air::Graph graph;
  Builder b(graph);
  const NodeId a = b.input("a", DType::Int32, {});
  const NodeId c = b.input("c", DType::Int32, {});
  Rewriter rewriter(graph, {&loop});
  try {
    rewriter.elementwise(Op::Add, {a, c});
    ADD_FAILURE() << "no error";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("`back`"), std::string::npos) << error.what();
  }
}

TEST(Rules, EachFiringIsTracedAndCounted) {
  air::Graph graph;
  Builder b(graph);
  const NodeId a = b.input("a", DType::Int32, {});
  const NodeId zero = b.constant(Scalar::of_int(DType::Int32, 0));
  Rewriter rewriter(graph, rules::all());
  std::vector<std::string> traced;
  rewriter.trace = [&](const Rule& rule, const Node&) { traced.push_back(rule.name); };
  EXPECT_EQ(rewriter.elementwise(Op::Add, {zero, a}), a);
  EXPECT_EQ(traced, std::vector<std::string>{"add-zero"});
  ASSERT_EQ(rewriter.hits().size(), 1U);
  EXPECT_EQ(rewriter.hits()[0].count, 1U);
}

TEST(Rules, PatternsMatchCommutativeOpsInAllOrders) {
  using namespace names;
  air::Graph graph;
  Builder b(graph);
  const NodeId p = b.input("p", DType::Int32, {});
  const NodeId q = b.input("q", DType::Int32, {});
  const NodeId difference = b.binary(Op::Sub, p, q);
  const Node left{Op::Add, DType::Int32, {}, {difference, q}, air::NoAttr{}};
  const Node right{Op::Add, DType::Int32, {}, {q, difference}, air::NoAttr{}};
  const Pat pattern = (x - y) + y;
  for (const Node& node : {left, right}) {
    Match match{graph, node, {}};
    ASSERT_TRUE(matches(pattern, match));
    EXPECT_EQ(match[x], p);
    EXPECT_EQ(match[y], q);
  }
  const Node other{Op::Add, DType::Int32, {}, {difference, p}, air::NoAttr{}};
  Match match{graph, other, {}};
  EXPECT_FALSE(matches(pattern, match));
}

}  // namespace
}  // namespace caten::rewrite
