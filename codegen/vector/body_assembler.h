// One round of a vector program as instructions: what all targets encode alike. How they load and
// store, what a comparison gives, and how a mask is used is for avx2.cpp and avx512.cpp.
#pragma once

#include <vector>

#include "codegen/vector/register_allocator.h"

namespace caten::vector {

class BodyAssembler : public RegisterAllocator {
 protected:
  using RegisterAllocator::RegisterAllocator;

  /// `partial`: of the elements, not all that a vector has lanes for.
  void body(bool partial) {
    partial_ = partial;
    register_of_.assign(lines_.size(), -1);
    spilled_.assign(lines_.size(), -1);
    owner_.fill(kNone);
    next_spill_ = scalar_slots_;
    begin_body();
    for (at_ = 0; at_ < lines_.size(); ++at_) {
      locked_.fill(false);
      copy_ = lines_[at_].copy;
      begin_line();
      instruction(lines_[at_].instruction);
    }
  }

  /// What a target keeps itself is forgotten; may be evicted.
  virtual void begin_body() {}
  virtual void begin_line() {}
  virtual void load(const Instruction& i) = 0;
  /// To a stream, not to a cell.
  virtual void store_elements(const Instruction& i) = 0;
  virtual void compare(const Instruction& i) = 0;
  virtual void logic(const Instruction& i) = 0;
  virtual void select(const Instruction& i) = 0;
  virtual void round_half(const Instruction& i) = 0;
  virtual void reduce(const Instruction& i) = 0;
  /// Leaves in the flags whether the mask is set anywhere.
  virtual void test_any(Value mask) = 0;

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
        binary(i);
        return;
      case Shape::Logic:
        logic(i);
        return;
      case Shape::Compare:
      case Shape::Equal:
      case Shape::More:
        compare(i);
        return;
      case Shape::Unary:
      case Shape::Rounding: {
        const Place from = place(i.a);
        const int out = result(i);
        if (row.shape == Shape::Rounding) {
          encoder_.vector(opcode(i.code), out, 0, from, row.immediate);
        } else {
          encoder_.vector(opcode(i.code), out, 0, from);
        }
        return;
      }
      case Shape::Shift: {
        const int from = in_register(i.a);
        const int out = result(i);
        shift(i.code, out, from, static_cast<uint8_t>(i.number));
        return;
      }
      case Shape::Special:
        special(i);
        return;
      case Shape::Effect:
        if (i.code == Code::Store) {
          store(i);
        } else {
          reduce(i);
        }
        release(i);
        return;
    }
  }

  void special(const Instruction& i) {
    if (i.code == Code::MulAdd) {
      multiply_add(i);
    } else if (i.code == Code::Select) {
      select(i);
    } else if (i.code == Code::Lookup) {
      const int index = in_register(i.a);
      const int table = in_register(i.b);
      const int out = result(i);
      encoder_.vector(opcode(i.code), out, index, Place::reg(table));  // vpermps
    } else if (i.code == Code::Patch) {
      patch(i);
    } else if (i.code == Code::RoundSingle) {
      const Place from = place(i.a);
      const int out = result(i);
      encoder_.vector(kNarrowSingle, out, 0, from);
      encoder_.vector(kWidenSingle, out, 0, Place::reg(out));
    } else {
      round_half(i);
    }
  }

  void shift(Code code, int to, int from, uint8_t count) {
    encoder_.vector(opcode(code), row_of(code).immediate, to, Place::reg(from), count);
  }

  struct Operands {
    int first;
    Place second;
  };
  /// The first operand in a register: of those that may change places, one that is in one.
  Operands operands(const Instruction& i) {
    const Shape shape = row_of(i.code).shape;
    const bool commutes = shape == Shape::Commuting || shape == Shape::Equal ||
                          (shape == Shape::Logic && i.code != Code::AndNot);
    const bool swap = commutes && !is_held(i.a);
    const int first = in_register(swap ? i.b : i.a);
    const Place second = place(swap ? i.a : i.b);
    return {first, second};
  }
  void binary(const Instruction& i) {
    const auto [first, second] = operands(i);
    encoder_.vector(opcode(i.code), result(i), first, second);
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
    const auto form = [&](uint8_t byte) {
      Opcode out = opcode(i.code);
      out.byte = byte;
      return out;
    };
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
        encoder_.vector(form(0xa8), first, second, place(i.c));  // vfmadd213ps
      } else {
        const int term = in_register(i.c);
        encoder_.vector(form(0x98), first, term, place(b));  // vfmadd132ps
      }
      become(first, i);
      return;
    }
    const int sum = overwritable(i.c, a, b);
    encoder_.vector(opcode(i.code), sum, first, place(b));  // vfmadd231ps
    become(sum, i);
  }
  /// A register with the value that may be overwritten: its own, or one with a copy. The other
  /// operands keep theirs.
  int overwritable(Value value, Value other, Value another) {
    if (is_held(value) && dies_here(value) && value != other && value != another) {
      return in_register(value);
    }
    const Place from = place(value);
    const int r = take();
    move(r, from);
    return r;
  }
  /// A branch to where `out_of_line` calls the function, for the whole vector.
  void patch(const Instruction& i) {
    const int x = in_register(i.b);
    const int value = overwritable(i.a, i.b, i.c);
    test_any(i.c);
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

  Place stream(uint64_t pointer) const {
    const int scale = log2_size(program_.pointers[pointer].dtype);
    return Place::element(stream_register(pointer), scale, (copy_ * lanes()) << scale);
  }
  /// The cache gets what the next row has, once per line.
  void fetch_ahead(Place from) {
    const bool begins_line = copy_ * target_.vector_bytes % kCacheLine == 0;
    if (!partial_ && begins_line && operations() >= kHeavy) {
      from.displacement += kAhead;
      encoder_.prefetch(from);
    }
  }

  void store(const Instruction& i) {
    if (program_.pointers[i.number].role != Role::Cell) {
      store_elements(i);
      return;
    }
    const int first = in_register(i.a);
    const int t = take();
    encoder_.vector(broadcast(lane_bytes_), t, 0, Place::reg(first));
    encoder_.vector(kStore, t, 0, slot(slot_of_[i.number]));
    stored_.push_back({i.number, t, stamp_of_[static_cast<size_t>(t)]});
  }

  const Sum& sum_of(const Instruction& i) const {
    return *std::find_if(sums_.begin(), sums_.end(),
                         [&](const Sum& sum) { return sum.pointer == i.number; });
  }
  /// One comparison finds the NaNs of two copies.
  bool looks_for_nans(const Sum& sum) const {
    return sum.unordered >= 0 && (copy_ % 2 == 1 || !is_paired_);
  }

  /// Code behind the routine.
  struct Patch {
    Encoder::Label jump;  // comes from here
    Encoder::Label back;  // returns there
    int value;            // register of the result
    int x;                // of the argument
    uint64_t function;
  };

  std::vector<Patch> patches_;
  int saved_slots_ = 0;  // of out_of_line
  size_t saved_ = 0;
  bool partial_ = false;
  bool is_past_caches_ = false;
  /// Numbers in cells that are in registers, too, as long as these have the same stamp.
  struct Stored {
    uint64_t cell;
    int reg;
    uint64_t stamp;
  };
  std::vector<Stored> stored_;
};

}  // namespace caten::vector
