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
  Logic,
  Compare,
  Equal,
  More,
  Unary,
  Rounding,
  Shift,
  Special,
  Effect
};
struct Row {
  Shape shape;
  Opcode lanes32;
  Opcode lanes64;
  uint8_t immediate;
};
inline constexpr Row kRows[] = {
#define CATEN_VECTOR_CODE(name, shape, prefix, map, opcode, prefix64, map64, opcode64, immediate) \
  {Shape::shape,                                                                                  \
   {prefix, map, opcode},                                                                         \
   {prefix64, map64, opcode64, Length::Whole, true},                                              \
   immediate},
#include "codegen/vector/codes.def"
#undef CATEN_VECTOR_CODE
};
inline const Row& row_of(Code code) {
  return kRows[static_cast<size_t>(code)];
}

inline constexpr Opcode kMove{0, 1, 0x28};                                  // vmovaps
inline constexpr Opcode kLoad{0, 1, 0x10};                                  // vmovups
inline constexpr Opcode kStore{0, 1, 0x11};                                 //
inline constexpr Opcode kStorePastCaches{0, 1, 0x2b};                       // vmovntps
inline constexpr Opcode kZero{1, 1, 0xef};                                  // vpxor
inline constexpr Opcode kWiden16{1, 2, 0x33, Length::Whole, false, 2};      // vpmovzxwd
inline constexpr Opcode kWidenHalf{1, 2, 0x13, Length::Whole, false, 2};    // vcvtph2ps
inline constexpr Opcode kNarrowHalf{1, 3, 0x1d, Length::Whole, false, 2};   // vcvtps2ph
inline constexpr Opcode kWidenSingle{0, 1, 0x5a, Length::Whole, false, 2};  // vcvtps2pd
inline constexpr Opcode kNarrowSingle{1, 1, 0x5a, Length::Whole, true};     // vcvtpd2ps
inline constexpr Opcode kWiden32{1, 2, 0x25, Length::Whole, false, 2};      // vpmovsxdq

/// The same on the first 128 bits.
constexpr Opcode low(Opcode opcode) {
  opcode.length = Length::Bits128;
  return opcode;
}
constexpr Opcode with_length(Opcode opcode, Length length) {
  opcode.length = length;
  return opcode;
}
/// Moves of float vectors by their lanes, which mask registers look at.
constexpr Opcode by_lanes(Opcode move, int lane_bytes) {
  move.is_long = lane_bytes == 8;
  move.prefix = lane_bytes == 8 ? 1 : 0;
  return move;
}
/// One element: vmovss or vmovsd.
constexpr Opcode one_lane(Opcode move, int lane_bytes) {
  const bool is_long = lane_bytes == 8;
  return {static_cast<uint8_t>(is_long ? 3 : 2), 1, move.byte, Length::Bits128, is_long, 0};
}
/// vbroadcastss or vbroadcastsd
constexpr Opcode broadcast(int lane_bytes) {
  const bool is_long = lane_bytes == 8;
  return {1, 2, static_cast<uint8_t>(is_long ? 0x19 : 0x18), Length::Whole, is_long, 0};
}
/// vpmovzxbd or vpmovzxbq
constexpr Opcode widen_bytes(int lane_bytes) {
  const bool is_long = lane_bytes == 8;
  return {1,
          2,
          static_cast<uint8_t>(is_long ? 0x32 : 0x31),
          Length::Whole,
          false,
          static_cast<uint8_t>(lane_bytes)};
}

inline constexpr Gpr kStreamRegisters[kMaxStreams] = {Gpr::Rcx, Gpr::Rdx, Gpr::R8,  Gpr::R9,
                                                      Gpr::R10, Gpr::R11, Gpr::Rbx, Gpr::R12,
                                                      Gpr::R13, Gpr::R14, Gpr::R15};
inline constexpr size_t kVolatile = 6;  // of these, the first may be overwritten

/// Programs of at most so many operations run for four (so many per register) and for two vectors
/// in one round.
inline constexpr double kShort = 0.75;
inline constexpr size_t kMedium = 80;

/// Programs of at least so many operations wait for arithmetic, not for memory: meanwhile the cache
/// gets what lies a few kilobytes ahead, often the row that the kernel reads next.
inline constexpr size_t kHeavy = 14;
inline constexpr int32_t kAhead = 4096;
inline constexpr int kCacheLine = 64;

inline int log2_size(DType dtype) {
  const int size = size_of(dtype);
  return size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0;
}

inline bool is_integer_reduction(Code code) {
  return code == Code::SumInt || code == Code::MostInt || code == Code::LeastInt;
}
inline bool is_reduction(Code code) {
  return is_integer_reduction(code) || code == Code::Sum || code == Code::Product ||
         code == Code::Most || code == Code::Least || code == Code::Dot;
}
inline bool is_extreme(Code code) {
  return code == Code::Most || code == Code::Least;
}
inline uint64_t identity(Code code, int lane_bytes) {
  const auto bits = [&](float number) {
    return lane_bytes == 8 ? __builtin_bit_cast(uint64_t, static_cast<double>(number))
                           : uint64_t{__builtin_bit_cast(uint32_t, number)};
  };
  switch (code) {
    case Code::Product:
      return bits(1.0F);
    case Code::Most:
      return bits(-__builtin_inff());
    case Code::Least:
      return bits(__builtin_inff());
    case Code::MostInt:
      return uint64_t{1} << (8 * lane_bytes - 1);
    case Code::LeastInt:
      return (uint64_t{1} << (8 * lane_bytes - 1)) - 1;
    default:
      return 0;
  }
}
/// Of the first lane alone.
inline Opcode one(Opcode opcode) {
  if (opcode.map == 1) {
    opcode.prefix = opcode.is_long ? 3 : 2;
  } else {
    opcode.byte = static_cast<uint8_t>(opcode.byte + 1);  // vfmadd231ss
  }
  opcode.length = Length::Bits128;
  opcode.part = 0;
  return opcode;
}

}  // namespace caten::vector
