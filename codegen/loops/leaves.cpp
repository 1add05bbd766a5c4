// What a statement does in the innermost loop: stores, reductions, scans, scatters, sorts.
#include <algorithm>

#include "codegen/loops/kernel_builder.h"
#include "codegen/loops/name_kernels.h"
#include "ir/air/evaluate.h"
#include "ir/support/check.h"

namespace caten::loops {

/// Declares and clears the accumulator of a reduction, just before its first reduce loop.
void KernelBuilder::begin_reduction(StatementId id, size_t depth, Block& block) {
  const Statement& s = statement(id);
  const air::Node& node = graph_[s.node];
  const DType element = graph_[node.inputs.front()].dtype;
  Accumulator accumulator;
  for (RangeId range : s.spatial) {
    const auto& loops = state(id).loops;
    if (std::none_of(loops.begin(), loops.end(),
                     [&](const auto& open) { return open.first == range; })) {
      accumulator.ranges.push_back(range);
    }
  }
  const bool own_row = s.local ? s.scope == depth : !accumulator.ranges.empty();
  const bool arg = s.kind == StatementKind::ArgReduce;
  accumulator.in_place = own_row && s.kind != StatementKind::Scan && (arg || !is_half(element));
  const auto fresh = [&](DType dtype, bool widened) {
    return Place{declare(s, dtype, widened, accumulator.ranges, block), ExprId{}};
  };
  if (arg) {
    accumulator.value = fresh(element, false);
    kernel_.arrays[accumulator.value.array.index].label =
        node.get<air::ArgReduceAttr>().max ? "largest" : "least";
    accumulator.position = accumulator.in_place ? Place{} : fresh(DType::Int64, false);
  } else {
    accumulator.value = accumulator.in_place ? Place{} : fresh(element, is_half(element));
  }
  state(id).accumulator = accumulator;
  over(id, accumulator.ranges, block, [&](Block& inner) {
    const air::ReduceOp op =
        arg ? (node.get<air::ArgReduceAttr>().max ? air::ReduceOp::Max : air::ReduceOp::Min)
        : s.kind == StatementKind::Scan ? node.get<air::ScanAttr>().op
                                        : node.get<air::ReduceAttr>().op;
    const ExprId row = scratch_index(id, accumulator.ranges);
    const ValueId first = constant(inner, air::identity(op, element));
    if (arg) {
      store(inner, {accumulator.value.array, row}, first);
      const ValueId zero = constant(inner, Scalar::of_int(DType::Int64, 0));
      store(inner, accumulator.in_place ? target(id) : Place{accumulator.position.array, row},
            zero);
    } else {
      store(inner, accumulator.in_place ? target(id) : Place{accumulator.value.array, row}, first);
    }
  });
}

/// Rounds and stores what a reduction has accumulated.
void KernelBuilder::end_reduction(StatementId id, Block& block) {
  const Accumulator accumulator = *state(id).accumulator;
  if (accumulator.in_place || statement(id).kind == StatementKind::Scan) {
    return;
  }
  const bool arg = statement(id).kind == StatementKind::ArgReduce;
  const DType dtype = graph_[statement(id).node].dtype;
  over(id, accumulator.ranges, block, [&](Block& inner) {
    const Place source{arg ? accumulator.position.array : accumulator.value.array,
                       scratch_index(id, accumulator.ranges)};
    const std::string label = label_of(graph_, statement(id).node);
    if (kernel_.array(source.array).widened) {
      const ValueId wide = load(inner, source, {}, DType::Float32, label);
      store(inner, target(id), let(inner, air::Op::Cast, dtype, {wide}, label));
      return;
    }
    store(inner, target(id), load(inner, source, {}, dtype, label));
  });
}

/// The innermost body of one statement.
void KernelBuilder::leaf(StatementId id, Block& block) {
  switch (statement(id).kind) {
    case StatementKind::Map:
    case StatementKind::Assign: {
      const ValueId value = compute(id, block);
      store(block, target(id), value);
      return;
    }
    case StatementKind::Reduce:
      reduce_leaf(id, block);
      return;
    case StatementKind::ArgReduce:
      arg_reduce_leaf(id, block);
      return;
    case StatementKind::Scan:
      scan_leaf(id, block);
      return;
    case StatementKind::Scatter:
      scatter_leaf(id, block);
      return;
    case StatementKind::Sort:
      sort_leaf(id, block);
      return;
  }
}

void KernelBuilder::reduce_leaf(StatementId id, Block& block) {
  const Statement& s = statement(id);
  const ValueId value = compute(id, block);
  if (s.reduce.empty()) {  // over axes of size 1
    store(block, target(id), value);
    return;
  }
  const Accumulator accumulator = *state(id).accumulator;
  const Place place = accumulator.in_place
                          ? target(id)
                          : Place{accumulator.value.array, scratch_index(id, accumulator.ranges)};
  const air::ReduceOp op = graph_[s.node].get<air::ReduceAttr>().op;
  block.push_back({Accumulate{place.array, place.index, op, value}});
  ++versions_[place.array.index];
}

/// A later element wins only if it is more extreme, or the first NaN.
void KernelBuilder::arg_reduce_leaf(StatementId id, Block& block) {
  const Statement& s = statement(id);
  const ValueId value = compute(id, block);
  if (s.reduce.empty()) {
    store(block, target(id), constant(block, Scalar::of_int(DType::Int64, 0)));
    return;
  }
  const Accumulator accumulator = *state(id).accumulator;
  const ExprId row = scratch_index(id, accumulator.ranges);
  const DType dtype = kernel_.value(value).dtype;
  const Place best{accumulator.value.array, row};
  const Place position = accumulator.in_place ? target(id) : Place{accumulator.position.array, row};
  const ValueId previous = load(block, best, {}, dtype, "");
  const bool max = graph_[s.node].get<air::ArgReduceAttr>().max;
  ValueId better = let(block, air::Op::Lt, DType::Bool,
                       max ? std::vector{previous, value} : std::vector{value, previous});
  if (is_float(dtype)) {
    const ValueId is_nan = let(block, air::Op::Ne, DType::Bool, {value, value});
    const ValueId was_number = let(block, air::Op::Eq, DType::Bool, {previous, previous});
    const ValueId first_nan = let(block, air::Op::And, DType::Bool, {is_nan, was_number});
    better = let(block, air::Op::Or, DType::Bool, {better, first_nan});
  }
  const ExprId index = here(id, pool_.range(s.reduce.front()));
  If update{better, {}};
  scopes_.emplace_back();
  const ValueId number =
      emit(update.body, Key{4, 0, {index.index}, 0}, DType::Int64, "", [&](ValueId v) {
        return Stmt{IndexValue{v, index, {}}};
      });
  store(update.body, best, value);
  store(update.body, position, number);
  scopes_.pop_back();
  ++versions_[best.array.index];
  ++versions_[position.array.index];
  block.push_back({std::move(update)});
}

/// The running result goes through a load and a store, not an Accumulate: its order is fixed.
void KernelBuilder::scan_leaf(StatementId id, Block& block) {
  const Statement& s = statement(id);
  const ValueId value = compute(id, block);
  if (s.reduce.empty()) {
    store(block, target(id), value);
    return;
  }
  const Accumulator accumulator = *state(id).accumulator;
  const Place place{accumulator.value.array, scratch_index(id, accumulator.ranges)};
  const DType dtype = graph_[s.node].dtype;
  const bool widened = kernel_.array(place.array).widened;
  const DType wide = widened ? DType::Float32 : dtype;
  const ValueId term = widened ? let(block, air::Op::Cast, wide, {value}) : value;
  const ValueId before = load(block, place, {}, wide, "");
  const air::Op op = air::elementwise(graph_[s.node].get<air::ScanAttr>().op);
  const ValueId now = let(block, op, wide, {before, term});
  store(block, place, now);
  store(block, target(id), widened ? let(block, air::Op::Cast, dtype, {now}) : now);
}

void KernelBuilder::scatter_leaf(StatementId id, Block& block) {
  const Statement& s = statement(id);
  const ValueId value = compute(id, block);
  const Place place = target(id);
  const std::optional<air::Op> op = air::elementwise(graph_[s.node].get<air::ScatterAttr>().mode);
  if (!op) {
    store(block, place, value);
    return;
  }
  const DType dtype = graph_[s.node].dtype;
  const ValueId before = load(block, place, {}, dtype, "");
  store(block, place, let(block, *op, dtype, {before, value}));
}

/// How many of the first positions along its axis anybody reads of a sort.
ExprId KernelBuilder::wanted_positions(air::NodeId sort, size_t axis, ExprId all) {
  for (const air::Output& output : graph_.outputs) {
    if (output.node == sort) {
      return all;
    }
  }
  int64_t most = 0;
  for (uint32_t i = sort.index + 1; i < graph_.size(); ++i) {
    const air::Node& user = graph_[air::NodeId{i}];
    if (std::find(user.inputs.begin(), user.inputs.end(), sort) == user.inputs.end()) {
      continue;
    }
    const auto* slice = std::get_if<air::SliceAttr>(&user.attr);
    if (slice == nullptr) {  // its shape may have other axes
      return all;
    }
    const std::optional<int64_t> start = slice->axes[axis].start.constant();
    const std::optional<int64_t> size = user.shape[axis].constant();
    if (!slice->dynamic_axes.empty() || slice->axes[axis].step != 1 || !start || !size) {
      return all;
    }
    most = std::max(most, *start + *size);
  }
  return pool_.constant(most);
}

/// Where the lines begin and how far their elements are apart follows from the places of two
/// neighbours.
void KernelBuilder::sort_leaf(StatementId id, Block& block) {
  const Statement& s = statement(id);
  const auto& attr = graph_[s.node].get<air::SortAttr>();
  const auto axis = static_cast<size_t>(attr.axis);
  const Place order = target(id);
  const schedule::Array& array = schedule_.array(s.array);
  std::vector<ExprId> next = s.target;
  next[axis] = pool_.constant(1);
  const ExprId after = here(id, schedule::position_in(pool_, array, next));
  Value keys = schedule_.value(schedule::resolve(schedule_, s.root));
  CATEN_CHECK(keys.kind == ValueKind::Load, "what is sorted is not in memory");
  const Place first = element_of(keys.producer, keys, id);
  keys.tuple[axis] = pool_.constant(1);
  const Place second = element_of(keys.producer, keys, id);
  Array work;
  work.label = "work";
  work.space = ArraySpace::Scratch;
  work.dtype = DType::Int64;
  work.size = pool_.scale(array.shape[axis], 2);
  work.written = true;
  const ArrayId scratch = kernel_.new_array(std::move(work));
  versions_.push_back(0);
  block.push_back({Scratch{scratch}});
  block.push_back({SortLine{.order = order.array,
                            .order_index = order.index,
                            .order_stride = pool_.sub(after, order.index),
                            .keys = first.array,
                            .keys_index = first.index,
                            .keys_stride = pool_.sub(second.index, first.index),
                            .count = array.shape[axis],
                            .wanted = wanted_positions(s.node, axis, array.shape[axis]),
                            .work = scratch,
                            .descending = attr.descending}});
  ++versions_[order.array.index];
}

}  // namespace caten::loops
