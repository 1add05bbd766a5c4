// From loop statements to strip steps: where each value lives, which routine makes it.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "codegen/loops/visit.h"
#include "codegen/strip/strip.h"

namespace caten::strip {
namespace {

using index::ExprId;
using index::RangeId;
using loops::Block;
using loops::Stmt;

/// What the loop does to one array.
struct Access {
  std::vector<std::pair<size_t, ExprId>> loads;  // position, index
  std::vector<std::pair<size_t, ExprId>> writes;
  bool accumulates = false;
};

class Builder {
 public:
  Builder(const index::Pool& pool, const loops::Kernel& kernel, const loops::For& loop)
      : pool_(pool), kernel_(kernel), range_(loop.range), block_(loop.body) {}

  std::optional<Body> run() {
    if (!survey()) {
      return std::nullopt;
    }
    for (position_ = 0; position_ < block_.size(); ++position_) {
      release_dead_slots();
      if (!statement(block_[position_])) {
        return std::nullopt;
      }
    }
    if (calls_ == 0 || scalar_steps_ > calls_) {
      return std::nullopt;
    }
    for (const auto& [value, operand] : places_) {
      body_.places.emplace_back(ValueId{value}, operand);
    }
    body_.whole = body_.slots.empty() && scalar_steps_ == 0;
    return std::move(body_);
  }

 private:
  bool varies(ExprId expr) const { return pool_.uses(expr, range_); }
  bool varies(const loops::Guard& guard) const {
    return std::any_of(guard.begin(), guard.end(), [&](ExprId e) { return varies(e); });
  }
  bool varies(ValueId value) const { return varying_.contains(value.index); }
  DType dtype(ValueId value) const { return kernel_.value(value).dtype; }

  bool statement_varies(const Stmt& stmt) const {
    bool out = false;
    loops::for_each_operand(stmt, [&](ValueId value) { out |= varies(value); });
    loops::for_each_expr(stmt, [&](ExprId expr) { out |= varies(expr); });
    return out;
  }

  /// Collects uses and accesses. False when some statement cannot run in strips.
  bool survey() {
    for (size_t i = 0; i < block_.size(); ++i) {
      const Stmt& stmt = block_[i];
      loops::for_each_operand(stmt, [&](ValueId value) {
        last_use_[value.index] = i;
        ++uses_[value.index];
      });
      const std::optional<ValueId> value = loops::defined_by(stmt);
      if (value) {
        if (statement_varies(stmt)) {
          varying_.emplace(value->index, i);
        }
        if (const auto* load = std::get_if<loops::Load>(&stmt.node)) {
          accesses_[load->array.index].loads.emplace_back(i, load->index);
          loaded_.emplace(value->index, i);
        }
        continue;
      }
      if (const auto* store = std::get_if<loops::Store>(&stmt.node)) {
        accesses_[store->array.index].writes.emplace_back(i, store->index);
        if (!varies(store->index)) {
          return false;
        }
      } else if (const auto* sum = std::get_if<loops::Accumulate>(&stmt.node)) {
        Access& access = accesses_[sum->array.index];
        access.writes.emplace_back(i, sum->index);
        access.accumulates = true;
        const std::optional<int64_t> stride = pool_.linear_coefficient(sum->index, range_);
        if (!stride || (*stride != 0 && *stride != 1)) {
          return false;
        }
      } else {
        return false;
      }
    }
    // What is accumulated must not be read, and written once; of what is stored only that element
    // may be read.
    return std::none_of(accesses_.begin(), accesses_.end(), [](const auto& entry) {
      const Access& a = entry.second;
      if (a.accumulates) {
        return !a.loads.empty() || a.writes.size() > 1;
      }
      return !a.writes.empty() &&
             std::any_of(a.loads.begin(), a.loads.end(),
                         [&](const auto& load) { return load.second != a.writes.front().second; });
    });
  }

  size_t new_slot(DType dtype) {
    for (size_t i = 0; i < body_.slots.size(); ++i) {
      if (free_[i] && size_of(body_.slots[i]) == size_of(dtype) &&
          is_float(body_.slots[i]) == is_float(dtype)) {
        free_[i] = false;
        return i;
      }
    }
    body_.slots.push_back(dtype);
    free_.push_back(false);
    return body_.slots.size() - 1;
  }

  /// Slots of values that no statement from here on uses become free again.
  void release_dead_slots() {
    for (auto it = owners_.begin(); it != owners_.end();) {
      const auto last = last_use_.find(it->first);
      const bool dead = last == last_use_.end() || last->second < position_;
      if (dead) {
        if (--shared_[it->second] == 0) {
          free_[it->second] = true;
        }
        it = owners_.erase(it);
      } else {
        ++it;
      }
    }
  }

  Operand slot_for(ValueId value) {
    Operand out;
    out.kind = Operand::Kind::Slot;
    out.storage = slot_dtype(dtype(value));
    out.slot = new_slot(out.storage);
    owners_.emplace(value.index, out.slot);
    shared_[out.slot] = 1;
    return out;
  }

  static Operand memory(ArrayId array, ExprId index, DType storage) {
    Operand out;
    out.kind = Operand::Kind::Memory;
    out.array = array;
    out.index = index;
    out.storage = storage;
    return out;
  }

  Operand operand(ValueId value) const {
    if (auto place = places_.find(value.index); place != places_.end()) {
      return place->second;
    }
    Operand out;
    out.value = value;
    out.storage = slot_dtype(dtype(value));
    return out;
  }

  /// The element type of an array as values of it are held, when no conversion lies between.
  bool is_plain(ArrayId id) const {
    const loops::Array& array = kernel_.array(id);
    return !array.is_scalar && (!is_half(array.dtype) || array.widened);
  }
  DType element(ArrayId id) const {
    const loops::Array& array = kernel_.array(id);
    return array.widened ? DType::Float32 : array.dtype;
  }

  /// The place of the only store of a value when the step at `position_` may write straight to it:
  /// whatever the loop reads of the array is that element, and has been used by then.
  std::optional<Operand> destination(ValueId value) const {
    for (size_t i = position_ + 1; i < block_.size(); ++i) {
      const auto* store = std::get_if<loops::Store>(&block_[i].node);
      if (store == nullptr || store->value != value || !is_plain(store->array) ||
          element(store->array) != slot_dtype(dtype(value)) ||
          pool_.linear_coefficient(store->index, range_) != 1) {
        continue;
      }
      const Access& access = accesses_.at(store->array.index);
      if (access.writes.size() != 1 || !reads_only(access, store->index)) {
        return std::nullopt;
      }
      return memory(store->array, store->index, element(store->array));
    }
    return std::nullopt;
  }

  /// All loads are of element `index`, and nothing uses them after this statement.
  bool reads_only(const Access& access, ExprId index) const {
    return std::all_of(access.loads.begin(), access.loads.end(), [&](const auto& load) {
      const ValueId value = *loops::defined_by(block_[load.first]);
      const auto last = last_use_.find(value.index);
      return load.second == index && load.first < position_ + 1 &&
             (last == last_use_.end() || last->second <= position_);
    });
  }

  Operand place_for(ValueId value) {
    Operand out = destination(value).value_or(Operand{});
    if (out.kind == Operand::Kind::Scalar) {
      out = slot_for(value);
    }
    places_[value.index] = out;
    return out;
  }

  void call(Step step) {
    ++calls_;
    body_.steps.push_back(std::move(step));
  }

  /// The statement itself for every element.
  bool scalar_step(const Stmt& stmt) {
    Step step;
    step.kind = Step::Kind::Scalar;
    step.stmt = &stmt;
    if (const std::optional<ValueId> value = loops::defined_by(stmt)) {
      step.out = place_for(*value);
    }
    body_.steps.push_back(std::move(step));
    ++scalar_steps_;
    return true;
  }

  bool statement(const Stmt& stmt) {
    const std::optional<ValueId> value = loops::defined_by(stmt);
    if (value && !varies(*value)) {
      body_.invariants.push_back(&stmt);
      return true;
    }
    if (const auto* s = std::get_if<loops::Let>(&stmt.node)) {
      return let(stmt, *s);
    }
    if (const auto* s = std::get_if<loops::Load>(&stmt.node)) {
      return load(stmt, *s);
    }
    if (const auto* s = std::get_if<loops::IndexValue>(&stmt.node)) {
      return index_value(stmt, *s);
    }
    if (const auto* s = std::get_if<loops::Store>(&stmt.node)) {
      return store(stmt, *s);
    }
    if (const auto* s = std::get_if<loops::Accumulate>(&stmt.node)) {
      return accumulate(*s);
    }
    return scalar_step(stmt);
  }

  bool let(const Stmt& stmt, const loops::Let& s) {
    const size_t typed = s.op == air::Op::Where ? 1 : 0;
    const std::optional<Routine> found = routine(s.op, dtype(s.value), dtype(s.args[typed]));
    if (!found) {
      return scalar_step(stmt);
    }
    if (is_part_of_dot(s)) {
      products_.emplace(s.value.index, &s);
      return true;
    }
    if (found->function.empty()) {  // the same strip under another name
      alias(s.value, s.args[0]);
      return true;
    }
    Step step;
    step.function = found->function;
    step.effect = Step::Effect::Operation;
    step.op = s.op;
    step.type = dtype(s.value);
    step.from = dtype(s.args[typed]);
    for (ValueId arg : s.args) {
      step.in.push_back(operand(arg));
    }
    step.kind = s.args.size() == 1   ? Step::Kind::Unary
                : s.args.size() == 2 ? Step::Kind::Binary
                                     : Step::Kind::Where;
    step.out = place_for(s.value);
    const Operand out = step.out;
    call(std::move(step));
    if (is_half(found->round)) {
      Step round;
      round.function = routine(air::Op::Cast, found->round, DType::Float32)->function;
      round.effect = Step::Effect::Round;
      round.type = found->round;
      round.out = out;
      round.in = {out};
      call(std::move(round));
    }
    return true;
  }

  void alias(ValueId value, ValueId source) {
    const Operand place = operand(source);
    places_[value.index] = place;
    if (place.kind == Operand::Kind::Slot) {
      owners_.emplace(value.index, place.slot);
      ++shared_[place.slot];
    }
  }

  /// A product of floats that only the sum over this loop uses.
  bool is_part_of_dot(const loops::Let& s) const {
    if (s.op != air::Op::Mul || uses_.at(s.value.index) != 1 || !varies(s.args[0]) ||
        !varies(s.args[1]) ||
        (dtype(s.value) != DType::Float32 && dtype(s.value) != DType::Float64)) {
      return false;
    }
    const auto* sum = std::get_if<loops::Accumulate>(&block_[last_use_.at(s.value.index)].node);
    // Its operands have to be where they are until then.
    return sum != nullptr && sum->value == s.value && sum->op == air::ReduceOp::Add &&
           !varies(sum->index) && last_use_.at(s.value.index) == position_ + 1;
  }

  bool load(const Stmt& stmt, const loops::Load& s) {
    const std::optional<int64_t> stride = pool_.linear_coefficient(s.index, range_);
    if (!s.guard.empty() || !stride || *stride == 0) {
      return scalar_step(stmt);
    }
    const loops::Array& array = kernel_.array(s.array);
    const Access& access = accesses_.at(s.array.index);
    const Operand source = memory(s.array, s.index, element(s.array));
    if (*stride == 1 && is_plain(s.array) && stays(access, s)) {
      places_[s.value.index] = source;
      return true;
    }
    Step step;
    step.in = {source};
    if (*stride != 1) {
      if (!is_plain(s.array)) {
        return scalar_step(stmt);
      }
      step.kind = Step::Kind::Strided;
      step.function = fmt::format("ct_take_{}", size_of(source.storage) * 8);
      step.stride = *stride;
    } else if (is_plain(s.array)) {
      step.effect = Step::Effect::Move;
      step.function = fmt::format("ct_copy_{}", size_of(source.storage) * 8);
    } else {
      step.effect = Step::Effect::Move;
      step.function = array.dtype == DType::Float16 ? "ct_widen_f16" : "ct_widen_bf16";
    }
    step.out = slot_for(s.value);
    places_[s.value.index] = step.out;
    call(std::move(step));
    return true;
  }

  /// Whether memory keeps what a load finds there until the last use: the loop writes the array
  /// later or not at all.
  bool stays(const Access& access, const loops::Load& s) const {
    const auto last = last_use_.find(s.value.index);
    return std::all_of(access.writes.begin(), access.writes.end(), [&](const auto& write) {
      // The value stored may be computed in place by the step of the last use, see destination().
      return last == last_use_.end() ||
             (write.second == s.index && last->second <= write.first && access.writes.size() == 1 &&
              !computed_before(write.first, last->second));
    });
  }

  /// Whether what statement `store` stores is computed before statement `use`.
  bool computed_before(size_t store, size_t use) const {
    const auto* s = std::get_if<loops::Store>(&block_[store].node);
    if (s == nullptr) {
      return true;
    }
    const auto made = varying_.find(s->value.index);
    return made != varying_.end() && made->second < use;
  }

  bool index_value(const Stmt& stmt, const loops::IndexValue& s) {
    const std::optional<int64_t> step_size = pool_.linear_coefficient(s.index, range_);
    if (!step_size || !s.guard.empty()) {
      return scalar_step(stmt);
    }
    Step step;
    step.kind = Step::Kind::Iota;
    step.function = "ct_iota_64";
    step.index = s.index;
    step.stride = *step_size;
    step.out = place_for(s.value);
    call(std::move(step));
    return true;
  }

  bool store(const Stmt& stmt, const loops::Store& s) {
    const Operand value = operand(s.value);
    const std::optional<int64_t> stride = pool_.linear_coefficient(s.index, range_);
    if (value.kind == Operand::Kind::Memory && value.array == s.array && value.index == s.index) {
      return true;  // computed in place
    }
    const bool plain = is_plain(s.array);
    if (!stride || *stride == 0 || (*stride != 1 && !plain) ||
        (value.kind == Operand::Kind::Scalar && (*stride != 1 || !plain))) {
      return scalar_step(stmt);
    }
    Step step;
    step.out = memory(s.array, s.index, element(s.array));
    step.in = {value};
    const int width = size_of(step.out.storage) * 8;
    step.effect = *stride == 1 ? Step::Effect::Move : Step::Effect::None;
    if (*stride != 1) {
      step.kind = Step::Kind::Strided;
      step.function = fmt::format("ct_put_{}", width);
      step.stride = *stride;
    } else if (value.kind == Operand::Kind::Scalar) {
      step.function = fmt::format("ct_fill_{}", width);
    } else if (plain) {
      step.function = fmt::format("ct_copy_{}", width);
    } else {
      step.function = element(s.array) == DType::Float16 ? "ct_narrow_f16" : "ct_narrow_bf16";
    }
    call(std::move(step));
    return true;
  }

  bool accumulate(const loops::Accumulate& s) {
    const loops::Array& array = kernel_.array(s.array);
    const DType held = element(s.array);
    if (is_half(held) || slot_dtype(dtype(s.value)) != held) {
      return false;
    }
    Step step;
    step.out = memory(s.array, s.index, held);
    if (varies(s.index)) {
      const air::Op op = [&] {
        switch (s.op) {
          case air::ReduceOp::Add:
            return air::Op::Add;
          case air::ReduceOp::Mul:
            return air::Op::Mul;
          case air::ReduceOp::Max:
            return air::Op::Max;
          case air::ReduceOp::Min:
            return air::Op::Min;
          case air::ReduceOp::And:
            return air::Op::And;
          case air::ReduceOp::Or:
            return air::Op::Or;
        }
        return air::Op::Add;
      }();
      const std::optional<Routine> found = routine(op, held, held);
      if (!found || array.is_scalar) {
        return false;
      }
      step.kind = Step::Kind::Binary;
      step.function = found->function;
      step.effect = Step::Effect::Operation;
      step.op = op;
      step.type = held;
      step.from = held;
      step.in = {step.out, operand(s.value)};
      call(std::move(step));
      return true;
    }
    if (auto product = products_.find(s.value.index); product != products_.end()) {
      step.kind = Step::Kind::Dot;
      step.function = held == DType::Float64 ? "ct_dot_f64" : "ct_dot_f32";
      step.in = {operand(product->second->args[0]), operand(product->second->args[1])};
      call(std::move(step));
      return true;
    }
    Operand value = operand(s.value);
    if (value.kind == Operand::Kind::Scalar) {  // the same term in every iteration
      Step fill;
      fill.function = fmt::format("ct_fill_{}", size_of(held) * 8);
      fill.effect = Step::Effect::Move;
      fill.in = {value};
      fill.out.kind = Operand::Kind::Slot;
      fill.out.storage = held;
      fill.out.slot = new_slot(held);
      value = fill.out;
      call(std::move(fill));
    }
    step.kind = Step::Kind::Reduce;
    step.function = reduce_routine(s.op, held);
    step.reduction = s.op;
    step.in = {value};
    call(std::move(step));
    return true;
  }

  const index::Pool& pool_;
  const loops::Kernel& kernel_;
  const RangeId range_;
  const Block& block_;
  size_t position_ = 0;
  std::unordered_map<uint32_t, size_t> last_use_;  // per value
  std::unordered_map<uint32_t, int> uses_;
  std::unordered_map<uint32_t, size_t> varying_;  // value -> statement
  std::unordered_map<uint32_t, size_t> loaded_;
  std::map<uint32_t, Access> accesses_;  // per array
  std::map<uint32_t, Operand> places_;   // varying values
  std::map<uint32_t, size_t> owners_;    // value -> its slot
  std::map<size_t, int> shared_;         // slot -> how many values are in it
  std::unordered_map<uint32_t, const loops::Let*> products_;
  std::vector<bool> free_;
  int calls_ = 0;
  int scalar_steps_ = 0;
  Body body_;
};

}  // namespace

std::optional<Body> build(const index::Pool& pool, const loops::Kernel& kernel,
                          const loops::For& loop) {
  return Builder(pool, kernel, loop).run();
}

}  // namespace caten::strip
