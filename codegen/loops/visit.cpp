// Arguments of kernels; cloning of statements.
#include "codegen/loops/visit.h"

namespace caten::loops {

std::vector<ArrayId> arguments_of(const Kernel& kernel) {
  std::vector<char> touched(kernel.arrays.size(), 0);
  for_each_stmt(kernel.body, [&](const Stmt& stmt) {
    std::visit(Overloaded{
                   [&](const Load& s) { touched[s.array.index] = 1; },
                   [&](const Store& s) { touched[s.array.index] = 1; },
                   [&](const Accumulate& s) { touched[s.array.index] = 1; },
                   [&](const SortLine& s) {
                     for (ArrayId array : {s.order, s.keys, s.work}) {
                       touched[array.index] = 1;
                     }
                   },
                   [&](const Call& s) {
                     for (const Call::Pointer& pointer : s.pointers) {
                       touched[pointer.array.index] = 1;
                     }
                   },
                   [](const auto&) {},
               },
               stmt.node);
  });
  std::vector<ArrayId> out;
  for (uint32_t i = 0; i < kernel.arrays.size(); ++i) {
    if (touched[i] != 0 && kernel.arrays[i].space == ArraySpace::Buffer) {
      out.push_back(ArrayId{i});
    }
  }
  return out;
}

ValueId Cloner::value(ValueId original) const {
  auto it = values_.find(original.index);
  return it == values_.end() ? original : it->second;
}

Block Cloner::clone(const Block& block) {
  Block out;
  out.reserve(block.size());
  for (const Stmt& stmt : block) {
    out.push_back(clone(stmt));
  }
  return out;
}

Stmt Cloner::clone(const Stmt& stmt) {
  Stmt out;
  if (const auto* loop = std::get_if<For>(&stmt.node)) {
    For copy{loop->range, loop->lo, loop->hi, loop->kind, {}};
    copy.lo = pool_.substitute(copy.lo, ranges_);
    copy.hi = pool_.substitute(copy.hi, ranges_);
    copy.cost = loop->cost;
    copy.worker_bytes = loop->worker_bytes;
    const index::Range info = pool_.range_info(loop->range);
    copy.range = pool_.new_range(pool_.substitute(info.extent, ranges_), info.kind);
    ranges_.emplace_back(loop->range, pool_.range(copy.range));
    copy.body = clone(loop->body);
    ranges_.pop_back();
    out.node = std::move(copy);
    return out;
  }
  out = stmt;
  for_each_operand(out, [&](ValueId& operand) { operand = value(operand); });
  for_each_expr(out, [&](ExprId& expr) { expr = pool_.substitute(expr, ranges_); });
  const auto array = [&](ArrayId& id) {
    if (auto it = arrays_.find(id.index); it != arrays_.end()) {
      id = it->second;
    }
  };
  const auto define = [&](ValueId& id) {
    const ValueInfo info = kernel_.value(id);
    const ValueId fresh = kernel_.new_value(info.dtype, info.label);
    values_[id.index] = fresh;
    id = fresh;
  };
  std::visit(Overloaded{
                 [&](Let& s) { define(s.value); },
                 [&](Constant& s) { define(s.value); },
                 [&](IndexValue& s) { define(s.value); },
                 [&](Load& s) {
                   array(s.array);
                   define(s.value);
                 },
                 [&](Select& s) { define(s.value); },
                 [&](Store& s) { array(s.array); },
                 [&](Accumulate& s) { array(s.array); },
                 [&](SortLine& s) {
                   array(s.order);
                   array(s.keys);
                   array(s.work);
                 },
                 [&](Call& s) {
                   for (Call::Pointer& pointer : s.pointers) {
                     array(pointer.array);
                   }
                 },
                 [&](Bind& s) {
                   const index::Range info = pool_.range_info(s.range);
                   const RangeId fresh =
                       pool_.new_range(pool_.substitute(info.extent, ranges_), info.kind);
                   ranges_.emplace_back(s.range, pool_.range(fresh));
                   s.range = fresh;
                 },
                 [&](Scratch& s) {
                   const ArrayId fresh = kernel_.new_array(Array(kernel_.array(s.array)));
                   arrays_[s.array.index] = fresh;
                   s.array = fresh;
                 },
                 [&](If& s) { s.body = clone(s.body); },
                 [](For&) {},
                 [](Comment&) {},
             },
             out.node);
  return out;
}

}  // namespace caten::loops
