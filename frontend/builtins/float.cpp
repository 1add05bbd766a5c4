// Floats and elementary functions. Exact arguments are taken as single-floats, as SBCL does; single
// results are computed in double and rounded once. What would be complex is refused by name.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "frontend/builtins/builtins.h"
#include "frontend/builtins/tables.h"
#include "frontend/lisp/number.h"

namespace caten::lisp {
namespace {

using Args = std::span<Value>;

bool is_float(Value v) {
  return v.is_single() || v.is<Double>();
}

double expect_real_number(Interpreter& interp, Value v) {
  return expect_real(interp, v, "argument");
}

[[noreturn]] void complex_result(Interpreter& interp, std::string_view name, Value v) {
  note_operands(interp, Diag::ArithmeticError, name, {&v, 1});
  fail(Diag::ArithmeticError, interp.current_span(),
       "`{}` of {} is a complex number, which is not supported", name, interp.print(v));
}

/// A result in the kind asked for; infinities and NaNs that finite arguments produced are errors.
Value float_value(Interpreter& interp, double result, bool is_double, bool finite_arguments,
                  std::string_view name, Args operands) {
  const auto single = static_cast<float>(result);
  const bool infinite = is_double ? std::isinf(result) : std::isinf(single);
  if (finite_arguments && infinite) {
    note_operands(interp, Diag::FloatOverflow, name, operands);
    fail(Diag::FloatOverflow, interp.current_span(), "floating-point overflow in `{}`", name);
  }
  if (finite_arguments && std::isnan(result)) {
    note_operands(interp, Diag::FloatInvalid, name, operands);
    fail(Diag::FloatInvalid, interp.current_span(), "invalid floating-point operation in `{}`",
         name);
  }
  return is_double ? interp.real(result) : Value::single(single);
}

struct Elementary {
  const char* name;
  double (*function)(double);
  double low, high;  // outside the result would be complex
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Elementary kSin{"sin", std::sin, -kInfinity, kInfinity};
constexpr Elementary kCos{"cos", std::cos, -kInfinity, kInfinity};
constexpr Elementary kTan{"tan", std::tan, -kInfinity, kInfinity};
constexpr Elementary kAsin{"asin", std::asin, -1, 1};
constexpr Elementary kAcos{"acos", std::acos, -1, 1};
constexpr Elementary kSinh{"sinh", std::sinh, -kInfinity, kInfinity};
constexpr Elementary kCosh{"cosh", std::cosh, -kInfinity, kInfinity};
constexpr Elementary kTanh{"tanh", std::tanh, -kInfinity, kInfinity};
constexpr Elementary kAsinh{"asinh", std::asinh, -kInfinity, kInfinity};
constexpr Elementary kAcosh{"acosh", std::acosh, 1, kInfinity};
constexpr Elementary kAtanh{"atanh", std::atanh, -1, 1};
constexpr Elementary kExp{"exp", std::exp, -kInfinity, kInfinity};

template <const Elementary& E>
Value float_elementary(Interpreter& interp, Args args) {
  const double x = expect_real_number(interp, args[0]);
  if (x < E.low || x > E.high) {
    complex_result(interp, E.name, args[0]);
  }
  return float_value(interp, E.function(x), args[0].is<Double>(), std::isfinite(x), E.name, args);
}

Value float_atan(Interpreter& interp, Args args) {
  const double y = expect_real_number(interp, args[0]);
  if (args.size() == 1) {
    return float_value(interp, std::atan(y), args[0].is<Double>(), true, "atan", args);
  }
  const double x = expect_real_number(interp, args[1]);
  const bool is_double = args[0].is<Double>() || args[1].is<Double>();
  return float_value(interp, std::atan2(y, x), is_double, true, "atan", args);
}

Value float_sqrt(Interpreter& interp, Args args) {
  const double x = expect_real_number(interp, args[0]);
  if (x < 0) {
    complex_result(interp, "sqrt", args[0]);
  }
  return float_value(interp, std::sqrt(x), args[0].is<Double>(), std::isfinite(x), "sqrt", args);
}

double checked_log(Interpreter& interp, Value v) {
  const double x = expect_real_number(interp, v);
  if (x == 0) {
    division_by_zero(interp, "log", {&v, 1});
  }
  if (x < 0) {
    complex_result(interp, "log", v);
  }
  return std::log(x);
}

Value float_log(Interpreter& interp, Args args) {
  const double numerator = checked_log(interp, args[0]);
  const bool finite = std::isfinite(numerator);
  if (args.size() == 1) {
    return float_value(interp, numerator, args[0].is<Double>(), finite, "log", args);
  }
  const bool is_double = args[0].is<Double>() || args[1].is<Double>();
  const double x = expect_real_number(interp, args[0]);
  const double base = expect_real_number(interp, args[1]);
  if (base == 2) {
    return float_value(interp, std::log2(x), is_double, finite, "log", args);
  }
  if (base == 10 && is_integer(args[1])) {
    return float_value(interp, std::log10(x), is_double, finite, "log", args);
  }
  const double denominator = checked_log(interp, args[1]);
  if (denominator == 0) {
    division_by_zero(interp, "log", args);
  }
  return float_value(interp, numerator / denominator, is_double, finite, "log", args);
}

/// A number to an integer power by squaring; exact for exact bases.
Value integer_power(Interpreter& interp, Value base, uint64_t exponent) {
  Value result = Value::fixnum(1);
  bool first = true;
  while (true) {
    if ((exponent & 1) != 0) {
      result = first ? base : number_multiply(interp, result, base);
      first = false;
    }
    exponent >>= 1;
    if (exponent == 0) {
      return result;
    }
    base = number_multiply(interp, base, base);
  }
}

Value float_expt(Interpreter& interp, Args args) {
  const Value base = args[0];
  const Value power = args[1];
  const double x = expect_real_number(interp, base);
  const double y = expect_real_number(interp, power);
  if (is_integer(power)) {
    const int64_t n = integer_value(power);
    if (n == 0) {
      return base.is<Double>()  ? interp.real(1)
             : base.is_single() ? Value::single(1)
                                : Value::fixnum(1);
    }
    if (!is_float(base)) {
      if (base == Value::fixnum(1) || (base == Value::fixnum(-1) && n % 2 == 0)) {
        return Value::fixnum(1);
      }
      if (base == Value::fixnum(-1)) {
        return base;
      }
      const uint64_t magnitude =
          n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
      if (base == Value::fixnum(0)) {
        if (n < 0) {
          division_by_zero(interp, "expt", args);
        }
        return base;
      }
      const Value result = integer_power(interp, base, magnitude);
      return n < 0 ? number_divide(interp, Value::fixnum(1), result) : result;
    }
  }
  const bool is_double = base.is<Double>() || power.is<Double>();
  if (x == 0 && y < 0) {
    division_by_zero(interp, "expt", args);
  }
  if (x < 0 && y != std::trunc(y)) {
    complex_result(interp, "expt", base);
  }
  return float_value(interp, std::pow(x, y), is_double, std::isfinite(x) && std::isfinite(y),
                     "expt", args);
}

// --- kinds and parts --------------------------------------------------------------------------

Value float_float(Interpreter& interp, Args args) {
  const double x = expect_real_number(interp, args[0]);
  if (args.size() == 1) {
    return is_float(args[0]) ? args[0] : float_value(interp, x, false, true, "float", args);
  }
  if (!is_float(args[1])) {
    wrong_type(interp, args[1], "prototype", "a float");
  }
  return float_value(interp, x, args[1].is<Double>(), std::isfinite(x), "float", args);
}

double expect_float(Interpreter& interp, Value v) {
  if (!is_float(v)) {
    wrong_type(interp, v, "argument", "a float");
  }
  return to_double(interp, v);
}

/// The exact value of a float as integer or ratio.
Value float_rational(Interpreter& interp, Args args) {
  if (!is_float(args[0])) {
    expect_real_number(interp, args[0]);
    return args[0];
  }
  const double x = expect_float(interp, args[0]);
  if (!std::isfinite(x)) {
    wrong_type(interp, args[0], "argument", "a finite number");
  }
  int exponent = 0;
  auto n = static_cast<int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  exponent -= 53;
  while (n != 0 && n % 2 == 0 && exponent < 0) {
    n /= 2;
    ++exponent;
  }
  if (n == 0) {
    return Value::fixnum(0);
  }
  if (exponent < -62 || (exponent > 0 && (exponent > 10 || std::fabs(x) >= 0x1p63))) {
    fail(Diag::ArithmeticError, interp.current_span(),
         "`rational` of {} does not fit 64-bit numerator and denominator", interp.print(args[0]));
  }
  if (exponent >= 0) {
    return interp.integer(static_cast<int64_t>(x));
  }
  return make_ratio(interp, n, int64_t{1} << -exponent);
}

/// The simplest rational that rounds to the float: continued fractions until it reads back.
Value float_rationalize(Interpreter& interp, Args args) {
  if (!is_float(args[0])) {
    expect_real_number(interp, args[0]);
    return args[0];
  }
  const double x = expect_float(interp, args[0]);
  const bool single = args[0].is_single();
  const auto same = [&](int64_t n, int64_t d) {
    const double q = static_cast<double>(n) / static_cast<double>(d);
    return single ? static_cast<float>(q) == static_cast<float>(x) : q == x;
  };
  double rest = std::fabs(x);
  int64_t n0 = 0, n1 = 1, d0 = 1, d1 = 0;
  for (int i = 0; i < 40 && rest < 0x1p52; ++i) {
    const auto whole = static_cast<int64_t>(rest);
    int64_t n2 = 0;
    int64_t d2 = 0;
    if (__builtin_mul_overflow(whole, n1, &n2) || __builtin_add_overflow(n2, n0, &n2) ||
        __builtin_mul_overflow(whole, d1, &d2) || __builtin_add_overflow(d2, d0, &d2)) {
      break;
    }
    if (same(x < 0 ? -n2 : n2, d2)) {
      return make_ratio(interp, x < 0 ? -n2 : n2, d2);
    }
    n0 = n1;
    n1 = n2;
    d0 = d1;
    d1 = d2;
    rest = 1 / (rest - static_cast<double>(whole));
  }
  return float_rational(interp, args);
}

Value float_radix(Interpreter& interp, Args args) {
  expect_float(interp, args[0]);
  return Value::fixnum(2);
}
Value float_digits(Interpreter& interp, Args args) {
  expect_float(interp, args[0]);
  return Value::fixnum(args[0].is_single() ? 24 : 53);
}
Value float_precision(Interpreter& interp, Args args) {
  return expect_float(interp, args[0]) == 0 ? Value::fixnum(0) : float_digits(interp, args);
}

Value same_kind(Interpreter& interp, Value like, double x) {
  return like.is_single() ? Value::single(static_cast<float>(x)) : interp.real(x);
}

Value float_sign(Interpreter& interp, Args args) {
  const double x = expect_float(interp, args[0]);
  if (args.size() == 1) {
    return same_kind(interp, args[0], std::copysign(1.0, x));
  }
  return same_kind(interp, args[1], std::copysign(std::fabs(expect_float(interp, args[1])), x));
}

Value float_decode(Interpreter& interp, Args args) {
  const double x = expect_float(interp, args[0]);
  int exponent = 0;
  const double significand = std::frexp(std::fabs(x), &exponent);
  return interp.set_values({same_kind(interp, args[0], significand), Value::fixnum(exponent),
                            same_kind(interp, args[0], std::copysign(1.0, x))});
}

Value float_integer_decode(Interpreter& interp, Args args) {
  const double x = expect_float(interp, args[0]);
  if (!std::isfinite(x)) {
    wrong_type(interp, args[0], "argument", "a finite float");
  }
  const int digits = args[0].is_single() ? 24 : 53;
  int exponent = 0;
  const double significand = std::frexp(std::fabs(x), &exponent);
  return interp.set_values({interp.integer(static_cast<int64_t>(std::ldexp(significand, digits))),
                            Value::fixnum(x == 0 ? 0 : exponent - digits),
                            Value::fixnum(std::signbit(x) ? -1 : 1)});
}

Value float_scale(Interpreter& interp, Args args) {
  const double x = expect_float(interp, args[0]);
  const int64_t n = expect_int(interp, args[1], "exponent");
  const auto exponent = static_cast<int>(std::clamp<int64_t>(n, -5000, 5000));
  return float_value(interp, std::ldexp(x, exponent), args[0].is<Double>(), std::isfinite(x),
                     "scale-float", args);
}

Value float_identity(Interpreter& interp, Args args) {
  expect_real_number(interp, args[0]);
  return args[0];
}
Value float_imagpart(Interpreter& interp, Args args) {
  expect_real_number(interp, args[0]);
  return is_float(args[0]) ? same_kind(interp, args[0], 0) : Value::fixnum(0);
}
Value float_phase(Interpreter& interp, Args args) {
  const double x = expect_real_number(interp, args[0]);
  return float_value(interp, std::signbit(x) ? std::acos(-1.0) : 0.0, args[0].is<Double>(), true,
                     "phase", args);
}
Value float_cis(Interpreter& interp, Args args) {
  expect_real_number(interp, args[0]);
  complex_result(interp, "cis", args[0]);
}

// clang-format off
constexpr Builtin kFloatBuiltins[] = {
    // name                   package min max  doc                                                   function
    {"SIN",                   "CL",   1,  1,   "sine of radians",                                    float_elementary<kSin>},
    {"COS",                   "CL",   1,  1,   "cosine of radians",                                  float_elementary<kCos>},
    {"TAN",                   "CL",   1,  1,   "tangent of radians",                                 float_elementary<kTan>},
    {"ASIN",                  "CL",   1,  1,   "arc sine",                                           float_elementary<kAsin>},
    {"ACOS",                  "CL",   1,  1,   "arc cosine",                                         float_elementary<kAcos>},
    {"ATAN",                  "CL",   1,  2,   "arc tangent; of y/x in the right quadrant with two arguments", float_atan},
    {"SINH",                  "CL",   1,  1,   "hyperbolic sine",                                    float_elementary<kSinh>},
    {"COSH",                  "CL",   1,  1,   "hyperbolic cosine",                                  float_elementary<kCosh>},
    {"TANH",                  "CL",   1,  1,   "hyperbolic tangent",                                 float_elementary<kTanh>},
    {"ASINH",                 "CL",   1,  1,   "inverse hyperbolic sine",                            float_elementary<kAsinh>},
    {"ACOSH",                 "CL",   1,  1,   "inverse hyperbolic cosine",                          float_elementary<kAcosh>},
    {"ATANH",                 "CL",   1,  1,   "inverse hyperbolic tangent",                         float_elementary<kAtanh>},
    {"EXP",                   "CL",   1,  1,   "e to a power",                                       float_elementary<kExp>},
    {"EXPT",                  "CL",   2,  2,   "(expt base power); exact for rational bases and integer powers", float_expt},
    {"LOG",                   "CL",   1,  2,   "(log x [base]): natural logarithm, or to a base",    float_log},
    {"SQRT",                  "CL",   1,  1,   "square root",                                        float_sqrt},
    {"FLOAT",                 "CL",   1,  2,   "a real number as a float, of the prototype's kind",  float_float},
    {"RATIONAL",              "CL",   1,  1,   "the exact value of a real number",                   float_rational},
    {"RATIONALIZE",           "CL",   1,  1,   "the simplest rational that a float stands for",      float_rationalize},
    {"FLOAT-RADIX",           "CL",   1,  1,   "2",                                                  float_radix},
    {"FLOAT-DIGITS",          "CL",   1,  1,   "the number of binary digits: 24 or 53",              float_digits},
    {"FLOAT-PRECISION",       "CL",   1,  1,   "the number of significant binary digits",            float_precision},
    {"FLOAT-SIGN",            "CL",   1,  2,   "the sign of a float as 1.0 or -1.0, given to the second argument", float_sign},
    {"DECODE-FLOAT",          "CL",   1,  1,   "significand in [0.5, 1), exponent, sign",            float_decode},
    {"INTEGER-DECODE-FLOAT",  "CL",   1,  1,   "significand as integer, exponent, sign",             float_integer_decode},
    {"SCALE-FLOAT",           "CL",   2,  2,   "a float times a power of two",                       float_scale},
    {"REALPART",              "CL",   1,  1,   "a real number itself",                               float_identity},
    {"CONJUGATE",             "CL",   1,  1,   "a real number itself",                               float_identity},
    {"IMAGPART",              "CL",   1,  1,   "zero, of the argument's kind",                       float_imagpart},
    {"PHASE",                 "CL",   1,  1,   "0 or pi",                                            float_phase},
    {"CIS",                   "CL",   1,  1,   "refused: there are no complex numbers",              float_cis},
};
// clang-format on

}  // namespace

std::span<const Builtin> float_builtins() {
  return kFloatBuiltins;
}

}  // namespace caten::lisp
