// Arithmetic, comparison, division and bits on the numbers of lisp/number.h.
#include "frontend/lisp/number.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

Value expect_number(Interpreter& interp, Value v) {
  if (!is_number(v)) {
    wrong_type(interp, v, "argument", "a number");
  }
  return v;
}

bool is_float(Value v) {
  return v.is_single() || v.is<Double>();
}
bool is_rational(Value v) {
  return is_integer(v) || v.is<Ratio>();
}

template <Value (*Operation)(Interpreter&, Value, Value)>
Value fold(Interpreter& interp, Value start, Args rest) {
  for (Value v : rest) {
    start = Operation(interp, start, v);
  }
  return start;
}

Value number_plus(Interpreter& interp, Args args) {
  return args.empty() ? Value::fixnum(0)
                      : fold<number_add>(interp, expect_number(interp, args[0]), args.subspan(1));
}

Value number_times(Interpreter& interp, Args args) {
  return args.empty()
             ? Value::fixnum(1)
             : fold<number_multiply>(interp, expect_number(interp, args[0]), args.subspan(1));
}

Value negated(Interpreter& interp, Value v) {
  if (v.is_single()) {
    return Value::single(-v.single_value());
  }
  if (const Double* real = v.try_as<Double>()) {
    return interp.real(-real->value);
  }
  return number_subtract(interp, Value::fixnum(0), v);
}

Value number_minus(Interpreter& interp, Args args) {
  return args.size() == 1 ? negated(interp, args[0])
                          : fold<number_subtract>(interp, args[0], args.subspan(1));
}

Value number_over(Interpreter& interp, Args args) {
  return args.size() == 1 ? number_divide(interp, Value::fixnum(1), args[0])
                          : fold<number_divide>(interp, args[0], args.subspan(1));
}

Value number_increment(Interpreter& interp, Args args) {
  return number_add(interp, args[0], Value::fixnum(1));
}
Value number_decrement(Interpreter& interp, Args args) {
  return number_subtract(interp, args[0], Value::fixnum(1));
}

// --- comparison -------------------------------------------------------------------------------

enum class Relation : uint8_t { Equal, Less, LessEqual, Greater, GreaterEqual };

template <Relation R>
bool related(Interpreter& interp, Value a, Value b) {
  const std::partial_ordering order = number_compare(interp, a, b);
  switch (R) {
    case Relation::Equal:
      return order == 0;
    case Relation::Less:
      return order < 0;
    case Relation::LessEqual:
      return order <= 0;
    case Relation::Greater:
      return order > 0;
    case Relation::GreaterEqual:
      return order >= 0;
  }
}

template <Relation R>
Value number_chain(Interpreter& interp, Args args) {
  expect_number(interp, args[0]);
  bool holds = true;
  for (size_t i = 0; i + 1 < args.size(); ++i) {
    holds = related<R>(interp, args[i], args[i + 1]) && holds;
  }
  return Value::boolean(holds);
}

Value number_not_equal(Interpreter& interp, Args args) {
  expect_number(interp, args[0]);
  bool holds = true;
  for (size_t i = 0; i < args.size(); ++i) {
    for (size_t j = i + 1; j < args.size(); ++j) {
      holds = !related<Relation::Equal>(interp, args[i], args[j]) && holds;
    }
  }
  return Value::boolean(holds);
}

void expect_real_number(Interpreter& interp, Value v) {
  if (!is_number(v)) {
    wrong_type(interp, v, "argument", "a real number");
  }
}

template <Relation Better>
Value number_extreme(Interpreter& interp, Args args) {
  Value best = args[0];
  expect_real_number(interp, best);
  for (Value v : args.subspan(1)) {
    best = related<Better>(interp, v, best) ? v : best;
  }
  return best;
}

/// -1, 0 or 1; a NaN counts as 0.
int sign_of(Interpreter& interp, Value v) {
  const std::partial_ordering order = number_compare(interp, v, Value::fixnum(0));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

Value number_zerop(Interpreter& interp, Args args) {
  return Value::boolean(number_equal(interp, args[0], Value::fixnum(0)));
}
Value number_plusp(Interpreter& interp, Args args) {
  return Value::boolean(sign_of(interp, args[0]) > 0);
}
Value number_minusp(Interpreter& interp, Args args) {
  return Value::boolean(sign_of(interp, args[0]) < 0);
}
Value number_evenp(Interpreter& interp, Args args) {
  return Value::boolean((expect_int(interp, args[0], "argument") & 1) == 0);
}
Value number_oddp(Interpreter& interp, Args args) {
  return Value::boolean((expect_int(interp, args[0], "argument") & 1) != 0);
}

Value number_abs(Interpreter& interp, Args args) {
  const Value v = args[0];
  if (v.is_single()) {
    return Value::single(std::fabs(v.single_value()));
  }
  if (const Double* real = v.try_as<Double>()) {
    return interp.real(std::fabs(real->value));
  }
  return sign_of(interp, v) < 0 ? negated(interp, v) : v;
}

Value number_signum(Interpreter& interp, Args args) {
  const Value v = args[0];
  if (is_float(v)) {
    const double f = to_double(interp, v);
    const double sign = f > 0 ? 1.0 : f < 0 ? -1.0 : f;
    return v.is_single() ? Value::single(static_cast<float>(sign)) : interp.real(sign);
  }
  return Value::fixnum(sign_of(interp, v));
}

// --- division with remainder ------------------------------------------------------------------

template <Rounding R>
Value number_round(Interpreter& interp, Args args) {
  const Quotient q = number_quotient(interp, args[0], arg_or(args, 1, Value::fixnum(1)), R);
  return interp.set_values({q.quotient, q.remainder});
}

/// The quotient of ffloor and its kin: a float of the operands' kind, never too large.
template <Rounding R>
Value number_float_round(Interpreter& interp, Args args) {
  const Value divisor = arg_or(args, 1, Value::fixnum(1));
  expect_real_number(interp, args[0]);
  expect_real_number(interp, divisor);
  const bool is_double = args[0].is<Double>() || divisor.is<Double>();
  if (!is_float(args[0]) && !is_float(divisor)) {
    const Quotient q = number_quotient(interp, args[0], divisor, R);
    return interp.set_values(
        {Value::single(static_cast<float>(to_double(interp, q.quotient))), q.remainder});
  }
  const Value ratio = number_divide(interp, args[0], divisor);
  const double exact = to_double(interp, ratio);
  const double rounded = R == Rounding::Floor      ? std::floor(exact)
                         : R == Rounding::Ceiling  ? std::ceil(exact)
                         : R == Rounding::Truncate ? std::trunc(exact)
                                                   : std::nearbyint(exact);
  const Value quotient =
      is_double ? interp.real(rounded) : Value::single(static_cast<float>(rounded));
  const Value remainder =
      number_subtract(interp, args[0], number_multiply(interp, quotient, divisor));
  return interp.set_values({quotient, remainder});
}

/// Of integers without the quotient, which may not fit although the remainder does.
template <Rounding R>
Value number_remainder(Interpreter& interp, Args args) {
  if (is_integer(args[0]) && is_integer(args[1]) && args[1] != Value::fixnum(0)) {
    const int64_t n = integer_value(args[0]);
    const int64_t d = integer_value(args[1]);
    const int64_t remainder = d == -1 ? 0 : n % d;
    const bool adjust = R == Rounding::Floor && remainder != 0 && (remainder < 0) != (d < 0);
    return interp.integer(adjust ? remainder + d : remainder);
  }
  return number_quotient(interp, args[0], args[1], R).remainder;
}

// --- integers ---------------------------------------------------------------------------------

uint64_t magnitude(int64_t n) {
  return n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
}

Value from_magnitude(Interpreter& interp, uint64_t n, std::string_view operation, Args operands) {
  if (n > static_cast<uint64_t>(INT64_MAX)) {
    integer_overflow(interp, operation, operands);
  }
  return interp.integer(static_cast<int64_t>(n));
}

Value number_gcd(Interpreter& interp, Args args) {
  uint64_t result = 0;
  for (Value v : args) {
    result = std::gcd(result, magnitude(expect_int(interp, v, "argument")));
  }
  return from_magnitude(interp, result, "gcd", args);
}

Value number_lcm(Interpreter& interp, Args args) {
  uint64_t result = 1;
  for (Value v : args) {
    const uint64_t n = magnitude(expect_int(interp, v, "argument"));
    if (n == 0 || result == 0) {
      result = 0;
      continue;
    }
    if (__builtin_mul_overflow(result / std::gcd(result, n), n, &result)) {
      integer_overflow(interp, "lcm", args);
    }
  }
  return from_magnitude(interp, result, "lcm", args);
}

Value number_isqrt(Interpreter& interp, Args args) {
  const int64_t n = expect_index(interp, args[0], "argument");
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (root > 0 && root > n / root) {
    --root;
  }
  while (root + 1 <= n / (root + 1)) {
    ++root;
  }
  return interp.integer(root);
}

Value number_logand(Interpreter& interp, Args args) {
  int64_t result = -1;
  for (Value v : args) {
    result &= expect_int(interp, v, "argument");
  }
  return interp.integer(result);
}
Value number_logior(Interpreter& interp, Args args) {
  int64_t result = 0;
  for (Value v : args) {
    result |= expect_int(interp, v, "argument");
  }
  return interp.integer(result);
}
Value number_logxor(Interpreter& interp, Args args) {
  int64_t result = 0;
  for (Value v : args) {
    result ^= expect_int(interp, v, "argument");
  }
  return interp.integer(result);
}
Value number_logeqv(Interpreter& interp, Args args) {
  int64_t result = -1;
  for (Value v : args) {
    result = ~(result ^ expect_int(interp, v, "argument"));
  }
  return interp.integer(result);
}
Value number_lognot(Interpreter& interp, Args args) {
  return interp.integer(~expect_int(interp, args[0], "argument"));
}

enum class Bits : uint8_t { Nand, Nor, AndC1, AndC2, OrC1, OrC2 };
template <Bits B>
Value number_bits(Interpreter& interp, Args args) {
  const int64_t a = expect_int(interp, args[0], "first argument");
  const int64_t b = expect_int(interp, args[1], "second argument");
  switch (B) {
    case Bits::Nand:
      return interp.integer(~(a & b));
    case Bits::Nor:
      return interp.integer(~(a | b));
    case Bits::AndC1:
      return interp.integer(~a & b);
    case Bits::AndC2:
      return interp.integer(a & ~b);
    case Bits::OrC1:
      return interp.integer(~a | b);
    case Bits::OrC2:
      return interp.integer(a | ~b);
  }
}

Value number_logtest(Interpreter& interp, Args args) {
  return Value::boolean((expect_int(interp, args[0], "first argument") &
                         expect_int(interp, args[1], "second argument")) != 0);
}

Value number_ash(Interpreter& interp, Args args) {
  const int64_t n = expect_int(interp, args[0], "integer");
  const int64_t count = expect_int(interp, args[1], "count");
  if (count <= 0) {
    return interp.integer(n >> std::min<uint64_t>(magnitude(count), 63));
  }
  if (n == 0) {
    return Value::fixnum(0);
  }
  const int64_t shifted = count > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(n) << count);
  if (count > 63 || (shifted >> count) != n) {
    integer_overflow(interp, "ash", args);
  }
  return interp.integer(shifted);
}

Value number_logbitp(Interpreter& interp, Args args) {
  const int64_t index = expect_index(interp, args[0], "index");
  const int64_t n = expect_int(interp, args[1], "integer");
  return Value::boolean(((n >> std::min<int64_t>(index, 63)) & 1) != 0);
}

Value number_logcount(Interpreter& interp, Args args) {
  const int64_t n = expect_int(interp, args[0], "integer");
  return Value::fixnum(std::popcount(static_cast<uint64_t>(n < 0 ? ~n : n)));
}

Value number_integer_length(Interpreter& interp, Args args) {
  const int64_t n = expect_int(interp, args[0], "integer");
  return Value::fixnum(std::bit_width(static_cast<uint64_t>(n < 0 ? ~n : n)));
}

Value number_numerator(Interpreter& interp, Args args) {
  const Ratio* ratio = args[0].try_as<Ratio>();
  if (ratio == nullptr && !is_integer(args[0])) {
    wrong_type(interp, args[0], "argument", "a rational number");
  }
  return ratio == nullptr ? args[0] : interp.integer(ratio->numerator);
}
Value number_denominator(Interpreter& interp, Args args) {
  const Ratio* ratio = args[0].try_as<Ratio>();
  if (ratio == nullptr && !is_integer(args[0])) {
    wrong_type(interp, args[0], "argument", "a rational number");
  }
  return ratio == nullptr ? Value::fixnum(1) : interp.integer(ratio->denominator);
}

// --- kinds ------------------------------------------------------------------------------------

Value number_numberp(Interpreter&, Args args) {
  return Value::boolean(is_number(args[0]));
}
Value number_integerp(Interpreter&, Args args) {
  return Value::boolean(is_integer(args[0]));
}
Value number_rationalp(Interpreter&, Args args) {
  return Value::boolean(is_rational(args[0]));
}
Value number_floatp(Interpreter&, Args args) {
  return Value::boolean(is_float(args[0]));
}
Value number_complexp(Interpreter&, Args) {
  return Value::nil();
}

Value number_complex(Interpreter& interp, Args args) {
  const Value imaginary = arg_or(args, 1, Value::fixnum(0));
  expect_number(interp, args[0]);
  expect_number(interp, imaginary);
  if (is_rational(args[0]) && imaginary == Value::fixnum(0)) {
    return args[0];
  }
  fail(Diag::ArithmeticError, interp.current_span(), "complex numbers are not supported");
}

// clang-format off
constexpr Builtin kNumberBuiltins[] = {
    // name              package min max  doc                                                           function
    {"+",                "CL",   0,  -1,  "the sum of numbers",                                         number_plus},
    {"-",                "CL",   1,  -1,  "the first number minus the others; with one argument, its negative", number_minus},
    {"*",                "CL",   0,  -1,  "the product of numbers",                                     number_times},
    {"/",                "CL",   1,  -1,  "the first number divided by the others; with one argument, its reciprocal", number_over},
    {"1+",               "CL",   1,  1,   "a number plus one",                                          number_increment},
    {"1-",               "CL",   1,  1,   "a number minus one",                                         number_decrement},
    {"=",                "CL",   1,  -1,  "true if all numbers are equal",                              number_chain<Relation::Equal>},
    {"/=",               "CL",   1,  -1,  "true if no two numbers are equal",                           number_not_equal},
    {"<",                "CL",   1,  -1,  "true if numbers increase",                                   number_chain<Relation::Less>},
    {"<=",               "CL",   1,  -1,  "true if numbers do not decrease",                            number_chain<Relation::LessEqual>},
    {">",                "CL",   1,  -1,  "true if numbers decrease",                                   number_chain<Relation::Greater>},
    {">=",               "CL",   1,  -1,  "true if numbers do not increase",                            number_chain<Relation::GreaterEqual>},
    {"MAX",              "CL",   1,  -1,  "the greatest of real numbers",                               number_extreme<Relation::Greater>},
    {"MIN",              "CL",   1,  -1,  "the least of real numbers",                                  number_extreme<Relation::Less>},
    {"ZEROP",            "CL",   1,  1,   "true for zero",                                              number_zerop},
    {"PLUSP",            "CL",   1,  1,   "true for numbers above zero",                                number_plusp},
    {"MINUSP",           "CL",   1,  1,   "true for numbers below zero",                                number_minusp},
    {"EVENP",            "CL",   1,  1,   "true for even integers",                                     number_evenp},
    {"ODDP",             "CL",   1,  1,   "true for odd integers",                                      number_oddp},
    {"ABS",              "CL",   1,  1,   "the absolute value",                                         number_abs},
    {"SIGNUM",           "CL",   1,  1,   "-1, 0 or 1 of the argument's kind",                          number_signum},
    {"FLOOR",            "CL",   1,  2,   "quotient rounded down, and remainder",                       number_round<Rounding::Floor>},
    {"CEILING",          "CL",   1,  2,   "quotient rounded up, and remainder",                         number_round<Rounding::Ceiling>},
    {"TRUNCATE",         "CL",   1,  2,   "quotient rounded towards zero, and remainder",               number_round<Rounding::Truncate>},
    {"ROUND",            "CL",   1,  2,   "quotient rounded to nearest, ties to even, and remainder",   number_round<Rounding::Round>},
    {"FFLOOR",           "CL",   1,  2,   "floor with a float quotient",                                number_float_round<Rounding::Floor>},
    {"FCEILING",         "CL",   1,  2,   "ceiling with a float quotient",                              number_float_round<Rounding::Ceiling>},
    {"FTRUNCATE",        "CL",   1,  2,   "truncate with a float quotient",                             number_float_round<Rounding::Truncate>},
    {"FROUND",           "CL",   1,  2,   "round with a float quotient",                                number_float_round<Rounding::Round>},
    {"MOD",              "CL",   2,  2,   "remainder of floor: has the divisor's sign",                 number_remainder<Rounding::Floor>},
    {"REM",              "CL",   2,  2,   "remainder of truncate: has the dividend's sign",             number_remainder<Rounding::Truncate>},
    {"GCD",              "CL",   0,  -1,  "the greatest common divisor",                                number_gcd},
    {"LCM",              "CL",   0,  -1,  "the least common multiple",                                  number_lcm},
    {"ISQRT",            "CL",   1,  1,   "the greatest integer whose square is not above",             number_isqrt},
    {"LOGAND",           "CL",   0,  -1,  "bitwise and",                                                number_logand},
    {"LOGIOR",           "CL",   0,  -1,  "bitwise or",                                                 number_logior},
    {"LOGXOR",           "CL",   0,  -1,  "bitwise exclusive or",                                       number_logxor},
    {"LOGEQV",           "CL",   0,  -1,  "bitwise equivalence",                                        number_logeqv},
    {"LOGNOT",           "CL",   1,  1,   "bitwise complement",                                         number_lognot},
    {"LOGNAND",          "CL",   2,  2,   "complement of and",                                          number_bits<Bits::Nand>},
    {"LOGNOR",           "CL",   2,  2,   "complement of or",                                           number_bits<Bits::Nor>},
    {"LOGANDC1",         "CL",   2,  2,   "and of the complement of the first",                         number_bits<Bits::AndC1>},
    {"LOGANDC2",         "CL",   2,  2,   "and with the complement of the second",                      number_bits<Bits::AndC2>},
    {"LOGORC1",          "CL",   2,  2,   "or of the complement of the first",                          number_bits<Bits::OrC1>},
    {"LOGORC2",          "CL",   2,  2,   "or with the complement of the second",                       number_bits<Bits::OrC2>},
    {"LOGTEST",          "CL",   2,  2,   "true if two integers share a bit",                           number_logtest},
    {"ASH",              "CL",   2,  2,   "shifts left by a count, right by a negative one",            number_ash},
    {"LOGBITP",          "CL",   2,  2,   "(logbitp index integer): true if a bit is set",              number_logbitp},
    {"LOGCOUNT",         "CL",   1,  1,   "the number of bits that differ from the sign",               number_logcount},
    {"INTEGER-LENGTH",   "CL",   1,  1,   "the number of bits without the sign",                        number_integer_length},
    {"NUMERATOR",        "CL",   1,  1,   "the numerator of a rational",                                number_numerator},
    {"DENOMINATOR",      "CL",   1,  1,   "the denominator of a rational",                              number_denominator},
    {"NUMBERP",          "CL",   1,  1,   "true for numbers",                                           number_numberp},
    {"INTEGERP",         "CL",   1,  1,   "true for integers",                                          number_integerp},
    {"RATIONALP",        "CL",   1,  1,   "true for integers and ratios",                               number_rationalp},
    {"FLOATP",           "CL",   1,  1,   "true for floats",                                            number_floatp},
    {"REALP",            "CL",   1,  1,   "true for real numbers",                                      number_numberp},
    {"COMPLEXP",         "CL",   1,  1,   "true for complex numbers, of which there are none",          number_complexp},
    {"COMPLEX",          "CL",   1,  2,   "refused: there are no complex numbers",                      number_complex},
};
// clang-format on

}  // namespace

std::span<const Builtin> number_builtins() {
  return kNumberBuiltins;
}

}  // namespace caten::lisp
