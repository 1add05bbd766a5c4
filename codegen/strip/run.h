// A run of steps as a vector program: what steps hand over in slots is kept in registers.
#pragma once

#include <functional>
#include <map>
#include <tuple>

#include "codegen/strip/strip.h"
#include "codegen/vector/assemble.h"
#include "codegen/vector/operations.h"

namespace caten::strip {

/// Longer programs only spill.
inline constexpr size_t kMaxProgram = 400;

/// The reduction of a step; nullopt where it is none that vector programs have.
inline std::optional<vector::Code> reduction(const Step& step) {
  using vector::Code;
  const DType dtype = step.out.storage;
  const bool is_integer = dtype == DType::Int32 || dtype == DType::Int64;
  if (dtype != DType::Float32 && dtype != DType::Float64 && !is_integer) {
    return std::nullopt;
  }
  if (step.kind == Step::Kind::Dot) {
    return Code::Dot;
  }
  if (step.kind != Step::Kind::Reduce) {
    return std::nullopt;
  }
  switch (step.reduction) {
    case air::ReduceOp::Add:
      return is_integer ? Code::SumInt : Code::Sum;
    case air::ReduceOp::Mul:
      return is_integer ? std::nullopt : std::optional(Code::Product);
    case air::ReduceOp::Max:
      return is_integer ? Code::MostInt : Code::Most;
    case air::ReduceOp::Min:
      return is_integer ? Code::LeastInt : Code::Least;
    case air::ReduceOp::And:
    case air::ReduceOp::Or:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Makes the program, step by step.
class Run {
 public:
  Run(Isa isa, int lane_bytes, const Constants& constants)
      : constants_(constants), builder_(isa, lane_bytes) {}
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// False when the step cannot be part of it; the run is of no use then.
  bool add(const Step& step) {
    if (const std::optional<vector::Code> code = reduction(step)) {
      if (!has_reduction(*code, step.out.storage)) {
        return false;
      }
      const std::optional<uint32_t> cell = cell_of(step.out);
      const uint32_t sum = cell ? *cell : pointer(step.out, vector::Role::Sum);
      const std::optional<vector::Value> a = value(step.in[0]);
      const std::optional<vector::Value> b = step.in.size() > 1 ? value(step.in[1]) : vector::kNone;
      if (!a || !b || ++sums_ > vector::kMaxSums) {
        return false;
      }
      builder_.reduce(*code, sum, *a, *b);
      return true;
    }
    std::vector<vector::Value> args;
    for (const Operand& operand : step.in) {
      const std::optional<vector::Value> arg =
          step.effect == Step::Effect::None ? std::nullopt : value(operand);
      if (!arg) {
        return false;
      }
      args.push_back(*arg);
    }
    switch (step.effect) {
      case Step::Effect::None:
        // Strides among them: gathers would be slower than the routine's loads, 0.28 against 0.13
        // ns an element (Zen 5, vgatherdps of 16 lanes from the first-level cache).
        return false;
      case Step::Effect::Move:
        return keeps_bits(step.out) && give(step.out, args[0]);
      case Step::Effect::Round:
        return !builder_.is_long() && give(step.out, vector::rounded(builder_, step.type, args[0]));
      case Step::Effect::Operation:
        break;
    }
    const std::optional<vector::Value> result =
        vector::operation(builder_, step.op, step.type, step.from, args);
    return result && give(step.out, *result);
  }

  /// Whether it is more than a routine can hold.
  bool is_full() const { return streams_ > vector::kMaxStreams || builder_.size() > kMaxProgram; }

  /// A slot that is needed afterwards is stored.
  void store_slots(const std::function<bool(size_t)>& is_needed) {
    for (const auto& [slot, held] : slots_) {
      if (held.changed && is_needed(slot)) {
        Operand out;
        out.kind = Operand::Kind::Slot;
        out.slot = slot;
        out.storage = held.storage;
        builder_.store(pointer(out, vector::Role::Stream), held.value);
      }
    }
  }

  /// What the pointers are: functions have their name, cells nothing.
  std::vector<Operand> pointers() const {
    std::vector<Operand> out;
    size_t next = 0;
    for (const vector::Pointer& pointer : builder_.pointers()) {
      Operand operand;
      if (pointer.role == vector::Role::Function) {
        operand.kind = Operand::Kind::Function;
        operand.function = pointer.function;
      } else if (pointer.role == vector::Role::Cell) {
        operand.kind = Operand::Kind::Nothing;
      } else {
        operand = operands_[next++];
      }
      out.push_back(std::move(operand));
    }
    return out;
  }

  vector::Program take() { return builder_.take(); }

 protected:
  /// A number that a program of several phases keeps in a cell.
  virtual std::optional<uint32_t> cell_of(const Operand& /*operand*/) const { return std::nullopt; }

  struct Held {
    vector::Value value;
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
      case Operand::Kind::Nothing:
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

  std::optional<vector::Value> value(const Operand& operand) {
    if (!has_lanes(operand.storage)) {
      return std::nullopt;
    }
    if (operand.kind == Operand::Kind::Scalar) {
      if (const auto known = constants_.find(operand.value.index); known != constants_.end()) {
        return constant(known->second);
      }
      if (operand.storage != DType::Bool && size_of(operand.storage) != builder_.lane_bytes()) {
        return std::nullopt;  // scalars are not converted
      }
      const std::optional<uint32_t> cell = cell_of(operand);
      return builder_.scalar(cell ? *cell : pointer(operand, vector::Role::Scalar));
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

  bool has_reduction(vector::Code code, DType dtype) const {
    const bool is_extreme = code == vector::Code::MostInt || code == vector::Code::LeastInt;
    const bool has_all = !builder_.is_long() || builder_.isa() >= Isa::Avx512 || !is_extreme;
    return has_all && size_of(dtype) == builder_.lane_bytes();
  }
  /// A copy in memory must not pass by other lanes: a NaN could change.
  bool keeps_bits(const Operand& out) const {
    return out.kind == Operand::Kind::Slot || !builder_.is_long() || out.storage == DType::Bool ||
           size_of(out.storage) == builder_.lane_bytes();
  }
  bool has_lanes(DType dtype) const { return vector::has_lanes(builder_.lane_bytes(), dtype); }

  vector::Value constant(const Scalar& scalar) {
    if (scalar.dtype() == DType::Bool) {
      return scalar.as_int() != 0 ? builder_.ones() : builder_.constant(uint64_t{0});
    }
    if (is_float(scalar.dtype())) {
      const bool is_plain = size_of(scalar.dtype()) == builder_.lane_bytes();
      return is_plain ? builder_.constant(uint64_t{scalar.bits()})
                      : builder_.number(scalar.as_double());
    }
    const auto bits = static_cast<uint64_t>(scalar.as_int());
    return builder_.constant(builder_.is_long() ? bits : bits & 0xffffffffU);
  }

  bool give(const Operand& out, vector::Value value) {
    if (!has_lanes(out.storage)) {
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
  vector::Builder builder_;
  std::map<Key, uint32_t> pointers_;
  std::vector<Operand> operands_;  // of the pointers that are no functions
  std::map<size_t, Held> slots_;
  std::map<Key, vector::Value> memory_;
  size_t streams_ = 0;
  size_t sums_ = 0;
};

}  // namespace caten::strip
