// Graph interning, hashing and the op table.
#include "ir/air/air.h"

#include <array>

#include "ir/support/overloaded.h"

namespace caten::air {
namespace {

constexpr std::array kOps = {
#define AIR_OP(name, text, arity, cls, attr, traits) \
  OpInfo{text, arity, OpClass::cls, static_cast<uint32_t>(traits)},
#include "ir/air/ops.def"
#undef AIR_OP
};

constexpr size_t mix(size_t seed, size_t value) {
  return (seed ^ value) * 0x9E3779B97F4A7C15ULL + (seed >> 31U);
}

size_t hash_shape(size_t seed, const Shape& shape) {
  for (const Dim& dim : shape) {
    seed = mix(seed, dim.hash());
  }
  return mix(seed, shape.size());
}

size_t hash_ints(size_t seed, const std::vector<int>& values) {
  for (const int value : values) {
    seed = mix(seed, static_cast<size_t>(value));
  }
  return mix(seed, values.size());
}

size_t hash_scalar(const Scalar& value) {
  return mix(static_cast<size_t>(value.dtype()), value.bits());
}

size_t hash_slice(const SliceAttr& attr) {
  size_t h = 7;
  for (const SliceAxis& axis : attr.axes) {
    h = mix(mix(mix(h, axis.start.hash()), axis.size.hash()), static_cast<size_t>(axis.step));
  }
  return hash_ints(h, attr.dynamic_axes);
}

}  // namespace

const OpInfo& info(Op op) {
  return kOps[static_cast<size_t>(op)];
}

namespace {
constexpr std::array<std::string_view, 6> kReduceOps = {"add", "mul", "max", "min", "and", "or"};
constexpr std::array<std::string_view, 5> kScatterModes = {"set", "add", "mul", "max", "min"};
}  // namespace

std::string_view name(ReduceOp op) {
  return kReduceOps[static_cast<size_t>(op)];
}

std::optional<ReduceOp> reduce_op_from_name(std::string_view text) {
  for (size_t i = 0; i < kReduceOps.size(); ++i) {
    if (kReduceOps[i] == text) {
      return static_cast<ReduceOp>(i);
    }
  }
  return std::nullopt;
}

std::string_view name(ScatterMode mode) {
  return kScatterModes[static_cast<size_t>(mode)];
}

std::optional<ScatterMode> scatter_mode_from_name(std::string_view text) {
  for (size_t i = 0; i < kScatterModes.size(); ++i) {
    if (kScatterModes[i] == text) {
      return static_cast<ScatterMode>(i);
    }
  }
  return std::nullopt;
}

Op elementwise(ReduceOp op) {
  constexpr std::array kOps = {Op::Add, Op::Mul, Op::Max, Op::Min, Op::And, Op::Or};
  return kOps[static_cast<size_t>(op)];
}

std::optional<Op> elementwise(ScatterMode mode) {
  switch (mode) {
    case ScatterMode::Set:
      return std::nullopt;
    case ScatterMode::Add:
      return Op::Add;
    case ScatterMode::Mul:
      return Op::Mul;
    case ScatterMode::Max:
      return Op::Max;
    case ScatterMode::Min:
      return Op::Min;
  }
  CATEN_UNREACHABLE("no scatter mode {}", static_cast<int>(mode));
}

std::optional<Op> op_from_name(std::string_view text) {
  for (size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i].name == text) {
      return static_cast<Op>(i);
    }
  }
  return std::nullopt;
}

Attr default_attr(Op op) {
  switch (op) {
#define AIR_OP(name, text, arity, cls, attr, traits) \
  case Op::name:                                     \
    return attr{};
#include "ir/air/ops.def"
#undef AIR_OP
  }
  CATEN_UNREACHABLE("no op {}", static_cast<int>(op));
}

int op_count() {
  return static_cast<int>(kOps.size());
}

size_t hash(const Attr& attr) {
  const size_t h = std::visit(
      Overloaded{
          [](const NoAttr&) { return size_t{1}; },
          [](const ConstAttr& a) { return hash_scalar(a.value); },
          [](const InputAttr& a) { return std::hash<std::string>()(a.name); },
          [](const ParamAttr& a) {
            return mix(std::hash<std::string>()(a.name), static_cast<size_t>(a.storage));
          },
          [](const DimAttr& a) { return a.value.hash(); },
          [](const AxisAttr& a) { return static_cast<size_t>(a.axis); },
          [](const ShapeAttr& a) { return hash_shape(2, a.shape); },
          [](const PermuteAttr& a) { return hash_ints(3, a.order); },
          [](const SliceAttr& a) { return hash_slice(a); },
          [](const PadAttr& a) {
            return mix(hash_shape(hash_shape(4, a.lo), a.hi), hash_scalar(a.value));
          },
          [](const ReduceAttr& a) { return hash_ints(static_cast<size_t>(a.op), a.axes); },
          [](const ArgReduceAttr& a) {
            return static_cast<size_t>(a.axis) * 2 + (a.max ? 1U : 0U);
          },
          [](const ScatterAttr& a) {
            return mix(static_cast<size_t>(a.mode),
                       static_cast<size_t>(a.axis) * 2 + (a.along ? 1U : 0U));
          },
          [](const ScanAttr& a) {
            return mix(static_cast<size_t>(a.op), static_cast<size_t>(a.axis));
          },
          [](const SortAttr& a) {
            return static_cast<size_t>(a.axis) * 2 + (a.descending ? 1U : 0U);
          },
      },
      attr);
  return mix(h, attr.index());
}

size_t hash(const Node& node) {
  size_t h = mix(static_cast<size_t>(node.op), static_cast<size_t>(node.dtype));
  h = hash_shape(h, node.shape);
  for (const NodeId input : node.inputs) {
    h = mix(h, input.index);
  }
  return mix(h, hash(node.attr));
}

Shape taken_shape(const Shape& from, const Shape& indices, int axis) {
  const auto at = static_cast<std::ptrdiff_t>(axis);
  Shape shape(from.begin(), from.begin() + at);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), from.begin() + at + 1, from.end());
  return shape;
}

NodeId Graph::add(Node node, Span span) {
  const size_t h = hash(node);
  const auto [begin, end] = interned_.equal_range(h);
  for (auto it = begin; it != end; ++it) {
    if (nodes_[it->second] == node) {
      return NodeId{it->second};
    }
  }
  const NodeId id{size()};
  for (const NodeId input : node.inputs) {
    CATEN_CHECK(input.index < id.index, "input {} of a new `{}` is not in the graph", input.index,
                name(node.op));
  }
  nodes_.push_back(std::move(node));
  spans_.push_back(span);
  labels_.emplace_back();
  interned_.emplace(h, id.index);
  return id;
}

void Graph::set_label(NodeId id, std::string label) {
  labels_[id.index] = std::move(label);
}

std::vector<bool> live_nodes(const Graph& graph) {
  std::vector<bool> live(graph.size(), false);
  for (const Output& output : graph.outputs) {
    live[output.node.index] = true;
  }
  for (uint32_t i = graph.size(); i-- > 0;) {
    const Node& node = graph[NodeId{i}];
    if (live[i] || node.op == Op::Assign) {
      live[i] = true;
      for (const NodeId input : node.inputs) {
        live[input.index] = true;
      }
    }
  }
  return live;
}

}  // namespace caten::air
