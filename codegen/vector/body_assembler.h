// One round of a vector program as instructions.
#pragma once

#include <vector>

#include "codegen/vector/register_allocator.h"

namespace caten::vector {

class BodyAssembler : protected RegisterAllocator {
 protected:
  using RegisterAllocator::RegisterAllocator;

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

  /// Code behind the routine.
  struct Patch {
    Encoder::Label jump;  // comes from here
    Encoder::Label back;  // returns there
    int value;            // register of the result
    int x;                // of the argument
    uint32_t function;
  };

  std::vector<Patch> patches_;
  int saved_slots_ = 0;  // of out_of_line
  size_t saved_ = 0;
  bool single_ = false;  // one lane at a time
  bool is_past_caches_ = false;
  /// Numbers in cells that are in registers, too, as long as these have the same stamp.
  struct Stored {
    uint32_t cell;
    int reg;
    uint64_t stamp;
  };
  std::vector<Stored> stored_;
};

}  // namespace caten::vector
