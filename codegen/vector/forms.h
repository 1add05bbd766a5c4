// How vector programs' operations are encoded: the rows of codes.def and the other instructions
// that programs are made of.
#pragma once

#include "codegen/vector/assemble.h"
#include "codegen/vector/encoder.h"
#include "codegen/vector/vector.h"

namespace caten::vector {

enum class Shape : uint8_t {
  Leaf,
  Binary,
  Commuting,
  Compare,
  Unary,
  Rounding,
  Shift,
  Special,
  Effect
};
struct Row {
  Shape shape;
  Opcode opcode;
  uint8_t immediate;
};
inline constexpr Row kRows[] = {
#define CATEN_VECTOR_CODE(name, shape, prefix, map, opcode, immediate) \
  {Shape::shape, {prefix, map, opcode}, immediate},
#include "codegen/vector/codes.def"
#undef CATEN_VECTOR_CODE
};
inline const Row& row_of(Code code) {
  return kRows[static_cast<size_t>(code)];
}

inline constexpr Opcode kMove{0, 1, 0x28};             // vmovaps
inline constexpr Opcode kLoad{0, 1, 0x10};             // vmovups
inline constexpr Opcode kStore{0, 1, 0x11};            //
inline constexpr Opcode kStorePastCaches{0, 1, 0x2b};  // vmovntps
inline constexpr Opcode kLoadOne{2, 1, 0x10, false};   // vmovss
inline constexpr Opcode kStoreOne{2, 1, 0x11, false};
inline constexpr Opcode kBroadcast{1, 2, 0x18};  // vbroadcastss
inline constexpr Opcode kZero{1, 1, 0xef};       // vpxor
inline constexpr Opcode kUpper{1, 3, 0x19};      // vextractf128

inline constexpr int kRegisters = 16;
inline constexpr Gpr kStreamRegisters[kMaxStreams] = {Gpr::Rcx, Gpr::Rdx, Gpr::R8,  Gpr::R9,
                                                      Gpr::R10, Gpr::R11, Gpr::Rbx, Gpr::R12,
                                                      Gpr::R13, Gpr::R14, Gpr::R15};
inline constexpr size_t kVolatile = 6;  // of these, the first may be overwritten

/// Slots for what a call may overwrite: vector registers, argument, result, eight general
/// registers.
inline constexpr int kSavedSlots = kRegisters + 4;

/// Programs of at most so many operations run for four and for two vectors in one round.
inline constexpr size_t kShort = 12;
inline constexpr size_t kMedium = 80;

/// Programs of at least so many operations wait for arithmetic, not for memory: meanwhile the cache
/// gets what lies a few kilobytes ahead, often the row that the kernel reads next.
inline constexpr size_t kHeavy = 14;
inline constexpr int32_t kAhead = 4096;

inline int log2_size(DType dtype) {
  const int size = size_of(dtype);
  return size == 4 ? 2 : size == 2 ? 1 : 0;
}

inline bool is_reduction(Code code) {
  return code == Code::Sum || code == Code::Product || code == Code::Most || code == Code::Least ||
         code == Code::Dot;
}
inline bool is_extreme(Code code) {
  return code == Code::Most || code == Code::Least;
}
inline uint32_t identity(Code code) {
  switch (code) {
    case Code::Product:
      return 0x3f800000U;
    case Code::Most:
      return 0xff800000U;
    case Code::Least:
      return 0x7f800000U;
    default:
      return 0;
  }
}
/// How accumulators combine.
inline Opcode combination(Code code) {
  return code == Code::Dot ? row_of(Code::Sum).opcode : row_of(code).opcode;
}
inline Opcode one(Opcode opcode) {
  if (opcode.map == 1 && opcode.prefix == 0) {
    opcode.prefix = 2;
  } else {
    opcode.byte = static_cast<uint8_t>(opcode.byte + 1);  // vfmadd231ss
  }
  opcode.wide = false;
  return opcode;
}

}  // namespace caten::vector
