// Machine code of AVX2 and AVX-512: the few instruction forms that vector programs need. Tests
// compare every form with a disassembler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/vector/target.h"
#include "codegen/vector/vector.h"

namespace caten::vector {

/// General registers by their number in encodings.
enum class Gpr : uint8_t {
  Rax,
  Rcx,
  Rdx,
  Rbx,
  Rsp,
  Rbp,
  Rsi,
  Rdi,
  R8,
  R9,
  R10,
  R11,
  R12,
  R13,
  R14,
  R15
};

/// What an instruction reads or writes besides its registers.
struct Place {
  enum class Kind : uint8_t { Register, Memory, Constant, Table };
  Kind kind = Kind::Register;
  uint8_t number = 0;    // Register: of the vector, mask or general register
  Gpr base = Gpr::Rax;   // Memory: base + index * scale + displacement
  bool indexed = false;  // the index is rax
  uint8_t scale = 0;     // its logarithm
  int32_t displacement = 0;
  Numbers lanes{};  // Constant: the first one is in every lane; Table: of 32 bits, over and over

  static Place reg(int number) { return {Kind::Register, static_cast<uint8_t>(number)}; }
  static Place reg(Gpr number) { return reg(static_cast<int>(number)); }
  static Place memory(Gpr base, int32_t displacement) {
    Place out;
    out.kind = Kind::Memory;
    out.base = base;
    out.displacement = displacement;
    return out;
  }
  static Place element(Gpr base, int scale, int32_t displacement) {
    Place out = memory(base, displacement);
    out.indexed = true;
    out.scale = static_cast<uint8_t>(scale);
    return out;
  }
  static Place constant(uint64_t bits) {
    Place out;
    out.kind = Kind::Constant;
    out.lanes[0] = bits;
    return out;
  }
  static Place table(const Numbers& lanes) {
    Place out;
    out.kind = Kind::Table;
    out.lanes = lanes;
    return out;
  }
};

/// How many bits of registers an instruction is about; `Whole` are those of the target's vectors.
enum class Length : uint8_t { Bits128, Bits256, Bits512, Whole };

/// An opcode: mandatory prefix and map as in codes.def.
struct Opcode {
  uint8_t prefix;
  uint8_t map;
  uint8_t byte;
  Length length = Length::Whole;
  /// Lanes of 64 bits, where an instruction of this name has others.
  bool is_long = false;
  /// What memory operands have, as a part of the register: 1/1, 1/2, 1/4, 1/8; 0: one element.
  uint8_t part = 1;
};

/// The mask register that decides which lanes are written; the others keep what they have, or
/// become zero.
struct Masked {
  int by = 0;  // 0: all are written
  bool zeroing = false;
};

class Encoder {
 public:
  using Label = size_t;

  explicit Encoder(Target target) : target_(target) {}

  /// An instruction of vectors: `reg` and `second` (0 when the form has none) are vector registers,
  /// or mask registers where the instruction has such.
  void vector(Opcode opcode, int reg, int second, const Place& place, Masked masked = {}) {
    prefixed(opcode, reg, second, place, masked, 0);
  }
  void vector(Opcode opcode, int reg, int second, const Place& place, uint8_t immediate,
              Masked masked = {}) {
    prefixed(opcode, reg, second, place, masked, 1);
    byte(immediate);
  }
  /// An instruction with a VEX prefix whatever the target, as those of mask registers are.
  void vex(Opcode opcode, int reg, int second, const Place& place) {
    vex_prefix(opcode, reg, second, place);
    operands(opcode, reg, place, 0, 1);
  }

  void push(Gpr reg);
  void pop(Gpr reg);
  void move(Gpr to, Gpr from);
  /// 64 bits from memory; to memory.
  void load(Gpr to, Gpr base, int32_t displacement);
  void store(Gpr base, int32_t displacement, Gpr from);
  /// eax = the byte at the address, zero extended.
  void load_byte(Gpr to, Gpr base);
  void negate(Gpr reg);
  void add(Gpr reg, int32_t number);
  void and_with(Gpr reg, int32_t number);
  /// to = from + number
  void add(Gpr to, Gpr from, int32_t number);
  /// reg += 64 bits from memory
  void add_from(Gpr reg, Gpr base, int32_t displacement);
  void subtract(Gpr from, Gpr number);
  void compare(Gpr a, Gpr b);
  void clear(Gpr reg);
  /// Compares 32 bits with zero.
  void test32(Gpr reg);
  void call(Gpr reg);
  /// Into the first-level cache, before it is needed.
  void prefetch(const Place& place);
  /// Stores past the caches are seen before what is stored after.
  void sfence() {
    byte(0x0f);
    byte(0xae);
    byte(0xf8);
  }
  void leave() { byte(0xc9); }
  void ret() { byte(0xc3); }
  void vzeroupper() {
    byte(0xc5);
    byte(0xf8);
    byte(0x77);
  }

  Label here() const { return bytes_.size(); }
  /// Jumps: equal, signed less, less or equal, greater, greater or equal.
  enum class When : uint8_t {
    Equal = 0x4,
    NotEqual = 0x5,
    Less = 0xc,
    GreaterEqual = 0xd,
    LessEqual = 0xe,
    Greater = 0xf
  };
  void jump_back(When when, Label target);
  void jump_back(Label target);
  /// A jump whose target is given later by `land`.
  Label jump_forward(When when);
  void land(Label jump);

  /// Appends the constants and returns everything.
  std::vector<uint8_t> finish();

 private:
  void byte(uint8_t value) { bytes_.push_back(value); }
  void word(uint32_t value) {
    for (int i = 0; i < 4; ++i) {
      byte(static_cast<uint8_t>(value >> (8 * i)));
    }
  }
  void rex(bool wide, Gpr reg, Gpr rm);
  /// `unit`: what a displacement of one byte counts, in bytes.
  void memory_operand(int reg, const Place& place, int unit = 1);
  /// Everything but the immediate bytes, of which there are `after`.
  void prefixed(Opcode opcode, int reg, int second, const Place& place, Masked masked, int after);
  void vex_prefix(Opcode opcode, int reg, int second, const Place& place);
  void evex_prefix(Opcode opcode, int reg, int second, const Place& place, Masked masked);
  void operands(Opcode opcode, int reg, const Place& place, int after, int unit);
  int bytes_of(Length length) const;
  /// Whether a constant is one lane in memory, which instructions spread.
  bool is_spread(const Place& place) const {
    return place.kind == Place::Kind::Constant && target_.isa == Isa::Avx512;
  }

  struct Reference {
    size_t at;    // of the displacement
    size_t next;  // of the instruction after
    std::string bytes;
  };
  Target target_;
  std::vector<uint8_t> bytes_;
  std::vector<Reference> references_;
};

}  // namespace caten::vector
