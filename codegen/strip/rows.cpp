// Rows: a loop around strips becomes one vector program of several phases. What is between the
// strips (the mean of a row, one over its sum) is computed once per row; numbers that a strip or a
// later phase needs are in cells.
#include <algorithm>
#include <unordered_set>

#include "codegen/loops/visit.h"
#include "codegen/strip/run.h"

namespace caten::strip {
namespace {

using vector::Value;

/// Rows of fewer elements are faster one element after the other.
constexpr int64_t kShortestRow = 2;

class RowsBuilder : private Run {
 public:
  RowsBuilder(Isa isa, int lane_bytes, index::Pool& pool, const loops::Kernel& kernel,
              const loops::For& loop, const Constants& constants)
      : Run(isa, lane_bytes, constants), pool_(pool), kernel_(kernel), loop_(loop) {}

  std::optional<Rows> run() {
    if (!has_only_strips()) {
      return std::nullopt;
    }
    survey();
    for (position_ = 0; position_ < loop_.body.size(); ++position_) {
      if (!statement(loop_.body[position_]) || streams_ > vector::kMaxStreams ||
          builder_.size() > kMaxProgram) {
        return std::nullopt;
      }
    }
    out_.in = pointers();
    for (Operand& operand : out_.in) {
      out_.steps.push_back(pool_.constant(0));
      if (operand.kind != Operand::Kind::Memory) {
        continue;
      }
      const ExprId next = pool_.add(pool_.range(loop_.range), pool_.constant(1));
      const ExprId moved = pool_.substitute(operand.index, {{loop_.range, next}});
      out_.steps.back() = pool_.sub(moved, operand.index);
      if (pool_.uses(out_.steps.back(), loop_.range)) {
        return std::nullopt;
      }
    }
    out_.code = vector::assemble(builder_.isa(), take());
    return std::move(out_);
  }

 private:
  /// Whether what is inside the loop are strips of one number of elements. Loops that are too short
  /// for the calls of strips are strips here: one call is for many rows.
  bool has_only_strips() const {
    const loops::For* first = nullptr;
    for (const loops::Stmt& stmt : loop_.body) {
      if (loops::body_of(stmt) == nullptr) {
        continue;
      }
      const auto* strip = std::get_if<loops::For>(&stmt.node);
      if (strip == nullptr || !pool_.is(strip->lo, 0) || pool_.uses(strip->hi, loop_.range) ||
          (first != nullptr && strip->hi != first->hi)) {
        return false;
      }
      const std::optional<int64_t> count = pool_.constant_value(strip->hi);
      const bool is_short = strip->kind == loops::LoopKind::Serial && count >= kShortestRow;
      if (strip->kind != loops::LoopKind::Strip && !is_short) {
        return false;
      }
      first = strip;
    }
    return first != nullptr;
  }

  /// Where values are used last, and which are defined here.
  void survey() {
    for (size_t at = 0; at < loop_.body.size(); ++at) {
      const auto note = [&](const loops::Stmt& stmt) {
        loops::for_each_operand(stmt, [&](ValueId value) { last_use_[value.index] = at; });
        if (const std::optional<ValueId> value = loops::defined_by(stmt)) {
          defined_here_.insert(value->index);
        }
      };
      note(loop_.body[at]);
      if (const loops::Block* body = loops::body_of(loop_.body[at])) {
        loops::for_each_stmt(*body, note);
      }
    }
  }

  bool statement(const loops::Stmt& stmt) {
    if (const auto* s = std::get_if<loops::Scratch>(&stmt.node)) {
      own_.insert(s->array.index);
      if (!kernel_.array(s->array).is_scalar) {
        out_.arrays.push_back(s->array);
      }
      return true;
    }
    if (const auto* s = std::get_if<loops::For>(&stmt.node)) {
      return strip(*s);
    }
    if (std::holds_alternative<loops::Comment>(stmt.node) ||
        std::holds_alternative<loops::Constant>(stmt.node)) {
      return true;
    }
    once();
    if (const auto* s = std::get_if<loops::Load>(&stmt.node)) {
      return load(*s);
    }
    if (const auto* s = std::get_if<loops::Let>(&stmt.node)) {
      return let(*s);
    }
    if (const auto* s = std::get_if<loops::Store>(&stmt.node)) {
      return store(*s);
    }
    return false;
  }

  /// From here on a phase that runs once.
  void once() {
    if (!is_once_) {
      builder_.begin_phase(true);
      is_once_ = true;
      memory_.clear();
    }
  }

  Operand element(ArrayId array, ExprId index) const {
    Operand out;
    out.kind = Operand::Kind::Memory;
    out.array = array;
    out.index = index;
    out.storage = kernel_.array(array).widened ? DType::Float32 : kernel_.array(array).dtype;
    return out;
  }
  /// A scalar of this row, which lives in its cell alone.
  bool is_own_scalar(ArrayId array) const {
    return kernel_.array(array).is_scalar && own_.contains(array.index);
  }
  uint32_t new_cell(DType dtype) { return builder_.pointer(vector::Role::Cell, dtype); }

  std::optional<uint32_t> cell_of(const Operand& operand) const override {
    if (operand.kind == Operand::Kind::Memory) {
      const auto found = elements_.find(key_of(operand));
      return found == elements_.end() ? std::nullopt : std::optional(found->second);
    }
    const auto found = cells_.find(operand.value.index);
    return found == cells_.end() ? std::nullopt : std::optional(found->second);
  }

  /// A value in a phase that runs once.
  std::optional<Value> number(ValueId id) {
    if (const auto found = current_.find(id.index); found != current_.end()) {
      return found->second;
    }
    if (defined_here_.contains(id.index) && !cells_.contains(id.index) &&
        !constants_.contains(id.index)) {
      return std::nullopt;
    }
    Operand operand;
    operand.value = id;
    operand.storage = slot_dtype(kernel_.value(id).dtype);
    return has_plain_lanes(id) ? value(operand) : std::nullopt;
  }
  bool has_plain_lanes(ValueId id) const {
    const DType dtype = kernel_.value(id).dtype;
    const bool is_whole = dtype == DType::Bool || size_of(dtype) == builder_.lane_bytes();
    return has_lanes(dtype) && is_whole;
  }

  bool load(const loops::Load& s) {
    if (!s.guard.empty() || !has_plain_lanes(s.value)) {
      return false;
    }
    const Operand place = element(s.array, s.index);
    if (const std::optional<uint32_t> cell = cell_of(place)) {
      cells_[s.value.index] = *cell;  // which does not change any more
      if (const auto known = written_.find(*cell); known != written_.end()) {
        current_[s.value.index] = known->second;
      }
      return true;
    }
    if (kernel_.array(s.array).is_scalar) {
      return false;
    }
    current_[s.value.index] = builder_.load(pointer(place, vector::Role::Stream));
    return true;
  }

  bool let(const loops::Let& s) {
    std::vector<Value> args;
    for (ValueId arg : s.args) {
      const std::optional<Value> known = number(arg);
      if (!known) {
        return false;
      }
      args.push_back(*known);
    }
    if (!has_plain_lanes(s.value)) {
      return false;
    }
    const size_t typed = s.op == air::Op::Where ? 1 : 0;
    const std::optional<Value> result = vector::operation(
        builder_, s.op, kernel_.value(s.value).dtype, kernel_.value(s.args[typed]).dtype, args);
    if (result) {
      current_[s.value.index] = *result;
    }
    return result.has_value();
  }

  bool store(const loops::Store& s) {
    const std::optional<Value> given = number(s.value);
    if (!given || !has_lanes(element(s.array, s.index).storage)) {
      return false;
    }
    const Operand place = element(s.array, s.index);
    if (is_own_scalar(s.array)) {
      put(place, *given);
      return true;
    }
    if (kernel_.array(s.array).is_scalar) {
      return false;
    }
    builder_.store(pointer(place, vector::Role::Stream), *given);
    forget(s.array);
    return true;
  }
  /// The element is in a cell of its own now: those that it was in before keep what values were
  /// read from them.
  void put(const Operand& place, Value value) {
    const uint32_t cell = new_cell(place.storage);
    builder_.store(cell, value);
    elements_[key_of(place)] = cell;
    written_[cell] = value;
  }
  void forget(ArrayId array) {
    std::erase_if(elements_, [&](const auto& entry) {
      return std::get<2>(entry.first) == array.index && !is_own_scalar(array);
    });
  }

  /// Numbers that are used from here on get cells.
  void keep_numbers() {
    for (const auto& [id, value] : current_) {
      const auto last = last_use_.find(id);
      if (last != last_use_.end() && last->second >= position_ && !cells_.contains(id)) {
        cells_[id] = new_cell(kernel_.value(ValueId{id}).dtype);
        builder_.store(cells_[id], value);
      }
    }
    current_.clear();
    written_.clear();
  }

  bool strip(const loops::For& loop) {
    std::optional<Body> body = build(pool_, kernel_, loop);
    if (!body) {
      return false;
    }
    for (const loops::Stmt* stmt : body->invariants) {
      if (!statement(*stmt)) {
        return false;
      }
    }
    const auto first = [&](Operand& operand) {
      if (operand.kind == Operand::Kind::Memory) {
        operand.index = pool_.substitute(operand.index, {{loop.range, pool_.constant(0)}});
      }
    };
    std::vector<Operand> sums;
    for (Step& step : body->steps) {
      first(step.out);
      std::for_each(step.in.begin(), step.in.end(), first);
      if (reduction(step)) {
        sums.push_back(step.out);
      }
    }
    once();
    for (const Operand& sum : sums) {
      const std::optional<uint32_t> start = cell_of(sum);
      if (!start && kernel_.array(sum.array).is_scalar) {
        return false;
      }
      if (!start) {
        put(sum, builder_.load(pointer(sum, vector::Role::Stream)));
        continue;
      }
      const auto known = written_.find(*start);
      put(sum, known != written_.end() ? known->second : builder_.scalar(*start));
    }
    keep_numbers();
    builder_.begin_phase(false);
    is_once_ = false;
    memory_.clear();
    slots_.clear();
    sums_ = 0;
    for (const Step& step : body->steps) {
      if (!add(step)) {
        return false;
      }
      if (!reduction(step) && step.out.kind == Operand::Kind::Memory) {
        forget(step.out.array);
      }
    }
    out_.count = loop.hi;
    for (const Operand& sum : sums) {
      if (!is_own_scalar(sum.array)) {
        once();
        const std::optional<uint32_t> cell = cell_of(sum);
        if (!cell) {
          return false;
        }
        builder_.store(pointer(sum, vector::Role::Stream), builder_.scalar(*cell));
      }
    }
    return true;
  }

  index::Pool& pool_;
  const loops::Kernel& kernel_;
  const loops::For& loop_;
  Rows out_;
  size_t position_ = 0;
  bool is_once_ = false;
  std::unordered_map<uint32_t, size_t> last_use_;  // per value
  std::unordered_set<uint32_t> defined_here_;
  std::unordered_set<uint32_t> own_;    // arrays declared in the loop
  std::map<uint32_t, Value> current_;   // values of this phase, which runs once
  std::map<uint32_t, Value> written_;   // cells of this phase
  std::map<uint32_t, uint32_t> cells_;  // value -> its cell
  std::map<Key, uint32_t> elements_;    // element -> the cell that has the same number
};

}  // namespace

std::optional<Rows> build_rows(Isa isa, index::Pool& pool, const loops::Kernel& kernel,
                               const loops::For& loop, const Constants& constants) {
  for (const int lane_bytes : {4, 8}) {
    std::optional<Rows> found = RowsBuilder(isa, lane_bytes, pool, kernel, loop, constants).run();
    if (found) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace caten::strip
