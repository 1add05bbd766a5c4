// Conversions between dtypes on strips: floats truncate and saturate into integers, NaN gives 0;
// anything but 0 is true; 16-bit floats are bits in memory and float in computations.
#include "runtime/intrinsics/strips/loops.h"

namespace caten::runtime::strips {
namespace {

template <typename T>
constexpr bool kIsFloat = T(0.5) != T(0);

template <typename To, typename From>
struct Cast {
  static To of(From x) {
    if constexpr (kIsFloat<From> && !kIsFloat<To>) {
      constexpr bool kSigned = To(-1) < To(0);
      constexpr auto kHigh =
          static_cast<To>(kSigned ? ~(uint64_t{1} << (sizeof(To) * 8 - 1)) : ~uint64_t{0});
      constexpr auto kLow = static_cast<To>(~kHigh);
      // The first float above the range; the lower limit is a float itself.
      constexpr From kAbove = (kSigned ? From(uint64_t{1} << (sizeof(To) * 8 - 2))
                                       : From(uint64_t{1} << (sizeof(To) * 8 - 1))) *
                              From(2);
      constexpr From kBelow = kSigned ? -kAbove : From(0);
      if (x >= kAbove) {
        return kHigh;
      }
      if (x > kBelow) {
        return static_cast<To>(x);
      }
      return x <= kBelow ? kLow : To(0);
    } else {
      return static_cast<To>(x);
    }
  }
};
struct ToBool {
  template <typename T>
  static uint8_t of(T x) {
    return x != 0;
  }
};

// The 16-bit floats without branches; ir/type.h has the readable versions.
inline uint32_t bits_of(float x) {
  return __builtin_bit_cast(uint32_t, x);
}
inline float float_of(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

inline float widen_half(uint16_t h) {
  const uint32_t sign = (h & 0x8000U) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fU;
  const uint32_t fraction = h & 0x3ffU;
  const uint32_t special = 0x7f800000U | (fraction << 13) | (fraction != 0 ? 0x400000U : 0U);
  const uint32_t normal = ((exponent + 112U) << 23) | (fraction << 13);
  const uint32_t subnormal =
      bits_of(static_cast<float>(static_cast<int32_t>(fraction)) * 5.9604644775390625e-8F);
  const uint32_t finite = exponent != 0 ? normal : subnormal;
  return float_of(sign | (exponent == 0x1fU ? special : finite));
}
inline uint16_t narrow_half(float x) {
  const uint32_t sign = (bits_of(x) >> 16) & 0x8000U;
  const uint32_t bits = bits_of(x) & 0x7fffffffU;
  const uint32_t nan = 0x7e00U | ((bits >> 13) & 0x3ffU);
  const uint32_t subnormal = bits_of(float_of(bits) + 0.5F) - 0x3f000000U;
  const uint32_t normal = ((bits + 0xfffU + ((bits >> 13) & 1U)) >> 13) - 0x1c000U;
  const uint32_t finite = bits < 0x38800000U ? subnormal : normal;
  const uint32_t all = bits >= 0x477ff000U ? 0x7c00U : finite;
  return static_cast<uint16_t>(sign | (bits > 0x7f800000U ? nan : all));
}
inline float widen_bfloat(uint16_t h) {
  return float_of(static_cast<uint32_t>(h) << 16);
}
inline uint16_t narrow_bfloat(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const bool nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return static_cast<uint16_t>(nan ? (bits >> 16) | 0x40U : rounded);
}

#define CATEN_HALF(Name, To, From, expression)  \
  struct Name {                                 \
    static To of(From x) { return expression; } \
  };
CATEN_HALF(WidenHalf, float, uint16_t, widen_half(x))
CATEN_HALF(WidenBfloat, float, uint16_t, widen_bfloat(x))
CATEN_HALF(NarrowHalf, uint16_t, float, narrow_half(x))
CATEN_HALF(NarrowBfloat, uint16_t, float, narrow_bfloat(x))
CATEN_HALF(RoundHalf, float, float, widen_half(narrow_half(x)))
CATEN_HALF(RoundBfloat, float, float, widen_bfloat(narrow_bfloat(x)))
#undef CATEN_HALF

// clang-format off
#define ROW(to, To, from, From)                             \
  {"ct_cast_" #from "_" #to, address(&unary<Cast<To, From>, To, From>)},
#define ROWS(from, From)                                    \
  ROW(f32, float, from, From)                               \
  ROW(f64, double, from, From)                              \
  ROW(i8, int8_t, from, From)                               \
  ROW(i16, int16_t, from, From)                             \
  ROW(i32, int32_t, from, From)                             \
  ROW(i64, int64_t, from, From)                             \
  ROW(u8, uint8_t, from, From)                              \
  ROW(u16, uint16_t, from, From)                            \
  ROW(u32, uint32_t, from, From)                            \
  ROW(u64, uint64_t, from, From)                            \
  {"ct_cast_" #from "_bool", address(&unary<ToBool, uint8_t, From>)},

const Entry kEntries[] = {
    ROWS(f32, float) ROWS(f64, double) ROWS(i8, int8_t) ROWS(i16, int16_t) ROWS(i32, int32_t)
    ROWS(i64, int64_t) ROWS(u8, uint8_t) ROWS(u16, uint16_t) ROWS(u32, uint32_t)
    ROWS(u64, uint64_t)
    // clang-format on
    {"ct_widen_f16", address(&unary<WidenHalf, float, uint16_t>)},
    {"ct_widen_bf16", address(&unary<WidenBfloat, float, uint16_t>)},
    {"ct_narrow_f16", address(&unary<NarrowHalf, uint16_t, float>)},
    {"ct_narrow_bf16", address(&unary<NarrowBfloat, uint16_t, float>)},
    {"ct_round_f16", address(&unary<RoundHalf, float, float>)},
    {"ct_round_bf16", address(&unary<RoundBfloat, float, float>)},
};

}  // namespace

Table CATEN_TABLE(casts)() {
  return {kEntries, sizeof kEntries / sizeof *kEntries};
}

}  // namespace caten::runtime::strips
