// The addresses behind math_symbols.def.
#include "runtime/intrinsics/symbols.h"

#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "ir/support/elementary.h"
#include "ir/support/isa.h"
#include "ir/type.h"
#include "runtime/backend.h"
#include "runtime/interrupt.h"
#include "runtime/intrinsics/sort.h"
#include "runtime/intrinsics/strips/table.h"
#include "runtime/workers.h"

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

using StripMap = std::unordered_map<std::string_view, const void*>;

void add(StripMap& map, strips::Table table) {
  for (size_t i = 0; i < table.count; ++i) {
    map[table.entries[i].name] = table.entries[i].address;
  }
}

StripMap strips_for_this_machine() {
  StripMap map;
#define CATEN_ADD(isa)                  \
  add(map, strips::arithmetic_##isa()); \
  add(map, strips::borders_##isa());    \
  add(map, strips::casts_##isa());      \
  add(map, strips::math_##isa());       \
  add(map, strips::matmul_##isa());     \
  add(map, strips::rounding_##isa());   \
  add(map, strips::moves_##isa());      \
  add(map, strips::packing_##isa());    \
  add(map, strips::reductions_##isa()); \
  add(map, strips::windows_##isa())
#ifdef __x86_64__
  switch (isa()) {
    case Isa::Avx512:
      CATEN_ADD(avx512);
      return map;
    case Isa::Avx2:
      CATEN_ADD(avx2);
      return map;
    case Isa::Baseline:
      break;
  }
#endif
  CATEN_ADD(baseline);
#undef CATEN_ADD
  return map;
}

}  // namespace

const void* strip_function(std::string_view name) {
  static const StripMap map = strips_for_this_machine();
  const auto found = map.find(name);
  return found == map.end() ? nullptr : found->second;
}

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
