// The dtype table, promotion, exact conversions and Scalar's text form.
#include "ir/type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/support/check.h"

namespace caten {
namespace {

constexpr std::array<DTypeInfo, kDTypeCount> kDTypes = {{
#define CATEN_DTYPE(name, text, cls, bytes, c_type) {text, DTypeClass::cls, bytes, c_type},
#include "ir/dtypes.def"
#undef CATEN_DTYPE
}};

uint64_t mask_of(DType dtype) {
  const int bits = size_of(dtype) * 8;
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << static_cast<unsigned>(bits)) - 1;
}

/// The signed type of at least this many bytes.
DType signed_of_bytes(int bytes) {
  for (const DType t : {DType::Int8, DType::Int16, DType::Int32}) {
    if (size_of(t) >= bytes) {
      return t;
    }
  }
  return DType::Int64;
}

}  // namespace

const DTypeInfo& info(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)];
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) {
      return static_cast<DType>(i);
    }
  }
  return std::nullopt;
}

std::optional<DType> promote(DType a, DType b) {
  if (a == b || b == DType::Bool) {
    return a;
  }
  if (a == DType::Bool) {
    return b;
  }
  if (is_float(a) && is_float(b)) {
    if (is_half(a) && is_half(b)) {
      return DType::Float32;  // float16 with bfloat16: neither holds the other
    }
    return size_of(a) > size_of(b) ? a : b;
  }
  if (is_float(a) || is_float(b)) {
    return is_float(a) ? a : b;
  }
  if (is_signed(a) == is_signed(b)) {
    return size_of(a) > size_of(b) ? a : b;
  }
  const DType u = is_unsigned(a) ? a : b;
  const DType s = is_unsigned(a) ? b : a;
  if (u == DType::UInt64) {
    return std::nullopt;
  }
  return signed_of_bytes(std::max(size_of(s), 2 * size_of(u)));
}

float half_to_float(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000U) << 16U;
  const uint32_t exponent = (bits >> 10U) & 0x1FU;
  const uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0x1F) {
    return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
  }
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
  }
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;  // exact
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16U) & 0x8000U;
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) {  // NaN: quiet, keeps the top of its payload
    return static_cast<uint16_t>(sign | 0x7E00U | ((magnitude >> 13U) & 0x3FFU));
  }
  if (magnitude >= 0x477FF000U) {  // 65520 and up round to infinity
    return static_cast<uint16_t>(sign | 0x7C00U);
  }
  if (magnitude < 0x38800000U) {
    // Subnormal result: adding 0.5 puts the unit of 2^-24 at the last place of the float sum, so
    // the addition itself rounds to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000U));
  }
  const uint32_t odd = (magnitude >> 13U) & 1U;
  const uint32_t rounded = magnitude - (112U << 23U) + 0xFFFU + odd;
  return static_cast<uint16_t>(sign | (rounded >> 13U));
}

float bfloat_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U);
}

uint16_t float_to_bfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
    return static_cast<uint16_t>((bits >> 16U) | 0x40U);
  }
  const uint32_t odd = (bits >> 16U) & 1U;
  return static_cast<uint16_t>((bits + 0x7FFFU + odd) >> 16U);
}

namespace {

template <typename Int>
Int saturate(double value) {
  // Both bounds are exact in double: the lowest value, and one above the highest.
  constexpr auto kLowest = static_cast<double>(std::numeric_limits<Int>::min());
  constexpr double kBeyond = 2.0 * static_cast<double>(std::numeric_limits<Int>::max() / 2 + 1);
  if (std::isnan(value)) {
    return 0;
  }
  if (value <= kLowest) {
    return std::numeric_limits<Int>::min();
  }
  if (value >= kBeyond) {
    return std::numeric_limits<Int>::max();
  }
  return static_cast<Int>(value);
}

/// Storage bits of a float dtype; conversions to 16 bits go through float32.
uint64_t float_bits(DType dtype, double value) {
  switch (dtype) {
    case DType::Float64:
      return std::bit_cast<uint64_t>(value);
    case DType::Float16:
      return float_to_half(static_cast<float>(value));
    case DType::BFloat16:
      return float_to_bfloat(static_cast<float>(value));
    default:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
}

uint64_t float_bits_of_float(DType dtype, float value) {
  switch (dtype) {
    case DType::Float16:
      return float_to_half(value);
    case DType::BFloat16:
      return float_to_bfloat(value);
    default:
      return std::bit_cast<uint32_t>(value);
  }
}

uint64_t saturated_bits(DType dtype, double value) {
  switch (dtype) {
    case DType::UInt8:
      return saturate<uint8_t>(value);
    case DType::UInt16:
      return saturate<uint16_t>(value);
    case DType::UInt32:
      return saturate<uint32_t>(value);
    case DType::UInt64:
      return saturate<uint64_t>(value);
    case DType::Int8:
      return static_cast<uint64_t>(saturate<int8_t>(value));
    case DType::Int16:
      return static_cast<uint64_t>(saturate<int16_t>(value));
    case DType::Int32:
      return static_cast<uint64_t>(saturate<int32_t>(value));
    default:
      return static_cast<uint64_t>(saturate<int64_t>(value));
  }
}

}  // namespace

Scalar Scalar::of_bits(DType dtype, uint64_t bits) {
  Scalar s;
  s.dtype_ = dtype;
  s.bits_ = dtype == DType::Bool ? uint64_t{bits != 0} : bits & mask_of(dtype);
  return s;
}

Scalar Scalar::of_double(DType dtype, double value) {
  if (is_float(dtype)) {
    return of_bits(dtype, float_bits(dtype, value));
  }
  if (dtype == DType::Bool) {
    return of_bits(dtype, value != 0.0 ? 1 : 0);
  }
  return of_bits(dtype, saturated_bits(dtype, value));
}

Scalar Scalar::of_int(DType dtype, int64_t value) {
  if (dtype == DType::Float64) {
    return of_bits(dtype, std::bit_cast<uint64_t>(static_cast<double>(value)));
  }
  if (is_float(dtype)) {
    return of_bits(dtype, float_bits_of_float(dtype, static_cast<float>(value)));
  }
  return of_bits(dtype, static_cast<uint64_t>(value));
}

Scalar Scalar::of_uint(DType dtype, uint64_t value) {
  if (dtype == DType::Float64) {
    return of_bits(dtype, std::bit_cast<uint64_t>(static_cast<double>(value)));
  }
  if (is_float(dtype)) {
    return of_bits(dtype, float_bits_of_float(dtype, static_cast<float>(value)));
  }
  return of_bits(dtype, value);
}

Scalar Scalar::load(DType dtype, const void* address) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t bits = 0;
  std::memcpy(&bits, address, static_cast<size_t>(size_of(dtype)));
  return of_bits(dtype, bits);
}

void Scalar::store(void* address) const {
  std::memcpy(address, &bits_, static_cast<size_t>(size_of(dtype_)));
}

double Scalar::as_double() const {
  switch (dtype_) {
    case DType::Float64:
      return std::bit_cast<double>(bits_);
    case DType::Float32:
      return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits_)));
    case DType::Float16:
      return static_cast<double>(half_to_float(static_cast<uint16_t>(bits_)));
    case DType::BFloat16:
      return static_cast<double>(bfloat_to_float(static_cast<uint16_t>(bits_)));
    default:
      return is_signed(dtype_) ? static_cast<double>(as_int()) : static_cast<double>(bits_);
  }
}

int64_t Scalar::as_int() const {
  switch (dtype_) {
    case DType::Int8:
      return static_cast<int8_t>(bits_);
    case DType::Int16:
      return static_cast<int16_t>(bits_);
    case DType::Int32:
      return static_cast<int32_t>(bits_);
    default:
      return is_float(dtype_) ? saturate<int64_t>(as_double()) : static_cast<int64_t>(bits_);
  }
}

uint64_t Scalar::as_uint() const {
  return is_float(dtype_) ? saturate<uint64_t>(as_double()) : static_cast<uint64_t>(as_int());
}

bool Scalar::as_bool() const {
  return is_float(dtype_) ? as_double() != 0.0 : bits_ != 0;
}

Scalar Scalar::cast(DType to) const {
  if (to == dtype_) {
    return *this;
  }
  if (is_float(dtype_)) {
    return of_double(to, as_double());
  }
  return is_signed(dtype_) ? of_int(to, as_int()) : of_uint(to, bits_);
}

bool Scalar::is_number(double value) const {
  if (is_float(dtype_)) {
    return as_double() == value;
  }
  if (dtype_ == DType::Bool) {
    return static_cast<double>(bits_) == value;
  }
  // Only numbers that the widest type holds: beyond, the saturating cast below would lie.
  const bool in_range = value >= -0x1p63 && value < (is_signed(dtype_) ? 0x1p63 : 0x1p64);
  return in_range && std::trunc(value) == value && of_double(dtype_, value) == *this &&
         as_double() == value;
}

std::string Scalar::to_string() const {
  if (dtype_ == DType::Bool) {
    return bits_ != 0 ? "true" : "false";
  }
  if (!is_float(dtype_)) {
    return is_signed(dtype_) ? fmt::format("{}", as_int()) : fmt::format("{}", bits_);
  }
  const double value = as_double();
  if (std::isnan(value)) {
    const Scalar quiet = of_double(dtype_, std::numeric_limits<double>::quiet_NaN());
    return *this == quiet ? "nan" : fmt::format("nan:{:x}", bits_);
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  // The shortest decimal that reads back to the same value of the type it is parsed in.
  std::array<char, 40> buffer{};
  char* const end = buffer.data() + buffer.size();
  const auto result = dtype_ == DType::Float64
                          ? std::to_chars(buffer.data(), end, value)
                          : std::to_chars(buffer.data(), end, static_cast<float>(value));
  std::string text(buffer.data(), result.ptr);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

namespace {

template <typename T>
std::optional<T> parse_number(std::string_view text, std::chars_format format) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// Decimal or hexadecimal, with an optional sign; correctly rounded in T.
template <typename T>
std::optional<T> parse_float(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (text.empty() || (text[0] != '.' && (text[0] < '0' || text[0] > '9'))) {
    return std::nullopt;
  }
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const auto magnitude = hex ? parse_number<T>(text.substr(2), std::chars_format::hex)
                             : parse_number<T>(text, std::chars_format::general);
  if (!magnitude) {
    return std::nullopt;
  }
  return negative ? -*magnitude : *magnitude;
}

template <typename Int>
std::optional<Int> parse_int(std::string_view text) {
  Int value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<Scalar> parse_float_scalar(DType dtype, std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf" || text == "-inf") {
    return Scalar::of_double(dtype, text == "inf" ? kInfinity : -kInfinity);
  }
  if (text == "nan") {
    return Scalar::of_double(dtype, std::numeric_limits<double>::quiet_NaN());
  }
  if (text.starts_with("nan:")) {
    uint64_t bits = 0;
    const auto [end, error] = std::from_chars(text.data() + 4, text.data() + text.size(), bits, 16);
    const Scalar value = Scalar::of_bits(dtype, bits);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && std::isnan(value.as_double()) ? std::optional(value) : std::nullopt;
  }
  if (dtype == DType::Float64) {
    const auto value = parse_float<double>(text);
    return value ? std::optional(Scalar::of_double(dtype, *value)) : std::nullopt;
  }
  const auto value = parse_float<float>(text);
  return value ? std::optional(Scalar::of_double(dtype, static_cast<double>(*value)))
               : std::nullopt;
}

}  // namespace

std::optional<Scalar> Scalar::parse(DType dtype, std::string_view text) {
  if (dtype == DType::Bool) {
    if (text == "true" || text == "false") {
      return of_bits(dtype, text == "true" ? 1 : 0);
    }
    return std::nullopt;
  }
  if (is_float(dtype)) {
    return parse_float_scalar(dtype, text);
  }
  if (is_signed(dtype)) {
    const auto value = parse_int<int64_t>(text);
    return value && of_int(dtype, *value).as_int() == *value ? std::optional(of_int(dtype, *value))
                                                             : std::nullopt;
  }
  const auto value = parse_int<uint64_t>(text);
  return value && of_uint(dtype, *value).as_uint() == *value ? std::optional(of_uint(dtype, *value))
                                                             : std::nullopt;
}

}  // namespace caten
