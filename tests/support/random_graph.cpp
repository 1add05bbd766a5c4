// Grows a graph step by step: each step picks a kind of node and operands that fit, or makes
// operands fit by casts and movement. Sizes are compared by their concrete values, so relations
// that the builder leaves to the entry hold.
#include "tests/support/random_graph.h"

#include <fmt/core.h>

#include "tests/support/random_graph_generator.h"

namespace caten::testing {

std::vector<Op> ops_of(air::OpClass cls) {
  std::vector<Op> ops;
  for (int i = 0; i < air::op_count(); ++i) {
    auto op = static_cast<Op>(i);
    if (air::info(op).cls == cls && !air::info(op).has(air::kResultTyped)) {
      ops.push_back(op);
    }
  }
  return ops;
}

void GraphGenerator::step() {
  static const std::vector<Weighted> steps = {
      {4, &GraphGenerator::new_leaf},   {18, &GraphGenerator::unary},
      {24, &GraphGenerator::binary},    {6, &GraphGenerator::where},
      {10, &GraphGenerator::cast},      {3, &GraphGenerator::bitcast},
      {6, &GraphGenerator::reshape},    {6, &GraphGenerator::permute},
      {6, &GraphGenerator::expand},     {7, &GraphGenerator::slice},
      {5, &GraphGenerator::pad},        {4, &GraphGenerator::concat},
      {12, &GraphGenerator::reduce},    {3, &GraphGenerator::arg_reduce},
      {4, &GraphGenerator::gather},     {2, &GraphGenerator::assign},
      {3, &GraphGenerator::take_along}, {5, &GraphGenerator::scatter},
      {5, &GraphGenerator::scan},       {3, &GraphGenerator::sort},
  };
  int total = 0;
  for (const Weighted& weighted : steps) {
    total += weighted.weight;
  }
  int64_t at = random_.below(total);
  for (const Weighted& weighted : steps) {
    at -= weighted.weight;
    if (at < 0) {
      (this->*weighted.step)();
      return;
    }
  }
}

void GraphGenerator::choose_outputs() {
  auto output = [&](NodeId id) {
    program_.graph.outputs.push_back({fmt::format("out{}", program_.graph.outputs.size()), id});
  };
  output(pool_.back());
  for (int64_t i = random_.below(3); i > 0; --i) {
    output(any());
  }
}

Dim random_constant_size(RandomSource& random) {
  static constexpr std::array<int64_t, 14> kSizes = {1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 17, 33};
  return random.chance(3) ? Dim(0) : Dim(random.pick(std::span<const int64_t>(kSizes)));
}

Dim GraphGenerator::random_size() {
  if (!options_.symbols || random_.chance(65)) {
    return random_constant_size(random_);
  }
  Dim n = Dim::symbol("n");
  Dim m = Dim::symbol("m");
  switch (random_.below(7)) {
    case 0:
      return n;
    case 1:
      return n + 1;
    case 2:
      return m * 2;
    case 3:
      return n + m;
    case 4:
      return Dim::ceil_div(m, 2);
    default:
      return m;
  }
}

Shape GraphGenerator::random_shape() {
  for (;;) {
    Shape shape;
    for (int64_t rank = random_.pick({0, 1, 1, 2, 2, 2, 3, 3, 4}); rank > 0; --rank) {
      shape.push_back(random_size());
    }
    if (small_enough(shape)) {
      return shape;
    }
  }
}

NodeId GraphGenerator::leaf(Shape shape, DType dtype) {
  int kind = static_cast<int>(random_.below(10));
  if (kind == 0 && !shape.empty()) {
    NodeId iota =
        builder_.iota(shape, static_cast<int>(random_.below(static_cast<int64_t>(shape.size()))));
    return builder_.cast(iota, dtype);
  }
  if (kind == 1) {
    return builder_.constant(random_array(random_.bits(), dtype, {}, options_.wild_values).at(0),
                             shape);
  }
  if (kind == 2 && shape.empty()) {
    return builder_.cast(builder_.dim(random_size()), dtype);
  }
  air::Array data = random_array(random_.bits(), dtype, values(shape), options_.wild_values);
  if (kind <= 4) {
    int storage = static_cast<int>(program_.environment.params.size());
    program_.environment.params.emplace(storage, std::move(data));
    NodeId param = builder_.param(fmt::format("p{}", storage), storage, dtype, shape);
    if (options_.assigns) {
      versions_.push_back(param);
    }
    return param;
  }
  std::string name = fmt::format("x{}", inputs_++);
  program_.environment.inputs.emplace(name, std::move(data));
  return builder_.input(name, dtype, shape);
}

/// `x` made to have this shape and dtype where movement can do it, else something new.
NodeId GraphGenerator::fit(NodeId x, Shape shape, DType dtype) {
  std::vector<int64_t> have = values(node(x).shape);
  std::vector<int64_t> want = values(shape);
  if (have != want) {
    bool broadcasts = have.size() == want.size();
    for (size_t i = 0; i < have.size() && broadcasts; ++i) {
      broadcasts = node(x).shape[i].is(1) || have[i] == want[i];
    }
    if (broadcasts) {
      x = builder_.expand(x, shape);
    } else if (have.empty() || elements(node(x).shape) == 1) {
      x = builder_.expand(builder_.reshape(x, Shape(shape.size(), Dim(1))), shape);
    } else if (elements(node(x).shape) == elements(shape) &&
               (elements(shape) != 0 || element_count(node(x).shape) == element_count(shape))) {
      // Not from (2 n) to (3 n), which fits only where n is 0: gcc warns of loops that never run.
      x = builder_.reshape(x, shape);
    } else {
      x = leaf(shape, dtype);
    }
  }
  return node(x).dtype == dtype ? x : builder_.cast(x, dtype);
}

bool takes(Op op, DType dtype) {
  const air::OpInfo& op_info = air::info(op);
  if (op_info.has(air::kFloatOnly)) {
    return is_float(dtype);
  }
  if (op_info.has(air::kIntOnly) && is_float(dtype)) {
    return false;
  }
  bool refuses_bool = op == Op::Neg || op == Op::Sub || op == Op::Idiv || op == Op::Mod ||
                      op == Op::Rem || op == Op::Shl || op == Op::Shr;
  return dtype != DType::Bool || !refuses_bool;
}

void GraphGenerator::unary() {
  static const std::vector<Op> ops = ops_of(air::OpClass::Unary);
  Op op = random_.pick(std::span<const Op>(ops));
  NodeId x = find([&](const air::Node& candidate) {
               return takes(op, candidate.dtype);
             }).value_or(pool_.back());
  if (!takes(op, node(x).dtype)) {
    x = builder_.cast(x, air::info(op).has(air::kFloatOnly) ? DType::Float32 : DType::Int32);
  }
  keep(builder_.unary(op, x));
}

void GraphGenerator::binary() {
  static const std::vector<Op> ops = ops_of(air::OpClass::Binary);
  Op op = random_.pick(std::span<const Op>(ops));
  NodeId a = find([&](const air::Node& candidate) {
               return takes(op, candidate.dtype);
             }).value_or(pool_.back());
  if (!takes(op, node(a).dtype)) {
    a = builder_.cast(a, air::info(op).has(air::kFloatOnly) ? DType::Float64 : DType::UInt8);
  }
  NodeId b = fit(any(), node(a).shape, node(a).dtype);
  keep(random_.chance(50) ? builder_.binary(op, a, b) : builder_.binary(op, b, a));
}

void GraphGenerator::where() {
  NodeId a = any();
  NodeId b = fit(any(), node(a).shape, node(a).dtype);
  NodeId condition = fit(any(), node(a).shape, DType::Bool);
  keep(builder_.where(condition, a, b));
}

/// NaNs differ in their bits between targets; 0 in their place.
NodeId GraphGenerator::without_nan(NodeId x) {
  const air::Node& source = node(x);
  NodeId zero = builder_.constant(Scalar::of_double(source.dtype, 0.0), source.shape);
  return builder_.where(builder_.binary(Op::Eq, x, x), x, zero);
}

void GraphGenerator::bitcast() {
  NodeId x = any();
  DType to = random_dtype();
  if (size_of(to) != size_of(node(x).dtype)) {
    return;
  }
  keep(builder_.bitcast(is_float(node(x).dtype) ? without_nan(x) : x, to));
}

RandomProgram random_program(uint64_t seed, const RandomGraphOptions& options) {
  RandomProgram program = GraphGenerator(seed, options).run();
  air::verify(program.graph);
  return program;
}

}  // namespace caten::testing
