// What each elementwise op computes on one element, per kind of compute type: rows of {op,
// function}. The numeric rules: integers wrap, division is total, floats are IEEE without
// contraction.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ir/air/air.h"
#include "ir/support/elementary.h"

namespace caten::air::evaluation {

template <typename T>
using Unary = T (*)(T);
template <typename T>
using Binary = T (*)(T, T);
template <typename T>
using Compare = bool (*)(T, T);

template <typename F>
struct OpRow {
  Op op;
  F function;
};

/// The row's function for `op`; nullptr when the table has none.
template <typename F, size_t N>
F find(const std::array<OpRow<F>, N>& rows, Op op) {
  for (const OpRow<F>& row : rows) {
    if (row.op == op) {
      return row.function;
    }
  }
  return nullptr;
}

// Of two zeros the second, as compiled kernels.
template <typename T>
T float_max(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::numeric_limits<T>::quiet_NaN();
  }
  return a > b ? a : b;
}
template <typename T>
T float_min(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::numeric_limits<T>::quiet_NaN();
  }
  return a < b ? a : b;
}
/// fmod, plus the divisor when the signs differ.
template <typename T>
T float_mod(T a, T b) {
  const T rest = elementary::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

template <typename T>
inline constexpr auto kFloatUnary = std::to_array<OpRow<Unary<T>>>({
    {Op::Neg, [](T x) -> T { return -x; }},
    {Op::Recip, [](T x) -> T { return 1 / x; }},
    {Op::Sin, elementary::sin},
    {Op::Cos, elementary::cos},
    {Op::Tan, elementary::tan},
    {Op::Asin, elementary::asin},
    {Op::Acos, elementary::acos},
    {Op::Atan, elementary::atan},
    {Op::Sinh, elementary::sinh},
    {Op::Cosh, elementary::cosh},
    {Op::Tanh, elementary::tanh},
    {Op::Exp, elementary::exp},
    {Op::Exp2, elementary::exp2},
    {Op::Expm1, elementary::expm1},
    {Op::Log, elementary::log},
    {Op::Log2, elementary::log2},
    {Op::Log1p, elementary::log1p},
    {Op::Sqrt, elementary::sqrt},
    {Op::Erf, elementary::erf},
    {Op::Erfc, elementary::erfc},
    {Op::Floor, elementary::floor},
    {Op::Ceil, elementary::ceil},
    {Op::Trunc, elementary::trunc},
    {Op::Round, elementary::rint},
});

template <typename T>
inline constexpr auto kFloatBinary = std::to_array<OpRow<Binary<T>>>({
    {Op::Add, [](T a, T b) -> T { return a + b; }},
    {Op::Sub, [](T a, T b) -> T { return a - b; }},
    {Op::Mul, [](T a, T b) -> T { return a * b; }},
    {Op::Div, [](T a, T b) -> T { return a / b; }},
    {Op::Idiv, [](T a, T b) -> T { return elementary::floor(a / b); }},
    {Op::Mod, float_mod<T>},
    {Op::Rem, elementary::fmod},
    {Op::Pow, elementary::pow},
    {Op::Max, float_max<T>},
    {Op::Min, float_min<T>},
});

/// Wrapping arithmetic goes through uint64_t: never C's promotions, never overflow.
template <typename T>
constexpr uint64_t wide(T x) {
  return static_cast<uint64_t>(x);
}
template <typename T>
inline constexpr auto kShiftMask = static_cast<uint64_t>(sizeof(T) * 8 - 1);

template <typename T>
T int_idiv(T a, T b) {
  if (b == 0) {
    return 0;
  }
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) {
      return static_cast<T>(0 - wide(a));
    }
    const auto quotient = static_cast<T>(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
  } else {
    return static_cast<T>(a / b);
  }
}
template <typename T>
T int_rem(T a, T b) {
  if (b == 0) {
    return 0;
  }
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) {
      return 0;  // the lowest value % -1 would trap
    }
  }
  return static_cast<T>(a % b);
}
template <typename T>
T int_mod(T a, T b) {
  const T rest = int_rem(a, b);
  if constexpr (std::is_signed_v<T>) {
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
  return rest;
}

template <typename T>
inline constexpr auto kIntUnary = std::to_array<OpRow<Unary<T>>>({
    {Op::Neg, [](T x) -> T { return static_cast<T>(0 - wide(x)); }},
    {Op::Not, [](T x) -> T { return static_cast<T>(~wide(x)); }},
});

template <typename T>
inline constexpr auto kIntBinary = std::to_array<OpRow<Binary<T>>>({
    {Op::Add, [](T a, T b) -> T { return static_cast<T>(wide(a) + wide(b)); }},
    {Op::Sub, [](T a, T b) -> T { return static_cast<T>(wide(a) - wide(b)); }},
    {Op::Mul, [](T a, T b) -> T { return static_cast<T>(wide(a) * wide(b)); }},
    {Op::Idiv, int_idiv<T>},
    {Op::Mod, int_mod<T>},
    {Op::Rem, int_rem<T>},
    {Op::Max, [](T a, T b) -> T { return a < b ? b : a; }},
    {Op::Min, [](T a, T b) -> T { return b < a ? b : a; }},
    {Op::And, [](T a, T b) -> T { return static_cast<T>(wide(a) & wide(b)); }},
    {Op::Or, [](T a, T b) -> T { return static_cast<T>(wide(a) | wide(b)); }},
    {Op::Xor, [](T a, T b) -> T { return static_cast<T>(wide(a) ^ wide(b)); }},
    {Op::Shl, [](T a, T b) -> T { return static_cast<T>(wide(a) << (wide(b) & kShiftMask<T>)); }},
    {Op::Shr, [](T a, T b) -> T { return static_cast<T>(a >> (wide(b) & kShiftMask<T>)); }},
});

inline constexpr auto kBoolUnary = std::to_array<OpRow<Unary<bool>>>({
    {Op::Not, [](bool x) { return !x; }},
});

inline constexpr auto kBoolBinary = std::to_array<OpRow<Binary<bool>>>({
    {Op::Add, [](bool a, bool b) { return a || b; }},
    {Op::Mul, [](bool a, bool b) { return a && b; }},
    {Op::Max, [](bool a, bool b) { return a || b; }},
    {Op::Min, [](bool a, bool b) { return a && b; }},
    {Op::And, [](bool a, bool b) { return a && b; }},
    {Op::Or, [](bool a, bool b) { return a || b; }},
    {Op::Xor, [](bool a, bool b) { return a != b; }},
});

template <typename T>
inline constexpr auto kCompareRows = std::to_array<OpRow<Compare<T>>>({
    {Op::Lt, [](T a, T b) { return a < b; }},
    {Op::Le, [](T a, T b) { return a <= b; }},
    {Op::Eq, [](T a, T b) { return a == b; }},
    {Op::Ne, [](T a, T b) { return a != b; }},
});

template <typename T>
Unary<T> unary_function(Op op) {
  if constexpr (std::is_same_v<T, bool>) {
    return find(kBoolUnary, op);
  } else if constexpr (std::is_floating_point_v<T>) {
    return find(kFloatUnary<T>, op);
  } else {
    return find(kIntUnary<T>, op);
  }
}

template <typename T>
Binary<T> binary_function(Op op) {
  if constexpr (std::is_same_v<T, bool>) {
    return find(kBoolBinary, op);
  } else if constexpr (std::is_floating_point_v<T>) {
    return find(kFloatBinary<T>, op);
  } else {
    return find(kIntBinary<T>, op);
  }
}

}  // namespace caten::air::evaluation
