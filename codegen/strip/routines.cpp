// Which vector routine of runtime/intrinsics/strips computes an operation.
#include <fmt/core.h>

#include "codegen/c/helpers.h"
#include "codegen/c/spelling.h"
#include "codegen/strip/strip.h"
#include "ir/support/check.h"

namespace caten::strip {
namespace {

using air::Op;
using air::OpClass;

/// The routines' suffix: bool is one byte of 0 or 1.
std::string_view suffix_of(DType dtype) {
  return dtype == DType::Bool ? c::suffix(DType::UInt8) : c::suffix(slot_dtype(dtype));
}

std::string named(std::string_view op, DType dtype) {
  return fmt::format("ct_{}_{}", op, suffix_of(dtype));
}

std::string copy_of(DType dtype) {
  return fmt::format("ct_copy_{}", size_of(slot_dtype(dtype)) * 8);
}

std::optional<Routine> cast_routine(DType to, DType from) {
  const DType source = slot_dtype(from);
  const DType target = slot_dtype(to);
  Routine out;
  out.round = is_half(to) && from != to ? to : DType::Float32;
  if (source == target) {
    if (is_half(to) && from != to) {
      out.function = fmt::format("ct_round_{}", c::suffix(to));
      out.round = DType::Float32;
    }
    return out;
  }
  if (to == DType::Bool) {
    out.function = fmt::format("ct_cast_{}_bool", suffix_of(source));
  } else if (from == DType::Bool && to == DType::UInt8) {
    out.function = copy_of(to);
  } else {
    out.function = fmt::format("ct_cast_{}_{}", suffix_of(source), suffix_of(target));
  }
  return out;
}

/// On bools, arithmetic is logic.
std::optional<Routine> bool_routine(Op op) {
  switch (op) {
    case Op::Add:
    case Op::Max:
    case Op::Or:
      return Routine{"ct_or_u8"};
    case Op::Mul:
    case Op::Min:
    case Op::And:
      return Routine{"ct_and_u8"};
    case Op::Xor:
      return Routine{"ct_xor_u8"};
    case Op::Not:
      return Routine{"ct_not_bool"};
    default:
      return std::nullopt;
  }
}

}  // namespace

DType slot_dtype(DType dtype) {
  return is_half(dtype) ? DType::Float32 : dtype;
}

std::optional<Routine> routine(Op op, DType result, DType from) {
  const air::OpInfo& info = air::info(op);
  if (op == Op::Cast) {
    return cast_routine(result, from);
  }
  if (op == Op::Bitcast) {
    const bool plain = !is_half(result) && !is_half(from) && result != DType::Bool;
    return plain ? std::optional(Routine{copy_of(result)}) : std::nullopt;
  }
  if (op == Op::Where) {
    return Routine{fmt::format("ct_where_{}", size_of(slot_dtype(result)) * 8)};
  }
  if (info.has(air::kCompare)) {
    return Routine{named(air::name(op), from)};
  }
  if (result == DType::Bool) {
    return bool_routine(op);
  }
  if (info.cls != OpClass::Unary && info.cls != OpClass::Binary) {
    return std::nullopt;
  }
  Routine out;
  out.function = named(op == Op::Round ? "rint" : air::name(op), result);
  out.round = is_half(result) && c::needs_rounding(op) ? result : DType::Float32;
  return out;
}

std::string reduce_routine(air::ReduceOp op, DType dtype) {
  using air::ReduceOp;
  const bool logical = dtype == DType::Bool;
  const std::string_view name = [&]() -> std::string_view {
    switch (op) {
      case ReduceOp::Add:
        return logical ? "or" : "add";
      case ReduceOp::Mul:
        return logical ? "and" : "mul";
      case ReduceOp::Max:
        return logical ? "or" : "max";
      case ReduceOp::Min:
        return logical ? "and" : "min";
      case ReduceOp::And:
        return "and";
      case ReduceOp::Or:
        return "or";
    }
    CATEN_UNREACHABLE("reduce op");
  }();
  return named(fmt::format("reduce_{}", name), dtype);
}

}  // namespace caten::strip
