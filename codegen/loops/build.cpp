// Builds one loop nest per kernel by walking its loop tree.
#include "codegen/loops/build.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "codegen/loops/kernel_builder.h"
#include "codegen/loops/name_kernels.h"
#include "ir/support/check.h"

namespace caten::loops {

Guard KernelBuilder::here(StatementId id, const Guard& guard) {
  Guard out;
  for (ExprId expr : guard) {
    const ExprId condition = here(id, expr);
    if (!pool_.is_nonnegative(condition)) {
      out.push_back(condition);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Two conditions that exclude each other: C compilers warn of them.
bool KernelBuilder::never_holds(const Guard& guard) {
  for (size_t i = 0; i < guard.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const ExprId both = pool_.add(guard[i], guard[j]);
      if (pool_.is_nonnegative(pool_.sub(pool_.constant(-1), both))) {
        return true;
      }
    }
  }
  return false;
}

ExprId KernelBuilder::scratch_index(StatementId id, const std::vector<RangeId>& ranges) {
  ExprId position = pool_.constant(0);
  for (RangeId range : ranges) {
    position = pool_.add(pool_.mul(position, pool_.range_info(range).extent),
                         here(id, pool_.range(range)));
  }
  return position;
}

ArrayId KernelBuilder::buffer_array(schedule::ArrayId id) {
  auto [entry, inserted] = buffer_arrays_.try_emplace(id.index, ArrayId{});
  if (inserted) {
    const schedule::Array& source = schedule_.array(id);
    ExprId size = pool_.constant(1);
    for (ExprId extent : source.shape) {
      size = pool_.mul(size, extent);
    }
    const int buffer = buffer_of_[id.index];
    Array array;
    array.label = label_of(graph_, source.node);
    array.dtype = source.dtype;
    array.size = size;
    array.buffer = buffer;
    entry->second = kernel_.new_array(std::move(array));
    versions_.push_back(0);
  }
  return entry->second;
}

ArrayId KernelBuilder::declare(const Statement& s, DType dtype, bool widened,
                               const std::vector<RangeId>& ranges, Block& block) {
  Array array;
  array.label = label_of(graph_, s.node);
  array.space = ArraySpace::Scratch;
  array.dtype = dtype;
  array.widened = widened;
  array.size = pool_.constant(1);
  for (RangeId range : ranges) {
    array.size = pool_.mul(array.size, pool_.range_info(range).extent);
  }
  array.is_scalar = ranges.empty();
  array.written = true;
  const ArrayId id = kernel_.new_array(std::move(array));
  versions_.push_back(0);
  block.push_back({Scratch{id}});
  return id;
}

/// Where a statement puts the element of the current iteration.
Place KernelBuilder::target(StatementId id) {
  const Statement& s = statement(id);
  if (s.local) {
    return {state(id).scratch, scratch_index(id, s.scratch)};
  }
  const ArrayId array = buffer_array(s.array);
  kernel_.arrays[array.index].written = true;
  return {array, here(id, schedule::position_in(pool_, schedule_.array(s.array), s.target))};
}

/// Where a load finds its element.
Place KernelBuilder::element_of(StatementId producer, const Value& value, StatementId reader) {
  if (producer.valid() && statement(producer).local) {
    const Statement& s = statement(producer);
    ExprId position = pool_.constant(0);
    for (RangeId range : s.scratch) {
      const auto number = static_cast<size_t>(std::find(s.spatial.begin(), s.spatial.end(), range) -
                                              s.spatial.begin());
      const ExprId coordinate = schedule::coordinate_in(pool_, s, number, value.tuple);
      position =
          pool_.add(pool_.mul(position, pool_.range_info(range).extent), here(reader, coordinate));
    }
    return {state(producer).scratch, position};
  }
  const schedule::Array& array = schedule_.array(value.array);
  return {buffer_array(value.array),
          here(reader, schedule::position_in(pool_, array, value.tuple))};
}

ValueId KernelBuilder::emit(Block& block, Key key, DType dtype, const std::string& label,
                            const std::function<Stmt(ValueId)>& make) {
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (auto it = scopes_[i].known.find(key); it != scopes_[i].known.end()) {
      return it->second;
    }
  }
  const ValueId id = kernel_.new_value(dtype, label);
  block.push_back(make(id));
  scopes_.back().known.emplace(std::move(key), id);
  return id;
}

ValueId KernelBuilder::constant(Block& block, const Scalar& scalar) {
  return emit(block, Key{1, static_cast<int>(scalar.dtype()), {}, scalar.bits()}, scalar.dtype(),
              "", [&](ValueId id) {
                return Stmt{Constant{id, scalar}};
              });
}

ValueId KernelBuilder::let(Block& block, air::Op op, DType dtype, std::vector<ValueId> args,
                           const std::string& label) {
  // x < x, x == x: known where there is no NaN, and C compilers warn about such comparisons.
  if (air::info(op).has(air::kCompare) && args[0] == args[1] &&
      !is_float(kernel_.value(args[0]).dtype)) {
    const bool holds = op == air::Op::Le || op == air::Op::Eq;
    return constant(block, Scalar::of_int(DType::Bool, holds ? 1 : 0));
  }
  Key key{2, static_cast<int>(op), {}, static_cast<uint64_t>(dtype)};
  for (ValueId arg : args) {
    key.args.push_back(arg.index);
  }
  return emit(block, std::move(key), dtype, label, [&](ValueId id) {
    return Stmt{Let{id, op, std::move(args)}};
  });
}

ValueId KernelBuilder::load(Block& block, const Place& place, const Guard& guard, DType dtype,
                            const std::string& label) {
  Key key{3, static_cast<int>(place.array.index), {place.index.index}, 0};
  for (ExprId expr : guard) {
    key.args.push_back(expr.index);
  }
  // Contents of written arrays are known only as long as the block is straight-line code.
  if (kernel_.array(place.array).written) {
    key.bits = (uint64_t{scopes_.size()} << 32) | versions_[place.array.index];
    auto& known = scopes_.back().known;
    if (auto it = known.find(key); it != known.end()) {
      return it->second;
    }
  }
  return emit(block, std::move(key), dtype, label, [&](ValueId id) {
    return Stmt{Load{id, place.array, place.index, guard}};
  });
}

void KernelBuilder::store(Block& block, const Place& place, ValueId value) {
  block.push_back({Store{place.array, place.index, value}});
  kernel_.arrays[place.array.index].written = true;
  const uint32_t version = ++versions_[place.array.index];
  const Key key{3,
                static_cast<int>(place.array.index),
                {place.index.index},
                (uint64_t{scopes_.size()} << 32) | version};
  scopes_.back().known[key] = value;
}

std::vector<uint32_t> KernelBuilder::flatten(const std::vector<Guard>& cases) const {
  std::vector<uint32_t> out;
  for (const Guard& guard : cases) {
    out.push_back(UINT32_MAX);
    for (ExprId expr : guard) {
      out.push_back(expr.index);
    }
  }
  return out;
}

ValueId KernelBuilder::result_of(schedule::ValueId value) const {
  return results_.at(schedule::resolve(schedule_, value).index);
}

void KernelBuilder::compute_value(StatementId id, schedule::ValueId value_id, Block& block) {
  const Value& value = schedule_.value(value_id);
  const std::string label = label_of(graph_, value.node);
  const auto done = [&](ValueId result) { results_[value_id.index] = result; };
  switch (value.kind) {
    case ValueKind::Constant:
      done(constant(block, value.constant));
      return;
    case ValueKind::Index: {
      const ExprId index = here(id, value.index);
      if (const std::optional<int64_t> known = pool_.constant_value(index)) {
        done(constant(block, Scalar::of_int(DType::Int64, *known)));
        return;
      }
      Guard guard;
      if (pool_.has_symbolic_divisor(index)) {
        guard = here(id, value.guard);
      }
      Key key{4, 0, {index.index}, 0};
      for (ExprId expr : guard) {
        key.args.push_back(expr.index);
      }
      done(emit(block, std::move(key), DType::Int64, label, [&](ValueId v) {
        return Stmt{IndexValue{v, index, std::move(guard)}};
      }));
      return;
    }
    case ValueKind::Load:
      done(load(block, element_of(value.producer, value, id), here(id, value.guard), value.dtype,
                label));
      return;
    case ValueKind::Element: {
      std::vector<ValueId> args;
      for (schedule::ValueId input : value.inputs) {
        args.push_back(result_of(input));
      }
      done(let(block, graph_[value.node].op, value.dtype, std::move(args), label));
      return;
    }
    case ValueKind::Select: {
      std::vector<Guard> cases;
      std::vector<ValueId> args;
      for (size_t i = 0; i < value.cases.size(); ++i) {
        cases.push_back(here(id, value.cases[i]));
        if (never_holds(cases.back())) {
          cases.pop_back();
          continue;
        }
        args.push_back(result_of(value.inputs[i]));
        if (cases.back().empty()) {  // always: the rest is never reached
          cases.pop_back();
          break;
        }
      }
      if (args.size() == cases.size()) {
        args.push_back(result_of(value.inputs.back()));
      }
      if (cases.empty()) {
        done(args.front());
        return;
      }
      Key key{5, 0, flatten(cases), 0};
      for (ValueId arg : args) {
        key.args.push_back(arg.index);
      }
      done(emit(block, std::move(key), value.dtype, label, [&](ValueId v) {
        return Stmt{Select{v, cases, args}};
      }));
      return;
    }
    case ValueKind::Bind: {
      block.push_back({Bind{value.range, result_of(value.inputs.front()), here(id, value.offset),
                            value.check, here(id, value.guard)}});
      kernel_.checks_indices |= value.check == index::IndexCheck::Checked;
      return;
    }
    case ValueKind::Alias:
      CATEN_UNREACHABLE("alias among the values of a statement");
  }
}

/// Computes the root of a statement in the current iteration.
ValueId KernelBuilder::compute(StatementId id, Block& block) {
  results_.clear();
  for (schedule::ValueId value : statement(id).values) {
    compute_value(id, value, block);
  }
  return result_of(statement(id).root);
}

/// The largest forms that the computations of some statements came from, in order of the text.
std::vector<Span> KernelBuilder::forms_of(const std::vector<StatementId>& members) const {
  std::vector<Span> spans;
  for (StatementId id : members) {
    spans.push_back(graph_.span(statement(id).node));
    for (schedule::ValueId value : statement(id).values) {
      if (schedule_.value(value).kind == ValueKind::Element) {
        spans.push_back(graph_.span(schedule_.value(value).node));
      }
    }
  }
  std::erase_if(spans, [](const Span& span) { return !span.known(); });
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return std::tuple(a.file, a.begin, b.end) < std::tuple(b.file, b.begin, a.end);
  });
  std::vector<Span> out;
  for (const Span& span : spans) {
    if (out.empty() || span.file != out.back().file || span.end > out.back().end) {
      out.push_back(span);
    }
  }
  return out;
}

void KernelBuilder::children(const std::vector<TreeNode>& nodes, size_t depth, Block& block) {
  for (const TreeNode& node : nodes) {
    std::vector<StatementId> members;
    if (node.is_leaf()) {
      members.push_back(node.statement);
    }
    for (const auto& [id, range] : node.ranges) {
      members.push_back(id);
    }
    if (depth == 0) {
      block.push_back({Comment{forms_of(members)}});
    }
    for (StatementId id : members) {
      const Statement& s = statement(id);
      if (s.local && s.scope == depth) {
        state(id).scratch = declare(s, schedule_.array(s.array).dtype, false, s.scratch, block);
      }
    }
    if (node.is_leaf()) {
      leaf(node.statement, block);
    } else {
      loop(node, depth, block);
    }
  }
}

void KernelBuilder::loop(const TreeNode& node, size_t depth, Block& block) {
  std::vector<StatementId> finishing;
  for (const auto& [id, range] : node.ranges) {
    if (pool_.range_info(range).kind == index::RangeKind::Reduce) {
      if (state(id).open_reduce++ == 0) {
        begin_reduction(id, depth, block);
        finishing.push_back(id);
      }
    }
  }
  const RangeId variable = pool_.new_range(node.extent, index::RangeKind::Spatial);
  for (const auto& [id, range] : node.ranges) {
    state(id).loops.emplace_back(range, pool_.range(variable));
  }
  if (!pool_.is(node.extent, 0)) {
    For result{variable, pool_.constant(0), node.extent, LoopKind::Serial, {}};
    scopes_.emplace_back();
    children(node.children, depth + 1, result.body);
    scopes_.pop_back();
    block.push_back({std::move(result)});
  }
  for (const auto& [id, range] : node.ranges) {
    state(id).loops.pop_back();
  }
  for (size_t i = 0; i < versions_.size(); ++i) {
    ++versions_[i];  // whatever the loop wrote
  }
  for (StatementId id : finishing) {
    state(id).open_reduce = 0;
    end_reduction(id, block);
  }
}

/// Opens loops over spatial ranges of a statement around `body`.
void KernelBuilder::over(StatementId id, const std::vector<RangeId>& ranges, Block& block,
                         const std::function<void(Block&)>& body) {
  if (std::any_of(ranges.begin(), ranges.end(),
                  [&](RangeId range) { return pool_.is(pool_.range_info(range).extent, 0); })) {
    return;
  }
  Block* inner = &block;
  const size_t open = state(id).loops.size();
  for (RangeId range : ranges) {
    const ExprId extent = pool_.range_info(range).extent;
    const RangeId variable = pool_.new_range(extent, index::RangeKind::Spatial);
    state(id).loops.emplace_back(range, pool_.range(variable));
    inner->push_back({For{variable, pool_.constant(0), extent, LoopKind::Serial, {}}});
    inner = &std::get<For>(inner->back().node).body;
    scopes_.emplace_back();
  }
  body(*inner);
  scopes_.resize(scopes_.size() - ranges.size());
  state(id).loops.resize(open);
}

Module build(schedule::Schedule schedule) {
  std::vector<int> buffer_of(schedule.arrays.size(), -1);
  std::vector<Buffer> buffers;
  std::set<uint32_t> stored;
  for (const Statement& s : schedule.statements) {
    if (!s.local) {
      stored.insert(s.array.index);
    }
  }
  // Inputs, parameters, outputs, temporaries, each in the order of the graph.
  std::vector<uint32_t> order(schedule.arrays.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const schedule::Array& x = schedule.arrays[a];
    const schedule::Array& y = schedule.arrays[b];
    return std::tuple(x.kind, x.node) < std::tuple(y.kind, y.node);
  });
  for (uint32_t i : order) {
    const schedule::Array& array = schedule.arrays[i];
    if (array.kind == schedule::ArrayKind::Local && !stored.contains(i)) {
      continue;
    }
    const auto kind = [&] {
      switch (array.kind) {
        case schedule::ArrayKind::Input:
          return BufferKind::Input;
        case schedule::ArrayKind::Param:
          return BufferKind::Param;
        case schedule::ArrayKind::Output:
          return BufferKind::Output;
        case schedule::ArrayKind::Local:
          return BufferKind::Temporary;
      }
      CATEN_UNREACHABLE("array kind");
    }();
    buffer_of[i] = static_cast<int>(buffers.size());
    buffers.push_back({kind, label_of(*schedule.graph, array.node), array.dtype,
                       array.declared_shape.value_or(array.shape), array.storage, array.written,
                       schedule.graph->span(array.node)});
  }
  std::vector<Kernel> kernels;
  for (const schedule::Kernel& source : schedule.kernels) {
    Kernel kernel;
    kernel.name = kernel_name(schedule, source);
    kernel.span = schedule.graph->span(schedule.statement(source.statements.back()).node);
    KernelBuilder(schedule, buffer_of, kernel).run(source);
    kernels.push_back(std::move(kernel));
  }
  const air::Graph& graph = *schedule.graph;
  std::vector<int> outputs;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const int buffer = buffer_of[schedule.output_arrays[i].index];
    outputs.push_back(buffer);
    Buffer& b = buffers[static_cast<size_t>(buffer)];
    if (b.kind == BufferKind::Output) {
      b.label = graph.outputs[i].name;
    }
  }
  std::map<air::NodeId, int> input_buffers;
  for (uint32_t i = 0; i < schedule.arrays.size(); ++i) {
    if (schedule.arrays[i].kind == schedule::ArrayKind::Input) {
      input_buffers[schedule.arrays[i].node] = buffer_of[i];
    }
  }
  std::vector<int> inputs;
  for (air::NodeId id : graph.inputs) {
    inputs.push_back(input_buffers.at(id));
  }
  Module module(std::move(schedule.pool));
  module.tiling = schedule.tiling;
  module.buffers = std::move(buffers);
  module.inputs = std::move(inputs);
  module.outputs = std::move(outputs);
  module.kernels = std::move(kernels);
  return module;
}

}  // namespace caten::loops
