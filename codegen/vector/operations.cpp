// The operations that lanes have: floats, signed integers and bools as masks.
#include "codegen/vector/operations.h"

#include "codegen/vector/operations_f64.h"
#include "codegen/vector/recorded.h"
#include "ir/support/elementary_f32.h"

namespace caten::vector {
namespace {

using air::Op;

uint64_t sign_bit(const Builder& b) {
  return uint64_t{1} << (8 * b.lane_bytes() - 1);
}

/// A number that is none of NaN.
bool is_ordered(const Builder& b, Value value) {
  const uint64_t infinity = b.is_long() ? 0x7ff0000000000000U : 0x7f800000U;
  return b.is_constant(value) && (b.bits(value) & ~sign_bit(b)) <= infinity;
}

/// a op b, or the NaN that one of them is; `code` gives b when either is.
Value extreme(Builder& b, Code code, Value x, Value y) {
  if (is_ordered(b, y)) {
    return b.binary(code, y, x);
  }
  const Value chosen = b.binary(code, x, y);
  if (is_ordered(b, x)) {
    return chosen;
  }
  return b.select(b.binary(Code::Unordered, x, x), x, chosen);
}

/// `value`, where |x| is beyond the limit what the runtime's routine gives.
Value limited(Float x, Float value, float limit, const char* routine) {
  const Mask beyond = elementary::magnitude(x) > limit;
  return x.builder->patch(value.value, x.value, beyond.value, routine);
}

std::optional<Value> elementary_f32(Builder& b, Op op, Value x) {
  const Float f{{&b, x}};
  switch (op) {
    case Op::Exp:
      return elementary::exp_spec<true>(f).value;
    case Op::Exp2:
      return elementary::exp2_spec<true>(f).value;
    case Op::Log2:
      return elementary::log2_spec<true>(f).value;
    case Op::Log:
      return elementary::log_spec<true>(f).value;
    case Op::Sin:
      return limited(f, elementary::sin_spec<true>(f), elementary::kSinLimit, "ct_sin_f32");
    case Op::Cos:
      return limited(f, elementary::cos_spec<true>(f), elementary::kSinLimit, "ct_cos_f32");
    case Op::Tanh:
      return elementary::tanh_spec<true>(f).value;
    case Op::Erf:
      return elementary::erf_spec<true>(f).value;
    case Op::Erfc:
      return elementary::erfc_spec<true>(f).value;
    default:  // no vector program; the runtime has a routine
      return std::nullopt;
  }
}

std::optional<Value> unary_float(Builder& b, Op op, Value x) {
  switch (op) {
    case Op::Neg:
      return b.binary(Code::Xor, x, b.constant(sign_bit(b)));
    case Op::Recip:
      return b.binary(Code::Div, b.number(1), x);
    case Op::Sqrt:
      return b.unary(Code::Sqrt, x);
    case Op::Floor:
      return b.unary(Code::Floor, x);
    case Op::Ceil:
      return b.unary(Code::Ceil, x);
    case Op::Trunc:
      return b.unary(Code::Trunc, x);
    case Op::Round:
      return b.unary(Code::Nearest, x);
    default:
      return b.is_long() ? elementary_f64(b, op, x) : elementary_f32(b, op, x);
  }
}

std::optional<Value> binary_float(Builder& b, Op op, Value x, Value y) {
  switch (op) {
    case Op::Add:
      return b.binary(Code::Add, x, y);
    case Op::Sub:
      return b.binary(Code::Sub, x, y);
    case Op::Mul:
      return b.binary(Code::Mul, x, y);
    case Op::Div:
      return b.binary(Code::Div, x, y);
    case Op::Idiv:
      return b.unary(Code::Floor, b.binary(Code::Div, x, y));
    case Op::Max:
      return extreme(b, Code::Max, x, y);
    case Op::Min:
      return extreme(b, Code::Min, x, y);
    case Op::Lt:
      return b.binary(Code::Less, x, y);
    case Op::Le:
      return b.binary(Code::LessEqual, x, y);
    case Op::Eq:
      return b.binary(Code::Equal, x, y);
    case Op::Ne:
      return b.binary(Code::NotEqual, x, y);
    default:
      return std::nullopt;
  }
}

Value complement(Builder& b, Value x) {
  return b.binary(Code::Xor, x, b.ones());
}

std::optional<Value> integer(Builder& b, Op op, std::span<const Value> args) {
  const Value x = args[0];
  if (args.size() == 1) {
    switch (op) {
      case Op::Neg:
        return b.binary(Code::SubInt, b.constant(0U), x);
      case Op::Not:
        return complement(b, x);
      default:
        return std::nullopt;
    }
  }
  const Value y = args[1];
  const bool has_all = !b.is_long() || b.isa() >= Isa::Avx512;
  switch (op) {
    case Op::Add:
      return b.binary(Code::AddInt, x, y);
    case Op::Sub:
      return b.binary(Code::SubInt, x, y);
    case Op::Mul:
      return has_all ? std::optional(b.binary(Code::MulInt, x, y)) : std::nullopt;
    case Op::Max:
      return has_all ? b.binary(Code::MaxInt, x, y) : b.select(b.binary(Code::MoreInt, x, y), x, y);
    case Op::Min:
      return has_all ? b.binary(Code::MinInt, x, y) : b.select(b.binary(Code::MoreInt, x, y), y, x);
    case Op::And:
      return b.binary(Code::And, x, y);
    case Op::Or:
      return b.binary(Code::Or, x, y);
    case Op::Xor:
      return b.binary(Code::Xor, x, y);
    case Op::Lt:
      return b.binary(Code::MoreInt, y, x);
    case Op::Le:
      return complement(b, b.binary(Code::MoreInt, x, y));
    case Op::Eq:
      return b.binary(Code::EqualInt, x, y);
    case Op::Ne:
      return complement(b, b.binary(Code::EqualInt, x, y));
    default:
      return std::nullopt;
  }
}

/// On masks, arithmetic is logic and false is less than true.
std::optional<Value> logical(Builder& b, Op op, std::span<const Value> args) {
  const Value x = args[0];
  if (args.size() == 1) {
    return op == Op::Not ? std::optional(complement(b, x)) : std::nullopt;
  }
  const Value y = args[1];
  switch (op) {
    case Op::Add:
    case Op::Max:
    case Op::Or:
      return b.binary(Code::Or, x, y);
    case Op::Mul:
    case Op::Min:
    case Op::And:
      return b.binary(Code::And, x, y);
    case Op::Xor:
    case Op::Ne:
      return b.binary(Code::Xor, x, y);
    case Op::Eq:
      return complement(b, b.binary(Code::Xor, x, y));
    case Op::Lt:
      return b.binary(Code::AndNot, x, y);
    case Op::Le:
      return b.binary(Code::Or, complement(b, x), y);
    default:
      return std::nullopt;
  }
}

bool is_float_lane(DType dtype) {
  return dtype == DType::Float32 || is_half(dtype);
}

/// Truncates and saturates; NaN gives 0.
Value float_to_int(Builder& b, Value x) {
  const Value converted = b.unary(Code::ToInt, x);
  const Value above = b.binary(Code::LessEqual, b.constant(2147483648.0F), x);
  const Value high = b.select(above, b.constant(0x7fffffffU), converted);
  return b.binary(Code::AndNot, b.binary(Code::Unordered, x, x), high);
}

std::optional<Value> cast(Builder& b, DType to, DType from, Value x) {
  if (from == to) {
    return x;
  }
  if (is_float_lane(to)) {
    Value out = x;
    if (from == DType::Bool) {
      out = b.binary(Code::And, x, b.constant(1.0F));
    } else if (from == DType::Int32) {
      out = b.unary(Code::ToFloat, x);
    }
    return is_half(to) ? rounded(b, to, out) : out;
  }
  if (to == DType::Bool) {
    return is_float_lane(from) ? b.binary(Code::NotEqual, x, b.constant(0.0F))
                               : complement(b, b.binary(Code::EqualInt, x, b.constant(0U)));
  }
  return from == DType::Bool ? b.binary(Code::And, x, b.constant(1U)) : float_to_int(b, x);
}

}  // namespace

bool has_lanes(int lane_bytes, DType dtype) {
  if (dtype == DType::Bool || dtype == DType::Float32 || dtype == DType::Int32) {
    return true;
  }
  return lane_bytes == 8 ? dtype == DType::Float64 || dtype == DType::Int64 : is_half(dtype);
}

Value rounded(Builder& b, DType to, Value value) {
  if (to == DType::Float16) {
    return b.unary(Code::RoundHalf, value);
  }
  const Bits bits{{&b, value}};
  const Bits odd = Bits{{&b, b.unary(Code::ShiftBits, value, 16)}} & 1U;
  const Bits near = (bits + 0x7fffU + odd) & 0xffff0000U;
  const Bits nan = (bits | 0x400000U) & 0xffff0000U;
  return b.select(b.binary(Code::Unordered, value, value), nan.value, near.value);
}

std::optional<Value> operation(Builder& b, Op op, DType result, DType from,
                               std::span<const Value> args) {
  if (!has_lanes(b.lane_bytes(), result) || !has_lanes(b.lane_bytes(), from)) {
    return std::nullopt;
  }
  if (op == Op::Cast) {
    return b.is_long() ? cast_64(b, result, from, args[0]) : cast(b, result, from, args[0]);
  }
  if (from != DType::Bool && !is_half(from) && size_of(from) != b.lane_bytes()) {
    return std::nullopt;  // of what only is on the way to another width
  }
  if (op == Op::Where) {
    return b.select(args[0], args[1], args[2]);
  }
  if (from == DType::Bool) {
    return op == Op::Bitcast ? std::nullopt : logical(b, op, args);
  }
  if (op == Op::Bitcast) {
    const bool plain = !is_half(result) && !is_half(from) && size_of(result) == size_of(from);
    return plain ? std::optional(args[0]) : std::nullopt;
  }
  if (!is_float(from)) {
    return integer(b, op, args);
  }
  return args.size() == 1 ? unary_float(b, op, args[0]) : binary_float(b, op, args[0], args[1]);
}

}  // namespace caten::vector
