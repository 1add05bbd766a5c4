// What each op does to an index tuple: movement ops rewrite it, elementwise ops pass it on.
#include <algorithm>

#include "codegen/schedule/reshape.h"
#include "codegen/schedule/walker.h"
#include "ir/support/check.h"

namespace caten::schedule {

using air::Node;
using air::Op;

void Walker::alias(ValueId id, ValueId input) {
  Value& value = schedule_.values[id.index];
  value.kind = ValueKind::Alias;
  value.inputs = {input};
}

/// Records which Bind values the index expressions of a value depend on.
void Walker::add_binds(ValueId id) {
  Value& value = schedule_.values[id.index];
  const auto visit = [&](ExprId expr) {
    for (RangeId range : pool_.ranges_of(expr)) {
      if (pool_.range_info(range).kind == index::RangeKind::Data) {
        const ValueId bind = range_binds_.at(range.index);
        if (std::find(value.binds.begin(), value.binds.end(), bind) == value.binds.end()) {
          value.binds.push_back(bind);
        }
      }
    }
  };
  for (ExprId expr : value.tuple) {
    visit(expr);
  }
  for (ExprId expr : value.guard) {
    visit(expr);
  }
  for (const Guard& guard : value.cases) {
    for (ExprId expr : guard) {
      visit(expr);
    }
  }
  if (value.index.valid()) {
    visit(value.index);
  }
}

ValueId Walker::bind(StatementId statement, NodeId node, ValueId input, ExprId extent,
                     ExprId offset, index::IndexCheck check, const Guard& guard) {
  auto [entry, inserted] = bind_index_.try_emplace(
      std::tuple(input.index, extent.index, offset.index, guard), ValueId{});
  if (inserted) {
    const ValueId id = new_value(statement, node, ValueKind::Bind);
    Value& value = schedule_.values[id.index];
    value.inputs = {input};
    value.guard = guard;
    value.range = pool_.new_range(extent, index::RangeKind::Data);
    value.offset = offset;
    value.check = check;
    range_binds_[value.range.index] = id;
    add_binds(id);
    entry->second = id;
  }
  return entry->second;
}

/// Where element `tuple` of a slice lies in the sliced array.
std::vector<ExprId> Walker::slice_tuple(StatementId statement, const air::SliceAttr& attr,
                                        const std::vector<ExprId>& tuple, const Guard& guard,
                                        const Shape* base, const Node& node, size_t first_dynamic,
                                        bool repeats, std::vector<ValueId>& binds) {
  std::vector<ExprId> out;
  for (size_t i = 0; i < tuple.size(); ++i) {
    const air::SliceAxis& axis = attr.axes[i];
    const ExprId start = pool_.from_dim(axis.start);
    const auto dynamic =
        std::find(attr.dynamic_axes.begin(), attr.dynamic_axes.end(), static_cast<int>(i));
    if (dynamic == attr.dynamic_axes.end()) {
      out.push_back(pool_.add(start, pool_.scale(tuple[i], axis.step)));
      continue;
    }
    // Element k is at position start + dynamic + k * step, where the start is clamped so that
    // all elements are inside: low <= start <= low + room - 1.
    const auto number = static_cast<size_t>(dynamic - attr.dynamic_axes.begin());
    const NodeId input = node.inputs[first_dynamic + number];
    const ExprId reach = pool_.scale(pool_.sub(pool_.from_dim(axis.size), pool_.constant(1)),
                                     axis.step < 0 ? -axis.step : axis.step);
    const ExprId low = axis.step < 0 ? reach : pool_.constant(0);
    const ExprId room = pool_.sub(pool_.from_dim((*base)[i]), reach);
    const ValueId given = request(statement, input, {}, guard, repeats);
    const ValueId bound = bind(statement, input, given, room, pool_.sub(start, low),
                               index::IndexCheck::Clamped, guard);
    binds.push_back(bound);
    out.push_back(pool_.add(pool_.add(pool_.range(schedule_.value(bound).range), low),
                            pool_.scale(tuple[i], axis.step)));
  }
  return out;
}

void Walker::expand_pad(ValueId id) {
  const Value value = schedule_.value(id);
  const Node& node = graph_[value.node];
  const auto& attr = node.get<air::PadAttr>();
  const Node& x = graph_[node.inputs[0]];
  Guard inside;
  Guard guard = value.guard;
  bool possible = true;
  std::vector<ExprId> tuple;
  for (size_t i = 0; i < value.tuple.size(); ++i) {
    const ExprId position = pool_.sub(value.tuple[i], pool_.from_dim(attr.lo[i]));
    tuple.push_back(position);
    if (attr.lo[i].is(0) && attr.hi[i].is(0)) {
      continue;
    }
    const ExprId last = pool_.sub(pool_.from_dim(x.shape[i]), pool_.constant(1));
    const ExprId left = pool_.sub(last, position);
    for (ExprId condition : {position, left}) {
      possible = possible && add_condition(inside, condition) && add_condition(guard, condition);
    }
  }
  if (!possible) {
    alias(id, constant(value.statement, value.node, attr.value));
    return;
  }
  const ValueId inner =
      request(value.statement, node.inputs[0], std::move(tuple), guard, value.repeats);
  if (inside.empty()) {
    alias(id, inner);
    return;
  }
  const ValueId outside = constant(value.statement, value.node, attr.value);
  Value& select = schedule_.values[id.index];
  select.kind = ValueKind::Select;
  select.inputs = {inner, outside};
  select.cases = {std::move(inside)};
  add_binds(id);
}

void Walker::expand_concat(ValueId id) {
  const Value value = schedule_.value(id);
  const Node& node = graph_[value.node];
  const auto axis = static_cast<size_t>(node.get<air::AxisAttr>().axis);
  std::vector<ValueId> inputs;
  std::vector<Guard> cases;
  ExprId begin = pool_.constant(0);
  for (size_t part = 0; part < node.inputs.size(); ++part) {
    const ExprId end = pool_.add(begin, pool_.from_dim(graph_[node.inputs[part]].shape[axis]));
    const ExprId position = pool_.sub(value.tuple[axis], begin);
    const ExprId before_end = pool_.sub(pool_.sub(end, value.tuple[axis]), pool_.constant(1));
    begin = end;
    Guard guard = value.guard;
    if (!add_condition(guard, position) || !add_condition(guard, before_end)) {
      continue;
    }
    std::vector<ExprId> tuple = value.tuple;
    tuple[axis] = position;
    inputs.push_back(request(value.statement, node.inputs[part], std::move(tuple), std::move(guard),
                             value.repeats));
    Guard last;
    add_condition(last, before_end);
    cases.push_back(std::move(last));
    if (cases.back().empty()) {
      break;  // no later part is reached
    }
  }
  if (inputs.empty()) {
    alias(id, constant(value.statement, value.node, Scalar::of_int(node.dtype, 0)));
    return;
  }
  cases.pop_back();  // whatever is left belongs to the last part
  if (inputs.size() == 1) {
    alias(id, inputs.front());
    return;
  }
  Value& select = schedule_.values[id.index];
  select.kind = ValueKind::Select;
  select.inputs = std::move(inputs);
  select.cases = std::move(cases);
  add_binds(id);
}

/// Fills in what a value is, asking for its inputs.
void Walker::expand(ValueId id) {
  const Value value = schedule_.value(id);
  const Node& node = graph_[value.node];
  const auto input = [&](std::vector<ExprId> tuple, bool repeats) {
    return request(value.statement, node.inputs[0], std::move(tuple), value.guard,
                   value.repeats || repeats);
  };
  switch (node.op) {
    case Op::Const:
      alias(id, constant(value.statement, value.node, node.get<air::ConstAttr>().value));
      return;
    case Op::Input:
    case Op::Param: {
      const ArrayId array = leaf_array(value.node);
      Value& load = schedule_.values[id.index];
      load.kind = ValueKind::Load;
      load.array = array;
      add_binds(id);
      return;
    }
    case Op::DimValue:
    case Op::Iota: {
      Value& number = schedule_.values[id.index];
      number.kind = ValueKind::Index;
      number.index = node.op == Op::Iota
                         ? value.tuple[static_cast<size_t>(node.get<air::AxisAttr>().axis)]
                         : pool_.from_dim(node.get<air::DimAttr>().value);
      add_binds(id);
      return;
    }
    case Op::Reshape:
      alias(id, input(reshape_tuple(pool_, value.tuple, shape_exprs(node.shape),
                                    shape_exprs(graph_[node.inputs[0]].shape)),
                      false));
      return;
    case Op::Permute: {
      const auto& order = node.get<air::PermuteAttr>().order;
      std::vector<ExprId> tuple(order.size());
      for (size_t i = 0; i < order.size(); ++i) {
        tuple[static_cast<size_t>(order[i])] = value.tuple[i];
      }
      alias(id, input(std::move(tuple), false));
      return;
    }
    case Op::Expand: {
      const Node& x = graph_[node.inputs[0]];
      std::vector<ExprId> tuple = value.tuple;
      bool repeats = false;
      for (size_t i = 0; i < tuple.size(); ++i) {
        if (x.shape[i].is(1) && !node.shape[i].is(1)) {
          tuple[i] = pool_.constant(0);
          repeats = true;
        }
      }
      alias(id, input(std::move(tuple), repeats));
      return;
    }
    case Op::Slice: {
      std::vector<ValueId> binds;
      std::vector<ExprId> tuple =
          slice_tuple(value.statement, node.get<air::SliceAttr>(), value.tuple, value.guard,
                      &graph_[node.inputs[0]].shape, node, 1, value.repeats, binds);
      alias(id, input(std::move(tuple), false));
      schedule_.values[id.index].binds = std::move(binds);
      return;
    }
    case Op::Pad:
      expand_pad(id);
      return;
    case Op::Concat:
      expand_concat(id);
      return;
    case Op::Gather:
      expand_gather(id);
      return;
    case Op::TakeAlong:
      expand_take_along(id);
      return;
    default: {  // every elementwise op; whatever else is always stored
      CATEN_CHECK(!is_always_stored(node.op), "`{}` is not stored", air::name(node.op));
      std::vector<ValueId> inputs;
      for (NodeId operand : node.inputs) {
        inputs.push_back(
            request(value.statement, operand, value.tuple, value.guard, value.repeats));
      }
      Value& element = schedule_.values[id.index];
      element.kind = ValueKind::Element;
      element.inputs = std::move(inputs);
      return;
    }
  }
}

}  // namespace caten::schedule
