// Ops that read or write at indices, and sorting.
#include <algorithm>

#include "codegen/schedule/walker.h"

namespace caten::schedule {

using air::Node;
using air::Op;

bool is_always_stored(Op op) {
  const air::OpClass cls = air::info(op).cls;
  return cls == air::OpClass::Reduce || cls == air::OpClass::Ordered ||
         cls == air::OpClass::Effect || op == Op::Scatter;
}

namespace {

/// Whether `count` indices into an axis of `extent` elements read some of them more than once. As
/// many indices as there are elements are mostly permutations.
bool repeats_elements(const Dim& count, const Dim& extent) {
  return !count.is(1) && (extent - count).lower_bound().value_or(-1) < 0;
}

}  // namespace

ValueId Walker::bind_index(StatementId statement, NodeId node, ValueId index, ExprId extent,
                           const Guard& guard) {
  const index::IndexCheck check =
      is_position(index, extent) ? index::IndexCheck::Known : index::IndexCheck::Checked;
  return bind(statement, node, index, extent, pool_.constant(0), check, guard);
}

/// Whether the value is a position that sorting or searching for an extreme gave, along as many
/// elements as are indexed.
bool Walker::is_position(ValueId index, ExprId extent) {
  NodeId id = schedule_.value(index).node;
  const auto moves = [](Op op) {
    return op == Op::Reshape || op == Op::Permute || op == Op::Expand || op == Op::Slice;
  };
  while (moves(graph_[id].op)) {
    id = graph_[id].inputs[0];
  }
  const Node& node = graph_[id];
  if (node.op != Op::Sort && node.op != Op::ArgReduce) {
    return false;
  }
  const int axis =
      node.op == Op::Sort ? node.get<air::SortAttr>().axis : node.get<air::ArgReduceAttr>().axis;
  const ExprId positions = pool_.from_dim(graph_[node.inputs[0]].shape[static_cast<size_t>(axis)]);
  return positions == extent && pool_.is_less(pool_.constant(0), extent);
}

void Walker::expand_gather(ValueId id) {
  const Value value = schedule_.value(id);
  const Node& node = graph_[value.node];
  const auto axis = static_cast<size_t>(node.get<air::AxisAttr>().axis);
  const Node& x = graph_[node.inputs[0]];
  const auto indices_rank = static_cast<size_t>(graph_[node.inputs[1]].rank());
  const auto at = [&](size_t i) { return value.tuple.begin() + static_cast<std::ptrdiff_t>(i); };
  const ValueId given =
      request(value.statement, node.inputs[1], {at(axis), at(axis + indices_rank)}, value.guard,
              value.repeats || x.rank() > 1);
  const ExprId extent = pool_.from_dim(x.shape[axis]);
  const ValueId bound = bind_index(value.statement, value.node, given, extent, value.guard);
  std::vector<ExprId> tuple(value.tuple.begin(), at(axis));
  tuple.push_back(pool_.range(schedule_.value(bound).range));
  tuple.insert(tuple.end(), at(axis + indices_rank), value.tuple.end());
  Guard guard = value.guard;
  if (!add_condition(guard, pool_.sub(extent, pool_.constant(1)))) {
    alias(id, constant(value.statement, value.node, Scalar::of_int(node.dtype, 0)));
  } else {
    Dim count = 1;
    for (const Dim& dim : graph_[node.inputs[1]].shape) {
      count = count * dim;
    }
    const bool repeats = value.repeats || repeats_elements(count, x.shape[axis]);
    alias(id,
          request(value.statement, node.inputs[0], std::move(tuple), std::move(guard), repeats));
  }
  schedule_.values[id.index].binds.push_back(bound);
}

void Walker::expand_take_along(ValueId id) {
  const Value value = schedule_.value(id);
  const Node& node = graph_[value.node];
  const auto axis = static_cast<size_t>(node.get<air::AxisAttr>().axis);
  const ValueId given =
      request(value.statement, node.inputs[1], value.tuple, value.guard, value.repeats);
  const Dim& size = graph_[node.inputs[0]].shape[axis];
  const ExprId extent = pool_.from_dim(size);
  const ValueId bound = bind_index(value.statement, value.node, given, extent, value.guard);
  std::vector<ExprId> tuple = value.tuple;
  tuple[axis] = pool_.range(schedule_.value(bound).range);
  Guard guard = value.guard;
  if (!add_condition(guard, pool_.sub(extent, pool_.constant(1)))) {
    alias(id, constant(value.statement, value.node, Scalar::of_int(node.dtype, 0)));
  } else {
    const bool repeats = value.repeats || repeats_elements(node.shape[axis], size);
    alias(id,
          request(value.statement, node.inputs[0], std::move(tuple), std::move(guard), repeats));
  }
  schedule_.values[id.index].binds.push_back(bound);
}

/// A line of keys is read as a whole: it has to be in memory. Of a constant the order is known.
void Walker::start_sort(StatementId self, NodeId id) {
  const Node& node = graph_[id];
  const NodeId keys = node.inputs[0];
  const auto axis = static_cast<size_t>(node.get<air::SortAttr>().axis);
  const bool known = graph_[keys].op == Op::Const;
  Statement statement = schedule_.statement(self);
  std::vector<ExprId> tuple;
  for (size_t i = 0; i < node.shape.size(); ++i) {
    const ExprId extent = pool_.from_dim(node.shape[i]);
    tuple.push_back(i == axis && !known ? pool_.constant(0) : open_axis(statement, id, i, extent));
  }
  statement.kind = known ? StatementKind::Map : StatementKind::Sort;
  statement.target = tuple;
  schedule_.statements[self.index] = std::move(statement);
  ValueId root;
  if (known) {
    root = new_value(self, id, ValueKind::Index);
    schedule_.values[root.index].index = tuple[axis];
  } else {
    const bool in_memory = graph_[keys].op == Op::Input || graph_[keys].op == Op::Param ||
                           is_always_stored(graph_[keys].op);
    if (!in_memory && stored_[keys.index].empty()) {
      stored_[keys.index] = "it is sorted, which needs all of it";
    }
    root = request(self, keys, tuple, {}, false);
  }
  schedule_.statements[self.index].root = root;
}

/// The loop over the updates. The target's element of the axis is a bound index.
void Walker::start_scatter(StatementId self, NodeId id) {
  const Node& node = graph_[id];
  const auto& attr = node.get<air::ScatterAttr>();
  const auto axis = static_cast<size_t>(attr.axis);
  const auto indices_rank = static_cast<size_t>(graph_[node.inputs[1]].rank());
  const Shape& shape = graph_[node.inputs[2]].shape;
  std::vector<ExprId> tuple;
  Statement statement = schedule_.statement(self);
  statement.kind = StatementKind::Scatter;
  for (size_t i = 0; i < shape.size(); ++i) {
    const ExprId extent = pool_.from_dim(shape[i]);
    const RangeId range = pool_.new_range(extent, index::RangeKind::Spatial);
    if (!pool_.is(extent, 1)) {
      statement.spatial.push_back(range);
      statement.coordinates.push_back({i, pool_.constant(1), true});
    }
    tuple.push_back(pool_.range(range));
  }
  const auto at = [&](size_t i) { return tuple.begin() + static_cast<std::ptrdiff_t>(i); };
  std::vector<ExprId> index_tuple = tuple;
  size_t after = axis + 1;
  if (!attr.along) {
    after = axis + indices_rank;
    index_tuple.assign(at(axis), at(after));
  }
  const ValueId given = request(self, node.inputs[1], index_tuple, {}, true);
  const ValueId bound = bind_index(self, id, given, pool_.from_dim(node.shape[axis]), {});
  statement.target.assign(tuple.begin(), at(axis));
  statement.target.push_back(pool_.range(schedule_.value(bound).range));
  statement.target.insert(statement.target.end(), at(after), tuple.end());
  statement.binds = {bound};
  schedule_.statements[self.index] = std::move(statement);
  const ValueId root = request(self, node.inputs[2], tuple, {}, false);
  schedule_.statements[self.index].root = root;
}

/// The copy of the base that the updates go into. Statements are made users first.
void Walker::start_scatter_base(NodeId id, ArrayId array) {
  const StatementId self{static_cast<uint32_t>(schedule_.statements.size())};
  Statement statement;
  statement.node = id;
  statement.reason = "the base of a scatter";
  const Shape& shape = graph_[id].shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    statement.target.push_back(open_axis(statement, id, axis, pool_.from_dim(shape[axis])));
  }
  statement.array = array;
  const std::vector<ExprId> tuple = statement.target;
  schedule_.statements.push_back(std::move(statement));
  schedule_.statements[self.index - 1].after.push_back(self);
  const ValueId root = request(self, graph_[id].inputs[0], tuple, {}, false);
  schedule_.statements[self.index].root = root;
}

}  // namespace caten::schedule
