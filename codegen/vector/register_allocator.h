// The registers of one round of a vector program: which values are where, and which have to go.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/vector/forms.h"
#include "ir/support/check.h"

namespace caten::vector {

/// See Note [layout] in assembler.cpp.
class RegisterAllocator {
 public:
  virtual ~RegisterAllocator() = default;
  RegisterAllocator(const RegisterAllocator&) = delete;
  RegisterAllocator& operator=(const RegisterAllocator&) = delete;

 protected:
  RegisterAllocator(Target target, int lane_bytes, size_t pointers)
      : target_(target),
        lane_bytes_(lane_bytes),
        slot_of_(pointers, 0),
        encoder_(target),
        free_registers_(target.registers) {}

  /// What follows is of this program of one phase.
  void begin(Program program) {
    program_ = std::move(program);
    find_needed();
    free_registers_ = target_.registers;
    pins_.clear();
    sums_.clear();
    for (const Instruction& i : program_.code) {
      if (is_reduction(i.code)) {
        sums_.push_back({i.code, i.number, {}, -1});
      }
    }
  }

  struct Sum {
    Code code;
    uint64_t pointer;
    std::array<int, 4> accumulators;  // registers, one per copy
    int unordered;                    // register or mask register that notes NaNs; -1 for none
  };

  void find_needed() {
    needed_.assign(program_.code.size(), false);
    for (size_t at = program_.code.size(); at-- > 0;) {
      const Instruction& i = program_.code[at];
      needed_[at] = needed_[at] || row_of(i.code).shape == Shape::Effect;
      for (Value operand : {i.a, i.b, i.c}) {
        if (needed_[at] && operand != kNone) {
          needed_[operand] = true;
        }
      }
    }
  }

  size_t operations() const {
    size_t count = 0;
    for (size_t at = 0; at < program_.code.size(); ++at) {
      count += needed_[at] && !is_leaf_in_memory(program_.code[at].code) ? 1 : 0;
    }
    return count;
  }

  /// The program for `copies` vectors that follow each other, instruction by instruction: their
  /// chains of dependent operations overlap.
  void lay_out(int copies) {
    lines_.clear();
    is_paired_ = copies > 1;
    std::vector<std::vector<Value>> line_of(static_cast<size_t>(copies));
    for (size_t at = 0; at < program_.code.size(); ++at) {
      const bool shared = is_leaf_in_memory(program_.code[at].code);
      for (int copy = 0; copy < copies; ++copy) {
        std::vector<Value>& known = line_of[static_cast<size_t>(copy)];
        if (!needed_[at]) {
          known.push_back(kNone);
          continue;
        }
        if (shared && copy > 0) {
          known.push_back(line_of[0].back());
          continue;
        }
        Instruction i = program_.code[at];
        for (Value* operand : {&i.a, &i.b, &i.c}) {
          *operand = *operand == kNone ? kNone : known[*operand];
        }
        if (is_extreme(i.code) && copy % 2 == 1) {  // one comparison finds the NaNs of two
          i.c = lines_.back().instruction.a;
        }
        known.push_back(static_cast<Value>(lines_.size()));
        lines_.push_back({i, copy});
      }
    }
    pin_of_.assign(lines_.size(), -1);
    for (size_t at = 0; at < lines_.size(); ++at) {
      for (const Pin& pin : pins_) {
        const Instruction& i = lines_[at].instruction;
        pin_of_[at] = i.code == pin.code && i.number == pin.number ? pin.reg : pin_of_[at];
      }
    }
    uses_.assign(lines_.size(), {});
    for (uint32_t at = 0; at < lines_.size(); ++at) {
      const Instruction& i = lines_[at].instruction;
      for (Value operand : {i.a, i.b, i.c}) {
        if (operand != kNone) {
          uses_[operand].push_back(at);
        }
      }
    }
  }

  /// The most values that have to be in registers at once, for the lines that are laid out.
  int pressure() const {
    int live = 0;
    int most = 0;
    for (uint32_t at = 0; at < lines_.size(); ++at) {
      const Instruction& i = lines_[at].instruction;
      if (is_leaf_in_memory(i.code)) {
        continue;
      }
      for (const Value operand : {i.a, i.b, i.c}) {
        const bool repeated =
            (operand == i.b && i.b == i.a) || (operand == i.c && (i.c == i.a || i.c == i.b));
        if (operand != kNone && !repeated && uses_[operand].back() == at &&
            !is_leaf_in_memory(lines_[operand].instruction.code)) {
          --live;
        }
      }
      live += uses_[at].empty() ? 0 : 1;
      most = std::max(most, live);
    }
    return most;
  }

  Gpr stream_register(size_t pointer) const {
    return kStreamRegisters[static_cast<size_t>(slot_of_[pointer])];
  }
  Place slot(int number) const { return Place::memory(Gpr::Rsp, number * target_.vector_bytes); }
  int lanes() const { return target_.vector_bytes / lane_bytes_; }
  Opcode opcode(Code code) const {
    return lane_bytes_ == 8 ? row_of(code).lanes64 : row_of(code).lanes32;
  }
  /// Of the first lane alone; of integers, of a few more.
  Opcode one_of(Code code) const {
    return is_integer_reduction(code) ? low(opcode(code)) : one(opcode(code));
  }
  /// A whole vector from anywhere.
  void move(int to, const Place& from) {
    const bool is_spread = from.kind == Place::Kind::Constant && target_.isa == Isa::Avx512;
    encoder_.vector(is_spread ? broadcast(lane_bytes_) : by_lanes(kMove, lane_bytes_), to, 0, from);
  }

  uint32_t next_use(Value value) const {
    const std::vector<uint32_t>& uses = uses_[value];
    const auto next = std::lower_bound(uses.begin(), uses.end(), at_);
    return next == uses.end() ? UINT32_MAX : *next;
  }
  static bool is_leaf_in_memory(Code code) {
    return code == Code::Constant || code == Code::Scalar || code == Code::Table;
  }

  /// A register for something new.
  int take() {
    const int r = find_register();
    stamp_of_[static_cast<size_t>(r)] = ++stamp_;
    return r;
  }
  int find_register() {
    int best = -1;
    uint32_t farthest = 0;
    for (int r = 0; r < free_registers_; ++r) {
      const auto n = static_cast<size_t>(r);
      if (locked_[n]) {
        continue;
      }
      if (owner_[n] == kNone) {
        locked_[n] = true;
        return r;
      }
      const uint32_t next = next_use(owner_[n]);
      if (best < 0 || next > farthest) {
        best = r;
        farthest = next;
      }
    }
    CATEN_CHECK(best >= 0, "a vector instruction needs more registers than there are");
    const auto n = static_cast<size_t>(best);
    const Value evicted = owner_[n];
    if (!is_leaf_in_memory(lines_[evicted].instruction.code) && spilled_[evicted] < 0) {
      spilled_[evicted] = next_spill_++;
      encoder_.vector(kStore, best, 0, slot(spilled_[evicted]));
    }
    register_of_[evicted] = -1;
    owner_[n] = kNone;
    locked_[n] = true;
    return best;
  }

  /// Where the value is, without loading it.
  Place place(Value value) {
    if (pin_of_[value] >= 0) {
      return Place::reg(pin_of_[value]);
    }
    if (register_of_[value] >= 0) {
      locked_[static_cast<size_t>(register_of_[value])] = true;
      return Place::reg(register_of_[value]);
    }
    const Instruction& i = lines_[value].instruction;
    if (i.code == Code::Constant) {
      return Place::constant(i.number);
    }
    if (i.code == Code::Scalar) {
      return slot(slot_of_[i.number]);
    }
    if (i.code == Code::Table) {
      return Place::table(program_.tables[i.number]);
    }
    if (spilled_[value] >= 0) {
      return slot(spilled_[value]);
    }
    return Place::reg(from_mask(value));
  }
  /// A register that gets a value which only a mask register has.
  virtual int from_mask(Value value) {
    CATEN_CHECK(spilled_[value] >= 0, "vector value {} is nowhere", value);
    return register_of_[value];
  }
  int in_register(Value value) {
    const Place where = place(value);
    if (where.kind == Place::Kind::Register) {
      return where.number;
    }
    const int r = take();
    move(r, where);
    own(r, value);
    return r;
  }

  void own(int r, Value value) {
    owner_[static_cast<size_t>(r)] = value;
    register_of_[value] = r;
  }

  /// The registers of operands that nothing uses after this instruction become free.
  virtual void release(const Instruction& i) {
    ++at_;
    for (Value operand : {i.a, i.b, i.c}) {
      if (operand != kNone && register_of_[operand] >= 0 && next_use(operand) == UINT32_MAX) {
        const auto n = static_cast<size_t>(register_of_[operand]);
        owner_[n] = kNone;
        locked_[n] = false;
        register_of_[operand] = -1;
      }
    }
    --at_;
  }
  /// A register for the result, which may be one of those that the operands leave.
  int result(const Instruction& i) {
    release(i);
    const int r = take();
    define(r);
    return r;
  }
  void define(int r) { own(r, at_); }

  /// A constant or scalar that is in a register all the time.
  struct Pin {
    Code code;
    uint64_t number;
    int reg;
  };

  static constexpr size_t kMostRegisters = 32;
  const Target target_;
  const int lane_bytes_;
  Program program_;
  std::vector<Pin> pins_;
  std::vector<int> pin_of_;   // per line: its register; -1
  std::vector<bool> needed_;  // per instruction
  struct Line {
    Instruction instruction;  // its operands are lines
    int copy;
  };
  std::vector<Line> lines_;
  std::vector<std::vector<uint32_t>> uses_;  // per line
  std::vector<int> slot_of_;                 // per pointer: which stream register or stack slot
  std::vector<Sum> sums_;
  Encoder encoder_;
  int copies_ = 1;
  bool is_paired_ = false;  // copies are even in number
  int free_registers_;      // below the accumulators
  int slots_ = 0;
  int scalar_slots_ = 0;
  // Of the body being made:
  int copy_ = 0;
  uint32_t at_ = 0;
  std::vector<int> register_of_;
  std::vector<int> spilled_;
  std::array<Value, kMostRegisters> owner_{};
  std::array<bool, kMostRegisters> locked_{};
  std::array<uint64_t, kMostRegisters> stamp_of_{};
  uint64_t stamp_ = 0;
  int next_spill_ = 0;
};

}  // namespace caten::vector
