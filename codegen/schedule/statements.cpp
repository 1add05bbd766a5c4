// Statements: walks every stored value backwards with an index tuple, from users to inputs, and
// decides which nodes are stored. One sweep over the nodes in reverse order. How the statement of a
// stored node begins is start_statement.cpp's.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "codegen/schedule/walker.h"
#include "ir/support/check.h"

namespace caten::schedule {
using air::Node;
using air::Op;
using air::OpClass;
using codegen::kCheapDividedOps;
using codegen::kCheapOps;
using codegen::kCheapRepeatedOps;
using codegen::kMaxRandomValues;
using codegen::kMaxTupleComplexity;
using codegen::kRarely;

std::vector<ExprId> Walker::shape_exprs(const Shape& shape) {
  std::vector<ExprId> out;
  for (const Dim& dim : shape) {
    out.push_back(pool_.from_dim(dim));
  }
  return out;
}

ValueId Walker::new_value(StatementId statement, NodeId node, ValueKind kind) {
  Value value;
  value.kind = kind;
  value.statement = statement;
  value.node = node;
  value.dtype = graph_[node].dtype;
  schedule_.values.push_back(std::move(value));
  return ValueId{static_cast<uint32_t>(schedule_.values.size() - 1)};
}

ValueId Walker::constant(StatementId statement, NodeId node, const Scalar& scalar) {
  const ValueId id = new_value(statement, node, ValueKind::Constant);
  schedule_.values[id.index].constant = scalar;
  schedule_.values[id.index].dtype = scalar.dtype();
  return id;
}

ValueId Walker::request(StatementId statement, NodeId node, std::vector<ExprId> tuple, Guard guard,
                        bool repeats) {
  if (const Node& n = graph_[node]; n.op == Op::Const) {
    return constant(statement, node, n.get<air::ConstAttr>().value);
  }
  auto [entry, inserted] =
      requests_[node.index].try_emplace(Key{statement.index, tuple, guard}, ValueId{});
  if (inserted) {
    entry->second = new_value(statement, node, ValueKind::Alias);
    Value& value = schedule_.values[entry->second.index];
    value.tuple = std::move(tuple);
    value.guard = std::move(guard);
  }
  schedule_.values[entry->second.index].repeats |= repeats;
  return entry->second;
}

ArrayId Walker::leaf_array(NodeId id) {
  ArrayId& array = leaf_arrays_[id.index];
  if (array.valid()) {
    return array;
  }
  const Node& node = graph_[id];
  if (node.op == Op::Param) {
    const int storage = node.get<air::ParamAttr>().storage;
    if (auto it = param_arrays_.find(storage); it != param_arrays_.end()) {
      return array = it->second;
    }
    param_arrays_[storage] = ArrayId{static_cast<uint32_t>(schedule_.arrays.size())};
  }
  array = ArrayId{static_cast<uint32_t>(schedule_.arrays.size())};
  schedule_.arrays.push_back(
      {.kind = node.op == Op::Param ? ArrayKind::Param : ArrayKind::Input,
       .node = id,
       .dtype = node.dtype,
       .shape = shape_exprs(node.shape),
       .storage = node.op == Op::Param ? node.get<air::ParamAttr>().storage : -1});
  return array;
}

/// The array that an Assign writes: that of the value its chain of versions starts from.
ArrayId Walker::assigned_array(NodeId id) {
  while (graph_[id].op == Op::Assign) {
    id = graph_[id].inputs[0];
  }
  CATEN_CHECK(graph_[id].op == Op::Param, "assign to `{}`, which owns no storage",
              air::name(graph_[id].op));
  return leaf_array(id);
}

/// Adds `nonnegative >= 0` to the guard. Returns false when it provably never holds.
bool Walker::add_condition(Guard& guard, ExprId nonnegative) {
  if (pool_.is_nonnegative(nonnegative)) {
    return true;
  }
  if (pool_.is_nonnegative(pool_.sub(pool_.constant(-1), nonnegative))) {
    return false;
  }
  auto at = std::lower_bound(guard.begin(), guard.end(), nonnegative);
  if (at == guard.end() || *at != nonnegative) {
    guard.insert(at, nonnegative);
  }
  return true;
}

namespace {

/// Whether the expression divides something that a reduction runs over.
bool divides_a_reduction(const index::Pool& pool, ExprId expr) {
  for (const index::Term& term : pool.terms(expr)) {
    for (const index::AtomId id : term.atoms) {
      const index::Atom& atom = pool.atom(id);
      if (atom.kind != index::AtomKind::FloorDiv && atom.kind != index::AtomKind::Mod) {
        continue;
      }
      for (const index::RangeId range : pool.ranges_of(atom.left)) {
        if (pool.range_info(range).kind == index::RangeKind::Reduce) {
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

std::optional<std::string> Walker::reason_to_store(NodeId id) {
  const Node& node = graph_[id];
  if (!stored_[id.index].empty()) {
    return stored_[id.index];
  }
  if (requests_[id.index].empty()) {
    return std::nullopt;
  }
  if (node.op == Op::Reduce || node.op == Op::ArgReduce) {
    return "a reduction is computed once per element";
  }
  if (node.op == Op::Assign) {
    return "state update";
  }
  if (is_always_stored(node.op)) {
    return "its elements are computed in an order of their own";
  }
  const OpClass cls = air::info(node.op).cls;
  if (cls == OpClass::Leaf) {
    return std::nullopt;
  }
  if (schedule_.decisions.choose(false, kRarely)) {
    return "at random";
  }
  bool repeats = false;
  bool divided = false;
  int complexity = 0;
  for (const auto& [key, value] : requests_[id.index]) {
    repeats |= schedule_.value(value).repeats;
    for (ExprId expr : key.tuple) {
      complexity = std::max(complexity, pool_.complexity(expr));
      divided |= divides_a_reduction(pool_, expr);
    }
  }
  if (complexity > kMaxTupleComplexity) {
    return "its index map has grown too complex to fuse";
  }
  const bool moves_only = cls == OpClass::Movement && node.op != Op::Pad && node.op != Op::Concat;
  if (moves_only) {
    return std::nullopt;  // decided at what is moved
  }
  // At random, as long as repeated recomputation has not made a giant of a program.
  if (schedule_.values.size() < kMaxRandomValues && schedule_.decisions.choose(false, kRarely)) {
    return std::nullopt;
  }
  const Cost& cost = costs_[id.index];
  if (divided && cost.ops > kCheapDividedOps) {
    return fmt::format("a reduction reads it through divided indices, recomputing costs {}",
                       describe(cost));
  }
  const size_t uses = requests_[id.index].size();
  if (uses > 1 && cost.ops > kCheapOps) {
    return fmt::format("read through {} index maps or loops, recomputing costs {}", uses,
                       describe(cost));
  }
  if (uses > 1 && cost.ops > 0 && cost.replaces_reduction) {
    return fmt::format("read {} times: stored instead of the reduction that it is computed from",
                       uses);
  }
  if (repeats && (cost.ops > kCheapRepeatedOps || (cost.reduction && cost.ops > 0))) {
    return fmt::format("a consumer reads every element repeatedly, recomputing costs {}",
                       describe(cost));
  }
  return std::nullopt;
}

/// Lists what the root needs, inputs first, without recursion.
void Walker::order_values(Statement& statement) {
  std::vector<std::pair<ValueId, bool>> stack;
  std::vector<ValueId> order;
  std::unordered_map<uint32_t, bool> done;
  stack.emplace_back(statement.root, false);
  for (ValueId bind : statement.binds) {
    stack.emplace_back(bind, false);
  }
  while (!stack.empty()) {
    const auto [id, ready] = stack.back();
    stack.pop_back();
    if (ready) {
      if (schedule_.value(id).kind != ValueKind::Alias) {
        order.push_back(id);
      }
      continue;
    }
    if (!done.emplace(id.index, true).second) {
      continue;
    }
    stack.emplace_back(id, true);
    const Value& value = schedule_.value(id);
    for (size_t i = value.inputs.size(); i-- > 0;) {
      stack.emplace_back(value.inputs[i], false);
    }
    for (ValueId bind : value.binds) {
      stack.emplace_back(bind, false);
    }
  }
  statement.values = std::move(order);
}

/// What an output that only reshapes a computed value reshapes; otherwise the output itself. The
/// value has the same elements in the same order, so it can be stored as the output.
NodeId Walker::reshaped_value(NodeId output) const {
  NodeId base = output;
  while (graph_[base].op == Op::Reshape) {
    base = graph_[base].inputs[0];
  }
  switch (air::info(graph_[base].op).cls) {
    case OpClass::Leaf:
    case OpClass::Movement:
    case OpClass::Effect:
      return output;
    case OpClass::Unary:
    case OpClass::Binary:
    case OpClass::Ternary:
    case OpClass::Reduce:
    case OpClass::Indexed:
    case OpClass::Ordered:
      return base;
  }
  CATEN_UNREACHABLE("op class");
}

void Walker::run() {
  for (NodeId id : graph_.inputs) {
    leaf_array(id);
  }
  std::set<NodeId> assigned_params;
  std::vector<bool> overwritten(graph_.size(), false);
  for (uint32_t i = 0; i < graph_.size(); ++i) {
    if (graph_[NodeId{i}].op == Op::Assign) {
      NodeId base{i};
      while (graph_[base].op == Op::Assign) {
        base = graph_[base].inputs[0];
      }
      stored_[i] = "state update";
      assigned_params.insert(base);
      overwritten[graph_[NodeId{i}].inputs[0].index] = true;
    }
  }
  std::vector<std::string> copied(graph_.size());  // versions that an output keeps
  for (const air::Output& output : graph_.outputs) {
    is_output_[output.node.index] = 1;
  }
  std::vector<NodeId> stored_as(graph_.size());  // per output: the node whose statement stores it
  for (const air::Output& output : graph_.outputs) {
    const Node& node = graph_[output.node];
    if (node.op == Op::Assign && overwritten[output.node.index]) {
      copied[output.node.index] =
          fmt::format("output `{}` is a version overwritten later", output.name);
      is_output_[output.node.index] = 0;
      continue;
    }
    const bool in_place = node.op == Op::Input || node.op == Op::Assign ||
                          (node.op == Op::Param && !assigned_params.contains(output.node));
    if (in_place) {
      is_output_[output.node.index] = 0;
      continue;
    }
    NodeId& storing = stored_as[output.node.index];
    if (storing.valid()) {
      continue;  // the same node twice
    }
    storing = output.node;
    if (const NodeId base = reshaped_value(output.node); is_output_[base.index] == 0) {
      storing = base;
      shown_as_[base.index] = output.node;
      is_output_[output.node.index] = 0;
      is_output_[base.index] = 1;
    }
    stored_[storing.index] = fmt::format("output `{}`", output.name);
  }
  for (uint32_t i = graph_.size(); i-- > 0;) {
    const NodeId id{i};
    if (!copied[i].empty()) {
      start_copy(id, std::move(copied[i]));
    }
    if (std::optional<std::string> reason = reason_to_store(id)) {
      start_statement(id, std::move(*reason));
      continue;
    }
    for (const auto& [key, value] : requests_[i]) {
      expand(value);
    }
  }
  // Statements were made users first.
  const auto count = static_cast<uint32_t>(schedule_.statements.size());
  std::reverse(schedule_.statements.begin(), schedule_.statements.end());
  const auto renumber = [&](StatementId& id) {
    if (id.valid()) {
      id.index = count - 1 - id.index;
    }
  };
  for (Value& value : schedule_.values) {
    renumber(value.statement);
    renumber(value.producer);
  }
  for (Statement& statement : schedule_.statements) {
    std::for_each(statement.after.begin(), statement.after.end(), renumber);
    order_values(statement);
  }
  std::vector<ArrayId> array_of(graph_.size());
  for (const Statement& statement : schedule_.statements) {
    array_of[statement.node.index] = statement.array;  // a copy comes after what it copies
  }
  for (const air::Output& output : graph_.outputs) {
    const NodeId storing = stored_as[output.node.index];
    const ArrayId array = array_of[(storing.valid() ? storing : output.node).index];
    schedule_.output_arrays.push_back(array.valid() ? array : leaf_array(output.node));
  }
}

Schedule make_statements(Schedule schedule) {
  Walker(schedule).run();
  return schedule;
}

ValueId resolve(const Schedule& schedule, ValueId value) {
  while (schedule.value(value).kind == ValueKind::Alias) {
    value = schedule.value(value).inputs.front();
  }
  return value;
}

ExprId coordinate_in(index::Pool& pool, const Statement& statement, size_t i,
                     const std::vector<ExprId>& tuple) {
  const Coordinate& c = statement.coordinates[i];
  const ExprId position = pool.floor_div(tuple[c.axis], c.inner);
  return c.outermost ? position : pool.mod(position, pool.range_info(statement.spatial[i]).extent);
}

ExprId position_in(index::Pool& pool, const Array& array, const std::vector<ExprId>& tuple) {
  ExprId position = pool.constant(0);
  for (size_t i = 0; i < tuple.size(); ++i) {
    position = pool.add(pool.mul(position, array.shape[i]), tuple[i]);
  }
  return position;
}

}  // namespace caten::schedule
