// One round of a vector program as instructions: which values are in which registers.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/vector/forms.h"
#include "ir/support/check.h"

namespace caten::vector {

/// See Note [layout] in assemble.cpp.
class BodyAssembler {
 protected:
  explicit BodyAssembler(size_t pointers) : slot_of_(pointers, 0) {}

  /// What follows is of this program of one phase.
  void begin(Program program) {
    program_ = std::move(program);
    find_needed();
    free_registers_ = kRegisters;
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
    uint32_t pointer;
    std::array<int, 4> accumulators;  // registers, one per copy
    int unordered;                    // register that notes NaNs; -1 for none
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
  static Place slot(int number) { return Place::memory(Gpr::Rsp, number * 32); }

  // --- one round of the program ---

  void body(int elements) {
    single_ = elements == 1;
    register_of_.assign(lines_.size(), -1);
    spilled_.assign(lines_.size(), -1);
    owner_.fill(kNone);
    next_spill_ = scalar_slots_;
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      locked_.fill(false);
      copy_ = lines_[at_].copy;
      instruction(lines_[at_].instruction);
    }
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
      encoder_.vex(kStore, best, 0, slot(spilled_[evicted]));
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
      return Place::constant(program_.tables[i.number]);
    }
    CATEN_CHECK(spilled_[value] >= 0, "vector value {} is nowhere", value);
    return slot(spilled_[value]);
  }
  int in_register(Value value) {
    const Place where = place(value);
    if (where.kind == Place::Kind::Register) {
      return where.number;
    }
    const int r = take();
    encoder_.vex(kMove, r, 0, where);
    owner_[static_cast<size_t>(r)] = value;
    register_of_[value] = r;
    return r;
  }

  /// The registers of operands that nothing uses after this instruction become free.
  void release(const Instruction& i) {
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
  void define(int r) {
    owner_[static_cast<size_t>(r)] = at_;
    register_of_[at_] = r;
  }

  void instruction(const Instruction& i) {
    const Row& row = row_of(i.code);
    switch (row.shape) {
      case Shape::Leaf:
        if (i.code == Code::Load) {
          load(i);
        }
        return;
      case Shape::Commuting:
      case Shape::Binary:
      case Shape::Compare: {
        const bool swap = row.shape == Shape::Commuting && !is_held(i.a);
        const int first = in_register(swap ? i.b : i.a);
        const Place second = place(swap ? i.a : i.b);
        const int out = result(i);
        if (row.shape == Shape::Compare) {
          encoder_.vex(row.opcode, out, first, second, row.immediate);
        } else {
          encoder_.vex(row.opcode, out, first, second);
        }
        return;
      }
      case Shape::Unary:
      case Shape::Rounding: {
        const Place from = place(i.a);
        const int out = result(i);
        if (row.shape == Shape::Rounding) {
          encoder_.vex(row.opcode, out, 0, from, row.immediate);
        } else {
          encoder_.vex(row.opcode, out, 0, from);
        }
        return;
      }
      case Shape::Shift: {
        const int from = in_register(i.a);
        const int out = result(i);
        encoder_.vex(row.opcode, row.immediate, out, Place::reg(from),
                     static_cast<uint8_t>(i.number));
        return;
      }
      case Shape::Special:
        if (i.code == Code::MulAdd) {
          multiply_add(i);
        } else if (i.code == Code::Select) {
          const int mask = in_register(i.a);
          const int otherwise = in_register(i.c);
          const Place chosen = place(i.b);
          const int out = result(i);
          encoder_.vex(row.opcode, out, otherwise, chosen, static_cast<uint8_t>(mask << 4));
        } else if (i.code == Code::Lookup) {
          const int index = in_register(i.a);
          const int table = in_register(i.b);
          const int out = result(i);
          encoder_.vex(row.opcode, out, index, Place::reg(table));  // vpermps
        } else if (i.code == Code::Patch) {
          patch(i);
        } else {
          const int from = in_register(i.a);
          const int out = result(i);
          encoder_.vex({1, 3, 0x1d}, from, 0, Place::reg(out), 0);  // vcvtps2ph
          encoder_.vex(row.opcode, out, 0, Place::reg(out));
        }
        return;
      case Shape::Effect:
        if (i.code == Code::Store) {
          store(i);
        } else {
          reduce(i, row);
        }
        release(i);
        return;
    }
  }

  bool dies_here(Value value) {
    ++at_;
    const bool dead = next_use(value) == UINT32_MAX && pin_of_[value] < 0;
    --at_;
    return dead;
  }
  bool is_held(Value value) const { return register_of_[value] >= 0 || pin_of_[value] >= 0; }

  /// a * b + c overwrites one of its operands: one that nothing needs any more, if there is one.
  void multiply_add(const Instruction& i) {
    Value a = i.a;
    Value b = i.b;
    if (!is_held(a) || (is_held(b) && dies_here(b))) {
      std::swap(a, b);
    }
    const int first = in_register(a);
    if (dies_here(a) && a != b && a != i.c && !(is_held(i.c) && dies_here(i.c)) &&
        (is_held(b) || is_held(i.c))) {
      // first = first * second + term, one of which may be in memory
      if (is_held(b)) {
        const int second = in_register(b);
        encoder_.vex({1, 2, 0xa8}, first, second, place(i.c));  // vfmadd213ps
      } else {
        const int term = in_register(i.c);
        encoder_.vex({1, 2, 0x98}, first, term, place(b));  // vfmadd132ps
      }
      become(first, i);
      return;
    }
    int sum = -1;
    if (is_held(i.c) && dies_here(i.c) && i.c != a && i.c != b) {
      sum = in_register(i.c);
    } else {
      const Place term = place(i.c);
      sum = take();
      encoder_.vex(kMove, sum, 0, term);
    }
    encoder_.vex(row_of(i.code).opcode, sum, first, place(b));  // vfmadd231ps
    become(sum, i);
  }
  /// A branch to where `out_of_line` calls the function, for the whole vector.
  void patch(const Instruction& i) {
    const int mask = in_register(i.c);
    const int x = in_register(i.b);
    int value = -1;
    if (is_held(i.a) && dies_here(i.a) && i.a != i.b && i.a != i.c) {
      value = in_register(i.a);
    } else {
      const Place from = place(i.a);
      value = take();
      encoder_.vex(kMove, value, 0, from);
    }
    encoder_.vex(row_of(i.code).opcode, static_cast<int>(Gpr::Rdi), 0, Place::reg(mask));
    encoder_.test32(Gpr::Rdi);
    const Encoder::Label jump = encoder_.jump_forward(Encoder::When::NotEqual);
    patches_.push_back({jump, encoder_.here(), value, x, i.number});
    become(value, i);
  }
  /// The register now holds the result.
  void become(int r, const Instruction& i) {
    release(i);
    locked_[static_cast<size_t>(r)] = true;
    define(r);
  }

  Place stream(uint32_t pointer) const {
    const int scale = log2_size(program_.pointers[pointer].dtype);
    return Place::element(stream_register(pointer), scale, (copy_ * kLanes) << scale);
  }

  void load(const Instruction& i) {
    const Place from = stream(i.number);
    const DType dtype = program_.pointers[i.number].dtype;
    const int out = take();
    define(out);
    if (size_of(dtype) == 4) {
      encoder_.vex(single_ ? kLoadOne : kLoad, out, 0, from);
      if (!single_ && copy_ % 2 == 0 && operations() >= kHeavy) {
        Place ahead = from;
        ahead.displacement += kAhead;
        encoder_.prefetch(ahead);
      }
      return;
    }
    // Narrow elements: widened to 32 bits, from memory or from the first of a register.
    Place narrow = from;
    if (single_) {
      encoder_.vex({1, 1, 0xef, false}, out, out, Place::reg(out));
      if (size_of(dtype) == 1) {
        encoder_.vex({1, 3, 0x20, false}, out, out, from, 0);  // vpinsrb
      } else {
        encoder_.vex({1, 1, 0xc4, false}, out, out, from, 0);  // vpinsrw
      }
      narrow = Place::reg(out);
    }
    if (dtype == DType::Float16) {
      encoder_.vex({1, 2, 0x13}, out, 0, narrow);  // vcvtph2ps
    } else if (dtype == DType::BFloat16) {
      encoder_.vex({1, 2, 0x33}, out, 0, narrow);  // vpmovzxwd
      encoder_.vex(row_of(Code::ShiftLeft).opcode, 6, out, Place::reg(out), 16);
    } else {
      encoder_.vex({1, 2, 0x31}, out, 0, narrow);  // vpmovzxbd
      const int zero = take();
      encoder_.vex(kZero, zero, zero, Place::reg(zero));
      encoder_.vex(row_of(Code::SubInt).opcode, out, zero, Place::reg(out));
    }
  }

  void store(const Instruction& i) {
    if (program_.pointers[i.number].role == Role::Cell) {
      const int first = in_register(i.a);
      const int t = take();
      encoder_.vex(kBroadcast, t, 0, Place::reg(first));
      encoder_.vex(kStore, t, 0, slot(slot_of_[i.number]));
      stored_.push_back({i.number, t, stamp_of_[static_cast<size_t>(t)]});
      return;
    }
    const Place to = stream(i.number);
    const DType dtype = program_.pointers[i.number].dtype;
    const int from = in_register(i.a);
    if (size_of(dtype) == 4) {
      encoder_.vex(single_ ? kStoreOne : is_past_caches_ ? kStorePastCaches : kStore, from, 0, to);
      return;
    }
    const int t = take();
    if (dtype == DType::Float16) {
      if (single_) {
        encoder_.vex({1, 3, 0x1d}, from, 0, Place::reg(t), 0);  // vcvtps2ph
        encoder_.vex({1, 3, 0x15, false}, t, 0, to, 0);         // vpextrw
      } else {
        encoder_.vex({1, 3, 0x1d}, from, 0, to, 0);
      }
      return;
    }
    const int upper = take();
    if (dtype == DType::BFloat16) {
      // The values are rounded: their upper halves are the numbers.
      encoder_.vex(row_of(Code::ShiftBits).opcode, 2, t, Place::reg(from), 16);
      encoder_.vex({1, 3, 0x39}, t, 0, Place::reg(upper), 1);      // vextracti128
      encoder_.vex({1, 2, 0x2b, false}, t, t, Place::reg(upper));  // vpackusdw
      if (single_) {
        encoder_.vex({1, 3, 0x15, false}, t, 0, to, 0);
      } else {
        encoder_.vex({2, 1, 0x7f, false}, t, 0, to);  // vmovdqu
      }
      return;
    }
    encoder_.vex({1, 3, 0x39}, from, 0, Place::reg(upper), 1);
    encoder_.vex({1, 1, 0x6b, false}, t, from, Place::reg(upper));  // vpackssdw
    encoder_.vex({1, 1, 0x63, false}, t, t, Place::reg(t));         // vpacksswb
    encoder_.vex({1, 1, 0xdb, false}, t, t, Place::constant(0x01010101U));
    if (single_) {
      encoder_.vex({1, 3, 0x14, false}, t, 0, to, 0);  // vpextrb
    } else {
      encoder_.vex({1, 1, 0xd6, false}, t, 0, to);  // vmovq
    }
  }

  void reduce(const Instruction& i, const Row& row) {
    const auto found = std::find_if(sums_.begin(), sums_.end(),
                                    [&](const Sum& sum) { return sum.pointer == i.number; });
    const Sum& sum = *found;
    const int into = sum.accumulators[single_ ? 0 : static_cast<size_t>(copy_)];
    const Opcode opcode = single_ ? one(row.opcode) : row.opcode;
    const int first = in_register(i.a);
    if (i.code == Code::Dot) {
      encoder_.vex(opcode, into, first, place(i.b));
      return;
    }
    if (sum.unordered >= 0 && (copy_ % 2 == 1 || !is_paired_)) {
      const int other = i.c == kNone ? first : in_register(i.c);
      const int t = take();
      Opcode compare = row_of(Code::Unordered).opcode;
      compare = single_ ? one(compare) : compare;
      encoder_.vex(compare, t, first, Place::reg(other), row_of(Code::Unordered).immediate);
      Opcode set = row_of(Code::Or).opcode;
      encoder_.vex(set, sum.unordered, sum.unordered, Place::reg(t));
    }
    // The operand comes first: where it is a NaN, Max and Min keep the accumulator.
    encoder_.vex(opcode, into, first, Place::reg(into));
  }

  /// A constant or scalar that is in a register all the time.
  struct Pin {
    Code code;
    uint32_t number;
    int reg;
  };

  /// Code behind the routine.
  struct Patch {
    Encoder::Label jump;  // comes from here
    Encoder::Label back;  // returns there
    int value;            // register of the result
    int x;                // of the argument
    uint32_t function;
  };

  Program program_;
  std::vector<Patch> patches_;
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
  int free_registers_ = kRegisters;  // below the accumulators
  int slots_ = 0;
  int scalar_slots_ = 0;
  int saved_slots_ = 0;  // of out_of_line
  size_t saved_ = 0;
  // Of the body being made:
  bool single_ = false;
  bool is_past_caches_ = false;
  bool is_paired_ = false;  // copies are even in number
  int copy_ = 0;
  uint32_t at_ = 0;
  std::vector<int> register_of_;
  std::vector<int> spilled_;
  std::array<Value, kRegisters> owner_{};
  std::array<bool, kRegisters> locked_{};
  /// Numbers in cells that are in registers, too, as long as these have the same stamp.
  struct Stored {
    uint32_t cell;
    int reg;
    uint64_t stamp;
  };
  std::vector<Stored> stored_;
  std::array<uint64_t, kRegisters> stamp_of_{};
  uint64_t stamp_ = 0;
  int next_spill_ = 0;
};

}  // namespace caten::vector
