// DType: the thirteen element types, their properties, the promotion table, and Scalar (one exact
// value of a dtype). Numeric rules: integers wrap at their width, 16-bit floats round after every
// operation, float -> int casts truncate and saturate (NaN -> 0), x -> bool is x != 0. A conversion
// to a 16-bit float goes through float32 (as 16-bit arithmetic does), each step rounded to nearest
// even, from every source type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caten {

enum class DTypeClass : uint8_t { Bool, Unsigned, Signed, Float };

enum class DType : uint8_t {
#define CATEN_DTYPE(name, text, cls, bytes, c_type) name,
#include "ir/dtypes.def"
#undef CATEN_DTYPE
};
inline constexpr int kDTypeCount = 13;

struct DTypeInfo {
  std::string_view name;
  DTypeClass cls;
  int bytes;
  std::string_view c_type;
};
const DTypeInfo& info(DType dtype);

inline std::string_view name(DType dtype) {
  return info(dtype).name;
}
inline int size_of(DType dtype) {
  return info(dtype).bytes;
}
inline bool is_float(DType dtype) {
  return info(dtype).cls == DTypeClass::Float;
}
inline bool is_signed(DType dtype) {
  return info(dtype).cls == DTypeClass::Signed;
}
inline bool is_unsigned(DType dtype) {
  return info(dtype).cls == DTypeClass::Unsigned;
}
inline bool is_int(DType dtype) {
  return is_signed(dtype) || is_unsigned(dtype);
}
inline bool is_half(DType dtype) {
  return dtype == DType::Float16 || dtype == DType::BFloat16;
}

/// The dtype with this (lower-case) name, if there is one.
std::optional<DType> dtype_from_name(std::string_view name);

/// The dtype of `a op b` for two tensors; nullopt where the user has to cast (uint64 with a
/// signed type). See LANGUAGE numeric rules; symmetric, associative where defined.
std::optional<DType> promote(DType a, DType b);

// Conversions of 16-bit floats; rounding is to nearest even, NaN stays NaN.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bfloat_to_float(uint16_t bits);
uint16_t float_to_bfloat(float value);

/// One exact value of a dtype, kept as its storage bits (zero-extended to 64). Equality is on
/// bits, so -0.0, NaN payloads and subnormals are constants like any other.
class Scalar {
 public:
  Scalar() = default;
  /// Converts with the cast rules above.
  static Scalar of_double(DType dtype, double value);
  static Scalar of_int(DType dtype, int64_t value);
  static Scalar of_uint(DType dtype, uint64_t value);
  static Scalar of_bits(DType dtype, uint64_t bits);
  /// Reads one element from memory.
  static Scalar load(DType dtype, const void* address);

  DType dtype() const { return dtype_; }
  uint64_t bits() const { return bits_; }
  double as_double() const;  // exact for every float type
  int64_t as_int() const;    // two's complement for uint64
  uint64_t as_uint() const;
  bool as_bool() const;  // x != 0, NaN is true
  void store(void* address) const;
  Scalar cast(DType to) const;

  /// True when the value prints and compares as the number `value` (0 matches -0.0 too).
  bool is_number(double value) const;

  /// Text that reads back to the same bits: "1", "-0.0", "0.1", "1e-45", "inf", "-inf", "nan",
  /// "nan:7fc00001" (another NaN, storage bits in hex), "true".
  std::string to_string() const;
  /// Reads what to_string prints, and hexadecimal floats ("0x1.8p+1"); nullopt for anything else
  /// and for numbers that the dtype cannot hold.
  static std::optional<Scalar> parse(DType dtype, std::string_view text);

  friend bool operator==(const Scalar&, const Scalar&) = default;

 private:
  DType dtype_ = DType::Float32;
  uint64_t bits_ = 0;
};

}  // namespace caten
