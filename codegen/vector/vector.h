// Vector programs: the body of a fused strip as straight-line code over vectors, executed for as
// many consecutive elements as a vector has lanes, then for the rest.
// Goes in: what codegen/strip fuses. Comes out: machine code (assemble.h).
//
// - Lanes have 32 or 64 bits, all of a program the same; how many there are is the target's.
// - Values are defined once and before they are used. A lane is a float, an integer or a mask (all
//   ones or all zeros); the operation decides which.
// - Streams are arrays in memory that advance with the elements; scalars are one element; sums are
//   one element that a reduction adds to; functions are routines of the runtime of one argument.
//   All come as pointers, numbered in the order of `Program::pointers`.
// - A Lookup chooses among the eight numbers of a table by the three lowest bits of its operand. A
//   Patch is its first operand, or function(second operand) where the mask is set.
// - Loads and stores convert: bools are bytes of 0 or 1 in memory and masks in lanes, 16-bit floats
//   are floats in lanes; in lanes of 64 bits float32 is float64 and int32 is int64.
// - Stores take effect in order; two streams do not overlap.
// - A program of several phases runs them one after the other for each of many rows, every one for
//   all elements of the row or once. Cells hold a number between phases; a phase that runs once
//   computes with single elements. After a row its streams advance by a step of their own.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ir/support/isa.h"
#include "ir/type.h"

namespace caten::vector {

/// Numbers that a Lookup chooses from.
constexpr int kTableSize = 8;

enum class Code : uint8_t {
#define CATEN_VECTOR_CODE(name, ...) name,
#include "codegen/vector/codes.def"
#undef CATEN_VECTOR_CODE
};

using Value = uint32_t;
constexpr Value kNone = 0xffffffffU;

struct Instruction {
  Code code;
  Value a = kNone;
  Value b = kNone;
  Value c = kNone;
  uint64_t number = 0;  // Constant: its bits; shifts: the count; Table: which; else which pointer
};

/// A Cell has no pointer.
enum class Role : uint8_t { Stream, Scalar, Sum, Function, Cell };

struct Pointer {
  Role role = Role::Stream;
  DType dtype = DType::Float32;  // of the element in memory
  std::string function{};        // Function: its name
};

/// Their bits.
using Numbers = std::array<uint64_t, kTableSize>;

/// From this instruction on.
struct Phase {
  size_t begin = 0;
  bool once = false;
};

struct Program {
  std::vector<Pointer> pointers;
  std::vector<Instruction> code;
  std::vector<Numbers> tables;
  std::vector<Phase> phases;  // of a row; empty: the program is one phase and there are no rows
  int lane_bytes = 4;
};

/// Makes programs; equal pure operations are one value.
class Builder {
 public:
  explicit Builder(Isa isa = Isa::Avx2, int lane_bytes = 4) : isa_(isa) {
    program_.lane_bytes = lane_bytes;
  }

  /// The instructions that the program may need.
  Isa isa() const { return isa_; }
  int lane_bytes() const { return program_.lane_bytes; }
  bool is_long() const { return program_.lane_bytes == 8; }

  /// Its bits in every lane, as many as that has.
  Value constant(uint64_t bits) { return make({Code::Constant, kNone, kNone, kNone, bits}); }
  Value constant(uint32_t bits) { return constant(uint64_t{bits}); }
  Value constant(float number) { return constant(uint64_t{__builtin_bit_cast(uint32_t, number)}); }
  Value constant(double number) { return constant(__builtin_bit_cast(uint64_t, number)); }
  /// A mask that is set everywhere.
  Value ones() { return constant(is_long() ? ~uint64_t{0} : uint64_t{~0U}); }
  /// A float of the lanes' width.
  Value number(double value) {
    return is_long() ? constant(value) : constant(static_cast<float>(value));
  }
  Value unary(Code code, Value a, uint64_t number = 0) {
    return make({code, a, kNone, kNone, number});
  }
  Value binary(Code code, Value a, Value b) { return make({code, a, b, kNone, 0}); }
  /// Where the mask is set a, elsewhere b.
  Value select(Value mask, Value a, Value b) { return make({Code::Select, mask, a, b, 0}); }

  Value multiply_add(Value a, Value b, Value c) { return make({Code::MulAdd, a, b, c, 0}); }

  uint32_t pointer(Role role, DType dtype) {
    program_.pointers.push_back({role, dtype});
    return static_cast<uint32_t>(program_.pointers.size() - 1);
  }
  /// `value`, or where the mask is set what the routine gives for x.
  Value patch(Value value, Value x, Value mask, std::string_view function) {
    const auto& pointers = program_.pointers;
    size_t at = 0;
    while (at < pointers.size() && pointers[at].function != function) {
      ++at;
    }
    if (at == pointers.size()) {
      program_.pointers.push_back({Role::Function, DType::Float32, std::string(function)});
    }
    return make({Code::Patch, value, x, mask, at});
  }
  Value lookup(Value index, const float (&table)[kTableSize]) {
    Numbers lanes{};
    for (size_t i = 0; i < lanes.size(); ++i) {
      lanes[i] = __builtin_bit_cast(uint32_t, table[i]);
    }
    size_t at = 0;
    while (at < program_.tables.size() && program_.tables[at] != lanes) {
      ++at;
    }
    if (at == program_.tables.size()) {
      program_.tables.push_back(lanes);
    }
    const Value leaf = make({Code::Table, kNone, kNone, kNone, at});
    return make({Code::Lookup, index, leaf, kNone, 0});
  }
  /// The caller loads again what it has stored to: loads are not shared here.
  Value load(uint32_t pointer) { return append({Code::Load, kNone, kNone, kNone, pointer}); }
  Value scalar(uint32_t pointer) { return make({Code::Scalar, kNone, kNone, kNone, pointer}); }
  /// A stream's element or a cell.
  void store(uint32_t pointer, Value value) { append({Code::Store, value, kNone, kNone, pointer}); }
  /// Sum, Product, Most or Least of `value`, those of integers, or Dot of two.
  void reduce(Code code, uint32_t pointer, Value a, Value b = kNone) {
    append({code, a, b, kNone, pointer});
  }

  /// What follows is another phase: values of those before are in cells.
  void begin_phase(bool once) {
    program_.phases.push_back({program_.code.size(), once});
    known_.clear();
  }

  bool is_constant(Value value) const { return program_.code[value].code == Code::Constant; }
  uint64_t bits(Value value) const { return program_.code[value].number; }
  size_t size() const { return program_.code.size(); }
  const std::vector<Pointer>& pointers() const { return program_.pointers; }
  Program take() { return std::move(program_); }

 private:
  Value append(Instruction instruction) {
    program_.code.push_back(instruction);
    return static_cast<Value>(program_.code.size() - 1);
  }
  Value make(Instruction i) {
    const auto [entry, inserted] = known_.try_emplace(std::tuple(i.code, i.a, i.b, i.c, i.number),
                                                      static_cast<Value>(program_.code.size()));
    if (inserted) {
      program_.code.push_back(i);
    }
    return entry->second;
  }

  const Isa isa_;
  Program program_;
  std::map<std::tuple<Code, Value, Value, Value, uint64_t>, Value> known_;
};

}  // namespace caten::vector
