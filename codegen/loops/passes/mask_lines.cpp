// From which column on a condition of a row is false: comparisons of positions, alone, in a
// conjunction with anything, or stored in an array before.
#include "codegen/loops/passes/mask_lines.h"

#include <algorithm>

namespace caten::loops {
namespace {

/// Sizes and positions in masks stay far from the ends of int64.
constexpr int64_t kMostOffset = int64_t{1} << 40;
/// Values looked at for one condition; shared ones count as often as they are used.
constexpr int kMostSteps = 64;

}  // namespace

// ---- stored masks ----

StoredMasks::StoredMasks(const Kernel& kernel) {
  std::vector<For> loops;
  std::vector<const Stmt*> defined;
  collect(kernel.body, loops, defined, kernel);
  for (uint32_t array : rewritten_) {
    masks_.erase(array);
  }
}

void StoredMasks::collect(const Block& block, std::vector<For>& loops,
                          std::vector<const Stmt*>& defined, const Kernel& kernel) {
  const size_t before = defined.size();
  for (const Stmt& stmt : block) {
    if (defined_by(stmt)) {
      defined.push_back(&stmt);
    } else if (const auto* loop = std::get_if<For>(&stmt.node)) {
      loops.push_back({loop->range, loop->lo, loop->hi, loop->kind, {}});
      collect(loop->body, loops, defined, kernel);
      loops.pop_back();
    } else if (const Block* body = body_of(stmt)) {
      collect(*body, loops, defined, kernel);
    } else if (const auto* store = std::get_if<Store>(&stmt.node)) {
      const Array& array = kernel.array(store->array);
      if (array.dtype != DType::Bool || array.space != ArraySpace::Scratch) {
        continue;
      }
      if (masks_.contains(store->array.index)) {
        rewritten_.insert(store->array.index);
        continue;
      }
      Mask mask{loops, {}, store->index, store->value};
      for (const Stmt* definition : defined) {
        mask.body.push_back(*definition);
      }
      masks_.emplace(store->array.index, std::move(mask));
    } else if (const auto* sum = std::get_if<Accumulate>(&stmt.node)) {
      rewritten_.insert(sum->array.index);
    }
  }
  defined.resize(before);
}

const StoredMasks::Mask* StoredMasks::find(ArrayId array) const {
  const auto found = masks_.find(array.index);
  return found == masks_.end() ? nullptr : &found->second;
}

// ---- lines ----

std::optional<MaskLine> MaskReader::line(ValueId condition, const Definitions& defined,
                                         const Grid& grid) {
  steps_ = 0;
  const std::optional<ExprId> shown = visible_if(condition, {&defined, {}}, grid);
  if (!shown) {
    return std::nullopt;
  }
  return MaskLine{pool_.substitute(*shown, {{grid.column, pool_.constant(0)}}),
                  *pool_.linear_coefficient(*shown, grid.column)};
}

/// An expression that is >= 0 wherever the condition holds, and that falls with the column.
std::optional<ExprId> MaskReader::visible_if(ValueId condition, const Scope& scope,
                                             const Grid& grid) {
  if (++steps_ > kMostSteps) {
    return std::nullopt;
  }
  const auto found = scope.defined->find(condition.index);
  if (found == scope.defined->end()) {
    return std::nullopt;
  }
  if (const auto* load = std::get_if<Load>(&found->second->node)) {
    return scope.ranges.empty() ? stored_mask(*load, grid) : std::nullopt;
  }
  const auto* let = std::get_if<Let>(&found->second->node);
  if (let == nullptr) {
    return std::nullopt;
  }
  if (let->op == air::Op::And || let->op == air::Op::Where) {
    const Constant* other = let->op == air::Op::Where ? constant(let->args[2], scope) : nullptr;
    const bool falls = let->op == air::Op::And || (other != nullptr && other->scalar.bits() == 0);
    std::optional<ExprId> out = falls ? visible_if(let->args[0], scope, grid) : std::nullopt;
    return out || !falls ? out : visible_if(let->args[1], scope, grid);
  }
  if (let->op != air::Op::Le && let->op != air::Op::Lt) {
    return std::nullopt;
  }
  const std::optional<ExprId> low = position(let->args[0], scope);
  const std::optional<ExprId> high = position(let->args[1], scope);
  if (!low || !high) {
    return std::nullopt;
  }
  const ExprId room = pool_.sub(*high, *low);
  const ExprId out = let->op == air::Op::Le ? room : pool_.sub(room, pool_.constant(1));
  const std::optional<int64_t> slope = pool_.linear_coefficient(out, grid.column);
  return slope && *slope < 0 ? std::optional(out) : std::nullopt;
}

/// The value as an index expression.
std::optional<ExprId> MaskReader::position(ValueId value, const Scope& scope) {
  if (++steps_ > kMostSteps || kernel_.value(value).dtype != DType::Int64) {
    return std::nullopt;
  }
  if (const Constant* number = constant(value, scope)) {
    return offset(*number);
  }
  const auto found = scope.defined->find(value.index);
  if (found == scope.defined->end()) {
    return std::nullopt;
  }
  if (const auto* index = std::get_if<IndexValue>(&found->second->node)) {
    const bool plain = index->guard.empty() && !pool_.has_symbolic_divisor(index->index);
    return plain ? std::optional(pool_.substitute(index->index, scope.ranges)) : std::nullopt;
  }
  const auto* let = std::get_if<Let>(&found->second->node);
  if (let == nullptr || (let->op != air::Op::Add && let->op != air::Op::Sub)) {
    return std::nullopt;
  }
  const std::optional<ExprId> a = position(let->args[0], scope);
  const std::optional<ExprId> b = position(let->args[1], scope);
  if (!a || !b) {
    return std::nullopt;
  }
  return let->op == air::Op::Add ? pool_.add(*a, *b) : pool_.sub(*a, *b);
}
std::optional<ExprId> MaskReader::offset(const Constant& number) {
  const int64_t value = number.scalar.as_int();
  const bool is_small = -kMostOffset < value && value < kMostOffset;
  return is_small ? std::optional(pool_.constant(value)) : std::nullopt;
}

/// A mask that was stored before the rows: its ranges become those of the load.
std::optional<ExprId> MaskReader::stored_mask(const Load& load, const Grid& grid) {
  const StoredMasks::Mask* mask = masks_.find(load.array);
  if (mask == nullptr || !load.guard.empty()) {
    return std::nullopt;
  }
  index::Pool::Substitution ranges;
  for (const For& loop : mask->loops) {
    const ExprId stride = step(mask->index, loop.range);
    const std::pair<RangeId, ExprId> candidates[] = {{grid.column, grid.columns},
                                                     {grid.row, grid.rows}};
    for (const auto& [range, extent] : candidates) {
      if (pool_.is(loop.lo, 0) && loop.hi == extent && step(load.index, range) == stride) {
        ranges.emplace_back(loop.range, pool_.range(range));
        break;
      }
    }
  }
  if (ranges.size() != mask->loops.size() || pool_.substitute(mask->index, ranges) != load.index) {
    return std::nullopt;
  }
  Definitions defined;
  for (const Stmt& stmt : mask->body) {
    if (const std::optional<ValueId> value = defined_by(stmt)) {
      defined[value->index] = &stmt;
    }
  }
  const std::optional<ExprId> out = visible_if(mask->value, {&defined, ranges}, grid);
  // An index that was read for the mask is not known here.
  const bool known =
      out && std::all_of(pool_.ranges_of(*out).begin(), pool_.ranges_of(*out).end(),
                         [&](RangeId range) { return range == grid.row || range == grid.column; });
  return known ? out : std::nullopt;
}

const Constant* MaskReader::constant(ValueId value, const Scope& scope) const {
  const auto local = scope.defined->find(value.index);
  if (local != scope.defined->end()) {
    return std::get_if<Constant>(&local->second->node);
  }
  const auto outer = constants_.find(value.index);
  return outer == constants_.end() ? nullptr : &outer->second;
}

ExprId MaskReader::step(ExprId expr, RangeId range) {
  const ExprId next = pool_.add(pool_.range(range), pool_.constant(1));
  return pool_.sub(pool_.substitute(expr, {{range, next}}), expr);
}

}  // namespace caten::loops
