// See number.h.
#include "frontend/lisp/number.h"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "frontend/builtins/builtins.h"

namespace caten::lisp {
namespace {

/// An operation and its operands, for the errors it may end in.
struct Operation {
  std::string_view name;
  Value a, b;
};

[[noreturn]] void overflow(Interpreter& interp, const Operation& operation) {
  integer_overflow(interp, operation.name, std::array{operation.a, operation.b});
}

enum class Kind : uint8_t { Integer, Ratio, Single, Double };

// A number taken apart. Integers are n/1.
struct Number {
  Kind kind = Kind::Integer;
  int64_t n = 0;
  int64_t d = 1;
  double f = 0;

  double real() const {
    return kind >= Kind::Single ? f : static_cast<double>(n) / static_cast<double>(d);
  }
};

Number take_apart(Interpreter& interp, Value v, std::string_view what) {
  if (v.is_fixnum()) {
    return {Kind::Integer, v.fixnum_value(), 1, 0};
  }
  if (v.is_single()) {
    return {Kind::Single, 0, 1, static_cast<double>(v.single_value())};
  }
  if (auto* number = v.try_as<Double>()) {
    return {Kind::Double, 0, 1, number->value};
  }
  if (auto* integer = v.try_as<Integer>()) {
    return {Kind::Integer, integer->value, 1, 0};
  }
  if (auto* ratio = v.try_as<Ratio>()) {
    return {Kind::Ratio, ratio->numerator, ratio->denominator, 0};
  }
  wrong_type(interp, v, what, "a number");
}

// A float operation's result as a Lisp value. An infinity that finite operands produced, and a NaN
// that was not among the operands, are signalled, as SBCL does with its default traps.
template <typename Float>
Value float_result(Interpreter& interp, Float result, Float a, Float b, std::string_view name) {
  const auto value = [&](Float f) {
    if constexpr (std::is_same_v<Float, float>) {
      return Value::single(f);
    } else {
      return interp.real(f);
    }
  };
  if (!std::isfinite(result)) [[unlikely]] {
    if (std::isnan(result) && !std::isnan(a) && !std::isnan(b)) {
      note_operands(interp, Diag::FloatInvalid, name, std::array{value(a), value(b)});
      fail(Diag::FloatInvalid, interp.current_span(), "invalid floating-point operation in `{}`",
           name);
    }
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
      note_operands(interp, Diag::FloatOverflow, name, std::array{value(a), value(b)});
      fail(Diag::FloatOverflow, interp.current_span(), "floating-point overflow in `{}`", name);
    }
  }
  return value(result);
}

int64_t multiply(Interpreter& interp, int64_t a, int64_t b, const Operation& operation) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    overflow(interp, operation);
  }
  return result;
}

int64_t add(Interpreter& interp, int64_t a, int64_t b, const Operation& operation) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) {
    overflow(interp, operation);
  }
  return result;
}

int64_t subtract(Interpreter& interp, int64_t a, int64_t b, const Operation& operation) {
  int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) {
    overflow(interp, operation);
  }
  return result;
}

// One binary operation: `integers` on int64, `ratios` on the rest of the exact numbers, `floats`
// (generic) on the others.
template <typename Integers, typename Ratios, typename Floats>
Value apply(Interpreter& interp, Value a, Value b, std::string_view name, Integers integers,
            Ratios ratios, Floats floats) {
  Number x = take_apart(interp, a, name);
  Number y = take_apart(interp, b, name);
  Kind kind = std::max(x.kind, y.kind);
  switch (kind) {
    case Kind::Integer:
      return interp.integer(integers(x.n, y.n));
    case Kind::Ratio:
      return ratios(x, y);
    case Kind::Single: {
      auto p = static_cast<float>(x.real());
      auto q = static_cast<float>(y.real());
      return float_result<float>(interp, floats(p, q), p, q, name);
    }
    case Kind::Double: {
      double p = x.real();
      double q = y.real();
      return float_result<double>(interp, floats(p, q), p, q, name);
    }
  }
  CATEN_UNREACHABLE("number kind");
}

// x.n * y.d, x.d * y.n and the common denominator.
struct Crossed {
  int64_t left, right, denominator;
};
Crossed cross(Interpreter& interp, const Number& x, const Number& y, const Operation& operation) {
  return {multiply(interp, x.n, y.d, operation), multiply(interp, y.n, x.d, operation),
          multiply(interp, x.d, y.d, operation)};
}

// A double that is integral, as an integer value.
Value integral(Interpreter& interp, double value, std::string_view name) {
  if (!(value >= -0x1p63 && value < 0x1p63)) {
    fail(Diag::ArithmeticError, interp.current_span(), "`{}` of {} does not fit a 64-bit integer",
         name, value);
  }
  return interp.integer(static_cast<int64_t>(value));
}

double round_float(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::Floor:
      return std::floor(value);
    case Rounding::Ceiling:
      return std::ceil(value);
    case Rounding::Truncate:
      return std::trunc(value);
    case Rounding::Round:
      return std::nearbyint(value);
  }
  CATEN_UNREACHABLE("rounding");
}

// n / d rounded, d > 0. Exact: no intermediate overflows.
int64_t round_ratio(int64_t n, int64_t d, Rounding rounding) {
  int64_t quotient = n / d;
  int64_t remainder = n % d;
  bool negative = remainder < 0;
  switch (rounding) {
    case Rounding::Floor:
      return quotient - (negative ? 1 : 0);
    case Rounding::Ceiling:
      return quotient + (remainder > 0 ? 1 : 0);
    case Rounding::Truncate:
      return quotient;
    case Rounding::Round: {
      uint64_t distance =
          negative ? -static_cast<uint64_t>(remainder) : static_cast<uint64_t>(remainder);
      uint64_t other = static_cast<uint64_t>(d) - distance;
      bool away = distance > other || (distance == other && quotient % 2 != 0);
      return quotient + (away ? (negative ? -1 : 1) : 0);
    }
  }
  CATEN_UNREACHABLE("rounding");
}

std::string_view rounding_name(Rounding rounding) {
  constexpr std::string_view kNames[] = {"floor", "ceiling", "truncate", "round"};
  return kNames[static_cast<size_t>(rounding)];
}

Quotient exact_quotient(Interpreter& interp, const Number& x, const Number& y,
                        const Operation& name, Rounding rounding) {
  if (y.n == 0) {
    note_operands(interp, Diag::DivisionByZero, "/", std::array{name.a, name.b});
    fail(Diag::DivisionByZero, interp.current_span(), "division by zero in `{}`", name.name);
  }
  if (x.kind == Kind::Integer && y.kind == Kind::Integer) {
    if (y.n == -1) {
      return {interp.integer(subtract(interp, 0, x.n, name)), Value::fixnum(0)};
    }
    // Bring the divisor to be positive; y.n = INT64_MIN needs care as its negation overflows.
    int64_t quotient = 0;
    if (y.n > 0) {
      quotient = round_ratio(x.n, y.n, rounding);
    } else if (y.n != INT64_MIN && x.n != INT64_MIN) {
      quotient = round_ratio(-x.n, -y.n, rounding);
    } else {
      overflow(interp, name);
    }
    return {interp.integer(quotient), interp.integer(x.n - quotient * y.n)};
  }
  // (x.n / x.d) / (y.n / y.d)
  int64_t n = multiply(interp, x.n, y.d, name);
  int64_t d = multiply(interp, x.d, y.n, name);
  if (d < 0) {
    n = subtract(interp, 0, n, name);
    d = subtract(interp, 0, d, name);
  }
  int64_t quotient = round_ratio(n, d, rounding);
  Value product = number_multiply(interp, interp.integer(quotient), make_ratio(interp, y.n, y.d));
  return {interp.integer(quotient), number_subtract(interp, make_ratio(interp, x.n, x.d), product)};
}

}  // namespace

void note_operands(Interpreter& interp, Diag kind, std::string_view operation,
                   std::span<const Value> operands) {
  std::string name;
  for (char c : operation) {
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  interp.note_error_object(kind, interp.cons(interp.cl(name), interp.list(operands)));
}

void integer_overflow(Interpreter& interp, std::string_view operation,
                      std::span<const Value> operands) {
  note_operands(interp, Diag::ArithmeticError, operation, operands);
  fail(Diag::ArithmeticError, interp.current_span(),
       "the result of `{}` does not fit a 64-bit integer", operation);
}

void division_by_zero(Interpreter& interp, std::string_view operation,
                      std::span<const Value> operands) {
  note_operands(interp, Diag::DivisionByZero, operation, operands);
  fail(Diag::DivisionByZero, interp.current_span(), "division by zero in `{}`", operation);
}

Value make_ratio(Interpreter& interp, int64_t n, int64_t d) {
  if (d < 0) {
    const Operation division{"/", interp.integer(n), interp.integer(d)};
    n = subtract(interp, 0, n, division);
    d = subtract(interp, 0, d, division);
  }
  // std::gcd is undefined for INT64_MIN; unsigned magnitudes are not.
  uint64_t magnitude = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  uint64_t common = std::gcd(magnitude, static_cast<uint64_t>(d));
  if (common > 1) {
    d = static_cast<int64_t>(static_cast<uint64_t>(d) / common);
    magnitude /= common;
    n = static_cast<int64_t>(n < 0 ? -magnitude : magnitude);
  }
  return d == 1 ? interp.integer(n) : Value::object(interp.heap().make<Ratio>(n, d));
}

double to_double(Interpreter& interp, Value v) {
  return take_apart(interp, v, "number").real();
}

Value number_add(Interpreter& interp, Value a, Value b) {
  const Operation operation{"+", a, b};
  return apply(
      interp, a, b, "+", [&](int64_t x, int64_t y) { return add(interp, x, y, operation); },
      [&](const Number& x, const Number& y) {
        Crossed c = cross(interp, x, y, operation);
        return make_ratio(interp, add(interp, c.left, c.right, operation), c.denominator);
      },
      [](auto x, auto y) { return x + y; });
}

Value number_subtract(Interpreter& interp, Value a, Value b) {
  const Operation operation{"-", a, b};
  return apply(
      interp, a, b, "-", [&](int64_t x, int64_t y) { return subtract(interp, x, y, operation); },
      [&](const Number& x, const Number& y) {
        Crossed c = cross(interp, x, y, operation);
        return make_ratio(interp, subtract(interp, c.left, c.right, operation), c.denominator);
      },
      [](auto x, auto y) { return x - y; });
}

Value number_multiply(Interpreter& interp, Value a, Value b) {
  const Operation operation{"*", a, b};
  return apply(
      interp, a, b, "*", [&](int64_t x, int64_t y) { return multiply(interp, x, y, operation); },
      [&](const Number& x, const Number& y) {
        return make_ratio(interp, multiply(interp, x.n, y.n, operation),
                          multiply(interp, x.d, y.d, operation));
      },
      [](auto x, auto y) { return x * y; });
}

Value number_divide(Interpreter& interp, Value a, Value b) {
  Number divisor = take_apart(interp, b, "/");
  Number dividend = take_apart(interp, a, "/");
  const Operation operation{"/", a, b};
  if (divisor.real() == 0) {
    if (divisor.kind >= Kind::Single && dividend.real() == 0) {
      note_operands(interp, Diag::FloatInvalid, "/", std::array{a, b});
      fail(Diag::FloatInvalid, interp.current_span(), "invalid floating-point operation in `/`");
    }
    division_by_zero(interp, "/", std::array{a, b});
  }
  if (a.is_fixnum() && b.is_fixnum()) {
    return make_ratio(interp, a.fixnum_value(), b.fixnum_value());
  }
  auto ratios = [&](const Number& x, const Number& y) {
    return make_ratio(interp, multiply(interp, x.n, y.d, operation),
                      multiply(interp, x.d, y.n, operation));
  };
  if (dividend.kind <= Kind::Ratio && divisor.kind <= Kind::Ratio) {
    return ratios(dividend, divisor);
  }
  return apply(
      interp, a, b, "/", [](int64_t x, int64_t) { return x; }, ratios,
      [](auto x, auto y) { return x / y; });
}

std::partial_ordering number_compare(Interpreter& interp, Value a, Value b) {
  Number x = take_apart(interp, a, "number");
  Number y = take_apart(interp, b, "number");
  Kind kind = std::max(x.kind, y.kind);
  if (kind == Kind::Integer) {
    return x.n <=> y.n;
  }
  if (kind == Kind::Ratio) {
    // 128 bits hold every product.
    __extension__ using Wide = __int128;
    return static_cast<Wide>(x.n) * y.d <=> static_cast<Wide>(y.n) * x.d;
  }
  // An int64 and a double: long double (64-bit mantissa on x86) holds both exactly.
  auto exact = [](const Number& v) {
    return v.kind == Kind::Integer ? static_cast<long double>(v.n)
                                   : static_cast<long double>(v.real());
  };
  return exact(x) <=> exact(y);
}

bool number_equal(Interpreter& interp, Value a, Value b) {
  return number_compare(interp, a, b) == std::partial_ordering::equivalent;
}

Quotient number_quotient(Interpreter& interp, Value a, Value b, Rounding rounding) {
  std::string_view name = rounding_name(rounding);
  Number x = take_apart(interp, a, name);
  Number y = take_apart(interp, b, name);
  Kind kind = std::max(x.kind, y.kind);
  if (kind <= Kind::Ratio) {
    return exact_quotient(interp, x, y, {name, a, b}, rounding);
  }
  if (y.real() == 0) {
    const auto as_float = [&](const Number& number) {
      return kind == Kind::Single ? Value::single(static_cast<float>(number.real()))
                                  : interp.real(number.real());
    };
    note_operands(interp, Diag::DivisionByZero, "/", std::array{as_float(x), as_float(y)});
    fail(Diag::DivisionByZero, interp.current_span(), "division by zero in `{}`", name);
  }
  double quotient = round_float(x.real() / y.real(), rounding);
  Value whole = integral(interp, quotient, name);
  double remainder = x.real() - quotient * y.real();
  return {whole, kind == Kind::Single ? Value::single(static_cast<float>(remainder))
                                      : interp.real(remainder)};
}

}  // namespace caten::lisp
