// Grows a graph step by step: each step picks a kind of node and operands that fit, or makes
// operands fit by casts and movement. Sizes are compared by their concrete values, so relations
// that the builder leaves to the entry hold.
#include "tests/support/random_graph.h"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <vector>

#include "ir/air/builder.h"
#include "ir/support/check.h"
#include "tests/support/random_source.h"

namespace caten::testing {
namespace {

using air::NodeId;
using air::Op;

constexpr std::array kAllDTypes = {
#define CATEN_DTYPE(name, text, cls, bytes, c_type) DType::name,
#include "ir/dtypes.def"
#undef CATEN_DTYPE
};

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

class Generator {
 public:
  Generator(uint64_t seed, const RandomGraphOptions& options)
      : random_(seed), options_(options), builder_(program_.graph) {
    program_.seed = seed;
  }

  RandomProgram run() {
    program_.environment.symbols = {{"n", random_.between(0, 6)}, {"m", random_.between(1, 9)}};
    for (int64_t i = random_.between(1, 3); i > 0; --i) {
      keep(leaf(random_shape(), random_.pick(std::span<const DType>(kAllDTypes))));
    }
    for (int step = 0; step < options_.nodes; ++step) {
      this->step();
    }
    choose_outputs();
    return std::move(program_);
  }

 private:
  using Step = void (Generator::*)();
  struct Weighted {
    int weight;
    Step step;
  };

  void step();
  void choose_outputs();

  // One kind of step each.
  void new_leaf() { keep(leaf(random_shape(), random_dtype())); }
  void unary();
  void binary();
  void where();
  void cast() { keep(builder_.cast(any(), random_dtype())); }
  void bitcast();
  void reshape();
  void permute();
  void expand();
  void slice();
  void pad();
  void concat();
  void reduce();
  void arg_reduce();
  void gather();
  void take_along();
  void scatter();
  void scan();
  void sort();
  void assign();

  NodeId leaf(const Shape& shape, DType dtype);
  NodeId fit(NodeId x, const Shape& shape, DType dtype);
  NodeId without_nan(NodeId x);
  NodeId indices(NodeId raw, const Dim& size);
  std::optional<std::pair<NodeId, int>> line();
  Shape random_shape();
  Dim random_size();
  air::SliceAxis random_slice(const Dim& size);
  DType random_dtype() { return random_.pick(std::span<const DType>(kAllDTypes)); }
  NodeId any() { return pool_[static_cast<size_t>(random_.below(pool_size()))]; }
  /// A node that `wanted` accepts, if a few tries find one.
  template <typename Wanted>
  std::optional<NodeId> find(Wanted wanted) {
    for (int i = 0; i < 8; ++i) {
      NodeId id = any();
      if (wanted(node(id))) {
        return id;
      }
    }
    return std::nullopt;
  }
  void keep(NodeId id) { pool_.push_back(id); }
  int64_t pool_size() const { return static_cast<int64_t>(pool_.size()); }
  const air::Node& node(NodeId id) const { return program_.graph[id]; }

  int64_t value(const Dim& dim) const {
    std::optional<int64_t> result =
        dim.evaluate([this](std::string_view name) -> std::optional<int64_t> {
          return program_.environment.symbols.at(std::string(name));
        });
    CATEN_CHECK(result.has_value(), "size {} has no value", dim.to_string());
    return *result;
  }
  std::vector<int64_t> values(const Shape& shape) const {
    std::vector<int64_t> result;
    for (const Dim& size : shape) {
      result.push_back(value(size));
    }
    return result;
  }
  int64_t elements(const Shape& shape) const {
    int64_t product = 1;
    for (int64_t size : values(shape)) {
      product *= size;
    }
    return product;
  }
  bool small_enough(const Shape& shape) const { return elements(shape) <= options_.elements; }

  RandomSource random_;
  const RandomGraphOptions& options_;
  RandomProgram program_;
  air::Builder builder_;
  std::vector<NodeId> pool_;      // what steps may use
  std::vector<NodeId> versions_;  // newest version of each written Param
  int inputs_ = 0;
};

void Generator::step() {
  static const std::vector<Weighted> steps = {
      {4, &Generator::new_leaf}, {18, &Generator::unary},     {24, &Generator::binary},
      {6, &Generator::where},    {10, &Generator::cast},      {3, &Generator::bitcast},
      {6, &Generator::reshape},  {6, &Generator::permute},    {6, &Generator::expand},
      {7, &Generator::slice},    {5, &Generator::pad},        {4, &Generator::concat},
      {12, &Generator::reduce},  {3, &Generator::arg_reduce}, {4, &Generator::gather},
      {2, &Generator::assign},   {3, &Generator::take_along}, {5, &Generator::scatter},
      {5, &Generator::scan},     {3, &Generator::sort},
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

void Generator::choose_outputs() {
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

Dim Generator::random_size() {
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

Shape Generator::random_shape() {
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

NodeId Generator::leaf(const Shape& shape, DType dtype) {
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
NodeId Generator::fit(NodeId x, const Shape& shape, DType dtype) {
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
    } else if (elements(node(x).shape) == elements(shape)) {
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

void Generator::unary() {
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

void Generator::binary() {
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

void Generator::where() {
  NodeId a = any();
  NodeId b = fit(any(), node(a).shape, node(a).dtype);
  NodeId condition = fit(any(), node(a).shape, DType::Bool);
  keep(builder_.where(condition, a, b));
}

/// NaNs differ in their bits between targets; 0 in their place.
NodeId Generator::without_nan(NodeId x) {
  const air::Node& source = node(x);
  NodeId zero = builder_.constant(Scalar::of_double(source.dtype, 0.0), source.shape);
  return builder_.where(builder_.binary(Op::Eq, x, x), x, zero);
}

void Generator::bitcast() {
  NodeId x = any();
  DType to = random_dtype();
  if (size_of(to) != size_of(node(x).dtype)) {
    return;
  }
  keep(builder_.bitcast(is_float(node(x).dtype) ? without_nan(x) : x, to));
}

void Generator::reshape() {
  NodeId x = any();
  Shape shape = node(x).shape;
  switch (random_.below(4)) {
    case 0:  // flatten
      shape = {element_count(shape)};
      break;
    case 1:  // a new axis of size 1
      shape.insert(shape.begin() + random_.below(static_cast<int64_t>(shape.size()) + 1), Dim(1));
      break;
    case 2:  // join two neighbours
      if (shape.size() >= 2) {
        int64_t at = random_.below(static_cast<int64_t>(shape.size()) - 1);
        shape[static_cast<size_t>(at)] =
            shape[static_cast<size_t>(at)] * shape[static_cast<size_t>(at) + 1];
        shape.erase(shape.begin() + at + 1);
      }
      break;
    default:  // split an even axis, with the 2 on either side
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        std::optional<int64_t> size = shape[axis].constant();
        if (size && *size % 2 == 0 && *size > 0) {
          bool outer = random_.chance(50);
          shape[axis] = outer ? Dim(2) : Dim(*size / 2);
          shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                       outer ? Dim(*size / 2) : Dim(2));
          break;
        }
      }
  }
  if (shape.size() <= 6) {
    keep(builder_.reshape(x, shape));
  }
}

void Generator::permute() {
  NodeId x = any();
  std::vector<int> order;
  for (int axis = 0; axis < node(x).rank(); ++axis) {
    order.insert(order.begin() + random_.below(static_cast<int64_t>(order.size()) + 1), axis);
  }
  keep(builder_.permute(x, order));
}

void Generator::expand() {
  NodeId x = any();
  Shape shape = node(x).shape;
  bool has_one = false;
  for (const Dim& size : shape) {
    has_one = has_one || size.is(1);
  }
  if (!has_one) {
    shape.insert(shape.begin() + random_.below(static_cast<int64_t>(shape.size()) + 1), Dim(1));
    x = builder_.reshape(x, shape);
  }
  for (Dim& size : shape) {
    if (size.is(1) && random_.chance(80)) {
      size = random_size();
    }
  }
  if (small_enough(shape) && shape.size() <= 6) {
    keep(builder_.expand(x, shape));
  }
}

air::SliceAxis Generator::random_slice(const Dim& size) {
  if (random_.chance(20)) {
    return {size - Dim(1), size, -1};  // reversed
  }
  int64_t extent = value(size);
  if (random_.chance(30) || extent == 0) {
    return {Dim(0), size, 1};
  }
  // By value: where the size is symbolic, that the slice fits becomes an entry check.
  int64_t step = random_.pick({1, 1, 1, 2, 3, -1, -2});
  int64_t start = random_.below(extent);
  int64_t room = step > 0 ? extent - 1 - start : start;
  int64_t count = random_.between(random_.chance(5) ? 0 : 1, room / (step > 0 ? step : -step) + 1);
  return {Dim(start), Dim(count), step};
}

void Generator::slice() {
  NodeId x = any();
  air::SliceAttr attr;
  std::vector<NodeId> starts;
  for (int axis = 0; axis < node(x).rank(); ++axis) {
    const Dim size = node(x).shape[static_cast<size_t>(axis)];
    if (random_.chance(8) && value(size) > 0) {
      // A start known at run time only; the size leaves it some room.
      attr.axes.push_back({Dim(0), Dim(random_.between(1, value(size))), 1});
      attr.dynamic_axes.push_back(axis);
      starts.push_back(builder_.cast(fit(any(), {}, DType::Int8), DType::Int64));
    } else {
      attr.axes.push_back(random_slice(size));
    }
  }
  keep(builder_.slice(x, attr, starts));
}

void Generator::pad() {
  NodeId x = any();
  std::vector<Dim> lo;
  std::vector<Dim> hi;
  Shape padded;
  for (const Dim& size : node(x).shape) {
    lo.emplace_back(random_.pick({0, 0, 1, 2}));
    hi.push_back(random_.chance(10) && options_.symbols ? Dim::symbol("n")
                                                        : Dim(random_.pick({0, 0, 1, 3})));
    padded.push_back(size + lo.back() + hi.back());
  }
  if (small_enough(padded)) {
    Scalar fill = random_array(random_.bits(), node(x).dtype, {}, options_.wild_values).at(0);
    keep(builder_.pad(x, lo, hi, fill));
  }
}

void Generator::concat() {
  NodeId first = any();
  if (node(first).rank() == 0) {
    return;
  }
  int64_t axis = random_.below(node(first).rank());
  std::vector<NodeId> parts = {first};
  Shape joined = node(first).shape;
  for (int64_t i = random_.between(1, 2); i > 0; --i) {
    Shape shape = node(first).shape;
    if (random_.chance(50)) {
      shape[static_cast<size_t>(axis)] = random_size();
    }
    joined[static_cast<size_t>(axis)] =
        joined[static_cast<size_t>(axis)] + shape[static_cast<size_t>(axis)];
    if (!small_enough(joined)) {
      return;
    }
    parts.push_back(fit(any(), shape, node(first).dtype));
  }
  keep(builder_.concat(parts, static_cast<int>(axis)));
}

void Generator::reduce() {
  NodeId x = any();
  std::vector<int> axes;
  for (int axis = 0; axis < node(x).rank(); ++axis) {
    if (random_.chance(50)) {
      axes.push_back(axis);
    }
  }
  using air::ReduceOp;
  ReduceOp op = random_.pick({ReduceOp::Add, ReduceOp::Add, ReduceOp::Add, ReduceOp::Mul,
                              ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or});
  bool bitwise = op == ReduceOp::And || op == ReduceOp::Or;
  keep(builder_.reduce(bitwise && is_float(node(x).dtype) ? ReduceOp::Max : op, x, axes));
}

void Generator::arg_reduce() {
  NodeId x = any();
  if (node(x).rank() > 0) {
    keep(builder_.arg_reduce(random_.chance(50), x,
                             static_cast<int>(random_.below(node(x).rank()))));
  }
}

void Generator::gather() {
  std::optional<NodeId> x = find([&](const air::Node& candidate) { return candidate.rank() > 0; });
  if (!x) {
    return;
  }
  int64_t axis = random_.below(node(*x).rank());
  const Dim size = node(*x).shape[static_cast<size_t>(axis)];
  if (value(size) == 0) {
    return;
  }
  NodeId raw = any();
  Shape shape = node(raw).shape;
  Shape result = node(*x).shape;
  result.erase(result.begin() + axis);
  result.insert(result.end(), shape.begin(), shape.end());
  if (!small_enough(result) || result.size() > 6) {
    return;
  }
  keep(builder_.gather(*x, indices(raw, size), static_cast<int>(axis)));
}

/// What `raw` holds, folded into the indices of an axis of this size, some counted from the end.
NodeId Generator::indices(NodeId raw, const Dim& size) {
  const Shape shape = node(raw).shape;
  DType dtype =
      is_int(node(raw).dtype) && size_of(node(raw).dtype) >= 4 ? node(raw).dtype : DType::Int64;
  auto splat = [&](NodeId scalar) {
    NodeId cast = builder_.cast(scalar, dtype);
    return shape.empty()
               ? cast
               : builder_.expand(builder_.reshape(cast, Shape(shape.size(), Dim(1))), shape);
  };
  NodeId extent = splat(builder_.dim(size));
  NodeId index = builder_.binary(Op::Mod, builder_.cast(raw, dtype), extent);
  if (is_signed(dtype) && random_.chance(50)) {
    NodeId negative = builder_.binary(Op::Sub, index, extent);
    index = builder_.where(fit(any(), shape, DType::Bool), index, negative);
  }
  return index;
}

/// Node `x` and an axis of it that is not empty.
std::optional<std::pair<NodeId, int>> Generator::line() {
  const std::optional<NodeId> x = find([&](const air::Node& n) { return n.rank() > 0; });
  if (!x) {
    return std::nullopt;
  }
  const auto axis = static_cast<int>(random_.below(node(*x).rank()));
  if (value(node(*x).shape[static_cast<size_t>(axis)]) == 0) {
    return std::nullopt;
  }
  return std::pair(*x, axis);
}

void Generator::take_along() {
  if (const auto found = line()) {
    const auto [x, axis] = *found;
    Shape shape = node(x).shape;
    const Dim size = shape[static_cast<size_t>(axis)];
    shape[static_cast<size_t>(axis)] = random_size();
    if (small_enough(shape)) {
      keep(builder_.take_along(x, indices(fit(any(), shape, DType::Int64), size), axis));
    }
  }
}

void Generator::scatter() {
  if (const auto found = line()) {
    const auto [x, axis] = *found;
    using air::ScatterMode;
    const air::ScatterAttr attr{
        random_.pick({ScatterMode::Set, ScatterMode::Set, ScatterMode::Add, ScatterMode::Mul,
                      ScatterMode::Max, ScatterMode::Min}),
        axis, random_.chance(50)};
    const Dim size = node(x).shape[static_cast<size_t>(axis)];
    Shape index_shape;
    if (attr.along) {
      index_shape = node(x).shape;
      index_shape[static_cast<size_t>(axis)] = random_size();
    } else {
      index_shape = node(any()).shape;
    }
    const Shape shape =
        attr.along ? index_shape : air::taken_shape(node(x).shape, index_shape, axis);
    if (small_enough(shape) && shape.size() <= 6) {
      const NodeId at = indices(fit(any(), index_shape, DType::Int64), size);
      const NodeId updates = fit(any(), shape, node(x).dtype);
      keep(builder_.scatter(x, at, updates, attr));
    }
  }
}

void Generator::scan() {
  if (const auto found = line()) {
    using air::ReduceOp;
    const ReduceOp op = random_.pick(
        {ReduceOp::Add, ReduceOp::Add, ReduceOp::Mul, ReduceOp::Max, ReduceOp::Min, ReduceOp::Or});
    const bool bitwise = op == ReduceOp::Or && is_float(node(found->first).dtype);
    keep(builder_.scan(bitwise ? ReduceOp::Add : op, found->first, found->second));
  }
}

void Generator::sort() {
  const std::optional<NodeId> x = find([&](const air::Node& n) { return n.rank() > 0; });
  if (x) {
    keep(builder_.sort(*x, static_cast<int>(random_.below(node(*x).rank())), random_.chance(50)));
  }
}

void Generator::assign() {
  if (versions_.empty()) {
    return;
  }
  size_t which = static_cast<size_t>(random_.below(static_cast<int64_t>(versions_.size())));
  NodeId base = versions_[which];
  air::SliceAttr attr;
  Shape place;
  for (const Dim& size : node(base).shape) {
    attr.axes.push_back(random_slice(size));
    place.push_back(attr.axes.back().size);
  }
  NodeId value = fit(any(), place, node(base).dtype);
  versions_[which] = builder_.assign(base, value, attr);
  keep(versions_[which]);
}

}  // namespace

RandomProgram random_program(uint64_t seed, const RandomGraphOptions& options) {
  RandomProgram program = Generator(seed, options).run();
  air::verify(program.graph);
  return program;
}

}  // namespace caten::testing
