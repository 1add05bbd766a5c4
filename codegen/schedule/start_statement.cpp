// Starts the statement of a stored node: its ranges, its array, and the requests for what it is
// computed from.
#include <algorithm>
#include <optional>

#include "codegen/schedule/walker.h"
#include "ir/support/check.h"

namespace caten::schedule {
using air::Node;
using air::Op;

/// The extents, outermost first, of the ranges that the readers of a node walk an axis with when
/// all of them linearise several: a reshape between that did not split what it is computed with.
std::vector<ExprId> Walker::axis_parts(NodeId id, size_t axis) {
  std::vector<ExprId> parts;
  const ExprId extent = pool_.from_dim(graph_[id].shape[axis]);
  for (const auto& [key, value] : requests_[id.index]) {
    if (pool_.as_range(key.tuple[axis])) {
      return {};
    }
    if (!parts.empty()) {
      continue;
    }
    // Terms of the form stride * range with strides 1, e1, e1 * e2, ...
    std::vector<std::pair<ExprId, RangeId>> strides;
    for (const index::Term& term : std::vector<index::Term>(pool_.terms(key.tuple[axis]))) {
      ExprId stride = pool_.constant(term.coefficient);
      std::optional<RangeId> range;
      for (index::AtomId atom : term.atoms) {
        const index::Atom a = pool_.atom(atom);
        if (a.kind == index::AtomKind::Symbol) {
          stride = pool_.mul(stride, pool_.symbol(a.id));
        } else if (a.kind == index::AtomKind::Range && !range) {
          range = RangeId{a.id};
        } else {
          return {};
        }
      }
      if (!range || pool_.range_info(*range).kind == index::RangeKind::Data) {
        return {};
      }
      strides.emplace_back(stride, *range);
    }
    ExprId inner = pool_.constant(1);
    while (!strides.empty()) {
      const auto next = std::find_if(strides.begin(), strides.end(),
                                     [&](const auto& entry) { return entry.first == inner; });
      if (next == strides.end()) {
        return {};
      }
      parts.insert(parts.begin(), pool_.range_info(next->second).extent);
      inner = pool_.mul(inner, parts.front());
      strides.erase(next);
    }
    if (inner != extent || parts.size() < 2) {
      return {};
    }
  }
  return parts;
}

/// New spatial ranges for an axis of the node; returns the index they make.
ExprId Walker::open_axis(Statement& statement, NodeId id, size_t axis, ExprId extent) {
  std::vector<ExprId> parts = axis_parts(id, axis);
  if (parts.empty()) {
    parts = {extent};
  }
  ExprId index = pool_.constant(0);
  std::vector<Coordinate> coordinates;
  ExprId inner = pool_.constant(1);
  for (size_t i = parts.size(); i-- > 0;) {
    coordinates.insert(coordinates.begin(), Coordinate{axis, inner, i == 0});
    inner = pool_.mul(inner, parts[i]);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const RangeId range = pool_.new_range(parts[i], index::RangeKind::Spatial);
    index = pool_.add(pool_.mul(index, parts[i]), pool_.range(range));
    if (!pool_.is(parts[i], 1)) {
      statement.spatial.push_back(range);
      statement.coordinates.push_back(coordinates[i]);
    }
  }
  return index;
}

void Walker::start_statement(NodeId id, std::string reason) {
  const Node& node = graph_[id];
  const StatementId self{static_cast<uint32_t>(schedule_.statements.size())};
  Statement statement;
  statement.node = id;
  statement.reason = std::move(reason);
  NodeId source = id;
  std::vector<ExprId> tuple;
  const bool scan = node.op == Op::Scan;
  if (node.op == Op::Reduce || node.op == Op::ArgReduce || scan) {
    statement.kind = scan                    ? StatementKind::Scan
                     : node.op == Op::Reduce ? StatementKind::Reduce
                                             : StatementKind::ArgReduce;
    source = node.inputs[0];
    const Node& x = graph_[source];
    const std::vector<int> axes = scan ? std::vector{node.get<air::ScanAttr>().axis}
                                  : node.op == Op::Reduce
                                      ? node.get<air::ReduceAttr>().axes
                                      : std::vector{node.get<air::ArgReduceAttr>().axis};
    for (size_t axis = 0; axis < x.shape.size(); ++axis) {
      const ExprId extent = pool_.from_dim(x.shape[axis]);
      if (std::find(axes.begin(), axes.end(), static_cast<int>(axis)) == axes.end()) {
        tuple.push_back(open_axis(statement, id, axis, extent));
        statement.target.push_back(tuple.back());
        continue;
      }
      const RangeId range = pool_.new_range(extent, index::RangeKind::Reduce);
      if (!pool_.is(extent, 1)) {
        statement.reduce.push_back(range);
      }
      tuple.push_back(pool_.range(range));
      statement.target.push_back(scan ? tuple.back() : pool_.constant(0));
    }
  } else if (node.op == Op::Sort || node.op == Op::Scatter) {
    // start_sort and start_scatter open the ranges
  } else if (node.op == Op::Assign) {
    statement.kind = StatementKind::Assign;
    source = node.inputs[1];
    const auto& slices = node.get<air::SliceAttr>().axes;
    for (size_t axis = 0; axis < slices.size(); ++axis) {
      const ExprId extent = pool_.from_dim(slices[axis].size);
      const RangeId range = pool_.new_range(extent, index::RangeKind::Spatial);
      if (!pool_.is(extent, 1)) {
        statement.spatial.push_back(range);
        statement.coordinates.push_back({axis, pool_.constant(1), true});
      }
      tuple.push_back(pool_.range(range));
    }
  } else {
    for (size_t axis = 0; axis < node.shape.size(); ++axis) {
      tuple.push_back(open_axis(statement, id, axis, pool_.from_dim(node.shape[axis])));
    }
    statement.target = tuple;
  }

  if (node.op == Op::Assign) {
    statement.array = assigned_array(id);
    schedule_.arrays[statement.array.index].written = true;
  } else {
    statement.array = ArrayId{static_cast<uint32_t>(schedule_.arrays.size())};
    schedule_.arrays.push_back(
        {.kind = is_output_[id.index] != 0 ? ArrayKind::Output : ArrayKind::Local,
         .node = id,
         .dtype = node.dtype,
         .shape = shape_exprs(node.shape),
         .written = true});
    if (const NodeId output = shown_as_[id.index]; output.valid()) {
      schedule_.arrays.back().node = output;
      schedule_.arrays.back().declared_shape = shape_exprs(graph_[output].shape);
    }
  }
  schedule_.statements.push_back(std::move(statement));

  // Users read the array.
  for (const auto& [key, reader] : requests_[id.index]) {
    Value& value = schedule_.values[reader.index];
    value.kind = ValueKind::Load;
    value.array = schedule_.statement(self).array;
    value.producer = self;
    add_binds(reader);
  }

  if (node.op == Op::Sort) {
    start_sort(self, id);
    return;
  }
  if (node.op == Op::Scatter) {
    start_scatter(self, id);
    start_scatter_base(id, schedule_.statement(self).array);
    return;
  }
  std::vector<ValueId> binds;
  if (node.op == Op::Assign) {
    schedule_.statements[self.index].target = slice_tuple(self, node.get<air::SliceAttr>(), tuple,
                                                          {}, &node.shape, node, 2, false, binds);
    schedule_.statements[self.index].binds = std::move(binds);
  }
  ValueId root;
  if (source == id) {
    root = new_value(self, id, ValueKind::Alias);
    schedule_.values[root.index].tuple = tuple;
    expand(root);
  } else {
    root = request(self, source, tuple, {}, false);
  }
  schedule_.statements[self.index].root = root;
}

/// A statement that copies a version of assigned storage into an output of its own.
void Walker::start_copy(NodeId id, std::string reason) {
  const StatementId self{static_cast<uint32_t>(schedule_.statements.size())};
  Statement statement;
  statement.node = id;
  statement.reason = std::move(reason);
  const Shape& shape = graph_[id].shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    statement.target.push_back(open_axis(statement, id, axis, pool_.from_dim(shape[axis])));
  }
  statement.array = ArrayId{static_cast<uint32_t>(schedule_.arrays.size())};
  schedule_.arrays.push_back({.kind = ArrayKind::Output,
                              .node = id,
                              .dtype = graph_[id].dtype,
                              .shape = shape_exprs(graph_[id].shape),
                              .written = true});
  const std::vector<ExprId> tuple = statement.target;
  schedule_.statements.push_back(std::move(statement));
  const ValueId root = request(self, id, tuple, {}, false);
  schedule_.statements[self.index].root = root;
}

}  // namespace caten::schedule
