// Operations in C. Helper functions are in helpers.cpp; here is who needs which.
#include "codegen/c/spelling.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "codegen/c/helpers.h"
#include "ir/air/evaluate.h"
#include "ir/support/check.h"

namespace caten::c {
namespace {

using air::Op;

bool is_double(DType dtype) {
  return dtype == DType::Float64;
}

/// The unsigned type that arithmetic of an integer dtype is done in: no promotion to int, so no
/// signed overflow.
std::string_view unsigned_type(DType dtype) {
  return size_of(dtype) == 8 ? "uint64_t" : "uint32_t";
}

bool is_wide_unsigned(DType dtype) {
  return dtype == DType::UInt32 || dtype == DType::UInt64;
}

/// Rounds a float32 expression to a 16-bit dtype.
std::string rounded(DType dtype, std::string value, DialectKind dialect, Uses& uses) {
  if (!is_half(dtype)) {
    return value;
  }
  const char* name = dtype == DType::Float16 ? "half" : "bfloat";
  if (dialect == DialectKind::C99) {
    const std::string helper = fmt::format("round_{}", name);
    uses.helpers.insert(helper);
    return fmt::format("{}({})", helper, value);
  }
  const std::string widen = fmt::format("ct_{}_to_float", name);
  const std::string narrow = fmt::format("ct_float_to_{}", name);
  uses.functions.insert(widen);
  uses.functions.insert(narrow);
  return fmt::format("{}({}({}))", widen, narrow, value);
}

std::string call(const std::string& function, std::span<const std::string> args) {
  std::string text = function + "(" + without_parentheses(args[0]);
  for (size_t i = 1; i < args.size(); ++i) {
    text += ", " + without_parentheses(args[i]);
  }
  return text + ")";
}

std::string library_call(std::string name, DType dtype, std::span<const std::string> args,
                         Uses& uses) {
  if (!is_double(dtype)) {
    name += 'f';
  }
  uses.functions.insert(name);
  return call(name, args);
}

/// A sign does not need parentheses beside `?` and `:`.
std::string word(const std::string& text) {
  std::string bare = without_parentheses(text);
  return bare.find(' ') == std::string::npos ? bare : text;
}

std::string helper_call(std::string_view family, DType dtype, std::span<const std::string> args,
                        Uses& uses) {
  const std::string name = fmt::format("{}_{}", family, suffix(dtype));
  uses.helpers.insert(name);
  return call(name, args);
}

/// Arithmetic that wraps: done unsigned, converted back.
std::string wrapping(std::string_view op, DType dtype, std::span<const std::string> args) {
  if (is_wide_unsigned(dtype)) {
    return fmt::format("{} {} {}", args[0], op, args[1]);
  }
  const std::string_view u = unsigned_type(dtype);
  return fmt::format("({})(({}){} {} ({}){})", c_value_type(dtype), u, args[0], op, u, args[1]);
}

std::string bitwise(std::string_view op, DType dtype, std::span<const std::string> args) {
  if (size_of(dtype) >= 4) {
    return fmt::format("{} {} {}", args[0], op, args[1]);
  }
  return fmt::format("({})({} {} {})", c_value_type(dtype), args[0], op, args[1]);
}

/// What a comparison of integers gives whatever their values are, because both operands are the
/// same or one is a constant at the end of the dtype's range. Compilers warn of such comparisons.
std::optional<bool> known_comparison(std::string_view op, DType dtype, const std::string& a,
                                     const std::string& b, DialectKind dialect) {
  if (is_float(dtype)) {
    return std::nullopt;  // NaN
  }
  if (a == b) {
    return op == "<=" || op == "==";
  }
  if (op == "==" || op == "!=" || size_of(dtype) >= 4) {
    return std::nullopt;  // of wider types they do not warn
  }
  Uses none;
  const auto ends_at = [&](const std::string& operand, air::ReduceOp neutral) {
    return operand == spell_constant(air::identity(neutral, dtype), dialect, none);
  };
  const auto is_least = [&](const std::string& x) { return ends_at(x, air::ReduceOp::Max); };
  const auto is_greatest = [&](const std::string& x) { return ends_at(x, air::ReduceOp::Min); };
  const std::string& left = op == ">" ? b : a;
  const std::string& right = op == ">" ? a : b;
  if (op != "<=" && (is_greatest(left) || is_least(right))) {
    return false;
  }
  if (op == "<=" && (is_least(left) || is_greatest(right))) {
    return true;
  }
  return std::nullopt;
}

/// The value of an expression of `a` and `b` that is known without them; names in them stay used.
std::string instead_of(const std::string& a, const std::string& b, const std::string& value) {
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of("(-0123456789)") == std::string::npos;
  };
  std::string text;
  for (const std::string* operand : {&a, &b}) {
    if (!is_number(*operand) && *operand != value && (operand == &a || a != b)) {
      text += fmt::format("(void){}, ", *operand);
    }
  }
  return text + value;
}

std::string comparison(std::string_view op, DType dtype, std::span<const std::string> args,
                       DialectKind dialect) {
  if (const auto known = known_comparison(op, dtype, args[0], args[1], dialect)) {
    return fmt::format("(uint8_t)({})", instead_of(args[0], args[1], *known ? "1" : "0"));
  }
  return fmt::format("(uint8_t)({} {} {})", args[0], op, args[1]);
}

std::string shift(std::string_view op, DType dtype, std::span<const std::string> args) {
  const int mask = size_of(dtype) * 8 - 1;
  const std::string_view u = unsigned_type(dtype);
  const std::string count = fmt::format("(({}){} & {}u)", u, args[1], mask);
  if (op == ">>" && is_signed(dtype)) {
    // A constant may be written as an int; what is shifted has to have the width of its dtype.
    return fmt::format("({0})(({0}){1} >> {2})", c_value_type(dtype), args[0], count);
  }
  // `| 0u`: gcc looks through the conversion of a constant that is negative and warns of its shift.
  const std::string bits = op == "<<" && is_signed(dtype) ? fmt::format("(({}){} | 0u)", u, args[0])
                                                          : fmt::format("({}){}", u, args[0]);
  return fmt::format("({})({} {} {})", c_value_type(dtype), bits, op, count);
}

/// The larger (or smaller) operand; a NaN on either side wins.
std::string extreme(std::string_view op, DType dtype, const std::string& a, const std::string& b,
                    DialectKind dialect) {
  if (a == b) {
    return a;
  }
  if (const auto known = known_comparison(op, dtype, a, b, dialect)) {
    return fmt::format("({})({})", c_value_type(dtype), instead_of(a, b, *known ? a : b));
  }
  if (is_float(dtype)) {
    return fmt::format("({} {} {} || {} != {}) ? {} : {}", a, op, b, a, a, a, b);
  }
  return fmt::format("{} {} {} ? {} : {}", a, op, b, a, b);
}

std::string cast(DType to, DType from, const std::string& x, DialectKind dialect, Uses& uses) {
  if (to == from) {
    return x;
  }
  if (to == DType::Bool) {
    const char* zero = !is_float(from) ? "0" : is_double(from) ? "0.0" : "0.0f";
    return fmt::format("(uint8_t)({} != {})", x, zero);
  }
  if (is_float(to)) {
    if (is_half(from) && to == DType::Float32) {
      return x;  // held in float already
    }
    const std::string_view type = is_double(to) ? "double" : "float";
    std::string value = c_value_type(from) == type ? x : fmt::format("({}){}", type, x);
    return rounded(to, std::move(value), dialect, uses);
  }
  if (is_float(from)) {
    const DType source = is_double(from) ? DType::Float64 : DType::Float32;
    const std::string name = fmt::format("{}_to_{}", suffix(source), suffix(to));
    uses.helpers.insert(name);
    return fmt::format("{}({})", name, x);
  }
  return fmt::format("({}){}", c_value_type(to), x);
}

std::string bitcast(DType to, DType from, const std::string& x, DialectKind dialect, Uses& uses) {
  if (to == from) {
    return x;
  }
  // Through the storage type of the operand, then that of the result.
  std::string bits = spell_store(from, x, dialect, uses);
  const auto bits_name = [](DType dtype) { return is_double(dtype) ? "u64" : "u32"; };
  if (from == DType::Float32 || from == DType::Float64) {
    const std::string name = fmt::format("{}_bits", suffix(from));
    uses.helpers.insert(name);
    bits = fmt::format("{}({})", name, bits);
  }
  if (to == DType::Float32 || to == DType::Float64) {
    const std::string name = fmt::format("{}_to_{}", bits_name(to), suffix(to));
    uses.helpers.insert(name);
    return fmt::format("{}(({}){})", name, to == DType::Float32 ? "uint32_t" : "uint64_t", bits);
  }
  if (to == DType::Bool) {
    return fmt::format("(uint8_t)({} != 0)", bits);
  }
  return spell_load(to, fmt::format("({}){}", c_storage_type(to), bits), dialect, uses);
}

/// The value before rounding to a 16-bit float.
std::string unrounded(Op op, DType dtype, DType from, std::span<const std::string> a,
                      DialectKind dialect, Uses& uses) {
  const bool real = is_float(dtype);
  const bool logical = dtype == DType::Bool;
  switch (op) {
    case Op::Neg:
      return real
                 ? fmt::format("-{}", a[0])
                 : fmt::format("({})(0 - ({}){})", c_value_type(dtype), unsigned_type(dtype), a[0]);
    case Op::Recip:
      return fmt::format("{} / {}", is_double(dtype) ? "1.0" : "1.0f", a[0]);
    case Op::Sin:
      return library_call("sin", dtype, a, uses);
    case Op::Cos:
      return library_call("cos", dtype, a, uses);
    case Op::Tan:
      return library_call("tan", dtype, a, uses);
    case Op::Asin:
      return library_call("asin", dtype, a, uses);
    case Op::Acos:
      return library_call("acos", dtype, a, uses);
    case Op::Atan:
      return library_call("atan", dtype, a, uses);
    case Op::Sinh:
      return library_call("sinh", dtype, a, uses);
    case Op::Cosh:
      return library_call("cosh", dtype, a, uses);
    case Op::Tanh:
      return library_call("tanh", dtype, a, uses);
    case Op::Exp:
      return library_call("exp", dtype, a, uses);
    case Op::Exp2:
      return library_call("exp2", dtype, a, uses);
    case Op::Expm1:
      return library_call("expm1", dtype, a, uses);
    case Op::Log:
      return library_call("log", dtype, a, uses);
    case Op::Log2:
      return library_call("log2", dtype, a, uses);
    case Op::Log1p:
      return library_call("log1p", dtype, a, uses);
    case Op::Sqrt:
      return library_call("sqrt", dtype, a, uses);
    case Op::Erf:
      return library_call("erf", dtype, a, uses);
    case Op::Erfc:
      return library_call("erfc", dtype, a, uses);
    case Op::Floor:
      return library_call("floor", dtype, a, uses);
    case Op::Ceil:
      return library_call("ceil", dtype, a, uses);
    case Op::Trunc:
      return library_call("trunc", dtype, a, uses);
    case Op::Round:
      return library_call("rint", dtype, a, uses);
    case Op::Not:
      return logical ? fmt::format("(uint8_t)!{}", a[0])
                     : fmt::format("({})~{}", c_value_type(dtype), a[0]);
    case Op::Cast:
      return cast(dtype, from, a[0], dialect, uses);
    case Op::Bitcast:
      return bitcast(dtype, from, a[0], dialect, uses);
    case Op::Add:
      return logical ? bitwise("|", dtype, a)
             : real  ? fmt::format("{} + {}", a[0], a[1])
                     : wrapping("+", dtype, a);
    case Op::Sub:
      return real ? fmt::format("{} - {}", a[0], a[1]) : wrapping("-", dtype, a);
    case Op::Mul:
      return logical ? bitwise("&", dtype, a)
             : real  ? fmt::format("{} * {}", a[0], a[1])
                     : wrapping("*", dtype, a);
    case Op::Div:
      return fmt::format("{} / {}", a[0], a[1]);
    case Op::Idiv:
      if (real) {
        const std::string quotient = fmt::format("{} / {}", a[0], a[1]);
        return library_call("floor", dtype, std::span(&quotient, 1), uses);
      }
      return helper_call("floor_div", dtype, a, uses);
    case Op::Mod:
      return helper_call("floor_mod", is_half(dtype) ? DType::Float32 : dtype, a, uses);
    case Op::Rem:
      return real ? library_call("fmod", dtype, a, uses) : helper_call("rem", dtype, a, uses);
    case Op::Pow:
      return library_call("pow", dtype, a, uses);
    case Op::Max:
      return logical ? bitwise("|", dtype, a) : extreme(">", dtype, a[0], a[1], dialect);
    case Op::Min:
      return logical ? bitwise("&", dtype, a) : extreme("<", dtype, a[0], a[1], dialect);
    case Op::And:
      return bitwise("&", dtype, a);
    case Op::Or:
      return bitwise("|", dtype, a);
    case Op::Xor:
      return bitwise("^", dtype, a);
    case Op::Shl:
      return shift("<<", dtype, a);
    case Op::Shr:
      return shift(">>", dtype, a);
    case Op::Lt:
      return comparison("<", from, a, dialect);
    case Op::Le:
      return comparison("<=", from, a, dialect);
    case Op::Eq:
      return comparison("==", from, a, dialect);
    case Op::Ne:
      return comparison("!=", from, a, dialect);
    case Op::Where:
      return fmt::format("{} ? {} : {}", a[0], word(a[1]), word(a[2]));
    case Op::Const:
    case Op::Input:
    case Op::Param:
    case Op::DimValue:
    case Op::Iota:
    case Op::Reshape:
    case Op::Permute:
    case Op::Expand:
    case Op::Slice:
    case Op::Pad:
    case Op::Concat:
    case Op::Reduce:
    case Op::ArgReduce:
    case Op::Gather:
    case Op::TakeAlong:
    case Op::Scatter:
    case Op::Scan:
    case Op::Sort:
    case Op::Assign:
      break;
  }
  CATEN_UNREACHABLE("`{}` is not an operation on scalars", air::name(op));
}

std::string float_text(double value, bool wide) {
  std::string text = wide ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return wide ? text : text + "f";
}

}  // namespace

bool needs_rounding(Op op) {
  switch (op) {
    case Op::Neg:
    case Op::Max:
    case Op::Min:
    case Op::Where:
    case Op::Cast:  // rounds by itself
    case Op::Bitcast:
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Round:
      return false;
    default:
      return true;
  }
}

std::string without_parentheses(const std::string& text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') {
    return text;
  }
  int depth = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) {
      return text;  // the first parenthesis closes before the end
    }
  }
  return text.substr(1, text.size() - 2);
}

std::string_view c_value_type(DType dtype) {
  return is_half(dtype) ? "float" : info(dtype).c_type;
}

std::string_view c_storage_type(DType dtype) {
  return info(dtype).c_type;
}

std::string spell_int64(int64_t value, DialectKind dialect) {
  constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();
  if (value >= -kIntMax && value <= kIntMax) {
    return fmt::format("{}", value);
  }
  if (value == std::numeric_limits<int64_t>::min()) {
    return dialect == DialectKind::C99 ? "INT64_MIN" : "(-9223372036854775807LL - 1)";
  }
  return dialect == DialectKind::C99 ? fmt::format("INT64_C({})", value)
                                     : fmt::format("{}LL", value);
}

std::string spell_constant(const Scalar& scalar, DialectKind dialect, Uses& uses) {
  const DType dtype = scalar.dtype();
  std::string text;
  if (is_float(dtype)) {
    const double value = scalar.as_double();
    const bool wide = is_double(dtype);
    if (std::isnan(value)) {
      const std::string name = wide ? "u64_to_f64" : "u32_to_f32";
      const Scalar bits = wide ? scalar : Scalar::of_double(DType::Float32, scalar.as_double());
      const Scalar standard = Scalar::of_double(bits.dtype(), std::nan(""));
      if (dialect == DialectKind::C99 && bits == standard) {
        return wide ? "(double)NAN" : "NAN";
      }
      uses.helpers.insert(name);
      return wide ? fmt::format("{}(0x{:x}ull)", name, bits.bits())
                  : fmt::format("{}(0x{:x}u)", name, bits.bits());
    }
    if (std::isinf(value)) {
      if (dialect == DialectKind::C99) {
        const char* sign = value < 0 ? "-" : "";
        return wide ? fmt::format("({}(double)INFINITY)", sign) : fmt::format("({}INFINITY)", sign);
      }
      const char* sign = value < 0 ? "-" : "";
      return wide ? fmt::format("({}1.0 / 0.0)", sign) : fmt::format("({}1.0f / 0.0f)", sign);
    }
    text = float_text(value, wide);
    return std::signbit(value) ? "(" + text + ")" : text;
  }
  switch (dtype) {
    case DType::Bool:
    case DType::UInt8:
    case DType::UInt16:
      return fmt::format("{}", scalar.bits());
    case DType::UInt32:
      return fmt::format("{}u", scalar.bits());
    case DType::UInt64:
      if (dialect == DialectKind::C99) {
        return fmt::format("UINT64_C({})", scalar.bits());
      }
      return fmt::format("{}ull", scalar.bits());
    default: {
      const int64_t value = scalar.as_int();
      if (dtype == DType::Int32 && value == std::numeric_limits<int32_t>::min()) {
        return dialect == DialectKind::C99 ? "INT32_MIN" : "(-2147483647 - 1)";
      }
      text = spell_int64(value, dialect);
      return value < 0 && text.front() == '-' ? "(" + text + ")" : text;
    }
  }
}

std::string spell_load(DType dtype, const std::string& element, DialectKind dialect, Uses& uses) {
  if (!is_half(dtype)) {
    return element;
  }
  const char* name = dtype == DType::Float16 ? "half" : "bfloat";
  const std::string function =
      fmt::format("{}{}_to_float", dialect == DialectKind::C99 ? "" : "ct_", name);
  (dialect == DialectKind::C99 ? uses.helpers : uses.functions).insert(function);
  return fmt::format("{}({})", function, element);
}

std::string spell_store(DType dtype, const std::string& value, DialectKind dialect, Uses& uses) {
  if (!is_half(dtype)) {
    return value;
  }
  const char* name = dtype == DType::Float16 ? "half" : "bfloat";
  if (dialect == DialectKind::C99) {
    const std::string function = fmt::format("float_to_{}", name);
    uses.helpers.insert(function);
    return fmt::format("{}({})", function, value);
  }
  const std::string function = fmt::format("ct_float_to_{}", name);
  uses.functions.insert(function);
  return fmt::format("(uint16_t){}({})", function, value);
}

std::string spell(Op op, DType result, DType from, std::span<const std::string> args,
                  DialectKind dialect, Uses& uses) {
  std::string text = unrounded(op, result, from, args, dialect, uses);
  return is_half(result) && needs_rounding(op) ? rounded(result, std::move(text), dialect, uses)
                                               : text;
}

std::string spell_reduce(air::ReduceOp op, DType dtype, const std::string& target,
                         const std::string& value, Uses& uses) {
  const DType accumulator = is_half(dtype) ? DType::Float32 : dtype;
  const std::string args[] = {target, value};
  const auto as = [&](Op scalar_op) {
    return unrounded(scalar_op, accumulator, accumulator, args, DialectKind::C99, uses);
  };
  switch (op) {
    case air::ReduceOp::Add:
      return as(Op::Add);
    case air::ReduceOp::Mul:
      return as(Op::Mul);
    case air::ReduceOp::Max:
      return as(Op::Max);
    case air::ReduceOp::Min:
      return as(Op::Min);
    case air::ReduceOp::And:
      return as(Op::And);
    case air::ReduceOp::Or:
      return as(Op::Or);
  }
  CATEN_UNREACHABLE("reduce op");
}

}  // namespace caten::c
