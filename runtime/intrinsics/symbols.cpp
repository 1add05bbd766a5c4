// The addresses behind math_symbols.def.
#include "runtime/intrinsics/symbols.h"

#include <cstdint>
#include <cstring>

#include "ir/support/elementary.h"
#include "ir/type.h"
#include "runtime/interrupt.h"

namespace caten::runtime {
namespace {

// Overload choosers for the rows of the table.
constexpr auto float1(float (*f)(float)) {
  return f;
}
constexpr auto double1(double (*f)(double)) {
  return f;
}
constexpr auto float2(float (*f)(float, float)) {
  return f;
}
constexpr auto double2(double (*f)(double, double)) {
  return f;
}

float half_to_float_bits(uint32_t bits) {
  return half_to_float(static_cast<uint16_t>(bits));
}
uint32_t float_to_half_bits(float x) {
  return float_to_half(x);
}
float bfloat_to_float_bits(uint32_t bits) {
  return bfloat_to_float(static_cast<uint16_t>(bits));
}
uint32_t float_to_bfloat_bits(float x) {
  return float_to_bfloat(x);
}

// Whether the user wants what runs to stop.
int interrupted() {
  return is_interrupted() ? 1 : 0;
}

// What TinyCC calls for conversions between floats and uint64_t; total, so that no input traps.
template <typename Float>
uint64_t to_uint64(Float x) {
  if (!(x >= 1)) {
    return 0;
  }
  return x < static_cast<Float>(18446744073709551616.0) ? static_cast<uint64_t>(x) : UINT64_MAX;
}
template <typename Float>
Float from_uint64(uint64_t x) {
  return static_cast<Float>(x);
}

template <typename Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

std::span<const Symbol> kernel_symbols() {
  static const Symbol symbols[] = {
#define CATEN_SYMBOL(name, prototype, function) {#name, prototype, address(function)},
#include "runtime/intrinsics/math_symbols.def"
#undef CATEN_SYMBOL
      {"__fixunssfdi", "", address(&to_uint64<float>)},
      {"__fixunsdfdi", "", address(&to_uint64<double>)},
      {"__floatundisf", "", address(&from_uint64<float>)},
      {"__floatundidf", "", address(&from_uint64<double>)},
  };
  return symbols;
}

}  // namespace caten::runtime
