// Fuse: neighbouring steps become one routine of their own, which keeps in registers what the steps
// would hand over in slots. What has no vector program stays a call between such routines.
#include <algorithm>
#include <map>
#include <tuple>

#include "codegen/loops/visit.h"
#include "codegen/strip/strip.h"
#include "codegen/vector/assemble.h"
#include "codegen/vector/operations.h"

namespace caten::strip {
namespace {

using vector::Code;
using vector::Value;

/// Longer programs only spill.
constexpr size_t kMaxProgram = 400;

std::optional<Code> reduction(const Step& step) {
  if (step.kind == Step::Kind::Dot) {
    return step.out.storage == DType::Float32 ? std::optional(Code::Dot) : std::nullopt;
  }
  if (step.kind != Step::Kind::Reduce || step.out.storage != DType::Float32) {
    return std::nullopt;
  }
  switch (step.reduction) {
    case air::ReduceOp::Add:
      return Code::Sum;
    case air::ReduceOp::Mul:
      return Code::Product;
    case air::ReduceOp::Max:
      return Code::Most;
    case air::ReduceOp::Min:
      return Code::Least;
    case air::ReduceOp::And:
    case air::ReduceOp::Or:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The slots that a step reads, as far as they matter here.
template <typename F>
void each_slot_read(const Body& body, const Step& step, F f) {
  for (const Operand& operand : step.in) {
    if (operand.kind == Operand::Kind::Slot) {
      f(operand.slot);
    }
  }
  if (step.stmt == nullptr) {
    return;
  }
  loops::for_each_operand(*step.stmt, [&](ValueId value) {
    for (const auto& [placed, operand] : body.places) {
      if (placed == value && operand.kind == Operand::Kind::Slot) {
        f(operand.slot);
      }
    }
  });
}

bool is_read_after(const Body& body, size_t end, size_t slot) {
  for (size_t i = end; i < body.steps.size(); ++i) {
    bool read = false;
    each_slot_read(body, body.steps[i], [&](size_t s) { read |= s == slot; });
    if (read) {
      return true;
    }
    const Operand& out = body.steps[i].out;
    if (out.kind == Operand::Kind::Slot && out.slot == slot) {
      return false;
    }
  }
  return false;
}

/// A run of steps as a vector program.
class Run {
 public:
  Run(const Constants& constants, const Body& body) : constants_(constants), body_(body) {}

  /// False when the step cannot be part of it; the run is of no use then.
  bool add(const Step& step) {
    if (const std::optional<Code> code = reduction(step)) {
      const uint32_t sum = pointer(step.out, vector::Role::Sum);
      const std::optional<Value> a = value(step.in[0]);
      const std::optional<Value> b = step.in.size() > 1 ? value(step.in[1]) : vector::kNone;
      if (!a || !b || ++sums_ > vector::kMaxSums) {
        return false;
      }
      builder_.reduce(*code, sum, *a, *b);
      return true;
    }
    std::vector<Value> args;
    for (const Operand& operand : step.in) {
      const std::optional<Value> arg =
          step.effect == Step::Effect::None ? std::nullopt : value(operand);
      if (!arg) {
        return false;
      }
      args.push_back(*arg);
    }
    switch (step.effect) {
      case Step::Effect::None:
        return false;
      case Step::Effect::Move:
        return give(step.out, args[0]);
      case Step::Effect::Round:
        return give(step.out, vector::rounded(builder_, step.type, args[0]));
      case Step::Effect::Operation:
        break;
    }
    const std::optional<Value> result =
        vector::operation(builder_, step.op, step.type, step.from, args);
    return result && give(step.out, *result);
  }

  /// Whether it is more than a routine can hold.
  bool is_full() const { return streams_ > vector::kMaxStreams || builder_.size() > kMaxProgram; }

  /// The step that does what steps up to `end` do; nullopt when it needs too much.
  std::optional<Step> finish(size_t end) {
    for (const auto& [slot, held] : slots_) {
      if (held.changed && is_read_after(body_, end, slot)) {
        Operand out;
        out.kind = Operand::Kind::Slot;
        out.slot = slot;
        out.storage = held.storage;
        builder_.store(pointer(out, vector::Role::Stream), held.value);
      }
    }
    if (is_full()) {
      return std::nullopt;
    }
    Step step;
    step.kind = Step::Kind::Fused;
    size_t next = 0;
    for (const vector::Pointer& pointer : builder_.pointers()) {
      if (pointer.role == vector::Role::Function) {
        Operand routine;
        routine.kind = Operand::Kind::Function;
        routine.function = pointer.function;
        step.in.push_back(std::move(routine));
      } else {
        step.in.push_back(std::move(operands_[next++]));
      }
    }
    step.code = vector::assemble(builder_.take());
    return step;
  }

 private:
  struct Held {
    Value value;
    DType storage = DType::Float32;
    bool changed = false;
  };
  using Key = std::tuple<Operand::Kind, size_t, uint32_t, uint32_t>;

  static Key key_of(const Operand& o) {
    switch (o.kind) {
      case Operand::Kind::Slot:
        return {o.kind, o.slot, 0, 0};
      case Operand::Kind::Memory:
        return {o.kind, 0, o.array.index, o.index.index};
      case Operand::Kind::Scalar:
      case Operand::Kind::Function:
        break;
    }
    return {o.kind, 0, o.value.index, 0};
  }

  uint32_t pointer(const Operand& operand, vector::Role role) {
    const auto [entry, inserted] = pointers_.try_emplace(key_of(operand), 0U);
    if (inserted) {
      entry->second = builder_.pointer(role, operand.storage);
      operands_.push_back(operand);
      streams_ += role == vector::Role::Stream ? 1 : 0;
    }
    return entry->second;
  }

  std::optional<Value> value(const Operand& operand) {
    if (!vector::has_lanes(operand.storage)) {
      return std::nullopt;
    }
    if (operand.kind == Operand::Kind::Scalar) {
      if (const auto known = constants_.find(operand.value.index); known != constants_.end()) {
        return constant(known->second);
      }
      if (is_half(operand.storage)) {
        return std::nullopt;
      }
      return builder_.scalar(pointer(operand, vector::Role::Scalar));
    }
    if (operand.kind == Operand::Kind::Slot) {
      const auto [entry, inserted] = slots_.try_emplace(operand.slot);
      if (inserted) {
        entry->second = {builder_.load(pointer(operand, vector::Role::Stream)), operand.storage};
      }
      return entry->second.value;
    }
    const auto [entry, inserted] = memory_.try_emplace(key_of(operand));
    if (inserted) {
      entry->second = builder_.load(pointer(operand, vector::Role::Stream));
    }
    return entry->second;
  }

  Value constant(const Scalar& scalar) {
    if (scalar.dtype() == DType::Bool) {
      return builder_.constant(scalar.as_int() != 0 ? ~0U : 0U);
    }
    if (scalar.dtype() == DType::Int32) {
      return builder_.constant(static_cast<uint32_t>(scalar.as_int()));
    }
    if (scalar.dtype() == DType::Float32) {
      return builder_.constant(static_cast<uint32_t>(scalar.bits()));
    }
    return builder_.constant(static_cast<float>(scalar.as_double()));
  }

  bool give(const Operand& out, Value value) {
    if (!vector::has_lanes(out.storage)) {
      return false;
    }
    if (out.kind == Operand::Kind::Slot) {
      slots_[out.slot] = {value, out.storage, true};
      return true;
    }
    builder_.store(pointer(out, vector::Role::Stream), value);
    memory_[key_of(out)] = value;
    return true;
  }

  const Constants& constants_;
  const Body& body_;
  vector::Builder builder_;
  std::map<Key, uint32_t> pointers_;
  std::vector<Operand> operands_;  // of the pointers that are no functions
  std::map<size_t, Held> slots_;
  std::map<Key, Value> memory_;
  size_t streams_ = 0;
  size_t sums_ = 0;
};

/// The longest run from `begin` on; its end in `end`.
std::optional<Step> longest_run(const Constants& constants, const Body& body, size_t begin,
                                size_t& end) {
  end = begin;
  for (Run run(constants, body);
       end < body.steps.size() && run.add(body.steps[end]) && !run.is_full();) {
    ++end;
  }
  if (end == begin + 1 && body.steps[begin].effect == Step::Effect::Move) {
    return std::nullopt;  // copies are fast as they are
  }
  for (; end > begin; --end) {
    Run run(constants, body);
    bool fits = true;
    for (size_t i = begin; i < end && fits; ++i) {
      fits = run.add(body.steps[i]);
    }
    if (std::optional<Step> step = fits ? run.finish(end) : std::nullopt) {
      return step;
    }
  }
  return std::nullopt;
}

}  // namespace

bool Body::uses_slot(size_t slot) const {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    bool used = step.out.kind == Operand::Kind::Slot && step.out.slot == slot;
    each_slot_read(*this, step, [&](size_t s) { used |= s == slot; });
    return used;
  });
}

void fuse(const Constants& constants, Body& body) {
  std::vector<Step> steps;
  for (size_t i = 0; i < body.steps.size();) {
    size_t end = i;
    if (std::optional<Step> fused = longest_run(constants, body, i, end)) {
      steps.push_back(std::move(*fused));
      i = end;
    } else {
      steps.push_back(body.steps[i]);
      ++i;
    }
  }
  body.steps = std::move(steps);
  bool whole = true;
  for (size_t slot = 0; slot < body.slots.size(); ++slot) {
    whole = whole && !body.uses_slot(slot);
  }
  body.whole = whole && std::none_of(body.steps.begin(), body.steps.end(), [](const Step& step) {
                 return step.kind == Step::Kind::Scalar;
               });
}

}  // namespace caten::strip
