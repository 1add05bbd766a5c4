// See operations_f64.h.
#include "codegen/vector/operations_f64.h"

#include "codegen/vector/recorded_f64.h"
#include "ir/support/elementary_f64.h"

namespace caten::vector {
namespace {

using air::Op;
using elementary::kRoundDouble;

/// Truncates and saturates to int32; NaN gives 0. What is added to kRoundDouble is in its low bits.
Value float_to_int32(Builder& b, Value x) {
  const Value bounded = b.binary(Code::Max, b.constant(-2147483648.0),
                                 b.binary(Code::Min, b.constant(2147483647.0), x));
  const Value placed = b.binary(Code::Add, b.unary(Code::Trunc, bounded), b.constant(kRoundDouble));
  const Value number =
      b.binary(Code::SubInt, placed, b.constant(elementary::bits_of(kRoundDouble)));
  return b.binary(Code::AndNot, b.binary(Code::Unordered, x, x), number);
}

/// The same to int64.
Value float_to_int64(Builder& b, Value x) {
  const Value converted = b.unary(Code::ToInt, x);
  const Value above = b.binary(Code::LessEqual, b.constant(9223372036854775808.0), x);
  const Value high = b.select(above, b.constant(uint64_t{INT64_MAX}), converted);
  return b.binary(Code::AndNot, b.binary(Code::Unordered, x, x), high);
}

/// Exact.
Value int32_to_float(Builder& b, Value x) {
  const Value placed = b.binary(Code::AddInt, x, b.constant(elementary::bits_of(kRoundDouble)));
  return b.binary(Code::Sub, placed, b.constant(kRoundDouble));
}

std::optional<Value> to_float(Builder& b, DType to, DType from, Value x) {
  Value out = x;
  if (from == DType::Bool) {
    out = b.binary(Code::And, x, b.constant(1.0));
  } else if (from == DType::Int32) {
    out = int32_to_float(b, x);
  } else if (from == DType::Int64) {
    // By way of float64 float32 would be rounded twice.
    if (b.isa() < Isa::Avx512 || to == DType::Float32) {
      return std::nullopt;
    }
    out = b.unary(Code::ToFloat, x);
  }
  const bool is_exact = to == DType::Float64 || from == DType::Bool;
  return is_exact ? out : b.unary(Code::RoundSingle, out);
}

std::optional<Value> to_int(Builder& b, DType to, DType from, Value x) {
  if (from == DType::Bool) {
    return b.binary(Code::And, x, b.constant(uint64_t{1}));
  }
  if (is_float(from)) {
    if (to == DType::Int32) {
      return float_to_int32(b, x);
    }
    return b.isa() < Isa::Avx512 ? std::nullopt : std::optional(float_to_int64(b, x));
  }
  if (to == DType::Int64) {
    return x;
  }
  // The lower half, with its sign.
  return b.isa() < Isa::Avx512
             ? std::nullopt
             : std::optional(b.unary(Code::ShiftSign, b.unary(Code::ShiftLeft, x, 32), 32));
}

}  // namespace

std::optional<Value> elementary_f64(Builder& b, Op op, Value x) {
  const Double f(&b, x);
  // Where |x| is beyond the limit, what the runtime's routine gives.
  const auto limited = [&](Double value, const char* routine) {
    const Mask64 beyond = elementary::magnitude_f64(f) > elementary::kSinLimitF64;
    return b.patch(value.value, x, beyond.value, routine);
  };
  switch (op) {
    case Op::Exp:
      return elementary::exp_f64(f).value;
    case Op::Exp2:
      return elementary::exp2_f64(f).value;
    case Op::Log:
      return elementary::log_f64(f).value;
    case Op::Log2:
      return elementary::log2_f64(f).value;
    case Op::Sin:
      return limited(elementary::sin_f64(f), "ct_sin_f64");
    case Op::Cos:
      return limited(elementary::cos_f64(f), "ct_cos_f64");
    case Op::Tanh:
      return elementary::tanh_f64(f).value;
    case Op::Erf:
      return elementary::erf_f64(f).value;
    case Op::Erfc:
      return elementary::erfc_f64(f).value;
    default:  // no vector program; the runtime has a routine
      return std::nullopt;
  }
}

std::optional<Value> cast_64(Builder& b, DType to, DType from, Value x) {
  if (from == to) {
    return x;
  }
  if (to == DType::Bool) {
    return is_float(from) ? b.binary(Code::NotEqual, x, b.constant(0.0))
                          : b.binary(Code::Xor, b.ones(),
                                     b.binary(Code::EqualInt, x, b.constant(uint64_t{0})));
  }
  return is_float(to) ? to_float(b, to, from, x) : to_int(b, to, from, x);
}

}  // namespace caten::vector
