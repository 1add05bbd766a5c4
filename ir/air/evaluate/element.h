// Element<D>: how elements of dtype D are stored and in which C++ type they are computed (float for
// the 16-bit floats), and visit_dtype, which turns a DType into one.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "ir/support/check.h"
#include "ir/type.h"

namespace caten::air::evaluation {

template <DType D, typename S, typename C>
struct PlainElement {
  static constexpr DType kDType = D;
  using Storage = S;
  using Compute = C;
  static Compute load(Storage s) { return static_cast<Compute>(s); }
  static Storage store(Compute c) { return static_cast<Storage>(c); }
};

template <DType D>
struct Element;
template <>
struct Element<DType::Bool> : PlainElement<DType::Bool, uint8_t, bool> {
  static bool load(uint8_t s) { return s != 0; }
};
template <>
struct Element<DType::UInt8> : PlainElement<DType::UInt8, uint8_t, uint8_t> {};
template <>
struct Element<DType::UInt16> : PlainElement<DType::UInt16, uint16_t, uint16_t> {};
template <>
struct Element<DType::UInt32> : PlainElement<DType::UInt32, uint32_t, uint32_t> {};
template <>
struct Element<DType::UInt64> : PlainElement<DType::UInt64, uint64_t, uint64_t> {};
template <>
struct Element<DType::Int8> : PlainElement<DType::Int8, int8_t, int8_t> {};
template <>
struct Element<DType::Int16> : PlainElement<DType::Int16, int16_t, int16_t> {};
template <>
struct Element<DType::Int32> : PlainElement<DType::Int32, int32_t, int32_t> {};
template <>
struct Element<DType::Int64> : PlainElement<DType::Int64, int64_t, int64_t> {};
template <>
struct Element<DType::Float32> : PlainElement<DType::Float32, float, float> {};
template <>
struct Element<DType::Float64> : PlainElement<DType::Float64, double, double> {};
template <>
struct Element<DType::Float16> : PlainElement<DType::Float16, uint16_t, float> {
  static float load(uint16_t s) { return half_to_float(s); }
  static uint16_t store(float c) { return float_to_half(c); }
};
template <>
struct Element<DType::BFloat16> : PlainElement<DType::BFloat16, uint16_t, float> {
  static float load(uint16_t s) { return bfloat_to_float(s); }
  static uint16_t store(float c) { return float_to_bfloat(c); }
};

template <typename F>
auto visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
#define CATEN_DTYPE(name, text, cls, bytes, c_type) \
  case DType::name:                                 \
    return f(Element<DType::name>{});
#include "ir/dtypes.def"
#undef CATEN_DTYPE
  }
  CATEN_UNREACHABLE("no dtype {}", static_cast<int>(dtype));
}

}  // namespace caten::air::evaluation
